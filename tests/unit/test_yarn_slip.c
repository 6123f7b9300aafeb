// SPDX-License-Identifier: MIT
// What counts as slip: sliding around another yarn does, turning together with it does not.
#include "contact/yarn_friction.h"

#include <criterion/criterion.h>
#include <string.h>

// Relative, or of powers below 1 W: sums over eight points.
static const double ROUNDING = 1e-13;

enum { COUNT = 9, POINTS = 2 * COUNT };

static const HedTeam ONE = {.threads = 1};

// Two yarns that cross at a right angle, the first in the plane x y below, the second above it in
// the plane y z. Each is an arc around a centre on the side of the other, as loops of a knit are.
typedef struct Cross {
    HedCubicSegment segments[POINTS];
    double rest_length[POINTS];
    HedYarnCurve curves[2];
    HedVec3 x[POINTS];
    HedYarnContact contact;
    HedContactFrame frame;
} Cross;

typedef struct Arc {
    double radius; // m, of the yarn
    double bend;   // m, of the arc; 0: straight
} Arc;

// Distance s along the arc: how far along its first tangent, and how far up to its centre.
static void place(double bend, double s, double* along, double* up) {
    *along = bend > 0.0 ? bend * sin(s / bend) : s;
    *up = bend > 0.0 ? bend * (1.0 - cos(s / bend)) : 0.0;
}

static void lay(Cross* cross, Arc first, Arc second, double piece) {
    const Arc arc[2] = {first, second};
    double apart = 0.95 * (first.radius + second.radius);
    HedYarnContactDef def = hed_yarn_contact_def_default();
    *cross = (Cross){0};
    for (int32_t i = 0; i < POINTS; ++i) {
        double along, up;
        place(arc[i / COUNT].bend, piece * (i % COUNT - COUNT / 2), &along, &up);
        cross->x[i] = i < COUNT ? hed_vec3(along, up, 0.0) : hed_vec3(0.0, apart - up, along);
    }
    for (int32_t c = 0; c < 2; ++c) {
        cross->curves[c] = (HedYarnCurve){
            HED_CUBIC_CATMULL_ROM, c * (COUNT - 1), COUNT - 1, false, arc[c].radius, 100.0};
        for (int32_t k = 0; k < COUNT - 1; ++k) {
            cross->segments[c * (COUNT - 1) + k] =
                hed_cubic_segment(HED_CUBIC_CATMULL_ROM, c * COUNT, COUNT, false, k);
            cross->rest_length[c * (COUNT - 1) + k] = piece;
        }
    }
    def.point_count = POINTS;
    def.segments = cross->segments;
    def.rest_length = cross->rest_length;
    def.segment_count = POINTS - 2;
    def.curves = cross->curves;
    def.curve_count = 2;
    def.friction = 0.3;
    def.friction_law = HED_YARN_STICTION;
    def.team = &ONE;
    cr_assert_eq(hed_yarn_contact_create(&cross->contact, &def, NULL), HED_OK);
    // In the middle of the segments behind the middle points, a tenth of a piece from the crossing.
    HedYarnTouch touch = {.first = 0.1, .second = 0.1, .push = {0.0, 1.0, 0.0}};
    hed_yarn_contact_frame(&cross->contact, COUNT / 2, COUNT - 1 + COUNT / 2, &touch, cross->x,
                           &cross->frame);
}

// Point n % 4 of segment n / 4 of the contact.
static int32_t point_of(const Cross* cross, int32_t n) {
    return cross->segments[cross->frame.segment[n / 4]].point[n % 4];
}

// Slip at any velocities.
static HedYarnSlip slip_at(Cross* cross, const HedVec3* v) {
    hed_yarn_find_spins(&cross->contact, cross->x, v);
    return hed_yarn_slip(&cross->contact, &cross->frame, v, cross->contact.spin);
}

static const double R = 0.5e-3; // m

// Along itself at 1 m/s around a straight yarn that does not move: the surface of the first slides
// at the radius of the second, its centre line at the sum of both.
Test(yarn_slip, sliding_around_a_yarn_is_slip) {
    static const double THICK[2] = {1.0, 10.0}; // of the second, over the first
    for (int n = 0; n < 2; ++n) {
        Cross cross;
        HedVec3 v[POINTS] = {{0}};
        double second = THICK[n] * R;
        double bend = 0.95 * (R + second);
        lay(&cross, (Arc){R, bend}, (Arc){second, 0.0}, 0.8 * R);
        for (int32_t i = 0; i < COUNT; ++i) {
            v[i] = hed_cross3(hed_vec3(0.0, 0.0, 1.0 / bend),
                              hed_sub3(cross.x[i], hed_vec3(0.0, bend, 0.0)));
        }
        double expected = second / (R + second);
        double slip = hed_norm3(slip_at(&cross, v).slip);
        // Points that follow a circle as a polyline does: (piece / bend)^2 / 8 off at most.
        double tolerance = 0.16 * R * R / (2.0 * bend * bend) + 1e-9;
        cr_assert_float_eq(slip, expected, tolerance, "%g instead of %g", slip, expected);
        hed_yarn_contact_free(&cross.contact);
    }
}

