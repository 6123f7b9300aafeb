// SPDX-License-Identifier: MIT
#include "model/sheet/continuum.h"

#include <string.h>

static const char* name_of(const HedSheetDef* def) {
    return def->name ? def->name : "sheet";
}

static double weft_of(const HedSheetDef* def) {
    return def->weft > 0.0 ? def->weft : def->stretch;
}

HedStatus hed_membrane_check(const HedSheetDef* def, HedError* error) {
    if (!(def->stretch > 0.0)) {
        return hed_fail(error, HED_INVALID,
                        "sheet '%s': 'stretch' of a membrane must be positive, got %g",
                        name_of(def), def->stretch);
    }
    if (!(def->poisson > -1.0 && def->poisson <= 0.5)) {
        return hed_fail(error, HED_INVALID,
                        "sheet '%s': 'poisson' must be above -1 and at most 0.5, got %g",
                        name_of(def), def->poisson);
    }
    double product = def->poisson * def->poisson * weft_of(def) / def->stretch;
    if (!(product < 1.0)) {
        return hed_fail(error, HED_INVALID,
                        "sheet '%s': 'poisson' %g is too much for a weft %g times as stiff as the "
                        "warp; its square times that must be below 1",
                        name_of(def), def->poisson, weft_of(def) / def->stretch);
    }
    return HED_OK;
}

// Plane stress: contraction along weft for pull along warp is poisson, and the other way round
// poisson * weft / warp, so that the moduli are symmetric.
HedMembraneMaterial hed_membrane_material(const HedSheetDef* def) {
    double weft = weft_of(def);
    double over = 1.0 / (1.0 - def->poisson * def->poisson * weft / def->stretch);
    HedModulus c = {over * def->stretch, over * weft, over * def->poisson * weft, def->shear};
    double l = def->dilation_damping;
    double m = def->shear_damping;
    HedModulus extra = {l + 2.0 * m, l + 2.0 * m, l, m};
    return (HedMembraneMaterial){c, hed_modulus_madd(extra, def->damping, c)};
}

// Where warp runs if no coordinates are given: along the rows of a grid, else along x.
static HedVec3 warp_axis(const HedSheetDef* def, const HedVec3* rest) {
    HedVec3 x = hed_vec3(1.0, 0.0, 0.0);
    return def->grid_columns > 0 ? hed_unit3(hed_sub3(rest[1], rest[0]), x) : x;
}

// The triangle laid into the plane of warp and weft: warp is the part of an axis that lies in its
// plane, or of another one where that axis stands on it.
static void lay_flat(const HedVec3 x[3], HedVec3 axis, double flat[6]) {
    HedVec3 a = hed_sub3(x[1], x[0]);
    HedVec3 b = hed_sub3(x[2], x[0]);
    HedVec3 normal = hed_unit3(hed_cross3(a, b), hed_vec3(0.0, 1.0, 0.0));
    if (fabs(hed_dot3(normal, axis)) > 0.9) {
        axis = hed_perpendicular3(axis);
    }
    HedVec3 warp = hed_unit3(hed_madd3(axis, -hed_dot3(axis, normal), normal), axis);
    HedVec3 weft = hed_cross3(normal, warp);
    flat[0] = flat[1] = 0.0;
    flat[2] = hed_dot3(a, warp);
    flat[3] = hed_dot3(a, weft);
    flat[4] = hed_dot3(b, warp);
    flat[5] = hed_dot3(b, weft);
}

// Gradients of the shape functions; false if the triangle has no area.
static bool set_gradients(const double flat[6], HedMembrane* membrane) {
    double au = flat[2] - flat[0], av = flat[3] - flat[1];
    double bu = flat[4] - flat[0], bv = flat[5] - flat[1];
    double twice = au * bv - av * bu;
    double size = fmax(au * au + av * av, bu * bu + bv * bv);
    if (!(fabs(twice) > 1e-12 * size)) {
        return false;
    }
    membrane->area = 0.5 * fabs(twice);
    membrane->b[0][0] = bv / twice;
    membrane->b[0][1] = -bu / twice;
    membrane->b[1][0] = -av / twice;
    membrane->b[1][1] = au / twice;
    return true;
}

