// SPDX-License-Identifier: MIT
// Grids and their named parts; the scenes and the reference page that ship with the program.
#include "base/alloc.h"
#include "math/vec3.h"
#include "scene/grid.h"
#include "scene/scene.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

// Of sums over some hundred cells of an area of 4.5, and of places below 1.
static const double ROUNDING = 1e-14;

static const HedGridStyle STYLES[] = {HED_GRID_QUADS, HED_GRID_DIAGONAL, HED_GRID_ALTERNATE,
                                      HED_GRID_EQUILATERAL};
static const double RELAXED[2] = {1.0, 1.0};

static HedSceneGrid make_grid(HedGridStyle style, int32_t columns, int32_t rows) {
    return (HedSceneGrid){.size = {3.0, 2.0},
                          .points = {columns, rows},
                          .origin = {1.0, 5.0, -2.0},
                          .across = {2.0, 0.0, 0.0},
                          .down = {0.0, -0.5, 0.0},
                          .style = style};
}

// Sum of the triangles' areas; every normal must point along down x across, here +z.
static double signed_area(const HedSceneGrid* grid, const double stretch[2]) {
    int64_t vertex_count = hed_grid_vertex_count(grid);
    int64_t triangle_count = hed_grid_triangle_count(grid);
    HedVec3* x = HED_NEW_ARRAY(HedVec3, vertex_count);
    int32_t* t = HED_NEW_ARRAY(int32_t, 3 * triangle_count);
    hed_grid_vertices(grid, stretch, x);
    hed_grid_triangles(grid, t);
    double area = 0.0;
    for (int64_t i = 0; i < triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            cr_assert(t[3 * i + k] >= 0 && t[3 * i + k] < vertex_count);
        }
        HedVec3 a = x[t[3 * i]];
        HedVec3 b = x[t[3 * i + 1]];
        HedVec3 c = x[t[3 * i + 2]];
        HedVec3 n = hed_cross3(hed_sub3(b, a), hed_sub3(c, a));
        cr_expect_gt(n.z, 0.0);
        area += 0.5 * n.z;
    }
    hed_free(x);
    hed_free(t);
    return area;
}

Test(grid, triangles_cover_the_rectangle_once) {
    static const double WIDER[2] = {1.5, 0.5};
    for (int s = 0; s < 4; ++s) {
        for (int32_t columns = 2; columns < 7; ++columns) {
            for (int32_t rows = 2; rows < 7; ++rows) {
                HedSceneGrid grid = make_grid(STYLES[s], columns, rows);
                // Sums of up to 72 areas of order one: far below 1e-12.
                cr_expect_float_eq(signed_area(&grid, RELAXED), 6.0, 1e-12);
                cr_expect_float_eq(signed_area(&grid, WIDER), 6.0 * 0.75, 10.0 * ROUNDING);
            }
        }
    }
}

Test(grid, corners_stand_where_they_should) {
    HedSceneGrid grid = make_grid(HED_GRID_QUADS, 4, 3);
    HedVec3 x[12];
    hed_grid_vertices(&grid, RELAXED, x);
    cr_expect(x[0].x == 1.0 && x[0].y == 5.0 && x[0].z == -2.0);
    cr_expect(x[3].x == 4.0 && x[3].y == 5.0);
    cr_expect(x[8].x == 1.0 && x[8].y == 3.0);
    cr_expect(x[5].x == 2.0 && x[5].y == 4.0);
    static const double WIDER[2] = {1.5, 0.5};
    hed_grid_vertices(&grid, WIDER, x);
    // About the middle (2.5, 4): a corner 1.5 and 1 away goes to 2.25 and 0.5.
    cr_expect(x[0].x == 0.25 && x[0].y == 4.5);
    cr_expect(x[11].x == 4.75 && x[11].y == 3.5);
}

