// SPDX-License-Identifier: MIT
// Damping of the motion that is not rigid, over fixed regions of points: what the fuzz of yarns
// does to the motion of neighbours (Kaldor 2011, 4.2.3 and 4.5.2).
//
// In each region the velocities v are compared with those of the rigid body that has the region's
// momentum and angular momentum, and a part s of the difference d is taken off,
//   s = min(1, max(proportional, constant sqrt(k) / |d|)),      k points, |d| over all 3k numbers.
// Kaldor's first form is proportional = alpha, constant = 0, applied over small and then
// over large regions; the second is proportional = h mu_prop, constant = h mu_const (m/s), which
// brings slow motion to rest in finite time.
//
// A point in r regions belongs to each with the r-th part of its mass and takes the r-th part of
// what each asks for. So regions may overlap, and each still keeps momentum and angular momentum on
// its own: nothing has to be corrected afterwards.
#ifndef HED_MODEL_NONRIGID_H
#define HED_MODEL_NONRIGID_H

#include "base/array.h"
#include "base/parallel.h"
#include "base/status.h"
#include "heddle/vec.h"

typedef struct HedRegionMotion {
    HedVec3 center, velocity, spin; // m, m/s, rad/s
    double part;                    // s over the region
} HedRegionMotion;

typedef struct HedRegions {
    int32_t count;
    int32_t* first; // count + 1
    int32_t* point;
    int32_t point_count;
    int32_t* of_first; // point_count + 1: the regions of each point
    int32_t* of;
    HedRegionMotion* motion;
} HedRegions;

/// Region r holds point[first[r]] .. point[first[r + 1] - 1], no point twice. Copied. Points of no
/// region are never touched.
HedStatus hed_regions_create(HedRegions* regions, const int32_t* first, const int32_t* point,
                             int32_t count, int32_t point_count, HedError* error);
void hed_regions_free(HedRegions* regions);

/// Regions that are being collected. Zero-initialise; free with hed_region_lists_free.
typedef struct HedRegionLists {
    HED_ARRAY(int32_t) first; // empty, or one more than there are regions
    HED_ARRAY(int32_t) point;
} HedRegionLists;

void hed_region_lists_free(HedRegionLists* lists);
int32_t hed_region_lists_count(const HedRegionLists* lists);

/// Puts a point to the region at hand; ends that region. False: no memory.
bool hed_region_lists_add(HedRegionLists* lists, int32_t point);
bool hed_region_lists_end(HedRegionLists* lists);

/// As hed_regions_create.
HedStatus hed_regions_of_lists(HedRegions* regions, const HedRegionLists* lists,
                               int32_t point_count, HedError* error);

/// A yarn, or a part of one, as far as regions are concerned.
typedef struct HedRegionYarn {
    int32_t first;
    int32_t point_count;
    bool is_closed;
    const double* length; // m, of its segments
} HedRegionYarn;

/// Adds regions of about `size` m of each yarn, for yarns without a fabric around them. Each starts
/// in the middle of the one before; the last of an open yarn ends with it.
HedStatus hed_regions_along(const HedRegionYarn* yarns, int32_t count, double size,
                            HedRegionLists* lists, HedError* error);

typedef struct HedNonrigid {
    double proportional; // of the difference, per call
    double constant;     // m/s, per call
} HedNonrigid;

/// Damps v. A region of one point, or of none with mass, is left alone; points in one line keep
/// their angular momentum too.
void hed_nonrigid_damp(HedRegions* regions, const HedTeam* team, HedNonrigid by, const HedVec3* x,
                       const double* mass, HedVec3* v);

/// A state of regions.
typedef struct HedRegionsAt {
    HedRegions* regions;
    const HedTeam* team;
    const HedVec3* x;   // m
    const HedVec3* v;   // m/s
    const double* mass; // kg
} HedRegionsAt;

/// W that damping takes from each point, with proportional in 1/s and constant in m/s^2.
void hed_nonrigid_power(const HedRegionsAt* at, HedNonrigid rate, double* power);

#endif
