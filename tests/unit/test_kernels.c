// SPDX-License-Identifier: MIT
// Takes every registered kernel through central differences, rigid motions and momentum balance.
#include "base/random.h"
#include "contact/kernels.h"
#include "math/eigen.h"
#include "math/quat.h"
#include "model/kernels.h"
#include "model/rod/kernels.h"
#include "model/spline/kernels.h"

#include <criterion/criterion.h>
#include <float.h>
#include <string.h>

enum { POINTS = HED_KERNEL_POINTS, SIZE = 3 * POINTS, TRIALS = 200 };

typedef struct State {
    HedVec3 x[POINTS];
    HedVec3 v[POINTS];
    _Alignas(16) unsigned char rest[HED_KERNEL_REST_BYTES];
} State;

static double draw(uint64_t stream, uint64_t k) {
    return hed_random_uniform(20261115, stream, k);
}

static HedVec3 draw3(uint64_t stream, uint64_t k, double size) {
    return hed_vec3(size * (draw(stream, 3 * k) - 0.5), size * (draw(stream, 3 * k + 1) - 0.5),
                    size * (draw(stream, 3 * k + 2) - 0.5));
}

// Ways to make states. Each is applied to the present positions; rest data belong to another,
// random shape.
typedef enum Shape {
    RANDOM,
    NEARLY_REST,
    COLLINEAR,
    COINCIDENT,
    INVERTED,
    HUGE_SIZE,
    TINY_SIZE,
    SHAPES
} Shape;

static const char* const SHAPE_NAME[SHAPES] = {"random",   "near rest", "collinear", "coincident",
                                               "inverted", "huge",      "tiny"};

static State make_state(const HedKernel* kernel, Shape shape, uint64_t trial) {
    State s;
    memset(&s, 0, sizeof s);
    uint64_t stream = 1000 * trial + (uint64_t)shape;
    double size = 2.0 * kernel->length;
    HedVec3 rest_x[POINTS];
    double random[8];
    for (uint64_t k = 0; k < POINTS; ++k) {
        rest_x[k] = draw3(stream, k, size);
        s.v[k] = draw3(stream, 100 + k, 2.0);
    }
    for (uint64_t k = 0; k < 8; ++k) {
        random[k] = draw(stream, 3000 + k);
    }
    kernel->make_rest(rest_x, random, s.rest);
    HedVec3 axis = draw3(stream, 700, 2.0 * size);
    for (uint64_t k = 0; k < POINTS; ++k) {
        HedVec3 other = draw3(stream, 200 + k, size);
        switch (shape) {
        case NEARLY_REST:
            s.x[k] = hed_madd3(rest_x[k], 1e-4, other);
            break;
        case COLLINEAR:
            s.x[k] = hed_mul3(draw(stream, 5000 + k), axis);
            break;
        case COINCIDENT:
            s.x[k] = axis;
            break;
        case INVERTED:
            s.x[k] = hed_mul3(-1.0, rest_x[k]);
            break;
        case HUGE_SIZE:
            s.x[k] = hed_mul3(1e6, other);
            break;
        case TINY_SIZE:
            s.x[k] = hed_mul3(1e-6, other);
            break;
        default:
            s.x[k] = other;
            break;
        }
    }
    return s;
}

static HedKernelOut evaluate(const HedKernel* kernel, const State* s) {
    HedKernelOut out;
    memset(&out, 0, sizeof out);
    kernel->evaluate(s->x, s->v, s->rest, &out);
    return out;
}

static double extent(const HedKernel* kernel, const State* s) {
    double size = 0.0;
    for (int32_t k = 0; k < kernel->point_count; ++k) {
        size = fmax(size, hed_distance3(s->x[k], s->x[0]));
    }
    // A lone point has no size of its own; where it stands sets what rounding can resolve.
    double least = kernel->point_count == 1 ? kernel->length + hed_norm3(s->x[0]) : 0.0;
    return fmax(size, fmax(least, 1e-3 * kernel->length));
}

static bool all_finite(const HedKernelOut* out) {
    const double* value = (const double*)(const void*)out;
    for (size_t k = 0; k < sizeof *out / sizeof(double); ++k) {
        if (!isfinite(value[k])) {
            return false;
        }
    }
    return true;
}

static double largest(const double* values, size_t count) {
    double most = 0.0;
    for (size_t k = 0; k < count; ++k) {
        most = fmax(most, fabs(values[k]));
    }
    return most;
}

