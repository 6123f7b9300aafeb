// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "cli/table.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COLUMN_LIMIT = 4096 };

// A plain file: a pipe without a writer would make us wait for ever.
static FILE* open_file(const char* path) {
    int number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    if (number >= 0 && (fstat(number, &info) != 0 || !S_ISREG(info.st_mode))) {
        close(number);
        errno = EINVAL;
        return NULL;
    }
    return number >= 0 ? fdopen(number, "rb") : NULL;
}

static int read_text(const char* path, char** text) {
    FILE* file = open_file(path);
    if (!file && errno == EINVAL) {
        return cli_fail(CLI_BAD_INPUT, "%s: is no plain file", path);
    }
    if (!file) {
        int code = errno == ENOENT || errno == ENOTDIR ? CLI_BAD_INPUT : CLI_MACHINE;
        return cli_fail(code, "%s: %s", path, strerror(errno));
    }
    size_t size = 0;
    size_t capacity = 1 << 16;
    char* data = malloc(capacity);
    while (data) {
        size += fread(data + size, 1, capacity - size - 1, file);
        if (size + 1 < capacity) {
            break;
        }
        capacity *= 2;
        char* grown = realloc(data, capacity);
        if (!grown) {
            free(data);
        }
        data = grown;
    }
    bool failed = ferror(file) != 0;
    fclose(file);
    if (!data) {
        return cli_no_memory();
    }
    data[size] = '\0';
    *text = data;
    return failed ? cli_fail(CLI_MACHINE, "%s: cannot be read", path) : CLI_GO;
}

// Takes the next cell off a line and ends it with 0; quotes are taken away. NULL at the end.
static char* next_cell(char** rest) {
    char* cell = *rest;
    if (!cell) {
        return NULL;
    }
    char* to = cell;
    char* from = cell;
    bool quoted = *from == '"';
    from += quoted;
    while (*from && (quoted || *from != ',')) {
        if (quoted && *from == '"') {
            if (from[1] != '"') {
                quoted = false;
                ++from;
                continue;
            }
            ++from;
        }
        *to++ = *from++;
    }
    *rest = *from ? from + 1 : NULL;
    *to = '\0';
    return cell;
}

static char* next_line(char** rest) {
    char* line = *rest;
    char* end = strchr(line, '\n');
    if (!end) {
        return NULL;
    }
    *end = '\0';
    if (end > line && end[-1] == '\r') {
        end[-1] = '\0';
    }
    *rest = end + 1;
    return line;
}

static int read_head(const char* path, char* line, CliTable* table) {
    table->names = calloc(COLUMN_LIMIT, sizeof *table->names);
    if (!table->names) {
        return cli_no_memory();
    }
    char* cell = NULL;
    while ((cell = next_cell(&line)) != NULL) {
        if (table->column_count == COLUMN_LIMIT) {
            return cli_fail(CLI_BAD_INPUT, "%s:1: more than %d columns", path, COLUMN_LIMIT);
        }
        table->names[table->column_count++] = cell;
    }
    return CLI_GO;
}

static int read_row(const char* path, int32_t line_number, char* line, CliTable* table) {
    double* row = table->values + (size_t)table->row_count * (size_t)table->column_count;
    for (int32_t i = 0; i < table->column_count; ++i) {
        const char* cell = next_cell(&line);
        row[i] = (double)NAN;
        if (!cell || (cell[0] && !cli_number(cell, &row[i]))) {
            return cli_fail(CLI_BAD_INPUT, "%s:%d: '%s' should be a number, got '%s'", path,
                            (int)line_number, table->names[i], cell ? cell : "nothing");
        }
    }
    table->row_count += 1;
    return CLI_GO;
}

static int read_rows(const char* path, char* rest, CliTable* table) {
    size_t lines = 0;
    for (const char* c = rest; (c = strchr(c, '\n')) != NULL; ++c) {
        ++lines;
    }
    if (lines > INT32_MAX / 2) {
        return cli_fail(CLI_BAD_INPUT, "%s: too many lines", path);
    }
    table->values = calloc(lines * (size_t)table->column_count + 1, sizeof *table->values);
    if (!table->values) {
        return cli_no_memory();
    }
    char* line = NULL;
    int32_t number = 1;
    while ((line = next_line(&rest)) != NULL) {
        int code = read_row(path, ++number, line, table);
        if (code != CLI_GO) {
            return code;
        }
    }
    return CLI_GO;
}

int cli_table_load(const char* path, CliTable* table) {
    *table = (CliTable){0};
    int code = read_text(path, &table->text);
    if (code == CLI_GO) {
        char* rest = table->text;
        char* head = next_line(&rest);
        code = head ? read_head(path, head, table)
                    : cli_fail(CLI_BAD_INPUT, "%s: has no head line", path);
        if (code == CLI_GO) {
            code = read_rows(path, rest, table);
        }
    }
    if (code != CLI_GO) {
        cli_table_free(table);
    }
    return code;
}

void cli_table_free(CliTable* table) {
    free(table->text);
    free(table->names);
    free(table->values);
    *table = (CliTable){0};
}

int32_t cli_table_column(const CliTable* table, const char* name) {
    for (int32_t i = 0; i < table->column_count; ++i) {
        if (strcmp(table->names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}
