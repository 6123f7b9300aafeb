// SPDX-License-Identifier: MIT
// A simulation: sheets, yarns (heddle/yarn.h), bodies, pins and wind; steps, reports, read-back.
#ifndef HEDDLE_SIM_H
#define HEDDLE_SIM_H

#include "heddle/base.h"
#include "heddle/solve.h"
#include "heddle/vec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HedSim HedSim;

/// Handles, valid for the sim that made them. Zero means none.
typedef struct HedSheetId {
    int32_t index;
    uint32_t stamp;
} HedSheetId;

typedef struct HedYarnsId {
    int32_t index;
    uint32_t stamp;
} HedYarnsId;

typedef struct HedBodyId {
    int32_t index;
    uint32_t stamp;
} HedBodyId;

typedef struct HedPinId {
    int32_t index;
    uint32_t stamp;
} HedPinId;

/// How time goes on. Names in scenes: explicit-euler, symplectic-euler, verlet, rk4,
/// implicit-euler, pbd, xpbd, newmark, bdf2, midpoint, quasi-static.
typedef enum HedIntegrator {
    HED_EXPLICIT_EULER,
    HED_SYMPLECTIC_EULER,
    HED_VERLET,
    HED_RK4,
    HED_IMPLICIT_EULER,
    HED_PBD,
    HED_XPBD,
    HED_NEWMARK,
    HED_BDF2,
    HED_MIDPOINT,     ///< Explicit. Gains energy slowly where nothing damps: for comparison.
    HED_QUASI_STATIC, ///< No inertia, no damping: rest under the pins and loads of each time.
    HED_INTEGRATOR_COUNT
} HedIntegrator;

HED_API const char* hed_integrator_name(HedIntegrator integrator);

/// Everything needed to start a simulation. Fill with hed_sim_def_default(), then edit.
typedef struct HedSimDef {
    HedVec3 gravity;          ///< m/s^2. Default (0, -9.81, 0).
    double drag;              ///< 1/s, force -drag * mass * velocity on every point. Default 0.
    double time_step;         ///< s. Default 1/300.
    HedIntegrator integrator; ///< Default HED_IMPLICIT_EULER.
    bool self_collision;      ///< Sheets and sliding yarns keep apart from themselves, each other
                              ///< and rods. Default false.
    double self_friction;     ///< Coulomb coefficient between them. Default 0.3.
    bool yarn_contact;        ///< Yarns keep apart from themselves and each other. Default true.
    double yarn_friction;     ///< Coulomb coefficient between yarns. Default 0.
    double yarn_damping;      ///< Of contacts between yarns, part of critical damping. Default 0.1.
    int32_t yarn_quadrature; ///< Points at which a segment's contact is looked at, odd. Default 11.
    int32_t spline_quadrature; ///< Points at which a segment of a spline yarn feels bending and
                               ///< stretching, odd. Default 11.
    double nonrigid_rate;    ///< 1/s, of yarns in explicit steps: how fast motion that is not rigid
                             ///< fades. Default 0.
    double nonrigid_slowing; ///< m/s^2, the same for slow motion, which comes to rest. Default 0.
    double nonrigid_size;    ///< m, along yarns, over which motion may be rigid where a def has no
                             ///< blocks (HedYarnsDef). Default 0.02.
    double nonrigid_pair_rate; ///< 1/s, as nonrigid_rate, over the pairs of a def and before it.
                               ///< Default 0.
    int32_t thread_count;      ///< 0 uses one thread per core. Results do not depend on it.
    uint64_t seed;             ///< For gusts. Default 1.
    double newton_tolerance; ///< m/s, largest velocity correction at which a step counts as solved.
                             ///< Default 1e-4.
    double force_tolerance;  ///< N, largest unbalanced force that counts as rest (quasi-static); 0:
                             ///< a thousandth of a point's weight. Default 0.
    double newmark_beta;     ///< Newmark's method. Default 1/4.
    double newmark_gamma;    ///< Default 1/2: no numerical damping.
    HedPreconditionerKind preconditioner; ///< Default HED_PRECONDITION_AUTO.
    HedConstraintKind constraints;        ///< Default HED_CONSTRAIN_FILTER.
    int32_t newton_iterations; ///< Most Newton iterations before the step is halved. Default 30. 1:
                               ///< each step is one linear solve, taken as it is.
    double linear_tolerance;   ///< Relative residual of a linear solve that need not stop earlier.
                               ///< Default 1e-4.
    int32_t linear_iterations; ///< Most conjugate-gradient iterations. Default 2000.
    int32_t pbd_iterations;    ///< Passes over all constraints per step (PBD, XPBD). Default 20.
    double least_step; ///< Fraction of time_step below which a halved step is given up. Default
                       ///< 1/1024.
    uint32_t stamp;    ///< Written by the default function; create refuses any other value.
} HedSimDef;

