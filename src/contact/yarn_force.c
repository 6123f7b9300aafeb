// SPDX-License-Identifier: MIT
#include "contact/yarn_pairs_evaluate.h"

static HedYarnKind kind_of(const HedYarnContact* y) {
    return (HedYarnKind){
        .is_pushed = true,
        .is_moving = y->def.damping_along > 0.0 || y->def.damping_across > 0.0,
        .is_rubbing = y->def.friction_law != HED_YARN_NO_FRICTION && y->def.friction > 0.0,
    };
}

static HedYarnSum add_force(HedYarnContact* y, const HedYarnPairsEval* eval, HedVec3* force) {
    if (eval->kind.is_moving) {
        hed_yarn_sample_velocities(y, eval->at.v);
    }
    hed_yarn_pairs_evaluate(y, eval);
    hed_yarn_gather(y, force);
    double least = 1.0;
    for (int32_t b = 0; b < y->block_count; ++b) {
        least = fmin(least, y->partial[(int64_t)b * HED_YARN_PARTIALS + HED_YARN_DEEPEST]);
    }
    y->counts.touching_pairs = (int64_t)hed_yarn_total(y, HED_YARN_TOUCHING);
    y->counts.point_pairs = (int64_t)hed_yarn_total(y, HED_YARN_POINTS);
    y->rubbed = hed_yarn_total(y, HED_YARN_RUBBED);
    return (HedYarnSum){
        .energy = hed_yarn_total(y, HED_YARN_ENERGY),
        .stored = hed_yarn_total(y, HED_YARN_STORED),
        .damped = hed_yarn_total(y, HED_YARN_DAMPED),
        .rubbed = y->rubbed,
        .deepest = sqrt(least),
    };
}

HedYarnSum hed_yarn_add_force(HedYarnContact* contact, HedYarnState at, HedVec3* force) {
    HedYarnPairsEval eval = {kind_of(contact), at, 0.0};
    return add_force(contact, &eval, force);
}

HedYarnSum hed_yarn_add_force_rated(HedYarnContact* contact, HedYarnState at, HedYarnBound bound,
                                    HedVec3* force, HedYarnRate* rate) {
    HedYarnPairsEval eval = {kind_of(contact), at, bound.part};
    eval.kind.is_rated = true;
    HedYarnSum sum = add_force(contact, &eval, force);
    *rate = hed_yarn_take_rate(contact, bound);
    return sum;
}

// The segment after (step 1) or before (step -1) another on its yarn, or -1.
static int32_t next_to(const HedYarnContact* y, int32_t segment, int32_t step) {
    const HedYarnCurve* curve = &y->curves[y->curve_of[segment]];
    int32_t k = segment - curve->first_segment + step;
    if (k >= 0 && k < curve->segment_count) {
        return curve->first_segment + k;
    }
    return curve->is_closed
               ? curve->first_segment + (k + curve->segment_count) % curve->segment_count
               : -1;
}

// A contact that is new starts with the strain of the contacts next to it on both yarns, weighed by
// their normal forces. The sum turns its sign where the neighbour stands on the list the other way
// round: strain belongs to the second segment's slip against the first.
static HedVec3 inherit(const HedYarnContact* y, int32_t i, int32_t j) {
    HedVec3 sum = {0.0, 0.0, 0.0};
    double push = 0.0;
    for (int32_t k = 0; k < 9; ++k) {
        int32_t a = next_to(y, i, k / 3 - 1);
        int32_t b = next_to(y, j, k % 3 - 1);
        if (a < 0 || b < 0 || a == b) {
            continue;
        }
        const HedYarnPatch* patch = hed_yarn_find_patch(y, hed_min_i32(a, b), hed_max_i32(a, b));
        if (patch->push > 0.0) { // the strain of others is being written
            sum = hed_madd3(sum, a < b ? patch->push : -patch->push, patch->strain);
            push += patch->push;
        }
    }
    return push > 0.0 ? hed_mul3(1.0 / push, sum) : sum;
}