HedStatus hed_membranes_create(const HedSheetDef* def, const HedVec3* rest, HedSheetParts* parts,
                               double* areas, HedError* error) {
    if (!HED_RESERVE(&parts->membranes, def->triangle_count)) {
        return hed_fail_memory(error, "membranes");
    }
    HedVec3 axis = warp_axis(def, rest);
    for (int32_t t = 0; t < def->triangle_count; ++t) {
        const int32_t* corner = def->triangles + 3 * (int64_t)t;
        HedMembrane membrane = {.point = {corner[0], corner[1], corner[2]}};
        double flat[6];
        if (def->material) {
            memcpy(flat, def->material + 6 * (int64_t)t, sizeof flat);
        } else {
            lay_flat((const HedVec3[3]){rest[corner[0]], rest[corner[1]], rest[corner[2]]}, axis,
                     flat);
        }
        if (!set_gradients(flat, &membrane)) {
            return hed_fail(error, HED_INVALID,
                            "sheet '%s': triangle %d (vertices %d, %d, %d) has no area at rest",
                            name_of(def), t, corner[0], corner[1], corner[2]);
        }
        areas[t] = membrane.area;
        parts->membranes.data[parts->membranes.count++] = membrane;
    }
    return HED_OK;
}

// The far corner of the triangle across side `side` of triangle t; -1 if there is none.
static int32_t across(const HedTopology* topology, int32_t t, int side) {
    const HedEdge* edge = &topology->edges[topology->triangle_edges[3 * (int64_t)t + side]];
    if (edge->triangle[0] == t) {
        return edge->triangle[1] >= 0 ? edge->opposite[1] : -1;
    }
    return edge->triangle[1] == t ? edge->opposite[0]
                                  : -1; // a third triangle on an edge hangs free
}

static bool set_shell(const HedSheetDef* def, const HedVec3* rest, HedShellElement* shell) {
    HedVec3 x[HED_SHELL_POINTS];
    for (int k = 0; k < HED_SHELL_POINTS; ++k) {
        x[k] = rest[shell->point[k]];
    }
    double poisson = def->model == HED_SHEET_MEMBRANE ? def->poisson : 0.0;
    hed_shell_stiffness(x, def->bend_rigidity, poisson, shell->rest.has_side, shell->rest.q);
    HedShell state;
    hed_shell_eval(x, &shell->rest, &state);
    double sum = 0.0;
    for (int side = 0; side < 3; ++side) {
        shell->rest.angle[side] = state.angle[side];
        if (shell->rest.has_side[side]) {
            int point[4];
            hed_shell_hinge(side, point);
            hed_flat_weights((const HedVec3[4]){x[point[0]], x[point[1]], x[point[2]], x[point[3]]},
                             shell->weight[side]);
        }
        for (int k = 0; k < 4; ++k) {
            sum += fabs(shell->weight[side][k]) + fabs(shell->rest.q[side][k % 3]);
        }
    }
    return isfinite(sum);
}

HedStatus hed_shells_create(const HedSheetDef* def, const HedVec3* rest,
                            const HedTopology* topology, HedSheetParts* parts, HedError* error) {
    bool wanted = (def->bending == HED_BENDING_HINGES || def->bending == HED_BENDING_FLAT) &&
                  def->bend_rigidity > 0.0;
    if (!wanted) {
        return HED_OK;
    }
    if (!HED_RESERVE(&parts->shells, def->triangle_count)) {
        return hed_fail_memory(error, "shells");
    }
    for (int32_t t = 0; t < def->triangle_count; ++t) {
        const int32_t* corner = def->triangles + 3 * (int64_t)t;
        HedShellElement shell = {.point = {corner[0], corner[1], corner[2]}};
        for (int side = 0; side < 3; ++side) {
            int32_t far = across(topology, t, side);
            shell.rest.has_side[side] = far >= 0;
            shell.point[3 + side] = far >= 0 ? far : corner[0];
        }
        if (!set_shell(def, rest, &shell)) {
            return hed_fail(error, HED_INVALID,
                            "sheet '%s': triangle %d (vertices %d, %d, %d) or a neighbour of it "
                            "has no area at rest",
                            name_of(def), t, corner[0], corner[1], corner[2]);
        }
        parts->shells.data[parts->shells.count++] = shell;
    }
    return HED_OK;
}