HED_API HedSimDef hed_sim_def_default(void);
HED_API HedStatus hed_sim_create(const HedSimDef* def, HedSim** sim, HedError* error);
HED_API void hed_sim_destroy(HedSim* sim); ///< NULL is allowed.

/// What a sheet's resistance to stretching is made of.
typedef enum HedSheetModel {
    HED_SHEET_SPRINGS,  ///< Springs along edges and across quads.
    HED_SHEET_MEMBRANE, ///< St. Venant-Kirchhoff triangles, orthotropic: warp, weft, shear,
                        ///< Poisson.
    HED_SHEET_MODEL_COUNT
} HedSheetModel;

/// Which resistance to bending a sheet has.
typedef enum HedBending {
    HED_BENDING_NONE,
    HED_BENDING_SPRINGS,   ///< Springs to the 2-ring; stiffness bend_stretch in N/m.
    HED_BENDING_CURVATURE, ///< 1/2 B kappa^2 along mesh lines; rigidity bend_rigidity in N m.
    HED_BENDING_HINGES,    ///< Angles between triangles (discrete shells); bend_rigidity in N m.
    HED_BENDING_FLAT,      ///< The same, quadratic: for sheets that rest flat and hardly stretch.
    HED_BENDING_COUNT
} HedBending;

/// Which force damps a sheet's elements, of stiffness K and damping time b.
typedef enum HedDampingModel {
    HED_DAMPING_POTENTIAL, ///< From a dissipation potential of the rate of strain: no rigid motion
                           ///< is damped, and no energy is ever put in.
    HED_DAMPING_RAYLEIGH,  ///< -b K v, K the exact stiffness at the present positions: rigid turns
                           ///< are damped too, and where K is not positive energy is put in. For
                           ///< comparison. Not with PBD and XPBD.
    HED_DAMPING_RAYLEIGH_POSITIVE, ///< The same with K in its positive form, that of Newton's
                                   ///< method: takes energy always, and rigid turns as well.
    HED_DAMPING_MODEL_COUNT
} HedDampingModel;

