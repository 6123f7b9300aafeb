// SPDX-License-Identifier: MIT
// Where inside edges and faces sheets are nearest to a body.
#ifndef HED_CONTACT_PLACES_H
#define HED_CONTACT_PLACES_H

#include "contact/contact.h"

/// One search: a body at the end of the step, the sheet at its start.
typedef struct HedContactSearch {
    HedContacts* contacts;
    int32_t body;
    HedBodyMotion motion;
    HedBodyMotion before; // at the start of the step
    const HedVec3* x;
    double start;   // s, of the step
    double time;    // s, its end, at which slack counts
    double longest; // m, edge
} HedContactSearch;

static inline HedFieldSample hed_places_sample(const HedContactSearch* search, HedVec3 point) {
    return hed_body_sample(&search->contacts->bodies[search->body], &search->motion, point);
}

/// Fills edge_at and face_at of the contacts, after sample and reach. Where memory ran out there is
/// NaN.
void hed_places_find(const HedContactSearch* search);

#endif
