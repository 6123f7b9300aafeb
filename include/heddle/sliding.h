// SPDX-License-Identifier: MIT
// Sliding yarns in a simulation: a crossing network (heddle/net.h) whose nodes move, and along
// whose yarns material runs through them.
#ifndef HEDDLE_SLIDING_H
#define HEDDLE_SLIDING_H

#include "heddle/net.h"
#include "heddle/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Damping of one way to deform, from a dissipation potential of the rate of that strain alone. The
/// two parts add up.
typedef struct HedSlidingDamping {
    double density; ///< Stretch, shear, wrap: N s. Bend: N m^2 s. Force per rate of strain.
    double time;    ///< s, times the stiffness.
} HedSlidingDamping;

/// How sliding yarns keep apart from those of other layers that say the same, and from distant
/// parts of their own fabric.
typedef enum HedSlidingContact {
    HED_SLIDING_SKIN,  ///< By the triangles between their crossings, as they do from sheets.
    HED_SLIDING_YARNS, ///< Yarn by yarn, where these cross.
    HED_SLIDING_CONTACT_COUNT
} HedSlidingContact;

/// Yarns that cross and slide. Fill with hed_sliding_def_default().
typedef struct HedSlidingDef {
    const char* name;
    const HedNet* net;     ///< Read while creating.
    double linear_density; ///< kg/m, of yarns that have none of their own. Default 2.5e-5 (25 tex).
    double stretch;        ///< N, force per strain of a yarn (EA). Default 30.
    double compression_ratio; ///< Part of stretch with which a piece resists being shorter than its
                              ///< material. 0: from the load at which it buckles. Default 0.
    double bend;              ///< N m^2, moment per curvature of a yarn (EI). Default 2e-9.
    double set_fraction;      ///< Part of the turns at the start that yarns have at rest, 0 to 1.
                              ///< Default 1.
    double thickness; ///< Part of the radius by which yarns bend off their crossings, each to its
                      ///< side, 0 to 1; yarns are set in the turns that they have there.
                      ///< Experimental: steps need more iterations. Default 0.
    double twist;     ///< N m^2, moment per twist (GJ), where yarns are set into corners. Infinite:
                      ///< half of bend where yarns clasp each other, else none. Default infinite.
    double shear;     ///< N, of a crossing: four times this over the spacing is the cloth's shear
                      ///< stiffness in N/m per rad. Crossings of clasps have none. Default 5e-3.
    double jam_margin; ///< rad, before yarns side by side touch, at which shear stiffens. Default
                       ///< 0.1.
    double clasp_stiffness; ///< Part of stretch with which a clasp keeps its length. Default 0.5.
    double jam_stiffness; ///< Times stretch over the spacing: how stiffly crossings on a yarn keep
                          ///< the distance that the yarns which cross there need. Default 5.
    double friction;      ///< Coulomb coefficient at crossings. Default 0.3.
    double friction_stiffness; ///< N/m, of the springs that hold what does not slide; 0: a tenth of
                               ///< stretch over the spacing. Default 0.
    double crossing_preload; ///< N, with which yarns press on each other at every crossing, besides
                             ///< what their own pull gives. Infinite: a tenth of what their bending
                             ///< about each other would give if none of it were set. Default
                             ///< infinite.
    double wrap;           ///< N, of clasps, per length of yarn in them: how stiffly two yarns keep
                           ///< the way they wind around each other. Default 0.
    double wrap_rest;      ///< How far they do at rest on the left of a knit stitch: the product of
                           ///< the sines of the yarns' turns at both ends of the clasp and of the
                           ///< angle between the planes of these turns, -1 to 1. Infinite: as at
                           ///< the start. Default infinite.
    double curl_stiffness; ///< J, of curl hinges; 0: none. Default 0.
    double curl_along;     ///< Turn per stitch at rest, along courses, of a knit stitch. Default
                           ///< 0.
    double curl_across;    ///< The same along wales. Default 0.
    HedSlidingDamping stretch_damping; ///< Default 0, 1e-3 s.
    HedSlidingDamping bend_damping;    ///< Default 0, 1e-2 s.
    HedSlidingDamping shear_damping;   ///< Default 0, 1e-3 s.
    HedSlidingDamping wrap_damping;    ///< Default 0, 1e-3 s.
    double rayleigh; ///< s, further damping by this times the whole stiffness matrix, which takes
                     ///< from every motion: for comparison. Default 0.
    bool convection; ///< The momentum that material carries with it acts on nodes which it runs
                     ///< through: of account where yarns run at meters per second. Default false.
    HedSlidingContact contact; ///< With self_collision. Default HED_SLIDING_SKIN.
    HedVec3 velocity;          ///< m/s, start velocity of all nodes. Default 0.
    uint32_t stamp;
} HedSlidingDef;

HED_API HedSlidingDef hed_sliding_def_default(void);

/// Points per piece of yarn that curves of sliding yarns have (heddle/net.h).
enum { HED_SLIDING_SAMPLES = 3 };

/// Puts sliding yarns into a simulation, which needs the integrator HED_IMPLICIT_EULER or
/// HED_QUASI_STATIC. The network is copied.
///
/// What is seen of them, and what hed_yarns_vertex_count(), hed_yarns_positions(),
/// hed_yarns_velocities() and hed_yarns_quantity() speak of, are the points of the network's smooth
/// curves, in the order of hed_net_curves(). The vertices of pins, loads and measurements are the
/// nodes of the network. A pin holds the places of its nodes, while yarns may still slide through
/// them; with `clamps` they may not.
HED_API HedStatus hed_sliding_create(HedSim* sim, const HedSlidingDef* def, HedYarnsId* yarns,
                                     HedError* error);

/// Nodes of the network; 0 for yarns that do not slide.
HED_API int32_t hed_sliding_node_count(const HedSim* sim, HedYarnsId yarns);
HED_API void hed_sliding_node_positions(const HedSim* sim, HedYarnsId yarns, HedVec3* positions);

/// The surface by which sliding yarns meet other cloth at the start: triangles over the meshes
/// between them. Fills six vertices of the curves for each: a corner is the middle of two, which
/// are the same at a node of one yarn. Returns how many there are, -1 without memory; corners may
/// be NULL.
HED_API int32_t hed_sliding_skin(const HedSim* sim, HedYarnsId yarns, int32_t* corners);

/// m, two numbers per node: where along the unstretched yarns of its slots it stands; the second is
/// 0 at a node of one yarn.
HED_API void hed_sliding_coordinates(const HedSim* sim, HedYarnsId yarns, double* along);

/// Crossings that have come apart since the start, because one of their yarns slid out: how many.
/// is_gone: per node; may be NULL. Such a node is carried along by its other yarn.
HED_API int32_t hed_sliding_gone(const HedSim* sim, HedYarnsId yarns, bool* is_gone);

/// The same of all sliding yarns of a simulation.
HED_API int32_t hed_sliding_gone_count(const HedSim* sim);

#ifdef __cplusplus
}
#endif

#endif
