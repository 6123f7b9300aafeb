// SPDX-License-Identifier: MIT
// Reader of periodic yarn patterns (.pyp): one cell of a fabric that goes on in x and y. Sections
// of rows give the vertices and the edges between them; an edge may lead into a neighbouring cell.
// Each yarn becomes a curve once through the cells, from a vertex to its copy.
#include "base/log.h"
#include "base/words.h"
#include "io/curves.h"
#include "math/vec3.h"

#include <inttypes.h>
#include <string.h>

typedef enum SectionKind {
    SECTION_PATTERN,
    SECTION_VERTICES,
    SECTION_EDGES,
    SECTION_LENGTHS,
    SECTION_CURVATURES,
    SECTION_TWISTS,
    SECTION_DIRECTORS,
    SECTION_REFERENCE_TWISTS,
    SECTION_COUNT
} SectionKind;

enum { COLUMNS = 4, MOST_CELLS = 1 << 20 };

static const struct {
    const char* name;
    int32_t columns;
    bool is_needed;
} SECTIONS[SECTION_COUNT] = {
    {"pattern", 4, true}, {"Q", 4, true},   {"E", 4, true},      {"RL", 1, false},
    {"RK", 2, false},     {"RT", 1, false}, {"RefD1", 3, false}, {"RefT", 1, false},
};

typedef struct Edge {
    int32_t to;       // vertex; -1: the vertex has no edge yet
    int32_t cells[2]; // steps into neighbouring cells
} Edge;

typedef struct EdgeRow {
    int32_t line;
    int64_t values[COLUMNS]; // from, to, cells along x, along y
} EdgeRow;

typedef struct CellPattern {
    const char* name;
    HedTextLines lines;
    int32_t starts[SECTION_COUNT]; // lines; 0: not there
    int32_t rows[SECTION_COUNT];
    double size[2]; // of the cell
    double radius;
    int64_t declared; // vertices
    double rest;      // sum of lengths at rest
    HED_ARRAY(HedVec3) vertices;
    HED_ARRAY(EdgeRow) rows_of_edges;
    Edge* edges; // per vertex
    HedError* error;
} CellPattern;

static HedStatus fail(const CellPattern* p, const char* rule, HedSpan found) {
    return hed_fail(p->error, HED_PARSE, "%s:%d: %s, got '%s'", p->name, p->lines.number, rule,
                    hed_quote(found).text);
}

// --- Rows ------------------------------------------------------------------------------------

static HedStatus take_pattern(CellPattern* p, const double* values) {
    p->size[0] = values[0];
    p->size[1] = values[1];
    p->radius = values[2];
    bool fits = values[0] > 0.0 && values[1] > 0.0 && values[2] >= 0.0;
    if (!fits || !(values[3] >= 0.0 && values[3] <= INT32_MAX)) {
        return fail(p, "sizes of the cell must be positive, radius and count not negative",
                    hed_span_trim(p->lines.line));
    }
    p->declared = (int64_t)values[3];
    return HED_OK;
}

static HedStatus take_edge(CellPattern* p, const double* values) {
    EdgeRow row = {.line = p->lines.number};
    for (int32_t i = 0; i < COLUMNS; ++i) {
        bool fits = values[i] == floor(values[i]) && fabs(values[i]) <= INT32_MAX;
        if (!fits || (i < 2 ? values[i] < 0.0 : fabs(values[i]) > MOST_CELLS)) {
            return fail(p, "an edge is two vertices and two whole numbers of cells",
                        hed_span_trim(p->lines.line));
        }
        row.values[i] = (int64_t)values[i];
    }
    return HED_APPEND(&p->rows_of_edges, row) ? HED_OK : hed_fail_memory(p->error, p->name);
}

static HedStatus take_row(CellPattern* p, SectionKind kind, const double* values) {
    bool ok = true;
    switch (kind) {
    case SECTION_PATTERN:
        return p->rows[kind] == 1 ? take_pattern(p, values)
                                  : fail(p, "section '*pattern' has one row", p->lines.line);
    case SECTION_EDGES:
        return take_edge(p, values);
    case SECTION_VERTICES:
        ok = HED_APPEND(&p->vertices, hed_vec3(values[0], values[1], values[2]));
        break;
    case SECTION_LENGTHS:
        p->rest += values[0];
        break;
    default: // the rest state of a rod: its numbers are checked and forgotten
        break;
    }
    return ok ? HED_OK : hed_fail_memory(p->error, p->name);
}

