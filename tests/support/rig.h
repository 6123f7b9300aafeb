// SPDX-License-Identifier: MIT
// What the tests of simulations share: meshes, and calls that must succeed.
#ifndef TESTS_SUPPORT_RIG_H
#define TESTS_SUPPORT_RIG_H

#include "heddle/yarn.h"
#include "math/vec3.h"

/// A mesh on the heap. rest is NULL or where the vertices rest. Free with mesh_free.
typedef struct Mesh {
    HedVec3* vertices;
    HedVec3* rest;
    int32_t vertex_count;
    int32_t* triangles;
    int32_t triangle_count;
    int32_t columns, rows; // of a grid of quads; 0 for a mesh
} Mesh;

/// Vertices in columns and rows over the parallelogram origin, across, down; quads are cut along
/// one diagonal, so that every vertex inside has the area of a cell and those on an edge half of
/// it.
Mesh mesh_grid(int32_t columns, int32_t rows, HedVec3 origin, HedVec3 across, HedVec3 down);

/// Equilateral triangles in the xz plane as a mesh: rows along x, odd ones shifted by half an edge.
Mesh mesh_lattice(int32_t columns, int32_t rows, double edge);

/// A regular tetrahedron around the origin: four points, six springs of equal length.
Mesh mesh_tetrahedron(double edge);

/// One equilateral triangle around the origin in the xy plane.
Mesh mesh_triangle(double edge);

/// Remembers the present vertices as those at rest.
void mesh_keep_rest(Mesh* mesh);
void mesh_free(Mesh* mesh);

/// A sheet of this mesh with default values.
HedSheetDef mesh_sheet(const Mesh* mesh);

/// Calls that must succeed.
HedSim* rig_sim(const HedSimDef* def);
HedSheetId rig_sheet(HedSim* sim, const HedSheetDef* def);
HedBodyId rig_body(HedSim* sim, const HedBodyDef* def);
HedPinId rig_pin(HedSim* sim, HedSheetId sheet, const int32_t* vertices, int32_t count);
HedPinId rig_pin_def(HedSim* sim, const HedPinDef* def);

/// A straight yarn of `count` vertices; def says all but its curve.
HedYarnsId rig_yarn_line(HedSim* sim, const HedYarnsDef* def, HedVec3 from, HedVec3 to,
                         int32_t count);
void rig_wind(HedSim* sim, const HedWindDef* def);
void rig_prepare(HedSim* sim);

/// One step, or several, that must end as converged. Returns the last report.
HedStepReport rig_step(HedSim* sim);
HedStepReport rig_run(HedSim* sim, int64_t steps);

/// Steps until no point is faster than speed (m/s), at most `most` steps; returns how many.
int64_t rig_settle(HedSim* sim, HedSheetId sheet, double speed, int64_t most);

HedVec3 rig_position(const HedSim* sim, HedSheetId sheet, int32_t vertex);
HedVec3 rig_velocity(const HedSim* sim, HedSheetId sheet, int32_t vertex);
void rig_set_velocity(HedSim* sim, HedSheetId sheet, int32_t vertex, HedVec3 v);
HedVec3 rig_reaction(const HedSim* sim, HedSheetId sheet, HedPinId pin);
double rig_potential(const HedSim* sim, const char* name);
double rig_fastest(const HedSim* sim, HedSheetId sheet);

/// All state of a sim in one block, free with free(); and back into a sim made from the same defs.
uint8_t* rig_save(HedSim* sim);
void rig_restore(HedSim* sim, const uint8_t* bytes);

/// A hash of the bits of positions and velocities.
uint64_t rig_hash(HedSim* sim);

typedef struct Momentum {
    double mass;     // kg
    HedVec3 linear;  // kg m/s
    HedVec3 angular; // kg m^2/s, about the origin
    HedVec3 centre;  // m
} Momentum;

Momentum rig_momentum(const HedSim* sim);

/// Slope of log(error) over log(size) between the first and the last of n runs.
double observed_order(const double* size, const double* error, int n);

#endif
