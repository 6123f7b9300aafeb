// SPDX-License-Identifier: MIT
// Contact between yarns against the plain double sum over all pairs of quadrature points.
#include "contact/kernel_yarn.h"
#include "contact/yarn_contact.h"

#include "base/random.h"

#include <criterion/criterion.h>
#include <string.h>

// Relative: the same terms, summed in another order, some hundreds of them.
static const double ROUNDING = 1e-13;

static const HedTeam TEAMS[3] = {{.threads = 1}, {.threads = 2}, {.threads = 3}};

enum { POINTS_MOST = 4000 };

// Yarns, and the state they are in.
typedef struct Yarns {
    HedCubicSegment segments[POINTS_MOST];
    double rest_length[POINTS_MOST];
    HedYarnCurve curves[64];
    HedVec3 x[POINTS_MOST], v[POINTS_MOST];
    int32_t points, segment_count, curve_count;
    HedYarnContactDef def;
} Yarns;

static Yarns* new_yarns(void) {
    Yarns* y = HED_NEW(Yarns);
    cr_assert_not_null(y);
    y->def = hed_yarn_contact_def_default();
    y->def.damping_along = 30.0;
    y->def.damping_across = 7.0;
    y->def.team = &TEAMS[0];
    return y;
}

// Adds a yarn through points that were put into x behind those of the others.
static void add_yarn(Yarns* y, HedCubicBasis basis, int32_t count, bool is_closed, double radius) {
    int32_t n = hed_cubic_count(basis, count, is_closed);
    double k = 2.0 + y->curve_count;
    y->curves[y->curve_count++] = (HedYarnCurve){basis, y->segment_count, n, is_closed, radius, k};
    for (int32_t s = 0; s < n; ++s) {
        HedCubicSegment segment = hed_cubic_segment(basis, y->points, count, is_closed, s);
        HedVec3 p[4];
        for (int i = 0; i < 4; ++i) {
            p[i] = y->x[segment.point[i]];
        }
        HedCubic c = hed_cubic_make(hed_cubic_matrix(basis, segment.place), p);
        y->rest_length[y->segment_count] = hed_cubic_length(&c, 0.0, 1.0, 11);
        y->segments[y->segment_count++] = segment;
    }
    y->points += count;
}

static double draw(uint64_t stream, int64_t k) {
    return hed_random_uniform(5, stream, (uint64_t)k) - 0.5;
}

// A tangle: open and closed yarns of both bases and different radii, wound through each other.
static Yarns* tangle(int32_t quadrature) {
    static const int32_t COUNT[5] = {24, 30, 5, 2, 40};
    static const HedCubicBasis BASIS[5] = {HED_CUBIC_BSPLINE, HED_CUBIC_CATMULL_ROM,
                                           HED_CUBIC_CATMULL_ROM, HED_CUBIC_CATMULL_ROM,
                                           HED_CUBIC_BSPLINE};
    Yarns* y = new_yarns();
    y->def.quadrature = quadrature;
    for (int c = 0; c < 5; ++c) {
        for (int32_t i = 0; i < COUNT[c]; ++i) {
            double t = 6.2831853 * i / COUNT[c];
            int32_t p = y->points + i;
            y->x[p] = hed_vec3(6e-3 * cos(t) + 2e-3 * draw(1, p) + 1e-3 * c,
                               6e-3 * sin(t + 0.3 * c) + 2e-3 * draw(2, p),
                               2e-3 * cos(2.0 * t + c) + 2e-3 * draw(3, p));
            y->v[p] = hed_vec3(draw(4, p), draw(5, p), draw(6, p));
        }
        bool is_closed = c == 1 || c == 4;
        add_yarn(y, BASIS[c], COUNT[c], is_closed, (0.5 + 0.2 * c) * 1e-3);
    }
    return y;
}

