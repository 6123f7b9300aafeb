// SPDX-License-Identifier: MIT
#include "knit/stitch.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

// Of W. These keep the surfaces of yarns apart as far as possible for a given length of yarn, with
// the courses that relaxed plain knits have: a loop is 3.9 W and 5.1 C long (Munden 1959 measured
// 3.8 and 5.0).
static const double BULGE = 0.246;
static const double BULGE_4 = 0.0172;
static const double HEIGHT = 0.592;
static const double COURSE = 0.763;
// Half the way between front and back, in diameters. Crossing yarns are 1.57 of it apart.
static const double DEPTH = 0.736;
// Ranges of |t| over which properties change from those of the feet to those of the head.
static const double LEG_LOW = 1.9;
static const double LEG_HIGH = 1.42;
static const double LEG_DOWN = 1.8;
// Diameters towards the face that lead to another sheet, and courses over which a leg goes there.
static const double SHEET = 3.0;
static const double SHEET_RISE = 0.6;

// 0 below a, 1 above b, smooth between; a > b turns it round.
static double ramp(double a, double b, double x) {
    double s = (x - a) / (b - a);
    s = s < 0.0 ? 0.0 : (s > 1.0 ? 1.0 : s);
    return s * s * (3.0 - 2.0 * s);
}

static double mix(double a, double b, double s) {
    return a + s * (b - a);
}

// x over W, and how it changes with t.
static double plain_x(double t) {
    return t / (2.0 * PI) + BULGE * sin(2.0 * t) + BULGE_4 * sin(4.0 * t);
}

static double plain_slope(double t) {
    return 0.5 / PI + 2.0 * BULGE * cos(2.0 * t) + 4.0 * BULGE_4 * cos(4.0 * t);
}

// Length of a plain loop.
static double plain_length(const HedStitchShape* shape) {
    enum { STEPS = 256 };
    HedVec3 last = {0};
    double length = 0.0;
    for (int32_t i = 0; i <= STEPS; ++i) {
        double t = PI * (2.0 * i / STEPS - 1.0);
        HedVec3 p = {shape->wale * plain_x(t), shape->height * cos(t),
                     -shape->depth * cos(2.0 * t)};
        length += i > 0 ? hed_distance3(last, p) : 0.0;
        last = p;
    }
    return length;
}

HedStatus hed_stitch_shape(double loop_length, double diameter, HedStitchShape* shape,
                           HedError* error) {
    static const double LEAST = 12.0;
    if (!(diameter > 0.0) || !isfinite(diameter) || !(loop_length >= LEAST * diameter) ||
        !isfinite(loop_length)) {
        return hed_fail(error, HED_INVALID,
                        "a loop must be at least %g times as long as its yarn is thick, got loops "
                        "of %g m and a diameter of %g m",
                        LEAST, loop_length, diameter);
    }
    // Everything but the depth scales with W: a few steps of the secant rule find it.
    *shape = (HedStitchShape){.diameter = diameter, .depth = DEPTH * diameter};
    double wale = loop_length / 3.9;
    for (int32_t i = 0; i < 40; ++i) {
        shape->wale = wale;
        shape->course = COURSE * wale;
        shape->height = HEIGHT * wale;
        wale *= loop_length / plain_length(shape);
    }
    return HED_OK;
}

// A way in the surface from the origin of a frame: in the plane of the axes at first, then along a
// circle.
typedef struct SurfacePath {
    HedVec3 across; // m, as if the surface were flat
    double length;  // m
    double bend;    // 1/m, in its direction
} SurfacePath;

static SurfacePath way_to(const HedStitchFrame* f, double x, double y) {
    SurfacePath way = {.across = hed_madd3(hed_mul3(x, f->right), y, f->up)};
    if (f->bend[0] != 0.0 || f->bend[1] != 0.0 || f->bend[2] != 0.0) {
        double u = x * hed_norm3(f->right);
        double v = y * hed_norm3(f->up);
        way.length = hypot(u, v);
        double square = u * u + v * v;
        double sum = f->bend[0] * u * u + 2.0 * f->bend[1] * u * v + f->bend[2] * v * v;
        way.bend = square > 0.0 ? sum / square : 0.0;
    }
    return way;
}

