// SPDX-License-Identifier: MIT
#include "model/sheet/sheet.h"
#include "geom/order.h"
#include "geom/topology.h"
#include "model/sheet/continuum.h"
#include "model/sheet/links.h"

#include <string.h>

static const char* name_of(const HedSheetDef* def) {
    return def->name ? def->name : "sheet";
}

typedef struct Rule {
    const char* what;
    double value;
    bool may_be_zero;
} Rule;

static HedStatus check_values(const HedSheetDef* def, HedError* error) {
    const Rule rules[] = {
        {"density", def->density, false},
        {"stretch", def->stretch, true},
        {"shear", def->shear, true},
        {"bend_stretch", def->bend_stretch, true},
        {"bend_rigidity", def->bend_rigidity, true},
        {"weft", def->weft, true},
        {"damping", def->damping, true},
        {"dilation_damping", def->dilation_damping, true},
        {"shear_damping", def->shear_damping, true},
        {"thickness", def->thickness, true},
        {"sewing_time", def->sewing_time, true},
    };
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; ++k) {
        double value = rules[k].value;
        bool ok = isfinite(value) && (value > 0.0 || (rules[k].may_be_zero && value == 0.0));
        if (!ok) {
            return hed_fail(error, HED_INVALID, "sheet '%s': '%s' must be %s, got %g", name_of(def),
                            rules[k].what, rules[k].may_be_zero ? "zero or more" : "positive",
                            value);
        }
    }
    if (!hed_is_finite3(def->velocity) || !hed_is_finite3(def->warp)) {
        return hed_fail(error, HED_INVALID, "sheet '%s': 'velocity' and 'warp' must be finite",
                        name_of(def));
    }
    if ((unsigned)def->bending >= HED_BENDING_COUNT) {
        return hed_fail(error, HED_INVALID, "sheet '%s': there is no kind of bending %d",
                        name_of(def), (int)def->bending);
    }
    if ((unsigned)def->model >= HED_SHEET_MODEL_COUNT) {
        return hed_fail(error, HED_INVALID, "sheet '%s': there is no model %d", name_of(def),
                        (int)def->model);
    }
    if (!(def->bend_damping >= 0.0)) {
        return hed_fail(error, HED_INVALID,
                        "sheet '%s': 'bend_damping' must be zero or more, got %g", name_of(def),
                        def->bend_damping);
    }
    if ((unsigned)def->damping_model >= HED_DAMPING_MODEL_COUNT) {
        return hed_fail(error, HED_INVALID, "sheet '%s': there is no model of damping %d",
                        name_of(def), (int)def->damping_model);
    }
    return def->model == HED_SHEET_MEMBRANE ? hed_membrane_check(def, error) : HED_OK;
}

static HedStatus check_vertices(const HedSheetDef* def, const HedVec3* vertices, HedError* error) {
    for (int32_t i = 0; i < def->vertex_count; ++i) {
        if (!hed_is_finite3(vertices[i])) {
            return hed_fail(error, HED_INVALID, "sheet '%s': vertex %d is not finite", name_of(def),
                            i);
        }
    }
    return HED_OK;
}

static HedStatus check_def(const HedSheetDef* def, HedError* error) {
    HedStatus status = HED_OK;
    if (def->vertex_count < 1 || !def->vertices) {
        return hed_fail(error, HED_INVALID, "sheet '%s' has no vertices", name_of(def));
    }
    if (def->triangle_count < 1 || !def->triangles) {
        return hed_fail(error, HED_INVALID, "sheet '%s' has no triangles", name_of(def));
    }
    int64_t cells = (int64_t)def->grid_columns * def->grid_rows;
    bool is_mesh = def->grid_columns == 0 && def->grid_rows == 0;
    if (!is_mesh && (def->grid_columns < 2 || def->grid_rows < 2 || cells != def->vertex_count)) {
        return hed_fail(error, HED_INVALID,
                        "sheet '%s': a grid of %d x %d does not fit its %d vertices", name_of(def),
                        def->grid_columns, def->grid_rows, def->vertex_count);
    }
    HED_TRY(check_values(def, error));
    HED_TRY(check_vertices(def, def->vertices, error));
    if (def->rest_vertices) {
        HED_TRY(check_vertices(def, def->rest_vertices, error));
    }
    for (int64_t k = 0; def->material && k < 6 * (int64_t)def->triangle_count; ++k) {
        if (!isfinite(def->material[k])) {
            return hed_fail(error, HED_INVALID,
                            "sheet '%s': a material coordinate of triangle %d is not finite",
                            name_of(def), (int32_t)(k / 6));
        }
    }
    for (int64_t k = 0; def->rest_angles && k < 3 * (int64_t)def->triangle_count; ++k) {
        if (!(fabs(def->rest_angles[k]) <= 3.1415926535897932)) {
            return hed_fail(error, HED_INVALID,
                            "sheet '%s': rest angles must lie between -pi and pi, got %g at side "
                            "%d of triangle %d",
                            name_of(def), def->rest_angles[k], (int)(k % 3), (int32_t)(k / 3));
        }
    }
done:
    return status;
}

