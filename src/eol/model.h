// SPDX-License-Identifier: MIT
// What sliding yarns feel at a state q: energies, their gradient and their matrix.
//
// The unknowns of node i are q[5 i .. 5 i + 4]: position, and where along the yarn of slot 0 and
// along that of slot 1 it stands. Everything along yarns is evaluated band by band, the rest node
// by node, each by its owner: sums do not depend on the number of threads.
#ifndef HED_EOL_MODEL_H
#define HED_EOL_MODEL_H

#include "eol/matrix.h"
#include "heddle/vec.h"
#include "model/eol/kernel_bend.h"
#include "model/eol/kernel_shear.h"

typedef enum HedEolEnergy {
    HED_EOL_STRETCH,
    HED_EOL_BEND,
    HED_EOL_TORSION,
    HED_EOL_LIMIT, // of crossings next to each other, and of contacts' lengths
    HED_EOL_SHEAR,
    HED_EOL_CURL,
    HED_EOL_WRAP,
    HED_EOL_GRAVITY,
    HED_EOL_ENERGY_COUNT
} HedEolEnergy;

/// Of one yarn.
typedef struct HedEolMaterial {
    double tight, slack;    // N
    double bend;            // N m^2
    double bend_jam;        // 1/rad
    double jam_angle;       // rad
    double twist;           // N m^2
    double density;         // kg/m
    double radius;          // m
    double stretch_damping; // N s
    double bend_damping;    // N m^2 s
} HedEolMaterial;

/// Of a visit: what begins there, or is centred there.
typedef struct HedEolRest {
    double angle;        // rad, at rest, of the turn at the visit
    double torsion;      // at rest, of the four visits from here on
    double limit;        // m, least length of the piece to the next visit
    double limit_stiff;  // N/m
    double length;       // m, that the piece would like to keep; 0: none
    double length_stiff; // N/m
} HedEolRest;

/// A shear quadrant as a step keeps it: the angle's derivative by both ends, slope and curvature of
/// its energy.
typedef struct HedEolQuadrant {
    double a[3], b[3]; // 1/m
    double force;      // N m
    double weight;     // N m
} HedEolQuadrant;

/// Nodes whose positions give one number: five of a curl hinge, or four of a clasp that two yarns
/// wrap around. Its derivative, slope and curvature.
typedef struct HedEolLocal {
    int32_t node[5];
    int32_t count;
    double stiffness; // J
    double damping;   // J s
    double rest;
    double direction[5][3]; // 1/m
    double force;           // J
    double weight;          // J
} HedEolLocal;

/// Which quadrant (four per node) or star gives what to a pair of nodes, and which of its ends
/// those are.
typedef struct HedEolLink {
    int32_t source;
    bool is_star;
    uint8_t end[2];
} HedEolLink;

/// Both yarns of a node have neighbours on both sides: bit k of the lowest four, that quadrant k
/// acts.
enum { HED_EOL_CROSSING = 16, HED_EOL_QUADRANTS = 15 };

typedef struct HedEolModel {
    HedYarnPacks bands;
    const HedTeam* team; // borrowed
    int32_t node_count;
    int32_t yarn_count;
    HedVec3 gravity;           // m/s^2
    double spacing;            // m, of crossings
    HedEolMaterial* materials; // per yarn
    int32_t* yarn_of;          // per visit
    HedEolRest* rest;          // per visit
    bool has_torsion, has_damping, has_shear;

    HedEolShear shear;         // its rest angle is not used
    double shear_damping;      // N s, per rest distance of crossings
    double (*shear_rest)[4];   // rad, per node and quadrant
    uint8_t* is_crossing;      // per node: HED_EOL_CROSSING, and which quadrants there are; or 0
    HedEolQuadrant* quadrants; // four per node; scratch
    double thickness;          // part of the radius that yarns bend off their crossings; 0: none
    const int8_t* sign;        // borrowed, per node: of its crossing; 0: it is none
    HedVec3* normal;           // per node, scratch: of its crossing, towards the yarn of slot 0
    double (*couple)[15];      // N, per node, scratch: by its position and those of its neighbours
    HedEolLocal* stars;
    int32_t star_count;
    int32_t* star_first; // per node, + 1
    int32_t* star_list;  // 8 * star + end

    int32_t pair_count; // of nodes that quadrants and stars couple beyond yarns
    int32_t (*pairs)[2];
    int32_t* link_first; // per pair, + 1
    HedEolLink* links;

    double* own; // scratch per step, [10][HED_YARN_PACK]: a place's own block, upper triangle
    double* sum; // scratch per step, [4][HED_YARN_PACK]: gradient
    double* band_energy; // per band, HED_EOL_SUMS
    double* node_energy; // per block of nodes, HED_EOL_SUMS
    double* star_energy; // per star, HED_EOL_SUMS
} HedEolModel;

