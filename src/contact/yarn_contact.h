// SPDX-License-Identifier: MIT
// Yarns against each other and themselves: the contact integral over both curves, its damping, and
// Coulomb friction with memory.
//
//   E = sum over pairs of segments of  k l_i l_j  integral integral f(|y_j - y_i| / (r_i + r_j))
//
// by Simpson's rule in both parameters (kernel_yarn.h). A segment is four points and a matrix of
// weights (geom/cubic.h); nothing here knows which model it belongs to. Work is cut into blocks of
// segments; each pair of segments is evaluated once, its force on the second segment goes to a slot
// of the pair, and sums are taken in a fixed order: same bits for any number of threads, and for
// any list of candidates that holds all that touch.
//
// Use: create; at every state hed_yarn_update (samples the curves, renews the list when needed),
// then any of the evaluations at that state;
// after each step hed_yarn_advance.
#ifndef HED_CONTACT_YARN_CONTACT_H
#define HED_CONTACT_YARN_CONTACT_H

#include "base/array.h"
#include "base/parallel.h"
#include "base/status.h"
#include "geom/bvh.h"
#include "geom/cubic.h"
#include "math/mat3.h"

enum {
    HED_YARN_SPAN = 4,         // quadrature points that are handled side by side
    HED_YARN_POINTS_MOST = 31, // quadrature points of a segment
    HED_YARN_ROW_MOST = 32,    // the same, filled up to whole spans
    HED_YARN_BLOCK = 64        // segments of one unit of parallel work
};

/// One yarn: a row of segments.
typedef struct HedYarnCurve {
    HedCubicBasis basis;
    int32_t first_segment;
    int32_t segment_count;
    bool is_closed;
    double radius;    ///< m
    double stiffness; ///< N/m, k of the integral; two yarns combine to 2 k_i k_j / (k_i + k_j)
} HedYarnCurve;

/// Where a curve stands along another one that it is a further piece of.
typedef struct HedYarnLead {
    int32_t of;   ///< Curve, not a later one; itself: it stands alone.
    double start; ///< m, along that one, at which it begins.
} HedYarnLead;

typedef enum HedYarnFriction {
    HED_YARN_NO_FRICTION,
    HED_YARN_STICTION, ///< Coulomb's law with memory: contacts stick.
    HED_YARN_KINETIC   ///< Sliding friction only: below slip_speed it is viscous.
} HedYarnFriction;

/// Start from hed_yarn_contact_def_default. Everything is copied but the team.
typedef struct HedYarnContactDef {
    int32_t point_count;
    const HedCubicSegment* segments; ///< Yarn by yarn.
    const double* rest_length;       ///< m, per segment, > 0
    int32_t segment_count;
    int32_t own_count; ///< Segments from this number on do not touch each other: copies of those
                       ///< before them. 0 (default): there are none.
    const HedYarnCurve* curves; ///< In the order of their segments, without gaps.
    int32_t curve_count;
    const HedYarnLead* leads; ///< Per curve. NULL (default): all stand alone.

    int32_t quadrature;    ///< Points per segment, odd, 3 to 31. Default 11.
    double damping_along;  ///< N s/m^3, k_dn of equation 4.10. Default 0.
    double damping_across; ///< N s/m^3, k_dt. Default 0.
    double
        contact_free; ///< Pieces of one yarn nearer than this along it do not push each other;
                      ///< in radii. Default pi: half a turn of the tightest bend a yarn can make.
    HedYarnFriction friction_law; ///< Default HED_YARN_NO_FRICTION.
    double friction;              ///< Coulomb's coefficient. Default 0.
    double presliding; ///< How far a contact gives before it slides, of r_i + r_j. Default 0.02.
    double slip_speed; ///< m/s, for HED_YARN_KINETIC. Default 1e-3.
    const HedTeam* team;
} HedYarnContactDef;

HedYarnContactDef hed_yarn_contact_def_default(void);

/// Stiffness of the integral for a yarn whose section has the given transverse modulus (Pa): two
/// parallel yarns pressed together by a tenth of their diameter store as much energy as two elastic
/// cylinders do. N/m.
double hed_yarn_stiffness(double radius, double transverse_modulus);