static HedVec3 in_frame(const HedStitchFrame* f, double x, double y) {
    SurfacePath way = way_to(f, x, y);
    double angle = way.bend * way.length;
    if (angle == 0.0) {
        return hed_madd3(hed_madd3(f->origin, x, f->right), y, f->up);
    }
    double half = sin(0.5 * angle);
    HedVec3 p = hed_madd3(f->origin, sin(angle) / angle, way.across);
    return hed_madd3(p, -2.0 * half * half / way.bend, f->face);
}

// The face of the bent surface at a place.
static HedVec3 face_at(const HedStitchFrame* f, double x, double y) {
    SurfacePath way = way_to(f, x, y);
    double angle = way.bend * way.length;
    if (angle == 0.0) {
        return f->face;
    }
    return hed_madd3(hed_mul3(cos(angle), f->face), sin(angle) / way.length, way.across);
}

// How a place in the surface moves with its coordinates.
static HedVec3 slope_at(const HedStitchFrame* f, double x, double y, double dx, double dy) {
    static const double STEP = 1e-5; // of the way; differences are good to 1e-10 of it
    if (way_to(f, x, y).bend == 0.0) {
        return hed_madd3(hed_mul3(dx, f->right), dy, f->up);
    }
    HedVec3 ahead = in_frame(f, x + STEP * dx, y + STEP * dy);
    HedVec3 behind = in_frame(f, x - STEP * dx, y - STEP * dy);
    return hed_mul3(0.5 / STEP, hed_sub3(ahead, behind));
}

// Side of the loops above at t: it changes over the head, where several come through.
static double side_above(const HedStitchLoop* loop, double t) {
    return mix(loop->first_side, loop->last_side, ramp(-0.25, 0.25, t));
}

// From the frame of the feet to that of the head. A leg that rises farther than a plain one leans
// when it is clear of the loop below, and before it comes to the row above.
static HedVec3 change_frame(const HedStitchShape* shape, const HedStitchLoop* loop, HedVec3 foot,
                            HedVec3 head, double a) {
    HedVec3 way = hed_sub3(head, foot);
    double rise = hed_dot3(way, loop->foot.up);
    if (rise < 0.05 * hed_norm3(way)) {
        // A leg that goes down (it is bound off) is clear of the head below first.
        double low = rise < -0.1 * shape->course ? LEG_DOWN : LEG_LOW;
        return hed_madd3(foot, ramp(low, LEG_HIGH, a), way);
    }
    double part = (LEG_LOW - a) / (LEG_LOW - LEG_HIGH);
    double up = part < 0.0 ? 0.0 : (part > 1.0 ? 1.0 : part);
    double across = ramp(0.1, 0.9, part);
    // A leg that rises to another sheet stays in its own until it is just below its head: loops of
    // the other one stand on the way.
    double into = hed_dot3(way, loop->foot.face);
    bool is_late = rise > 0.5 * shape->course && fabs(into) > SHEET * shape->diameter;
    double deep = is_late ? ramp(1.0 - SHEET_RISE * shape->course / rise, 1.0, part) - across : 0.0;
    HedVec3 at = hed_madd3(hed_madd3(foot, across, way), (up - across) * rise, loop->foot.up);
    return hed_madd3(at, deep * into, loop->foot.face);
}

