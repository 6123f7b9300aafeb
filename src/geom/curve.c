// SPDX-License-Identifier: MIT
// Facts about yarn curves.
#include "heddle/file.h"

int32_t hed_curve_segment_count(const HedCurve* curve) {
    return curve->is_closed ? curve->count : curve->count - 1;
}