// Richardson's extrapolation of two central differences: error of fourth order in step, so that a
// step of 1e-3 of the element leaves both truncation (1e-12) and rounding (1e-13) far below the
// tolerance.
static double extrapolate(double full, double half) {
    return (4.0 * half - full) / 3.0;
}

// Of the largest entry: twenty times what the worst of all states needs (2.3e-10, a nearly straight
// curve).
static const double TOLERANCE = 5e-9;

typedef struct Deviation {
    double gradient, hessian, rate_gradient, rate_hessian;
} Deviation;

static HedKernelOut shifted(const HedKernel* kernel, const State* s, int c, double dx, double dv) {
    State t = *s;
    (&t.x[0].x)[c] += dx;
    (&t.v[0].x)[c] += dv;
    return evaluate(kernel, &t);
}

// Differences of one coordinate against the analytic gradients and Hessian rows.
static void compare_coordinate(const HedKernel* kernel, const State* s, const HedKernelOut* at,
                               int c, double step, Deviation* worst) {
    HedKernelOut p1 = shifted(kernel, s, c, step, 0.0);
    HedKernelOut m1 = shifted(kernel, s, c, -step, 0.0);
    HedKernelOut p2 = shifted(kernel, s, c, 0.5 * step, 0.0);
    HedKernelOut m2 = shifted(kernel, s, c, -0.5 * step, 0.0);
    double slope =
        extrapolate((p1.energy - m1.energy) / (2.0 * step), (p2.energy - m2.energy) / step);
    double gradient = (&at->gradient[0].x)[c];
    worst->gradient = fmax(worst->gradient, fabs(slope - gradient));
    for (int d = 0; d < 3 * kernel->point_count; ++d) {
        double rise = extrapolate(((&p1.gradient[0].x)[d] - (&m1.gradient[0].x)[d]) / (2.0 * step),
                                  ((&p2.gradient[0].x)[d] - (&m2.gradient[0].x)[d]) / step);
        double entry = at->hessian[d / 3][c / 3].m[d % 3][c % 3];
        worst->hessian = fmax(worst->hessian, fabs(rise - entry));
    }
}

static void compare_rate(const HedKernel* kernel, const State* s, const HedKernelOut* at, int c,
                         double step, Deviation* worst) {
    HedKernelOut p1 = shifted(kernel, s, c, 0.0, step);
    HedKernelOut m1 = shifted(kernel, s, c, 0.0, -step);
    double slope = (p1.dissipation - m1.dissipation) / (2.0 * step);
    worst->rate_gradient = fmax(worst->rate_gradient, fabs(slope - (&at->rate_gradient[0].x)[c]));
    for (int d = 0; d < 3 * kernel->point_count; ++d) {
        double rise = ((&p1.rate_gradient[0].x)[d] - (&m1.rate_gradient[0].x)[d]) / (2.0 * step);
        double entry = at->rate_hessian[d / 3][c / 3].m[d % 3][c % 3];
        worst->rate_hessian = fmax(worst->rate_hessian, fabs(rise - entry));
    }
}

// Largest deviation from differences, as a multiple of what is tolerated; 0 where the state is not
// smooth.
static double difference_error(const HedKernel* kernel, const State* s) {
    double size = extent(kernel, s);
    double step = 1e-3 * size;
    double rate_step = 1e-4; // m/s, of speeds around 1
    bool smooth = kernel->is_smooth(s->x, s->v, s->rest, 50.0 * step) &&
                  kernel->is_smooth(s->x, s->v, s->rest, 50.0 * rate_step);
    if (!smooth) {
        return 0.0;
    }
    HedKernelOut at = evaluate(kernel, s);
    Deviation worst = {0};
    for (int c = 0; c < 3 * kernel->point_count; ++c) {
        compare_coordinate(kernel, s, &at, c, step, &worst);
        compare_rate(kernel, s, &at, c, rate_step, &worst);
    }
    double stiff = largest(&at.hessian[0][0].m[0][0], sizeof at.hessian / sizeof(double));
    double force = fmax(largest(&at.gradient[0].x, SIZE), stiff * size) + 1e-300;
    double drag = largest(&at.rate_hessian[0][0].m[0][0], sizeof at.rate_hessian / sizeof(double));
    double rate = fmax(largest(&at.rate_gradient[0].x, SIZE), drag) + 1e-300;
    // A difference of two energies also carries their rounding (an element crushed to a point holds
    // much energy and hardly pulls), a few units in the last place of each.
    double rounding = 8.0 * DBL_EPSILON * fabs(at.energy) / step;
    double elastic = fmax(worst.gradient / (TOLERANCE * force + rounding),
                          worst.hessian * size / (TOLERANCE * force));
    // Plain central differences of a potential that is cubic at most: exact but for rounding and
    // for the jump of the third derivative of |w|^3, which a step of 1e-4 m/s sees as 1e-4 of the
    // Hessian.
    double damping =
        fmax(worst.rate_gradient / (2.5e-7 * rate), worst.rate_hessian / (2.5e-4 * rate));
    return fmax(elastic, damping);
}

