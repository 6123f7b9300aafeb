// SPDX-License-Identifier: MIT
// Yarns: from a def to points and elements.
#include "base/file.h"
#include "sim/internal.h"

#include <inttypes.h>
#include <string.h>

// Of the radius: a segment that is shorter would need steps as much smaller, and turns at random.
static const double SHORTEST = 1e-3;

enum { YARNS_STAMP = 0x79726E31 };

const char* hed_yarn_model_name(HedYarnModel model) {
    static const char* const NAMES[HED_YARN_MODEL_COUNT] = {"rod", "spline", "sliding"};
    return (unsigned)model < HED_YARN_MODEL_COUNT ? NAMES[model] : "unknown";
}

const char* hed_yarn_rest_name(HedYarnRest rest) {
    static const char* const NAMES[HED_YARN_REST_COUNT] = {"straight", "start"};
    return (unsigned)rest < HED_YARN_REST_COUNT ? NAMES[rest] : "unknown";
}

const char* hed_yarn_mass_name(HedYarnMass mass) {
    static const char* const NAMES[HED_YARN_MASS_COUNT] = {"lumped", "consistent"};
    return (unsigned)mass < HED_YARN_MASS_COUNT ? NAMES[mass] : "unknown";
}

HedYarnsDef hed_yarns_def_default(void) {
    return (HedYarnsDef){
        .name = "yarns",
        .radius = 0.5e-3,
        .linear_density = 5e-4,
        .stretch = 100.0,
        .bend = 1e-7,
        .twist = 1e-7,
        .damping = 1e-4,
        .stamp = YARNS_STAMP,
    };
}

static HedStatus check_numbers(const HedYarnsDef* def, HedError* error) {
    const struct {
        const char* what;
        double value;
        bool may_be_zero;
    } numbers[] = {
        {"radius", def->radius, false},
        {"linear_density", def->linear_density, false},
        {"stretch", def->stretch, false},
        {"bend", def->bend, true},
        {"twist", def->twist, true},
        {"bend_across", def->bend_across, true},
        {"damping", def->damping, true},
        {"plastic", def->plastic, true},
        {"contact", def->contact, true},
        {"plastic_limit", def->plastic_limit, true},
        {"bend_damping", def->bend_damping, true},
    };
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) {
        double value = numbers[k].value;
        bool ok = numbers[k].may_be_zero ? value >= 0.0 : value > 0.0;
        if (!ok || !isfinite(value)) {
            return hed_fail(error, HED_INVALID, "yarns '%s': '%s' must be %s, got %g", def->name,
                            numbers[k].what, numbers[k].may_be_zero ? "zero or more" : "positive",
                            value);
        }
    }
    bool is_known = (unsigned)def->model < HED_YARN_MODEL_COUNT &&
                    (unsigned)def->rest < HED_YARN_REST_COUNT &&
                    (unsigned)def->mass < HED_YARN_MASS_COUNT && hed_is_finite3(def->velocity) &&
                    isfinite(def->natural_twist) && isfinite(def->closing_twist);
    if (def->model == HED_YARN_SLIDING) {
        return hed_fail(error, HED_INVALID,
                        "yarns '%s': the model '%s' needs a crossing network: hed_sliding_create()",
                        def->name, hed_yarn_model_name(def->model));
    }
    if (!is_known) {
        return hed_fail(error, HED_INVALID,
                        "yarns '%s': unknown model, rest or mass, or velocity or twist not finite",
                        def->name);
    }
    return HED_OK;
}

// What one of the models does not have is refused, rather than left out.
static HedStatus check_model(const HedYarnsDef* def, HedError* error) {
    const struct {
        const char* what;
        bool is_set;
        HedYarnModel needs;
    } rules[] = {
        {"rest: start", def->rest != HED_YARN_STRAIGHT, HED_YARN_ROD},
        {"bend_across", def->bend_across != 0.0, HED_YARN_ROD},
        {"natural_twist", def->natural_twist != 0.0, HED_YARN_ROD},
        {"closing_twist", def->closing_twist != 0.0, HED_YARN_ROD},
        {"plastic", def->plastic != 0.0, HED_YARN_ROD},
        {"plastic_limit", def->plastic_limit != 0.0, HED_YARN_ROD},
        {"mass: consistent", def->mass != HED_YARN_LUMPED, HED_YARN_SPLINE},
    };
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; ++k) {
        if (rules[k].is_set && rules[k].needs != def->model) {
            return hed_fail(error, HED_UNSUPPORTED,
                            "yarns '%s': '%s' needs the model '%s', and this is '%s'", def->name,
                            rules[k].what, hed_yarn_model_name(rules[k].needs),
                            hed_yarn_model_name(def->model));
        }
    }
    return HED_OK;
}

