// SPDX-License-Identifier: MIT
#include "show/table.h"
#include "base/file.h"
#include "show/buffer.h"
#include "show/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_COLUMN = 2 }; // after time and step

const char* hed_table_name(HedTableKind kind) {
    static const char* const NAMES[HED_TABLE_COUNT] = {"energy", "measure"};
    return NAMES[kind];
}

// Takes one cell off the front of a line, without quotes, into to (as long as the rest of the line
// at least); false at the end of the line. *at goes behind the comma, or behind the end.
static bool take_cell(const char** at, const char* end, char* to) {
    const char* c = *at;
    if (c > end) {
        return false;
    }
    bool is_quoted = c < end && *c == '"';
    c += is_quoted;
    while (c < end && (is_quoted || *c != ',')) {
        if (is_quoted && *c == '"') {
            is_quoted = c + 1 < end && c[1] == '"';
            c += 1;
            if (!is_quoted) {
                continue;
            }
        }
        *to++ = *c++;
    }
    *to = '\0';
    *at = c + 1;
    return true;
}

// The line that begins at *next and goes up to a line feed; false if there is no whole one.
static bool take_line(const char** next, const char* end, HedSpan* line) {
    const char* feed = memchr(*next, '\n', (size_t)(end - *next));
    if (!feed) {
        return false;
    }
    const char* last = feed > *next && feed[-1] == '\r' ? feed - 1 : feed;
    *line = (HedSpan){*next, (int32_t)(last - *next)};
    *next = feed + 1;
    return true;
}

static bool read_names(HedSpan line, HedTableData* table) {
    const char* at = line.data;
    char* to = table->names;
    while (take_cell(&at, line.data + line.size, to)) {
        if (!HED_APPEND(&table->columns, (int32_t)(to - table->names))) {
            return false;
        }
        to += strlen(to) + 1;
    }
    return true;
}

// Appends the numbers of a line; *is_row is false if they are not as many as there are columns.
static bool read_row(HedSpan line, char* cell, HedTableData* table, bool* is_row) {
    const char* at = line.data;
    int32_t before = table->cells.count;
    while (take_cell(&at, line.data + line.size, cell)) {
        double value = 0.0;
        HedSpan span = {cell, (int32_t)strlen(cell)};
        if (!HED_APPEND(&table->cells, hed_span_double(span, &value) ? value : (double)NAN)) {
            return false;
        }
    }
    *is_row = table->cells.count - before == table->columns.count;
    table->cells.count = *is_row ? table->cells.count : before;
    return true;
}

HedStatus hed_table_parse(const char* data, size_t size, const char* name, HedTableData* table,
                          HedError* error) {
    HedStatus status = HED_OK;
    const char* next = data;
    const char* end = data + size;
    HedSpan line = {0};
    *table = (HedTableData){0};
    char* cell = hed_alloc(size + 1);
    // A name is never longer than its cell and the comma or the line's end behind it.
    table->names = hed_alloc(size + 1);
    bool ok = cell && table->names;
    if (ok && take_line(&next, end, &line)) {
        ok = read_names(line, table);
    }
    for (bool is_row = true; ok && is_row && take_line(&next, end, &line);) {
        ok = read_row(line, cell, table, &is_row);
    }
    hed_free(cell);
    if (!ok) {
        hed_table_free(table);
        status = hed_fail_memory(error, name);
    }
    return status;
}

void hed_table_free(HedTableData* table) {
    hed_free(table->names);
    hed_free(table->columns.data);
    hed_free(table->cells.data);
    *table = (HedTableData){0};
}

static HedStatus load_table(const HedShow* show, HedTableKind kind, HedTableData* table,
                            HedError* error) {
    HedStatus status = HED_OK;
    HedText text = {0};
    char file[32];
    snprintf(file, sizeof file, "%s.csv", hed_table_name(kind));
    char* path = hed_path_join(show->path, file);
    if (!path) {
        return hed_fail_memory(error, show->path);
    }
    HED_TRY(hed_text_read(path, &text, error));
    HED_TRY(hed_table_parse(text.data, text.size, path, table, error));
done:
    hed_text_free(&text);
    hed_free(path);
    return status;
}