static void open_contact(Yarns* y, HedYarnContact* contact) {
    HedError error = {0};
    y->def.point_count = y->points;
    y->def.segments = y->segments;
    y->def.rest_length = y->rest_length;
    y->def.segment_count = y->segment_count;
    y->def.curves = y->curves;
    y->def.curve_count = y->curve_count;
    HedStatus status = hed_yarn_contact_create(contact, &y->def, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
}

static void update(HedYarnContact* contact, const Yarns* y) {
    HedError error = {0};
    cr_assert_eq(hed_yarn_update(contact, y->x, &error), HED_OK, "%s", error.message);
}

static HedYarnState state(const Yarns* y) {
    return (HedYarnState){y->x, y->v, 0.0};
}

// What the plain sum gives.
typedef struct Plain {
    double energy, dissipation, deepest;
    HedVec3 force[POINTS_MOST];
    HedVec3 product[POINTS_MOST];
    HedMat3 diagonal[POINTS_MOST];
} Plain;

typedef struct Place {
    int32_t curve;
    double arc, weight;
    int32_t point[4];
    double w[4];
} Place;

static Place place_of(const Yarns* y, int32_t s, int32_t p) {
    Place place = {0};
    int32_t c = 0;
    while (s >= y->curves[c].first_segment + y->curves[c].segment_count) {
        ++c;
    }
    double t = p / (y->def.quadrature - 1.0);
    place.curve = c;
    for (int32_t k = y->curves[c].first_segment; k < s; ++k) {
        place.arc += y->rest_length[k];
    }
    place.arc += t * y->rest_length[s];
    place.weight = y->rest_length[s] * hed_simpson_weight(p, y->def.quadrature);
    memcpy(place.point, y->segments[s].point, sizeof place.point);
    hed_cubic_weights(hed_cubic_matrix(y->curves[c].basis, y->segments[s].place), t, place.w);
    return place;
}

static HedVec3 at(const Place* p, const HedVec3* values) {
    HedVec3 sum = {0};
    for (int k = 0; k < 4; ++k) {
        sum = hed_madd3(sum, p->w[k], values[p->point[k]]);
    }
    return sum;
}

static bool pushes(const Yarns* y, const Place* a, const Place* b) {
    if (a->curve != b->curve) {
        return true;
    }
    const HedYarnCurve* curve = &y->curves[a->curve];
    double way = fabs(a->arc - b->arc);
    double length = 0.0;
    for (int32_t k = 0; k < curve->segment_count; ++k) {
        length += y->rest_length[curve->first_segment + k];
    }
    if (curve->is_closed && length - way < way) {
        way = length - way;
    }
    return way >= y->def.contact_free * curve->radius;
}

static void add_pair(const Yarns* y, const Place* a, const Place* b, HedYarnScale scale,
                     const HedVec3* from, Plain* out) {
    double ka = y->curves[a->curve].stiffness, kb = y->curves[b->curve].stiffness;
    double area = a->weight * b->weight;
    HedYarnPairRest rest = {y->curves[a->curve].radius + y->curves[b->curve].radius,
                            2.0 * ka * kb / (ka + kb) * area, y->def.damping_along * area,
                            y->def.damping_across * area};
    HedVec3 d = hed_sub3(at(b, y->x), at(a, y->x));
    HedYarnPairOut e = hed_yarn_pair_eval(d, hed_sub3(at(b, y->v), at(a, y->v)), rest);
    HedMat3 h =
        hed_mat3_add(hed_mat3_scale(scale.stiffness, scale.is_exact ? e.hessian : e.positive),
                     hed_mat3_scale(scale.damping, e.rate_hessian));
    HedVec3 f = hed_mat3_apply(h, hed_sub3(at(b, from), at(a, from)));
    HedVec3 g = hed_add3(e.gradient, e.rate_gradient);
    out->energy += e.energy;
    out->dissipation += 2.0 * e.dissipation;
    out->deepest = fmin(out->deepest, hed_norm3(d) / rest.reach);
    for (int k = 0; k < 4; ++k) {
        int32_t i = a->point[k], j = b->point[k];
        out->force[i] = hed_madd3(out->force[i], a->w[k], g);
        out->force[j] = hed_madd3(out->force[j], -b->w[k], g);
        out->product[i] = hed_madd3(out->product[i], -a->w[k], f);
        out->product[j] = hed_madd3(out->product[j], b->w[k], f);
    }
    // A point may belong to both segments, as on either side of a tight bend.
    for (int k = 0; k < 64; ++k) {
        const Place *p = k / 8 < 4 ? a : b, *q = k % 8 < 4 ? a : b;
        int m = k / 8 % 4, n = k % 4;
        if (p->point[m] == q->point[n]) {
            HedMat3* to = &out->diagonal[p->point[m]];
            *to = hed_mat3_add(*to, hed_mat3_scale((p == q ? 1.0 : -1.0) * p->w[m] * q->w[n], h));
        }
    }
}

static Plain* plain_sum(const Yarns* y, HedYarnScale scale, const HedVec3* from) {
    Plain* out = HED_NEW(Plain);
    Place* place = HED_NEW_ARRAY(Place, (int64_t)y->segment_count * y->def.quadrature);
    int32_t n = y->def.quadrature;
    out->deepest = 1.0;
    for (int32_t i = 0; i < y->segment_count * n; ++i) {
        place[i] = place_of(y, i / n, i % n);
    }
    for (int32_t i = 0; i < y->segment_count * n; ++i) {
        for (int32_t j = (i / n + 1) * n; j < y->segment_count * n; ++j) {
            if (pushes(y, &place[i], &place[j])) {
                add_pair(y, &place[i], &place[j], scale, from, out);
            }
        }
    }
    hed_free(place);
    return out;
}

static double largest(const HedVec3* a, int32_t n) {
    double most = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        most = fmax(most, hed_norm3(a[i]));
    }
    return most;
}

