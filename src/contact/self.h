// SPDX-License-Identifier: MIT
// Sheets against themselves and each other, and curves against sheets.
//
// Curves are rows of segments, as thick as their points; among themselves they are the business of
// yarn_contact.h.
//
// Three tools on plain arrays, from soft to hard. Forces (find, add_force, ...) between what is
// nearer than its thickness carry resting cloth inside an implicit step. Repulsions (repel) do the
// same for explicit steps, by impulses on velocities. Resolving (resolve) takes a proposed step and
// changes it until nothing passes through anything: impulses first, then rigid zones, which always
// end without an impact unless pins stand in the way. If the start of the step has no intersection,
// neither has its end: see docs/self-collision.md.
#ifndef HED_CONTACT_SELF_H
#define HED_CONTACT_SELF_H

#include "base/array.h"
#include "contact/kernel_gap.h"
#include "geom/crossing.h"
#include "geom/impact.h"
#include "geom/surface_tree.h"
#include "math/mat3.h"

/// Everything is borrowed and must stay, except that triangles and rest are copied.
typedef struct HedSelfDef {
    int32_t point_count;
    const int32_t* triangles; ///< Of all sheets, three points each.
    int32_t triangle_count;
    const int32_t* segments; ///< Of all curves, two points each; copied. NULL: none.
    int32_t segment_count;
    const HedVec3* rest;          ///< m; what is near each other at rest in one piece of cloth is
                                  ///< allowed to be so.
    const double* half_thickness; ///< m, per point, > 0
    const double* area;           ///< m^2, per point; for find only, else NULL
    double friction;              ///< Coulomb's coefficient, >= 0
    const HedTeam* team;
    const bool* is_apart; ///< Per point: its piece of cloth meets other pieces only; NULL: none.
    const bool* is_kept;  ///< Per point: find passes over pairs of such points, which others keep
                          ///< at their distance; NULL: none.
    const int32_t* seam;  ///< Per point: curves and cloth whose points have the same number are
                          ///< sewn together there; -1: not sewn. NULL: none is.
    const HedVec3* start; ///< m, per point, of the start; for seam only
} HedSelfDef;

/// What impacts keep free, of the thickness.
#define HED_SELF_SEPARATION 0.05

/// How resolving ended.
typedef enum HedSelfReason {
    HED_SELF_CLEAR,     ///< Nothing meets in the step.
    HED_SELF_STUCK,     ///< Points that may not move (inverse mass 0) pass through something.
    HED_SELF_NOT_FINITE ///< A coordinate is not finite.
} HedSelfReason;

const char* hed_self_reason_name(HedSelfReason reason);

typedef struct HedSelfReport {
    HedSelfReason reason;
    int64_t pair_count;   ///< Pairs tested, in all rounds.
    int32_t impact_count; ///< Impacts found, in all rounds.
    int32_t rounds;       ///< 1 if nothing met.
    int32_t zone_count;   ///< Rigid zones at the end.
    int32_t zone_points;  ///< Points in them.
    double energy;        ///< J, kinetic energy taken out.
    int32_t worst[4];     ///< If stuck: points of a pair that could not be kept apart; or the point
                          ///< that is not finite.
} HedSelfReport;

/// Four points that keep a distance: gap = normal . sum(weight * x) - offset should not be
/// negative.
typedef struct HedSelfContact {
    HedMeeting meeting;
    int32_t point[4];
    double weight[4]; // they add up to 0
    HedVec3 normal;   // unit
    double offset;    // m
    double soft;      // m, over which the spring comes in
    double stiffness; // N/m
    double limit;     // N, friction's: coefficient times the normal force at the find
    HedVec3 slip;     // m/s, in the last matrix; 0 if it stuck there, or there was none
    double bound;     // 0 to 1, of friction in that matrix (kernel_friction.h)
} HedSelfContact;

/// What a contact does at a state.
typedef struct HedSelfAct {
    HedVec3 pull;         // N, its derivative by sum(weight * x)
    double energy, power; // J, W
} HedSelfAct;

/// Its part of a matrix: block (k, l) of its points is weight[k] weight[l] hessian.
typedef struct HedSelfLink {
    int32_t point[4];
    double weight[4];
    double hessian[6]; // N/m: xx, xy, xz, yy, yz, zz
} HedSelfLink;

