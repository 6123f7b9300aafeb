// SPDX-License-Identifier: MIT
// What the experiments with sliding yarns share: a plain weave, its crossing network, a simulation
// of it that is stepped by hand, and what is read off it.
#ifndef EXPERIMENT_SLIDE_LAB_H
#define EXPERIMENT_SLIDE_LAB_H

#include "experiment/yarn_lab.h"

/// A plain weave, alike in both directions.
typedef struct SlideCloth {
    int32_t ends, picks;
    double spacing;  // m
    double diameter; // m
    double density;  // kg/m
    double angle;    // rad, turned by this before a rectangle is cut out of it:
    double width;    // m; 0: it is not cut
    double height;   // m
    double flat;     // yarns are this much wider in the cloth than they are thick; 0: round
    double turn;     // rad, of the whole about z, after that
} SlideCloth;

/// Zero-initialise; end with slide_trial_end.
typedef struct SlideTrial {
    YarnTrial trial; // the first failure stays in it
    HedNet net;      // as at the start
    HedYarnsId yarns;
    HedVec3* x;    // m, per node; slide_trial_read
    double* along; // m, two per node: along its yarns
    YarnCurves curves;
} SlideTrial;

/// The crossing network of a cloth; free with hed_net_free.
HedStatus slide_net(SlideCloth cloth, HedNet* net, HedError* error);

/// Weaves, makes the network and begins. def.net is set here.
void slide_trial_begin(SlideTrial* s, HedLab* lab, SlideCloth cloth, HedSimDef sim,
                       HedSlidingDef def);
void slide_trial_end(SlideTrial* s);

/// Node number k of a yarn, from its start, or from its end for k < 0 (-1: the last).
int32_t slide_node(const HedNet* net, int32_t yarn, int32_t k);

/// Holds nodes, which go along with keyframes if there are any.
HedPinId slide_trial_hold(SlideTrial* s, const int32_t* nodes, int32_t count, bool clamps,
                          const HedKeyframe* keys, int32_t key_count);

/// Goes on to a time; brings x and along up to date.
bool slide_trial_go(SlideTrial* s, double time);
void slide_trial_read(SlideTrial* s);

/// Draws the yarns, not in a quick run.
void slide_trial_draw(SlideTrial* s, HedLab* lab, const char* picture, const double view[2]);

#endif