bool hed_show_has_table(const HedShow* show, HedTableKind kind) {
    HedTableData table = {0};
    bool has = show->run && load_table(show, kind, &table, NULL) == HED_OK &&
               table.columns.count > FIRST_COLUMN;
    hed_table_free(&table);
    return has;
}

// The scene of the run, read when it is first asked for; NULL if that is no longer possible (a mesh
// was moved away).
static const HedScene* scene_of(HedShow* show) {
    if (!show->is_scene_read) {
        char* path = hed_path_join(show->path, "scene.yaml");
        if (path) {
            hed_scene_load(path, NULL, 0, &show->scene, NULL);
        }
        hed_free(path);
        show->is_scene_read = true;
    }
    return show->scene;
}

// What the column of measure.csv is counted in.
static const char* measure_column_unit(const HedScene* scene, int32_t column) {
    int32_t first = FIRST_COLUMN;
    for (int32_t i = 0; scene && i < hed_scene_measure_count(scene); ++i) {
        HedMeasureKind kind = hed_scene_measure(scene, NULL, i).kind;
        if (column >= first && column < first + hed_measure_width(kind)) {
            return hed_measure_unit(kind, column - first);
        }
        first += hed_measure_width(kind);
    }
    return "";
}

static const char* column_unit(HedShow* show, HedTableKind kind, int32_t column) {
    if (column < FIRST_COLUMN) {
        return column == 0 ? "s" : "";
    }
    return kind == HED_TABLE_ENERGY ? "J" : measure_column_unit(scene_of(show), column);
}

// One row belongs to each frame.
static void put_rows(const HedShow* show, const HedTableData* table, int32_t first,
                     HedMessage* message) {
    int32_t columns = table->columns.count;
    int32_t rows = columns > 0 ? table->cells.count / columns : 0;
    int32_t source = hed_show_source(show, first);
    for (int32_t row = first; source >= 0 && source < rows; ++row) {
        hed_json_raw(message, row > first ? ", [" : "[");
        for (int32_t i = 0; i < columns; ++i) {
            hed_json_raw(message, i ? ", " : "");
            hed_json_number(message, table->cells.data[(int64_t)source * columns + i]);
        }
        hed_json_raw(message, "]");
        source = hed_show_source(show, row + 1);
    }
}

static HedStatus find_table(const HedShow* show, const char* name, HedTableKind* kind,
                            HedError* error) {
    for (int32_t i = 0; show->run && i < HED_TABLE_COUNT; ++i) {
        if (strcmp(name, hed_table_name((HedTableKind)i)) == 0) {
            *kind = (HedTableKind)i;
            return HED_OK;
        }
    }
    return hed_fail(error, HED_NOT_FOUND, "%s: has no table '%s'", show->path, name);
}

HedStatus hed_show_encode_table(HedShow* show, int32_t run, const char* name, int32_t first,
                                HedBuffer* out, HedError* error) {
    HedStatus status = HED_OK;
    HedTableKind kind = HED_TABLE_ENERGY;
    HedTableData table = {0};
    HedMessage message = hed_message_begin(out);
    if (first < 0) {
        status =
            hed_fail(error, HED_INVALID, "%s: the first row must not be negative, got %" PRId32,
                     show->path, first);
        goto done;
    }
    HED_TRY(find_table(show, name, &kind, error));
    HED_TRY(load_table(show, kind, &table, error));
    hed_json_raw(&message, "{\"type\": \"table\", \"run\": ");
    hed_json_number(&message, run);
    hed_json_raw(&message, ", \"name\": ");
    hed_json_string(&message, name);
    hed_json_raw(&message, ", \"first\": ");
    hed_json_number(&message, first);
    hed_json_raw(&message, ", \"columns\": [");
    for (int32_t i = 0; i < table.columns.count; ++i) {
        hed_json_raw(&message, i ? ", " : "");
        hed_json_string(&message, table.names + table.columns.data[i]);
    }
    hed_json_raw(&message, "], \"units\": [");
    for (int32_t i = 0; i < table.columns.count; ++i) {
        hed_json_raw(&message, i ? ", " : "");
        hed_json_string(&message, column_unit(show, kind, i));
    }
    hed_json_raw(&message, "], \"rows\": [");
    put_rows(show, &table, first, &message);
    hed_json_raw(&message, "]}");
done:
    hed_table_free(&table);
    return hed_message_end(&message, status, show->path, error);
}