/// A sheet on a triangle mesh or a grid of quads. Fill with hed_sheet_def_default().
typedef struct HedSheetDef {
    const char* name;
    const HedVec3* vertices;      ///< m, start positions.
    const HedVec3* rest_vertices; ///< m, positions at rest; NULL: the start positions.
    int32_t vertex_count;
    const int32_t* triangles; ///< Three vertex indices each.
    int32_t triangle_count;
    int32_t grid_columns; ///< Of vertices; 0 for a mesh. With grid_rows: springs follow the quads
                          ///< of the
    int32_t grid_rows;    ///< grid (vertex = row * columns + column), and triangles serve wind and
                          ///< contact.
    const double* material; ///< m, two coordinates (warp, weft) for each corner of each triangle:
                            ///< its shape at rest and its directions. NULL: the shape from the rest
                            ///< positions, warp along `warp`. Membranes only.
    const double* rest_angles; ///< rad, three per triangle: the k-th across the side from corner k
                               ///< to k + 1, positive for a ridge seen from the triangle's front.
                               ///< NULL: those of the rest positions. HED_BENDING_HINGES only.
    HedVec3 warp; ///< Direction of warp at rest, laid into each triangle. Default 0: along the
                  ///< grid's rows, else along x. Membranes only.
    double sewing_time;  ///< s; membranes: the start shape counts as unstretched and shrinks, or
                         ///< grows, to the shape at rest in this time. Until the last sheet is
                         ///< done nothing falls and everything moves slowly. Default 0: at once.
    HedSheetModel model; ///< Default HED_SHEET_SPRINGS.
    double density;      ///< kg/m^2. Default 0.15.
    double stretch; ///< N/m, tensile stiffness of structural springs (force per width per strain).
                    ///< Default 300.
    double shear;   ///< N/m, shear stiffness of shearing springs; 0 for none. Default 60.
    HedBending bending;   ///< Default HED_BENDING_CURVATURE.
    double bend_stretch;  ///< N/m, for HED_BENDING_SPRINGS. Default 30.
    double bend_rigidity; ///< N m, for HED_BENDING_CURVATURE. Default 5e-6.
    double weft;    ///< N/m, membranes: tensile stiffness along weft, stretch being that along
                    ///< warp; 0: the same. Default 0.
    double poisson; ///< Membranes: contraction along weft over extension along warp, above -1 and
                    ///< at most 0.5. Default 0.3.
    double damping; ///< s, each element's damping is this times its stiffness. Default 1e-3.
    double bend_damping; ///< s, the same for HED_BENDING_CURVATURE, HINGES and FLAT; infinite: as
                         ///< damping. Default infinite.
    HedDampingModel damping_model; ///< Of these two. Default HED_DAMPING_POTENTIAL.
    double dilation_damping; ///< N s/m, membranes: further damping of the change of area, lambda_d
                             ///< of the strain rate's potential. Default 0.
    double shear_damping; ///< N s/m, membranes: further damping of every strain, mu_d. Default 0.
    double thickness; ///< m; contact keeps half of it between the sheet and a body. Default 1e-3.
    HedVec3 velocity; ///< m/s, start velocity of all points. Default 0.
    const char* const* panels; ///< Names of the panels it is sewn of, for messages; NULL: none.
    int32_t panel_count;
    const int32_t* triangle_panels; ///< Number of its panel, per triangle; with panels.
    uint32_t stamp;
} HedSheetDef;

HED_API HedSheetDef hed_sheet_def_default(void);
HED_API HedStatus hed_sheet_create(HedSim* sim, const HedSheetDef* def, HedSheetId* sheet,
                                   HedError* error);

/// Where something stands at a time; between two of them position and turn change steadily.
typedef struct HedKeyframe {
    double time; ///< s
    HedPose pose;
} HedKeyframe;

typedef enum HedShape {
    HED_PLANE,    ///< Through the origin, solid below, normal +y.
    HED_SPHERE,   ///< radius
    HED_BOX,      ///< half_size
    HED_CAPSULE,  ///< radius, half_length of the axis along y without the caps
    HED_CYLINDER, ///< radius, half_length along y, flat ends
    HED_TORUS,    ///< radius of the circle in the xz plane, minor_radius of the tube
    HED_MESH,     ///< closed triangle mesh
    HED_SHAPE_COUNT
} HedShape;

/// What happens if a sheet overlaps a body at the start.
typedef enum HedOverlap {
    HED_OVERLAP_REFUSE, ///< An error that names the place and the depth.
    HED_OVERLAP_PUSH,   ///< Pushed out at no more than push_speed, without gaining momentum.
    HED_OVERLAP_COUNT
} HedOverlap;

/// How a body keeps cloth out in explicit steps. In implicit steps all do it by penalty, in
/// position-based ones by filter.
typedef enum HedResponse {
    HED_RESPONSE_FILTER,  ///< Points are moved out, and velocities stopped, after each step.
    HED_RESPONSE_PENALTY, ///< A force grows with depth.
    HED_RESPONSE_COUNT
} HedResponse;

