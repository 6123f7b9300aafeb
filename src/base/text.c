// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // strtod_l
#include "base/text.h"
#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <threads.h>
#include <unistd.h>

static locale_t c_locale;
static once_flag c_locale_once = ONCE_FLAG_INIT;

static void make_c_locale(void) {
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

// The locale in which numbers look like C's; 0 if there was no memory for it.
static locale_t number_locale(void) {
    call_once(&c_locale_once, make_c_locale);
    return c_locale;
}

// A pipe whose other end is silent for so long is given up.
enum { PIPE_PATIENCE = 10 }; // s

typedef struct TextSource {
    const char* path;
    int file;
    bool is_pipe;
    bool has_ended; // nobody holds the other end of the pipe any more
} TextSource;

// Waits until a pipe has something to read, or its end.
static HedStatus wait_for_pipe(TextSource* source, HedError* error) {
    struct pollfd wanted = {.fd = source->file, .events = POLLIN};
    int ready = poll(&wanted, 1, PIPE_PATIENCE * 1000);
    if (ready == 0) {
        return hed_fail(error, HED_INVALID, "%s: is a pipe, and nothing came through it for %d s",
                        source->path, PIPE_PATIENCE);
    }
    source->has_ended = ready > 0 && (wanted.revents & POLLHUP) != 0;
    return HED_OK;
}

static HedStatus reserve_more(const TextSource* source, HedText* text, size_t* capacity,
                              HedError* error) {
    if (text->data && text->size < *capacity) {
        return HED_OK;
    }
    if (text->data) {
        *capacity *= 2;
    }
    if (*capacity > (size_t)INT32_MAX) {
        return hed_fail(error, HED_UNSUPPORTED, "%s: files over 2 GiB are not read", source->path);
    }
    char* grown = hed_realloc(text->data, *capacity + 1);
    if (!grown) {
        return hed_fail_memory(error, source->path);
    }
    text->data = grown;
    return HED_OK;
}

// Reads to the end, which a pipe has reached when it gave something and nobody writes any more.
static HedStatus read_all(TextSource* source, size_t capacity, HedText* text, HedError* error) {
    HedStatus status = HED_OK;
    for (;;) {
        HED_TRY(reserve_more(source, text, &capacity, error));
        ssize_t got = read(source->file, text->data + text->size, capacity - text->size);
        bool is_silent = source->is_pipe && (got == 0 || (got < 0 && errno == EAGAIN));
        if (got > 0) {
            text->size += (size_t)got;
        } else if (is_silent && (got < 0 || (text->size == 0 && !source->has_ended))) {
            HED_TRY(wait_for_pipe(source, error));
        } else if (got == 0) {
            text->data[text->size] = '\0';
            break;
        } else if (errno != EINTR) {
            return hed_fail(error, HED_IO, "%s: %s", source->path, strerror(errno));
        }
    }
done:
    return status;
}

static HedStatus read_source(TextSource* source, HedText* text, HedError* error) {
    struct stat info;
    if (fstat(source->file, &info) != 0) {
        return hed_fail(error, HED_IO, "%s: %s", source->path, strerror(errno));
    }
    source->is_pipe = S_ISFIFO(info.st_mode);
    if (!source->is_pipe && !S_ISREG(info.st_mode)) {
        return hed_fail(error, HED_INVALID, "%s: is a %s, expected a file", source->path,
                        S_ISDIR(info.st_mode) ? "directory" : "device");
    }
    // One byte more than there are: the end is found without a second block. Some files of the
    // system say that they have none.
    size_t capacity = info.st_size > 0 ? (size_t)info.st_size + 1 : 4096;
    return read_all(source, capacity, text, error);
}

// The mark at the start of files with 16 or 32 bits per letter. No binary format that is read here
// starts with one.
static HedStatus check_mark(const char* data, size_t size, const char* name, HedError* error) {
    static const struct {
        const char* mark;
        size_t size;
        const char* encoding;
    } MARKS[] = {{"\xFF\xFE\0\0", 4, "UTF-32"},
                 {"\0\0\xFE\xFF", 4, "UTF-32"},
                 {"\xFF\xFE", 2, "UTF-16"},
                 {"\xFE\xFF", 2, "UTF-16"}};
    for (size_t i = 0; i < sizeof MARKS / sizeof MARKS[0]; ++i) {
        if (size >= MARKS[i].size && memcmp(data, MARKS[i].mark, MARKS[i].size) == 0) {
            return hed_fail(error, HED_PARSE, "%s:1: is %s text; save it as UTF-8", name,
                            MARKS[i].encoding);
        }
    }
    return HED_OK;
}

HedStatus hed_text_read(const char* path, HedText* text, HedError* error) {
    *text = (HedText){0};
    // Opening a pipe does not wait for somebody who writes to it.
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        HedStatus status = errno == ENOENT || errno == ENOTDIR ? HED_NOT_FOUND : HED_IO;
        return hed_fail(error, status, "%s: %s", path, strerror(errno));
    }
    TextSource source = {.path = path, .file = file};
    HedStatus status = read_source(&source, text, error);
    close(file);
    if (status == HED_OK) {
        status = check_mark(text->data, text->size, path, error);
    }
    if (status != HED_OK) {
        hed_text_free(text);
    }
    return status;
}

void hed_text_free(HedText* text) {
    hed_free(text->data);
    *text = (HedText){0};
}

