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
#include "state/lanes.h"

#include <string.h>

enum { NEWTON_LIMIT = 40, HALVING_LIMIT = 12 };

// rad, a step after which nothing is left to do: convergence is quadratic, 1e-10 remains.
static const double ANGLE_DONE = 1e-5;
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

// Scratch of one rod, one number per slot each; of segments unless said otherwise.
typedef struct Scratch {
    double* seen[4]; // of vertices: the turn as the reference frames of both segments see it
    double *cosine, *sine;
    double *step, *diagonal, *off, *border;
} Scratch;

static Scratch scratch_of(const HedRods* rods, const HedRod* rod) {
    double* part[HED_ROD_WORK];
    int64_t size = rod->def.point_count + HED_ROD_AROUND;
    for (int k = 0; k < HED_ROD_WORK; ++k) {
        part[k] = rods->work + HED_ROD_WORK * (int64_t)rod->first_slot + k * size + HED_ROD_BEFORE;
    }
    return (Scratch){
        {part[0], part[1], part[2], part[3]}, part[4], part[5], part[6], part[7], part[8], part[9]};
}

// The turn at vertices 0 .. segment_count, seen from the reference frames.
static void see_turns(const HedRods* rods, const HedRod* rod, Scratch at) {
    int32_t first = hed_rod_slot(rod, 0);
    HedRodVectors t = rods->t, u = rods->u;
    double *a0 = at.seen[0], *a1 = at.seen[1], *b0 = at.seen[2], *b1 = at.seen[3];
#pragma omp simd
    for (int32_t k = 0; k <= rod->segment_count; ++k) {
        int32_t i = first + k, h = i - 1;
        HedRodFrame a = {{t.x[h], t.y[h], t.z[h]}, {u.x[h], u.y[h], u.z[h]}, 0.0};
        HedRodFrame b = {{t.x[i], t.y[i], t.z[i]}, {u.x[i], u.y[i], u.z[i]}, 0.0};
        HedRodParts p = hed_rod_parts(a, b, (HedRodRest){0});
        a0[k] = p.w[0][0];
        a1[k] = p.w[0][1];
        b0[k] = p.w[1][0];
        b1[k] = p.w[1][1];
    }
}

// Cosines and sines of all angles, walls included.
static void turn_angles(const HedRods* rods, const HedRod* rod, Scratch at) {
    const double* theta = rods->theta + hed_rod_slot(rod, 0);
#pragma omp simd
    for (int32_t k = -1; k <= rod->segment_count; ++k) {
        HedTurn turn = hed_turn2(theta[k]);
        at.cosine[k] = turn.cosine;
        at.sine[k] = turn.sine;
    }
}

// The turn at vertex k seen from the material frames.
HED_ALWAYS_INLINE void turn_seen(Scratch at, int32_t k, double w[2][2]) {
    for (int j = 0; j < 2; ++j) {
        double c = at.cosine[k - 1 + j], s = at.sine[k - 1 + j];
        double x = at.seen[2 * j][k], y = at.seen[2 * j + 1][k];
        w[j][0] = c * x + s * y;
        w[j][1] = c * y - s * x;
    }
}

static double twist_off(const HedRods* rods, int32_t i) {
    return rods->theta[i] - rods->theta[i - 1] + rods->twist[i] - rods->turn[i];
}