/// An impact that the step has to respect, and what has been done about it.
typedef struct HedSelfStop {
    int32_t point[4];
    double weight[4];
    HedVec3 normal;
    double gap;      // m, to keep at the end of the step
    double mobility; // 1/kg
    double push;     // kg m, >= 0, so far
    HedVec3 drag;    // kg m, so far
} HedSelfStop;

/// Zero-initialise; free with hed_self_free.
typedef struct HedSelf {
    HedSelfDef def;
    int32_t* triangles; // copies; behind them segments a b as triangles a b b
    HedVec3* rest;
    int32_t* seam; // copies, or NULL
    HedVec3* start;
    bool* is_off;   // per segment: it is there no more
    int32_t* piece; // per point: number of its connected piece of cloth
    bool* is_loose; // per point: pairs of such points are passed over, for they intersect
    bool* is_apart; // copies, or NULL
    bool* is_kept;
    HedTopology topology;
    HedSurfaceTree tree;
    HedPairs pairs;
    HED_ARRAY(HedSelfContact) contacts; // of the last find
    int32_t pull_first;                 // contacts from here on draw intersecting triangles apart
    HED_ARRAY(HedSelfLink) links;       // per contact; of the last linearise

    // Which contacts act on a point; points in the order in which contacts first name them.
    HED_ARRAY(int32_t) touched;
    HED_ARRAY(int32_t) touched_first; // per touched point + 1: range in the next two
    HED_ARRAY(int32_t) uses;          // contact, rising for each point
    HED_ARRAY(double) use_weight;     // with which it acts
    HED_ARRAY(HedSelfAct) acts;       // scratch: per contact
    HED_ARRAY(HedVec3) pulls;         // scratch: per contact

    // Scratch.
    double* reach;     // m, per point: what resolve keeps free around it
    bool* is_new;      // per point: moved since the last round
    HedVec3* proposed; // m, per point: the end of the step as it came into the last resolve
    HedVec3* held;     // m, per point: before rigid zones
    int32_t* zone;     // per point: union-find of rigid zones, -1 outside
    bool* is_shifted;  // per point, of a zone's root: the zone must not turn
    HED_ARRAY(bool) is_hit;
    HED_ARRAY(int32_t) hits; // pairs that are near
    HED_ARRAY(HedSelfStop) stops;
    HED_ARRAY(int32_t) members; // lists of the points of zones
} HedSelf;

/// Refuses indices out of range, rest positions that are not finite, thickness that is not
/// positive.
HedStatus hed_self_create(HedSelf* self, const HedSelfDef* def, HedError* error);
void hed_self_free(HedSelf* self); ///< NULL and half-built ones are allowed.

/// A step as it is proposed. All arrays hold point_count entries.
typedef struct HedSelfStep {
    const HedVec3* start;       ///< m, free of intersections
    HedVec3* end;               ///< m, changed where needed
    HedVec3* velocity;          ///< m/s, changed by (change of end) / size; or NULL
    const double* inverse_mass; ///< 1/kg, 0 for points that may not be moved
    double size;                ///< s, > 0
} HedSelfStep;

/// Changes the end of a step until nothing meets on the way there. If that cannot be done the
/// report says so, and end and velocity are as they were: take a smaller step.
HedStatus hed_self_resolve(HedSelf* self, const HedSelfStep* step, HedSelfReport* report,
                           HedError* error);

/// What is nearer than its thickness at x is kept from approaching, pushed apart softly (stiffness
/// in N/m; never faster than a tenth of the overlap per step), and rubbed. Changes velocity only;
/// end of the step is not used.
HedStatus hed_self_repel(HedSelf* self, const HedSelfStep* step, double stiffness,
                         HedSelfReport* report, HedError* error);

/// Lists in self->contacts what is nearer than its thickness at x or will be at x + h v, with
/// normals and weights of x. stiffness: N/m per m^2 of contact.
HedStatus hed_self_find(HedSelf* self, const HedVec3* x, const HedVec3* v, double h,
                        double stiffness, HedError* error);

/// Appends to self->contacts what draws intersecting triangles apart at x.
HedStatus hed_self_untangle(HedSelf* self, const HedVec3* x, const HedCrossings* found,
                            double stiffness, HedError* error);

/// J, the work of those on the way between two states, with the forces of the second.
double hed_self_pull_work(const HedSelf* self, const HedVec3* from, const HedVec3* to);

/// Penalty and friction of the list. Normals and weights stay, so that forces are linear in the
/// overlap. Returns energy in J; *dissipated, if not NULL, the power of friction in W.
double hed_self_add_force(const HedSelf* self, const HedVec3* x, const HedVec3* v, HedVec3* force,
                          double* dissipated);

