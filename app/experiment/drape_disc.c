// SPDX-License-Identifier: MIT
// The test clamps the cloth between two plates, so points on the plate are held. The rest hangs at
// rest (quasi-static). A flat start is a balance, though not a stable one; waves of a tenth of a
// millimetre, of all small numbers and with seeded phases, take it from there. So does the mesh,
// which is unstructured and prefers no number of folds.
#include "experiment/drape_disc.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

static HedStatus make_disc(const Fabric* fabric, HedGarment* garment, HedError* error) {
    const double r = DRAPE_RADIUS;
    HedMaterialPoint corners[4] = {{r, 0.0}, {0.0, r}, {-r, 0.0}, {0.0, -r}};
    HedPanelEdge edges[4];
    for (int k = 0; k < 4; ++k) {
        edges[k] = (HedPanelEdge){
            .start = k, .end = (k + 1) % 4, .kind = HED_EDGE_ARC, .radius = r, .is_right = true};
    }
    HedPanelDef panel = hed_panel_def_default();
    panel.name = "disc";
    panel.vertices = corners;
    panel.vertex_count = 4;
    panel.edges = edges;
    panel.edge_count = 4;
    HedGarmentDef def = hed_garment_def_default();
    def.panels = &panel;
    def.panel_count = 1;
    def.target_size = r / fabric->resolution;
    return hed_garment_create(&def, garment, error);
}