// Sums of some thousand numbers in another order: 1e-12 of the largest.
static void check_vectors(const HedVec3* a, const HedVec3* b, int32_t n, const char* what) {
    double scale = largest(b, n);
    cr_assert_gt(scale, 0.0, "%s: nothing to compare", what);
    for (int32_t i = 0; i < n; ++i) {
        cr_assert_leq(hed_distance3(a[i], b[i]), ROUNDING * scale, "%s of point %d: %g off of %g",
                      what, i, hed_distance3(a[i], b[i]), scale);
    }
}

static void check_against_plain(Yarns* y, HedYarnContact* contact, bool is_exact) {
    HedYarnScale scale = {2.0, 0.5, is_exact};
    HedVec3* from = HED_NEW_ARRAY(HedVec3, y->points);
    HedVec3* force = HED_NEW_ARRAY(HedVec3, y->points);
    HedVec3* product = HED_NEW_ARRAY(HedVec3, y->points);
    HedMat3* diagonal = HED_NEW_ARRAY(HedMat3, y->points);
    for (int32_t i = 0; i < y->points; ++i) {
        from[i] = hed_vec3(draw(11, i), draw(12, i), draw(13, i));
    }
    Plain* plain = plain_sum(y, scale, from);
    update(contact, y);
    HedYarnSum sum = hed_yarn_add_force(contact, state(y), force);
    cr_assert_eq(hed_yarn_linearise(contact, state(y), scale, NULL), HED_OK);
    hed_yarn_multiply(contact, from, product);
    hed_yarn_add_diagonal(contact, diagonal);
    check_vectors(force, plain->force, y->points, "force");
    check_vectors(product, plain->product, y->points, "product");
    check_vectors((const HedVec3*)(const void*)diagonal, (const HedVec3*)(void*)plain->diagonal,
                  3 * y->points, "diagonal");
    cr_assert_float_eq(sum.energy, plain->energy, ROUNDING * plain->energy);
    cr_assert_float_eq(sum.damped, plain->dissipation, ROUNDING * plain->dissipation);
    cr_assert_float_eq(sum.deepest, plain->deepest, ROUNDING);
    hed_free(from);
    hed_free(force);
    hed_free(product);
    hed_free(diagonal);
    hed_free(plain);
}