/// Factors of the two parts of the matrix: stiffness * d2E/dx2 + damping * d2D/dv2.
typedef struct HedSelfScale {
    double stiffness;
    double damping;
} HedSelfScale;

/// Limits of friction from the normal forces at x, in place of those at the find. Returns by how
/// much their sum changed, over the larger of both sums: what contacts that slide over a mesh hand
/// to each other does not count.
double hed_self_renew_limits(HedSelf* self, const HedVec3* x);

/// W, the potential whose derivatives by velocities are the friction of the list.
double hed_self_dissipation(const HedSelf* self, const HedVec3* v);

/// The matrix of the list at a state, kept for the two that follow. What begins to slide, or turns,
/// gets its friction's bound from above.
HedStatus hed_self_linearise(HedSelf* self, const HedVec3* x, const HedVec3* v, HedSelfScale scale,
                             HedError* error);

/// to += matrix * from; and the diagonal blocks, for preconditioners.
void hed_self_multiply(const HedSelf* self, const HedVec3* from, HedVec3* to);
void hed_self_add_diagonal(const HedSelf* self, HedMat3* diagonal);

/// Part of find and untangle: which contacts act on which points, once the list is made.
HedStatus hed_self_index(HedSelf* self, HedError* error);

/// Sum of weight * value over the four points.
static inline HedVec3 hed_self_mix(const int32_t point[4], const double weight[4],
                                   const HedVec3* values) {
    HedVec3 sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < 4; ++k) {
        sum = hed_madd3(sum, weight[k], values[point[k]]);
    }
    return sum;
}

/// How far a contact is from touching, m.
static inline double hed_self_gap(const HedSelfContact* c, const HedVec3* x) {
    return hed_dot3(c->normal, hed_self_mix(c->point, c->weight, x)) - c->offset;
}

/// The spring comes in over the whole distance to keep: layers that lie on each other under their
/// weight are a few hundredths of it nearer, at a tenth of the stiffness or less.
static inline HedGapOut hed_self_gap_force(const HedSelfContact* c, const HedVec3* x) {
    return hed_gap_eval(hed_self_gap(c, x), c->normal, (HedGapLaw){c->stiffness, c->soft});
}

/// The four points of pair number k: faces first, then edges.
HedMeeting hed_self_pair(const HedSelf* self, int32_t k, int32_t point[4]);

static inline int32_t hed_self_pair_count(const HedSelf* self) {
    return self->pairs.faces.count + self->pairs.edges.count;
}

/// Whether a pair is to be passed over.
static inline bool hed_self_is_loose(const HedSelf* self, HedMeeting meeting,
                                     const int32_t point[4]) {
    if (self->is_apart && self->is_apart[point[0]] &&
        self->piece[point[0]] == self->piece[point[3]]) {
        return true;
    }
    const bool* is = self->is_loose;
    return meeting == HED_POINT_TRIANGLE
               ? is[point[0]] && (is[point[1]] || is[point[2]] || is[point[3]])
               : (is[point[0]] || is[point[1]]) && (is[point[2]] || is[point[3]]);
}

/// Whether pair number k is of a segment that is there no more.
static inline bool hed_self_is_off(const HedSelf* self, int32_t k) {
    int32_t faces = self->pairs.faces.count;
    int32_t edges = self->topology.edge_count;
    if (k < faces) {
        return false;
    }
    HedPair pair = self->pairs.edges.data[k - faces];
    return (pair.a >= edges && self->is_off[pair.a - edges]) ||
           (pair.b >= edges && self->is_off[pair.b - edges]);
}

/// Of two sides that are sewn together (def.seam) the distance that they keep at most, m: half of
/// that at the start, 0 where one goes through the other. Others: infinite.
double hed_self_sewn_distance(const HedSelf* self, HedMeeting meeting, const int32_t point[4]);

/// Distance at which the two sides of a pair touch: half the thickness of both.
double hed_self_thickness(const HedSelf* self, HedMeeting meeting, const int32_t point[4]);

/// Part of resolve: puts the points of new stops, from number `from` on, into rigid zones and moves
/// the zones. False if pins make it impossible; worst is then filled.
bool hed_self_rigidify(HedSelf* self, const HedSelfStep* step, int32_t from, int32_t worst[4]);

/// Zones and their points, into the report.
void hed_self_count_zones(HedSelf* self, HedSelfReport* report);

#endif
