// SPDX-License-Identifier: MIT
// Segments on their way through a step: what yarn_ccd.c and yarn_ccd_cull.c share.
#ifndef HED_CONTACT_SWEPT_SEGMENT_H
#define HED_CONTACT_SWEPT_SEGMENT_H

#include "contact/yarn_ccd.h"
#include "contact/yarn_inner.h"

enum { HED_YARN_CHORDS = 4 }; // that a segment is cut into

/// Number 0 of a pair is the start, 1 the end of the step.
typedef struct HedSweptSegment {
    int32_t segment;
    HedCubic cubic[2];
    HedVec3 knot[2][HED_YARN_CHORDS + 1]; // m, ends of the chords
    double chord[2][HED_YARN_CHORDS];     // m, their lengths
    double bend;                          // m, most of the second derivative at all times
    double bulge;                         // m, how far the curve gets from its chords
    HedVec3 center;                       // m, of a ball around the segment at the start
    double radius;                        // m, of that ball
    HedVec3 shift;                        // m, mean way of the four points
    double wander;                        // m, how much further from it than shift a place may get
} HedSweptSegment;

/// The way of one segment.
HedSweptSegment hed_yarn_swept_segment(const HedYarnContact* y, int32_t segment,
                                       const HedVec3* start, const HedVec3* end);

/// Fills all ways; makes room when first used.
HedStatus hed_yarn_fit_swept_segments(HedYarnContact* y, const HedVec3* start, const HedVec3* end,
                                      HedError* error);

/// Chord a of segment i and chord b of segment j > i, or a later one of the same: whether they are
/// neighbours along their yarn, which do not push each other.
bool hed_yarn_are_joined(const HedYarnContact* y, int32_t i, int a, int32_t j, int b);

/// Looks for meetings of two segments, j >= i, earlier than what is known.
void hed_yarn_meet(const HedYarnContact* y, int32_t i, int32_t j, HedYarnMeeting* earliest);

/// The same, and whether they come nearer to each other by more than share of r_i + r_j, counted
/// from where they touch. Returns how far their centre lines are apart at the start, m, at most
/// r_i + r_j; 0 or less if that is not known.
double hed_yarn_watch(const HedYarnContact* y, int32_t i, int32_t j, double share,
                      HedYarnMeeting* earliest);

/// All pairs of segments whose ways come near each other, found by the tree.
HedStatus hed_yarn_ccd_tree(HedYarnContact* y, double share, HedYarnMeeting* meeting,
                            HedError* error);

/// The earliest of what the blocks found; HED_NO_MEMORY if one says so by -1 chord pairs.
HedStatus hed_yarn_collect(const HedYarnContact* y, HedYarnMeeting* meeting, HedError* error);

#endif