/// Bending at a visit. A turn that a yarn is set into does not jam, however sharp it is.
static inline HedEolBend hed_eol_bend_at(const HedEolModel* model, int32_t visit) {
    const HedEolMaterial* m = &model->materials[model->yarn_of[visit]];
    double rest = model->rest[visit].angle;
    return (HedEolBend){m->bend, rest, hed_eol_max(m->jam_angle, rest), m->bend_jam};
}

/// m, how far off its node a yarn lies where it bends, and where: towards slot 0, or away from it.
static inline double hed_eol_offset_size(const HedEolModel* model, int32_t place) {
    double size =
        model->thickness * model->materials[model->yarn_of[model->bands.visit[place]]].radius;
    return model->bands.slot[place] == 0 ? size : -size;
}

static inline HedVec3 hed_eol_offset(const HedEolModel* model, int32_t place) {
    double size = hed_eol_offset_size(model, place);
    return hed_mul3(size, model->normal[model->bands.node[place]]);
}

/// Energies, and last what damping takes over the step.
enum { HED_EOL_DAMPING = HED_EOL_ENERGY_COUNT, HED_EOL_SUMS };

/// Where, and what for.
typedef struct HedEolEval {
    const double* q;
    const double* start;  // q at the start of the step; NULL: no damping
    double over;          // 1/s, inverse of the step
    double* gradient;     // N, out: five numbers per node
    HedEolMatrix* matrix; // out, in its positive form; NULL: not wanted
} HedEolEval;

/// Energies (J), gradient and matrix of everything but inertia, friction and bodies.
void hed_eol_model_evaluate(HedEolModel* model, HedEolEval at, double sums[HED_EOL_SUMS]);

/// The parts of it: along yarns, which writes model->sum and the matrix's blocks along yarns; at
/// nodes. Quadrants and stars first.
void hed_eol_model_evaluate_pack(HedEolModel* model, const HedEolEval* at, int32_t band);
void hed_eol_evaluate_quadrants(HedEolModel* model, const HedEolEval* at, int32_t node,
                                double sums[HED_EOL_SUMS]);
void hed_eol_evaluate_star(HedEolModel* model, const HedEolEval* at, int32_t star);

/// Of yarns that bend off their crossings, in this order: normals of all nodes, couples on them,
/// and what these do to a node.
void hed_eol_offset_find(HedEolModel* model, const double* q, int32_t node);
void hed_eol_model_offset_couple(HedEolModel* model, const double* q, int32_t node);
void hed_eol_offset_gather(const HedEolModel* model, int32_t node, double* gradient);

/// What quadrants add to the block between a place and the next one, rows of positions.
void hed_eol_add_quadrants(const HedEolModel* model, int32_t place, double block[16]);

/// Mass of the nodes, lumped by blocks.
typedef struct HedEolMass {
    double mass;           // kg
    double coupling[2][3]; // kg, of the position with the coordinate of each slot
    double along[2];       // kg
} HedEolMass;

/// Where nodes are, and how fast that changes.
typedef struct HedEolRates {
    const double* q;
    const double* rate;
} HedEolRates;

/// N, five numbers per node: what inertia has besides mass times the change of rates.
void hed_eol_find_flow(const HedEolModel* model, HedEolRates at, double* flow);

void hed_eol_find_mass(HedEolModel* model, const double* q, HedEolMass* mass);

#endif
