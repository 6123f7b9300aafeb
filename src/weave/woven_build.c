// SPDX-License-Identifier: MIT
// From sizes to yarns: each thread follows its crossings, crest by crest.
#include "fabric/repeat.h"
#include "math/vec3.h"
#include "weave/peirce.h"
#include "weave/woven.h"

#include <stdio.h>

static const double PI = 3.14159265358979323846;

HedWeaveDef hed_weave_def_default(void) {
    return (HedWeaveDef){.warp = {.color = HED_COLOR_NONE},
                         .weft = {.color = HED_COLOR_NONE},
                         .yarn_density = 910.0,
                         .points = 8,
                         .stamp = 0x77656176};
}

const char* hed_selvedge_name(HedSelvedge selvedge) {
    static const char* const NAMES[] = {"cut", "turned"};
    return (int)selvedge >= 0 && selvedge < HED_SELVEDGE_COUNT ? NAMES[selvedge] : "?";
}

typedef struct Loom {
    const HedWoven* woven;
    const HedWeaveDef* def;
    HedFabric* fabric;
    HedError* error;
} Loom;

// A thread on its way: which it is, and which way it goes.
typedef struct ThreadRun {
    bool is_warp;
    int32_t thread;
    bool is_backward;
    HedFabricPlace* places; // per crossed thread: where on the yarn; NULL if not wanted
} ThreadRun;

static const HedWovenSystem* crossed(const Loom* loom, const ThreadRun* run) {
    return run->is_warp ? &loom->woven->weft : &loom->woven->warp;
}

static double layer_height(const Loom* loom, const ThreadRun* run) {
    const HedWoven* w = loom->woven;
    return w->heights[(run->is_warp ? w->warp : w->weft).layers[run->thread]];
}

// Crest k of a thread, counted in the order of the crossed threads.
static HedCrest crest(const Loom* loom, const ThreadRun* run, int32_t k) {
    const HedWoven* w = loom->woven;
    int32_t end = run->is_warp ? run->thread : k, pick = run->is_warp ? k : run->thread;
    double radius = 0.5 * (w->warp.threads[end].diameter + w->weft.threads[pick].diameter);
    double share = run->is_warp ? w->warp_share : 1.0 - w->warp_share;
    bool is_up = hed_woven_is_up(w, pick, end) == run->is_warp;
    return (HedCrest){.at = crossed(loom, run)->centres[k],
                      .height =
                          layer_height(loom, run) + (is_up ? share * radius : -share * radius),
                      .radius = radius,
                      .is_up = is_up};
}

static HedStatus add_at(const Loom* loom, const ThreadRun* run, double along, double height) {
    const HedWoven* w = loom->woven;
    HedVec3 p = run->is_warp ? hed_vec3(w->warp.centres[run->thread], along, height)
                             : hed_vec3(along, w->weft.centres[run->thread], height);
    return hed_fabric_add_point(loom->fabric, p, loom->error);
}

// The first crossing within its own layer that a thread meets from k on, up or down; -1: none.
static int32_t own_from(const Loom* loom, const ThreadRun* run, int32_t k, int way) {
    const HedWoven* w = loom->woven;
    int32_t count = crossed(loom, run)->count;
    for (; k >= 0 && k < count; k += way) {
        if (!hed_woven_is_apart(w, run->is_warp ? k : run->thread,
                                run->is_warp ? run->thread : k)) {
            return k;
        }
    }
    return -1;
}

// Crest k made level with another, or with the layer.
static HedCrest level(const Loom* loom, const ThreadRun* run, int32_t k, const HedCrest* with) {
    HedCrest c = crest(loom, run, k);
    c.height = with ? with->height : layer_height(loom, run);
    c.is_up = with && with->is_up;
    return c;
}

// Of a thread from crossing k to k + 1: part of the step between crossings of its own layer.
typedef struct CrestSpan {
    HedCrestStep step;
    double from, to; // m, lengths of the step at both
} CrestSpan;

