// SPDX-License-Identifier: MIT
// The bound of friction on bodies from above, and which contacts get it.
#include "base/random.h"
#include "contact/contact.h"
#include "contact/kernel_gap.h"

#include <criterion/criterion.h>
#include <math.h>

static HedVec3 draw(uint64_t k, double size) {
    return hed_vec3(size * (2.0 * hed_random_uniform(1, k, 0) - 1.0),
                    size * (2.0 * hed_random_uniform(1, k, 1) - 1.0),
                    size * (2.0 * hed_random_uniform(1, k, 2) - 1.0));
}

static double model(HedFrictionOut at, const HedMat3* matrix, HedVec3 d) {
    return at.dissipation + hed_dot3(at.gradient, d) +
           0.5 * hed_dot3(d, hed_mat3_apply(*matrix, d));
}

// D at any w + d is below its quadratic model with the bound, and not below the exact one.
Test(gap, friction_is_bounded_from_above) {
    int above_exact = 0;
    for (uint64_t k = 0; k < 2000; ++k) {
        HedFriction law = {hed_unit3(draw(3 * k, 1.0), (HedVec3){0.0, 1.0, 0.0}), 0.7, 1e-2};
        HedVec3 w = draw(3 * k + 1, 0.05);
        HedVec3 d = draw(3 * k + 2, 0.1);
        HedFrictionOut here = hed_friction_eval(w, law);
        double there = hed_friction_eval(hed_add3(w, d), law).dissipation;
        HedMat3 bound = hed_mat3_add(here.hessian, hed_friction_rest_of_bound(w, law));
        // Some ten roundings of dissipations of the size of 0.1.
        cr_assert_leq(there, model(here, &bound, d) + 3e-16, "%d", (int)k);
        above_exact += there > model(here, &here.hessian, d) + 1e-15;
    }
    cr_assert_gt(above_exact, 100, "without it there is no bound");
}

// One contact whose point slides on, turns, and sticks.
Test(gap, slip_that_turns_gets_the_bound) {
    HedContact contact = {
        .size = 1, .weight = {1.0}, .limit = 1.0, .normal = {0.0, 1.0, 0.0}, .distance = 1.0};
    HedContacts contacts = {0};
    contacts.list.data = &contact;
    contacts.list.count = 1;
    const HedVec3 way[] = {{1, 0, 0},    {0.9, 3, 0.1}, {0.5, 0, 0},  {-0.5, 0, 0},
                           {-0.4, 0, 0}, {-1e-4, 0, 0}, {-0.3, 0, 0}, {-0.2, 0, 0}};
    const double expected[] = {1.0, 0.1, 0.01, 1.0, 0.1, 0.01, 1.0, 0.1};
    for (int k = 0; k < 8; ++k) {
        hed_contacts_note_slip(&contacts, &way[k]);
        // Tenths of tenths are rounded.
        cr_expect_float_eq(contact.bound, expected[k], 2e-17, "%d: %g", k, contact.bound);
    }
}