Test(grid, equilateral_rows) {
    HedSceneGrid grid = make_grid(HED_GRID_EQUILATERAL, 4, 4);
    cr_expect_eq(hed_grid_vertex_count(&grid), 4 + 5 + 4 + 5);
    cr_expect_eq(hed_grid_row_start(&grid, 3), 13);
    HedVec3 x[18];
    hed_grid_vertices(&grid, RELAXED, x);
    const double places[] = {1.0, 1.5, 2.5, 3.5, 4.0};
    for (int i = 0; i < 5; ++i) {
        cr_expect_float_eq(x[4 + i].x, places[i], 0.1 * ROUNDING);
    }
}

typedef struct Seen {
    int32_t vertices[64];
    int32_t count;
} Seen;

static void see(void* context, int32_t vertex) {
    Seen* seen = context;
    seen->vertices[seen->count++] = vertex;
}

static void expect_part(const HedSceneGrid* grid, HedNamedPart part, int32_t count,
                        const int32_t* vertices) {
    Seen seen = {.count = 0};
    hed_grid_part(grid, part, see, &seen);
    cr_assert_eq(seen.count, count, "part %d has %d", (int)part, (int)seen.count);
    for (int32_t i = 0; i < count; ++i) {
        cr_expect_eq(seen.vertices[i], vertices[i]);
    }
}

#define PART(grid, part, ...)                                                                      \
    expect_part(grid, part, (int32_t)(sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)),         \
                (int32_t[]){__VA_ARGS__})