static void check_differences(const HedKernel* kernel, const State* s, Shape shape) {
    double off = difference_error(kernel, s);
    cr_assert_leq(off, 1.0, "%s, %s: derivatives are off by %g tolerances", kernel->name,
                  SHAPE_NAME[shape], off);
}

// Smallest eigenvalue of an element matrix, over its largest entry; 0 for an empty one.
static double least_eigenvalue(const HedKernel* kernel, const HedMat3 blocks[POINTS][POINTS]) {
    int n = 3 * kernel->point_count;
    double a[SIZE * SIZE];
    double value[SIZE];
    double vector[SIZE * SIZE];
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            a[i * n + j] = blocks[i / 3][j / 3].m[i % 3][j % 3];
        }
    }
    double scale = largest(a, (size_t)(n * n));
    hed_eigen_symmetric(n, a, value, vector);
    return scale > 0.0 ? value[0] / scale : 0.0;
}

static void check_positive(const HedKernel* kernel, const State* s, Shape shape) {
    HedKernelOut at = evaluate(kernel, s);
    cr_assert(all_finite(&at), "%s, %s: a value is not finite", kernel->name, SHAPE_NAME[shape]);
    // Rounding of a 12 x 12 eigenvalue is some 1e-15 of the largest entry.
    double stiff = least_eigenvalue(kernel, at.positive);
    double rate = least_eigenvalue(kernel, at.rate_hessian);
    // n epsilons of the largest eigenvalue, up to n entries: 3e-14; entries are rounded as much.
    cr_assert_geq(stiff, -6e-14, "%s, %s: eigenvalue %g", kernel->name, SHAPE_NAME[shape], stiff);
    // The same.
    cr_assert_geq(rate, -6e-14, "%s, %s: rate eigenvalue %g", kernel->name, SHAPE_NAME[shape],
                  rate);
    cr_assert_geq(at.energy * (kernel->traits & HED_KERNEL_RESTS ? 1.0 : 0.0), 0.0);
}

static void check_balance(const HedKernel* kernel, const State* s, Shape shape) {
    HedKernelOut at = evaluate(kernel, s);
    HedVec3 sum = {0}, rate_sum = {0}, moment = {0};
    double size = 0.0;
    for (int32_t k = 0; k < kernel->point_count; ++k) {
        sum = hed_add3(sum, at.gradient[k]);
        rate_sum = hed_add3(rate_sum, at.rate_gradient[k]);
        moment = hed_add3(moment, hed_cross3(s->x[k], at.gradient[k]));
        size = fmax(size, hed_norm3(s->x[k]));
    }
    double force = largest(&at.gradient[0].x, SIZE);
    double rate = largest(&at.rate_gradient[0].x, SIZE);
    const double rounding = 1e-12; // a few additions of numbers of this size
    if (kernel->traits & HED_KERNEL_TRANSLATES) {
        cr_assert_leq(hed_norm3(sum), rounding * force, "%s, %s: forces sum to %g", kernel->name,
                      SHAPE_NAME[shape], hed_norm3(sum));
        cr_assert_leq(hed_norm3(rate_sum), rounding * rate, "%s, %s: damping sums to %g",
                      kernel->name, SHAPE_NAME[shape], hed_norm3(rate_sum));
    }
    if (kernel->traits & HED_KERNEL_ROTATES) {
        cr_assert_leq(hed_norm3(moment), rounding * force * size, "%s, %s: moments sum to %g",
                      kernel->name, SHAPE_NAME[shape], hed_norm3(moment));
    }
}

