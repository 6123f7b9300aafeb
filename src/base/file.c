// SPDX-License-Identifier: MIT
// lint: allow vfprintf, the door to files that are written
#define _GNU_SOURCE
#include "base/file.h"
#include "base/alloc.h"
#include "base/part.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char* hed_text_copy(const char* text) {
    if (!text) {
        return NULL;
    }
    size_t size = strlen(text);
    char* copy = hed_alloc(size + 1);
    if (copy) {
        memcpy(copy, text, size + 1);
    }
    return copy;
}

// A device or a pipe is written to as it is: renaming over it would replace it by a plain file.
static bool is_special(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static HedStatus open_writer(HedWriter* writer, const char* path, bool is_direct, HedError* error) {
    *writer = (HedWriter){0};
    if (hed_file_is_directory(path)) {
        return hed_fail(error, HED_IO, "%s: %s", path, strerror(EISDIR));
    }
    size_t size = strlen(path) + HED_PART_ROOM;
    writer->path = hed_text_copy(path);
    writer->temporary = hed_alloc(size);
    if (!writer->path || !writer->temporary) {
        hed_writer_abandon(writer);
        return hed_fail_memory(error, path);
    }
    if (!is_direct) {
        hed_part_name(path, writer->temporary, size);
    }
    writer->stream = fopen(writer->temporary[0] ? writer->temporary : path, "wb");
    if (!writer->stream) {
        HedStatus status = hed_fail(error, HED_IO, "%s: %s", path, strerror(errno));
        writer->temporary[0] = '\0';
        hed_writer_abandon(writer);
        return status;
    }
    return HED_OK;
}

HedStatus hed_writer_open(HedWriter* writer, const char* path, HedError* error) {
    return open_writer(writer, path, is_special(path), error);
}

HedStatus hed_writer_replace(HedWriter* writer, const char* path, HedError* error) {
    return open_writer(writer, path, false, error);
}

static void note_failure(HedWriter* writer) {
    if (!writer->failed) {
        writer->failed = true;
        writer->failure = errno;
    }
}

void hed_writer_bytes(HedWriter* writer, const void* data, size_t size) {
    if (!writer->failed && size > 0 && fwrite(data, 1, size, writer->stream) != size) {
        note_failure(writer);
    }
}

void hed_writer_print(HedWriter* writer, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (!writer->failed && vfprintf(writer->stream, format, arguments) < 0) {
        note_failure(writer);
    }
    va_end(arguments);
}

void hed_writer_double(HedWriter* writer, double value) {
    char text[HED_NUMBER_TEXT];
    hed_format_double(value, text);
    hed_writer_bytes(writer, text, strlen(text));
}

HedStatus hed_writer_commit(HedWriter* writer, HedError* error) {
    HedStatus status = HED_OK;
    bool renames = writer->temporary[0] != '\0';
    if (!writer->failed && fflush(writer->stream) != 0) {
        note_failure(writer);
    }
    if (!writer->failed && renames && fsync(fileno(writer->stream)) != 0) {
        note_failure(writer);
    }
    if (fclose(writer->stream) != 0) {
        note_failure(writer);
    }
    writer->stream = NULL;
    if (!writer->failed && renames && rename(writer->temporary, writer->path) != 0) {
        note_failure(writer);
    }
    if (writer->failed) {
        status = hed_fail(error, HED_IO, "%s: %s", writer->path, strerror(writer->failure));
    } else {
        writer->temporary[0] = '\0';
    }
    hed_writer_abandon(writer);
    return status;
}

void hed_writer_abandon(HedWriter* writer) {
    if (writer->stream) {
        fclose(writer->stream);
    }
    if (writer->temporary && writer->temporary[0]) {
        unlink(writer->temporary);
    }
    hed_free(writer->path);
    hed_free(writer->temporary);
    *writer = (HedWriter){0};
}

bool hed_file_exists(const char* path) {
    struct stat info;
    return stat(path, &info) == 0;
}

bool hed_file_is_directory(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool hed_file_is_same(const char* a, const char* b) {
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

HedStatus hed_directory_make(const char* path, HedError* error) {
    HedStatus status = HED_OK;
    char* partial = hed_text_copy(path);
    if (!partial) {
        return hed_fail_memory(error, path);
    }
    size_t size = strlen(partial);
    for (size_t i = 1; i <= size && status == HED_OK; ++i) {
        if (partial[i] != '/' && partial[i] != '\0') {
            continue;
        }
        char kept = partial[i];
        partial[i] = '\0';
        int failure = mkdir(partial, 0777) != 0 ? errno : 0;
        if (failure != 0 && !hed_file_is_directory(partial)) {
            status = hed_fail(error, HED_IO, "%s: %s", partial, strerror(failure));
        }
        partial[i] = kept;
    }
    hed_free(partial);
    return status;
}

char* hed_path_join(const char* directory, const char* name) {
    bool alone = name[0] == '/' || directory[0] == '\0';
    size_t size = strlen(directory) + strlen(name) + 2;
    char* joined = hed_alloc(size);
    if (joined) {
        bool slash = !alone && directory[strlen(directory) - 1] != '/';
        snprintf(joined, size, "%s%s%s", alone ? "" : directory, slash ? "/" : "", name);
    }
    return joined;
}

char* hed_path_directory(const char* path) {
    const char* slash = strrchr(path, '/');
    if (!slash) {
        return hed_text_copy(".");
    }
    size_t size = slash == path ? 1 : (size_t)(slash - path);
    char* directory = hed_alloc(size + 1);
    if (directory) {
        memcpy(directory, path, size);
    }
    return directory;
}

const char* hed_path_extension(const char* path) {
    const char* slash = strrchr(path, '/');
    const char* name = slash ? slash + 1 : path;
    const char* dot = strrchr(name, '.');
    return dot && dot != name ? dot + 1 : "";
}