// A number from 0 to 1 (Steele, Lea, Flood 2014: splitmix).
static double random_unit(uint64_t* state) {
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// Height of the uneven start, m.
static double start_height(HedMaterialPoint at, int32_t seed) {
    enum { FIRST = 2, LAST = 12 };
    const double height = 1e-4;
    uint64_t state = (uint64_t)seed;
    double angle = atan2(at.v, at.u);
    double outside = (hypot(at.u, at.v) - DRAPE_PLATE) / (DRAPE_RADIUS - DRAPE_PLATE);
    double sum = 0.0;
    for (int k = FIRST; k <= LAST; ++k) {
        sum += cos(k * angle + 2.0 * PI * random_unit(&state));
    }
    return outside > 0.0 ? height * outside * sum / sqrt(LAST - FIRST + 1) : 0.0;
}

/// What drape_hang works on; zero-initialise.
typedef struct Disc {
    HedGarment garment;
    HedSim* sim;
    HedSheetId sheet;
    HedVec3* start;
    HedVec3* rest;
    HedVec3* now;
    double* radius; // m, of the points of the edge in the shadow
    int32_t* held;
    int32_t held_count;
} Disc;

static void free_disc(Disc* disc) {
    hed_sim_destroy(disc->sim);
    hed_garment_free(&disc->garment);
    free(disc->start);
    free(disc->rest);
    free(disc->now);
    free(disc->radius);
    free(disc->held);
}

// Held are the points nearer to the middle than half a row of triangles outside the plate: angles
// of hinges belong to the middles of triangles, so this is where the plate's edge acts.
static bool place_points(const Fabric* fabric, Disc* disc) {
    const HedPanel* panel = &disc->garment.panels[0];
    size_t n = (size_t)panel->vertex_count;
    disc->start = calloc(n, sizeof(HedVec3));
    disc->rest = calloc(n, sizeof(HedVec3));
    disc->now = calloc(n, sizeof(HedVec3));
    disc->held = calloc(n, sizeof(int32_t));
    disc->radius = calloc(n, sizeof(double));
    if (!disc->start || !disc->rest || !disc->now || !disc->held || !disc->radius) {
        return false;
    }
    double row = 0.5 * sqrt(3.0) * DRAPE_RADIUS / fabric->resolution;
    for (int32_t k = 0; k < panel->vertex_count; ++k) {
        HedMaterialPoint at = panel->material[k];
        disc->rest[k] = (HedVec3){at.u, 0.0, -at.v};
        disc->start[k] = disc->rest[k];
        if (hypot(at.u, at.v) <= DRAPE_PLATE + 0.5 * row) {
            disc->held[disc->held_count++] = k;
        } else {
            disc->start[k].y = start_height(at, fabric->seed);
        }
    }
    return true;
}

static HedStatus make_sim(const Fabric* fabric, Disc* disc, HedError* error) {
    const HedPanel* panel = &disc->garment.panels[0];
    HedSimDef def = hed_sim_def_default();
    def.integrator = HED_QUASI_STATIC;
    def.time_step = 0.01;
    def.newton_iterations = 60;
    def.linear_tolerance = 1e-2;
    def.thread_count = fabric->thread_count;
    HedStatus status = hed_sim_create(&def, &disc->sim, error);
    HedSheetDef sheet = hed_sheet_def_default();
    sheet.name = "disc";
    sheet.vertices = disc->start;
    sheet.rest_vertices = disc->rest;
    sheet.vertex_count = panel->vertex_count;
    sheet.triangles = panel->triangles;
    sheet.triangle_count = panel->triangle_count;
    sheet.model = HED_SHEET_MEMBRANE;
    sheet.density = fabric->density;
    sheet.stretch = fabric->stretch;
    sheet.shear = fabric->shear;
    sheet.poisson = 0.0;
    sheet.bending = HED_BENDING_HINGES;
    sheet.bend_rigidity = fabric->bending;
    status = status == HED_OK ? hed_sheet_create(disc->sim, &sheet, &disc->sheet, error) : status;
    HedPinDef pin = hed_pin_def_default();
    HedPinId id;
    pin.name = "plate";
    pin.sheet = disc->sheet;
    pin.vertices = disc->held;
    pin.vertex_count = disc->held_count;
    return status == HED_OK ? hed_pin_create(disc->sim, &pin, &id, error) : status;
}

int32_t drape_count_maxima(const double* values, int32_t count, double least) {
    int32_t lowest = 0;
    for (int32_t k = 1; k < count; ++k) {
        lowest = values[k] < values[lowest] ? k : lowest;
    }
    // Once round from the lowest: a maximum counts when the values have fallen far enough from it.
    int32_t maxima = 0;
    bool rises = false;
    double turn = count > 0 ? values[lowest] : 0.0; // the last extreme, so far
    for (int32_t k = 1; k <= count; ++k) {
        double value = values[(lowest + k) % count];
        if (rises ? value > turn : value < turn) {
            turn = value;
        } else if (fabs(value - turn) > least) {
            maxima += rises;
            rises = !rises;
            turn = value;
        }
    }
    return maxima;
}

// Folds stand out by a tenth of the largest difference of radius, and by a millimetre at least.
static void measure_edge(Disc* disc, Drape* drape) {
    int32_t count = disc->garment.panels[0].outline_count;
    double low = HUGE_VAL;
    double high = 0.0;
    for (int32_t k = 0; k < count; ++k) {
        disc->radius[k] = hypot(disc->now[k].x, disc->now[k].z);
        low = fmin(low, disc->radius[k]);
        high = fmax(high, disc->radius[k]);
        drape->deepest = fmax(drape->deepest, -disc->now[k].y);
    }
    drape->folds = drape_count_maxima(disc->radius, count, fmax(1e-3, 0.1 * (high - low)));
}

static HedStatus measure(Disc* disc, Drape* drape, HedError* error) {
    double values[3];
    HedMeasureDef def = {.kind = HED_MEASURE_SHADOW, .sheet = disc->sheet};
    HedStatus status = hed_sim_measure(disc->sim, &def, values, error);
    double plate = PI * DRAPE_PLATE * DRAPE_PLATE;
    double cloth = disc->garment.panels[0].area;
    drape->coefficient = (values[0] - plate) / (cloth - plate);
    def.kind = HED_MEASURE_STRAIN;
    status = status == HED_OK ? hed_sim_measure(disc->sim, &def, values, error) : status;
    drape->strain = values[1];
    hed_sheet_positions(disc->sim, disc->sheet, disc->now);
    measure_edge(disc, drape);
    return status;
}

static HedStatus give_positions(void* context, int32_t frame, HedVec3* const* positions,
                                HedError* error) {
    const Disc* disc = context;
    (void)frame;
    (void)error;
    for (int32_t k = 0; k < disc->garment.panels[0].vertex_count; ++k) {
        positions[0][k] = disc->now[k];
    }
    return HED_OK;
}

static HedStatus save(Disc* disc, const char* path, HedError* error) {
    const HedPanel* panel = &disc->garment.panels[0];
    HedSeriesObject object = {.name = "disc",
                              .kind = HED_OBJECT_SHEET,
                              .vertex_count = panel->vertex_count,
                              .triangles = panel->triangles,
                              .triangle_count = panel->triangle_count};
    double time = 0.0;
    HedSeries series = {.objects = &object,
                        .object_count = 1,
                        .times = &time,
                        .frame_count = 1,
                        .load = give_positions,
                        .context = disc};
    return hed_series_save(path, &series, true, error);
}

static HedStatus hang_disc(const Fabric* fabric, Disc* disc, Drape* drape, HedError* error) {
    HedStatus status = make_disc(fabric, &disc->garment, error);
    if (status == HED_OK && !place_points(fabric, disc)) {
        *error = (HedError){HED_NO_MEMORY, "no memory for a disc of cloth"};
        status = HED_NO_MEMORY;
    }
    status = status == HED_OK ? make_sim(fabric, disc, error) : status;
    HedStepReport report;
    status = status == HED_OK ? hed_sim_step(disc->sim, &report, error) : status;
    if (status != HED_OK) {
        return status;
    }
    drape->point_count = disc->garment.panels[0].vertex_count;
    drape->is_at_rest = report.reason == HED_REASON_CONVERGED;
    for (size_t k = 0; !drape->is_at_rest && k < sizeof drape->trouble; ++k) {
        drape->trouble[k] = report.trouble[k];
    }
    return measure(disc, drape, error);
}

HedStatus drape_hang(const Fabric* fabric, const char* path, Drape* drape, HedError* error) {
    Disc disc = {0};
    *drape = (Drape){0};
    HedStatus status = hang_disc(fabric, &disc, drape, error);
    if (status == HED_OK && path) {
        status = save(&disc, path, error);
    }
    free_disc(&disc);
    return status;
}
