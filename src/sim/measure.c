// SPDX-License-Identifier: MIT
// Measurements on sheets and yarns.
#include "base/alloc.h"
#include "geom/box.h"
#include "sim/internal.h"

typedef struct Kind {
    const char* name;
    int32_t width;
    const char* part[3];
    const char* unit[3];
} Kind;

static const Kind KINDS[HED_MEASURE_COUNT] = {
    [HED_MEASURE_POSITION] = {"position", 3, {"x", "y", "z"}, {"m", "m", "m"}},
    [HED_MEASURE_SPEED] = {"speed", 1, {"", "", ""}, {"m/s", "", ""}},
    [HED_MEASURE_DISTANCE] = {"distance", 1, {"", "", ""}, {"m", "", ""}},
    [HED_MEASURE_AREA] = {"area", 1, {"", "", ""}, {"m^2", "", ""}},
    [HED_MEASURE_SHADOW] = {"shadow", 1, {"", "", ""}, {"m^2", "", ""}},
    [HED_MEASURE_EXTENT] = {"extent", 3, {"x", "y", "z"}, {"m", "m", "m"}},
    [HED_MEASURE_STRAIN] = {"strain", 2, {"mean", "largest", ""}, {"", "", ""}},
    [HED_MEASURE_REACTION] = {"reaction", 3, {"x", "y", "z"}, {"N", "N", "N"}},
    [HED_MEASURE_GAUGE] = {"gauge", 2, {"length", "force", ""}, {"m", "N", ""}},
};

const char* hed_measure_name(HedMeasureKind kind) {
    return (unsigned)kind < HED_MEASURE_COUNT ? KINDS[kind].name : "unknown";
}

int32_t hed_measure_width(HedMeasureKind kind) {
    return (unsigned)kind < HED_MEASURE_COUNT ? KINDS[kind].width : 0;
}

const char* hed_measure_part(HedMeasureKind kind, int32_t k) {
    return (unsigned)kind < HED_MEASURE_COUNT && k >= 0 && k < 3 ? KINDS[kind].part[k] : "";
}

const char* hed_measure_unit(HedMeasureKind kind, int32_t k) {
    return (unsigned)kind < HED_MEASURE_COUNT && k >= 0 && k < 3 ? KINDS[kind].unit[k] : "";
}

static void put3(HedVec3 value, double values[3]) {
    values[0] = value.x;
    values[1] = value.y;
    values[2] = value.z;
}

static double surface_area(const HedSim* sim, const HedCloth* sheet) {
    double sum = 0.0;
    for (int32_t k = 0; k < sheet->triangle_count; ++k) {
        const int32_t* t = sim->triangles.data + 3 * (int64_t)(sheet->first_triangle + k);
        const HedVec3* x = sim->x.data;
        HedVec3 normal = hed_cross3(hed_sub3(x[t[1]], x[t[0]]), hed_sub3(x[t[2]], x[t[0]]));
        sum += 0.5 * hed_norm3(normal);
    }
    return sum;
}

// A picture of the sheet's silhouette seen along gravity, one byte a pixel.
typedef struct Shadow {
    HedVec3 across, along; // axes of the picture
    double low[2];         // m
    double pixel;          // m
    int32_t width, height;
    uint8_t* covered;
} Shadow;

