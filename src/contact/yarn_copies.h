// SPDX-License-Identifier: MIT
// Points of a cloth that repeats for ever, and contact of its yarns with their copies.
//
// Two points are no places but the vectors a and b by which the cloth repeats. Every other point of
// the infinite cloth is
//   x = x_own + i a + j b,        linear in the unknowns,
// so forces on copies are added to their own points, and i and j times to a and b: that is the
// derivative of the energy of one repeat by a and b.
//
// There are two kinds of copies. Ends are among the points: a yarn that goes on has the copy of its
// last point before its first one, and those of its first two behind its last one. Images are
// copies of all points, beyond those, for contact alone. Of each two opposite images one is there,
// so that each pair of segments that touch in the infinite cloth is counted once for each repeat.
#ifndef HED_CONTACT_YARN_COPIES_H
#define HED_CONTACT_YARN_COPIES_H

#include "base/clone.h"
#include "contact/yarn_contact.h"
#include "heddle/period.h"

enum { HED_YARN_ENDS = 3 }; // points that a yarn that goes on has more than its own

/// A point that is a copy of another one.
typedef struct HedYarnEnd {
    int32_t point, of;
    HedTurns turns;
} HedYarnEnd;

/// Whose vectors an array for all images holds.
typedef enum HedYarnRoom {
    HED_YARN_ROOM_X,
    HED_YARN_ROOM_V,
    HED_YARN_ROOM_START,
    HED_YARN_ROOM_FORCE,
    HED_YARN_ROOM_COUNT
} HedYarnRoom;

/// Zero-initialise, set point_count and vector, append ends; free with hed_copies_free.
typedef struct HedYarnCopies {
    int32_t point_count; // ends and the two vectors among them
    int32_t vector;      // the point that is a; b is the next one, and 0 if there is none
    HED_ARRAY(HedYarnEnd) ends;

    // Of hed_copies_choose.
    HED_ARRAY(HedTurns) images;
    HedVec3* room[HED_YARN_ROOM_COUNT]; // (1 + images) times all points
    double reach;                       // m, at which the thickest yarns touch
    HedYarnEnd* origin;                 // per point: itself, or what it is a copy of
    double* rows;                       // scratch, one per point
} HedYarnCopies;

static inline bool hed_turns_on(HedTurns turns) {
    return turns.a != 0 || turns.b != 0;
}

/// turns.a a + turns.b b, vector pointing to both.
static inline HedVec3 hed_turns_way(HedTurns turns, const HedVec3* vector) {
    return (HedVec3){turns.a * vector[0].x + turns.b * vector[1].x,
                     turns.a * vector[0].y + turns.b * vector[1].y,
                     turns.a * vector[0].z + turns.b * vector[1].z};
}

/// The three ends of a yarn whose count points stand at first + 1 and behind, the first end at
/// first.
void hed_copies_ends(int32_t first, int32_t count, HedTurns turns, HedYarnEnd ends[HED_YARN_ENDS]);

/// Makes room, and chooses the images that yarns may come near to at x while the vectors shrink to
/// 0.7 of what they are. HED_UNSUPPORTED if yarns are too thick for that.
HedStatus hed_copies_choose(HedYarnCopies* copies, const HedVec3* x, double reach, HedError* error);
void hed_copies_free(HedYarnCopies* copies);

/// Of a plain copy: gives it rooms of its own.
void hed_copies_clone(HedYarnCopies* copies, HedClones* clones);

/// HED_UNSUPPORTED if yarns are near an image that is not there.
HedStatus hed_copies_check(const HedYarnCopies* copies, const HedVec3* x, HedError* error);

/// Vectors (positions, velocities) of ends from those of the other points.
void hed_copies_place(const HedYarnCopies* copies, HedVec3* values);

/// Forces on ends go to their points and to a and b.
void hed_copies_fold(const HedYarnCopies* copies, HedVec3* force);

/// Vectors of all points and images.
int32_t hed_copies_count(const HedYarnCopies* copies);
const HedVec3* hed_copies_spread(const HedYarnCopies* copies, HedYarnRoom room,
                                 const HedVec3* values);

/// Zeros for the forces on all points and images, and where they go.
HedVec3* hed_copies_open(const HedYarnCopies* copies);
void hed_copies_close(const HedYarnCopies* copies, HedVec3* force);

/// A contact that is being made: arrays with room for all images.
typedef struct HedYarnBuild {
    HedCubicSegment* segments;
    double* rest;
    HedYarnCurve* curves;
    HedYarnLead* leads;
    int32_t segment_count, curve_count;
} HedYarnBuild;

/// Appends the images of segments and curves. turns: per curve.
void hed_copies_add_images(const HedYarnCopies* copies, const HedTurns* turns, HedYarnBuild* build);

/// Bounds of rows of the stiffness matrix of `count` points, with or without images, every
/// stride-th number of sum, become those of points that are their own, in copies->rows. is_free: of
/// a and b.
void hed_copies_bound(const HedYarnCopies* copies, const bool is_free[2], const double* sum,
                      int32_t stride, int32_t count);

#endif