static void check_rigid_motion(const HedKernel* kernel, const State* s, Shape shape,
                               uint64_t trial) {
    HedPose pose = {draw3(trial, 9000, 3.0 * kernel->length),
                    hed_quat_from_vector(draw3(trial, 9001, 6.0))};
    State moved = *s;
    State spun = *s;
    HedVec3 spin = draw3(trial, 9002, 4.0);
    for (int32_t k = 0; k < kernel->point_count; ++k) {
        bool turns = kernel->traits & HED_KERNEL_ROTATES;
        moved.x[k] = turns ? hed_pose_apply(pose, s->x[k]) : hed_add3(s->x[k], pose.position);
        spun.v[k] = hed_add3(pose.position, hed_cross3(spin, s->x[k]));
    }
    HedKernelOut a = evaluate(kernel, s);
    HedKernelOut b = evaluate(kernel, &moved);
    double stiff = largest(&a.hessian[0][0].m[0][0], sizeof a.hessian / sizeof(double));
    double reach = extent(kernel, s) + 3.0 * kernel->length;
    if (kernel->traits & HED_KERNEL_TRANSLATES) {
        // Moving changes coordinates by rounding of their size, and energy by force times that.
        double scale = fabs(a.energy) + stiff * reach * reach;
        // A few tens of roundings of 1e-16.
        cr_assert_leq(fabs(a.energy - b.energy), 1e-14 * scale, "%s, %s: energy %g became %g",
                      kernel->name, SHAPE_NAME[shape], a.energy, b.energy);
    }
    if (kernel->traits & HED_KERNEL_SPINS) {
        HedKernelOut c = evaluate(kernel, &spun);
        double drag =
            largest(&c.rate_hessian[0][0].m[0][0], sizeof c.rate_hessian / sizeof(double));
        double speed = hed_norm3(pose.position) + hed_norm3(spin) * reach;
        // The same.
        cr_assert_leq(largest(&c.rate_gradient[0].x, SIZE), 1e-14 * drag * speed + 1e-300,
                      "%s, %s: a rigid motion is damped", kernel->name, SHAPE_NAME[shape]);
    }
}

static void check_rest(const HedKernel* kernel, uint64_t trial) {
    State s;
    memset(&s, 0, sizeof s);
    double random[8];
    for (uint64_t k = 0; k < POINTS; ++k) {
        s.x[k] = draw3(trial, 400 + k, 2.0 * kernel->length);
    }
    for (uint64_t k = 0; k < 8; ++k) {
        random[k] = draw(trial, 7000 + k);
    }
    kernel->make_rest(s.x, random, s.rest);
    HedKernelOut at = evaluate(kernel, &s);
    double stiff = largest(&at.hessian[0][0].m[0][0], sizeof at.hessian / sizeof(double));
    double force = largest(&at.gradient[0].x, SIZE);
    // The same.
    cr_assert_leq(force, 1e-14 * fmax(stiff, 1.0) * kernel->length, "%s: force %g at rest",
                  kernel->name, force);
}

static void check_kernel(const HedKernel* kernel) {
    int smooth = 0;
    for (uint64_t trial = 0; trial < TRIALS; ++trial) {
        for (Shape shape = 0; shape < SHAPES; ++shape) {
            State s = make_state(kernel, shape, trial);
            check_positive(kernel, &s, shape);
            check_differences(kernel, &s, shape);
            check_balance(kernel, &s, shape);
            check_rigid_motion(kernel, &s, shape, trial);
            smooth += difference_error(kernel, &s) > 0.0;
        }
        if (kernel->traits & HED_KERNEL_RESTS) {
            check_rest(kernel, trial);
        }
    }
    // A kernel whose states are never smooth would pass whatever its derivatives are.
    cr_assert_gt(smooth, 10, "%s: only %d states were smooth", kernel->name, smooth);
}

// Differences by one angle against the analytic derivatives; as a multiple of what is tolerated.
static double angle_error(const HedAngleKernel* angular, const State* s, int c) {
    const HedKernel* kernel = &angular->kernel;
    const double step = 1e-3; // rad; fourth order leaves 1e-12
    HedKernelOut out[4];
    for (int k = 0; k < 4; ++k) {
        State moved = *s;
        angular->angles(moved.rest)[c] += (k % 2 ? -1.0 : 1.0) * (k < 2 ? 1.0 : 0.5) * step;
        out[k] = evaluate(kernel, &moved);
    }
#define RISE(value)                                                                                \
    extrapolate((out[0].value - out[1].value) / (2.0 * step), (out[2].value - out[3].value) / step)
    HedKernelOut at = evaluate(kernel, s);
    double stiff = largest(&at.angle_hessian[0][0], sizeof at.angle_hessian / sizeof(double));
    double moment = fmax(largest(at.angle_gradient, HED_KERNEL_ANGLES), stiff) + at.energy;
    double force = largest(&at.angle_cross[c][0].x, SIZE) + largest(&at.gradient[0].x, SIZE);
    double worst = fabs(RISE(energy) - at.angle_gradient[c]) / moment;
    for (int d = 0; d < angular->angle_count; ++d) {
        worst = fmax(worst, fabs(RISE(angle_gradient[d]) - at.angle_hessian[d][c]) / moment);
    }
    for (int k = 0; k < kernel->point_count; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            double rise = extrapolate(
                ((&out[0].gradient[k].x)[axis] - (&out[1].gradient[k].x)[axis]) / (2.0 * step),
                ((&out[2].gradient[k].x)[axis] - (&out[3].gradient[k].x)[axis]) / step);
            worst = fmax(worst, fabs(rise - (&at.angle_cross[c][k].x)[axis]) / force);
        }
    }