HedVec3 hed_stitch_point(const HedStitchShape* shape, const HedStitchLoop* loop, double t) {
    static const double TWIST = 0.75; // diameters that the crossing legs of a twisted loop keep
    double a = fabs(t);
    double sign = t < 0.0 ? -1.0 : 1.0;
    double c = cos(t);
    double s = sin(t);
    double cos_2t = c * c - s * s;
    double sin_2t = 2.0 * s * c;
    double bulge = BULGE * sin_2t + 2.0 * BULGE_4 * sin_2t * cos_2t;
    double x = loop->direction * shape->wale * (t / (2.0 * PI) + bulge);
    double y = shape->height * c;
    double wide = x + loop->direction * sign * loop->widen * ramp(0.0, 0.9, a);
    double top = LEG_LOW; // range of |t| over which the legs of a twisted loop cross
    double bottom = LEG_HIGH;
    if (loop->is_laid) { // below what may be stacked, as there is no loop below
        top = 2.35;
        bottom = 1.95;
    }
    double mirror = loop->is_twisted ? 1.0 - 2.0 * ramp(top, bottom, a) : 1.0;
    HedVec3 foot = in_frame(&loop->foot, mirror * x, y);
    HedVec3 head = in_frame(&loop->head, mirror * wide, y);
    // Where a head goes down (it is bound off) the legs change sides before they get there.
    HedVec3 up = hed_sub3(loop->head.origin, loop->foot.origin);
    bool is_down = hed_dot3(up, loop->foot.up) < -0.1 * shape->course;
    double change = is_down ? ramp(1.8, 1.62, a) : ramp(1.85, 1.3, a);
    double side = mix(loop->side, side_above(loop, loop->is_twisted ? -t : t), change);
    double z = -shape->depth * cos_2t * side;
    z += loop->head_shift * ramp(1.85, 1.6, a) + loop->foot_shift * ramp(2.0, 2.45, a);
    z += (loop->leg_shift + loop->leg_spread * sign) * ramp(1.85, 1.75, a) * ramp(1.42, 1.52, a);
    if (loop->is_twisted) {
        double middle = ramp(top + 0.05, top - 0.08, a) * ramp(bottom - 0.17, bottom + 0.08, a);
        z -= TWIST * shape->diameter * sign * loop->direction * middle;
    }
    HedVec3 below = face_at(&loop->foot, mirror * x, y);
    HedVec3 above = face_at(&loop->head, mirror * wide, y);
    double part = ramp(LEG_LOW, LEG_HIGH, a);
    HedVec3 face = hed_lerp3(below, above, part);
    // A leg follows the bent surface, not the straight line from foot to head.
    z += 0.5 * part * (1.0 - part) * hed_dot3(hed_sub3(head, foot), hed_sub3(above, below));
    return hed_madd3(change_frame(shape, loop, foot, head, a), z, face);
}

// Where a loop's yarn leaves it (end = 1) or comes in (end = -1), in the plane of the fabric, and
// how it runs there; returns the face there.
static HedVec3 foot_end(const HedStitchShape* shape, const HedStitchLoop* loop, double end,
                        HedVec3* point, HedVec3* slope) {
    double t = end * HED_STITCH_FOOT;
    double x = loop->direction * shape->wale * plain_x(t);
    double dx = loop->direction * shape->wale * plain_slope(t);
    double dy = -shape->height * sin(t);
    double y = shape->height * cos(t);
    *point = in_frame(&loop->foot, x, y);
    *slope = slope_at(&loop->foot, x, y, dx, dy);
    return face_at(&loop->foot, x, y);
}

typedef struct Hermite {
    HedVec3 p, q; // ends
    HedVec3 m, n; // slopes
} Hermite;

static HedVec3 hermite(const Hermite* h, double s) {
    double s2 = s * s;
    double s3 = s2 * s;
    HedVec3 x = hed_lerp3(h->p, h->q, 3.0 * s2 - 2.0 * s3);
    return hed_madd3(hed_madd3(x, s3 - 2.0 * s2 + s, h->m), s3 - s2, h->n);
}

