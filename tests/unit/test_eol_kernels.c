// SPDX-License-Identifier: MIT
// Takes every kernel of sliding yarns through central differences, rigid motions, momentum balance
// and states that no cloth should be in.
#include "base/random.h"
#include "math/eigen.h"
#include "math/quat.h"
#include "model/eol/kernel_bend.h"
#include "model/eol/kernel_shear.h"
#include "model/eol/kernel_stretch.h"
#include "model/eol/kernels.h"

#include <criterion/criterion.h>
#include <float.h>
#include <string.h>

// Relative: some dozens of operations, each rounded by 1e-16.
static const double ROUNDING = 1e-14;

enum { SIZE = HED_EOL_SIZE, TRIALS = 200 };

static const double LENGTH = 1e-3; // m, between nodes

typedef struct State {
    double q[SIZE];
    _Alignas(16) unsigned char rest[HED_EOL_REST_BYTES];
} State;

typedef struct Out {
    double energy;
    double g[SIZE];
    double h[SIZE * SIZE];
} Out;

typedef enum Shape {
    RANDOM,
    NEARLY_STRAIGHT,
    STRAIGHT,
    FOLDED,
    NEARLY_FOLDED,
    COINCIDENT,
    NO_MATERIAL,
    OUT_OF_ORDER,
    HUGE_SIZE,
    TINY_SIZE,
    SHAPES
} Shape;

static const char* const SHAPE_NAME[SHAPES] = {
    "random",     "nearly straight", "straight",     "folded", "nearly folded",
    "coincident", "no material",     "out of order", "huge",   "tiny"};

static double draw(uint64_t stream, uint64_t k) {
    return hed_random_uniform(20261116, stream, k);
}

static HedVec3 draw3(uint64_t stream, uint64_t k, double size) {
    return hed_vec3(size * (draw(stream, 3 * k) - 0.5), size * (draw(stream, 3 * k + 1) - 0.5),
                    size * (draw(stream, 3 * k + 2) - 0.5));
}

static int stride_of(const HedEolKernel* kernel) {
    return kernel->traits & HED_EOL_SCALAR ? 1 : kernel->traits & HED_EOL_MATERIAL ? 4 : 3;
}

// Node k of a line along an axis, moved off it by a share of the length of a piece.
static HedVec3 place(Shape shape, uint64_t stream, int k) {
    HedVec3 axis = {0.6, 0.0, 0.8};
    HedVec3 off = draw3(stream, 100 + (uint64_t)k, LENGTH);
    HedVec3 line = hed_mul3(LENGTH * (k + 0.3 * draw(stream, 200 + (uint64_t)k)), axis);
    HedVec3 back = hed_mul3((k % 2 ? 1.0 : 0.2) * LENGTH, axis);
    switch (shape) {
    case NEARLY_STRAIGHT:
        return hed_madd3(line, 1e-5, off);
    case STRAIGHT:
        return line;
    case FOLDED:
        return back;
    case NEARLY_FOLDED:
        return hed_madd3(back, 1e-5, off);
    case COINCIDENT:
        return axis;
    case HUGE_SIZE:
        return hed_mul3(1e6, off);
    case TINY_SIZE:
        return hed_mul3(1e-6, off);
    default:
        return hed_madd3(hed_mul3(0.5, line), 1.5, off);
    }
}

static double coordinate(Shape shape, uint64_t stream, int k) {
    double at = LENGTH * (k + 0.5 * draw(stream, 300 + (uint64_t)k));
    return shape == NO_MATERIAL ? 0.1 : shape == OUT_OF_ORDER ? -at : at;
}

static State make_state(const HedEolKernel* kernel, Shape shape, uint64_t trial) {
    State s;
    memset(&s, 0, sizeof s);
    uint64_t stream = 100 * trial + (uint64_t)shape;
    double random[8];
    for (uint64_t k = 0; k < 8; ++k) {
        random[k] = draw(stream, 7000 + k);
    }
    kernel->make_rest(random, s.rest);
    int stride = stride_of(kernel);
    for (int k = 0; k < kernel->size / stride; ++k) {
        double* node = s.q + (ptrdiff_t)stride * k;
        if (stride > 1) {
            hed_eol_put3(node, place(shape, stream, k));
        }
        if (stride != 3) {
            node[stride - 1] = coordinate(shape, stream, k);
        }
    }
    return s;
}