HED_API const char* hed_response_name(HedResponse response); ///< "filter", "penalty"

/// A solid that moves on its own. Fill with hed_body_def_default().
typedef struct HedBodyDef {
    const char* name;
    HedShape shape;
    double radius;       ///< m
    double minor_radius; ///< m
    double half_length;  ///< m
    HedVec3 half_size;   ///< m
    const HedVec3* vertices;
    int32_t vertex_count;
    const int32_t* triangles;
    int32_t triangle_count;
    const HedKeyframe* keyframes; ///< Times rise; before the first and after the last it stands
                                  ///< still. NULL: at the origin.
    int32_t keyframe_count;
    double friction;      ///< Coulomb coefficient. Default 0.3.
    HedOverlap overlap;   ///< Default HED_OVERLAP_REFUSE.
    double push_speed;    ///< m/s. Default 0.1.
    HedResponse response; ///< Default HED_RESPONSE_FILTER.
    double stiffness;     ///< N/m per m^2 of cloth, of penalties. Default 3e6.
    double damping;       ///< s, of penalties: damping over stiffness while cloth moves in or out.
                          ///< Default 0.
    uint32_t stamp;
} HedBodyDef;

HED_API HedBodyDef hed_body_def_default(void);
HED_API HedStatus hed_body_create(HedSim* sim, const HedBodyDef* def, HedBodyId* body,
                                  HedError* error);

/// Vertices of a sheet or of yarns that are held: still, moved as one, or let go at a time.
typedef struct HedPinDef {
    const char* name;
    HedSheetId sheet; ///< Either this
    HedYarnsId yarns; ///< or this.
    const int32_t* vertices;
    int32_t vertex_count;
    const HedKeyframe*
        keyframes; ///< Motion of the held set about pivot, relative to its start; NULL: none.
    int32_t keyframe_count;
    HedVec3 pivot;       ///< m, the turns of keyframes are about this point.
    double release_time; ///< s; infinite by default.
    bool clamps;   ///< Held ends of yarns keep their direction (rods: and twist) too, as in a wall
                   ///< that stands there; sliding yarns do not run through held nodes. Default
                   ///< false.
    int32_t every; ///< Of the vertices only each so many-th, from the first on, is held; springs
                   ///< hold the others. Default 1.
    double soft_stiffness; ///< N/m, of those springs. Default 0: none.
    uint32_t stamp;
} HedPinDef;

HED_API HedPinDef hed_pin_def_default(void);
HED_API HedStatus hed_pin_create(HedSim* sim, const HedPinDef* def, HedPinId* pin, HedError* error);

/// A force on vertices of a sheet or of yarns that never changes. Several on one vertex add up.
typedef struct HedLoadDef {
    const char* name;
    HedSheetId sheet; ///< Either this
    HedYarnsId yarns; ///< or this.
    const int32_t* vertices;
    int32_t vertex_count;
    HedVec3 force; ///< N, on each of them.
    uint32_t stamp;
} HedLoadDef;

HED_API HedLoadDef hed_load_def_default(void);
HED_API HedStatus hed_load_create(HedSim* sim, const HedLoadDef* def, HedError* error);

/// Air that moves past every triangle of every sheet.
typedef struct HedWindDef {
    HedVec3 velocity;    ///< m/s, mean.
    double density;      ///< kg/m^3. Default 1.2.
    double normal_drag;  ///< Drag coefficient of a surface facing the flow. Default 1.2.
    double tangent_drag; ///< Friction coefficient along the surface. Default 0.02.
    double gust;         ///< Standard deviation of the speed over the mean. Default 0.
    double gust_length;  ///< m, size of the largest gusts. Default 2.
    uint32_t stamp;
} HedWindDef;