static HedStatus check_curve(const HedYarnsDef* def, int32_t index, HedError* error) {
    const HedCurve* curve = &def->curves[index];
    int32_t least = curve->is_closed ? 3 : 2;
    if (curve->count < least) {
        return hed_fail(error, HED_INVALID,
                        "yarns '%s': curve %" PRId32 " has %" PRId32 " vertices, it needs %" PRId32,
                        def->name, index, curve->count, least);
    }
    if (!(curve->radius >= 0.0) || !isfinite(curve->radius)) {
        return hed_fail(error, HED_INVALID,
                        "yarns '%s': radius of curve %" PRId32 " must be zero or more, got %g",
                        def->name, index, curve->radius);
    }
    for (int32_t k = 0; k < curve->count; ++k) {
        HedVec3 a = def->vertices[curve->first + k];
        HedVec3 b = def->vertices[curve->first + (k + 1) % curve->count];
        bool is_end = k + 1 == curve->count && !curve->is_closed;
        if (!hed_is_finite3(a)) {
            return hed_fail(error, HED_INVALID,
                            "yarns '%s': vertex %" PRId32 " of curve %" PRId32 " is not finite",
                            def->name, k, index);
        }
        double nearest = SHORTEST * (curve->radius > 0.0 ? curve->radius : def->radius);
        if (!is_end && !(hed_distance3(a, b) >= nearest)) {
            return hed_fail(error, HED_INVALID,
                            "yarns '%s': vertices %" PRId32 " and %" PRId32 " of curve %" PRId32
                            " must be %.3g m apart, a thousandth of the radius; they are %.3g m",
                            def->name, k, (k + 1) % curve->count, index, nearest,
                            hed_distance3(a, b));
        }
    }
    return HED_OK;
}

static HedStatus check_yarns(const HedYarnsDef* def, HedError* error) {
    HedStatus status = check_numbers(def, error);
    int32_t next = 0;
    if (status == HED_OK) {
        status = check_model(def, error);
    }
    if (status == HED_OK && (def->curve_count < 1 || !def->curves || !def->vertices)) {
        status = hed_fail(error, HED_INVALID, "yarns '%s': there is no curve", def->name);
    }
    for (int32_t i = 0; i < def->curve_count && status == HED_OK; ++i) {
        const HedCurve* curve = &def->curves[i];
        if (curve->first != next || curve->count < 0 || curve->count > def->vertex_count - next) {
            return hed_fail(error, HED_INVALID,
                            "yarns '%s': curve %" PRId32 " does not follow the one before",
                            def->name, i);
        }
        next += curve->count;
        status = check_curve(def, i, error);
    }
    if (status == HED_OK && next != def->vertex_count) {
        status = hed_fail(error, HED_INVALID,
                          "yarns '%s': %" PRId32 " vertices, but the curves use %" PRId32,
                          def->name, def->vertex_count, next);
    }
    return status;
}

static int32_t segment_count(const HedYarnsDef* def) {
    int32_t count = 0;
    for (int32_t i = 0; i < def->curve_count; ++i) {
        bool goes_on = def->turns && hed_turns_on(def->turns[i]);
        count += goes_on ? def->curves[i].count : hed_curve_segment_count(&def->curves[i]);
    }
    return count;
}

// A segment's mass, surface and stiffness; there is room for them.
static void append_segment(HedSim* sim, const HedYarnsDef* def, int32_t a, int32_t b,
                           double radius) {
    double length = hed_distance3(sim->x.data[a], sim->x.data[b]);
    for (int k = 0; k < 2; ++k) {
        int32_t i = k ? b : a;
        sim->mass.data[i] += 0.5 * def->linear_density * length;
        sim->area.data[i] += radius * length; // half of what is seen from one side, 2 r l
    }
    sim->edges.data[sim->edges.count++] = a;
    sim->edges.data[sim->edges.count++] = b;
    if (def->inextensible && !hed_sim_is_implicit(sim)) {
        return; // lengths are kept by projection
    }
    sim->springs.list.data[sim->springs.list.count++] =
        (HedSpring){.a = hed_min_i32(a, b),
                    .b = hed_max_i32(a, b),
                    .kind = HED_SPRING_STRETCH,
                    .length = length,
                    .stiffness = def->stretch / length};
}

