// SPDX-License-Identifier: MIT
// What a simulation consists of. Private to src/sim.
#ifndef HED_SIM_INTERNAL_H
#define HED_SIM_INTERNAL_H

#include "base/array.h"
#include "base/parallel.h"
#include "base/watch.h"
#include "contact/contact.h"
#include "contact/self.h"
#include "geom/track.h"
#include "heddle/yarn.h"
#include "model/load/force_term.h"
#include "model/load/point_term.h"
#include "model/load/tie_term.h"
#include "model/load/wind_term.h"
#include "model/sheet/curve_term.h"
#include "model/sheet/sheet.h"
#include "model/sheet/spring_term.h"
#include "sim/lines.h"
#include "sim/parts.h"
#include "sim/period.h"
#include "sim/retract.h"
#include "sim/rods.h"
#include "sim/sliding_touch.h"
#include "sim/snapshot.h"
#include "sim/splines.h"
#include "sim/start.h"
#include "sim/ties.h"
#include "sim/yarn_crossings.h"
#include "sim/yarn_dynamics.h"
#include "solve/preconditioner.h"
#include "state/term.h"

/// A sheet, or a set of yarns.
typedef struct HedCloth {
    char* name;
    bool is_yarns;
    int32_t first_point;
    int32_t point_count;
    int32_t vertex_count; // other than that of points for splines and yarns that go on
    int32_t first_triangle;
    int32_t triangle_count;
    int32_t first_membrane; // of the sheet's triangles in the list of membranes
    int32_t membrane_count; // 0 or triangle_count
    int32_t* place;         // vertex of the def -> point of the sim; splines: the nearest one
    HedSplineStencil* knot; // splines: vertex of the def as a mean of points; else NULL
    double damping;         // s, of the dissipation potential
    double bend_damping;    // s, of that of bending
    double rayleigh;        // s, of full Rayleigh damping; then the two above are 0
    double bend_rayleigh;   // s
    bool is_exact;          // of Rayleigh damping: by the exact stiffness
    HedMembraneMaterial material;
    double wind_share; // of each wind triangle's area that counts
    double half_thickness;
    int32_t first_curve; // of yarns, in the list of curves
    int32_t curve_count;
    HedYarnsDef yarn;             // numbers of yarns; its arrays are gone
    HedFabricCrossings crossings; // of rods and splines
    double tie_stiffness;         // N/m, tied at vertices: a segment of sliding yarns, a sheet
    int32_t part;                 // 1 + that of the simulation's parts; 0: none. Its vertices
                                  // here are the part's points
    double sewing_time;           // s
    char** panels;                // names
    int32_t panel_count;
    int32_t* triangle_panels;
} HedCloth;

typedef struct HedPin {
    char* name;
    int32_t* points;
    HedVec3* start; // m, of each point
    int32_t point_count;
    HedVec3 pivot;
    HedTrack track; // relative motion; no keyframes: none
    bool has_track;
    bool is_active; // as of the last step
    bool clamps;    // ends of rods
    double release_time;
} HedPin;

/// A force that always acts on a point.
typedef struct HedPull {
    int32_t point;
    HedVec3 force; // N
} HedPull;

/// A constraint |sum of weight * x| = rest, for position-based stepping.
typedef struct HedRadialConstraint {
    int32_t point[3]; // point[2] repeats point[1] with weight 0 for springs
    double weight[3];
    double rest;
    double stiffness;
    double damping_time; // s
} HedRadialConstraint;

/// Springs and curvature elements: chains of them (sim/lines.h), and a list of those that are in
/// none.
typedef struct HedConstraints {
    HedLines lines;
    HedLineWork* work;         // lines.longest for each thread
    HedRadialConstraint* list; // sorted by colour
    double* multiplier;
    int32_t* color_first; // color_count + 1
    int32_t color_count;
    int32_t count;
} HedConstraints;

/// Writes what is worst at present into a report.
typedef void (*HedDescribe)(const void* self, HedStepReport* report);

/// See sim/watch.h.
typedef struct HedSimWatch {
    HedStepWatch hooks;
    HedStepReport* report; // of the step being made
    HedDescribe describe;  // NULL: nothing is being solved
    const void* self;
    bool is_stopped;
    int32_t asked;
    double told; // s, by the clock
} HedSimWatch;

