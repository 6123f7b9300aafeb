// SPDX-License-Identifier: MIT
// Nearly straight stretches of two edges, along which a sheet's curvature is measured.
#include "base/alloc.h"
#include "base/array.h"
#include "geom/sort.h"
#include "geom/topology.h"
#include "math/vec3.h"

enum { MIDDLE_VALENCE = 64 };

static const double COS_35_DEGREES = 0.81915204428899178968;

typedef HED_ARRAY(HedLine) LineArray;

// Scratch of the search from one vertex a. Marks hold a + 1, so they need no clearing.
typedef struct VertexSearch {
    int32_t* excluded; // per vertex: mark if joined to a or opposite across a hinge
    int32_t* seen;     // per vertex: mark if two edges from a
    int32_t* middle;   // per seen vertex
    double* nearness;  // per seen vertex: squared distance of middle to the midpoint, m^2
    int32_t* found;    // the seen vertices
    int32_t found_count;
    int32_t* partner_start; // vertex_count + 1
    int32_t* partners;      // for each vertex those of higher number opposite across a hinge
} VertexSearch;

static HedStatus search_create(const HedTopology* topology, VertexSearch* search, HedError* error) {
    int64_t n = topology->vertex_count;
    *search = (VertexSearch){
        .excluded = HED_NEW_ARRAY(int32_t, n),
        .seen = HED_NEW_ARRAY(int32_t, n),
        .middle = HED_NEW_ARRAY(int32_t, n),
        .nearness = HED_NEW_ARRAY(double, n),
        .found = HED_NEW_ARRAY(int32_t, n),
        .partner_start = HED_NEW_ARRAY(int32_t, n + 2),
        .partners = HED_NEW_ARRAY(int32_t, topology->hinge_count),
    };
    bool ok = search->excluded && search->seen && search->middle && search->nearness &&
              search->found && search->partner_start && search->partners;
    if (!ok) {
        return hed_fail_memory(error, "mesh lines");
    }
    // Sizes go two places up, so that filling leaves the starts where they belong.
    int32_t* start = search->partner_start;
    for (int32_t h = 0; h < topology->hinge_count; ++h) {
        const HedHinge* hinge = &topology->hinges[h];
        ++start[(hinge->c < hinge->d ? hinge->c : hinge->d) + 2];
    }
    for (int64_t v = 1; v <= n; ++v) {
        start[v + 1] += start[v];
    }
    for (int32_t h = 0; h < topology->hinge_count; ++h) {
        const HedHinge* hinge = &topology->hinges[h];
        bool rises = hinge->c < hinge->d;
        search->partners[start[(rises ? hinge->c : hinge->d) + 1]++] = rises ? hinge->d : hinge->c;
    }
    return HED_OK;
}

static void search_free(VertexSearch* search) {
    hed_free(search->excluded);
    hed_free(search->seen);
    hed_free(search->middle);
    hed_free(search->nearness);
    hed_free(search->found);
    hed_free(search->partner_start);
    hed_free(search->partners);
}

static int32_t neighbour_of(const HedTopology* topology, int32_t vertex, int32_t place) {
    return hed_edge_other(&topology->edges[topology->incident_edges[place]], vertex);
}

static void mark_excluded(const HedTopology* topology, VertexSearch* search, int32_t a) {
    for (int32_t i = topology->incident_start[a]; i < topology->incident_start[a + 1]; ++i) {
        search->excluded[neighbour_of(topology, a, i)] = a + 1;
    }
    for (int32_t i = search->partner_start[a]; i < search->partner_start[a + 1]; ++i) {
        search->excluded[search->partners[i]] = a + 1;
    }
}

