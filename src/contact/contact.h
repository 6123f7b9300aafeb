// SPDX-License-Identifier: MIT
// Sheets against bodies: vertices, edges and faces of the sheet, bodies as moving distance fields.
//
// A contact is a point of the sheet, sum of weight * vertex, near a body. Vertices are contacts of
// their own; an edge or a face is one only if its nearest point to the body lies inside it, so a
// corner of a box that pokes at the middle of a triangle is felt, and nothing is felt twice. To a
// mesh it may be near in several places, each over another ridge or corner of it (ridges.h). Smooth
// curves touch at spots, which stand close together along them; their control points do not touch.
#ifndef HED_CONTACT_CONTACT_H
#define HED_CONTACT_CONTACT_H

#include "base/array.h"
#include "geom/field.h"
#include "geom/track.h"
#include "heddle/sim.h"
#include "state/term.h"

typedef struct HedBody {
    char* name;
    HedField field;
    HedTrack track;
    double friction;
    HedResponse response;
    double stiffness; // N/m per m^2
    double damping;   // s, over stiffness
    HedOverlap overlap;
    double push_speed; // m/s

    // How far each point, and the edges and faces around it, reached into the body at the start, m;
    // NULL if none did. It is allowed to stay that deep, less push_speed times the time gone by.
    double* slack;
} HedBody;

/// A body's place and motion at one time.
typedef struct HedBodyMotion {
    HedPose pose;
    HedVec3 linear;  // m/s
    HedVec3 angular; // rad/s
} HedBodyMotion;

HedStatus hed_body_init(HedBody* body, const HedBodyDef* def, HedError* error);
void hed_body_free(HedBody* body);
HedBodyMotion hed_body_motion(const HedBody* body, double time);

/// Distance and normal at a point of the world.
HedFieldSample hed_body_sample(const HedBody* body, const HedBodyMotion* motion, HedVec3 point);
HedVec3 hed_body_velocity(const HedBodyMotion* motion, HedVec3 point);

/// A place on a curve, sum of weight * point.
typedef struct HedSpot {
    int32_t point[4];
    double weight[4];
    double area; // m^2
} HedSpot;

/// The sheets' side: all borrowed.
typedef struct HedSurface {
    int32_t point_count;
    const int32_t* edges; // two points each
    int32_t edge_count;
    const int32_t* triangles;
    int32_t triangle_count;
    const double* half_thickness; // m, per point
    const double* area;           // m^2, per point
    const HedSpot* spots;
    int32_t spot_count;
    const uint8_t* is_hidden; // per point: it is no part of the surface; NULL: none is
    const double* sewing;     // s, per point: how long its sheet is sewn, 0: not at all; NULL: none
} HedSurface;

typedef enum HedContactKind {
    HED_CONTACT_POINT,
    HED_CONTACT_EDGE,
    HED_CONTACT_FACE,
    HED_CONTACT_SPOT
} HedContactKind;

typedef struct HedContact {
    int32_t body;
    HedContactKind kind;
    int32_t element; // number of the point, edge, face or spot
    int32_t size;    // points: 1, 2, 3 or 4
    int32_t point[4];
    double weight[4];
    double offset;    // m, distance to keep at present (half the thickness less slack)
    double stiffness; // N/m
    double damping;   // N s/m, along the normal
    double limit;     // N, friction's: coefficient times the normal force at the start of the step
    HedVec3 slip;     // m/s, when it was last noted (hed_contacts_note_slip())
    double bound;     // 0 to 1, of what bounds friction from above where it slides, in matrices
    bool is_plane;    // until the next find the body counts as a half space,
    HedVec3 foot;     // m, with this place on its boundary
    HedVec3 facing;   // and this normal, both as the body sees them

    // Of the last evaluation.
    double distance; // m, to the body
    HedVec3 normal;
    HedVec3 velocity; // m/s, of the body there
} HedContact;

typedef struct HedContacts {
    HedBody* bodies; // borrowed
    int32_t body_count;
    HedSurface surface;
    const HedTeam* team;
    bool goes_on;               // the start was in contact before: see hed_contacts_check_start
    bool is_flat;               // bodies count as half spaces for all that is sewn
    int32_t only;               // HedResponse of the bodies that are looked at; negative: all
    HED_ARRAY(HedContact) list; // of the last find, sorted by (body, kind, element), and extensions
    int32_t found_count;        // how many of them are of the find

    // N s, normal impulse of the bodies on each point, added up by filters; borrowed, may be NULL.
    double* impulse;

    // Scratch of find.
    HedFieldSample* sample; // per point
    double* reach;   // per point, m: how far it may move in the step, and the distance to keep
    double* edge_at; // per edge and place: where it lies, or negative
    double* face_at; // per face and place: two weights, the first negative for none
    int32_t places;  // of an edge or face: several if there are meshes
    double* spot_at; // per spot: m, its distance, infinite if it does not touch
} HedContacts;