/// What a step counts besides points; saved in checkpoints as it is.
typedef struct HedCounters {
    int64_t steps;
    int64_t has_acceleration; // Verlet, Newmark: the carried acceleration is there
    int64_t has_previous;     // BDF2: the state before the last one is there
    int64_t whole_steps; // implicit: steps since accelerations began to follow each other, to 2
    double dissipated;   // J
    double external;     // J
    double contact;      // J, energy of the contacts at the end of the last step
    HedPower power;      // Verlet, Newmark: at the end of the last step
    int64_t is_tangled;  // sheets that are sewn intersect still: sim/tangle.c
    double nonlinear;    // implicit: part of the residual that first corrections leave
} HedCounters;

/// Arrays of the implicit step.
typedef struct HedImplicit {
    HedMatrix matrix;
    HedLineSet lines; // yarns
    HedRowLine* line;
    HedLineExtra* extra; // angles of rods
    HedPreconditioner* preconditioner;
    int32_t size;      // unknowns: sim/newton.h
    bool has_points;   // they begin with numbers of points
    double* residual;  // N, per unknown
    double* direction; // of a correction
    double* tangent;   // of the line it is gone along: the direction, but for yarns
    double* work;      // four vectors for conjugate gradients
    HedVec3* scratch;  // per point
    HedVec3* product;  // N, per point
    HedVec3* x_base;   // m, where a straight line begins; else NULL
    double* free;      // per point: 1/mass, 0 where it is held or belongs to a part
    double* own_free;  // that, if it is not inverse_mass
    HedVec3* x_trial;
    HedVec3* v_trial;
    HedVec3* v_add; // what the scheme adds to velocities and accelerations: sim/newton.h
    HedVec3* a_add;
    HedVec3* a_before; // m/s^2, one step before sim->acceleration
    HedMat3* diagonal; // of the matrix, while contacts between sheets are added to it
    bool is_careful;   // the step at hand is made by backward Euler, whatever the def says
} HedImplicit;

/// How sheets come from the start shape to that at rest (sim/sew.c).
typedef struct HedSew {
    double time;       // s, until the last sheet is done; 0: none
    HedPlane* stretch; // per membrane, at the start, less 1
    double (*b)[2][2]; // per membrane, now
    double* point;     // s, per point: the time of its sheet, 0 for none
    bool is_done;      // shapes are those at rest, loads are on
} HedSew;

/// Sheets that intersect while they are sewn (sim/tangle.c).
typedef struct HedTangle {
    bool* is_open;      // per point: its piece of cloth intersects something at the start
    HedCrossings found; // at the start of the step, or piece of one, at hand
} HedTangle;

struct HedSim {
    HedSimDef def;
    uint32_t stamp; // in every id of this sim
    bool is_prepared;

    // Written by the create functions.
    HED_ARRAY(HedVec3) x;
    HED_ARRAY(HedVec3) v;
    HED_ARRAY(double) mass;
    HED_ARRAY(double) area;
    HED_ARRAY(double) half_thickness;
    HED_ARRAY(HedVec3) rest;
    HED_ARRAY(int32_t) triangles;
    HED_ARRAY(int32_t) wind_triangles;
    HED_ARRAY(int32_t) edges;
    HED_ARRAY(HedCloth) cloths;
    HED_ARRAY(HedPin) pins;
    HED_ARRAY(HedPull) pulls;
    HED_ARRAY(HedCurve) strand_list; // of all yarns; `first` is a point of the sim
    HED_ARRAY(HedTurns) turn_list;   // how each of them goes on in its copies
    HedRegionLists blocks, pairs;    // of points of yarns, for damping
    HedPeriod* period;               // NULL: none
    HedParts parts;                  // with unknowns of their own
    HedTouches* touches;             // of yarns between them; NULL: none
    HED_ARRAY(HedBody) bodies;
    HedTieTerm ties;
    HED_ARRAY(HedTieOwner) tie_owners; // of each tie
    uint8_t* tie_broken;               // of each tie, 0 or 1; NULL: no ties
    HedSpringTerm springs;
    HedCurveTerm curves;
    HedMembraneTerm membranes;
    HedShellTerm shells; // by angles
    HedShellTerm flats;  // quadratic
    HedPointLoad point_load;
    HedWindTerm wind;
    bool has_wind;
    bool has_penalty; // of bodies, in explicit steps

