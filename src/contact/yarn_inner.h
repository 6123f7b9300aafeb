// SPDX-License-Identifier: MIT
// What the files of yarn contact share: records of sampled segments and the places of sums.
//
// Record of a segment, all rows filled up to whole spans:
//   balls of spans: centre x, y, z and radius     [4][ball_row]
//   positions of quadrature points                [3][row]
//   their velocities                              [3][row]
#ifndef HED_CONTACT_YARN_INNER_H
#define HED_CONTACT_YARN_INNER_H

#include "contact/yarn_contact.h"

enum {
    HED_YARN_SLOT = 12,    // forces on the four points of a segment, [3][4]
    HED_YARN_LIMIT = 8,    // bounds on stiffness and damping of the four points, [2][4]
    HED_YARN_TURN = 6,     // xx, yy, zz, xy, xz, yz of a symmetric matrix
    HED_YARN_STRIP = 1024, // points of one unit of parallel work
    // Sums per block.
    HED_YARN_ENERGY = 0,
    HED_YARN_STORED,
    HED_YARN_DAMPED,
    HED_YARN_RUBBED,
    HED_YARN_DEEPEST, // the least u
    HED_YARN_TOUCHING,
    HED_YARN_POINTS,
    HED_YARN_MOTION, // m^2, scratch
    HED_YARN_PARTIALS = 8
};

static inline double* hed_yarn_balls(const HedYarnContact* y, int32_t segment) {
    return y->sample + (int64_t)segment * y->record;
}

static inline double* hed_yarn_positions(const HedYarnContact* y, int32_t segment) {
    return hed_yarn_balls(y, segment) + 4 * (size_t)y->ball_row;
}

static inline double* hed_yarn_velocities(const HedYarnContact* y, int32_t segment) {
    return hed_yarn_positions(y, segment) + 3 * (size_t)y->row;
}

/// Weights of a kind of segment, [row][4], and behind them the same as [4][row].
static inline double* hed_yarn_table(const HedYarnContact* y, int basis, int place) {
    return y->table + (int64_t)(basis * HED_CUBIC_PLACES + place) * y->row * 8;
}

static inline const double* hed_yarn_weights(const HedYarnContact* y, int32_t segment) {
    return hed_yarn_table(y, y->curves[y->curve_of[segment]].basis, y->segments[segment].place);
}

static inline const HedCubicMatrix* hed_yarn_matrix(const HedYarnContact* y, int32_t segment) {
    return hed_cubic_matrix(y->curves[y->curve_of[segment]].basis, y->segments[segment].place);
}

static inline double hed_yarn_radius(const HedYarnContact* y, int32_t segment) {
    return y->curves[y->curve_of[segment]].radius;
}

/// Whether the pair of segments i <= j counts: not if both are copies.
static inline bool hed_yarn_is_counted(const HedYarnContact* y, int32_t i) {
    return i < y->own_count;
}

/// Segments of a block.
typedef struct HedYarnBlock {
    int32_t first, end;
} HedYarnBlock;

static inline HedYarnBlock hed_yarn_block(const HedYarnContact* y, int32_t block) {
    int32_t first = block * HED_YARN_BLOCK;
    return (HedYarnBlock){first, hed_min_i32(first + HED_YARN_BLOCK, y->def.segment_count)};
}

/// Distance along the yarn in m between places a and b of one curve, the short way round if it is
/// closed.
static inline double hed_yarn_arc_between(const HedYarnContact* y, int32_t curve, double a,
                                          double b) {
    double way = fabs(a - b);
    double round = y->curve_length[curve] - way;
    return y->curves[curve].is_closed && round < way ? round : way;
}

/// yarn_sample.c: positions of quadrature points and balls around them; and velocities there, or
/// any other vectors of points.
void hed_yarn_sample(HedYarnContact* y, const HedVec3* x);
void hed_yarn_sample_velocities(HedYarnContact* y, const HedVec3* v);

/// yarn_friction.c: how segments turn at the positions x with velocities v: spins, and the matrices
/// for them.
void hed_yarn_find_spins(HedYarnContact* y, const HedVec3* x, const HedVec3* v);

/// yarn_blocks.c
void hed_yarn_blocks_free(HedYarnBlocks* blocks);

/// yarn_ccd_cull.c: whether two segments started in each other.
bool hed_yarn_is_merged(const HedYarnContact* y, int32_t i, int32_t j);

/// yarn_list.c: the most that a point moved beyond a common motion of all, m; infinite for a NaN.
double hed_yarn_motion(const HedYarnContact* y, const HedVec3* from, const HedVec3* to);

/// The same of all places of curves, by more work: not more than reach_most times that of points.
double hed_yarn_curve_motion(const HedYarnContact* y, const HedVec3* from, const HedVec3* to);

/// yarn_list.c: whether the list holds all that may touch at x, and making a new one there.
bool hed_yarn_list_holds(const HedYarnContact* y, const HedVec3* x);
HedStatus hed_yarn_list_make(HedYarnContact* y, const HedVec3* x, HedError* error);

/// Number of the pair of segments i < j on the list, or -1.
int32_t hed_yarn_find_pair(const HedYarnContact* y, int32_t i, int32_t j);

/// What friction remembers of it, on the list or waiting off it since the step began; push 0:
/// nothing.
const HedYarnPatch* hed_yarn_find_patch(const HedYarnContact* y, int32_t i, int32_t j);

#endif
