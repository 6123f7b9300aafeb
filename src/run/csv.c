// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "run/csv.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static HedStatus fail_io(const HedCsv* csv, HedError* error) {
    return hed_fail(error, HED_IO, "%s: %s", csv->path, strerror(errno));
}

// Opens the table itself: a link would lead to a file that is not the run's, a pipe would block.
static HedStatus open_file(HedCsv* csv, const char* path, int flags, HedError* error) {
    *csv = (HedCsv){0};
    csv->path = hed_text_copy(path);
    if (!csv->path) {
        return hed_fail_memory(error, path);
    }
    int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, 0666);
    if (file < 0) {
        HedStatus status = fail_io(csv, error);
        hed_csv_close(csv);
        return status;
    }
    csv->file = file + 1;
    struct stat info;
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
        hed_csv_close(csv);
        return hed_fail(error, HED_INVALID, "%s: is no plain file", path);
    }
    return HED_OK;
}

HedStatus hed_csv_create(HedCsv* csv, const char* path, HedError* error) {
    return open_file(csv, path, O_CREAT | O_TRUNC, error);
}

// Hash of the first rows as hed_csv_end_row builds it, row by row.
static uint64_t hash_rows(const char* data, size_t size) {
    uint64_t hash = 0;
    const char* end = data + size;
    while (data < end) {
        const char* stop = memchr(data, '\n', (size_t)(end - data));
        const char* next = stop ? stop + 1 : end;
        hash = hed_hash(hash, data, (size_t)(next - data));
        data = next;
    }
    return hash;
}

static HedStatus check_rows(HedCsv* csv, HedCsvMark mark, HedError* error) {
    HedText text = {0};
    HedStatus status = hed_text_read(csv->path, &text, error);
    if (status != HED_OK) {
        return status;
    }
    if ((int64_t)text.size < mark.bytes) {
        status =
            hed_fail(error, HED_PARSE,
                     "%s: has %zu bytes, the checkpoint knows %" PRId64 "; --force starts again",
                     csv->path, text.size, mark.bytes);
    } else {
        csv->hash = hash_rows(text.data, (size_t)mark.bytes);
        if (mark.hash && csv->hash != *mark.hash) {
            status = hed_fail(error, HED_PARSE,
                              "%s: is damaged: its first %" PRId64
                              " bytes are not those that were written; --force starts again",
                              csv->path, mark.bytes);
        }
    }
    hed_text_free(&text);
    return status;
}

HedStatus hed_csv_resume(HedCsv* csv, const char* path, HedCsvMark mark, HedError* error) {
    HedStatus status = open_file(csv, path, 0, error);
    if (status != HED_OK) {
        return status;
    }
    HED_TRY(check_rows(csv, mark, error));
    if (ftruncate(csv->file - 1, mark.bytes) != 0 ||
        lseek(csv->file - 1, mark.bytes, SEEK_SET) < 0) {
        status = fail_io(csv, error);
    }
done:
    if (status != HED_OK) {
        hed_csv_close(csv);
        return status;
    }
    csv->bytes = mark.bytes;
    return HED_OK;
}

static void add(HedCsv* csv, const char* text, size_t size) {
    if (csv->out_of_memory || !HED_RESERVE(&csv->row, (int64_t)size)) {
        csv->out_of_memory = true;
        return;
    }
    memcpy(csv->row.data + csv->row.count, text, size);
    csv->row.count += (int32_t)size;
}

static void separate(HedCsv* csv) {
    if (csv->row.count > 0) {
        add(csv, ",", 1);
    }
}

void hed_csv_text(HedCsv* csv, const char* text) {
    separate(csv);
    if (!strpbrk(text, ",\"\r\n")) {
        add(csv, text, strlen(text));
        return;
    }
    add(csv, "\"", 1);
    for (const char* c = text; *c; ++c) {
        add(csv, c, 1);
        if (*c == '"') {
            add(csv, c, 1);
        }
    }
    add(csv, "\"", 1);
}

void hed_csv_number(HedCsv* csv, double value) {
    char text[HED_NUMBER_TEXT] = "";
    separate(csv);
    if (isfinite(value)) {
        hed_format_double(value, text);
    }
    add(csv, text, strlen(text));
}

void hed_csv_integer(HedCsv* csv, int64_t value) {
    char text[HED_NUMBER_TEXT];
    separate(csv);
    int size = snprintf(text, sizeof text, "%" PRId64, value);
    add(csv, text, (size_t)size);
}

static bool write_all(int file, const char* data, size_t size) {
    while (size > 0) {
        ssize_t done = write(file, data, size);
        if (done < 0 && errno != EINTR) {
            return false;
        }
        if (done > 0) {
            data += done;
            size -= (size_t)done;
        }
    }
    return true;
}

HedStatus hed_csv_end_row(HedCsv* csv, HedError* error) {
    add(csv, "\n", 1);
    size_t size = (size_t)csv->row.count;
    csv->row.count = 0;
    if (csv->out_of_memory) {
        csv->out_of_memory = false;
        return hed_fail_memory(error, csv->path);
    }
    if (!write_all(csv->file - 1, csv->row.data, size)) {
        HedStatus status = fail_io(csv, error);
        // A half row that cannot be taken back now is cut off when the run is resumed.
        if (ftruncate(csv->file - 1, csv->bytes) == 0) {
            lseek(csv->file - 1, csv->bytes, SEEK_SET);
        }
        return status;
    }
    csv->bytes += (int64_t)size;
    csv->hash = hed_hash(csv->hash, csv->row.data, size);
    return HED_OK;
}

HedStatus hed_csv_sync(HedCsv* csv, HedError* error) {
    if (fdatasync(csv->file - 1) != 0 && errno != EINVAL) {
        return fail_io(csv, error);
    }
    return HED_OK;
}

void hed_csv_close(HedCsv* csv) {
    if (csv->file > 0) {
        close(csv->file - 1);
    }
    hed_free(csv->path);
    hed_free(csv->row.data);
    *csv = (HedCsv){0};
}