Test(grid, parts) {
    HedSceneGrid grid = make_grid(HED_GRID_QUADS, 3, 4);
    PART(&grid, HED_PART_TOP, 0, 1, 2);
    PART(&grid, HED_PART_BOTTOM, 9, 10, 11);
    PART(&grid, HED_PART_LEFT, 0, 3, 6, 9);
    PART(&grid, HED_PART_RIGHT, 2, 5, 8, 11);
    PART(&grid, HED_PART_CORNERS, 0, 2, 9, 11);
    PART(&grid, HED_PART_TOP_CORNERS, 0, 2);
    PART(&grid, HED_PART_BOTTOM_CORNERS, 9, 11);
    PART(&grid, HED_PART_TOP_LEFT, 0);
    PART(&grid, HED_PART_TOP_RIGHT, 2);
    PART(&grid, HED_PART_BOTTOM_LEFT, 9);
    PART(&grid, HED_PART_BOTTOM_RIGHT, 11);
    PART(&grid, HED_PART_ALL, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    expect_part(&grid, HED_PART_NONE, 0, NULL);
    HedSceneGrid shifted = make_grid(HED_GRID_EQUILATERAL, 3, 4); // rows of 3, 4, 3, 4
    PART(&shifted, HED_PART_BOTTOM, 10, 11, 12, 13);
    PART(&shifted, HED_PART_LEFT, 0, 3, 7, 10);
    PART(&shifted, HED_PART_RIGHT, 2, 6, 9, 13);
    PART(&shifted, HED_PART_CORNERS, 0, 2, 10, 13);
}

Test(grid, centred_by_default_and_pivot_in_the_middle) {
    const char* text = "heddle: 1\nsheets: [{grid: {size: [2, 4], points: [3, 3]}}]\n"
                       "pins: [{where: top}, {vertices: [8, 6], box: {min: [-9, -9, 1], max: "
                       "[0, 9, 9]}}]\n";
    HedScene* scene = NULL;
    HedError error;
    cr_assert_eq(hed_scene_parse(text, strlen(text), "s.yaml", NULL, NULL, 0, &scene, &error),
                 HED_OK, "%s", error.message);
    const HedSceneData* data = &scene->data;
    cr_expect(HED_SHEETS(data)[0].def.vertices[0].x == -1.0);
    cr_expect(HED_SHEETS(data)[0].def.vertices[0].z == -2.0);
    cr_expect_eq(HED_SHEETS(data)[0].def.grid_columns, 3);
    const HedPinDef* top = &HED_PINS(data)[0].def;
    cr_expect(top->pivot.x == 0.0 && top->pivot.z == -2.0);
    const HedPinDef* mixed = &HED_PINS(data)[1].def;
    const int32_t held[] = {6, 7, 8}; // listed 6 and 8; the box holds 6 and 7 (z = 2, x <= 0)
    cr_assert_eq(mixed->vertex_count, 3);
    cr_expect_arr_eq(mixed->vertices, held, sizeof held);
    hed_scene_destroy(scene);
}

// A file of the source tree, seen from this test.
static void tree_path(char* path, size_t size, const char* name) {
    const char* end = strstr(__FILE__, "tests/unit/");
    cr_assert_not_null(end);
    snprintf(path, size, "%.*s%s", (int)(end - __FILE__), __FILE__, name);
}

Test(grid, shipped_scenes_load_build_and_read_back) {
    static const char* const NAMES[] = {"demo", "hanging", "flag",  "curtain", "mesh", "xpbd",
                                        "pull", "swing",   "drape", "stack",   "skirt"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; ++i) {
        char name[64];
        char path[1024];
        snprintf(name, sizeof name, "scenes/%s.yaml", NAMES[i]);
        tree_path(path, sizeof path, name);
        HedScene* scene = NULL;
        HedScene* again = NULL;
        HedSim* sim = NULL;
        HedError error = {0};
        cr_assert_eq(hed_scene_load(path, NULL, 0, &scene, &error), HED_OK, "%s", error.message);
        cr_expect_str_eq(hed_scene_name(scene), NAMES[i]);
        const char* text = hed_scene_text(scene);
        cr_assert_eq(hed_scene_parse(text, strlen(text), "r.yaml", ".", NULL, 0, &again, &error),
                     HED_OK, "%s", error.message);
        cr_expect_str_eq(text, hed_scene_text(again));
        cr_assert_eq(hed_scene_build(scene, 1, &sim, &error), HED_OK, "%s", error.message);
        hed_sim_destroy(sim);
        hed_scene_destroy(again);
        hed_scene_destroy(scene);
    }
}

static void expect_documented(const HedText* page, const char* table_path) {
    const HedTable* table = hed_scene_find_table(table_path);
    cr_assert_not_null(table, "%s", table_path);
    size_t size = (size_t)table->size;
    void* record = hed_alloc(size > sizeof(HedSceneData) ? size : sizeof(HedSceneData));
    if (table->defaults) {
        table->defaults(record);
    } else if (strcmp(table_path, "output") != 0) {
        *(HedSimDef*)record = hed_sim_def_default();
    }
    HedSink rows = {0};
    hed_schema_document(table, record, &rows);
    cr_expect(strstr(page->data, rows.data), "docs/scene.md should have, for '%s':\n%s", table_path,
              rows.data);
    hed_sink_free(&rows);
    hed_free(record);
}

Test(grid, reference_page_has_every_key) {
    static const char* const PATHS[] = {"",
                                        "world",
                                        "step",
                                        "output",
                                        "sheets",
                                        "sheets.grid",
                                        "sheets.mesh",
                                        "sheets.garment",
                                        "yarns",
                                        "yarns.curves",
                                        "yarns.line",
                                        "yarns.weave",
                                        "yarns.knit",
                                        "yarns.sliding",
                                        "yarns.sliding.stretch_damping",
                                        "yarns.sliding.bend_damping",
                                        "yarns.sliding.shear_damping",
                                        "bodies",
                                        "bodies.keyframes",
                                        "pins",
                                        "pins.box",
                                        "loads",
                                        "glue",
                                        "wind",
                                        "measure",
                                        "files"};
    char path[1024];
    tree_path(path, sizeof path, "docs/scene.md");
    HedText page;
    HedError error;
    cr_assert_eq(hed_text_read(path, &page, &error), HED_OK, "%s", error.message);
    for (size_t i = 0; i < sizeof PATHS / sizeof PATHS[0]; ++i) {
        expect_documented(&page, PATHS[i]);
    }
    for (int32_t i = 0; hed_unit_name(i); ++i) {
        char word[32];
        snprintf(word, sizeof word, "`%s`", hed_unit_name(i));
        cr_expect(strstr(page.data, word), "docs/scene.md should name the unit %s", word);
    }
    hed_text_free(&page);
}