// Damping of a rod's bending, at a vertex between segments: of the moment B kappa/l, kappa the turn
// of a vertex and l the mean length beside it.
static void append_bend(HedSim* sim, const HedYarnsDef* def, int32_t before, int32_t at,
                        int32_t behind) {
    const HedVec3* x = sim->x.data;
    double across = def->bend_across > 0.0 ? def->bend_across : def->bend;
    double l0 = hed_distance3(x[before], x[at]);
    double l1 = hed_distance3(x[at], x[behind]);
    sim->curves.list.data[sim->curves.list.count++] =
        (HedBend){.point = {before, at, behind},
                  .rest = {.inverse0 = 1.0 / l0, .inverse1 = 1.0 / l1},
                  .viscous = (def->bend + across) / (l0 + l1)};
}

static void append_bends(HedSim* sim, const HedYarnsDef* def, const HedCurve* strand) {
    int32_t n = strand->count;
    for (int32_t k = strand->is_closed ? 0 : 1; k < (strand->is_closed ? n : n - 1); ++k) {
        append_bend(sim, def, strand->first + (k + n - 1) % n, strand->first + k,
                    strand->first + (k + 1) % n);
    }
}

// A rod that goes on in its copies: as many segments and bends as vertices, each once.
static void append_endless(HedSim* sim, const HedYarnsDef* def, const HedCurve* strand,
                           HedTurns turns) {
    int32_t n = strand->count - HED_YARN_ENDS;
    hed_period_join(sim, strand->first, n, turns); // for the positions of its ends
    for (int32_t k = 1; k <= n; ++k) {
        append_segment(sim, def, strand->first + k, strand->first + k + 1, strand->radius);
    }
    for (int32_t k = 1; k <= n && def->bend_damping > 0.0; ++k) {
        append_bend(sim, def, strand->first + k - 1, strand->first + k, strand->first + k + 1);
    }
}

static void append_rod(HedSim* sim, const HedYarnsDef* def, int32_t index, int32_t first,
                       HedCloth* cloth) {
    HedTurns turns = def->turns ? def->turns[index] : (HedTurns){0, 0};
    HedCurve curve = def->curves[index];
    int32_t lead = hed_turns_on(turns) ? 1 : 0; // the copy of the last vertex
    int32_t vertex = curve.first;
    curve.radius = curve.radius > 0.0 ? curve.radius : def->radius;
    curve.count = hed_curve_point_count(def, &def->curves[index]);
    curve.first = first;
    for (int32_t k = 0; k < def->curves[index].count; ++k) {
        cloth->place[vertex + k] = first + lead + k;
        sim->x.data[first + lead + k] = def->vertices[vertex + k];
    }
    for (int32_t k = 0; k < curve.count; ++k) {
        sim->half_thickness.data[first + k] = curve.radius;
    }
    if (hed_turns_on(turns)) {
        append_endless(sim, def, &curve, turns);
        return;
    }
    for (int32_t k = 0; k < hed_curve_segment_count(&curve); ++k) {
        append_segment(sim, def, curve.first + k, curve.first + (k + 1) % curve.count,
                       curve.radius);
    }
    if (def->bend_damping > 0.0) {
        append_bends(sim, def, &curve);
    }
}

// Their curves as rows of points.
static void append_strands(HedSim* sim, const HedYarnsDef* def, int32_t first) {
    for (int32_t i = 0; i < def->curve_count; ++i) {
        HedCurve strand = def->curves[i];
        strand.radius = strand.radius > 0.0 ? strand.radius : def->radius;
        strand.first = first;
        strand.count = hed_curve_point_count(def, &def->curves[i]);
        first += strand.count;
        sim->strand_list.data[sim->strand_list.count++] = strand;
        sim->turn_list.data[sim->turn_list.count++] = def->turns ? def->turns[i] : (HedTurns){0, 0};
    }
}