static Out evaluate(const HedEolKernel* kernel, const State* s, bool is_exact) {
    Out out;
    memset(&out, 0, sizeof out);
    out.energy = kernel->evaluate(s->q, s->rest, out.g, out.h, is_exact);
    return out;
}

static double largest(const double* values, int count) {
    double most = 0.0;
    for (int k = 0; k < count; ++k) {
        most = fmax(most, fabs(values[k]));
    }
    return most;
}

// Richardson's extrapolation of two central differences: error of fourth order in step.
static double extrapolate(double coarse, double fine) {
    return (4.0 * fine - coarse) / 3.0;
}

// Largest deviation from differences, as a multiple of what is tolerated; -1 where the state is not
// smooth.
static double difference_error(const HedEolKernel* kernel, const State* s) {
    // A state 50 steps from a kink bends its third derivatives by 1/50 of themselves per step, and
    // fourth order leaves 1e-7 of it; rounding leaves 1e-12.
    double step = 2e-4 * LENGTH;
    if (!kernel->is_smooth(s->q, s->rest, 50.0 * step)) {
        return -1.0;
    }
    Out at = evaluate(kernel, s, true);
    int n = kernel->size;
    double stiff = largest(at.h, n * n);
    double force = fmax(largest(at.g, n), stiff * LENGTH) + 1e-300;
    double slope_off = 0.0;
    double rise_off = 0.0;
    for (int c = 0; c < n; ++c) {
        Out out[4];
        for (int k = 0; k < 4; ++k) {
            State moved = *s;
            moved.q[c] += (k % 2 ? -1.0 : 1.0) * (k < 2 ? 1.0 : 0.5) * step;
            out[k] = evaluate(kernel, &moved, true);
        }
        double slope = extrapolate((out[0].energy - out[1].energy) / (2.0 * step),
                                   (out[2].energy - out[3].energy) / step);
        slope_off = fmax(slope_off, fabs(slope - at.g[c]));
        for (int d = 0; d < n; ++d) {
            double rise = extrapolate((out[0].g[d] - out[1].g[d]) / (2.0 * step),
                                      (out[2].g[d] - out[3].g[d]) / step);
            rise_off = fmax(rise_off, fabs(rise - at.h[d * n + c]));
        }
    }
    double rounding = 8.0 * DBL_EPSILON * fabs(at.energy) / step;
    return fmax(slope_off / (1e-6 * force + rounding), rise_off / (1e-6 * force / LENGTH));
}

static double least_eigenvalue(int n, const double* h) {
    double a[SIZE * SIZE];
    double value[SIZE];
    double vector[SIZE * SIZE];
    memcpy(a, h, sizeof(double) * (size_t)(n * n));
    double scale = largest(a, n * n);
    hed_eigen_symmetric(n, a, value, vector);
    return scale > 0.0 ? value[0] / scale : 0.0;
}

static void check_finite(const HedEolKernel* kernel, const State* s, Shape shape) {
    for (int exact = 0; exact < 2; ++exact) {
        Out at = evaluate(kernel, s, exact);
        const double* value = &at.energy;
        for (size_t k = 0; k < sizeof at / sizeof(double); ++k) {
            cr_assert(isfinite(value[k]), "%s, %s: value %zu is %g", kernel->name,
                      SHAPE_NAME[shape], k, value[k]);
        }
    }
}

// Parts that are not asked for change nothing in those that are, and matrices are symmetric.
static void check_parts(const HedEolKernel* kernel, const State* s, Shape shape) {
    int n = kernel->size;
    Out at = evaluate(kernel, s, true);
    double g[SIZE];
    double h[SIZE * SIZE];
    cr_assert_eq(kernel->evaluate(s->q, s->rest, NULL, NULL, true), at.energy);
    kernel->evaluate(s->q, s->rest, g, NULL, true);
    kernel->evaluate(s->q, s->rest, NULL, h, true);
    Out positive = evaluate(kernel, s, false);
    double stiff = largest(at.h, n * n);
    for (int k = 0; k < n * n; ++k) {
        int mirror = k % n * n + k / n;
        cr_assert(at.h[k] == at.h[mirror] && positive.h[k] == positive.h[mirror],
                  "%s, %s: entry %d is not symmetric", kernel->name, SHAPE_NAME[shape], k);
        // The compiler may contract differently where parts are left out.
        cr_assert_leq(fabs(at.h[k] - h[k]), 1e-14 * stiff);
        cr_assert_leq(fabs(at.g[k % n] - g[k % n]), ROUNDING * largest(at.g, n));
    }
}

