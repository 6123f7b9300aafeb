// SPDX-License-Identifier: MIT
// Did a yarn pass through another, or through itself, in a step?
//
// Points move on straight lines from the start to the end of a step, and so does every point of a
// curve. Each segment is cut into chords; two chords that stay further apart than both curves may
// bulge out of them prove that the curves did not meet there (geom/impact.h never misses). Pieces
// of one yarn that are nearer along it than its contact-free length are not looked at.
#ifndef HED_CONTACT_YARN_CCD_H
#define HED_CONTACT_YARN_CCD_H

#include "contact/yarn_contact.h"

typedef struct HedYarnMeeting {
    bool is_found;
    bool is_rush;        ///< They only come nearer too fast; the numbers below are of that.
    int32_t segment[2];  ///< Of the earliest meeting; the first is not above the second.
    double parameter[2]; ///< On them, where they come nearest.
    double time;         ///< In [0, 1]; up to here all yarns are proved to be apart.
    int64_t chord_pairs; ///< That had to be looked at one by one; 0 if the motion alone was proof.
} HedYarnMeeting;

/// Looks for the earliest meeting on the way from start to end, both finite. Curves that come
/// nearer than the bulge of their chords count as meeting, if they were further apart at the start.
/// Afterwards the list of candidates is as it was.
HedStatus hed_yarn_ccd(HedYarnContact* contact, const HedVec3* start, const HedVec3* end,
                       HedYarnMeeting* meeting, HedError* error);

/// Curves that meet on their way: pairs of their numbers, the first below the second.
typedef struct HedYarnMeetings {
    int32_t (*pairs)[2]; // sorted, each once; free with hed_free
    int32_t count;
} HedYarnMeetings;

/// All of them, on the way that hed_yarn_ccd has just looked at.
HedStatus hed_yarn_list_meetings(const HedYarnContact* contact, HedYarnMeetings* meetings,
                                 HedError* error);

/// Once, at the start: segments whose centre lines are nearer than part of r_i + r_j are merged.
/// They neither push each other nor are kept from passing: on which side of each other they belong
/// is not known. Leaves them in contact->merged.
HedStatus hed_yarn_merge(HedYarnContact* contact, const HedVec3* x, double part, HedError* error);

/// m, the most that any place of a yarn gets nearer to another one on the way between two states; a
/// common motion of all changes nothing.
double hed_yarn_approach(const HedYarnContact* y, const HedVec3* from, const HedVec3* to);

/// The same; finds a smaller bound where the first one is above enough, m.
double hed_yarn_approach_within(const HedYarnContact* y, const HedVec3* from, const HedVec3* to,
                                double enough);

/// What hed_yarn_ccd_cull is asked.
typedef struct HedYarnTrip {
    const HedVec3* start;
    const HedVec3* end;
    double share; ///< Also finds what comes nearer by more than this part of r_i + r_j while it
                  ///< touches; 0: anything that does not pass through is fine.
} HedYarnTrip;

/// The same answer as hed_yarn_ccd for the price of a look at all points in most steps. Where the
/// distances between yarns were found once, it is proof enough that no point has gone further from
/// there than half the least of them. Otherwise distances are found anew, for the pairs on the list
/// of candidates if it holds for the start and the end; pairs that move further than they are apart
/// are looked at in continuous time. Does not renew the list.
HedStatus hed_yarn_ccd_cull(HedYarnContact* contact, HedYarnTrip trip, HedYarnMeeting* meeting,
                            HedError* error);

#endif