// All room is made before anything is written; points count once all went well.
static HedStatus append_yarns(HedSim* sim, const HedYarnsDef* def, HedCloth* cloth,
                              HedError* error) {
    HedStatus status = HED_OK;
    int32_t n = cloth->point_count;
    int32_t segments = def->model == HED_YARN_ROD ? segment_count(def) : 0;
    if (!HED_RESERVE(&sim->x, n) || !HED_RESERVE(&sim->v, n) || !HED_RESERVE(&sim->mass, n) ||
        !HED_RESERVE(&sim->area, n) || !HED_RESERVE(&sim->half_thickness, n) ||
        !HED_RESERVE(&sim->rest, n) || !HED_RESERVE(&sim->edges, 2 * (int64_t)segments) ||
        !HED_RESERVE(&sim->springs.list, segments) ||
        !HED_RESERVE(&sim->curves.list, def->bend_damping > 0.0 ? segments : 0) ||
        !HED_RESERVE(&sim->strand_list, def->curve_count) || !HED_RESERVE(&sim->cloths, 1) ||
        !HED_RESERVE(&sim->turn_list, def->curve_count) ||
        !hed_period_reserve(sim, def->curve_count)) {
        return hed_fail_memory(error, "yarns");
    }
    int32_t base = cloth->first_point;
    for (int32_t k = 0; k < n; ++k) {
        sim->v.data[base + k] = def->velocity;
        sim->mass.data[base + k] = 0.0;
        sim->area.data[base + k] = 0.0;
    }
    if (def->model == HED_YARN_SPLINE) {
        HED_TRY(hed_sim_splines_append(sim, def, cloth, error));
    }
    int32_t first = base;
    for (int32_t i = 0; i < def->curve_count && def->model == HED_YARN_ROD; ++i) {
        append_rod(sim, def, i, first, cloth);
        first += hed_curve_point_count(def, &def->curves[i]);
    }
    if (sim->period) {
        hed_period_gather_mass(sim);
    }
    memcpy(sim->rest.data + base, sim->x.data + base, sizeof(HedVec3) * (size_t)n);
    sim->x.count = sim->v.count = sim->mass.count = sim->area.count = base + n;
    sim->half_thickness.count = sim->rest.count = base + n;
    append_strands(sim, def, base);
done:
    return status;
}

HedStatus hed_yarns_create(HedSim* sim, const HedYarnsDef* given, HedYarnsId* id, HedError* error) {
    HedStatus status = HED_OK;
    HedYarnsDef def = *given;
    def.name = def.name ? def.name : "yarns";
    HedCloth yarns = {.is_yarns = true,
                      .damping = def.damping,
                      .bend_damping = def.bend_damping,
                      .yarn = def,
                      .half_thickness = def.radius,
                      .first_point = sim->x.count,
                      .vertex_count = def.vertex_count,
                      .first_triangle = sim->triangles.count / 3,
                      .first_membrane = sim->membranes.list.count,
                      .first_curve = sim->strand_list.count,
                      .curve_count = def.curve_count};
    HED_TRY(hed_sim_check_open(sim, def.stamp, YARNS_STAMP, "set of yarns", error));
    HED_TRY(check_yarns(&def, error));
    HED_TRY(hed_period_check_yarns(sim, &def, error));
    yarns.point_count = hed_yarns_point_count(&def);
    yarns.name = hed_text_copy(def.name);
    yarns.place = HED_NEW_ARRAY(int32_t, def.vertex_count);
    if (!yarns.name || !yarns.place) {
        status = hed_fail_memory(error, "yarns");
        goto done;
    }
    HED_TRY(hed_fabric_crossings_create(&def, &yarns.crossings, error));
    HED_TRY(hed_sim_regions_reserve(sim, &def, error));
    HED_TRY(append_yarns(sim, &def, &yarns, error));
    hed_sim_regions_take(sim, &def, yarns.place);
    yarns.yarn.name = NULL;
    yarns.yarn.vertices = NULL;
    yarns.yarn.curves = NULL;
    yarns.yarn.turns = NULL;
    yarns.yarn.crossings = NULL;
    yarns.yarn.labels = NULL;
    yarns.yarn.blocks = yarns.yarn.pairs = (HedVertexSets){0};
    sim->cloths.data[sim->cloths.count++] = yarns;
    *id = (HedYarnsId){sim->cloths.count, sim->stamp};
done:
    if (status != HED_OK) {
        hed_free(yarns.name);
        hed_free(yarns.place);
        hed_free(yarns.knot);
        hed_fabric_crossings_free(&yarns.crossings);
    }
    return status;
}