static void check_positive(const HedEolKernel* kernel, const State* s, Shape shape) {
    Out at = evaluate(kernel, s, false);
    double least = least_eigenvalue(kernel->size, at.h);
    // Rounding of an eigenvalue of this size is some 1e-15 of the largest entry.
    cr_assert_geq(least, -1e-13, "%s, %s: eigenvalue %g", kernel->name, SHAPE_NAME[shape], least);
}

static void check_differences(const HedEolKernel* kernel, const State* s, Shape shape) {
    double off = difference_error(kernel, s);
    cr_assert_leq(off, 1.0, "%s, %s: derivatives are off by %g tolerances", kernel->name,
                  SHAPE_NAME[shape], off);
}

static void check_balance(const HedEolKernel* kernel, const State* s, Shape shape) {
    if (!(kernel->traits & HED_EOL_TURNS)) {
        return;
    }
    Out at = evaluate(kernel, s, true);
    HedVec3 sum = {0}, moment = {0};
    double along = 0.0;
    double size = 0.0;
    int stride = stride_of(kernel);
    for (int k = 0; k < kernel->size; k += stride) {
        HedVec3 g = stride > 1 ? hed_eol_point(at.g + k) : (HedVec3){0};
        HedVec3 x = stride > 1 ? hed_eol_point(s->q + k) : (HedVec3){0};
        sum = hed_add3(sum, g);
        moment = hed_add3(moment, hed_cross3(x, g));
        along += stride != 3 ? at.g[k + stride - 1] : 0.0;
        size = fmax(size, hed_norm3(x));
    }
    double force = largest(at.g, kernel->size);
    // Directions round by 1e-16; where products of nearly equal ones remain, of 1e-5 here, that is
    // 1e-11 of them.
    double rounding = (shape == NEARLY_STRAIGHT ? 1e-10 : 1e-12) * force;
    cr_assert_leq(hed_norm3(sum), rounding, "%s, %s: forces sum to %g of %g", kernel->name,
                  SHAPE_NAME[shape], hed_norm3(sum), force);
    cr_assert_leq(fabs(along), rounding, "%s, %s: forces along the yarn sum to %g", kernel->name,
                  SHAPE_NAME[shape], along);
    cr_assert_leq(hed_norm3(moment), rounding * size, "%s, %s: moments sum to %g", kernel->name,
                  SHAPE_NAME[shape], hed_norm3(moment));
}

static void check_rigid_motion(const HedEolKernel* kernel, const State* s, uint64_t trial) {
    HedPose pose = {draw3(trial, 9000, 3.0 * LENGTH),
                    hed_quat_from_vector(draw3(trial, 9001, 6.0))};
    State moved = *s;
    int stride = stride_of(kernel);
    if (!(kernel->traits & HED_EOL_TURNS)) {
        return;
    }
    for (int k = 0; k < kernel->size; k += stride) {
        if (stride > 1) {
            hed_eol_put3(moved.q + k, hed_pose_apply(pose, hed_eol_point(s->q + k)));
        }
        if (stride != 3) {
            moved.q[k + stride - 1] += 0.25; // another length of material before the element
        }
    }
    Out a = evaluate(kernel, s, true);
    Out b = evaluate(kernel, &moved, true);
    // Coordinates round by 1e-16 of 0.25 m, and energy changes by force times that.
    double scale = fabs(a.energy) * 1e-12 + largest(a.g, kernel->size) * 1e-15;
    cr_assert_leq(fabs(a.energy - b.energy), scale, "%s: energy %g became %g", kernel->name,
                  a.energy, b.energy);
}

static void check_kernel(const HedEolKernel* kernel) {
    int smooth = 0;
    for (uint64_t trial = 0; trial < TRIALS; ++trial) {
        for (Shape shape = 0; shape < SHAPES; ++shape) {
            State s = make_state(kernel, shape, trial);
            check_finite(kernel, &s, shape);
            check_parts(kernel, &s, shape);
            check_positive(kernel, &s, shape);
        }
        State s = make_state(kernel, RANDOM, trial);
        check_differences(kernel, &s, RANDOM);
        check_balance(kernel, &s, RANDOM);
        check_rigid_motion(kernel, &s, trial);
        smooth += difference_error(kernel, &s) >= 0.0;
        State line = make_state(kernel, NEARLY_STRAIGHT, trial);
        check_balance(kernel, &line, NEARLY_STRAIGHT);
    }
    cr_assert_gt(smooth, TRIALS / 4, "%s: only %d states were smooth", kernel->name, smooth);
}

