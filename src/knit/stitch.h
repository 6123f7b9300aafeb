// SPDX-License-Identifier: MIT
// The shape of one loop of knitting.
//
// A plain loop over t in [-pi, pi], from the middle of one sinker to the middle of the next, with
// wale spacing W and course spacing C (the head is at t = 0, the feet at |t| = 2.5):
//   x = W (t / 2 pi + A sin 2t + B sin 4t),   y = H cos t,   z = -D cos 2t
// in the frame of its feet; the loop of the next row stands at y + C. Its curve crosses the loop
// below four times: its foot (|t| = 2.85) behind the leg below, its leg (|t| = 1.92) in front of
// the head below. So the loop above crosses this one at |t| = 1.2 and 0.27.
//
// That separates what depends on whom. Feet and lower legs belong to the frame and the side of the
// loop itself, upper legs and head to the frame and the side of the loop that is pulled through it.
// Whatever the two are, the yarn changes from one to the other in the middle of the legs; this is
// how loops lean, are held over rows, cross others, and change between knit and purl.
#ifndef HED_KNIT_STITCH_H
#define HED_KNIT_STITCH_H

#include "base/status.h"
#include "math/vec3.h"

/// Measures of a plain loop, m.
typedef struct HedStitchShape {
    double wale;     ///< W
    double course;   ///< C
    double height;   ///< H
    double depth;    ///< D
    double diameter; ///< of the yarn
} HedStitchShape;

/// The shape whose curve has a given length per loop. Refused: lengths under 12 diameters, which no
/// knitted loop has.
HedStatus hed_stitch_shape(double loop_length, double diameter, HedStitchShape* shape,
                           HedError* error);

/// Length of yarn in a plain loop, about.
static inline double hed_stitch_length(const HedStitchShape* shape) {
    return 3.9 * shape->wale;
}

/// Where a loop stands: across (to the right), up, towards the face. The axes may be scaled. The
/// surface bends away from the face: a way to x across and y up (m along it) is part of a circle of
/// curvature (bend[0] x^2 + 2 bend[1] x y + bend[2] y^2) / (x^2 + y^2).
typedef struct HedStitchFrame {
    HedVec3 origin, right, up, face;
    double bend[3]; ///< 1/m
} HedStitchFrame;

/// How one loop of a fabric differs from the plain one.
typedef struct HedStitchLoop {
    HedStitchFrame foot;
    HedStitchFrame head;          ///< Of its head: the frame of the loop above, one course down.
    double direction;             ///< 1 to the right, -1 to the left.
    double side;                  ///< 1 knit, -1 purl.
    double first_side, last_side; ///< Of the loops pulled through it, along the yarn.
    double widen;      ///< m, added on each side of the head: several loops come through.
    double head_shift; ///< m towards the face, of head and upper legs: stacks.
    double foot_shift; ///< m, of the feet: below a stack.
    double leg_shift;  ///< m, of the middle of the legs: cables.
    double leg_spread; ///< m, more for the leg behind the head than for the one before it.
    bool is_twisted;
    bool is_laid; ///< It is pulled through nothing.
} HedStitchLoop;

/// Parameter from which on the yarn between two loops begins.
#define HED_STITCH_FOOT 2.5

/// The point at |t| <= HED_STITCH_FOOT.
HedVec3 hed_stitch_point(const HedStitchShape* shape, const HedStitchLoop* loop, double t);

/// How the yarn runs between two loops.
typedef struct HedSinker {
    const HedStitchLoop* from;
    const HedStitchLoop* to;
    double depth;  ///< m towards the face, of the middle part, if is_float.
    double sag;    ///< m, a float hangs lower by this.
    double length; ///< m, of a float, roughly.
    double
        beyond;  ///< m along `right` from the origin of `from`: a float goes there before it turns.
    double turn; ///< m, how widely it turns there: a quarter of this goes beyond.
    double leave; ///< m from its loops: there it begins to go to its depth.
    bool is_float;
    bool is_carried; ///< It is a float that goes to the edge and turns there.
} HedSinker;

/// The point at s in [0, 1]: 0 is t = HED_STITCH_FOOT of `from`, 1 is -HED_STITCH_FOOT of `to`.
HedVec3 hed_sinker_point(const HedStitchShape* shape, const HedSinker* sinker, double s);

#endif
