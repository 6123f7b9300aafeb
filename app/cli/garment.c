// SPDX-License-Identifier: MIT
// Facts about garments, and garments as meshes: placed panels, flat ones side by side, or welded.
#include "cli/garment.h"
#include "cli/box.h"
#include "cli/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DEGREES = 57.29577951308232;

static double size_or_default(double size) {
    return size > 0.0 ? size : hed_garment_def_default().target_size;
}

// --- info ---

static void put_panels(Json* json, const HedGarment* g) {
    json_array(json, "panels");
    for (int32_t i = 0; i < g->panel_count; ++i) {
        const HedPanel* p = g->panels + i;
        json_object(json, NULL);
        json_text(json, "name", p->name);
        json_integer(json, "edges", p->edge_count);
        json_integer(json, "vertices", p->vertex_count);
        json_integer(json, "triangles", p->triangle_count);
        json_number(json, "area", p->area);
        json_number(json, "least_angle_deg", p->least_angle * DEGREES);
        json_number(json, "mean_quality", p->mean_quality);
        Box box = {0};
        box_add(&box, p->positions, p->vertex_count);
        box_put(json, "box", &box);
        json_end(json);
    }
    json_end(json);
}

static void put_seams(Json* json, const HedGarment* g) {
    json_array(json, "seams");
    for (int32_t i = 0; i < g->seam_count; ++i) {
        const HedSeam* s = g->seams + i;
        json_object(json, NULL);
        json_array(json, "panels");
        json_text(json, NULL, g->panels[s->sides[0].panel].name);
        json_text(json, NULL, g->panels[s->sides[1].panel].name);
        json_end(json);
        json_array(json, "edges");
        json_integer(json, NULL, s->sides[0].edge);
        json_integer(json, NULL, s->sides[1].edge);
        json_end(json);
        json_array(json, "lengths");
        json_number(json, NULL, s->lengths[0]);
        json_number(json, NULL, s->lengths[1]);
        json_end(json);
        json_number(json, "ratio", s->ratio);
        json_number(json, "angle_deg", s->angle * DEGREES);
        json_integer(json, "points", s->point_count);
        json_end(json);
    }
    json_end(json);
}

static void print_json(const char* path, const HedGarment* g, const HedGarmentMesh* welded) {
    Json json = json_begin(stdout);
    json_text(&json, "kind", "garment");
    json_text(&json, "path", path);
    json_number(&json, "target_size", g->target_size);
    put_panels(&json, g);
    put_seams(&json, g);
    json_integer(&json, "welded_vertices", welded->vertex_count);
    json_integer(&json, "welded_triangles", welded->triangle_count);
    json_integer(&json, "turned_edges", welded->turned_count);
    json_array(&json, "notes");
    for (int32_t i = 0; i < g->note_count; ++i) {
        json_text(&json, NULL, g->notes[i]);
    }
    json_end(&json);
    json_finish(&json);
}

static void print_text(const char* path, const HedGarment* g, const HedGarmentMesh* welded) {
    printf("garment   %s, sides of %.6g m\n", path, g->target_size);
    for (int32_t i = 0; i < g->panel_count; ++i) {
        const HedPanel* p = g->panels + i;
        printf("panel     %s: %" PRId32 " edges, %.6g m^2, %" PRId32 " vertices, %" PRId32
               " triangles, angles from %.1f degrees\n",
               p->name, p->edge_count, p->area, p->vertex_count, p->triangle_count,
               p->least_angle * DEGREES);
    }
    Box all = {0};
    for (int32_t i = 0; i < g->panel_count; ++i) {
        Box box = {0};
        box_add(&box, g->panels[i].positions, g->panels[i].vertex_count);
        box_print(&box, g->panels[i].name);
        box_join(&all, &box);
    }
    box_print(&all, NULL);
    for (int32_t i = 0; i < g->seam_count; ++i) {
        const HedSeam* s = g->seams + i;
        printf("seam      %s edge %" PRId32 " to %s edge %" PRId32 ": %.4g m to %.4g m, %" PRId32
               " points",
               g->panels[s->sides[0].panel].name, s->sides[0].edge,
               g->panels[s->sides[1].panel].name, s->sides[1].edge, s->lengths[0], s->lengths[1],
               s->point_count);
        printf(s->angle != 0.0 ? ", rest angle %.4g degrees\n" : "\n", s->angle * DEGREES);
    }
    printf("sewn      %" PRId32 " vertices, %" PRId32 " triangles\n", welded->vertex_count,
           welded->triangle_count);
    if (welded->turned_count > 0) {
        printf("note      the front changes to the back at %" PRId32 " sides of triangles\n",
               welded->turned_count);
    }
    for (int32_t i = 0; i < g->note_count; ++i) {
        printf("note      %s\n", g->notes[i]);
    }
}

