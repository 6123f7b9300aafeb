// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "cli/common.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

int cli_exit_code(HedStatus status) {
    static const int CODES[HED_STATUS_COUNT] = {
        [HED_OK] = CLI_DONE,          [HED_INVALID] = CLI_BAD_INPUT,
        [HED_PARSE] = CLI_BAD_INPUT,  [HED_NOT_FOUND] = CLI_BAD_INPUT,
        [HED_EXISTS] = CLI_BAD_INPUT, [HED_UNSUPPORTED] = CLI_BAD_INPUT,
        [HED_IO] = CLI_MACHINE,       [HED_NO_MEMORY] = CLI_MACHINE,
        [HED_STOPPED] = CLI_STOPPED,
    };
    return (unsigned)status < HED_STATUS_COUNT ? CODES[status] : CLI_MACHINE;
}

// True for "file:12:7: ...".
static bool names_place(const char* message) {
    for (const char* c = strchr(message, ':'); c; c = strchr(c + 1, ':')) {
        size_t line = strspn(c + 1, "0123456789");
        if (line == 0 || c[1 + line] != ':') {
            continue;
        }
        size_t column = strspn(c + 2 + line, "0123456789");
        if (column > 0 && c[2 + line + column] == ':') {
            return true;
        }
    }
    return false;
}

int cli_error(const HedError* error) {
    fprintf(stderr, "%s%s\n", names_place(error->message) ? "" : "heddle: ", error->message);
    return cli_exit_code(error->status);
}

int cli_fail(int exit_code, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("heddle: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return exit_code;
}

int cli_no_memory(void) {
    return cli_fail(CLI_MACHINE, "no memory");
}

static void print_note(HedLogLevel level, const char* message, void* context) {
    (void)context;
    if (level != HED_LOG_DEBUG) {
        fprintf(stderr, "heddle: note: %s\n", message);
    }
}

void cli_show_notes(void) {
    hed_log_set_hook(print_note, NULL);
}

enum { WORD_LIMIT = 64 };

// Letters to insert, delete, replace, or swap with a neighbour, to come from a to b.
static int32_t distance(const char* a, const char* b) {
    size_t n = strlen(a);
    size_t m = strlen(b);
    if (n >= WORD_LIMIT || m >= WORD_LIMIT) {
        return WORD_LIMIT;
    }
    int32_t d[WORD_LIMIT][WORD_LIMIT];
    for (size_t i = 0; i <= n; ++i) {
        d[i][0] = (int32_t)i;
    }
    for (size_t j = 0; j <= m; ++j) {
        d[0][j] = (int32_t)j;
    }
    for (size_t i = 1; i <= n; ++i) {
        for (size_t j = 1; j <= m; ++j) {
            int32_t best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            best = d[i - 1][j] + 1 < best ? d[i - 1][j] + 1 : best;
            best = d[i][j - 1] + 1 < best ? d[i][j - 1] + 1 : best;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && d[i - 2][j - 2] + 1 < best) {
                best = d[i - 2][j - 2] + 1;
            }
            d[i][j] = best;
        }
    }
    return d[n][m];
}

const char* cli_nearest(const char* word, const char* const* list, int32_t count) {
    const char* nearest = NULL;
    int32_t least = (int32_t)strlen(word) / 3 + 2;
    for (int32_t i = 0; i < count; ++i) {
        int32_t d = distance(word, list[i]);
        if (d < least) {
            least = d;
            nearest = list[i];
        }
    }
    return nearest;
}

// Reads a number at the start of text and tells where it ends; hexadecimal, nan and inf are none.
static bool leading_number(const char* text, const char** rest, double* value) {
    size_t size = strspn(text, "0123456789+-.eE");
    char* end = NULL;
    double parsed = strtod(text, &end);
    if (size == 0 || end == text || (size_t)(end - text) > size || !isfinite(parsed)) {
        return false;
    }
    *rest = end;
    *value = parsed;
    return true;
}