// What is left of a common rotation: around each yarn the part 1/(1 + c^2) is not seen, c the
// curvature in units of SHARP = 0.15 over the sum of radii.
Test(yarn_slip, a_common_rotation_is_little_slip_of_bent_yarns) {
    static const double BEND[3] = {1.5, 2.5, 4.0}; // over 2 R
    static const double PIECE[2] = {0.5, 1.5};     // over R
    for (int n = 0; n < 6; ++n) {
        Cross cross;
        double bend = BEND[n % 3] * 2.0 * R;
        HedVec3 axis = hed_vec3(0.6, -0.5, 0.8);
        HedVec3 v[POINTS];
        lay(&cross, (Arc){R, bend}, (Arc){R, bend}, PIECE[n / 3] * R);
        for (int32_t i = 0; i < POINTS; ++i) {
            v[i] = hed_add3(hed_vec3(1.0, 2.0, 3.0), hed_cross3(axis, cross.x[i]));
        }
        double c = 2.0 * R / (0.15 * bend);
        HedYarnSlip slip = slip_at(&cross, v);
        // Both yarns add up; 1.3: tangents at the place of contact and of the four points differ.
        double most = 1.3 * R * (fabs(axis.x) + fabs(axis.z)) / (1.0 + c * c);
        cr_assert_lt(hed_norm3(slip.slip), most, "%g of %g", hed_norm3(slip.slip), most);
        cr_assert_lt(hed_distance3(slip.turn, axis), 1.3 / (1.0 + c * c));
        hed_yarn_contact_free(&cross.contact);
    }
}

// Forces sum to nothing; their moments but for what straight yarns take up as twist; power is that
// of the force along the slip.
Test(yarn_slip, forces_balance_and_have_the_power_of_slip) {
    for (int n = 0; n < 2; ++n) {
        Cross cross;
        HedVec3 force = hed_vec3(0.3, 0.0, -0.2);
        double out[2][12] = {{0.0}};
        lay(&cross, (Arc){R, n == 0 ? 0.0 : 3.0 * R}, (Arc){1.5 * R, n == 0 ? 0.0 : 3.0 * R}, R);
        HedVec3 v[POINTS], sum = {0}, moment = {0};
        double power = 0.0;
        for (int32_t i = 0; i < POINTS; ++i) {
            v[i] = hed_vec3(sin(3.0 * i), cos(5.0 * i), sin(7.0 * i + 1.0));
        }
        double expected = hed_dot3(force, slip_at(&cross, v).slip);
        hed_yarn_spread(&cross.contact, &cross.frame, force, (double*[]){out[0], out[1]});
        for (int32_t k = 0; k < 8; ++k) {
            int32_t i = point_of(&cross, k);
            const double* f = out[k / 4] + k % 4;
            HedVec3 at = hed_vec3(f[0], f[4], f[8]);
            sum = hed_add3(sum, at);
            moment = hed_add3(moment, hed_cross3(cross.x[i], at));
            power += hed_dot3(at, v[i]);
        }
        cr_assert_float_eq(power, expected, ROUNDING);
        // Weights of forces of 0.3, which add up to one but for some ten roundings of up to 20 of
        // them.
        cr_assert_lt(hed_norm3(sum), 1e-14);
        if (n == 0) { // all of the moments around the two yarns, along x and z
            cr_assert_float_eq(fabs(moment.x), 0.2 * 0.95 * R, ROUNDING * R);
            cr_assert_float_eq(fabs(moment.z), 0.3 * 0.95 * 1.5 * R, ROUNDING * R);
        } else {
            double c = 2.5 * R / (0.15 * 3.0 * R);
            cr_assert_lt(hed_norm3(moment), 1.3 * 0.5 * 1.5 * R / (1.0 + c * c));
        }
        hed_yarn_contact_free(&cross.contact);
    }
}

// The bound of steps needs how much the slip changes with each point: never less than it does.
Test(yarn_slip, levers_are_bounds) {
    for (int n = 0; n < 3; ++n) {
        Cross cross;
        lay(&cross, (Arc){R, n * 1.5 * R}, (Arc){1.5 * R, 2.0 * R}, 0.7 * R);
        for (int32_t k = 0; k < 24; ++k) {
            HedVec3 v[POINTS] = {{0}};
            int32_t i = point_of(&cross, k / 3);
            (&v[i].x)[k % 3] = 1.0;
            double slip = hed_norm3(slip_at(&cross, v).slip);
            double lever = hed_yarn_levers(&cross.contact, &cross.frame, k / 12)[k / 3 % 4];
            cr_assert_leq(slip, lever * (1.0 + ROUNDING));
        }
        hed_yarn_contact_free(&cross.contact);
    }
}
