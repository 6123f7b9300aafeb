// SPDX-License-Identifier: MIT
// The capstan: a taut yarn slides around a cylinder, and friction makes its tension grow by
// exp(mu angle) from one end to the other (Euler, Eytelwein).
//
// Two ways: around a body, where the yarn is held and the cylinder turns; and around another, thick
// yarn, which does not turn, so the yarn is drawn. Bodies take hold of the centre line, and the
// ratio is exp(mu angle). Yarns rub at their surface: friction f = mu N per length has the lever R,
// tension the lever P = R + r. A limp yarn takes the moment r f by a shear force Q = r f, and so
//   T' = f - Q/P = f R/P,     N = T/P - Q' = T/P - r mu N'.
// With all of them growing by exp(l angle): l + mu (r/P) l^2 = mu R/P. At the ends, where Q begins
// and stops, N lags behind by r mu and acts in one place, which cancel each other. Bending adds
// EI/(2 P^2) to all tensions, here below 1e-3 of the smallest.
#include "experiment/list.h"
#include "experiment/yarn_lab.h"

#include <math.h>

static const HedParameter PARAMETERS[] = {
    {.name = "mu",
     .unit = "",
     .number = 0.3,
     .least = 0.0,
     .most = 0.6,
     .help = "Coulomb's coefficient"},
    {.name = "angle",
     .unit = "rad",
     .number = 3.14159265358979,
     .least = 0.2,
     .most = 6.29,
     .help = "that the yarn is wound around"},
    {.name = "radius_ratio",
     .unit = "",
     .number = 20.0,
     .least = 10.0,
     .most = 200.0,
     .help = "radius of the cylinder over that of the yarn"},
};

static const double RADIUS = 0.25e-3; // m, of the yarn
static const double STRETCH = 20.0;   // N
static const double STRAIN = 0.01;    // mean
static const double DENSITY = 1e-3;   // kg/m
static const double RISE = 2.5;       // radii along the axis in a turn
enum { PER_RADIAN = 10, TAIL = 10, AXIS = 16 };

typedef struct Capstan {
    double mu, angle;
    double radius; // m, of the cylinder
    double path;   // m, of the yarn's centre line
    double end;    // s
    YarnCurves yarn, thick;
    HedVec3 out[2]; // directions at the ends, outwards
    double ratio;   // of tensions
} Capstan;

