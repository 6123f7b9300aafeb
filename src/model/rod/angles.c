// SPDX-License-Identifier: MIT
// Angles of least energy for given points: twist spreads so fast that it is always in equilibrium.
//
// Rods that are equally stiff both ways and straight at rest do not feel their angles in bending:
// between two held segments the twisting moment is constant,
//   M = (theta_b - theta_a + sum (twist - turn)) / sum (1/stiffness),
// and it is zero towards a free end. All others take Newton's method on a tridiagonal system,
// starting from the angles of the last commit.
#include "model/rod/internal.h"
#include "solve/tridiagonal.h"

enum { NEWTON_LIMIT = 40, HALVING_LIMIT = 12 };

static const double ANGLE_DONE = 1e-10; // rad, a step after which nothing is left to do
static const double SLOPE_DONE = 1e-12; // of the stiffness: a slope that is rounding

// The slot of segment k of a rod, counted on round a ring; -1 and the last are the walls of an open
// rod.
static int32_t around(const HedRod* rod, int32_t k) {
    bool is_round = rod->def.is_closed && k >= rod->segment_count;
    return hed_rod_slot(rod, is_round ? k - rod->segment_count : k);
}

// Angles between the held segments a and b (b may be a, once round), or after a to the free end b.
static void span(HedRods* rods, const HedRod* rod, int32_t a, int32_t b, bool is_held) {
    double turn = rods->theta[around(rod, b)] - rods->theta[around(rod, a)];
    double soft = 0.0;
    bool is_stiff = is_held && rod->def.twist > 0.0;
    for (int32_t k = a + 1; k <= b && is_stiff; ++k) {
        int32_t i = around(rod, k);
        turn += rods->twist[i] - rods->turn[i];
        soft += 1.0 / rods->stiff[i];
    }
    double moment = soft > 0.0 ? turn / soft : 0.0;
    for (int32_t k = a + 1; k <= b; ++k) {
        int32_t i = around(rod, k);
        rods->moment[i] = moment;
        if (k < b || !is_held) {
            double twist = is_stiff ? moment / rods->stiff[i] : 0.0;
            rods->theta[i] =
                rods->theta[around(rod, k - 1)] + rods->turn[i] - rods->twist[i] + twist;
        }
    }
}

// The first held segment from k on; past the end if there is none.
static int32_t next_held(const HedRods* rods, const HedRod* rod, int32_t k) {
    while (k < rod->def.point_count && !rods->is_held[hed_rod_slot(rod, k)]) {
        ++k;
    }
    return k;
}

static void solve_plain(HedRods* rods, const HedRod* rod) {
    int32_t n = rod->def.point_count;
    int32_t first = rod->held_count > 0 ? next_held(rods, rod, rod->def.is_closed ? 0 : -1) : 0;
    int32_t a = first;
    for (int32_t b = next_held(rods, rod, a + 1); b < n; b = next_held(rods, rod, a + 1)) {
        span(rods, rod, a, b, true);
        a = b;
    }
    if (rod->def.is_closed) {
        span(rods, rod, a, n + first, true);
        return;
    }
    span(rods, rod, a, n - 2, false);
    for (int32_t k = first; k > 0; --k) {
        int32_t i = hed_rod_slot(rod, k);
        rods->moment[i] = 0.0;
        rods->theta[i - 1] = rods->theta[i] + rods->twist[i] - rods->turn[i];
    }
}

static void place_directors(HedRods* rods, const HedRod* rod) {
    int32_t first = hed_rod_slot(rod, 0);
    for (int32_t i = first; i < first + rod->segment_count; ++i) {
        HedVec3 m =
            hed_director3(hed_rod_vector(rods->u, i), hed_rod_vector(rods->t, i), rods->theta[i]);
        hed_rod_set(rods->m, i, m);
    }
    hed_rod_wrap_vectors(rod, rods->m);
    hed_rod_wrap(rod, rods->theta);
}

// Energy of a rod by its angles; directors and moments are brought to them.
static double energy_of(HedRods* rods, const HedRod* rod) {
    double sum = 0.0;
    place_directors(rods, rod);
    for (int32_t k = 0; k < rod->def.point_count; ++k) {
        int32_t i = hed_rod_slot(rod, k);
        HedRodRest rest = hed_rod_rest(rods, i);
        double off = rods->theta[i] - rods->theta[i - 1] + rods->twist[i] - rest.turn;
        rods->moment[i] = rest.twist * off;
        HedRodParts p = hed_rod_parts(hed_rod_frame(rods, i - 1), hed_rod_frame(rods, i), rest);
        sum += p.bend + 0.5 * rods->moment[i] * off;
    }
    return sum;
}

static void fix_held(const HedRods* rods, const HedRod* rod, double* diagonal, double* off) {
    int32_t n = rod->segment_count;
    for (int32_t k = 0; k < n && rod->held_count > 0; ++k) {
        if (rods->is_held[hed_rod_slot(rod, k)]) {
            diagonal[k] = 1.0;
            off[k] = 0.0;
            off[k > 0 ? k - 1 : n - 1] = 0.0;
        }
    }
}

