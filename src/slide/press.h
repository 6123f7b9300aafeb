// SPDX-License-Identifier: MIT
#ifndef HED_SLIDE_PRESS_H
#define HED_SLIDE_PRESS_H

#include "slide/model.h"

typedef struct HedPress {
    const HedNetModel* model;
    const double* q;
    const int8_t* sign; // per node, of its crossing; 0: it is none
    double elastic;     // part of the yarns' turns about each other that is not set
    HedVec3* normal;    // per node, out
} HedPress;

/// N, per node: force between its two yarns; below 0 they pull away from each other.
void hed_press_find(const HedPress* press, double* out);

#endif