Test(yarn_contact, equals_the_plain_sum) {
    static const int32_t QUADRATURE[4] = {3, 11, 17, 31};
    for (int q = 0; q < 4; ++q) {
        Yarns* y = tangle(QUADRATURE[q]);
        HedYarnContact contact;
        open_contact(y, &contact);
        check_against_plain(y, &contact, q % 2 == 0);
        check_against_plain(y, &contact, q % 2 == 1);
        hed_yarn_contact_free(&contact);
        hed_free(y);
    }
}

// Lists are kept while points move, and renewed in time.
Test(yarn_contact, equals_the_plain_sum_on_the_way) {
    Yarns* y = tangle(5);
    HedYarnContact contact;
    open_contact(y, &contact);
    for (int step = 0; step < 60; ++step) {
        for (int32_t i = 0; i < y->points; ++i) {
            HedVec3 wind = {40e-6, 0.0, 0.0}; // all together, and each on its own
            y->x[i] = hed_add3(hed_madd3(y->x[i], 40e-6, y->v[i]), wind);
        }
        update(&contact, y);
        if (step % 12 == 11) {
            check_against_plain(y, &contact, true);
        }
    }
    cr_assert_gt(contact.counts.rebuilds, 2);
    cr_assert_lt(contact.counts.rebuilds, 40);
    hed_yarn_contact_free(&contact);
    hed_free(y);
}

Test(yarn_contact, same_bits_for_any_team_and_list) {
    Yarns* y = tangle(11);
    HedVec3 *force[4], *product[4];
    HedYarnSum sum[4];
    for (int t = 0; t < 4; ++t) {
        HedYarnContact contact;
        y->def.team = &TEAMS[t % 3];
        y->def.friction_law = HED_YARN_KINETIC;
        y->def.friction = 0.3;
        open_contact(y, &contact);
        contact.wanted_margin = t == 3 ? 1e-3 : 0.0; // another list
        force[t] = HED_NEW_ARRAY(HedVec3, y->points);
        update(&contact, y);
        sum[t] = hed_yarn_add_force(&contact, state(y), force[t]);
        product[t] = HED_NEW_ARRAY(HedVec3, y->points);
        HedYarnScale scale = {1.0, 1e3, false};
        cr_assert_eq(hed_yarn_linearise(&contact, state(y), scale, NULL), HED_OK);
        hed_yarn_multiply(&contact, y->v, product[t]);
        hed_yarn_contact_free(&contact);
        if (t > 0) {
            cr_assert_arr_eq(force[t], force[0], (size_t)y->points * sizeof(HedVec3));
            cr_assert_arr_eq(product[t], product[0], (size_t)y->points * sizeof(HedVec3));
            cr_assert_eq(memcmp(&sum[t], &sum[0], sizeof sum[0]), 0);
        }
    }
    for (int t = 0; t < 4; ++t) {
        hed_free(force[t]);
        hed_free(product[t]);
    }
    hed_free(y);
}

// Larger than one block of work and than what is done by one thread alone.
Test(yarn_contact, same_bits_for_a_larger_tangle) {
    Yarns* y = new_yarns();
    y->def.damping_along = 3.0;
    for (int c = 0; c < 60; ++c) {
        for (int32_t i = 0; i < 60; ++i) {
            int32_t p = y->points + i;
            y->x[p] = hed_vec3(1e-3 * i, 1e-3 * (c % 8) + 4e-4 * draw(1, p),
                               1e-3 * (c / 8) + 4e-4 * draw(2, p));
        }
        add_yarn(y, HED_CUBIC_CATMULL_ROM, 60, false, 0.55e-3);
    }
    HedVec3* force[3];
    for (int t = 0; t < 3; ++t) {
        HedYarnContact contact;
        y->def.team = &TEAMS[t];
        open_contact(y, &contact);
        force[t] = HED_NEW_ARRAY(HedVec3, y->points);
        update(&contact, y);
        hed_yarn_add_force(&contact, state(y), force[t]);
        cr_assert_eq(hed_yarn_linearise(&contact, state(y), (HedYarnScale){1.0, 1.0, true}, NULL),
                     HED_OK);
        hed_yarn_multiply(&contact, y->x, force[t]);
        cr_assert_gt(contact.counts.touching_pairs, 1000);
        hed_yarn_contact_free(&contact);
        cr_assert_arr_eq(force[t], force[0], (size_t)y->points * sizeof(HedVec3));
    }
    for (int t = 0; t < 3; ++t) {
        hed_free(force[t]);
    }
    hed_free(y);
}

