// SPDX-License-Identifier: MIT
// Which points a sheet's springs and bending elements join, and how stiff each is.
//
// A stiffness is given for the cloth, not for a spring, so that a finer mesh is the same material.
// A spring of length l that stands for the area A of cloth stretched along it by the strain e holds
// 1/2 k (l e)^2 = 1/2 S A e^2, so k = S A / l^2. What A is depends on the pattern:
//   quads, structural: half of each adjacent cell;  k = S (width / length) inside the grid
//   quads, diagonals: pure shear g strains a square's diagonals by +-g/2; for both together to hold
//   1/2 G A g^2
//     each has k = 2 G A / l^2, A the cell
//   triangles, structural: all of the adjacent triangles (an equilateral lattice then has Young's
//   modulus S:
//     Van Gelder 1998)
//   triangles, across hinges: directions are spread evenly, sin^2 cos^2 is 1/8 on average, each
//   hinge stands for a
//     third of its two triangles: k = 8/3 G (A1 + A2) / l^2
//   bending springs along lines of three points: A of the middle point, for each of the two (quads)
//   or three
//     (triangles) directions through it.
// Curvature elements share out B likewise: on quads each of two directions has the middle point's
// area; on triangles a cylinder along any direction shows cos^2 of its curvature to each line,
// cos^4 is 3/8 on average, so the lines through a point share 8/3 of its area.
#ifndef HED_MODEL_SHEET_LINKS_H
#define HED_MODEL_SHEET_LINKS_H

#include "geom/topology.h"
#include "model/sheet/sheet.h"

/// Fills area (m^2) with a quarter of each adjacent quad, per vertex of the def.
void hed_grid_areas(const HedSheetDef* def, const HedVec3* rest, double* area);

/// Adds springs and curves of a grid of quads. rest and area are in the def's vertex order.
HedStatus hed_links_from_grid(const HedSheetDef* def, const HedVec3* rest, const double* area,
                              HedSheetParts* parts, HedError* error);

/// Adds springs and curves of a triangle mesh.
HedStatus hed_links_from_mesh(const HedSheetDef* def, const HedVec3* rest, const double* area,
                              const HedTopology* topology, HedSheetParts* parts, HedError* error);

#endif