// A float that goes straight to the edge, turns there and comes back, in three parts.
static HedVec3 carried(const HedStitchShape* shape, const HedSinker* sinker, const Hermite* ends,
                       double s) {
    const HedStitchFrame* a = &sinker->from->foot;
    const HedStitchFrame* b = &sinker->to->foot;
    HedVec3 out = in_frame(a, sinker->beyond, -shape->height);
    double along = hed_dot3(hed_sub3(out, ends->p), a->right) / hed_dot3(a->right, a->right);
    HedVec3 back = hed_madd3(out, hed_dot3(hed_sub3(b->origin, a->origin), a->up), a->up);
    HedVec3 slope = hed_mul3(along, a->right);
    HedVec3 bend = hed_mul3(along < 0.0 ? -sinker->turn : sinker->turn, a->right);
    static const double FIRST = 0.4;
    if (s < FIRST) {
        return hermite(&(Hermite){ends->p, out, slope, slope}, s / FIRST);
    }
    if (s < 1.0 - FIRST) {
        Hermite turn = {out, back, bend, hed_mul3(-1.0, bend)};
        return hermite(&turn, (s - FIRST) / (1.0 - 2.0 * FIRST));
    }
    HedVec3 home = hed_sub3(ends->q, back);
    return hermite(&(Hermite){back, ends->q, home, home}, (s - 1.0 + FIRST) / FIRST);
}

// The way in the plane of the fabric.
static HedVec3 sinker_way(const HedStitchShape* shape, const HedSinker* sinker, double s) {
    static const double REACH = 2.0 * 3.14159265358979323846 - 2.0 * HED_STITCH_FOOT; // of t
    static const double TURN = 7.6; // how much farther out than between plain stitches
    const HedStitchLoop* a = sinker->from;
    const HedStitchLoop* b = sinker->to;
    Hermite h;
    foot_end(shape, a, 1.0, &h.p, &h.m);
    foot_end(shape, b, -1.0, &h.q, &h.n);
    if (sinker->is_carried) {
        return carried(shape, sinker, &h, s);
    }
    // How far the yarn goes along its way, against what it does between plain stitches: that
    // stretches the slopes. A turn goes out and comes back.
    double plain = (1.0 - 2.0 * plain_x(HED_STITCH_FOOT)) * shape->wale;
    double unit_a = hed_dot3(a->foot.right, a->foot.right);
    double unit_b = hed_dot3(b->foot.right, b->foot.right);
    bool is_turn = a->direction * b->direction < 0.0;
    double far = hed_dot3(hed_sub3(h.q, h.p), a->foot.right) * a->direction / unit_a;
    double out = is_turn ? TURN : (far > plain ? far / plain : 1.0);
    double along_a = hed_dot3(h.m, a->foot.right) / unit_a * REACH * (out - 1.0);
    double along_b = hed_dot3(h.n, b->foot.right) / unit_b * REACH * (out - 1.0);
    h.m = hed_madd3(hed_mul3(REACH, h.m), along_a, a->foot.right);
    h.n = hed_madd3(hed_mul3(REACH, h.n), along_b, b->foot.right);
    return hermite(&h, s);
}

HedVec3 hed_sinker_point(const HedStitchShape* shape, const HedSinker* sinker, double s) {
    const HedStitchLoop* a = sinker->from;
    const HedStitchLoop* b = sinker->to;
    HedVec3 x = sinker_way(shape, sinker, s);
    // Where the way is long, the yarn is out of the way of the loops soon after it left one.
    double end = s < 0.5 ? s : 1.0 - s;
    double hurry = a->direction * b->direction < 0.0 ? 5.0 : 1.0;
    double t = mix(HED_STITCH_FOOT, PI, fmin(1.0, 2.0 * hurry * end));
    double turn = ramp(0.25, 0.75, s);
    double z = -shape->depth * cos(2.0 * t) * mix(a->side, b->side, turn);
    z += mix(a->foot_shift, b->foot_shift, turn);
    if (sinker->is_float) {
        // It changes sides between the loop it comes from and the first one that it passes.
        double first = sinker->leave / sinker->length;
        double inside = ramp(first, 2.5 * first, end);
        // One that crosses itself at the edge does not touch itself.
        z = mix(z, sinker->depth + 0.3 * shape->diameter * (s - 0.5), inside);
        x = hed_madd3(x, -sinker->sag * inside, hed_lerp3(a->foot.up, b->foot.up, s));
    }
    HedVec3 point, slope;
    HedVec3 face_a = foot_end(shape, a, 1.0, &point, &slope);
    HedVec3 face_b = foot_end(shape, b, -1.0, &point, &slope);
    return hed_madd3(x, z, hed_lerp3(face_a, face_b, s));
}