bool cli_number(const char* text, double* value) {
    const char* rest = NULL;
    return leading_number(text, &rest, value) && *rest == '\0';
}

bool cli_integer(const char* text, int64_t least, int64_t most, int64_t* value) {
    char* end = NULL;
    errno = 0;
    long long parsed = strtoll(text, &end, 10);
    if (end == text || *end || errno || isspace((unsigned char)text[0]) || parsed < least ||
        parsed > most) {
        return false;
    }
    *value = parsed;
    return true;
}

typedef struct Unit {
    const char* name;
    double factor;
} Unit;

// A number, optionally followed by one of the units; a NULL ends the list of them.
static bool number_with_unit(const char* text, const Unit* units, double* value) {
    const char* rest = NULL;
    double number = 0.0;
    if (!leading_number(text, &rest, &number)) {
        return false;
    }
    rest += strspn(rest, " ");
    const Unit* unit = units;
    while (unit->name && strcmp(rest, unit->name) != 0) {
        ++unit;
    }
    *value = number * unit->factor;
    return unit->name != NULL;
}

bool cli_time(const char* text, double* seconds) {
    static const Unit UNITS[] = {{"", 1.0},   {"s", 1.0},    {"ms", 1e-3}, {"us", 1e-6},
                                 {"min", 60}, {"h", 3600.0}, {NULL, 0.0}};
    return number_with_unit(text, UNITS, seconds);
}

bool cli_length(const char* text, double* metres) {
    static const Unit UNITS[] = {{"", 1.0},      {"m", 1.0},     {"cm", 1e-2}, {"mm", 1e-3},
                                 {"um", 1e-6},   {"nm", 1e-9},   {"km", 1e3},  {"in", 0.0254},
                                 {"ft", 0.3048}, {"yd", 0.9144}, {NULL, 0.0}};
    return number_with_unit(text, UNITS, metres);
}

const char* cli_number_text(double value, char buffer[CLI_NUMBER_TEXT]) {
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(buffer, CLI_NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value) {
            break;
        }
    }
    return buffer;
}

const char* cli_bytes_text(double bytes, char buffer[CLI_NUMBER_TEXT]) {
    static const char* const UNITS[] = {"B", "kB", "MB", "GB", "TB"};
    size_t unit = 0;
    while (bytes >= 1000.0 && unit + 1 < sizeof UNITS / sizeof UNITS[0]) {
        bytes /= 1000.0;
        ++unit;
    }
    snprintf(buffer, CLI_NUMBER_TEXT, unit ? "%.1f %s" : "%.0f %s", bytes, UNITS[unit]);
    return buffer;
}

char* cli_path_join(const char* directory, const char* name) {
    size_t size = strlen(directory) + strlen(name) + 2;
    char* joined = malloc(size);
    if (joined) {
        bool slash = directory[0] && directory[strlen(directory) - 1] != '/';
        snprintf(joined, size, "%s%s%s", directory, slash ? "/" : "", name);
    }
    return joined;
}

const char* cli_extension(const char* path) {
    const char* slash = strrchr(path, '/');
    const char* name = slash ? slash + 1 : path;
    const char* dot = strrchr(name, '.');
    return dot && dot != name ? dot + 1 : "";
}

bool cli_exists(const char* path) {
    struct stat info;
    return stat(path, &info) == 0;
}

bool cli_is_directory(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool cli_make_directory(const char* path) {
    char* partial = strdup(path);
    if (!partial) {
        return false;
    }
    bool ok = true;
    size_t size = strlen(partial);
    for (size_t i = 1; i <= size && ok; ++i) {
        if (partial[i] == '/' || partial[i] == '\0') {
            char kept = partial[i];
            partial[i] = '\0';
            ok = mkdir(partial, 0777) == 0 || cli_is_directory(partial);
            partial[i] = kept;
        }
    }
    free(partial);
    return ok;
}

double cli_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
