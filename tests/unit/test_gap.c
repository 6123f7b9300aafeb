// SPDX-License-Identifier: MIT
// Which contacts with bodies get the bound of friction from above.
#include "contact/contact.h"

#include <criterion/criterion.h>

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
