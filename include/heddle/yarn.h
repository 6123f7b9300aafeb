// SPDX-License-Identifier: MIT
// Yarns in a simulation: their material, and what can be read off them.
#ifndef HEDDLE_YARN_H
#define HEDDLE_YARN_H

#include "heddle/file.h"
#include "heddle/period.h"
#include "heddle/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a yarn's centre line is made of.
typedef enum HedYarnModel {
    HED_YARN_ROD,     ///< Discrete elastic rod: straight pieces, bending in two directions, twist.
    HED_YARN_SPLINE,  ///< Cubic B-spline through the vertices: bending without twist, straight at
                      ///< rest.
    HED_YARN_SLIDING, ///< Crossings through which yarns slide: made by hed_sliding_create()
                      ///< (heddle/sliding.h), not by hed_yarns_create().
    HED_YARN_MODEL_COUNT
} HedYarnModel;

HED_API const char* hed_yarn_model_name(HedYarnModel model); ///< "rod", "spline", "sliding"

/// The shape in which a yarn has no bending.
typedef enum HedYarnRest {
    HED_YARN_STRAIGHT,
    HED_YARN_AS_STARTED, ///< The one it starts in.
    HED_YARN_REST_COUNT
} HedYarnRest;

HED_API const char* hed_yarn_rest_name(HedYarnRest rest); ///< "straight", "start"

/// How the mass of splines enters explicit steps.
typedef enum HedYarnMass {
    HED_YARN_LUMPED,     ///< At control points.
    HED_YARN_CONSISTENT, ///< Along the curve, by one linear system per yarn; needs smaller steps.
    HED_YARN_MASS_COUNT
} HedYarnMass;

HED_API const char* hed_yarn_mass_name(HedYarnMass mass); ///< "lumped", "consistent"

/// Sets of vertices: set k has vertices[first[k]] and those up to vertices[first[k + 1] - 1], none
/// twice. A vertex may be in several sets.
typedef struct HedVertexSets {
    int32_t count;
    const int32_t* first; ///< One more than there are sets, the first is 0.
    const int32_t* vertices;
} HedVertexSets;

/// Where two yarns of a fabric cross: a vertex of the set on each; parts lie towards the next one
/// of its curve.
typedef struct HedYarnCrossing {
    double over, under;
} HedYarnCrossing;

/// What reports call a yarn, such as "pick 3".
typedef struct HedYarnLabel {
    char text[32];
} HedYarnLabel;

/// Yarns of one material. Fill with hed_yarns_def_default().
typedef struct HedYarnsDef {
    const char* name;
    const HedVec3* vertices; ///< m, centre lines at the start.
    int32_t vertex_count;
    const HedCurve* curves; ///< In the order of the vertices, without gaps.
    int32_t curve_count;
    const HedTurns* turns; ///< Per curve: how it goes on in its copies (heddle/period.h). Its last
                           ///< vertex is followed by the copy of its first one. NULL (default): no
                           ///< curve does.
    HedYarnModel model;    ///< Default HED_YARN_ROD.
    HedYarnRest rest;      ///< Default HED_YARN_STRAIGHT; splines know no other.
    HedYarnMass mass;      ///< Default HED_YARN_LUMPED; rods know no other.
    double radius;         ///< m, of curves that have none of their own. Default 0.5e-3.
    double linear_density; ///< kg/m. Default 5e-4 (500 tex).
    double stretch;        ///< N, force per strain (EA). Default 100.
    double bend;           ///< N m^2, moment per curvature (EI). Default 1e-7.
    double bend_across;    ///< N m^2, the same about the other axis; 0: as bend. Default 0.
    double twist;          ///< N m^2, moment per turn per length (GJ). Default 1e-7.
    bool inextensible;     ///< Explicit steps keep lengths by constraints, not by stretch, which
                           ///< then acts within segments of splines only. Default false.
    double contact;        ///< N/m, stiffness of the contact integral; 0: from stretch and radius.
                           ///< Default 0.
    double natural_twist;  ///< rad/m, of rods: twist without moment. Default 0.
    double closing_twist;  ///< rad, put into closed rods before their ends were joined. Default 0.
    double plastic; ///< Rods: the shape at rest gives way where the turn of a vertex (2 tan of
                    ///< half the angle) differs from it by more; 0: never. Default 0.
    double plastic_limit; ///< Largest turn that a rest shape can take on; 0: no limit. Default 0.
    double damping;       ///< s, of stretching: damping over stiffness. Default 1e-4.
    double bend_damping;  ///< s, of bending, the same; twist has none. Default 0.
    HedVec3 velocity;     ///< m/s, start velocity of all points. Default 0.
    HedVertexSets blocks; ///< Parts of a fabric over which motion may be rigid (nonrigid_rate), as
                          ///< hed_fabric_blocks finds them; vertices in none of them are taken
                          ///< together along their curve (nonrigid_size). Default none.
    HedVertexSets pairs;  ///< The same for nonrigid_pair_rate, which leaves other vertices alone;
                          ///< see hed_fabric_pairs. Default none.
    const HedYarnCrossing* crossings; ///< That hed_yarns_lost() looks for. Default none.
    int32_t crossing_count;
    const HedYarnLabel* labels; ///< Per curve; NULL (default): reports number them from 0.
    uint32_t stamp;
} HedYarnsDef;