/// Transverse modulus where only that along the yarn is known: a tenth of it, Pa.
double hed_yarn_transverse_modulus(double modulus);

/// damping_along that makes two parallel yarns of that stiffness, radius and mass per length (kg/m)
/// lose the given part of critical damping while they touch. N s/m^3.
double hed_yarn_damping(double stiffness, double radius, double density, double ratio);

/// A contact between two segments that friction remembers. Vectors are across the normal.
typedef struct HedYarnPatch {
    HedVec3 strain; // how far it is on the way to sliding: length 1 is sliding
    double push;    // N, normal force when the strain was last advanced; 0: no contact
} HedYarnPatch;

/// Where two segments touch and how hard, as of the last evaluation.
typedef struct HedYarnTouch {
    double first, second; // parameters on the two segments, mean by force
    HedVec3 push;         // N, on the second segment
    HedVec3 rub;          // N, friction, minus that on the second segment
} HedYarnTouch;

/// Where the candidates of each segment stand, and what they gave.
typedef struct HedYarnList {
    int32_t* first;      // per segment + 1: range in the arrays below
    int32_t* other;      // second segment of each pair, rising, all above the first
    uint8_t* is_partial; // part of the pair is contact-free
    int32_t* slot;       // of the last evaluation: place in slots, or -1
    int32_t* in_first;   // per segment + 1: range in in_pair
    int32_t* in_pair;    // pairs whose second segment this is, rising
    HedYarnPatch* patch; // friction's memory
    double* slots;       // [3][4] per pair that touches: force on the second segment's points
    HedYarnTouch* touch; // the same places as slots; for friction only
    int32_t* limit;      // of the last bounds: place in bounds, or -1
    double* bounds;      // [2][4] per pair that is near: of the second segment's points
    int32_t capacity;    // of all arrays over pairs
    HedVec3* built_at;   // m, points when the list was made
    double margin;       // m, what it has to spare
    int64_t steps;       // updates since it was made
} HedYarnList;

/// How a segment moves in a step: the mean way of its points, and how much further from it a place
/// may get, m.
typedef struct HedYarnDrift {
    HedVec3 shift;
    double wander;
} HedYarnDrift;

/// Two segments, the first below the second.
typedef struct HedYarnPair {
    int32_t first, second;
} HedYarnPair;

/// Memory of a pair on its way from one list to the next.
typedef struct HedYarnKept {
    int32_t first, second;
    HedYarnPatch patch;
} HedYarnKept;

typedef struct HedYarnPairHessian HedYarnPairHessian; // yarn_pair_hessian.h

/// The matrix of implicit steps (hed_yarn_linearise), as rows of 3 x 3 blocks.
typedef struct HedYarnBlocks {
    HED_ARRAY(HedYarnPairHessian) bond; // pairs of segments that touch, in the order of the list
    HED_ARRAY(int32_t) bond_of;         // per pair on the list; -1: does not touch
    int32_t* bond_first;                // per segment + 1: bonds that it is first of
    HedMat3* own;                       // [10] per segment: its points with each other
    uint8_t* is_met;                    // per segment: some pair touches
    int32_t* column_first;              // per point: in column
    HED_ARRAY(int32_t) column;          // points that a point is coupled with
    HED_ARRAY(int32_t) place;           // of each block that is added, in its row
    int32_t* block_first;               // per point + 1: in block
    HED_ARRAY(HedMat3) block;           // transposed
} HedYarnBlocks;

/// What a contact evaluation counts.
typedef struct HedYarnCounts {
    int64_t candidate_pairs; // of segments, on the list
    int64_t touching_pairs;  // of segments
    int64_t point_pairs;     // of quadrature points evaluated
    int64_t rebuilds;        // of the list, since creation
} HedYarnCounts;

/// Bounds on stiffness over mass and damping over mass of single points, for the size of explicit
/// steps: with undamped motion h < 2 / sqrt(stiffness).
typedef struct HedYarnRate {
    double stiffness; ///< 1/s^2
    double damping;   ///< 1/s
} HedYarnRate;