HED_API HedWindDef hed_wind_def_default(void);
HED_API HedStatus hed_sim_set_wind(HedSim* sim, const HedWindDef* def, HedError* error);

/// How one step ended. A solver that gives up is an outcome, not an error.
typedef enum HedReason {
    HED_REASON_CONVERGED,      ///< Solved to tolerance, or an explicit step with finite results.
    HED_REASON_MAX_ITERATIONS, ///< Not solved even with the least step; state is that of the last
                               ///< good one.
    HED_REASON_NOT_FINITE, ///< A value was not finite or had left all bounds; state is that of the
                           ///< last good one.
    HED_REASON_TUNNELED,   ///< Yarns would have passed through each other, or met too fast for the
                           ///< size of the step; state is that of the last good one.
    HED_REASON_STOPPED,    ///< By the stop hook (hed_sim_set_watch); state is that of the start of
                           ///< the step.
    HED_REASON_TANGLED,    ///< Sheets that intersected at the start do so long after their seams
                           ///< have closed; state is that of the last good step.
    HED_REASON_COUNT
} HedReason;

HED_API const char* hed_reason_name(HedReason reason);

/// What becomes of garments.
typedef enum HedPhase {
    HED_PHASE_FREE,       ///< Nothing is being sewn, or all is.
    HED_PHASE_SEWING,     ///< Seams are closing.
    HED_PHASE_UNTANGLING, ///< They are closed, but sheets intersect that did so before.
    HED_PHASE_COUNT
} HedPhase;

HED_API const char* hed_phase_name(HedPhase phase); ///< "free", "sewing", "untangling"

typedef struct HedStepReport {
    HedReason reason;
    HedPhase phase;
    int32_t iterations;             ///< Newton iterations, or passes over the constraints.
    int32_t linear_iterations;      ///< Conjugate-gradient iterations of all Newton iterations.
    int32_t substeps;               ///< Parts the step was cut into; 1 if all went well.
    int32_t cuts[HED_REASON_COUNT]; ///< Times that a part was cut in half, by the reason.
    double residual;                ///< N, largest unbalanced force on a point that is left.
    double piece;                   ///< s, the part of the step that was solved last.
    double penetration; ///< m, deepest penetration of a body by the sheet's surface, 0 for none.
    int32_t contact_count;
    int32_t impact_count; ///< Times that parts of sheets would have met in the step.
    int32_t tangle_count; ///< Pairs of triangles of sheets being sewn that intersected at the start
                          ///< of the step; 0: none, and none will.
    int32_t gone_count;   ///< Crossings that sliding yarns have come out of.
    int32_t broken_count; ///< Stitches (heddle/yarn.h, glue) that broke.
    char gone[240];       ///< The last of them: which yarn, and where; empty if there are none.
    char trouble[240];    ///< What was worst, and where, at the last cut or when the step was given
                          ///< up; empty if all went well.
} HedStepReport;

/// Hooks into the inside of a step, for steps that take long.
typedef struct HedStepWatch {
    /// Asked many times a second, so it should only look at a flag; true gives the step up: reason
    /// HED_REASON_STOPPED. An explicit or position-based step of sheets is too short to be asked
    /// in.
    bool (*stop)(void* context);
    /// Called about twice a second in a step that has taken half a second: the report so far, with
    /// the place that is worst at present in `trouble`.
    void (*tell)(const HedStepReport* so_far, void* context);
    void* context;
} HedStepWatch;

/// Either hook may be NULL. Results do not depend on them, unless stop ends a step.
HED_API void hed_sim_set_watch(HedSim* sim, HedStepWatch watch);

/// Goes on by one time step. Checks everything on the first call (initial overlap, no sheets).
HED_API HedStatus hed_sim_step(HedSim* sim, HedStepReport* report, HedError* error);

