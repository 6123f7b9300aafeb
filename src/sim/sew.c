// SPDX-License-Identifier: MIT
// Sewing: sheets whose start shape is not the one at rest come to it in time, so that seams between
// pieces that stand apart close without a jerk.
//
// With F the deformation of a triangle at the start and U0 = sqrt(F'F) its stretch, the shape that
// counts as unstretched at time t is the one at rest stretched by
//   U(t) = I + (1 - s(t)) (U0 - I),      s = r^2 (3 - 2 r),  r = t/T,
// so gradients b of shape functions become b U^-1. At first there is no stress, at T the shape is
// that of the def. Until then gravity is off and drag is on: all pieces stay where they are put.
#include "sim/internal.h"

#include "base/alloc.h"

static double share_of(double time, double whole) {
    double r = fmin(1.0, fmax(0.0, time / whole));
    return r * r * (3.0 - 2.0 * r);
}

// sqrt(F'F) - I of the frame that a triangle starts with. Where the start is pressed to nearly
// nothing, it counts as pressed to a tenth: the rest is taken as strain.
static HedPlane start_stretch(HedFrame2 f) {
    const double least = 0.1;
    double uu = hed_dot3(f.u, f.u);
    double vv = hed_dot3(f.v, f.v);
    double uv = hed_dot3(f.u, f.v);
    double middle = 0.5 * (uu + vv);
    double radius = hypot(0.5 * (uu - vv), uv);
    double high = fmax(least, sqrt(middle + radius));
    double low = fmax(least, sqrt(fmax(0.0, middle - radius)));
    // The square root of a symmetric 2 x 2 matrix C is slope C + shift I.
    bool is_round = radius <= 1e-12 * middle;
    double slope = is_round ? 0.0 : (high - low) / (2.0 * radius);
    double shift = high - slope * (middle + radius);
    return (HedPlane){slope * uu + shift - 1.0, slope * vv + shift - 1.0, slope * uv};
}

// b U^-1 for U = I + left * stretch.
static void reshape(const double rest[2][2], HedPlane stretch, double left, double b[2][2]) {
    double uu = 1.0 + left * stretch.uu;
    double vv = 1.0 + left * stretch.vv;
    double uv = left * stretch.shear;
    double over = 1.0 / (uu * vv - uv * uv);
    for (int k = 0; k < 2; ++k) {
        b[k][0] = over * (rest[k][0] * vv - rest[k][1] * uv);
        b[k][1] = over * (rest[k][1] * uu - rest[k][0] * uv);
    }
}

HedStatus hed_sim_sew_create(HedSim* sim, HedError* error) {
    HedSew* sew = &sim->sew;
    for (int32_t s = 0; s < sim->cloths.count; ++s) {
        const HedCloth* sheet = &sim->cloths.data[s];
        sew->time = fmax(sew->time, sheet->membrane_count > 0 ? sheet->sewing_time : 0.0);
    }
    if (!(sew->time > 0.0)) {
        return HED_OK;
    }
    int32_t count = sim->membranes.list.count;
    sew->stretch = HED_NEW_ARRAY(HedPlane, count);
    sew->b = hed_alloc_array(count, sizeof sew->b[0]);
    sew->point = HED_NEW_ARRAY(double, sim->x.count);
    if (!sew->stretch || !sew->b || !sew->point) {
        return hed_fail_memory(error, "sewing");
    }
    const HedVec3* x = sim->x.data;
    for (int32_t s = 0; s < sim->cloths.count; ++s) {
        const HedCloth* sheet = &sim->cloths.data[s];
        for (int32_t k = 0; sheet->membrane_count > 0 && k < sheet->point_count; ++k) {
            sew->point[sheet->first_point + k] = sheet->sewing_time;
        }
        for (int32_t k = 0; sheet->sewing_time > 0.0 && k < sheet->membrane_count; ++k) {
            int32_t e = sheet->first_membrane + k;
            const HedMembrane* m = &sim->membranes.list.data[e];
            HedMembraneRest rest = hed_membrane_rest(m, sheet->material);
            sew->stretch[e] = start_stretch(
                hed_membrane_frame(x[m->point[0]], x[m->point[1]], x[m->point[2]], &rest));
        }
    }
    hed_sim_sew_set(sim, 0.0);
    return HED_OK;
}

void hed_sim_sew_free(HedSim* sim) {
    hed_free(sim->sew.stretch);
    hed_free(sim->sew.b);
    hed_free(sim->sew.point);
    sim->sew = (HedSew){0};
}

void hed_sim_sew_set(HedSim* sim, double time) {
    HedSew* sew = &sim->sew;
    if (!(sew->time > 0.0)) {
        return;
    }
    for (int32_t s = 0; s < sim->cloths.count; ++s) {
        const HedCloth* sheet = &sim->cloths.data[s];
        double own = sheet->sewing_time;
        double left = own > 0.0 ? 1.0 - share_of(time, own) : 0.0;
        for (int32_t k = 0; k < sheet->membrane_count; ++k) {
            int32_t e = sheet->first_membrane + k;
            reshape(sim->membranes.list.data[e].b, sew->stretch[e], left, sew->b[e]);
        }
    }
    hed_membrane_term_reshape(&sim->membranes, sim->ranges, (const double(*)[2][2])sew->b);
    // A drag that takes 99 % of any speed until the seams are closed.
    const double slow = 5.0;
    // Loads act from the first step on that begins with closed seams, give or take rounding.
    sew->is_done = time - sim->def.time_step >= sew->time * (1.0 - 1e-9) && !sim->count.is_tangled;
    sim->point_load.gravity = sew->is_done ? sim->def.gravity : (HedVec3){0};
    sim->point_load.drag = sim->def.drag + (sew->is_done ? 0.0 : slow / sew->time);
}

bool hed_sim_sew_is_closed(const HedSim* sim) {
    return hed_sim_time(sim) >= sim->sew.time * (1.0 - 1e-9);
}

static double potential(HedSim* sim) {
    HedEnergies energies = hed_sim_find_energies(sim);
    double sum = 0.0;
    for (int32_t k = 0; k < energies.potential_count; ++k) {
        sum += energies.potential[k];
    }
    return sum;
}

double hed_sim_sew_step(HedSim* sim) {
    if (!(sim->sew.time > 0.0) || sim->sew.is_done) {
        return 0.0;
    }
    double before = potential(sim);
    // To the bit what hed_sim_time will say, so that a run taken up again finds the same shapes.
    hed_sim_sew_set(sim, (double)(sim->count.steps + 1) * sim->def.time_step);
    hed_sim_forget_past(sim); // other forces act now than at the end of the last step
    return potential(sim) - before;
}