static int32_t wind_triangle_count(const HedSheetDef* def) {
    bool is_grid = def->grid_columns > 0;
    return is_grid ? 4 * (def->grid_columns - 1) * (def->grid_rows - 1) : def->triangle_count;
}

// Each quad of a grid as four triangles, two for either diagonal.
static void cut_both_ways(const HedSheetDef* def, int32_t* triangles) {
    int32_t n = def->grid_columns;
    for (int32_t row = 0; row + 1 < def->grid_rows; ++row) {
        for (int32_t column = 0; column + 1 < n; ++column) {
            int32_t a = row * n + column;
            const int32_t four[12] = {a, a + n, a + 1,     a + 1, a + n,     a + n + 1,
                                      a, a + n, a + n + 1, a,     a + n + 1, a + 1};
            memcpy(triangles, four, sizeof four);
            triangles += 12;
        }
    }
}

static HedStatus allocate(const HedSheetDef* def, HedSheetParts* parts, HedError* error) {
    int32_t n = def->vertex_count;
    parts->point_count = n;
    parts->order = HED_NEW_ARRAY(int32_t, n);
    parts->place = HED_NEW_ARRAY(int32_t, n);
    parts->area = HED_NEW_ARRAY(double, n);
    parts->triangles = HED_NEW_ARRAY(int32_t, 3 * (int64_t)def->triangle_count);
    parts->triangle_count = def->triangle_count;
    parts->wind_count = wind_triangle_count(def);
    parts->wind_triangles = HED_NEW_ARRAY(int32_t, 3 * (int64_t)parts->wind_count);
    bool ok =
        parts->order && parts->place && parts->area && parts->triangles && parts->wind_triangles;
    return ok ? HED_OK : hed_fail_memory(error, "a sheet");
}

// Areas of the def's vertices at rest, all positive, so that every point has mass. areas: of its
// triangles.
static HedStatus find_areas(const HedSheetDef* def, const HedVec3* rest, const double* areas,
                            double* area, HedError* error) {
    hed_vertex_areas(def->triangles, def->triangle_count, areas, def->vertex_count, area);
    if (def->grid_columns > 0 && def->model == HED_SHEET_SPRINGS) {
        hed_grid_areas(def, rest, area); // the diagonals of its triangles must not show
    }
    for (int32_t i = 0; i < def->vertex_count; ++i) {
        if (!(area[i] > 0.0 && isfinite(area[i]))) {
            return hed_fail(error, HED_INVALID,
                            "sheet '%s': vertex %d belongs to no triangle with an area",
                            name_of(def), i);
        }
    }
    return HED_OK;
}

static HedStatus copy_edges(const HedTopology* topology, HedSheetParts* parts, HedError* error) {
    parts->edges = HED_NEW_ARRAY(int32_t, 2 * (int64_t)topology->edge_count);
    if (!parts->edges) {
        return hed_fail_memory(error, "edges");
    }
    parts->edge_count = topology->edge_count;
    for (int32_t e = 0; e < topology->edge_count; ++e) {
        parts->edges[2 * e] = topology->edges[e].a;
        parts->edges[2 * e + 1] = topology->edges[e].b;
    }
    return HED_OK;
}

static void swap_if_falling(int32_t* a, int32_t* b) {
    if (*a > *b) {
        int32_t kept = *a;
        *a = *b;
        *b = kept;
    }
}

