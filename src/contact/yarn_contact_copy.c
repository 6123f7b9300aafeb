// SPDX-License-Identifier: MIT
// A second contact of the same yarns, with the same memory.
#include "contact/yarn_contact.h"

#include <string.h>

static void copy_fixed(HedYarnContact* to, const HedYarnContact* from) {
    size_t segments = (size_t)from->def.segment_count;
    if (segments > 0) { // what further pieces of curves go on from is not in the def any more
        memcpy(to->yarn_of, from->yarn_of, segments * sizeof *to->yarn_of);
        memcpy(to->arc, from->arc, segments * sizeof *to->arc);
        memcpy(to->curve_length, from->curve_length,
               (size_t)from->def.curve_count * sizeof *to->curve_length);
    }
    if (from->merged.count > 0) {
        memcpy(to->merged.data, from->merged.data,
               (size_t)from->merged.count * sizeof *to->merged.data);
    }
    to->merged.count = from->merged.count;
}

HedStatus hed_yarn_contact_copy(HedYarnContact* contact, const HedYarnContact* from,
                                const HedTeam* team, HedError* error) {
    HedYarnContactDef def = from->def;
    def.team = team;
    HedStatus status = hed_yarn_contact_create(contact, &def, error);
    if (status == HED_OK && !HED_RESERVE(&contact->merged, from->merged.count)) {
        status = hed_fail_memory(error, "contact between yarns");
    }
    if (status == HED_OK) {
        copy_fixed(contact, from);
    }
    return status;
}