/// What a step spends its time on.
typedef enum HedStage {
    HED_STAGE_CONTACTS,       ///< Finding what is near bodies.
    HED_STAGE_NEAR,           ///< Finding what is near in sheets, with self-collision.
    HED_STAGE_FORCES,         ///< Forces of elements and contacts.
    HED_STAGE_ASSEMBLY,       ///< The matrix.
    HED_STAGE_PRECONDITIONER, ///< Its preconditioner.
    HED_STAGE_LINEAR,         ///< Conjugate gradients.
    HED_STAGE_CONSTRAINTS,    ///< Passes over the constraints (PBD, XPBD).
    HED_STAGE_IMPACTS,        ///< Keeping sheets apart after the step.
    HED_STAGE_SWEEP,          ///< Proving that yarns did not pass through each other.
    HED_STAGE_YARN_SEARCH,    ///< Sampling yarns and finding which are near each other.
    HED_STAGE_YARN_CONTACT,   ///< Forces between yarns, friction included.
    HED_STAGE_YARN_MEMORY,    ///< What friction between yarns remembers.
    HED_STAGE_YARN_LENGTHS,   ///< Projection of yarns that keep their length; nonrigid damping.
    HED_STAGE_OTHER,
    HED_STAGE_COUNT
} HedStage;

HED_API const char* hed_stage_name(HedStage stage);

/// Seconds by the clock that each stage took, added up over steps.
typedef struct HedProfile {
    double seconds[HED_STAGE_COUNT];
    int64_t yarn_pairs; ///< Pairs of points of yarns that contact was evaluated at.
} HedProfile;

/// From now on steps add their times to profile, which must stay; NULL (as at the start): they take
/// none.
HED_API void hed_sim_set_profile(HedSim* sim, HedProfile* profile);

/// What the first step would check, without a step: overlap, sizes, values.
HED_API HedStatus hed_sim_prepare(HedSim* sim, HedError* error);

HED_API double hed_sim_time(const HedSim* sim);   ///< s
HED_API int64_t hed_sim_steps(const HedSim* sim); ///< Steps done.
HED_API const HedSimDef*
hed_sim_def(const HedSim* sim); ///< Borrowed; thread_count is the number really used.

enum { HED_POTENTIAL_LIMIT = 16 };

/// Energies in J. total = kinetic + potentials + dissipated - external: constant but for
/// integration error.
typedef struct HedEnergies {
    double kinetic;
    int32_t potential_count;
    const char* potential_name[HED_POTENTIAL_LIMIT]; ///< Static strings: stretch, shear, bend,
                                                     ///< gravity, contact.
    double potential[HED_POTENTIAL_LIMIT];
    double dissipated; ///< Taken out by damping, drag and friction so far.
    double external;   ///< Put in by wind, moving pins and moving bodies so far.
    double total;
} HedEnergies;

/// As all calls that take a const HedSim*, it writes nothing there: several threads may read at
/// once, as long as none steps. Without memory what is not known is NaN.
HED_API HedEnergies hed_sim_energies(const HedSim* sim);

/// What a measurement looks at. Names in scenes are those of hed_measure_name.
typedef enum HedMeasureKind {
    HED_MEASURE_POSITION, ///< x, y, z of vertex a, m
    HED_MEASURE_SPEED,    ///< of vertex a, m/s
    HED_MEASURE_DISTANCE, ///< between vertices a and b, m
    HED_MEASURE_AREA,     ///< of the surface, m^2
    HED_MEASURE_SHADOW, ///< area of the silhouette seen along gravity, m^2 (overlaps counted once)
    HED_MEASURE_EXTENT, ///< x, y, z size of the bounding box, m
    HED_MEASURE_STRAIN, ///< mean and largest strain of structural springs, or along warp and weft
    HED_MEASURE_REACTION, ///< x, y, z of the force that a pin exerts on the cloth, N. The inertia
                          ///< of what it holds is left out; at rest, which is also before the
                          ///< first step, so is all that comes from velocities.
    HED_MEASURE_GAUGE,    ///< m and N: how far apart two pins hold the cloth, and the force of the
                          ///< first along the axis, away from the other.
    HED_MEASURE_COUNT
} HedMeasureKind;