HED_API HedYarnsDef hed_yarns_def_default(void);
HED_API HedStatus hed_yarns_create(HedSim* sim, const HedYarnsDef* def, HedYarnsId* yarns,
                                   HedError* error);

/// Crossings of HedYarnsDef that their yarns have come out of, because an end of one has slid past
/// the other, or that lie apart by more than three times the sum of their radii: how many. is_lost:
/// per crossing; may be NULL.
HED_API int32_t hed_yarns_lost(const HedSim* sim, HedYarnsId yarns, bool* is_lost);
HED_API int32_t hed_yarns_crossing_count(const HedSim* sim, HedYarnsId yarns);

/// The same of all yarns of a simulation, in words.
typedef struct HedLost {
    int32_t count;   ///< Crossings that are gone,
    int32_t of;      ///< of so many.
    char first[240]; ///< One of them: which yarn came off which, and where. Empty: none.
    char yarns[240]; ///< Yarns that came off others: "pick 3, pick 5".
} HedLost;

HED_API int32_t hed_sim_lost(const HedSim* sim, HedLost* lost); ///< The count; lost may be NULL.

/// Two places of yarns or sheets that stay together, or at their distance: a stitch. Fill with
/// hed_glue_def_default().
typedef struct HedGlueDef {
    const char* name;
    HedSheetId sheet; ///< Either this
    HedYarnsId yarns; ///< or this.
    double vertex; ///< Of rods and splines, where parts lie between it and the next of its curve;
                   ///< whole: of a sheet, or a node of sliding yarns, which still slide there.
    HedSheetId other_sheet; ///< Either this
    HedYarnsId other;       ///< or this; may be the same.
    double other_vertex;
    double distance; ///< m; infinite: that of the start. Default infinite.
    double strength; ///< N, at which it breaks for good; infinite: never. Default infinite.
    uint32_t stamp;
} HedGlueDef;

HED_API HedGlueDef hed_glue_def_default(void);
HED_API HedStatus hed_glue_create(HedSim* sim, const HedGlueDef* def, HedError* error);

/// The handle of the index-th set of yarns, counted from 0 in the order of creation; zero if there
/// is none, and for a sim that is NULL.
HED_API HedYarnsId hed_sim_yarns(const HedSim* sim, int32_t index);

/// Copies points of the curves in the order of the def. The arrays hold the vertex count.
HED_API int32_t hed_yarns_vertex_count(const HedSim* sim, HedYarnsId yarns);
HED_API void hed_yarns_positions(const HedSim* sim, HedYarnsId yarns, HedVec3* positions);
HED_API void hed_yarns_velocities(const HedSim* sim, HedYarnsId yarns, HedVec3* velocities);

/// Twist of a whole curve, rad, turns counted; 0 for yarns that are no rods.
HED_API double hed_yarns_twist(const HedSim* sim, HedYarnsId yarns, int32_t curve);

/// As hed_sheet_quantity; of yarns, tension is in N and contact and damping are per length (N/m,
/// W/m). Damping is that of stretching, bending and motion that is not rigid.
HED_API HedStatus hed_yarns_quantity(const HedSim* sim, HedYarnsId yarns, HedQuantity quantity,
                                     double* values, HedError* error);

#ifdef __cplusplus
}
#endif

#endif