// Where a step has come this far.
static double length_at(const HedCrestStep* step, double at) {
    double low = 0.0, high = step->length;
    for (int i = 0; i < 60; ++i) { // until they are neighbours but for rounding
        double middle = 0.5 * (low + high), along, height;
        hed_crest_point(step, middle, &along, &height);
        *(along < at ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

static CrestSpan span_from(const Loom* loom, const ThreadRun* run, int32_t k) {
    int32_t a = own_from(loom, run, k, -1), b = own_from(loom, run, k + 1, 1);
    HedCrest before, after;
    if (a >= 0) {
        before = crest(loom, run, a);
    }
    if (b >= 0) {
        after = crest(loom, run, b);
    }
    if (a < 0) {
        before = level(loom, run, k, b < 0 ? NULL : &after);
    }
    if (b < 0) {
        after = level(loom, run, k + 1, &before);
    }
    CrestSpan span = {.step = hed_crest_step(before, after)};
    const double* centres = crossed(loom, run)->centres;
    span.from = a < 0 || a == k ? 0.0 : length_at(&span.step, centres[k]);
    span.to = b < 0 && a < 0        ? span.step.length
              : b < 0 || b != k + 1 ? length_at(&span.step, centres[k + 1])
                                    : span.step.length;
    return span;
}

// A thread where it passes crossing k, whichever layer that belongs to.
static HedCrest pass(const Loom* loom, const ThreadRun* run, int32_t k) {
    int32_t a = own_from(loom, run, k, -1), b = own_from(loom, run, k, 1);
    if (a == k) {
        return crest(loom, run, k);
    }
    HedCrest c = crest(loom, run, k);
    if (a < 0 && b < 0) {
        return level(loom, run, k, NULL);
    }
    if (a < 0 || b < 0) {
        HedCrest other = crest(loom, run, a < 0 ? b : a);
        return level(loom, run, k, &other);
    }
    CrestSpan span = span_from(loom, run, k);
    hed_crest_point(&span.step, span.from, &c.at, &c.height);
    return c;
}

static HedStatus add_crest(const Loom* loom, const ThreadRun* run, int32_t k, const HedCrest* c) {
    HedStatus status = add_at(loom, run, c->at, c->height);
    int32_t yarn = loom->fabric->yarn_count - 1;
    if (run->places) {
        run->places[k] = (HedFabricPlace){yarn, loom->fabric->yarns[yarn].count - 1};
    }
    return status;
}

// Points after the first crest up to and with the last.
static HedStatus add_steps(const Loom* loom, const ThreadRun* run) {
    int32_t count = crossed(loom, run)->count;
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < count && status == HED_OK; ++i) {
        int32_t k = run->is_backward ? count - 1 - i : i;
        HedCrest to = pass(loom, run, k);
        if (i > 0) {
            // A step looks the same from both ends; they are counted upwards.
            CrestSpan span = span_from(loom, run, run->is_backward ? k : k - 1);
            for (int32_t j = 1; j < loom->def->points && status == HED_OK; ++j) {
                double part = (double)j / loom->def->points;
                double along, height;
                part = run->is_backward ? 1.0 - part : part;
                hed_crest_point(&span.step, span.from + part * (span.to - span.from), &along,
                                &height);
                status = add_at(loom, run, along, height);
            }
        }
        status = status == HED_OK ? add_crest(loom, run, k, &to) : status;
    }
    return status;
}

// A level tail of half a slot, from its end to the cloth or away from it; without the crest.
static HedStatus add_tail(const Loom* loom, const ThreadRun* run, bool is_start) {
    const HedWovenSystem* system = crossed(loom, run);
    bool is_low = is_start != run->is_backward;
    int32_t k = is_low ? 0 : system->count - 1;
    HedCrest c = pass(loom, run, k);
    int32_t pieces = loom->def->points / 2;
    double way = (is_low ? -0.5 : 0.5) * system->threads[k].spacing;
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < pieces && status == HED_OK; ++i) {
        double part = (double)(is_start ? pieces - i : i + 1) / pieces;
        status = add_at(loom, run, c.at + part * way, c.height);
    }
    return status;
}

static HedStatus begin_yarn(const Loom* loom, const HedWovenSystem* system, int32_t i) {
    const HedThread* thread = &system->threads[i];
    HedFabricYarn yarn = {.color = thread->color,
                          .diameter = thread->diameter,
                          .linear_density = thread->linear_density};
    snprintf(yarn.name, sizeof yarn.name, "%s", system->name);
    return hed_fabric_add_yarn(loom->fabric, &yarn, loom->error);
}

static HedStatus add_warp(const Loom* loom) {
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < loom->woven->warp.count; ++i) {
        ThreadRun run = {.is_warp = true, .thread = i};
        HED_TRY(begin_yarn(loom, &loom->woven->warp, i));
        HED_TRY(add_tail(loom, &run, true));
        HED_TRY(add_steps(loom, &run));
        HED_TRY(add_tail(loom, &run, false));
    }
done:
    return status;
}