HED_API const char* hed_measure_name(HedMeasureKind kind);
HED_API int32_t hed_measure_width(HedMeasureKind kind); ///< Numbers it gives: 1 to 3.

/// Suffix of the k-th number's column: "x", "mean", or "" for a single number.
HED_API const char* hed_measure_part(HedMeasureKind kind, int32_t k);
HED_API const char* hed_measure_unit(HedMeasureKind kind, int32_t k); ///< "m", "N"; "" for strain.

typedef struct HedMeasureDef {
    HedMeasureKind kind;
    HedSheetId sheet; ///< Either this
    HedYarnsId yarns; ///< or this, for what yarns have: no area, no shadow.
    HedPinId pin;     ///< HED_MEASURE_REACTION and HED_MEASURE_GAUGE only.
    HedPinId from;    ///< Of a gauge: the other pin; zero: the length is the way of the first.
    HedVec3 axis;     ///< Of a gauge: direction of the pull; zero: from the middle of the other pin
                      ///< to that of the first.
    int32_t a, b;     ///< Vertices.
} HedMeasureDef;

HED_API HedStatus hed_sim_measure(const HedSim* sim, const HedMeasureDef* def, double values[3],
                                  HedError* error);

/// The handle of the index-th sheet, body or pin, counted from 0 in the order of creation; zero if
/// there is none, and for a sim that is NULL.
HED_API HedSheetId hed_sim_sheet(const HedSim* sim, int32_t index);
HED_API HedBodyId hed_sim_body(const HedSim* sim, int32_t index);
HED_API HedPinId hed_sim_pin(const HedSim* sim, int32_t index);

/// Copies the sheet's points in the order of its def. The arrays hold the sheet's vertex count.
HED_API int32_t hed_sheet_vertex_count(const HedSim* sim, HedSheetId sheet);
HED_API void hed_sheet_positions(const HedSim* sim, HedSheetId sheet, HedVec3* positions);
HED_API void hed_sheet_velocities(const HedSim* sim, HedSheetId sheet, HedVec3* velocities);

/// What can be seen on a sheet beside its shape, as a number at each vertex.
typedef enum HedQuantity {
    HED_QUANTITY_STRAIN,    ///< Of the structural springs at the vertex: sum of their changes of
                            ///< length over the sum of their rest lengths.
    HED_QUANTITY_TENSION,   ///< N/m, elastic force of the springs over the width at rest, in the
                            ///< direction in which it is largest; negative under compression.
    HED_QUANTITY_CURVATURE, ///< 1/m, size of the mean curvature; on a boundary that of the
                            ///< neighbours inside. NaN on a sheet that is all boundary.
    HED_QUANTITY_CONTACT,   ///< Pa, normal force of bodies on the vertex over its area at rest, at
                            ///< the end of the last step or, in explicit and position-based steps,
                            ///< its mean over the step.
    HED_QUANTITY_DAMPING,   ///< W/m^2 at rest, power that internal damping takes out at the present
                            ///< positions and velocities.
    HED_QUANTITY_SPEED,     ///< m/s
    HED_QUANTITY_COUNT
} HedQuantity;

HED_API const char* hed_quantity_name(HedQuantity quantity); ///< "strain", "tension", ...
HED_API const char* hed_quantity_unit(HedQuantity quantity); ///< "" for strain, "N/m", ...

/// values must hold the sheet's vertex count. The sim must be prepared.
HED_API HedStatus hed_sheet_quantity(const HedSim* sim, HedSheetId sheet, HedQuantity quantity,
                                     double* values, HedError* error);

/// Where the body stands now.
HED_API HedPose hed_body_pose(const HedSim* sim, HedBodyId body);