static double energy_of(const HedRods* rods, const HedRod* rod, Scratch at) {
    double sum = 0.0;
    int32_t first = hed_rod_slot(rod, 0);
    for (int32_t k = 0; k < rod->def.point_count; ++k) {
        double w[2][2];
        turn_seen(at, k, w);
        double off = twist_off(rods, first + k);
        sum += hed_rod_bend(w, hed_rod_rest(rods, first + k)) +
               0.5 * rods->stiff[first + k] * off * off;
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

// What vertex k gives to the angles of the segments before and after it.
HED_ALWAYS_INLINE HedRodTurns turns_at(const HedRods* rods, int32_t first, Scratch at, int32_t k,
                                       double second) {
    int32_t i = first + k;
    double w[2][2];
    turn_seen(at, k, w);
    HedRodRest rest = {
        {rods->bend[0][i], rods->bend[1][i]},
        rods->stiff[i],
        {{rods->curve[0][i], rods->curve[1][i]}, {rods->curve[2][i], rods->curve[3][i]}},
        0.0};
    return hed_rod_turns(w, rest, rods->stiff[i] * twist_off(rods, i), second);
}

// -dE/dtheta and d2E/dtheta2. Segment k has a share in vertices k and k + 1. Vertices are taken
// eight at a time, so that each is looked at once.
static void assemble(const HedRods* rods, const HedRod* rod, Scratch at, double second) {
    int32_t first = hed_rod_slot(rod, 0);
    const double* stiff = rods->stiff + first;
    for (int32_t k = 0; k < rod->segment_count; ++k) {
        at.off[k] = -stiff[k + 1];
    }
    double slope = 0.0, own = 0.0; // of segment k - 1, from vertex k - 1
    for (int32_t begin = 0; begin <= rod->segment_count; begin += HED_LANES) {
        double s0[HED_LANES], s1[HED_LANES], o0[HED_LANES], o1[HED_LANES];
        int32_t count = hed_min_i32(HED_LANES, rod->segment_count + 1 - begin);
#pragma omp simd
        for (int32_t l = 0; l < count; ++l) {
            HedRodTurns turns = turns_at(rods, first, at, begin + l, second);
            s0[l] = turns.slope[0];
            s1[l] = turns.slope[1];
            o0[l] = turns.own[0];
            o1[l] = turns.own[1];
        }
        for (int32_t l = 0; l < count; ++l) {
            int32_t k = begin + l - 1;
            at.step[k] = -slope - s0[l];
            at.diagonal[k] = own + o0[l];
            slope = s1[l];
            own = o1[l];
        }
    }
    fix_held(rods, rod, at.diagonal, at.off);
    for (int32_t k = 0; k < rod->segment_count && rod->held_count > 0; ++k) {
        at.step[k] = rods->is_held[first + k] ? 0.0 : at.step[k];
    }
}

void hed_rod_angle_matrix(const HedRods* rods, const HedRod* rod, bool is_exact, double* diagonal,
                          double* off) {
    int32_t first = hed_rod_slot(rod, 0);
    for (int32_t k = 0; k < rod->segment_count; ++k) {
        HedRodAngles a[2];
        for (int side = 0; side < 2; ++side) {
            int32_t i = first + k + side;
            a[side] = hed_rod_angles(hed_rod_frame(rods, i - 1), hed_rod_frame(rods, i),
                                     hed_rod_rest(rods, i), rods->moment[i], is_exact);
        }
        diagonal[k] = a[0].turns.own[1] + a[1].turns.own[0];
        off[k] = -rods->stiff[first + k + 1];
    }
    fix_held(rods, rod, diagonal, off);
}

static double largest(const double* values, int32_t n) {
    double most = 0.0;
    for (int32_t k = 0; k < n; ++k) {
        most = fabs(values[k]) > most || isnan(values[k]) ? fabs(values[k]) : most;
    }
    return most;
}

// Replaces the slopes in at.step by the step of Newton's method; returns its largest entry. A
// matrix that is not positive is replaced by its positive form.
static double newton_step(const HedRods* rods, const HedRod* rod, Scratch at) {
    HedTridiagonal matrix = {rod->segment_count, rod->def.is_closed, at.diagonal, at.off,
                             at.border};
    if (hed_tridiagonal_factor(&matrix) < -HED_TRIDIAGONAL_ZERO) {
        assemble(rods, rod, at, 0.0);
        hed_tridiagonal_factor(&matrix);
    }
    hed_tridiagonal_solve(&matrix, at.step);
    return largest(at.step, rod->segment_count);
}

static void move_angles(HedRods* rods, const HedRod* rod, Scratch at, double part) {
    int32_t first = hed_rod_slot(rod, 0);
    for (int32_t k = 0; k < rod->segment_count; ++k) {
        rods->theta[first + k] += part * at.step[k];
    }
    hed_rod_wrap(rod, rods->theta);
    turn_angles(rods, rod, at);
}

// One step, halved while it leads uphill.
static bool move_downhill(HedRods* rods, const HedRod* rod, Scratch at) {
    double energy = energy_of(rods, rod, at);
    double part = 1.0;
    move_angles(rods, rod, at, part);
    double next = energy_of(rods, rod, at);
    for (int k = 0; k < HALVING_LIMIT && next > energy; ++k) {
        part *= 0.5;
        move_angles(rods, rod, at, -part);
        next = energy_of(rods, rod, at);
    }
    return isfinite(next);
}

static int32_t solve_newton(HedRods* rods, const HedRod* rod, Scratch at) {
    double stiff = rod->def.bend[0] + rod->def.bend[1] + rod->def.twist;
    double least = SLOPE_DONE * stiff * rods->inverse[hed_rod_slot(rod, 0)];
    for (int32_t iteration = 1; iteration <= NEWTON_LIMIT; ++iteration) {
        assemble(rods, rod, at, 1.0);
        if (largest(at.step, rod->segment_count) <= least) {
            return iteration;
        }
        double most = newton_step(rods, rod, at);
        if (most <= ANGLE_DONE) {
            move_angles(rods, rod, at, 1.0);
            return iteration;
        }
        if (!isfinite(most) || !move_downhill(rods, rod, at)) {
            break;
        }
    }
    return -1;
}

static void place_directors(HedRods* rods, const HedRod* rod, Scratch at) {
    int32_t first = hed_rod_slot(rod, 0);
    HedRodVectors t = rods->t, u = rods->u, m = rods->m;
#pragma omp simd
    for (int32_t k = 0; k < rod->segment_count; ++k) {
        int32_t i = first + k;
        HedVec3 out =
            hed_turn3((HedVec3){u.x[i], u.y[i], u.z[i]}, (HedVec3){t.x[i], t.y[i], t.z[i]},
                      (HedTurn){at.cosine[k], at.sine[k]});
        m.x[i] = out.x;
        m.y[i] = out.y;
        m.z[i] = out.z;
    }
    for (int32_t i = first; i < first + rod->def.point_count; ++i) {
        rods->moment[i] = rods->stiff[i] * twist_off(rods, i);
    }
}

// Bending of a plain rod is the same seen from any frame: the reference frame will do.
static void copy_directors(HedRods* rods, const HedRod* rod) {
    size_t bytes = sizeof(double) * (size_t)rod->segment_count;
    int32_t first = hed_rod_slot(rod, 0);
    memcpy(rods->m.x + first, rods->u.x + first, bytes);
    memcpy(rods->m.y + first, rods->u.y + first, bytes);
    memcpy(rods->m.z + first, rods->u.z + first, bytes);
}

int32_t hed_rod_solve_angles(HedRods* rods, int32_t r) {
    const HedRod* rod = &rods->rod[r];
    int32_t iterations = 0;
    if (rod->is_plain) {
        solve_plain(rods, rod);
        copy_directors(rods, rod);
    } else {
        Scratch at = scratch_of(rods, rod);
        hed_rod_wrap(rod, rods->theta);
        see_turns(rods, rod, at);
        turn_angles(rods, rod, at);
        iterations = solve_newton(rods, rod, at);
        place_directors(rods, rod, at);
    }
    hed_rod_wrap_vectors(rod, rods->m);
    return iterations;
}