// --- weft ---

static bool continues(const Loom* loom, int32_t pick) {
    const HedWovenSystem* weft = &loom->woven->weft;
    if (loom->def->selvedge != HED_SELVEDGE_TURNED || pick == 0) {
        return false;
    }
    const HedThread* a = &weft->threads[pick - 1];
    const HedThread* b = &weft->threads[pick];
    return a->color == b->color && a->diameter == b->diameter &&
           a->linear_density == b->linear_density;
}

// Around the outermost end, from the pick before to this one: straight past the end, half a circle,
// and back, while the height goes over from crest to crest.
static HedStatus add_turn(const Loom* loom, const ThreadRun* run) {
    const HedWoven* w = loom->woven;
    ThreadRun last = {.thread = run->thread - 1, .is_backward = !run->is_backward};
    int32_t end = run->is_backward ? w->warp.count - 1 : 0;
    HedCrest from = pass(loom, &last, end), to = pass(loom, run, end);
    double out = run->is_backward ? 1.0 : -1.0;
    double y = w->weft.centres[last.thread], gap = w->weft.centres[run->thread] - y;
    double past = fmax(from.radius, to.radius);
    double whole = 2.0 * past + 0.5 * PI * gap;
    double piece = w->warp.threads[end].spacing / loom->def->points;
    double wanted = fmin(ceil(whole / piece), 4096.0);
    int32_t pieces = wanted > 6.0 ? (int32_t)wanted : 6;
    HedStatus status = HED_OK;
    for (int32_t i = 1; i < pieces && status == HED_OK; ++i) {
        double t = (double)i / pieces;
        double length = t * whole;
        double angle = fmin(fmax((length - past) / (0.5 * gap), 0.0), PI);
        double straight = fmin(fmin(length, whole - length), past);
        HedVec3 p = {from.at + out * (straight + 0.5 * gap * sin(angle)),
                     y + 0.5 * gap * (1.0 - cos(angle)),
                     from.height + (to.height - from.height) * t * t * (3.0 - 2.0 * t)};
        status = hed_fabric_add_point(loom->fabric, p, loom->error);
    }
    return status;
}

static HedStatus add_crossings(const Loom* loom, int32_t pick, const HedFabricPlace* places) {
    const HedWoven* w = loom->woven;
    HedStatus status = HED_OK;
    for (int32_t end = 0; end < w->warp.count && status == HED_OK; ++end) {
        // All ends have their crests at the same places: a tail first, then step by step.
        int64_t tail = loom->def->points / 2;
        double at = (double)(tail + (int64_t)loom->def->points * pick);
        HedFabricPlace warp = {end, at}, weft = places[end];
        bool is_up = hed_woven_is_up(w, pick, end);
        HedFabricCrossing crossing = {is_up ? warp : weft, is_up ? weft : warp,
                                      hed_woven_is_apart(w, pick, end)};
        status = hed_fabric_add_crossing(loom->fabric, crossing, loom->error);
    }
    return status;
}

static HedStatus add_weft(const Loom* loom) {
    HedStatus status = HED_OK;
    const HedWovenSystem* weft = &loom->woven->weft;
    HedFabricPlace* places = HED_NEW_ARRAY(HedFabricPlace, loom->woven->warp.count);
    if (!places) {
        return hed_fail_memory(loom->error, "crossings of a cloth");
    }
    for (int32_t i = 0; i < weft->count; ++i) {
        bool is_turned = loom->def->selvedge == HED_SELVEDGE_TURNED;
        ThreadRun run = {.thread = i, .is_backward = is_turned && i % 2 == 1, .places = places};
        if (continues(loom, i)) {
            HED_TRY(add_turn(loom, &run));
        } else {
            HED_TRY(begin_yarn(loom, weft, i));
            HED_TRY(add_tail(loom, &run, true));
        }
        HED_TRY(add_steps(loom, &run));
        if (i + 1 == weft->count || !continues(loom, i + 1)) {
            HED_TRY(add_tail(loom, &run, false));
        }
        HED_TRY(add_crossings(loom, i, places));
    }
done:
    hed_free(places);
    return status;
}

// --- the whole ---

