// SPDX-License-Identifier: MIT
// Relaxation of a fabric in stages: yarns begin as thin as they must be, and grow.
#include "relax/relax.h"
#include "base/timer.h"

#include <string.h>

enum { STAMP = 0x72656c78 };

// A stage begins with yarns no nearer than this part of touching; the next is thicker by a factor.
// 0.6 * 1.35 is less than what a stage leaves.
static const double NEAREST = 0.6;
static const double GROWTH = 1.35;

// A stage but the last has done its work when no yarns overlap by more, or after some iterations.
static const double CLEARED = 0.1;
enum { STAGE_LIMIT = 400, LEAST_ITERATIONS = 20, LOOK = 50 };

// Yarns that press deeper into each other are not at rest as yarns, but in each other.
static const double OVERLAP_MOST = 0.25;

// The last stage goes down as fast as it can while so many iterations take that part of the energy;
// then, or near the limit of iterations, it comes to a halt.
enum { WATCH = 400 };
static const double SLOW = 3e-3;
static const double LATE = 0.7;

HedRelaxDef hed_relax_def_default(void) {
    return (HedRelaxDef){.stretch = 20.0,
                         .contact = 10.0,
                         .friction = 0.3,
                         .shrink = 1.0,
                         .force = 1e-2,
                         .speed = 1e-3,
                         .limit = 30000,
                         .stamp = STAMP};
}

// The numbers of a def that have to lie between two others.
static HedStatus check_numbers(const HedRelaxDef* def, HedError* error) {
    const struct {
        const char* name;
        double value, least, most;
    } rules[] = {
        {"stretch", def->stretch, 1e-3, 1e9},   {"contact", def->contact, 1e-6, 1e9},
        {"friction", def->friction, 0.0, 10.0}, {"shrink", def->shrink, 0.2, 5.0},
        {"force", def->force, 1e-12, 1e6},      {"speed", def->speed, 1e-12, 1e6},
        {"limit", def->limit, 1, 1e9},
    };
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; ++k) {
        if (!(rules[k].value >= rules[k].least && rules[k].value <= rules[k].most)) {
            return hed_fail(error, HED_INVALID, "relaxation: '%s' is from %g to %g, got %g",
                            rules[k].name, rules[k].least, rules[k].most, rules[k].value);
        }
    }
    if (def->plates != 0.0 && !(def->plates >= 1.5 && def->plates < 1e6)) {
        return hed_fail(error, HED_INVALID,
                        "relaxation: 'plates' stand at least 1.5 diameters apart, got %g",
                        def->plates);
    }
    return HED_OK;
}

HedStatus hed_fabric_relax_check(const HedFabric* fabric, const HedRelaxDef* def, HedError* error) {
    if (def->stamp != STAMP) {
        return hed_fail(error, HED_INVALID,
                        "a relaxation's def must be filled by hed_relax_def_default first");
    }
    for (int32_t i = 0; i < fabric->point_count; ++i) {
        if (!hed_is_finite3(fabric->points[i])) {
            return hed_fail(error, HED_INVALID, "relaxation: point %d is not finite", i);
        }
    }
    for (int32_t k = 0; k < fabric->yarn_count; ++k) {
        if (!(fabric->yarns[k].diameter > 0.0)) {
            return hed_fail(error, HED_INVALID, "relaxation: yarn %d has no thickness, got %g m", k,
                            fabric->yarns[k].diameter);
        }
    }
    for (int k = 0; k < 2; ++k) {
        if (!hed_is_finite3(fabric->period[k]) || !isfinite(def->pull[k])) {
            return hed_fail(error, HED_INVALID, "relaxation: period or pull %d is not finite", k);
        }
    }
    return check_numbers(def, error);
}

// What a call carries along.
typedef struct RelaxCall {
    HedFabric* fabric;
    HedRelax relax;
    HedRelaxReport* report;
    double begin; // s
    double part;  // thickness of the present stage
    int32_t stage, stages;
} RelaxCall;

// Tells how far it is; HED_STOPPED if that was enough.
static HedStatus tell(const RelaxCall* w, const HedRelaxPace* pace, HedError* error) {
    const HedRelaxDef* def = &w->relax.def;
    if (def->progress) {
        HedRelaxProgress progress = {.stage = w->stage,
                                     .stages = w->stages,
                                     .iteration = w->report->iterations,
                                     .limit = def->limit,
                                     .thickness = w->part,
                                     .force = pace->largest,
                                     .speed = pace->speed,
                                     .overlap = w->relax.overlap,
                                     .energy = w->relax.energy,
                                     .wall = hed_time_now() - w->begin};
        def->progress(&progress, def->context);
    }
    if (def->stop && def->stop(def->context)) {
        return hed_fail(error, HED_STOPPED, "relaxation: stopped after %d iterations",
                        w->report->iterations);
    }
    return HED_OK;
}

