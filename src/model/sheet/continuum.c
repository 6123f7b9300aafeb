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

HedStatus hed_folds_create(const HedSheetDef* def, const HedVec3* rest, const HedTopology* topology,
                           const double* areas, HedSheetParts* parts, HedError* error) {
    bool wanted = (def->bending == HED_BENDING_HINGES || def->bending == HED_BENDING_FLAT) &&
                  def->bend_rigidity > 0.0;
    if (!wanted) {
        return HED_OK;
    }
    if (!HED_RESERVE(&parts->folds, topology->hinge_count)) {
        return hed_fail_memory(error, "folds");
    }
    for (int32_t k = 0; k < topology->hinge_count; ++k) {
        const HedHinge* hinge = &topology->hinges[k];
        const HedEdge* edge = &topology->edges[hinge->edge];
        HedHingePoints x = {{rest[hinge->a], rest[hinge->b], rest[hinge->c], rest[hinge->d]}};
        HedVec3 e = hed_sub3(x.x[1], x.x[0]);
        double sum = areas[edge->triangle[0]] + areas[edge->triangle[1]];
        HedFold fold = {
            .point = {hinge->a, hinge->b, hinge->c, hinge->d},
            .stiffness = def->bend_rigidity * hed_dot3(e, e) / sum,
            .angle = hed_hinge_eval(x).angle,
        };
        hed_flat_weights(x.x, fold.weight);
        bool ok = isfinite(fold.stiffness) && isfinite(fold.weight[0] + fold.weight[1]) &&
                  isfinite(fold.weight[2] + fold.weight[3]);
        if (!ok) {
            return hed_fail(error, HED_INVALID,
                            "sheet '%s': a triangle on the edge of vertices %d and %d has no area "
                            "at rest",
                            name_of(def), hinge->a, hinge->b);
        }
        parts->folds.data[parts->folds.count++] = fold;
    }
    return HED_OK;
}