static void mark_triangle(Shadow* s, const double p[3][2]) {
    double area =
        (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
    if (area == 0.0) {
        return;
    }
    double low[2] = {fmin(p[0][0], fmin(p[1][0], p[2][0])), fmin(p[0][1], fmin(p[1][1], p[2][1]))};
    double high[2] = {fmax(p[0][0], fmax(p[1][0], p[2][0])), fmax(p[0][1], fmax(p[1][1], p[2][1]))};
    int32_t end_column = hed_min_i32(s->width - 1, (int32_t)high[0]);
    int32_t end_row = hed_min_i32(s->height - 1, (int32_t)high[1]);
    for (int32_t row = (int32_t)low[1]; row <= end_row; ++row) {
        for (int32_t column = (int32_t)low[0]; column <= end_column; ++column) {
            double q[2] = {column + 0.5, row + 0.5};
            bool inside = true;
            for (int k = 0; k < 3; ++k) {
                const double* a = p[k];
                const double* b = p[(k + 1) % 3];
                double side = (b[0] - a[0]) * (q[1] - a[1]) - (q[0] - a[0]) * (b[1] - a[1]);
                inside = inside && side * area >= 0.0;
            }
            s->covered[row * s->width + column] |= inside;
        }
    }
}

static void draw_shadow(const HedSim* sim, const HedCloth* sheet, Shadow* s) {
    for (int32_t k = 0; k < sheet->triangle_count; ++k) {
        double p[3][2];
        for (int m = 0; m < 3; ++m) {
            HedVec3 x =
                sim->x.data[sim->triangles.data[3 * (int64_t)(sheet->first_triangle + k) + m]];
            p[m][0] = (hed_dot3(x, s->across) - s->low[0]) / s->pixel;
            p[m][1] = (hed_dot3(x, s->along) - s->low[1]) / s->pixel;
        }
        mark_triangle(s, p);
    }
}

// Area of the silhouette, counted on a picture whose longer side has SIDE pixels: right to about
// 2/SIDE.
static HedStatus shadow_area(const HedSim* sim, const HedCloth* sheet, double* area,
                             HedError* error) {
    enum { SIDE = 2000 };
    HedVec3 down = hed_unit3(sim->def.gravity, hed_vec3(0.0, -1.0, 0.0));
    Shadow s = {.across = hed_perpendicular3(down)};
    s.along = hed_cross3(down, s.across);
    double high[2] = {-HUGE_VAL, -HUGE_VAL};
    s.low[0] = s.low[1] = HUGE_VAL;
    for (int32_t k = 0; k < sheet->point_count; ++k) {
        HedVec3 x = sim->x.data[sheet->first_point + k];
        double q[2] = {hed_dot3(x, s.across), hed_dot3(x, s.along)};
        for (int m = 0; m < 2; ++m) {
            s.low[m] = fmin(s.low[m], q[m]);
            high[m] = fmax(high[m], q[m]);
        }
    }
    double side = fmax(high[0] - s.low[0], high[1] - s.low[1]);
    *area = 0.0;
    if (!(side > 0.0)) {
        return HED_OK;
    }
    s.pixel = side / SIDE;
    s.width = (int32_t)((high[0] - s.low[0]) / s.pixel) + 1;
    s.height = (int32_t)((high[1] - s.low[1]) / s.pixel) + 1;
    s.covered = HED_NEW_ARRAY(uint8_t, (int64_t)s.width * s.height);
    if (!s.covered) {
        return hed_fail_memory(error, "the sheet's shadow");
    }
    draw_shadow(sim, sheet, &s);
    int64_t count = 0;
    for (int64_t k = 0; k < (int64_t)s.width * s.height; ++k) {
        count += s.covered[k];
    }
    hed_free(s.covered);
    *area = (double)count * s.pixel * s.pixel;
    return HED_OK;
}

static void strain_of(const HedSim* sim, const HedCloth* sheet, double values[3]) {
    const HedPart* part = hed_cloth_part(sim, sheet);
    if (part) {
        part->type->strain(part->self, values);
        return;
    }
    double sum = 0.0;
    double largest = 0.0;
    int64_t count = 0;
    for (int32_t k = 0; k < sim->springs.list.count; ++k) {
        const HedSpring* s = &sim->springs.list.data[k];
        bool here = s->a >= sheet->first_point && s->a < sheet->first_point + sheet->point_count;
        if (here && s->kind == HED_SPRING_STRETCH) {
            double strain = hed_distance3(sim->x.data[s->a], sim->x.data[s->b]) / s->length - 1.0;
            sum += strain;
            largest = fmax(largest, fabs(strain));
            count += 1;
        }
    }
    for (int32_t k = 0; k < sheet->membrane_count; ++k) {
        const HedMembrane* m = &sim->membranes.list.data[sheet->first_membrane + k];
        HedMembraneRest rest = hed_membrane_rest(m, sheet->material);
        const HedVec3* x = sim->x.data;
        HedFrame2 f = hed_membrane_frame(x[m->point[0]], x[m->point[1]], x[m->point[2]], &rest);
        double warp = hed_norm3(f.u) - 1.0;
        double weft = hed_norm3(f.v) - 1.0;
        sum += 0.5 * (warp + weft);
        largest = fmax(largest, fmax(fabs(warp), fabs(weft)));
        count += 1;
    }
    for (int32_t c = 0; sheet->knot && c < sheet->curve_count; ++c) {
        int32_t yarn =
            hed_sim_splines_find(sim, sim->strand_list.data[sheet->first_curve + c].first);
        const HedSplines* splines = &sim->splines->splines;
        for (int32_t k = 0; k < splines->yarn[yarn].segment_count; ++k) {
            double strain = hed_splines_strain(splines, yarn, k, sim->x.data);
            sum += strain;
            largest = fmax(largest, fabs(strain));
            count += 1;
        }
    }
    values[0] = count > 0 ? sum / (double)count : 0.0;
    values[1] = largest;
}

static HedStatus check_measure(const HedSim* sim, const HedMeasureDef* def, HedError* error) {
    const HedCloth* cloth = hed_sim_find_cloth(sim, def->sheet, def->yarns, error);
    if (!cloth || !sim->is_prepared || (unsigned)def->kind >= HED_MEASURE_COUNT) {
        return cloth ? hed_fail(error, HED_INVALID, "cannot measure yet") : HED_INVALID;
    }
    bool is_of_surface = def->kind == HED_MEASURE_AREA || def->kind == HED_MEASURE_SHADOW;
    if (cloth->is_yarns && is_of_surface) {
        return hed_fail(error, HED_INVALID, "yarns have no '%s'", hed_measure_name(def->kind));
    }
    int32_t n = cloth->vertex_count;
    bool uses_a = def->kind <= HED_MEASURE_DISTANCE;
    bool uses_b = def->kind == HED_MEASURE_DISTANCE;
    if ((uses_a && (def->a < 0 || def->a >= n)) || (uses_b && (def->b < 0 || def->b >= n))) {
        return hed_fail(error, HED_INVALID, "no such vertex: %d or %d of %d", def->a, def->b, n);
    }
    return HED_OK;
}

HedStatus hed_sim_measure(const HedSim* sim, const HedMeasureDef* def, double values[3],
                          HedError* error) {
    values[0] = values[1] = values[2] = 0.0;
    HedStatus status = check_measure(sim, def, error);
    if (status != HED_OK) {
        return status;
    }
    const HedCloth* sheet = hed_sim_find_cloth(sim, def->sheet, def->yarns, NULL);
    const HedVec3* x = sim->x.data;
    switch (def->kind) {
    case HED_MEASURE_POSITION:
        put3(hed_cloth_mix(sheet, def->a, x), values);
        break;
    case HED_MEASURE_SPEED:
        values[0] = hed_norm3(hed_cloth_mix(sheet, def->a, sim->v.data));
        break;
    case HED_MEASURE_DISTANCE:
        values[0] = hed_distance3(hed_cloth_mix(sheet, def->a, x), hed_cloth_mix(sheet, def->b, x));
        break;
    case HED_MEASURE_AREA:
        values[0] = surface_area(sim, sheet);
        break;
    case HED_MEASURE_SHADOW:
        return shadow_area(sim, sheet, &values[0], error);
    case HED_MEASURE_EXTENT: {
        HedBox box = hed_box_empty();
        for (int32_t k = 0; k < sheet->vertex_count; ++k) {
            box = hed_box_add(box, hed_cloth_mix(sheet, k, x));
        }
        put3(hed_sub3(box.high, box.low), values);
        break;
    }
    case HED_MEASURE_STRAIN:
        strain_of(sim, sheet, values);
        break;
    default:
        return hed_sim_measure_pin(sim, def, values, error);
    }
    return HED_OK;
}
