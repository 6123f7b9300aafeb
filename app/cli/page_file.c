// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "cli/page_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int page_file_open(PageFile* file, const char* path, bool force) {
    *file = (PageFile){.path = path};
    if (cli_is_directory(path)) {
        return cli_fail(CLI_MACHINE, "%s: %s", path, strerror(EISDIR));
    }
    if (cli_exists(path) && !force) {
        return cli_fail(CLI_BAD_INPUT, "%s: exists already; --force replaces it", path);
    }
    size_t size = strlen(path) + HED_PART_ROOM;
    file->temporary = malloc(size);
    if (!file->temporary) {
        return cli_no_memory();
    }
    hed_part_sweep(path);
    hed_part_name(path, file->temporary, size);
    file->stream = fopen(file->temporary, "wb");
    if (!file->stream) {
        int code = cli_fail(CLI_MACHINE, "%s: %s", path, strerror(errno));
        free(file->temporary);
        file->temporary = NULL;
        return code;
    }
    return CLI_GO;
}

void page_file_text(PageFile* file, const char* text, size_t size) {
    file->size += (int64_t)size;
    if (!file->failure && fwrite(text, 1, size, file->stream) != size) {
        file->failure = errno ? errno : EIO;
    }
}

// Three bytes as four characters; missing bytes as "=".
static void encode_three(const uint8_t* from, int count, char* to) {
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = (uint32_t)from[0] << 16 | (count > 1 ? (uint32_t)from[1] << 8 : 0) |
                    (count > 2 ? (uint32_t)from[2] : 0);
    for (int i = 0; i < 4; ++i) {
        to[i] = i <= count ? DIGITS[bits >> (18 - 6 * i) & 63] : '=';
    }
}

static void put_base64(PageFile* file, const uint8_t* data, size_t size) {
    enum { GROUPS = 1024 };
    char text[4 * GROUPS];
    while (size > 0) {
        // First fill up what waits, then whole groups, then keep the rest.
        if (file->carry_count > 0 || size < 3) {
            file->carry[file->carry_count++] = *data++;
            size -= 1;
            if (file->carry_count == 3) {
                encode_three(file->carry, 3, text);
                page_file_text(file, text, 4);
                file->carry_count = 0;
            }
            continue;
        }
        size_t groups = size / 3 < GROUPS ? size / 3 : GROUPS;
        for (size_t i = 0; i < groups; ++i) {
            encode_three(data + 3 * i, 3, text + 4 * i);
        }
        page_file_text(file, text, 4 * groups);
        data += 3 * groups;
        size -= 3 * groups;
    }
}

static void put_u32(PageFile* file, uint32_t value) {
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24)};
    put_base64(file, bytes, sizeof bytes);
}

void page_file_message(PageFile* file, PageMessage kind, const void* data, size_t size) {
    put_u32(file, (uint32_t)size);
    put_u32(file, (uint32_t)kind);
    put_base64(file, data, size);
}

void page_file_end_data(PageFile* file) {
    char text[4];
    if (file->carry_count > 0) {
        encode_three(file->carry, file->carry_count, text);
        page_file_text(file, text, sizeof text);
        file->carry_count = 0;
    }
}

int page_file_commit(PageFile* file) {
    errno = 0;
    if (!file->failure && (fflush(file->stream) != 0 || fsync(fileno(file->stream)) != 0)) {
        file->failure = errno ? errno : EIO;
    }
    if (fclose(file->stream) != 0 && !file->failure) {
        file->failure = errno ? errno : EIO;
    }
    file->stream = NULL;
    if (!file->failure && rename(file->temporary, file->path) != 0) {
        file->failure = errno;
    }
    int code = CLI_DONE;
    if (file->failure) {
        code = cli_fail(CLI_MACHINE, "%s: %s", file->path, strerror(file->failure));
    } else {
        free(file->temporary);
        file->temporary = NULL;
    }
    page_file_abandon(file);
    return code;
}

void page_file_abandon(PageFile* file) {
    if (file->stream) {
        fclose(file->stream);
    }
    if (file->temporary) {
        unlink(file->temporary);
        free(file->temporary);
    }
    file->stream = NULL;
    file->temporary = NULL;
}