// The strain of a contact after a step.
static HedYarnPatch advance_patch(const HedContactFrame* frame, HedYarnSlip slip, HedVec3 strain,
                                  double h) {
    double size = hed_norm3(strain);
    HedVec3 turned = hed_madd3(strain, h, hed_cross3(slip.turn, strain));
    HedVec3 flat = hed_yarn_across(frame, turned);
    flat = hed_mul3(size, hed_unit3(flat, hed_vec3(0.0, 0.0, 0.0)));
    HedVec3 z = hed_madd3(flat, h / frame->give, slip.slip);
    double moves = hed_friction_follow(hed_norm3(z), (HedFriction){1.0, 1.0});
    return (HedYarnPatch){hed_mul3(1.0 - moves, z), frame->push};
}

// Friction takes h F . s from the motion, with the mean of s at both ends of the step; this is the
// share of the end. What is not in the contact afterwards has become heat.
static double advance_segment(HedYarnContact* y, HedYarnState at, double h, int32_t i) {
    double heat = 0.0;
    for (int32_t pair = y->list.first[i]; pair < y->list.first[i + 1]; ++pair) {
        HedYarnPatch* patch = &y->list.patch[pair];
        int32_t slot = y->list.slot[pair];
        if (slot < 0 && !(patch->push > 0.0)) {
            continue;
        }
        int32_t j = y->list.other[pair];
        double give = y->def.presliding * (hed_yarn_radius(y, i) + hed_yarn_radius(y, j));
        heat += hed_yarn_stored(y, patch, give);
        if (slot < 0) {
            *patch = (HedYarnPatch){{0.0, 0.0, 0.0}, 0.0};
            continue;
        }
        const HedYarnTouch* touch = &y->list.touch[slot];
        HedContactFrame frame;
        hed_yarn_contact_frame(y, i, j, touch, at.x, &frame);
        HedYarnSlip slip = hed_yarn_slip(y, &frame, at.v, y->spin);
        *patch = advance_patch(&frame, slip, patch->strain, h);
        heat += 0.5 * h * hed_dot3(touch->rub, slip.slip) - hed_yarn_stored(y, patch, give);
    }
    return heat;
}

// J, in contacts that parted and are off the list.
static double kept_energy(const HedYarnContact* y) {
    double sum = 0.0;
    for (int32_t k = 0; k < y->kept.count; ++k) {
        const HedYarnKept* kept = &y->kept.data[k];
        double reach = hed_yarn_radius(y, kept->first) + hed_yarn_radius(y, kept->second);
        sum += hed_yarn_stored(y, &kept->patch, y->def.presliding * reach);
    }
    return sum;
}

double hed_yarn_advance(HedYarnContact* contact, HedYarnState at, double h) {
    HedYarnContact* y = contact;
    if (!kind_of(y).is_rubbing || y->def.friction_law != HED_YARN_STICTION) {
        return 0.0;
    }
    hed_yarn_find_spins(y, at.x, at.v);
    // Contacts that are new read what old ones hold (push > 0), and no old one changes here.
#pragma omp parallel for schedule(dynamic, 1)                                                      \
    num_threads(hed_team_size(y->def.team, INT64_C(300) * y->def.segment_count))
    for (int32_t block = 0; block < y->block_count; ++block) {
        HedYarnBlock range = hed_yarn_block(y, block);
        for (int32_t i = range.first; i < range.end; ++i) {
            for (int32_t k = y->list.first[i]; k < y->list.first[i + 1]; ++k) {
                if (y->list.slot[k] >= 0 && !(y->list.patch[k].push > 0.0)) {
                    y->list.patch[k].strain = inherit(y, i, y->list.other[k]);
                }
            }
        }
    }
#pragma omp parallel for schedule(dynamic, 1)                                                      \
    num_threads(hed_team_size(y->def.team, INT64_C(300) * y->def.segment_count))
    for (int32_t block = 0; block < y->block_count; ++block) {
        HedYarnBlock range = hed_yarn_block(y, block);
        double heat = 0.0;
        for (int32_t i = range.first; i < range.end; ++i) {
            heat += advance_segment(y, at, h, i);
        }
        y->partial[(int64_t)block * HED_YARN_PARTIALS] = heat;
    }
    double lost = kept_energy(y);
    y->kept.count = 0;
    return hed_yarn_total(y, 0) + 0.5 * h * y->rubbed + lost;
}