// Looks at all c > a that have m as a common neighbour with a.
static void visit_middle(const HedTopology* topology, const HedVec3* x, VertexSearch* search,
                         int32_t a, int32_t m) {
    for (int32_t i = topology->incident_start[m]; i < topology->incident_start[m + 1]; ++i) {
        int32_t c = neighbour_of(topology, m, i);
        if (c <= a || search->excluded[c] == a + 1) {
            continue;
        }
        HedVec3 gap = hed_sub3(x[m], hed_lerp3(x[a], x[c], 0.5));
        double nearness = hed_dot3(gap, gap);
        bool is_new = search->seen[c] != a + 1;
        if (is_new) {
            search->seen[c] = a + 1;
            search->found[search->found_count++] = c;
        }
        if (is_new || nearness < search->nearness[c]) {
            search->middle[c] = m;
            search->nearness[c] = nearness;
        }
    }
}

static bool is_straight(HedVec3 a, HedVec3 m, HedVec3 c) {
    HedVec3 u = hed_sub3(a, m);
    HedVec3 v = hed_sub3(c, m);
    double lengths = hed_norm3(u) * hed_norm3(v);
    return lengths > 0.0 && hed_dot3(u, v) <= -COS_35_DEGREES * lengths;
}

static bool collect_from(const HedTopology* topology, const HedVec3* x, VertexSearch* search,
                         int32_t a, LineArray* lines) {
    const int32_t* start = topology->incident_start;
    search->found_count = 0;
    mark_excluded(topology, search, a);
    for (int32_t i = start[a]; i < start[a + 1]; ++i) {
        int32_t m = neighbour_of(topology, a, i);
        if (start[m + 1] - start[m] <= MIDDLE_VALENCE) {
            visit_middle(topology, x, search, a, m);
        }
    }
    for (int32_t i = 0; i < search->found_count; ++i) {
        int32_t c = search->found[i];
        int32_t m = search->middle[c];
        if (is_straight(x[a], x[m], x[c]) && !HED_APPEND(lines, (HedLine){a, m, c})) {
            return false;
        }
    }
    return true;
}

// The order in which pairs were found is fixed but not sorted by c.
static HedStatus sort_lines(const LineArray* found, int32_t vertex_count, HedLine** lines,
                            HedError* error) {
    HedStatus status = HED_OK;
    HedLine* sorted = HED_NEW_ARRAY(HedLine, found->count);
    HedSortItem* items = HED_NEW_ARRAY(HedSortItem, found->count);
    if (!sorted || !items) {
        HED_TRY(hed_fail_memory(error, "mesh lines"));
    }
    for (int32_t i = 0; i < found->count; ++i) {
        HedLine line = found->data[i];
        items[i].key = (uint64_t)line.a * (uint64_t)vertex_count + (uint64_t)line.c;
        items[i].value = i;
    }
    HED_TRY(hed_sort_items(items, found->count, error));
    for (int32_t i = 0; i < found->count; ++i) {
        sorted[i] = found->data[items[i].value];
    }
    *lines = sorted;
    sorted = NULL;
done:
    hed_free(items);
    hed_free(sorted);
    return status;
}

HedStatus hed_topology_lines(const HedTopology* topology, const HedVec3* positions, HedLine** lines,
                             int32_t* line_count, HedError* error) {
    *lines = NULL;
    *line_count = 0;
    for (int32_t v = 0; v < topology->vertex_count; ++v) {
        if (!hed_is_finite3(positions[v])) {
            return hed_fail(error, HED_INVALID, "vertex %d must be finite, got (%g, %g, %g)", v,
                            positions[v].x, positions[v].y, positions[v].z);
        }
    }
    VertexSearch search = {0};
    LineArray found = {0};
    HedStatus status = HED_OK;
    HED_TRY(search_create(topology, &search, error));
    for (int32_t a = 0; a < topology->vertex_count; ++a) {
        if (!collect_from(topology, positions, &search, a, &found)) {
            HED_TRY(hed_fail_memory(error, "mesh lines"));
        }
    }
    HED_TRY(sort_lines(&found, topology->vertex_count, lines, error));
    *line_count = found.count;
done:
    search_free(&search);
    hed_free(found.data);
    return status;
}