Test(eol_kernels, all) {
    int32_t count = 0;
    const HedEolKernel* kernels = hed_eol_kernels(&count);
    cr_assert_gt(count, 0);
    for (int32_t k = 0; k < count; ++k) {
        cr_log_info("kernel %s", kernels[k].name);
        check_kernel(&kernels[k]);
    }
}

// The test itself must be able to fail: an entry that is wrong by 1e-5 is caught.
static double wrong_evaluate(const double* q, const void* rest, double* g, double* h,
                             bool is_exact) {
    int32_t count = 0;
    double energy = hed_eol_kernels(&count)[0].evaluate(q, rest, g, h, is_exact);
    h[9] *= 1.0 + 1e-5;
    return energy;
}

Test(eol_kernels, wrong_entry_is_caught) {
    int32_t count = 0;
    HedEolKernel bad = hed_eol_kernels(&count)[0];
    bad.evaluate = wrong_evaluate;
    double off = 0.0;
    for (uint64_t trial = 0; trial < TRIALS; ++trial) {
        State s = make_state(&bad, RANDOM, trial);
        off = fmax(off, difference_error(&bad, &s));
    }
    cr_assert_gt(off, 1.0, "a wrong entry was not noticed: %g", off);
}

// A node moved along a straight, evenly stretched yarn changes no energy and feels no force.
Test(eol_kernels, resampling) {
    const HedEolStretch yarn = {2.0, 0.2};
    HedVec3 axis = {0.36, 0.48, 0.8};
    for (int slack = 0; slack < 2; ++slack) {
        double lam = slack ? 0.9 : 1.07;
        double first = 0.0;
        for (int k = 0; k < 9; ++k) {
            double u[3] = {0.0, LENGTH * (0.1 + 0.2 * k), 2.0 * LENGTH};
            double energy = 0.0;
            double force[4] = {0};
            for (int piece = 0; piece < 2; ++piece) {
                double q[8], g[8];
                for (int end = 0; end < 2; ++end) {
                    hed_eol_put3(q + 4 * end, hed_mul3(lam * u[piece + end], axis));
                    q[4 * end + 3] = u[piece + end];
                }
                energy += hed_eol_stretch(q, yarn, g, NULL, false);
                for (int c = 0; c < 4; ++c) {
                    force[c] += g[4 * (1 - piece) + c];
                }
            }
            first = k == 0 ? energy : first;
            cr_assert_float_eq(energy, first, 10.0 * ROUNDING * first);
            cr_assert_leq(largest(force, 4), 1e-13 * yarn.tight); // rounding of two pulls
        }
    }
}

// Regular polygons: the sum is kb/2 curvature^2 length as the corners become many.
Test(eol_kernels, arc) {
    const HedEolBend yarn = {2e-9, 0.0, 4.0, 0.0};
    double radius = 0.05;
    double worst[2] = {0};
    for (int refine = 0; refine < 2; ++refine) {
        int n = refine ? 200 : 100;
        double angle = 1.0 / n;
        double sum = 0.0;
        for (int k = 0; k < n; ++k) {
            double q[12];
            for (int node = 0; node < 3; ++node) {
                double at = (k + node) * angle;
                hed_eol_put3(q + 4 * node,
                             hed_vec3(radius * sin(at), radius * (1.0 - cos(at)), 0.0));
                q[4 * node + 3] = 2.0 * radius * sin(0.5 * angle) * (k + node);
            }
            sum += hed_eol_bend(q, yarn, NULL, NULL, false);
        }
        double exact = 0.5 * yarn.stiffness / (radius * radius) * radius;
        worst[refine] = fabs(sum / exact - 1.0);
    }
    // The chord is shorter than the arc by angle^2/24: 4e-6 for 100 pieces, a quarter for 200.
    cr_assert_leq(worst[0], 5e-6, "off by %g", worst[0]);
    cr_assert_leq(worst[1], 0.26 * worst[0], "off by %g and %g", worst[0], worst[1]);
}