static HedStatus read_row(CellPattern* p, SectionKind kind, HedSpan text) {
    double values[COLUMNS] = {0};
    int32_t count = 0;
    HedSpan word;
    for (HedSpan rest = text; hed_span_word(&rest, &word); ++count) {
        if (count < SECTIONS[kind].columns && !hed_span_double(word, &values[count])) {
            return fail(p, "expected a finite number", word);
        }
    }
    if (count != SECTIONS[kind].columns) {
        return hed_fail(p->error, HED_PARSE, "%s:%d: rows of section '*%s' have %d values, got %d",
                        p->name, p->lines.number, SECTIONS[kind].name, SECTIONS[kind].columns,
                        count);
    }
    ++p->rows[kind];
    return take_row(p, kind, values);
}

// A line that begins with '*'; kind is SECTION_COUNT if nobody knows it.
static HedStatus begin_section(CellPattern* p, HedSpan text, SectionKind* kind) {
    HedSpan name = hed_span_trim((HedSpan){text.data + 1, text.size - 1});
    int32_t i = 0;
    while (i < SECTION_COUNT && !hed_span_equal(name, SECTIONS[i].name)) {
        ++i;
    }
    *kind = (SectionKind)i;
    if (i == SECTION_COUNT) {
        hed_log(HED_LOG_INFO, "%s:%d: section '*%s' passed over", p->name, p->lines.number,
                hed_quote(name).text);
        return HED_OK;
    }
    if (p->starts[i] > 0) {
        return hed_fail(p->error, HED_PARSE, "%s:%d: section '*%s' again, after line %d", p->name,
                        p->lines.number, SECTIONS[i].name, p->starts[i]);
    }
    p->starts[i] = p->lines.number;
    return HED_OK;
}

static HedStatus read_lines(CellPattern* p) {
    HedStatus status = HED_OK;
    SectionKind kind = SECTION_COUNT;
    bool has_begun = false;
    while (hed_lines_next(&p->lines)) {
        HedSpan text = p->lines.line;
        const char* comment = memchr(text.data, '#', (size_t)text.size);
        text.size = comment ? (int32_t)(comment - text.data) : text.size;
        text = hed_span_trim(text);
        if (text.size == 0) {
            continue;
        }
        if (text.data[0] == '*') {
            HED_TRY(begin_section(p, text, &kind));
            has_begun = true;
        } else if (!has_begun) {
            return fail(p, "must begin with a section such as '*pattern'", text);
        } else if (kind != SECTION_COUNT) {
            HED_TRY(read_row(p, kind, text));
        }
    }
done:
    return status;
}

// --- The whole -------------------------------------------------------------------------------

static HedStatus check_counts(const CellPattern* p) {
    for (int32_t i = 0; i < SECTION_COUNT; ++i) {
        if (SECTIONS[i].is_needed && (p->starts[i] == 0 || p->rows[i] == 0)) {
            return hed_fail(p->error, HED_PARSE, "%s: has no rows of section '*%s'", p->name,
                            SECTIONS[i].name);
        }
        if (i != SECTION_PATTERN && p->starts[i] > 0 && p->rows[i] != p->declared) {
            return hed_fail(p->error, HED_PARSE,
                            "%s:%d: section '*%s' must have %" PRId64
                            " rows, as '*pattern' says, got %d",
                            p->name, p->starts[i], SECTIONS[i].name, p->declared, p->rows[i]);
        }
    }
    return HED_OK;
}

