// SPDX-License-Identifier: MIT
#include "model/sheet/continuum.h"
#include "geom/flat.h"

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
    double beta = def->damping_model == HED_DAMPING_POTENTIAL ? def->damping : 0.0;
    return (HedMembraneMaterial){c, hed_modulus_madd(extra, beta, c), def->density};
}

// Where warp runs if no coordinates are given: as said, along the rows of a grid, or along x.
static HedVec3 warp_axis(const HedSheetDef* def, const HedVec3* rest) {
    HedVec3 x = hed_vec3(1.0, 0.0, 0.0);
    if (hed_norm3(def->warp) > 0.0) {
        return hed_unit3(def->warp, x);
    }
    return def->grid_columns > 0 ? hed_unit3(hed_sub3(rest[1], rest[0]), x) : x;
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
            hed_lay_flat((const HedVec3[3]){rest[corner[0]], rest[corner[1]], rest[corner[2]]},
                         axis, flat);
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

// What lies across side `side` of triangle t: the other triangle and its far corner; -1 for none.
typedef struct Across {
    int32_t triangle;
    int32_t far;
} Across;

static Across across(const HedTopology* topology, int32_t t, int side) {
    const HedMeshEdge* edge = &topology->edges[topology->triangle_edges[3 * (int64_t)t + side]];
    if (edge->triangle[0] == t) {
        return (Across){edge->triangle[1], edge->opposite[1]};
    }
    if (edge->triangle[1] == t) {
        return (Across){edge->triangle[0], edge->opposite[0]};
    }
    return (Across){-1, -1}; // a third triangle on an edge hangs free
}

// Material coordinates of the corner of triangle t that is this vertex.
static HedVec3 material_at(const HedSheetDef* def, int32_t t, int32_t vertex) {
    const int32_t* corner = def->triangles + 3 * (int64_t)t;
    int k = corner[0] == vertex ? 0 : corner[1] == vertex ? 1 : 2;
    const double* flat = def->material + 6 * (int64_t)t + 2 * k;
    return hed_vec3(flat[0], flat[1], 0.0);
}

// A triangle and its neighbours laid into one plane, each in its own shape at rest. On a seam the
// common side may be longer in one of them: then the neighbour is drawn along to fit.
static void unfold(const HedSheetDef* def, int32_t t, const Across beyond[3],
                   HedVec3 x[HED_SHELL_POINTS]) {
    const int32_t* corner = def->triangles + 3 * (int64_t)t;
    for (int k = 0; k < 3; ++k) {
        x[k] = material_at(def, t, corner[k]);
    }
    for (int side = 0; side < 3; ++side) {
        x[3 + side] = x[0];
        if (beyond[side].triangle < 0) {
            continue;
        }
        int end = (side + 1) % 3;
        HedVec3 a = material_at(def, beyond[side].triangle, corner[side]);
        HedVec3 b = material_at(def, beyond[side].triangle, corner[end]);
        HedVec3 c = material_at(def, beyond[side].triangle, beyond[side].far);
        HedVec3 e = hed_sub3(b, a);
        HedVec3 to = hed_sub3(c, a);
        double along = hed_dot3(to, e) / hed_dot3(e, e);
        double height = hed_norm3(hed_cross3(to, e)) / hed_norm3(e);
        HedVec3 own = hed_sub3(x[end], x[side]);
        HedVec3 out = hed_cross3(own, hed_cross3(own, hed_sub3(x[(side + 2) % 3], x[side])));
        x[3 + side] = hed_madd3(hed_madd3(x[side], along, own), height, hed_unit3(out, out));
    }
}

static bool set_shell(const HedSheetDef* def, const HedVec3* rest, int32_t t,
                      const Across beyond[3], HedShellElement* shell) {
    HedVec3 x[HED_SHELL_POINTS];
    for (int k = 0; k < HED_SHELL_POINTS; ++k) {
        x[k] = rest[shell->point[k]];
    }
    HedShell state;
    hed_shell_eval(x, &shell->rest, &state);
    if (def->material && def->model == HED_SHEET_MEMBRANE) {
        unfold(def, t, beyond, x);
    }
    double poisson = def->model == HED_SHEET_MEMBRANE ? def->poisson : 0.0;
    hed_shell_stiffness(x, def->bend_rigidity, poisson, shell->rest.has_side, shell->rest.q);
    double sum = 0.0;
    for (int side = 0; side < 3; ++side) {
        shell->rest.angle[side] =
            def->rest_angles ? def->rest_angles[3 * (int64_t)t + side] : state.angle[side];
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
        Across beyond[3];
        for (int side = 0; side < 3; ++side) {
            beyond[side] = across(topology, t, side);
            shell.rest.has_side[side] = beyond[side].triangle >= 0;
            shell.point[3 + side] = beyond[side].triangle >= 0 ? beyond[side].far : corner[0];
        }
        if (!set_shell(def, rest, t, beyond, &shell)) {
            return hed_fail(error, HED_INVALID,
                            "sheet '%s': triangle %d (vertices %d, %d, %d) or a neighbour of it "
                            "has no area at rest",
                            name_of(def), t, corner[0], corner[1], corner[2]);
        }
        parts->shells.data[parts->shells.count++] = shell;
    }
    return HED_OK;
}