    // Written by prepare, fixed afterwards.
    HedRanges ranges;
    double* rayleigh; // s, per range; then that of bending, per range. NULL: no sheet has it
    bool* is_exact;   // per range, with it
    HedTeam team;
    HedVec3* load;     // N, of pulls, per point; NULL: none
    HedTerm terms[12]; // loads first
    int32_t term_count;
    int32_t force_term_count; // of those, the ones that act as forces: loads only in position-based
                              // steps
    HedContacts contacts;
    HedSelf self;
    bool has_self; // self-collision
    HedImplicit implicit;
    HedSimRods* rods; // NULL: none
    HedSimSplines* splines;
    HedYarnDynamics* yarn_dynamics; // NULL: no yarns
    HedRetract* retract;            // NULL: no yarns, or no implicit steps
    HedConstraints constraints;
    HedSew sew;
    HedSimStart start; // its arrays are gone once they were taken up

    // Written by each step.
    double* inverse_mass; // 1/kg, 0 for held points
    int32_t held_count;
    bool are_pins_current; // inverse_mass fits the pins that are active
    HedStatus failure;     // of a step that ran out of memory or room: hed_sim_note
    HedError why;          // the same in words, where they are known
    HedVec3* force;
    HedSimSnapshot step;  // before the step
    HedSimSnapshot piece; // before the piece of it that is being made
    HedSimSnapshot end;   // of such a piece, while impacts are accounted for
    HedSimSnapshot told;  // of what checkpoints cannot point at
    const HedVec3* x_old; // of `piece`; NULL: it does not keep them
    const HedVec3* v_old;
    HedVec3* acceleration; // carried: forces (Verlet), m/s^2 for the next guess (implicit)
    HedVec3* x_previous;   // BDF2: one step before x, v
    HedVec3* v_previous;
    HedVec3* stage[4];     // RK4
    double* contact_force; // N, normal force of bodies on each point in the last step; NULL: none
    HedPower* range_power;
    double* range_energy; // J, HED_TERM_COLUMNS numbers a range
    double* range_peak;   // m/s^2, largest acceleration of a free point in each range
    HedCounters count;
    HedProfile* profile; // where steps add their times; NULL: nowhere
    HedSimWatch watch;
    HedTangle tangle;
};

/// The corners of a triangle of the surfaces that meet each other: sheets, then skins of
/// parts.
static inline const int32_t* hed_sim_triangle(const HedSim* sim, int32_t triangle) {
    bool is_sheet = triangle < sim->triangles.count / 3;
    return (is_sheet ? sim->triangles.data : sim->self.triangles) + 3 * (int64_t)triangle;
}

/// Keeps a failure until the end of the step, whatever succeeds after it.
static inline void hed_sim_note(HedSim* sim, HedStatus status) {
    sim->failure = status != HED_OK ? status : sim->failure;
}

/// Solves equations in each step.
bool hed_sim_is_implicit(const HedSim* sim);

/// Steps by constraints on positions (PBD, XPBD): there are no forces but loads.
bool hed_sim_is_by_position(const HedSim* sim);

/// HED_INVALID with a message if id was not made by this sim.
HedStatus hed_sim_check_id(const HedSim* sim, int32_t index, uint32_t stamp, int32_t count,
                           const char* what, HedError* error);

/// The sheet or yarns behind a handle; NULL, with a message, if there are none.
const HedCloth* hed_sim_find_sheet(const HedSim* sim, HedSheetId id, HedError* error);
const HedCloth* hed_sim_find_yarns(const HedSim* sim, HedYarnsId id, HedError* error);

/// The part that has the points of a sheet or of yarns; NULL: they are unknowns themselves.
static inline const HedPart* hed_cloth_part(const HedSim* sim, const HedCloth* cloth) {
    return cloth->part > 0 ? &sim->parts.list.data[cloth->part - 1] : NULL;
}

/// What its vertices are called.
static inline const char* hed_cloth_vertex(const HedSim* sim, const HedCloth* cloth) {
    const HedPart* part = hed_cloth_part(sim, cloth);
    return part ? part->type->what : "vertex";
}