/// Facts for `heddle check`: sizes of what will be simulated.
typedef struct HedSimSize {
    int32_t points;  ///< Of sliding yarns: nodes.
    int32_t springs; ///< Of sliding yarns: pieces from node to node.
    int32_t bends;
    int32_t triangles;
    int32_t bodies;
    int32_t held_points;
    int64_t bytes;      ///< On the heap now.
    int64_t step_bytes; ///< Memory that one explicit (Euler) step reads and writes at least.
    double stable_step; ///< s, largest step at which explicit (symplectic) stepping is stable,
                        ///< estimated; 0 for sliding yarns, which know no such steps.
} HedSimSize;

HED_API HedSimSize hed_sim_size(const HedSim* sim);

/// Two panels (or sheets, or one with itself) that intersect. Names are borrowed from the sim.
typedef struct HedPanelOverlap {
    const char* sheet[2];
    const char* panel[2]; ///< NULL: the sheet has none.
    int64_t count;        ///< Pairs of triangles that pass through each other or touch.
    HedVec3 place;        ///< m, the middle of the first of them.
    bool is_sewn;         ///< Seams of one of them close: a run begins nevertheless.
} HedPanelOverlap;

/// Zero-initialise; free with hed_panel_overlaps_free.
typedef struct HedPanelOverlaps {
    HedPanelOverlap* list; ///< The most pairs of triangles first.
    int32_t count, capacity;
    int64_t triangle_pairs; ///< Of all.
} HedPanelOverlaps;

/// Finds where sheets intersect themselves and each other at present, exactly, whether the sim is
/// prepared or not.
HED_API HedStatus hed_sim_panel_overlaps(const HedSim* sim, HedPanelOverlaps* overlaps,
                                         HedError* error);
HED_API void
hed_panel_overlaps_free(HedPanelOverlaps* overlaps); ///< NULL and empty ones are allowed.

/// "panel 'sleeve' of 'shirt' with panel 'front' of 'shirt': 12 pairs of triangles near (0, 1, 0)"
HED_API void hed_panel_overlap_describe(const HedPanelOverlap* pair, char* text, size_t size);

/// How the linear equations of an implicit step are solved; times in s are the least of all rounds.
typedef struct HedSolveMeasure {
    int32_t points;
    int64_t product_bytes; ///< What one product of the matrix with a vector moves at least.
    double product_time;
    double update_time; ///< The preconditioner takes up the matrix.
    double solve_time;
    int32_t iterations;
    bool is_solved;
    double residual; ///< |b - A x| / |b|, recomputed; 1 if it is not solved.
} HedSolveMeasure;

/// Solves the linear equations of a backward Euler step from the present state, rounds times, with
/// the preconditioner and tolerance of the def. The state stays as it is. HED_INVALID unless the
/// integrator is implicit and rounds > 0.
HED_API HedStatus hed_sim_measure_solve(HedSim* sim, int32_t rounds, HedSolveMeasure* out,
                                        HedError* error);

/// One named array of the state. Together they are enough to go on to the last bit.
typedef struct HedSnapshotArray {
    const char* name; ///< Static string.
    void* data;
    int64_t bytes;
} HedSnapshotArray;

enum { HED_SNAPSHOT_LIMIT = 32 };

/// The arrays of a prepared sim. Reading them saves it; writing the same bytes into a sim built
/// from the same defs restores it, after a call to hed_sim_restored. 0 if there is no memory.
/// Borrowed: valid until the next call that changes the sim.
HED_API int32_t hed_sim_snapshot(HedSim* sim, HedSnapshotArray arrays[HED_SNAPSHOT_LIMIT]);

/// Some arrays change their size in a run (what friction remembers): gives the array of that name
/// so many bytes, for a restore, and fills in where they are. HED_INVALID for other arrays and for
/// a size that it cannot have.
HED_API HedStatus hed_sim_snapshot_resize(HedSim* sim, int64_t bytes, HedSnapshotArray* array,
                                          HedError* error);
HED_API HedStatus hed_sim_restored(HedSim* sim, HedError* error);

#ifdef __cplusplus
}
#endif

#endif
