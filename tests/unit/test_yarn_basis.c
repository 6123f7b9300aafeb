// SPDX-License-Identifier: MIT
// Contact knows a yarn only by the basis of its curve: forces are the slope of the energy, and
// products that of the forces, for each basis and for yarns of both against each other.
#include "contact/yarn_contact.h"

#include "base/random.h"

#include <criterion/criterion.h>
#include <string.h>

enum { COUNT = 12, CURVES = 3, POINTS = COUNT * CURVES };

static const HedTeam ONE = {.threads = 1};

// Three yarns wound around each other, one of them closed.
typedef struct Wound {
    HedCubicSegment segments[POINTS];
    double rest_length[POINTS];
    HedYarnCurve curves[CURVES];
    HedVec3 x[POINTS], v[POINTS];
    HedYarnContact contact;
} Wound;

static double draw(uint64_t stream, int64_t k) {
    return hed_random_uniform(17, stream, (uint64_t)k) - 0.5;
}

static void wind(Wound* w, const HedCubicBasis basis[CURVES]) {
    HedYarnContactDef def = hed_yarn_contact_def_default();
    int32_t segments = 0;
    *w = (Wound){0};
    for (int32_t c = 0; c < CURVES; ++c) {
        bool is_closed = c == 2;
        int32_t n = hed_cubic_count(basis[c], COUNT, is_closed);
        for (int32_t i = c * COUNT; i < (c + 1) * COUNT; ++i) {
            double t = 6.283185307179586 * (i % COUNT) / COUNT;
            w->x[i] = hed_vec3(5e-3 * cos(t) + 1e-3 * draw(1, i), 5e-3 * sin(t) + 1e-3 * draw(2, i),
                               1e-3 * cos(3.0 * t + 2.0 * c) + 0.3e-3 * draw(3, i));
            w->v[i] = hed_vec3(draw(4, i), draw(5, i), draw(6, i));
        }
        w->curves[c] = (HedYarnCurve){basis[c], segments, n, is_closed, 0.8e-3, 2.0 + c};
        for (int32_t s = 0; s < n; ++s) {
            w->segments[segments] = hed_cubic_segment(basis[c], c * COUNT, COUNT, is_closed, s);
            w->rest_length[segments++] = 2.6e-3;
        }
    }
    def.point_count = POINTS;
    def.segments = w->segments;
    def.rest_length = w->rest_length;
    def.segment_count = segments;
    def.curves = w->curves;
    def.curve_count = CURVES;
    def.team = &ONE;
    HedError error = {0};
    HedStatus status = hed_yarn_contact_create(&w->contact, &def, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
}

// Energy and forces with the points moved by e along v.
static double energy_at(Wound* w, double e, HedVec3 force[POINTS]) {
    HedVec3 x[POINTS];
    for (int i = 0; i < POINTS; ++i) {
        x[i] = hed_madd3(w->x[i], e, w->v[i]);
    }
    memset(force, 0, sizeof(HedVec3) * POINTS);
    cr_assert_eq(hed_yarn_update(&w->contact, x, NULL), HED_OK);
    return hed_yarn_add_force(&w->contact, (HedYarnState){x, w->v, 0.0}, force).energy;
}

static void check_slopes(const HedCubicBasis basis[CURVES]) {
    const double e = 2e-9; // m: 1e-6 of the reach, truncation 1e-12 of it squared
    Wound w;
    HedVec3 low[POINTS], high[POINTS], force[POINTS], product[POINTS] = {{0}};
    wind(&w, basis);
    double rise = energy_at(&w, e, high) - energy_at(&w, -e, low);
    double energy = energy_at(&w, 0.0, force);
    double along = 0.0, size = 0.0, most = 0.0;
    for (int i = 0; i < POINTS; ++i) {
        along -= hed_dot3(force[i], w.v[i]);
        size += hed_norm3(force[i]);
    }
    cr_assert_gt(size, 0.01, "nothing touches: %g N", size);
    // Rounding of the energies over 2 e, and curvature of the forces over 1e-6 of the reach.
    cr_assert_float_eq(rise / (2.0 * e), along, 1e-15 * energy / e + 1e-6 * size, "%g and %g N",
                       rise / (2.0 * e), along);
    // The last energy was found at the state itself.
    cr_assert_eq(hed_yarn_linearise(&w.contact, (HedYarnState){w.x, w.v, 0.0},
                                    (HedYarnScale){1.0, 0.0, true}, NULL),
                 HED_OK);
    hed_yarn_multiply(&w.contact, w.v, product);
    for (int i = 0; i < POINTS; ++i) {
        most = fmax(most, hed_norm3(product[i]));
    }
    for (int i = 0; i < POINTS; ++i) {
        HedVec3 d = hed_mul3(-0.5 / e, hed_sub3(high[i], low[i]));
        // Truncation of 1e-12, and of contacts that begin within the step.
        cr_assert_lt(hed_distance3(d, product[i]), 1e-8 * most, "point %d: %g of %g", i,
                     hed_distance3(d, product[i]), most);
    }
    hed_yarn_contact_free(&w.contact);
}

Test(yarn_basis, catmull_rom) {
    check_slopes((const HedCubicBasis[]){HED_CUBIC_CATMULL_ROM, HED_CUBIC_CATMULL_ROM,
                                         HED_CUBIC_CATMULL_ROM});
}

Test(yarn_basis, bspline) {
    check_slopes((const HedCubicBasis[]){HED_CUBIC_BSPLINE, HED_CUBIC_BSPLINE, HED_CUBIC_BSPLINE});
}

Test(yarn_basis, both_against_each_other) {
    check_slopes(
        (const HedCubicBasis[]){HED_CUBIC_BSPLINE, HED_CUBIC_CATMULL_ROM, HED_CUBIC_BSPLINE});
}