HedStatus hed_text_check(const char* data, size_t size, const char* name, HedError* error) {
    HedStatus status = check_mark(data, size, name, error);
    const char* zero = size > 0 && status == HED_OK ? memchr(data, '\0', size) : NULL;
    if (!zero) {
        return status;
    }
    HedTextLines lines = hed_lines_begin(data, (size_t)(zero - data) + 1);
    while (hed_lines_next(&lines)) {
    }
    return hed_fail(error, HED_PARSE,
                    "%s:%d: is no text: it holds a zero byte (files of 16 bits per letter must be "
                    "saved as UTF-8)",
                    name, lines.number);
}

HedTextLines hed_lines_begin(const char* data, size_t size) {
    if (size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0) {
        data += 3;
        size -= 3;
    }
    return (HedTextLines){.next = data, .end = size > 0 ? data + size : data};
}

bool hed_lines_next(HedTextLines* lines) {
    if (lines->next >= lines->end) {
        return false;
    }
    const char* start = lines->next;
    const char* stop = start;
    while (stop < lines->end && *stop != '\n' && *stop != '\r') {
        ++stop;
    }
    lines->line = (HedSpan){start, (int32_t)(stop - start)};
    lines->number += 1;
    if (stop < lines->end) {
        bool crlf = *stop == '\r' && stop + 1 < lines->end && stop[1] == '\n';
        stop += crlf ? 2 : 1;
    }
    lines->next = stop;
    return true;
}

static bool is_blank(char c) {
    return (unsigned char)c <= ' ';
}

bool hed_span_word(HedSpan* rest, HedSpan* word) {
    const char* end = rest->data + rest->size;
    const char* start = rest->data;
    while (start < end && is_blank(*start)) {
        ++start;
    }
    const char* stop = start;
    while (stop < end && !is_blank(*stop)) {
        ++stop;
    }
    *word = (HedSpan){start, (int32_t)(stop - start)};
    *rest = (HedSpan){stop, (int32_t)(end - stop)};
    return word->size > 0;
}

HedSpan hed_span_trim(HedSpan span) {
    while (span.size > 0 && is_blank(span.data[0])) {
        ++span.data;
        --span.size;
    }
    while (span.size > 0 && is_blank(span.data[span.size - 1])) {
        --span.size;
    }
    return span;
}

bool hed_span_equal(HedSpan span, const char* text) {
    return (size_t)span.size == strlen(text) && memcmp(span.data, text, (size_t)span.size) == 0;
}

int32_t hed_span_column(HedSpan line, const char* place) {
    return (int32_t)(place - line.data) + 1;
}

enum { NUMBER_LIMIT = 400 };

// Copies a span that could be a decimal number, so that it ends in 0; false if it could not be one.
static bool copy_number(HedSpan span, char buffer[NUMBER_LIMIT]) {
    if (span.size <= 0 || span.size >= NUMBER_LIMIT) {
        return false;
    }
    for (int32_t i = 0; i < span.size; ++i) {
        char c = span.data[i];
        bool ok =
            (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E';
        if (!ok) {
            return false;
        }
    }
    memcpy(buffer, span.data, (size_t)span.size);
    buffer[span.size] = '\0';
    return true;
}

bool hed_span_double(HedSpan span, double* value) {
    char buffer[NUMBER_LIMIT];
    if (!copy_number(span, buffer)) {
        return false;
    }
    locale_t locale = number_locale();
    if (!locale) {
        return false;
    }
    char* end = NULL;
    double parsed = strtod_l(buffer, &end, locale);
    if (end != buffer + span.size || !isfinite(parsed)) {
        return false;
    }
    *value = parsed;
    return true;
}

bool hed_span_int64(HedSpan span, int64_t* value) {
    char buffer[NUMBER_LIMIT];
    if (!copy_number(span, buffer)) {
        return false;
    }
    char* end = NULL;
    errno = 0;
    long long parsed = strtoll(buffer, &end, 10);
    if (end != buffer + span.size || errno != 0) {
        return false;
    }
    *value = parsed;
    return true;
}

const char* hed_format_double(double value, char buffer[HED_NUMBER_TEXT]) {
    // Fifteen digits always survive in a normal number, so a shorter text shows as zeros that %g
    // drops. Subnormal numbers have fewer.
    int least = fabs(value) < DBL_MIN ? 1 : 15;
    locale_t locale = number_locale();
    locale_t callers = locale ? uselocale(locale) : (locale_t)0;
    for (int digits = least; digits <= 17; ++digits) {
        snprintf(buffer, HED_NUMBER_TEXT, "%.*g", digits, value);
        double back = 0.0;
        if (hed_span_double((HedSpan){buffer, (int32_t)strlen(buffer)}, &back) && back == value) {
            break;
        }
    }
    if (locale) {
        uselocale(callers);
    }
    return buffer;
}

int32_t hed_text_distance(const char* a, const char* b) {
    enum { LIMIT = 64 };
    size_t n = strlen(a);
    size_t m = strlen(b);
    if (n >= LIMIT || m >= LIMIT) {
        return LIMIT;
    }
    int32_t row[3][LIMIT];
    for (size_t j = 0; j <= m; ++j) {
        row[0][j] = (int32_t)j;
    }
    for (size_t i = 1; i <= n; ++i) {
        int32_t* now = row[i % 3];
        const int32_t* before = row[(i - 1) % 3];
        now[0] = (int32_t)i;
        for (size_t j = 1; j <= m; ++j) {
            int32_t best = before[j - 1] + (a[i - 1] != b[j - 1]);
            best = before[j] + 1 < best ? before[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                int32_t swapped = row[(i - 2) % 3][j - 2] + 1;
                best = swapped < best ? swapped : best;
            }
            now[j] = best;
        }
    }
    return row[n % 3][m];
}