Test(yarn_contact, forces_balance) {
    Yarns* y = tangle(11);
    HedYarnContact contact;
    y->def.damping_across = 0.0; // acts on centre lines, so its moments need not
    open_contact(y, &contact);
    HedVec3* force = HED_NEW_ARRAY(HedVec3, y->points);
    update(&contact, y);
    hed_yarn_add_force(&contact, state(y), force);
    HedVec3 sum = {0}, moment = {0};
    for (int32_t i = 0; i < y->points; ++i) {
        sum = hed_add3(sum, force[i]);
        moment = hed_add3(moment, hed_cross3(y->x[i], force[i]));
    }
    double scale = largest(force, y->points);
    // Sums of some ten forces at each point.
    cr_assert_leq(hed_norm3(sum), 1e-15 * scale * y->points);
    cr_assert_leq(hed_norm3(moment), 1e-13 * scale * y->points * 0.01); // of a size of 1 cm
    hed_free(force);
    hed_yarn_contact_free(&contact);
    hed_free(y);
}

// A helix of the tightest bend that a yarn can make, and a ring: nothing touches. Coarse segments
// are longer than the contact-free length, fine ones much shorter.
Test(yarn_contact, a_bend_does_not_push_itself) {
    static const int32_t PER_TURN[3] = {6, 16, 40};
    const double r = 0.5e-3;
    for (int k = 0; k < 6; ++k) {
        Yarns* y = new_yarns();
        bool is_ring = k >= 3;
        int32_t n = PER_TURN[k % 3];
        int32_t count = is_ring ? n : 3 * n;
        for (int32_t i = 0; i < count; ++i) {
            double t = 6.283185307179586 * i / n;
            // Points of an interpolating curve of few segments lie inside the circle: 3 % more.
            double radius = 1.03 * r / cos(3.14159265 / n / 2.0);
            y->x[i] = hed_vec3(radius * cos(t), radius * sin(t), is_ring ? 0.0 : 0.36 * r * t);
        }
        add_yarn(y, HED_CUBIC_CATMULL_ROM, count, is_ring, r);
        HedYarnContact contact;
        HedVec3 force[200] = {{0}};
        open_contact(y, &contact);
        update(&contact, y);
        HedYarnSum sum = hed_yarn_add_force(&contact, state(y), force);
        cr_assert_eq(sum.energy, 0.0, "%d per turn, ring %d: %g J", n, is_ring, sum.energy);
        hed_yarn_contact_free(&contact);
        hed_free(y);
    }
}

// Two straight yarns side by side, a tenth of the diameter too near: energy of two elastic
// cylinders. f is not quadratic up to there: 8 % above its first term.
Test(yarn_contact, stiffness_from_modulus) {
    const double r = 0.2e-3, modulus = 1e8, length = 20e-3;
    Yarns* y = new_yarns();
    for (int c = 0; c < 2; ++c) {
        for (int32_t i = 0; i < 81; ++i) {
            y->x[y->points + i] = hed_vec3(length * i / 80.0, 1.8 * r * c, 0.0);
        }
        add_yarn(y, HED_CUBIC_CATMULL_ROM, 81, false, r);
        y->curves[c].stiffness = hed_yarn_stiffness(r, modulus);
    }
    HedYarnContact contact;
    HedVec3 force[162] = {{0}};
    open_contact(y, &contact);
    update(&contact, y);
    HedYarnSum sum = hed_yarn_add_force(&contact, state(y), force);
    double expected = 3.14159265 / 16.0 * modulus * 0.04 * r * r * length;
    // 8 %, as said above.
    cr_assert_float_eq(sum.energy, expected, 0.08 * expected, "%g J instead of %g", sum.energy,
                       expected);
    hed_yarn_contact_free(&contact);
    hed_free(y);
}