// A straight yarn: no force in any direction, the matrix is (2 kb/D) J'J, and both forms agree.
Test(eol_kernels, straight) {
    const HedEolBend yarn = {2e-9, 0.0, 4.0, 0.0};
    const double q[12] = {0, 0, 0, 0, LENGTH, 0, 0, LENGTH, 2 * LENGTH, 0, 0, 2 * LENGTH};
    double g[12], h[12][12], exact[12][12];
    cr_assert_eq(hed_eol_bend(q, yarn, g, h, false), 0.0);
    hed_eol_bend(q, yarn, g, exact, true);
    const double second[3] = {1.0, -2.0, 1.0};
    double stiff = 2.0 * yarn.stiffness / (2.0 * LENGTH) / (LENGTH * LENGTH);
    for (int i = 0; i < 12; ++i) {
        cr_assert_eq(g[i], 0.0);
        for (int j = 0; j < 12; ++j) {
            bool across = i % 4 == j % 4 && (i % 4 == 1 || i % 4 == 2);
            double want = across ? stiff * second[i / 4] * second[j / 4] : 0.0;
            cr_assert_float_eq(h[i][j], want, ROUNDING * stiff, "entry %d %d: %g, not %g", i, j,
                               h[i][j], want);
            cr_assert_float_eq(exact[i][j], want, ROUNDING * stiff);
        }
    }
}

// A yarn bent by any small angle feels the force of that angle: there is no dead zone.
Test(eol_kernels, small_angles) {
    const HedEolBend yarn = {2e-9, 0.0, 4.0, 0.0};
    for (int digits = 3; digits < 14; ++digits) {
        double angle = pow(10.0, -digits);
        double q[12] = {0,
                        0,
                        0,
                        0,
                        LENGTH,
                        0,
                        0,
                        LENGTH,
                        LENGTH * (1.0 + cos(angle)),
                        LENGTH * sin(angle),
                        0,
                        2 * LENGTH};
        double g[12];
        hed_eol_bend(q, yarn, g, NULL, false);
        double want = 2.0 * yarn.stiffness * angle / (2.0 * LENGTH) / LENGTH;
        // Directions round to 1e-16.
        cr_assert_float_eq(g[9], want * cos(angle), want * (1e-15 / angle + 1e-12),
                           "at 1e-%d: %g, not %g", digits, g[9], want);
    }
}

// How far the positive form is from the exact one: nothing at rest, and it grows with the angle.
Test(eol_kernels, positive_form_is_near) {
    int32_t count = 0;
    const HedEolKernel* kernels = hed_eol_kernels(&count);
    for (int32_t k = 0; k < count; ++k) {
        bool is_bend = strcmp(kernels[k].name, "bend") == 0;
        for (uint64_t trial = 0; trial < TRIALS && is_bend; ++trial) {
            State s = make_state(&kernels[k], NEARLY_STRAIGHT, trial);
            Out exact = evaluate(&kernels[k], &s, true);
            Out positive = evaluate(&kernels[k], &s, false);
            double stiff = largest(exact.h, 144);
            for (int i = 0; i < 144; ++i) {
                // Angles of 1e-5 and pieces from 0.7 to 1.3 lengths: coupling with the length is
                // theta of the stiffness.
                cr_assert_leq(fabs(exact.h[i] - positive.h[i]), 5e-5 * stiff);
            }
        }
    }
}

Test(eol_kernels, shear_at_rest) {
    const HedEolShear crossing = {LENGTH, 5e-3, 1.57079632679489661923, 0.6, 0.15};
    const double q[9] = {LENGTH, 0, 0, 0, 0, 0, 0, 2 * LENGTH, 0};
    double g[9], h[9][9], exact[9][9];
    // A right angle is rounded by 6e-17, and its change is squared.
    cr_assert_leq(hed_eol_shear(q, crossing, g, h, false), 1e-30);
    hed_eol_shear(q, crossing, g, exact, true);
    for (int i = 0; i < 81; ++i) {
        cr_assert_leq(fabs(g[i % 9]), 0.1 * ROUNDING);
        cr_assert_float_eq(h[i / 9][i % 9], exact[i / 9][i % 9], ROUNDING * h[1][1]);
    }
    // One radian of shear of the neighbour at distance L needs a moment L kx.
    cr_assert_float_eq(h[1][1], crossing.length * crossing.stiffness / (LENGTH * LENGTH),
                       1e-12 * h[1][1]);
}