#undef RISE
    return worst / TOLERANCE;
}

// As check_kernel, with the frames brought to each state before it is taken through differences.
static void check_angle_kernel(const HedAngleKernel* angular) {
    const HedKernel* kernel = &angular->kernel;
    int smooth = 0;
    for (uint64_t trial = 0; trial < TRIALS; ++trial) {
        for (Shape shape = 0; shape < SHAPES; ++shape) {
            State s = make_state(kernel, shape, trial);
            angular->anchor(s.x, s.rest);
            check_positive(kernel, &s, shape);
            check_differences(kernel, &s, shape);
            check_balance(kernel, &s, shape);
            check_rigid_motion(kernel, &s, shape, trial);
            bool is_smooth = kernel->is_smooth(s.x, s.v, s.rest, 0.05 * extent(kernel, &s));
            for (int c = 0; c < angular->angle_count && is_smooth; ++c) {
                double off = angle_error(angular, &s, c);
                cr_assert_leq(off, 1.0, "%s, %s: derivatives by angle %d are off by %g tolerances",
                              kernel->name, SHAPE_NAME[shape], c, off);
            }
            smooth += is_smooth;
        }
        check_rest(kernel, trial);
    }
    cr_assert_gt(smooth, TRIALS, "only %d states were smooth", smooth);
}

Test(kernels, rods) {
    int32_t count = 0;
    const HedAngleKernel* kernels = hed_rod_kernels(&count);
    for (int32_t k = 0; k < count; ++k) {
        cr_log_info("kernel %s", kernels[k].kernel.name);
        check_angle_kernel(&kernels[k]);
    }
}

static void check_table(HedKernelTable table) {
    cr_assert_gt(table.count, 0);
    for (int32_t k = 0; k < table.count; ++k) {
        cr_log_info("kernel %s", table.kernels[k].name);
        check_kernel(&table.kernels[k]);
    }
}

Test(kernels, models) {
    check_table(hed_model_kernels());
}

Test(kernels, splines) {
    check_table(hed_spline_kernels());
}

Test(kernels, contacts) {
    check_table(hed_contact_kernels());
}

// The test itself must be able to fail: of every kernel, a force whose largest component is wrong
// by 1e-7 (20 times TOLERANCE) or a damping force that is by 1e-6 (4 times what is tolerated of
// rates) is caught.
static const HedKernel* right_kernel;

static void wrong_evaluate(const HedVec3* x, const HedVec3* v, const void* rest,
                           HedKernelOut* out) {
    right_kernel->evaluate(x, v, rest, out);
    double* force = &out->gradient[0].x;
    double* drag = &out->rate_gradient[0].x;
    int most_force = 0, most_drag = 0;
    for (int k = 1; k < SIZE; ++k) {
        most_force = fabs(force[k]) > fabs(force[most_force]) ? k : most_force;
        most_drag = fabs(drag[k]) > fabs(drag[most_drag]) ? k : most_drag;
    }
    force[most_force] *= 1.0 + 1e-7;
    drag[most_drag] *= 1.0 + 1e-6;
}

static void expect_wrong_is_caught(HedKernelTable table) {
    cr_assert_gt(table.count, 0);
    for (int32_t k = 0; k < table.count; ++k) {
        right_kernel = &table.kernels[k];
        HedKernel bad = table.kernels[k];
        bad.evaluate = wrong_evaluate;
        double off = 0.0;
        for (uint64_t trial = 0; trial < TRIALS; ++trial) {
            for (Shape shape = 0; shape < SHAPES; ++shape) {
                State s = make_state(&bad, shape, trial);
                off = fmax(off, difference_error(&bad, &s));
            }
        }
        cr_expect_gt(off, 1.0, "a wrong gradient of %s was not noticed: %g", bad.name, off);
    }
}

Test(kernels, wrong_gradient_is_caught) {
    expect_wrong_is_caught(hed_model_kernels());
    expect_wrong_is_caught(hed_spline_kernels());
    expect_wrong_is_caught(hed_contact_kernels());
}