/// Zero-initialise; free with hed_yarn_contact_free.
typedef struct HedYarnContact {
    HedYarnContactDef def; // arrays point to the copies below
    HedCubicSegment* segments;
    double* rest_length;
    HedYarnCurve* curves;

    // Fixed.
    int32_t own_count;    // segments that are no copies
    int32_t row;          // quadrature points filled up to whole spans
    int32_t spans;        // row / HED_YARN_SPAN
    int32_t ball_row;     // spans filled up likewise
    int32_t record;       // doubles per segment in sample
    int32_t* curve_of;    // per segment
    int32_t* yarn_of;     // per segment: its curve, or the one that this is a further piece of
    double* arc;          // m, per segment: rest length of its yarn before it
    double* curve_length; // m, per curve
    double* weight;       // per segment and quadrature point: Simpson's weight times rest length
    double* table;        // [basis][place]: weights as [row][4] and as [4][row]
    int32_t* point_first; // per point + 1: range in point_use
    int32_t* point_use;   // 4 segment + k
    double reach_most;    // most of what motion of points becomes on curves: sum of |weights|

    // Of the last update.
    double* sample; // per segment: balls of spans, positions, velocities (yarn_sample.c)
    double* ball;   // per segment: centre and radius, m
    double* turn;   // per segment, for friction: 6 numbers of (J + e t t')^-1 (yarn_patch.h)
    HedVec3* spin;  // per segment, for friction: rad/s
    HedYarnList list;
    HedBvh tree;
    int32_t tree_age; // lists made with this tree
    HedBox* boxes;
    double* half_step;           // m, per segment, of the list: half the longest way between points
    double wanted_margin;        // m, for the next list
    double* moved;               // m^2, scratch: per strip of points, the most that one moved
    HED_ARRAY(int32_t) found;    // scratch: first candidates of each segment
    HED_ARRAY(HedYarnKept) kept; // of pairs off the list, rising, until hed_yarn_advance

    // Of the last evaluation.
    double* own;        // [3][4] per segment: force on its points from pairs that it is first of
    double* own_bound;  // [2][4] per segment: the same of bounds
    HedYarnRate* rated; // scratch: per strip of points
    double* partial;    // per block: PARTIALS sums
    double rubbed;      // W, power of friction
    double slip_begins; // bound of friction for what begins to slide, in matrices
                        // (kernel_friction.h); 0: matrices are exact
    int32_t block_count;
    HedYarnCounts counts;

    HedYarnBlocks blocks; // of the last hed_yarn_linearise

    // Of hed_yarn_ccd: made when first used.
    struct HedSweptSegment* ways;    // per segment
    struct HedYarnMeeting* meetings; // per block
    HedYarnDrift* drift;             // per segment
    HED_ARRAY(HedYarnPair) merged;   // rising: started in each other (hed_yarn_merge)
    HedVec3* safe_at;                // m, points when distances were last found
    double safe_slack;               // m, least of these distances; 0: not known
} HedYarnContact;

/// Refuses indices out of range, radii, stiffness and rest lengths that are not positive, even
/// quadrature and the like, by name and place.
HedStatus hed_yarn_contact_create(HedYarnContact* contact, const HedYarnContactDef* def,
                                  HedError* error);
void hed_yarn_contact_free(HedYarnContact* contact); ///< NULL and half-built ones are allowed.

/// Another contact of the same yarns, which remembers nothing yet: hed_yarn_restore. Free it,
/// whatever the status.
HedStatus hed_yarn_contact_copy(HedYarnContact* contact, const HedYarnContact* from,
                                const HedTeam* team, HedError* error);

/// The state everything is evaluated at. x must be finite.
typedef struct HedYarnState {
    const HedVec3* x; ///< m
    const HedVec3* v; ///< m/s
    double ahead;     ///< s; contacts that stick feel the strain they will have after this time at
                      ///< the present slip. The size of the step in implicit steps, where x and v
                      ///< are those of its end and strains those of its start. In explicit ones it
                      ///< damps: some steps.
} HedYarnState;