HedStatus hed_contacts_create(HedContacts* contacts, HedBody* bodies, int32_t body_count,
                              HedSurface surface, const HedTeam* team, HedError* error);
void hed_contacts_free(HedContacts* contacts);

/// Looks at the start state: an overlap with a body that refuses it is HED_INVALID, with *deepest
/// filled; otherwise slack is set so that what is too deep is pushed out gently. With goes_on, what
/// lies in the layer of the thickness, or as deep below as forces press it, is in contact as it
/// was: no overlap, and no slack.
HedStatus hed_contacts_check_start(HedContacts* contacts, const HedVec3* x, double time,
                                   HedContact* deepest, HedError* error);

/// Fills the list with everything that may touch in a step of size h from time t; h = 0: that
/// touches at t.
HedStatus hed_contacts_find(HedContacts* contacts, const HedVec3* x, const HedVec3* v, double t,
                            double h, HedError* error);

/// Takes for the half space of a contact the one that touches the body where it is nearest to a
/// place, as sampled.
void hed_contact_flatten(HedContact* contact, const HedBodyMotion* motion, HedVec3 place,
                         HedFieldSample sample);

/// Fills distance, normal and velocity of a contact for a state of the sheet.
void hed_contact_sample(const HedContacts* contacts, HedContact* contact, const HedVec3* x,
                        double time);

/// Adds to the list what has come deeper than that share of the distance to keep at x and time
/// while no contact on it feels at least half of that on the same part of the sheet: a find at the
/// start of a step cannot know which place of an edge or face will meet a body first. Such contacts
/// have no friction until the next find.
HedStatus hed_contacts_extend(HedContacts* contacts, const HedVec3* x, double time, double share,
                              int32_t* added, HedError* error);

/// Penalty and friction of the list (contact/penalty.c).
HedPower hed_contacts_add_force(HedContacts* contacts, const HedVec3* x, const HedVec3* v,
                                double time, HedVec3* force);
void hed_contacts_add_matrix(const HedContacts* contacts, const HedVec3* v, HedMatrixScale scale,
                             HedMatrix* matrix);
double hed_contacts_energy(const HedContacts* contacts);

/// Before a matrix, with the velocities for it: the bounds of friction in it (kernel_friction.h).
/// Without any note matrices are exact.
void hed_contacts_note_slip(HedContacts* contacts, const HedVec3* v);

/// W, the potential whose derivatives by velocities are friction and damping of the list, as last
/// evaluated.
double hed_contacts_dissipation(const HedContacts* contacts, const HedVec3* v);

/// Adds the normal forces (N) of the list as last evaluated, times a factor, shared out to its
/// points.
void hed_contacts_add_push(const HedContacts* contacts, double scale, double* push);

/// Deepest reach into the distance to keep, m, as of the last evaluation; not below 0.
double hed_contacts_depth(const HedContacts* contacts);

/// Moves what is too deep out of the bodies and filters velocities: no approach, Coulomb friction
/// (contact/filter.c). Returns the work in J: dissipated by friction and impact, external by moving
/// bodies.
HedPower hed_contacts_filter(HedContacts* contacts, const double* inverse_mass, double time,
                             HedVec3* x, HedVec3* v);

/// Friction alone, for the contacts of the list, which push by penalty: their slip is reduced by at
/// most what friction times the normal force does in the time h. Returns the work in J.
HedPower hed_contacts_rub(HedContacts* contacts, const double* inverse_mass, double h, HedVec3* v);

/// The contact's point or velocity from those of its vertices.
static inline HedVec3 hed_contact_mix(const HedContact* contact, const HedVec3* values) {
    HedVec3 sum = {0};
    for (int32_t k = 0; k < contact->size; ++k) {
        HedVec3 value = values[contact->point[k]];
        sum.x += contact->weight[k] * value.x;
        sum.y += contact->weight[k] * value.y;
        sum.z += contact->weight[k] * value.z;
    }
    return sum;
}

#endif