// As there are as many edges as vertices, all that is left to check is that no two edges leave the
// same vertex or lead to the same one.
static HedStatus join_edges(CellPattern* p) {
    HedStatus status = HED_OK;
    int32_t count = p->vertices.count;
    uint8_t* is_reached = HED_NEW_ARRAY(uint8_t, count);
    p->edges = HED_NEW_ARRAY(Edge, count);
    if (!is_reached || !p->edges) {
        status = hed_fail_memory(p->error, p->name);
        goto done;
    }
    for (int32_t i = 0; i < count; ++i) {
        p->edges[i].to = -1;
    }
    for (int32_t i = 0; i < count; ++i) {
        const EdgeRow* row = &p->rows_of_edges.data[i];
        int64_t from = row->values[0], to = row->values[1];
        if (from >= count || to >= count) {
            status = hed_fail(p->error, HED_PARSE,
                              "%s:%d: vertices of an edge must be below %d, got %" PRId64
                              " and %" PRId64,
                              p->name, row->line, count, from, to);
            goto done;
        }
        if (p->edges[from].to >= 0 || is_reached[to]) {
            status = hed_fail(p->error, HED_PARSE,
                              "%s:%d: a second edge %s vertex %" PRId64 "; yarns do not branch",
                              p->name, row->line, p->edges[from].to >= 0 ? "leaves" : "leads to",
                              p->edges[from].to >= 0 ? from : to);
            goto done;
        }
        is_reached[to] = 1;
        p->edges[from] = (Edge){(int32_t)to, {(int32_t)row->values[2], (int32_t)row->values[3]}};
    }
done:
    hed_free(is_reached);
    return status;
}

static HedStatus add_vertex(const CellPattern* p, HedCurveList* list, int32_t vertex,
                            const int64_t cells[2]) {
    HedVec3 x = p->vertices.data[vertex];
    x.x += (double)cells[0] * p->size[0];
    x.y += (double)cells[1] * p->size[1];
    if (!hed_is_finite3(x)) {
        return hed_fail(p->error, HED_PARSE,
                        "%s:%d: vertex %d is not finite %" PRId64 ", %" PRId64 " cells away",
                        p->name, p->starts[SECTION_VERTICES], vertex, cells[0], cells[1]);
    }
    return hed_curve_list_point(list, x) ? HED_OK : hed_fail_memory(p->error, p->name);
}

// Follows a yarn from its first vertex until it is there again: in another cell, or in the same one
// if the yarn is a ring. Edges that were used lead nowhere.
static HedStatus trace(CellPattern* p, HedCurveList* list, int32_t first) {
    HedStatus status = HED_OK;
    int64_t cells[2] = {0, 0};
    int32_t vertex = first;
    do {
        HED_TRY(add_vertex(p, list, vertex, cells));
        Edge edge = p->edges[vertex];
        p->edges[vertex].to = -1;
        cells[0] += edge.cells[0];
        cells[1] += edge.cells[1];
        vertex = edge.to;
    } while (vertex != first);
    bool is_closed = cells[0] == 0 && cells[1] == 0;
    if (!is_closed) {
        HED_TRY(add_vertex(p, list, first, cells));
    }
    HedCurve like = {.is_closed = is_closed, .radius = p->radius, .color = HED_COLOR_NONE};
    if (!hed_curve_list_end(list, like)) {
        return hed_fail_memory(p->error, p->name);
    }
done:
    return status;
}

HedStatus hed_pyp_parse(const char* data, size_t size, const char* name, HedCurves* curves,
                        HedError* error) {
    HedStatus status = HED_OK;
    HedCurveList list = {0};
    CellPattern p = {.name = name, .lines = hed_lines_begin(data, size), .error = error};
    HED_TRY(read_lines(&p));
    HED_TRY(check_counts(&p));
    HED_TRY(join_edges(&p));
    for (int32_t i = 0; i < p.vertices.count; ++i) {
        if (p.edges[i].to >= 0) {
            HED_TRY(trace(&p, &list, i));
        }
    }
    HED_TRY(hed_curve_list_finish(&list, -1, name, curves, error));
    curves->period[0] = hed_vec3(p.size[0], 0.0, 0.0);
    curves->period[1] = hed_vec3(0.0, p.size[1], 0.0);
    if (p.rows[SECTION_LENGTHS] > 0) {
        hed_log(HED_LOG_INFO,
                "%s: a cell has %.6g m of yarn at rest; what is at rest is passed over", name,
                p.rest);
    }
done:
    hed_curve_list_free(&list);
    hed_free(p.vertices.data);
    hed_free(p.rows_of_edges.data);
    hed_free(p.edges);
    return status;
}