// The bound is above the largest eigenvalue of M^-1 K, found by iterating, and not far above.
Test(yarn_contact, bound_of_rates) {
    Yarns* y = tangle(11);
    HedYarnContact contact;
    open_contact(y, &contact);
    update(&contact, y);
    HedVec3* a = HED_NEW_ARRAY(HedVec3, y->points);
    HedVec3* b = HED_NEW_ARRAY(HedVec3, y->points);
    double* mass = HED_NEW_ARRAY(double, y->points);
    for (int32_t i = 0; i < y->points; ++i) {
        mass[i] = 1e-6 * (1.5 + draw(20, i));
    }
    HedYarnRate rate = hed_yarn_rate(&contact, state(y), (HedYarnBound){mass, 0.0, NULL});
    for (int kind = 0; kind < 2; ++kind) {
        HedYarnScale scale = {kind == 0, kind == 1, false};
        double value = 0.0;
        for (int32_t i = 0; i < y->points; ++i) {
            a[i] = hed_vec3(draw(21, i), draw(22, i), draw(23, i));
        }
        memset(b, 0, (size_t)y->points * sizeof *b);
        hed_yarn_add_force(&contact, state(y), b);
        cr_assert_eq(hed_yarn_linearise(&contact, state(y), scale, NULL), HED_OK);
        for (int turn = 0; turn < 300; ++turn) {
            memset(b, 0, (size_t)y->points * sizeof *b);
            hed_yarn_multiply(&contact, a, b);
            double size = 0.0;
            for (int32_t i = 0; i < y->points; ++i) {
                b[i] = hed_mul3(1.0 / mass[i], b[i]);
                size = fmax(size, hed_norm3(b[i]));
            }
            value = size;
            for (int32_t i = 0; i < y->points; ++i) {
                a[i] = hed_mul3(1.0 / size, b[i]);
            }
        }
        double bound = kind == 0 ? rate.stiffness : rate.damping;
        cr_assert_geq(bound, value);
        cr_assert_leq(bound, 6.0 * value, "%g is far above %g", bound, value);
    }
    hed_free(a);
    hed_free(b);
    hed_free(mass);
    hed_yarn_contact_free(&contact);
    hed_free(y);
}

// Yarns on top of each other: forces are large, finite and apart; energy too.
Test(yarn_contact, coincident_yarns_stay_finite) {
    Yarns* y = new_yarns();
    for (int c = 0; c < 2; ++c) {
        for (int32_t i = 0; i < 9; ++i) {
            y->x[y->points + i] = hed_vec3(1e-3 * i, 0.0, 0.0);
        }
        add_yarn(y, HED_CUBIC_BSPLINE, 9, false, 0.5e-3);
    }
    HedYarnContact contact;
    HedVec3 force[18] = {{0}};
    open_contact(y, &contact);
    update(&contact, y);
    HedYarnSum sum = hed_yarn_add_force(&contact, state(y), force);
    cr_assert(isfinite(sum.energy) && sum.energy > 0.0);
    cr_assert_eq(sum.deepest, 0.0);
    for (int i = 0; i < 18; ++i) {
        cr_assert(hed_is_finite3(force[i]));
    }
    hed_yarn_contact_free(&contact);
    hed_free(y);
}

Test(yarn_contact, nothing_at_all) {
    HedYarnContactDef def = hed_yarn_contact_def_default();
    HedYarnContact contact;
    def.team = &TEAMS[0];
    cr_assert_eq(hed_yarn_contact_create(&contact, &def, NULL), HED_OK);
    cr_assert_eq(hed_yarn_update(&contact, NULL, NULL), HED_OK);
    hed_yarn_contact_free(&contact);
    hed_yarn_contact_free(NULL);
}

static void refused(Yarns* y, const char* words) {
    HedYarnContact contact;
    HedError error = {0};
    cr_assert_eq(hed_yarn_contact_create(&contact, &y->def, &error), HED_INVALID, "%s", words);
    cr_assert_not_null(strstr(error.message, words), "'%s' without '%s'", error.message, words);
    cr_assert_null(contact.segments);
}