static HedRodAngles angles_at(const HedRods* rods, int32_t i, bool is_exact) {
    return hed_rod_angles(hed_rod_frame(rods, i - 1), hed_rod_frame(rods, i), hed_rod_rest(rods, i),
                          rods->moment[i], is_exact);
}

void hed_rod_angle_matrix(const HedRods* rods, const HedRod* rod, bool is_exact, double* diagonal,
                          double* off) {
    for (int32_t k = 0; k < rod->segment_count; ++k) {
        diagonal[k] = off[k] = 0.0;
    }
    for (int32_t k = 0; k < rod->def.point_count; ++k) {
        HedRodAngles a = angles_at(rods, hed_rod_slot(rod, k), is_exact);
        HedRodSides side = hed_rod_sides(rod, k);
        if (side.left >= 0) {
            diagonal[side.left] += a.own[0];
        }
        if (side.right >= 0) {
            diagonal[side.right] += a.own[1];
        }
        if (side.left >= 0 && side.right >= 0) {
            off[side.left] = a.mixed;
        }
    }
    fix_held(rods, rod, diagonal, off);
}

// -dE/dtheta into down; returns the largest.
static double slopes(const HedRods* rods, const HedRod* rod, double* down) {
    for (int32_t k = 0; k < rod->segment_count; ++k) {
        down[k] = 0.0;
    }
    for (int32_t k = 0; k < rod->def.point_count; ++k) {
        HedRodAngles a = angles_at(rods, hed_rod_slot(rod, k), true);
        HedRodSides side = hed_rod_sides(rod, k);
        if (side.left >= 0) {
            down[side.left] -= a.slope[0];
        }
        if (side.right >= 0) {
            down[side.right] -= a.slope[1];
        }
    }
    double most = 0.0;
    for (int32_t k = 0; k < rod->segment_count; ++k) {
        down[k] = rods->is_held[hed_rod_slot(rod, k)] ? 0.0 : down[k];
        most = fmax(most, fabs(down[k]));
    }
    return most;
}

static double largest(const double* values, int32_t n) {
    double most = 0.0;
    for (int32_t k = 0; k < n; ++k) {
        most = fabs(values[k]) > most || isnan(values[k]) ? fabs(values[k]) : most;
    }
    return most;
}

// The step of Newton's method in place of the slopes in `down`; returns its largest entry. A matrix
// that is not positive is replaced by its positive form.
static double newton_step(const HedRods* rods, const HedRod* rod, double* down, double* work) {
    int32_t n = rod->segment_count;
    HedTridiagonal matrix = {n, rod->def.is_closed, work, work + n, work + 2 * (int64_t)n};
    hed_rod_angle_matrix(rods, rod, true, matrix.diagonal, matrix.off);
    if (hed_tridiagonal_factor(&matrix) < -HED_TRIDIAGONAL_ZERO) {
        hed_rod_angle_matrix(rods, rod, false, matrix.diagonal, matrix.off);
        hed_tridiagonal_factor(&matrix);
    }
    hed_tridiagonal_solve(&matrix, down);
    return largest(down, n);
}

static void move_angles(HedRods* rods, const HedRod* rod, double part, const double* step) {
    int32_t first = hed_rod_slot(rod, 0);
    for (int32_t k = 0; k < rod->segment_count; ++k) {
        rods->theta[first + k] += part * step[k];
    }
}

static int32_t solve_newton(HedRods* rods, const HedRod* rod) {
    double* step = rods->work + 4 * (int64_t)rod->first_slot;
    double* work = step + rod->segment_count;
    double energy = energy_of(rods, rod);
    double stiff = rod->def.bend[0] + rod->def.bend[1] + rod->def.twist;
    double least = SLOPE_DONE * stiff * rods->inverse[hed_rod_slot(rod, 0)];
    for (int32_t iteration = 1; iteration <= NEWTON_LIMIT; ++iteration) {
        if (slopes(rods, rod, step) <= least) {
            return iteration;
        }
        double most = newton_step(rods, rod, step, work);
        double part = 1.0;
        move_angles(rods, rod, part, step);
        double next = energy_of(rods, rod);
        // A step that rounding could turn uphill is small enough to be taken as it is.
        for (int k = 0; k < HALVING_LIMIT && next > energy && most > 1e-5; ++k) {
            move_angles(rods, rod, -0.5 * part, step);
            part *= 0.5;
            next = energy_of(rods, rod);
        }
        if (most <= ANGLE_DONE) {
            return iteration;
        }
        if (!isfinite(next)) {
            break;
        }
        energy = next;
    }
    return -1;
}

int32_t hed_rod_solve_angles(HedRods* rods, int32_t r) {
    const HedRod* rod = &rods->rod[r];
    if (!rod->is_plain) {
        return solve_newton(rods, rod);
    }
    solve_plain(rods, rod);
    // Bending is the same seen from any frame: the reference frame will do.
    int32_t first = hed_rod_slot(rod, 0);
    for (int32_t i = first; i < first + rod->segment_count; ++i) {
        hed_rod_set(rods->m, i, hed_rod_vector(rods->u, i));
    }
    hed_rod_wrap_vectors(rod, rods->m);
    return 0;
}