static HedStatus add_notes(const HedWeave* weave, HedFabric* fabric, HedError* error) {
    HedStatus status = HED_OK;
    HedWeaveFacts facts;
    HED_TRY(hed_weave_facts(weave, &facts, error));
    if (facts.loose_ends + facts.loose_picks > 0) {
        HED_TRY(hed_fabric_note(fabric, error,
                                "%d ends and %d picks are not interlaced: each lies on one side of "
                                "all that it crosses",
                                facts.loose_ends, facts.loose_picks));
    }
    if (facts.layer_count > 1) {
        HED_TRY(hed_fabric_note(fabric, error,
                                "the cloth has %d layers that nothing holds together",
                                facts.layer_count));
    }
done:
    return status;
}

// A cloth without end is the middle of one that is woven three times in each direction.
enum { REPEATS = 3 };

static HedStatus triple(const HedWeave* weave, HedWeaveDef* def, HedError* error) {
    int32_t* counts[2] = {&def->warp.count, &def->weft.count};
    const int32_t drafted[2] = {weave->end_count, weave->pick_count};
    for (int k = 0; k < 2; ++k) {
        int32_t count = *counts[k] > 0 ? *counts[k] : drafted[k];
        if (count > INT32_MAX / REPEATS) {
            return hed_fail(error, HED_INVALID, "%d threads are too many for a repeat", count);
        }
        *counts[k] = REPEATS * count;
    }
    def->selvedge = HED_SELVEDGE_CUT;
    return HED_OK;
}

// Threads from half way between two crossings to the copy of that place, and their crossings.
static HedStatus cut_repeat(const Loom* loom) {
    HedStatus status = HED_OK;
    const HedWovenSystem* systems[2] = {&loom->woven->warp, &loom->woven->weft};
    int32_t ends = systems[0]->count / REPEATS, picks = systems[1]->count / REPEATS;
    int32_t points = loom->def->points, tail = points / 2;
    HedFabricPiece* pieces = HED_NEW_ARRAY(HedFabricPiece, (int64_t)ends + picks);
    HED_TRY(pieces ? HED_OK : hed_fail_memory(loom->error, "a repeat of a cloth"));
    for (int32_t k = 0; k < ends + picks; ++k) {
        bool is_warp = k < ends;
        int32_t crossed = is_warp ? picks : ends;
        int32_t yarn = is_warp ? ends + k : REPEATS * ends + picks + k - ends;
        double start = (double)points * crossed;
        pieces[k] = (HedFabricPiece){yarn,
                                     start,
                                     start + (double)points * crossed,
                                     points * crossed,
                                     {is_warp ? 0 : 1, is_warp ? 1 : 0}};
    }
    loom->fabric->period[0].x = systems[0]->centres[2 * ends] - systems[0]->centres[ends];
    loom->fabric->period[1].y = systems[1]->centres[2 * picks] - systems[1]->centres[picks];
    HED_TRY(hed_fabric_cut(loom->fabric, pieces, ends + picks, loom->error));
    for (int32_t k = 0; k < ends * picks; ++k) {
        int32_t end = k % ends, pick = k / ends;
        HedFabricPlace warp = {end, tail + (double)points * pick};
        HedFabricPlace weft = {ends + pick, tail + (double)points * end};
        bool is_up = hed_woven_is_up(loom->woven, picks + pick, ends + end);
        HedFabricCrossing crossing = {is_up ? warp : weft, is_up ? weft : warp,
                                      hed_woven_is_apart(loom->woven, picks + pick, ends + end)};
        HED_TRY(hed_fabric_add_crossing(loom->fabric, crossing, loom->error));
    }
done:
    hed_free(pieces);
    return status;
}

HedStatus hed_weave_build(const HedWeave* weave, const HedWeaveDef* given, HedFabric* fabric,
                          HedError* error) {
    HedStatus status = HED_OK;
    HedFabric made = {0};
    HedWoven woven = {0};
    HedWeaveDef whole = *given;
    const HedWeaveDef* def = &whole;
    if (given->is_periodic) {
        HED_TRY(triple(weave, &whole, error));
    }
    HED_TRY(hed_woven_create(weave, def, &made, &woven, error));
    HED_TRY(add_notes(weave, &made, error));
    Loom loom = {&woven, def, &made, error};
    HED_TRY(add_warp(&loom));
    HED_TRY(add_weft(&loom));
    if (def->is_periodic) {
        HED_TRY(cut_repeat(&loom));
    }
    HED_TRY(hed_fabric_sort(&made, error));
done:
    hed_woven_free(&woven);
    if (status != HED_OK) {
        hed_fabric_free(&made);
        return status;
    }
    *fabric = made;
    return HED_OK;
}