Test(yarn_contact, bad_input_is_named) {
    Yarns* y = tangle(11);
    HedYarnContact contact;
    open_contact(y, &contact);
    hed_yarn_contact_free(&contact);
#define TRY(field, value, words)                                                                   \
    do {                                                                                           \
        Yarns* bad = HED_NEW(Yarns);                                                               \
        *bad = *y;                                                                                 \
        bad->def.segments = bad->segments;                                                         \
        bad->def.rest_length = bad->rest_length;                                                   \
        bad->def.curves = bad->curves;                                                             \
        bad->field = value;                                                                        \
        refused(bad, words);                                                                       \
        hed_free(bad);                                                                             \
    } while (0)
    TRY(def.quadrature, 10, "got 10");
    TRY(def.quadrature, 33, "3..31");
    TRY(def.friction, -0.5, "friction between yarns must be at least 0 and finite, got -0.5");
    TRY(def.presliding, 0.0, "presliding");
    TRY(def.contact_free, NAN, "contact-free");
    TRY(def.damping_along, -1.0, "damping along");
    TRY(def.segment_count, 3, "yarn 0: segments");
    TRY(curves[1].radius, 0.0, "yarn 1: radius");
    TRY(curves[2].stiffness, -1.0, "yarn 2: contact stiffness");
    TRY(curves[2].first_segment, 1, "yarn 2: segments must be");
    TRY(curves[0].basis, (HedCubicBasis)7, "unknown basis 7");
    TRY(segments[4].point[2], 100000, "segment 4: point must be in 0..100, got 100000");
    TRY(segments[5].place, (HedCubicPlace)9, "segment 5: unknown place 9");
    TRY(rest_length[6], 0.0, "segment 6: rest length must be positive and finite, got 0");
#undef TRY
    hed_free(y);
}

Test(yarn_contact, survives_every_failed_allocation) {
    Yarns* y = tangle(5);
    HedYarnContact contact;
    HedYarnScale scale = {1.0, 1.0, true};
    HedVec3* force = HED_NEW_ARRAY(HedVec3, y->points);
    HedVec3* product = HED_NEW_ARRAY(HedVec3, y->points);
    HedStatus taken = HED_NO_MEMORY;
    open_contact(y, &contact);
    hed_yarn_contact_free(&contact);
    int64_t before = hed_alloc_stats().live_count;
    for (int64_t n = 1; taken != HED_OK; ++n) {
        cr_assert_lt(n, 200);
        hed_alloc_fail_at(n);
        HedStatus status = hed_yarn_contact_create(&contact, &y->def, NULL);
        HedStatus updated = status == HED_OK ? hed_yarn_update(&contact, y->x, NULL) : status;
        if (updated == HED_OK) {
            hed_yarn_add_force(&contact, state(y), force);
            taken = hed_yarn_linearise(&contact, state(y), scale, NULL);
        }
        hed_alloc_fail_at(0);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY);
        if (status == HED_OK && taken != HED_OK) {
            cr_assert_eq(updated == HED_OK ? taken : updated, HED_NO_MEMORY);
            memset(product, 0, (size_t)y->points * sizeof *product);
            hed_yarn_multiply(&contact, y->v, product);
            cr_assert_eq(largest(product, y->points), 0.0); // without memory it is empty
            hed_yarn_add_force(&contact, state(y), force);  // an empty list is fine
            update(&contact, y);                            // and the next try works
            cr_assert_gt(hed_yarn_add_force(&contact, state(y), force).energy, 0.0);
            cr_assert_eq(hed_yarn_linearise(&contact, state(y), scale, NULL), HED_OK);
            hed_yarn_multiply(&contact, y->v, product);
            cr_assert_gt(largest(product, y->points), 0.0);
        }
        hed_yarn_contact_free(&contact);
        cr_assert_eq(hed_alloc_stats().live_count, before);
    }
    hed_free(force);
    hed_free(product);
    hed_free(y);
}