int cli_garment_info(const char* path, double size, bool as_json) {
    HedError error = {0};
    HedGarment garment = {0};
    HedGarmentMesh welded = {0};
    HedStatus status = hed_garment_load(path, size_or_default(size), &garment, &error);
    if (status == HED_OK) {
        status = hed_garment_mesh(&garment, HED_SEWING_WELD, &welded, &error);
    }
    if (status == HED_OK) {
        (as_json ? print_json : print_text)(path, &garment, &welded);
    }
    hed_garment_mesh_free(&welded);
    hed_garment_free(&garment);
    return status == HED_OK ? CLI_DONE : cli_error(&error);
}

// --- convert ---

// One object per panel, or one for all.
typedef struct Export {
    const HedGarment* garment;
    const HedGarmentMesh* welded; // NULL: panels
    bool is_flat;
} Export;

// Flat panels stand in a row, a target size apart, in the order of the file.
static void lay_flat(const HedGarment* g, HedVec3* const* positions) {
    double right = 0.0;
    for (int32_t i = 0; i < g->panel_count; ++i) {
        const HedPanel* p = g->panels + i;
        double low = HUGE_VAL;
        double high = -HUGE_VAL;
        for (int32_t k = 0; k < p->vertex_count; ++k) {
            low = fmin(low, p->material[k].u);
            high = fmax(high, p->material[k].u);
        }
        for (int32_t k = 0; k < p->vertex_count; ++k) {
            positions[i][k] = (HedVec3){p->material[k].u - low + right, p->material[k].v, 0.0};
        }
        right += high - low + g->target_size;
    }
}

static HedStatus load_frame(void* context, int32_t frame, HedVec3* const* positions,
                            HedError* error) {
    const Export* e = context;
    (void)frame;
    (void)error;
    if (e->welded) {
        memcpy(positions[0], e->welded->positions,
               (size_t)e->welded->vertex_count * sizeof(HedVec3));
    } else if (e->is_flat) {
        lay_flat(e->garment, positions);
    } else {
        for (int32_t i = 0; i < e->garment->panel_count; ++i) {
            const HedPanel* p = e->garment->panels + i;
            memcpy(positions[i], p->positions, (size_t)p->vertex_count * sizeof(HedVec3));
        }
    }
    return HED_OK;
}

_Static_assert(sizeof(HedMaterialPoint) == 2 * sizeof(double), "places are pairs of numbers");

static const double* numbers(const HedMaterialPoint* points) {
    return (const double*)(const void*)points;
}

static HedStatus save(Export* e, const char* out, bool force, HedError* error) {
    int32_t count = e->welded ? 1 : e->garment->panel_count;
    HedSeriesObject* objects = calloc((size_t)count, sizeof *objects);
    if (!objects) {
        *error = (HedError){HED_NO_MEMORY, "out of memory"};
        return HED_NO_MEMORY;
    }
    for (int32_t i = 0; i < count; ++i) {
        const HedPanel* p = e->garment->panels + i;
        objects[i] = e->welded ? (HedSeriesObject){.name = "garment",
                                                   .vertex_count = e->welded->vertex_count,
                                                   .triangles = e->welded->triangles,
                                                   .triangle_count = e->welded->triangle_count,
                                                   .uv = numbers(e->welded->corners),
                                                   .uv_at_corners = true}
                               : (HedSeriesObject){.name = p->name,
                                                   .vertex_count = p->vertex_count,
                                                   .triangles = p->triangles,
                                                   .triangle_count = p->triangle_count,
                                                   .uv = numbers(p->material)};
    }
    double time = 0.0;
    HedSeries series = {objects, count, &time, 1, load_frame, e};
    HedStatus status = hed_series_save(out, &series, force, error);
    free(objects);
    return status;
}

int cli_garment_convert(const char* in, const char* out, const CliGarmentLayout* layout) {
    const char* sewn = layout->sewn ? layout->sewn : "placed";
    bool weld = strcmp(sewn, "welded") == 0;
    bool flat = strcmp(sewn, "flat") == 0;
    if (!weld && !flat && strcmp(sewn, "placed") != 0) {
        return cli_fail(CLI_BAD_INPUT, "--garment needs placed, flat or welded, got '%s'", sewn);
    }
    HedError error = {0};
    HedGarment garment = {0};
    HedGarmentMesh welded = {0};
    HedStatus status = hed_garment_load(in, size_or_default(layout->size), &garment, &error);
    if (status == HED_OK && weld) {
        status = hed_garment_mesh(&garment, HED_SEWING_WELD, &welded, &error);
    }
    if (status == HED_OK) {
        Export e = {&garment, weld ? &welded : NULL, flat};
        status = save(&e, out, layout->force, &error);
    }
    hed_garment_mesh_free(&welded);
    hed_garment_free(&garment);
    if (status == HED_OK) {
        return CLI_DONE;
    }
    int code = cli_error(&error);
    if (status == HED_EXISTS) {
        fputs("--force replaces it\n", stderr);
    }
    return code;
}
