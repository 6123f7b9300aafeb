// SPDX-License-Identifier: MIT
// A disc of cloth held on a smaller plate, as Cusick's drape test has it.
#ifndef EXPERIMENT_DRAPE_DISC_H
#define EXPERIMENT_DRAPE_DISC_H

#include "heddle/heddle.h"

static const double DRAPE_RADIUS = 0.15; // m, of the cloth
static const double DRAPE_PLATE = 0.09;  // m, of the plate

typedef struct Fabric {
    const char* name;
    double bending;       // N m
    double density;       // kg/m^2
    double shear;         // N/m
    double stretch;       // N/m
    double least, most;   // of the drape coefficient, as published; both 0: not known
    int32_t resolution;   // sides of triangles along the radius
    int32_t seed;         // of the start's unevenness
    int32_t thread_count; // 0: one per core
} Fabric;

typedef struct Drape {
    double coefficient; // (shadow - plate) / (cloth - plate)
    int32_t folds;
    double deepest;      // m, of the edge below the plate
    double strain;       // largest, along warp or weft
    bool is_at_rest;     // or the solver gave up; the rest is then that of its last good state
    char trouble[240];   // why it did
    int32_t point_count; // of the mesh
} Drape;

/// Lets a fabric hang and measures it. If path is not NULL the cloth is written there (.obj).
HedStatus drape_hang(const Fabric* fabric, const char* path, Drape* drape, HedError* error);

/// Maxima of a closed sequence of count numbers that stand out by more than `least` from the minima
/// on both sides.
int32_t drape_count_maxima(const double* values, int32_t count, double least);

#endif