static void watch(const RelaxCall* w, int32_t k, HedRelaxPace* pace, double* energy) {
    if (w->stage + 1 == w->stages && k > 0 && k % WATCH == 0) {
        bool is_slow = *energy - w->relax.energy < SLOW * w->relax.energy;
        bool is_late = w->report->iterations > LATE * w->relax.def.limit;
        pace->is_settling = pace->is_settling || is_slow || is_late;
        *energy = w->relax.energy;
    }
}

// One thickness: until yarns are apart, or, with the full one, until all is quiet.
static HedStatus run_stage(RelaxCall* w, HedError* error) {
    HedStatus status = HED_OK;
    HedRelax* r = &w->relax;
    HedRelaxPace pace = {0};
    bool is_last = w->stage + 1 == w->stages;
    double energy = HUGE_VAL; // some time ago
    HED_TRY(hed_relax_set_thickness(r, w->fabric, w->part, error));
    memset(r->v, 0, sizeof(HedVec3) * (size_t)r->count);
    memset(r->moves, 0, sizeof(HedVec3) * (size_t)r->count);
    hed_relax_whole_begin(r);
    hed_relax_proof_begin(r);
    for (int32_t k = 0; w->report->iterations < r->def.limit; ++k) {
        watch(w, k, &pace, &energy);
        HED_TRY(hed_relax_move(r, &pace, error));
        w->report->iterations += 1;
        HED_TRY(hed_relax_proof_follow(r, pace.speed, w->part, error));
        w->report->is_quiet = is_last && k >= LEAST_ITERATIONS && pace.largest <= r->def.force &&
                              pace.speed <= r->def.speed && r->overlap <= OVERLAP_MOST;
        bool is_clear = k >= LEAST_ITERATIONS && r->overlap <= CLEARED;
        if (w->report->is_quiet || (!is_last && (is_clear || k >= STAGE_LIMIT))) {
            break;
        }
        if (w->report->iterations % LOOK == 0) {
            HED_TRY(tell(w, &pace, error));
        }
    }
    HED_TRY(hed_relax_prove(r, error));
    HED_TRY(tell(w, &pace, error));
done:
    w->report->backed_out += pace.backed_out;
    w->report->force = pace.largest;
    w->report->speed = pace.speed;
    w->report->overlap = r->overlap;
    w->report->proofs = r->proof_count;
    w->report->strain = r->strain;
    w->report->energy = r->energy;
    return status;
}

// How thin yarns have to be at the start.
static HedStatus plan(RelaxCall* w, HedError* error) {
    HedStatus status = HED_OK;
    HED_TRY(hed_relax_set_thickness(&w->relax, w->fabric, 1.0, error));
    HED_TRY(hed_relax_find_force(&w->relax, error));
    double nearest = 1.0 - w->relax.overlap;
    if (nearest < 1e-3) {
        status = hed_fail(error, HED_INVALID,
                          "relaxation: yarns start in each other: two centre lines are %g of their "
                          "thickness apart, at least 1e-3 is needed",
                          nearest);
        goto done;
    }
    double part = fmin(1.0, nearest / NEAREST);
    w->stages = 1 + (int32_t)ceil(log(1.0 / part) / log(GROWTH) - 1e-9);
done:
    return status;
}

static void give_back(RelaxCall* w) {
    HedRelax* r = &w->relax;
    for (int32_t i = 0; i < r->points; ++i) {
        w->fabric->points[i] = hed_mul3(r->unit, r->x[i]);
        if (r->def.forces) {
            r->def.forces[i] = hed_mul3(-1.0, r->force[i]);
        }
    }
    for (int k = 0; k < 2 && r->repeats; ++k) {
        w->fabric->period[k] = hed_mul3(r->unit, r->x[r->points + k]);
        w->report->pull[k] = r->pull[k];
    }
}

HedStatus hed_fabric_relax(HedFabric* fabric, const HedRelaxDef* def, HedRelaxReport* report,
                           HedError* error) {
    HedRelaxReport local = {0};
    RelaxCall w = {.fabric = fabric, .report = report ? report : &local, .begin = hed_time_now()};
    *w.report = (HedRelaxReport){0};
    HedStatus status = hed_fabric_relax_check(fabric, def, error);
    if (status != HED_OK || fabric->point_count == 0) {
        return status;
    }
    HED_TRY(hed_relax_create(&w.relax, fabric, def, error));
    HED_TRY(plan(&w, error));
    for (w.stage = 0; status == HED_OK && w.stage < w.stages; ++w.stage) {
        w.part = pow(GROWTH, -(double)(w.stages - 1 - w.stage));
        status = run_stage(&w, error);
    }
    if (status == HED_OK || status == HED_STOPPED) {
        give_back(&w);
    }
done:
    w.report->stages = w.stages;
    w.report->wall = hed_time_now() - w.begin;
    hed_relax_free(&w.relax);
    return status;
}
