// SPDX-License-Identifier: MIT
#include "embed/embed.h"
#include "math/vec3.h"

#include <math.h>

// Columns along y, faces along z; where they cancel out, the widest extent lies along x.
void hed_places_turn(HedLoopPlace* places, int32_t count) {
    HedVec3 centre = {0}, up = {0}, face = {0};
    for (int32_t i = 0; i < count; ++i) {
        centre = hed_madd3(centre, 1.0 / count, places[i].position);
        up = hed_madd3(up, 1.0 / count, places[i].up);
        face = hed_madd3(face, 1.0 / count, places[i].face);
    }
    HedVec3 y = hed_norm3(up) > 0.05 ? hed_unit3(up, up) : places[0].up;
    if (hed_norm3(hed_cross3(face, y)) < 0.2) {
        double moment[4] = {0};
        HedVec3 a = hed_perpendicular3(y);
        HedVec3 b = hed_cross3(y, a);
        for (int32_t i = 0; i < count; ++i) {
            HedVec3 from = hed_sub3(places[i].position, centre);
            double s = hed_dot3(from, a), t = hed_dot3(from, b);
            moment[0] += s * s;
            moment[1] += s * t;
            moment[2] += s * t;
            moment[3] += t * t;
        }
        double angle = 0.5 * atan2(2.0 * moment[1], moment[0] - moment[3]); // of the widest axis
        face = hed_madd3(hed_mul3(-sin(angle), a), cos(angle), b);
    }
    HedVec3 z = hed_unit3(hed_madd3(face, -hed_dot3(face, y), y), hed_perpendicular3(y));
    HedVec3 x = hed_cross3(y, z);
    for (int32_t i = 0; i < count; ++i) {
        HedVec3* all[4] = {&places[i].position, &places[i].right, &places[i].up, &places[i].face};
        *all[0] = hed_sub3(*all[0], centre);
        for (int32_t k = 0; k < 4; ++k) {
            *all[k] = hed_vec3(hed_dot3(*all[k], x), hed_dot3(*all[k], y), hed_dot3(*all[k], z));
        }
    }
}