static HedVec3 madd(HedVec3 a, double s, HedVec3 b) {
    return (HedVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

// A polygon around the axis y whose sides touch the circle, on a gentle screw, and straight tails.
static void wind(Capstan* c) {
    int32_t n = (int32_t)ceil(c->angle * PER_RADIAN);
    double turn = c->angle / n;
    double outer = c->path / cos(0.5 * turn);
    double piece = 2.0 * c->path * tan(0.5 * turn);
    double rise = RISE * RADIUS * turn / 6.283185307179586;
    HedVec3 first = {0}, last = {0};
    for (int32_t k = 0; k < n; ++k) {
        double a = -0.5 * c->angle + (k + 0.5) * turn;
        last = (HedVec3){outer * sin(a), rise * (k - 0.5 * (n - 1)), outer * cos(a)};
        first = k == 0 ? last : first;
    }
    for (int end = 0; end < 2; ++end) {
        double sign = end ? 1.0 : -1.0;
        double a = 0.5 * sign * c->angle;
        double scale = sign / sqrt(piece * piece + rise * rise);
        c->out[end] = (HedVec3){scale * piece * cos(a), scale * rise, -scale * piece * sin(a)};
    }
    yarn_curves_begin(&c->yarn, RADIUS);
    for (int32_t k = TAIL; k > 0; --k) {
        yarn_curves_add(&c->yarn, madd(first, k * piece, c->out[0]));
    }
    for (int32_t k = 0; k < n; ++k) {
        double a = -0.5 * c->angle + (k + 0.5) * turn;
        HedVec3 x = {outer * sin(a), rise * (k - 0.5 * (n - 1)), outer * cos(a)};
        yarn_curves_add(&c->yarn, x);
    }
    for (int32_t k = 1; k <= TAIL; ++k) {
        yarn_curves_add(&c->yarn, madd(last, k * piece, c->out[1]));
    }
    yarn_curves_begin(&c->thick, c->radius);
    for (int32_t k = 0; k <= AXIS; ++k) {
        yarn_curves_add(&c->thick, (HedVec3){0.0, 0.3 * c->path * (k - 0.5 * AXIS), 0.0});
    }
}

static double length_of(const YarnCurves* yarn) {
    double sum = 0.0;
    for (int32_t k = 1; k < yarn->point_count; ++k) {
        HedVec3 d = madd(yarn->x[k], -1.0, yarn->x[k - 1]);
        sum += sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    }
    return sum;
}

// Ends are drawn apart until the yarn has its mean strain, then both go on by `way` in the
// direction from the first to the last.
static void pull(YarnTrial* trial, const Capstan* c, HedYarnsId yarns, double way) {
    double apart = 0.5 * STRAIN * length_of(&c->yarn);
    for (int end = 0; end < 2; ++end) {
        int32_t vertex = end ? c->yarn.point_count - 1 : 0;
        HedVec3 zero = {0};
        HedVec3 taut = madd(zero, apart, c->out[end]);
        HedVec3 gone = madd(taut, end ? way : -way, c->out[end]);
        HedQuat none = {.w = 1.0};
        HedKeyframe keys[3] = {
            {0.0, {zero, none}}, {0.25 * c->end, {taut, none}}, {c->end, {gone, none}}};
        HedPinDef pin = hed_pin_def_default();
        pin.yarns = yarns;
        pin.vertices = &vertex;
        pin.vertex_count = 1;
        pin.keyframes = keys;
        pin.keyframe_count = 3;
        yarn_trial_pin(trial, pin);
    }
}

static HedYarnsDef material(const Capstan* c) {
    HedYarnsDef def = hed_yarns_def_default();
    double tension = 4.0 * STRAIN * STRETCH; // about the largest
    def.linear_density = DENSITY;
    def.stretch = STRETCH;
    def.bend = def.twist = 2e-7 * STRAIN * STRETCH * c->path * c->path / 0.01;
    // A hundredth of the reach deep at 15 k e^1.5 = tension / path; see docs.
    def.contact = tension / c->path / (15.0 * 1e-3);
    def.damping = 2e-6;
    return def;
}

static double tension_at(const YarnCurves* now, const YarnCurves* rest, int32_t k) {
    HedVec3 a = madd(now->x[k + 1], -1.0, now->x[k]);
    HedVec3 b = madd(rest->x[k + 1], -1.0, rest->x[k]);
    double length = sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
    double was = sqrt(b.x * b.x + b.y * b.y + b.z * b.z);
    return STRETCH * (length / was - 1.0);
}

// Tensions in the middle of both tails, mean over the last quarter of the time.
static void measure(YarnTrial* trial, Capstan* c, HedYarnsId yarns) {
    enum { LOOKS = 25 };
    YarnCurves now = {0};
    double sum[2] = {0.0, 0.0};
    yarn_curves_begin(&now, RADIUS);
    for (int32_t k = 0; k < c->yarn.point_count; ++k) {
        yarn_curves_add(&now, c->yarn.x[k]);
    }
    for (int look = 0; look < LOOKS && !now.has_failed; ++look) {
        yarn_trial_go(trial, c->end * (0.75 + 0.25 * (look + 1) / LOOKS));
        yarn_trial_positions(trial, yarns, &now);
        sum[0] += tension_at(&now, &c->yarn, TAIL / 2);
        sum[1] += tension_at(&now, &c->yarn, c->yarn.point_count - 2 - TAIL / 2);
    }
    c->ratio = sum[1] / sum[0];
    for (int32_t k = 0; k < now.point_count; ++k) {
        c->yarn.x[k] = now.x[k];
    }
    yarn_curves_free(&now);
}

static HedSimDef surroundings(const Capstan* c) {
    HedSimDef def = hed_sim_def_default();
    def.gravity = (HedVec3){0};
    def.integrator = HED_SYMPLECTIC_EULER;
    def.time_step = c->end / 100.0;
    def.yarn_friction = c->mu;
    // Below a tenth a yarn around another of ten radii chatters, and rubs less than if it slid.
    def.yarn_damping = 0.3;
    return def;
}

// The cylinder turns so that its surface drags the yarn towards its first end.
static int run_body(HedLab* lab, Capstan* c) {
    YarnTrial trial;
    double angle = 0.5 * c->end * 0.4 / c->radius; // half, at 0.4 m/s
    HedBodyDef body = hed_body_def_default();
    HedKeyframe keys[3] = {{.time = 0.0}, {.time = 0.5 * c->end}, {.time = c->end}};
    for (int k = 0; k < 3; ++k) {
        keys[k].pose.rotation = (HedQuat){.w = cos(0.5 * k * angle), .y = -sin(0.5 * k * angle)};
    }
    body.shape = HED_CYLINDER;
    body.radius = c->radius;
    body.half_length = 3.0 * c->path;
    body.friction = c->mu;
    body.overlap = HED_OVERLAP_PUSH;
    body.keyframes = keys;
    body.keyframe_count = 3;
    yarn_trial_begin(&trial, lab, surroundings(c));
    HedYarnsId yarns = yarn_trial_add(&trial, &c->yarn, material(c));
    pull(&trial, c, yarns, 0.0);
    yarn_trial_body(&trial, body);
    measure(&trial, c, yarns);
    int code = yarn_trial_code(&trial, lab);
    yarn_trial_end(&trial);
    return code;
}

static int run_yarn(HedLab* lab, Capstan* c) {
    YarnTrial trial;
    int32_t all[AXIS + 1];
    for (int32_t k = 0; k <= AXIS; ++k) {
        all[k] = k;
    }
    yarn_trial_begin(&trial, lab, surroundings(c));
    HedYarnsId yarns = yarn_trial_add(&trial, &c->yarn, material(c));
    pull(&trial, c, yarns, 0.3 * c->path);
    HedPinDef pin = hed_pin_def_default();
    pin.yarns = yarn_trial_add(&trial, &c->thick, material(c));
    pin.vertices = all;
    pin.vertex_count = AXIS + 1;
    yarn_trial_pin(&trial, pin);
    measure(&trial, c, yarns);
    int code = yarn_trial_code(&trial, lab);
    yarn_trial_end(&trial);
    return code;
}

// l/mu of the equation above.
static double growth(double mu, double radius) {
    double path = radius + RADIUS;
    double square = mu * mu * RADIUS / path; // of (l/mu)^2
    return 2.0 * radius / path / (1.0 + sqrt(1.0 + 4.0 * square * radius / path));
}

static int run(HedLab* lab) {
    double mu = lab_number(lab, "mu"), angle = lab_number(lab, "angle");
    double radius = RADIUS * lab_number(lab, "radius_ratio");
    double part = growth(mu, radius);
    double expected[2] = {exp(mu * angle), exp(mu * angle * part)};
    double measured[2] = {0.0, 0.0};
    int code = 0;
    for (int way = 0; way < 2 && code == 0; ++way) {
        Capstan c = {.mu = mu, .angle = angle, .radius = radius, .path = radius + RADIUS};
        c.end = 6e-3 * c.path / 5e-3 * fmax(1.0, angle / 3.0);
        wind(&c);
        code = way ? run_yarn(lab, &c) : run_body(lab, &c);
        measured[way] = c.ratio;
        if (code == 0) {
            const YarnCurves* sets[2] = {&c.yarn, &c.thick};
            yarn_lab_draw(lab, sets, 2, way ? "yarn.png" : "body.png", (double[]){0.6, 0.5});
        }
        yarn_curves_free(&c.yarn);
        yarn_curves_free(&c.thick);
    }
    if (code != 0) {
        return code;
    }
    lab_result(lab, "tension_ratio", measured[0]);
    lab_result(lab, "tension_ratio_yarn", measured[1]);
    lab_result(lab, "expected", expected[0]);
    lab_result(lab, "expected_yarn", expected[1]);
    // Exponents over mu angle: 1 and somewhat less than R/(R + r), which ratios alone would not
    // tell apart. Contact of finite stiffness and segments that are not short cost some percent.
    const double enough = 0.2; // of mu angle: below, the ratio itself says all that can be measured
    if (mu * angle >= enough) {
        double exponent[2] = {log(measured[0]) / (mu * angle), log(measured[1]) / (mu * angle)};
        lab_result(lab, "exponent", exponent[0]);
        lab_result(lab, "exponent_yarn", exponent[1]);
        lab_claim(lab, "exponent around a cylinder over mu angle", 1.0, exponent[0], 0.03);
        lab_claim(lab, "exponent around a thick yarn over mu angle", part, exponent[1],
                  0.03 * part);
    }
    lab_claim(lab, "ratio of tensions around a cylinder: exp(mu angle)", expected[0], measured[0],
              0.05 * expected[0]);
    lab_claim(lab, "ratio of tensions around a thick yarn: exp(l angle)", expected[1], measured[1],
              0.05 * expected[1]);
    return 0;
}

const HedExperiment EXPERIMENT_CAPSTAN = {
    .name = "capstan",
    .title = "a yarn around a cylinder and around a thick yarn: friction against exp(mu angle)",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