/// A vertex's position, or velocity, from those of the points.
static inline HedVec3 hed_cloth_mix(const HedCloth* cloth, int32_t vertex, const HedVec3* values) {
    if (!cloth->knot) {
        return values[cloth->place[vertex]];
    }
    const HedSplineStencil* at = &cloth->knot[vertex];
    HedVec3 sum = {0};
    for (int k = 0; k < 4; ++k) {
        sum = hed_madd3(sum, at->weight[k], values[at->point[k]]);
    }
    return sum;
}

/// Whichever of the two a def names.
const HedCloth* hed_sim_find_cloth(const HedSim* sim, HedSheetId sheet, HedYarnsId yarns,
                                   HedError* error);

/// HED_INVALID if a def was not filled by its default function, or comes after the first step.
HedStatus hed_sim_check_open(const HedSim* sim, uint32_t stamp, uint32_t expected, const char* what,
                             HedError* error);

/// Whether no velocity counts in what pins feel: before the first step, and in statics.
static inline bool hed_sim_is_still(const HedSim* sim) {
    return sim->count.steps == 0 || sim->def.integrator == HED_QUASI_STATIC;
}

/// N, the force that a pin exerts (sim/reaction.c).
HedStatus hed_sim_reaction(const HedSim* sim, int32_t pin, HedVec3* reaction, HedError* error);

/// What is measured at pins (sim/gauge.c).
HedStatus hed_sim_measure_pin(const HedSim* sim, const HedMeasureDef* def, double values[3],
                              HedError* error);

/// A quantity of a sheet or of yarns in the order of its vertices.
HedStatus hed_sim_quantity(const HedSim* sim, const HedCloth* sheet, HedQuantity quantity,
                           double* values, HedError* error);

/// W/m^2, power of damping of springs, triangles and bends in equal parts to the points of each.
void hed_sim_find_damping(const HedSim* sim, const HedCloth* sheet, double* at);

/// The same of rods, in the order of points.
HedStatus hed_yarns_find_quantity(const HedSim* sim, const HedCloth* yarns, HedQuantity quantity,
                                  double* at, HedError* error);

/// Of splines, in the order of vertices.
HedStatus hed_splines_find_quantity(const HedSim* sim, const HedCloth* yarns, HedQuantity quantity,
                                    double* values, HedError* error);

/// Forces of all terms (not contact) at a state; also fills range_peak. Returns the power of
/// damping and wind.
HedPower hed_sim_force(HedSim* sim, const HedVec3* x, const HedVec3* v, double time,
                       HedVec3* force);

/// The largest acceleration of each range, of forces that more was added to.
void hed_sim_find_peaks(HedSim* sim, const HedVec3* force);

/// The force of one term on a range, and that of its Rayleigh damping; see HedTerm.add_force.
HedPower hed_sim_term_force(const HedTerm* term, const HedEval* at, int32_t range, HedVec3* force);
HedPower hed_sim_force_at(HedSim* sim, const HedEval* at, HedVec3* force);
HedEval hed_sim_eval_at(const HedSim* sim, const HedVec3* x, const HedVec3* v, double time);

/// Kinetic energy (J) of the points that moving pins hold. What it gains, the pins put in.
double hed_pins_kinetic(const HedSim* sim);

/// Whether a pin moves what it holds.
bool hed_pins_move(const HedSim* sim);

/// hed_sim_energies, by whoever may write.
HedEnergies hed_sim_find_energies(HedSim* sim);

/// Which points are held through a step that begins at a time, and 1/mass accordingly. True if a
/// pin took hold or let go.
bool hed_pins_update(HedSim* sim, double time);
void hed_pins_free(HedSim* sim);

/// Where a pin brings what was at start, and how fast it goes there.
void hed_pin_place(const HedPin* pin, double time, HedVec3 start, HedVec3* x, HedVec3* v);

/// Places held points, and gives them their velocity, for a time. v may be NULL.
void hed_pins_place(const HedSim* sim, double time, HedVec3* x, HedVec3* v);