/// Samples curves at x, and renews the list of candidates if points have moved too far since it was
/// made. All evaluations below need the x of the last update. Without memory (HED_NO_MEMORY) the
/// list is empty and friction forgets.
HedStatus hed_yarn_update(HedYarnContact* contact, const HedVec3* x, HedError* error);

/// The same; the list then also holds what is nearer than (1 + part) (r_i + r_j).
HedStatus hed_yarn_update_ahead(HedYarnContact* contact, const HedVec3* x, double part,
                                HedError* error);

/// What an evaluation comes to.
typedef struct HedYarnSum {
    double energy;  ///< J, of the integral
    double stored;  ///< J, in contacts that stick
    double damped;  ///< W, dissipated by equation 4.10
    double rubbed;  ///< W, power of friction: dissipated or on its way into stored
    double deepest; ///< Least |y_j - y_i| / (r_i + r_j) of all quadrature points, at most 1.
} HedYarnSum;

/// force += contact, damping and friction.
HedYarnSum hed_yarn_add_force(HedYarnContact* contact, HedYarnState at, HedVec3* force);

/// After a step of size h, with what touched in the last hed_yarn_add_force and the velocities of
/// the step: contacts that stick follow the slip, new ones take over the memory of their
/// neighbours, those that parted forget. Returns the work against friction in this step less what
/// contacts store more than before: heat, J. Does nothing but for HED_YARN_STICTION.
double hed_yarn_advance(HedYarnContact* contact, HedYarnState at, double h);

/// What a bound is asked for with.
typedef struct HedYarnBound {
    const double* mass; ///< kg per point; 0 for points that may not move. NULL: rows are wanted.
    double part;        ///< As if radii were larger by this part: contacts that are about to begin.
                        ///< The list has to hold them (hed_yarn_update_ahead).
    HedVec3* rows;      ///< NULL, or gets each point's bounds times its mass, in x and y.
} HedYarnBound;

HedYarnRate hed_yarn_rate(HedYarnContact* contact, HedYarnState at, HedYarnBound bound);

/// hed_yarn_add_force and hed_yarn_rate in one, for little more than the price of the first.
HedYarnSum hed_yarn_add_force_rated(HedYarnContact* contact, HedYarnState at, HedYarnBound bound,
                                    HedVec3* force, HedYarnRate* rate);

/// For implicit steps: the matrix stiffness * d2E/dx2 + damping * d2D/dv2, d2E/dx2 exact or
/// positive semidefinite. Friction is part of D, as a potential of the slip with the normal forces
/// and the strain of the state; how it depends on positions otherwise is left out of the matrix.
typedef struct HedYarnScale {
    double stiffness;
    double damping;
    bool is_exact;
} HedYarnScale;

/// Takes the matrix at a state, which must be that of the last hed_yarn_add_force. It stays until
/// the next call, whatever happens to points and the list. Without memory it is empty.
HedStatus hed_yarn_linearise(HedYarnContact* contact, HedYarnState at, HedYarnScale scale,
                             HedError* error);

/// to += matrix * from.
void hed_yarn_multiply(const HedYarnContact* contact, const HedVec3* from, HedVec3* to);

/// diagonal += 3 x 3 blocks of the matrix on the diagonal.
void hed_yarn_add_diagonal(const HedYarnContact* contact, HedMat3* diagonal);

/// Friction's memory as plain arrays, for checkpoints: pairs of segments that touch, rising.
typedef struct HedYarnMemory {
    HED_ARRAY(int32_t) pair; ///< Two segments each.
    HED_ARRAY(double) value; ///< Four each: strain, push.
} HedYarnMemory;

HedStatus hed_yarn_save(const HedYarnContact* contact, HedYarnMemory* memory, HedError* error);

/// Updates at x and takes memory back; replaces what there was. Refuses segments out of range or
/// order and values that are not finite. Pairs too far apart to touch wait until hed_yarn_advance.
/// Without memory (HED_NO_MEMORY) friction forgets.
HedStatus hed_yarn_restore(HedYarnContact* contact, const HedVec3* x, const HedYarnMemory* memory,
                           HedError* error);
void hed_yarn_memory_free(HedYarnMemory* memory);

#endif
