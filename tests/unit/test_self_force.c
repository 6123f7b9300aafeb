// SPDX-License-Identifier: MIT
// Contacts between surfaces as forces of implicit steps: bits for any number of threads, and which
// of them get the bound of friction. Derivatives: test_self.
#include "base/alloc.h"
#include "base/random.h"
#include "contact/self.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

// Relative: some dozens of operations.
static const double ROUNDING = 1e-13;

static const HedTeam TEAMS[3] = {{.threads = 1}, {.threads = 2}, {.threads = 3}};
static const double STEP = 0.005; // s

enum { SIDE = 40, COUNT = 2 * SIDE * SIDE };

// Two square sheets of side 1, one above the other and turned a little, that slide.
typedef struct Sheets {
    int32_t triangles[3 * 2 * 2 * (SIDE - 1) * (SIDE - 1)];
    HedVec3 x[COUNT], v[COUNT];
    double half_thickness[COUNT], area[COUNT];
} Sheets;

static void lay(Sheets* s) {
    int32_t corners = 0;
    for (int32_t p = 0; p < COUNT; ++p) {
        bool is_upper = p >= SIDE * SIDE;
        int32_t k = p % (SIDE * SIDE);
        double a = (double)(k % SIDE) / (SIDE - 1) - 0.5, b = (double)(k / SIDE) / (SIDE - 1) - 0.5;
        double turn = is_upper ? 0.2 : 0.0;
        s->x[p] = hed_vec3(cos(turn) * a - sin(turn) * b, is_upper ? 0.08 / SIDE : 0.0,
                           sin(turn) * a + cos(turn) * b);
        for (uint64_t c = 0; c < 3; ++c) {
            (&s->v[p].x)[c] = 0.1 * (hed_random_uniform(5, c, (uint64_t)p) - 0.5);
        }
        s->half_thickness[p] = 0.05 / SIDE;
        s->area[p] = 1.0 / (SIDE * SIDE);
        if (k % SIDE < SIDE - 1 && k / SIDE < SIDE - 1) {
            const int32_t quad[6] = {p, p + 1, p + SIDE + 1, p, p + SIDE + 1, p + SIDE};
            memcpy(s->triangles + corners, quad, sizeof quad);
            corners += 6;
        }
    }
}

// Forces, a product, the diagonal and sums.
typedef struct Result {
    HedVec3 force[COUNT], product[COUNT];
    HedMat3 diagonal[COUNT];
    double energy, power, potential;
} Result;

static void evaluate(const Sheets* s, const HedTeam* team, Result* out) {
    HedSelfDef def = {.point_count = COUNT,
                      .triangles = s->triangles,
                      .triangle_count = sizeof s->triangles / (3 * sizeof *s->triangles),
                      .rest = s->x,
                      .half_thickness = s->half_thickness,
                      .area = s->area,
                      .friction = 0.3,
                      .team = team};
    HedSelf self = {0};
    cr_assert_eq(hed_self_create(&self, &def, NULL), HED_OK);
    cr_assert_eq(hed_self_find(&self, s->x, s->v, STEP, 1e5, NULL), HED_OK);
    cr_assert_gt(self.contacts.count, 2000, "%d", (int)self.contacts.count);
    out->energy = hed_self_add_force(&self, s->x, s->v, out->force, &out->power);
    HedSelfScale scale = {1.0, 1.0 / STEP};
    cr_assert_eq(hed_self_linearise(&self, s->x, s->v, scale, NULL), HED_OK);
    hed_self_multiply(&self, s->v, out->product);
    hed_self_add_diagonal(&self, out->diagonal);
    out->potential = hed_self_dissipation(&self, s->v);
    hed_self_free(&self);
}

Test(self_force, same_bits_for_any_number_of_threads) {
    Sheets* sheets = HED_NEW(Sheets);
    Result* first = HED_NEW(Result);
    lay(sheets);
    evaluate(sheets, &TEAMS[0], first);
    cr_assert_gt(first->energy, 0.0);
    cr_assert_gt(first->power, 0.0);
    for (int t = 1; t < 3; ++t) {
        Result* other = HED_NEW(Result);
        evaluate(sheets, &TEAMS[t], other);
        cr_assert_eq(memcmp(first, other, sizeof *first), 0, "%d threads", TEAMS[t].threads);
        hed_free(other);
    }
    hed_free(first);
    hed_free(sheets);
}

// What begins to slide, or turns, gets all of the bound along its way, what slides on a tenth of
// what it had; what sticks needs none, it has its spring.
Test(self_force, slip_that_turns_gets_the_bound) {
    static const HedVec3 X[6] = {{0, 0, 0},         {1, 0, 0},         {0, 0, 1},
                                 {0.3, 0.012, 0.3}, {0.4, 1.012, 0.2}, {0.2, 1.012, 0.4}};
    static const int32_t TRIANGLES[6] = {0, 1, 2, 3, 4, 5};
    const double half[6] = {0.01, 0.01, 0.01, 0.01, 0.01, 0.01};
    const double area[6] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    HedSelfDef def = {.point_count = 6,
                      .triangles = TRIANGLES,
                      .triangle_count = 2,
                      .rest = X,
                      .half_thickness = half,
                      .area = area,
                      .friction = 0.5,
                      .team = &TEAMS[0]};
    HedSelf self = {0};
    HedVec3 v[6] = {{0}};
    cr_assert_eq(hed_self_create(&self, &def, NULL), HED_OK);
    cr_assert_eq(hed_self_find(&self, X, v, STEP, 1e5, NULL), HED_OK);
    cr_assert_eq(self.contacts.count, 1);
    const HedSelfContact* c = &self.contacts.data[0];
    const HedVec3 way[] = {{1, 0, 0},    {0.9, 3, 0.1}, {0.5, 0, 0},
                           {-0.5, 0, 0}, {-5e-4, 0, 0}, {-0.3, 0, 0}};
    const double expected[] = {1.0, 0.1, 0.01, 1.0, 1.0, 1.0}; // of the force over the slip
    for (int k = 0; k < 6; ++k) {
        v[3] = v[4] = v[5] = way[k];
        HedSelfScale scale = {0.0, 1.0};
        cr_assert_eq(hed_self_linearise(&self, X, v, scale, NULL), HED_OK);
        double slip = hypot(way[k].x, way[k].z);
        HedVec3 from[6] = {{0}}, to[6] = {{0}};
        from[3] = hed_vec3(way[k].x / slip, 0.0, way[k].z / slip);
        hed_self_multiply(&self, from, to);
        // It sticks below 1 mm/s.
        double most = c->limit / fmax(slip, 1e-3);
        cr_expect_float_eq(hed_dot3(to[3], from[3]), expected[k] * most, ROUNDING * most, "%d: %g",
                           k, hed_dot3(to[3], from[3]) / most);
    }
    hed_self_free(&self);
}
