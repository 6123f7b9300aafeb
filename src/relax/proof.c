// SPDX-License-Identifier: MIT
// Yarns are linked after relaxation as they were before. Each iteration is guarded (move.c) with
// lists of what may meet, and bounds that save looking. This is the second look: every now and then
// all yarns are carried on straight ways from where they were at the last look to where they are,
// and a search over all of them shows that none meet. Such ways, one after the other, lead from the
// start to the end without any yarn passing through another, so that crossings and links are those
// of the start, which were proved when the fabric was made.
#include "contact/yarn_ccd.h"
#include "relax/relax.h"

#include <string.h>

// Diameters of the present stage that points may go between two looks: centre lines are further
// apart than twice this, so that straight ways do not meet unless the true ones do.
static const double FURTHEST = 0.15;

void hed_relax_proof_begin(HedRelax* r) {
    size_t bytes = sizeof(HedVec3) * (size_t)(r->count + r->copies.ends.count);
    memcpy(r->proved, r->x, bytes);
    r->way = 0.0;
}

HedStatus hed_relax_prove(HedRelax* r, HedError* error) {
    HedYarnMeeting meeting = {0};
    const HedVec3* from = hed_relax_spread(r, HED_YARN_ROOM_START, r->proved);
    const HedVec3* to = hed_relax_spread(r, HED_YARN_ROOM_X, r->x);
    HedStatus status = hed_yarn_ccd(&r->contact, from, to, &meeting, error);
    if (status == HED_OK && meeting.is_found) {
        int32_t yarn[2];
        for (int k = 0; k < 2; ++k) { // copies stand behind all yarns, in the same order
            yarn[k] = r->contact.curve_of[meeting.segment[k]] % r->yarn_count;
        }
        return hed_fail(error, HED_INVALID,
                        "relaxation: yarn %d passed through yarn %d: links are not those of the "
                        "fabric any more",
                        yarn[0], yarn[1]);
    }
    r->proof_count += status == HED_OK;
    hed_relax_proof_begin(r);
    return status;
}

HedStatus hed_relax_proof_follow(HedRelax* r, double way, double thickness, HedError* error) {
    r->way += way;
    return r->way > FURTHEST * thickness ? hed_relax_prove(r, error) : HED_OK;
}
