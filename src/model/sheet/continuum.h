// SPDX-License-Identifier: MIT
// From a sheet's def to membranes and shells.
#ifndef HED_MODEL_SHEET_CONTINUUM_H
#define HED_MODEL_SHEET_CONTINUUM_H

#include "geom/topology.h"
#include "model/sheet/sheet.h"

/// Checks the values that only membranes have.
HedStatus hed_membrane_check(const HedSheetDef* def, HedError* error);

/// Moduli of a sheet's membranes.
HedMembraneMaterial hed_membrane_material(const HedSheetDef* def);

/// One membrane per triangle, in the def's numbering; fills areas (m^2, one per triangle) at rest.
HedStatus hed_membranes_create(const HedSheetDef* def, const HedVec3* rest, HedSheetParts* parts,
                               double* areas, HedError* error);

/// One bending element per triangle, in the def's numbering, if the def asks for them.
HedStatus hed_shells_create(const HedSheetDef* def, const HedVec3* rest,
                            const HedTopology* topology, HedSheetParts* parts, HedError* error);

#endif