/// One step of size h from time t, by each kind of integrator. x and v are changed only if the
/// reason says converged.
HedReason hed_step_explicit(HedSim* sim, double t, double h, HedStepReport* report);
HedReason hed_step_implicit(HedSim* sim, double t, double h, HedStepReport* report);
HedReason hed_step_position(HedSim* sim, double t, double h, HedStepReport* report);

/// What integrators carry from step to step does not fit the state any more.
void hed_sim_forget_past(HedSim* sim);

/// What each kind of integrator needs beyond the common arrays.
HedStatus hed_implicit_create(HedSim* sim, HedError* error);

/// The forces on each point.
HedStatus hed_sim_loads_create(HedSim* sim, HedError* error);

/// Yarns as lines of the matrix, with the angles of rods.
HedStatus hed_sim_lines_create(HedSim* sim, HedError* error);
void hed_implicit_free(HedSim* sim);
HedStatus hed_constraints_create(HedSim* sim, HedError* error);
void hed_constraints_free(HedConstraints* constraints);

/// The sheet that a point belongs to.
const HedCloth* hed_sim_cloth_at(const HedSim* sim, int32_t point);

/// Pushes the new state out of bodies and filters its velocities (explicit and position-based
/// steps).
void hed_sim_filter_contacts(HedSim* sim, double time, HedStepReport* report);

/// Bodies that push by penalty in explicit steps (sim/penalty.c): whether there are any; forces;
/// friction, counted at the end of a step of size h; as hed_sim_rods_bound.
bool hed_sim_has_penalty(const HedSim* sim);
HedPower hed_sim_penalty_force(HedSim* sim, const HedVec3* x, const HedVec3* v, double time,
                               HedVec3* force);
void hed_sim_penalty_end(HedSim* sim, double time, double h, HedStepReport* report);
void hed_sim_penalty_bound(const HedSim* sim, double* sum);

/// Keeps the normal forces of the contacts of a penalty step that was solved.
void hed_sim_note_contacts(HedSim* sim);

/// Self-collision (sim/self.c): once; after each piece of a step. The last gives back the state of
/// the start, and a reason, if sheets cannot be kept apart.
HedStatus hed_sim_self_create(HedSim* sim, HedError* error);
void hed_sim_self_free(HedSim* sim);
HedReason hed_sim_self_end(HedSim* sim, double h, HedStepReport* report);

/// Panels of a sheet (sim/overlap.c): copies of those of the def.
HedStatus hed_panels_copy(HedCloth* sheet, const HedSheetDef* def, HedError* error);
void hed_panels_free(HedCloth* sheet);

/// What hed_sim_panel_overlaps does, of intersections already found; the list is emptied before.
HedStatus hed_panel_overlaps_sort(const HedSim* sim, const HedCrossings* found,
                                  HedPanelOverlaps* overlaps, HedError* error);

/// Sheets that intersect at the start (sim/tangle.c): once, after self-collision; before each step,
/// which ends the tangle where nothing intersects any more, or gives up; before each piece of a
/// step; its forces, into the list of contacts of sheets.
HedStatus hed_tangle_create(HedSim* sim, HedError* error);
void hed_tangle_free(HedSim* sim);
HedReason hed_tangle_step(HedSim* sim, HedStepReport* report);
void hed_tangle_begin(HedSim* sim);
void hed_tangle_find(HedSim* sim, double stiffness);

/// Sewing (sim/sew.c): once; the shapes and loads of the step that ends at a time; those of the
/// step that begins at t, with the energy (J) that the change puts in.
HedStatus hed_sim_sew_create(HedSim* sim, HedError* error);
void hed_sim_sew_free(HedSim* sim);
void hed_sim_sew_set(HedSim* sim, double time);
double hed_sim_sew_step(HedSim* sim);
bool hed_sim_sew_is_closed(const HedSim* sim); ///< As of the present time.

/// Bounds on stiffness over mass (1/s^2) and damping over mass (1/s) of all elements at rest.
typedef struct HedBounds {
    double stiffness;
    double damping;
} HedBounds;

HedStatus hed_sim_bounds(HedSim* sim, HedBounds* bounds, HedError* error);

/// Names the point that matters most in a message: sheet and vertex of a point.
void hed_sim_describe_point(const HedSim* sim, int32_t point, char* text, size_t size);

#endif