// From the def's numbering to that of points.
static void renumber(const HedSheetDef* def, HedSheetParts* parts, const double* area) {
    for (int32_t k = 0; k < parts->point_count; ++k) {
        parts->place[parts->order[k]] = k;
        parts->area[k] = area[parts->order[k]];
    }
    for (int32_t k = 0; k < 3 * def->triangle_count; ++k) {
        parts->triangles[k] = parts->place[def->triangles[k]];
    }
    if (def->grid_columns > 0) {
        cut_both_ways(def, parts->wind_triangles);
    } else {
        size_t bytes = 3 * sizeof(int32_t) * (size_t)def->triangle_count;
        memcpy(parts->wind_triangles, def->triangles, bytes);
    }
    for (int32_t k = 0; k < 3 * parts->wind_count; ++k) {
        parts->wind_triangles[k] = parts->place[parts->wind_triangles[k]];
    }
    for (int32_t k = 0; k < 2 * parts->edge_count; ++k) {
        parts->edges[k] = parts->place[parts->edges[k]];
    }
    for (int32_t k = 0; k < parts->springs.count; ++k) {
        HedSpring* spring = &parts->springs.data[k];
        spring->a = parts->place[spring->a];
        spring->b = parts->place[spring->b];
        swap_if_falling(&spring->a, &spring->b);
    }
    for (int32_t k = 0; k < parts->curves.count; ++k) {
        for (int m = 0; m < 3; ++m) {
            parts->curves.data[k].point[m] = parts->place[parts->curves.data[k].point[m]];
        }
    }
    for (int32_t k = 0; k < parts->membranes.count; ++k) {
        for (int m = 0; m < 3; ++m) {
            parts->membranes.data[k].point[m] = parts->place[parts->membranes.data[k].point[m]];
        }
    }
    for (int32_t k = 0; k < parts->shells.count; ++k) {
        for (int m = 0; m < HED_SHELL_POINTS; ++m) {
            parts->shells.data[k].point[m] = parts->place[parts->shells.data[k].point[m]];
        }
    }
}

// The elements between points: membranes or springs, and those that resist bending.
static HedStatus create_elements(const HedSheetDef* def, const HedVec3* rest,
                                 const HedTopology* topology, HedSheetParts* parts, double* area,
                                 HedError* error) {
    HedStatus status = HED_OK;
    HedSheetDef links = *def;
    double* areas = HED_NEW_ARRAY(double, def->triangle_count);
    if (!areas) {
        return hed_fail_memory(error, "triangle areas");
    }
    if (def->model == HED_SHEET_MEMBRANE) {
        HED_TRY(hed_membranes_create(def, rest, parts, areas, error));
        links.stretch = links.shear = 0.0; // only what resists bending is left for springs
    } else {
        hed_triangle_areas(rest, def->triangles, def->triangle_count, areas);
    }
    HED_TRY(find_areas(def, rest, areas, area, error));
    if (def->grid_columns > 0) {
        HED_TRY(hed_links_from_grid(&links, rest, area, parts, error));
    } else {
        HED_TRY(hed_links_from_mesh(&links, rest, area, topology, parts, error));
    }
    HED_TRY(hed_shells_create(def, rest, topology, parts, error));
done:
    hed_free(areas);
    return status;
}

HedStatus hed_sheet_parts_create(const HedSheetDef* def, HedSheetParts* parts, HedError* error) {
    HedStatus status = HED_OK;
    HedTopology topology = {0};
    *parts = (HedSheetParts){0};
    const HedVec3* rest = def->rest_vertices ? def->rest_vertices : def->vertices;
    double* area = NULL;
    HED_TRY(check_def(def, error));
    area = HED_NEW_ARRAY(double, def->vertex_count);
    if (!area) {
        status = hed_fail_memory(error, "a sheet");
        goto done;
    }
    HED_TRY(allocate(def, parts, error));
    HED_TRY(hed_topology_create(def->triangles, def->triangle_count, def->vertex_count, &topology,
                                error)); // refuses bad triangles
    HED_TRY(copy_edges(&topology, parts, error));
    HED_TRY(create_elements(def, rest, &topology, parts, area, error));
    HED_TRY(hed_order_hilbert(rest, def->vertex_count, parts->order, error));
    renumber(def, parts, area);
done:
    hed_topology_free(&topology);
    hed_free(area);
    if (status != HED_OK) {
        hed_sheet_parts_free(parts);
    }
    return status;
}

void hed_sheet_parts_free(HedSheetParts* parts) {
    hed_free(parts->order);
    hed_free(parts->place);
    hed_free(parts->area);
    hed_free(parts->triangles);
    hed_free(parts->wind_triangles);
    hed_free(parts->edges);
    hed_free(parts->springs.data);
    hed_free(parts->curves.data);
    hed_free(parts->membranes.data);
    hed_free(parts->shells.data);
    *parts = (HedSheetParts){0};
}
