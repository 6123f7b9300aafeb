// SPDX-License-Identifier: MIT
#include "sim/splines.h"
#include "sim/internal.h"

#include <string.h>

enum { SPOTS = 4 };

static bool is_spline(const HedCloth* cloth) {
    return cloth->is_yarns && cloth->yarn.model == HED_YARN_SPLINE;
}

int32_t hed_curve_point_count(const HedYarnsDef* def, const HedCurve* curve) {
    if (def->turns && hed_turns_on(def->turns[curve - def->curves])) {
        return curve->count + HED_YARN_ENDS;
    }
    bool is_longer = def->model == HED_YARN_SPLINE && !curve->is_closed;
    return curve->count + (is_longer ? 2 : 0);
}

int32_t hed_yarns_point_count(const HedYarnsDef* def) {
    int32_t count = 0;
    for (int32_t i = 0; i < def->curve_count; ++i) {
        count += hed_curve_point_count(def, &def->curves[i]);
    }
    return count;
}

static HedSplineDef spline_def(const HedSim* sim, const HedYarnsDef* yarn, const HedCurve* strand,
                               bool goes_on) {
    return (HedSplineDef){.first = strand->first,
                          .point_count = strand->count,
                          .is_closed = strand->is_closed,
                          .goes_on = goes_on,
                          .keeps_length = yarn->inextensible && !hed_sim_is_implicit(sim),
                          .has_full_mass = yarn->mass == HED_YARN_CONSISTENT,
                          .bend = yarn->bend,
                          .axial = yarn->stretch,
                          .density = yarn->linear_density,
                          .damping = yarn->damping,
                          .bend_damping = yarn->bend_damping};
}

// Masses and surfaces (2 r for each length, as rods have), and what vertices are made of.
static void fill_points(HedSim* sim, const HedYarnsDef* def, const HedSplines* splines,
                        HedCloth* cloth) {
    hed_splines_add_mass(splines, sim->mass.data);
    for (int32_t c = 0; c < def->curve_count; ++c) {
        const HedCurve* curve = &def->curves[c];
        const HedSpline* yarn = &splines->yarn[c];
        double radius = curve->radius > 0.0 ? curve->radius : def->radius;
        for (int32_t k = 0; k < yarn->def.point_count; ++k) {
            int32_t i = yarn->def.first + k;
            sim->area.data[i] = 2.0 * radius * sim->mass.data[i] / def->linear_density;
            sim->half_thickness.data[i] = radius;
        }
        for (int32_t k = 0; k < curve->count; ++k) {
            HedSplineStencil at = hed_spline_at(splines, c, k);
            if (!curve->is_closed && !yarn->def.goes_on && k == curve->count - 1) {
                at.weight[0] = at.weight[1] = at.weight[2] = 0.0; // rounding aside
                at.weight[3] = 1.0;
            }
            int main = 0;
            for (int m = 1; m < 4; ++m) {
                main = at.weight[m] > at.weight[main] ? m : main;
            }
            cloth->knot[curve->first + k] = at;
            cloth->place[curve->first + k] = at.point[main];
        }
    }
}

// Of a curve that goes on, control points less a steady way from copy to copy are those of a closed
// curve through vertices less the same; they stand behind the copy of the last one.
static HedStatus place_controls(HedSim* sim, const HedYarnsDef* def, int32_t c, HedVec3* control,
                                HedError* error) {
    const HedCurve* curve = &def->curves[c];
    const HedVec3* vertices = def->vertices + curve->first;
    HedTurns turns = def->turns ? def->turns[c] : (HedTurns){0, 0};
    int32_t n = curve->count;
    if (!hed_turns_on(turns)) {
        return hed_spline_interpolate(vertices, n, curve->is_closed, control, error);
    }
    HedVec3 step = hed_mul3(1.0 / n, hed_period_way(sim, turns));
    HedVec3* level = HED_NEW_ARRAY(HedVec3, 2 * (int64_t)n);
    if (!level) {
        return hed_fail_memory(error, "spline yarns");
    }
    for (int32_t k = 0; k < n; ++k) {
        level[k] = hed_madd3(vertices[k], -k, step);
    }
    HedStatus status = hed_spline_interpolate(level, n, true, level + n, error);
    for (int32_t k = -1; k < n + 2 && status == HED_OK; ++k) {
        // The closed curve passes vertex k where its control points k, k + 1 and k + 2 meet.
        control[k + 1] = hed_madd3(level[n + (k + 1 + n) % n], k, step);
    }
    hed_free(level);
    return status;
}

HedStatus hed_sim_splines_append(HedSim* sim, const HedYarnsDef* def, HedCloth* cloth,
                                 HedError* error) {
    HedStatus status = HED_OK;
    HedSplines splines = {0};
    int32_t next = cloth->first_point;
    HedSplineDef* defs = HED_NEW_ARRAY(HedSplineDef, def->curve_count);
    cloth->knot = HED_NEW_ARRAY(HedSplineStencil, def->vertex_count);
    if (!defs || !cloth->knot) {
        HED_TRY(hed_fail_memory(error, "spline yarns"));
    }
    for (int32_t c = 0; c < def->curve_count; ++c) {
        const HedCurve* curve = &def->curves[c];
        HedCurve strand = {.first = next, .is_closed = curve->is_closed};
        HedTurns turns = def->turns ? def->turns[c] : (HedTurns){0, 0};
        strand.count = hed_curve_point_count(def, curve);
        HED_TRY(place_controls(sim, def, c, sim->x.data + next, error));
        defs[c] = spline_def(sim, def, &strand, hed_turns_on(turns));
        next += strand.count;
    }
    HED_TRY(hed_splines_create(&splines, defs, def->curve_count, sim->x.data,
                               sim->def.spline_quadrature, error));
    fill_points(sim, def, &splines, cloth);
    for (int32_t c = 0; c < def->curve_count; ++c) {
        if (defs[c].goes_on) {
            hed_period_join(sim, defs[c].first, def->curves[c].count, def->turns[c]);
        }
    }
done:
    hed_splines_free(&splines);
    hed_free(defs);
    return status;
}

static int32_t collect_defs(const HedSim* sim, HedSplineDef* defs) {
    int32_t count = 0;
    for (int32_t k = 0; k < sim->cloths.count; ++k) {
        const HedCloth* cloth = &sim->cloths.data[k];
        for (int32_t c = 0; is_spline(cloth) && c < cloth->curve_count; ++c) {
            const HedCurve* strand = &sim->strand_list.data[cloth->first_curve + c];
            HedTurns turns = hed_strand_turns(sim, cloth->first_curve + c);
            if (defs) {
                defs[count] = spline_def(sim, &cloth->yarn, strand, hed_turns_on(turns));
            }
            ++count;
        }
    }
    return count;
}

static HedStatus check_mass(const HedSim* sim, const HedSplineDef* defs, int32_t count,
                            bool* has_full, HedError* error) {
    for (int32_t y = 0; y < count; ++y) {
        *has_full = *has_full || defs[y].has_full_mass;
    }
    if (*has_full && hed_sim_is_implicit(sim)) {
        return hed_fail(error, HED_INVALID,
                        "consistent masses of yarns are for explicit steps, and %s is none",
                        hed_integrator_name(sim->def.integrator));
    }
    return HED_OK;
}

// Where bodies touch.
static void fill_spots(const HedSim* sim, HedSimSplines* own) {
    const HedSplines* splines = &own->splines;
    for (int32_t y = 0; y < splines->yarn_count; ++y) {
        const HedSpline* yarn = &splines->yarn[y];
        int32_t last = SPOTS * yarn->segment_count - (yarn->def.is_closed ? 1 : 0);
        double radius = sim->half_thickness.data[yarn->def.first];
        for (int32_t k = 0; k <= last; ++k) {
            HedSplineStencil at = hed_spline_at(splines, y, (double)k / SPOTS);
            int32_t segment = hed_min_i32(k / SPOTS, yarn->segment_count - 1);
            double length = splines->length[yarn->first_segment + segment] / SPOTS;
            HedSpot* spot = &own->spots[own->spot_count++];
            memcpy(spot->point, at.point, sizeof spot->point);
            memcpy(spot->weight, at.weight, sizeof spot->weight);
            spot->area = 2.0 * radius * length;
        }
        for (int32_t k = 0; k < yarn->def.point_count; ++k) {
            own->is_control[yarn->def.first + k] = 1;
        }
    }
}

static HedStatus create_spots(const HedSim* sim, HedSimSplines* own, HedError* error) {
    int64_t most = SPOTS * (int64_t)own->splines.segment_count + own->splines.yarn_count;
    own->spots = HED_NEW_ARRAY(HedSpot, most);
    own->is_control = HED_NEW_ARRAY(uint8_t, sim->x.count);
    if (!own->spots || !own->is_control) {
        return hed_fail_memory(error, "spline yarns");
    }
    fill_spots(sim, own);
    return HED_OK;
}

HedStatus hed_sim_splines_create(HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    int32_t count = collect_defs(sim, NULL);
    bool has_full = false;
    bool keeps_lengths = false;
    if (count == 0) {
        return HED_OK;
    }
    HedSplineDef* defs = HED_NEW_ARRAY(HedSplineDef, count);
    HedSimSplines* own = sim->splines = HED_NEW(HedSimSplines);
    if (!defs || !own) {
        HED_TRY(hed_fail_memory(error, "spline yarns"));
    }
    collect_defs(sim, defs);
    for (int32_t y = 0; y < count; ++y) {
        keeps_lengths = keeps_lengths || defs[y].keeps_length;
    }
    HED_TRY(check_mass(sim, defs, count, &has_full, error));
    HED_TRY(hed_splines_create(&own->splines, defs, count, sim->rest.data,
                               sim->def.spline_quadrature, error));
    HED_TRY(hed_splines_cut(&own->splines, sim->ranges, error));
    HED_TRY(create_spots(sim, own, error));
    if (keeps_lengths) {
        HED_TRY(hed_spline_lengths_create(&own->lengths, &own->splines, error));
        own->has_lengths = true;
    }
    if (has_full) {
        HED_TRY(hed_spline_mass_create(&own->mass, &own->splines, error));
        own->has_mass = true;
    }
done:
    hed_free(defs);
    return status;
}

void hed_sim_splines_free(HedSim* sim) {
    HedSimSplines* own = sim->splines;
    if (own) {
        hed_spline_mass_free(&own->mass);
        hed_spline_lengths_free(&own->lengths);
        hed_splines_free(&own->splines);
        hed_free(own->spots);
        hed_free(own->is_control);
        hed_free(own);
    }
}

int32_t hed_sim_splines_find(const HedSim* sim, int32_t first) {
    int32_t low = 0;
    int32_t high = sim->splines->splines.yarn_count - 1;
    while (low < high) { // in the order of points
        int32_t middle = low + (high - low) / 2;
        if (sim->splines->splines.yarn[middle].def.first < first) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void hed_sim_splines_accelerate(HedSim* sim, HedVec3* force) {
    HedSimSplines* own = sim->splines;
    if (!own || !own->has_mass) {
        return;
    }
    if (!own->is_factored) {
        hed_spline_mass_factor(&own->mass, &own->splines, sim->inverse_mass);
        own->is_factored = true;
    }
    hed_spline_mass_solve(&own->mass, &own->splines, &sim->team, sim->inverse_mass, sim->mass.data,
                          force);
}

// The change of held points, 0 for free ones; false if there is none.
static bool load_changes(const HedSim* sim, double h, bool of_speed, HedVec3* change) {
    bool is_any = false;
    for (int32_t i = 0; i < sim->x.count; ++i) {
        change[i] = (HedVec3){0};
        if (sim->splines->is_control[i] && !(sim->inverse_mass[i] > 0.0)) {
            HedVec3 moved = hed_sub3(sim->x.data[i], sim->x_old[i]);
            change[i] = of_speed ? hed_sub3(sim->v.data[i], sim->v_old[i])
                                 : hed_madd3(moved, -h, sim->v_old[i]);
            is_any = is_any || hed_dot3(change[i], change[i]) > 0.0;
        }
    }
    return is_any;
}

// M_ff a_f + M_fc a_c = f: with y = x_f + M_ff^-1 M_fc x_c, which is what the step has moved by the
// forces on free points alone, whatever held ones did. So this is exact, also where they start or
// stop at once.
void hed_sim_splines_carry(HedSim* sim, double h) {
    const HedSimSplines* own = sim->splines;
    if (!own || !own->has_mass) {
        return;
    }
    HedVec3* change = sim->yarn_dynamics->scratch;
    HedVec3* target[2] = {sim->v.data, sim->x.data};
    for (int k = 0; k < 2; ++k) {
        if (!load_changes(sim, h, k == 0, change)) {
            continue;
        }
        hed_spline_mass_carry(&own->mass, &own->splines, sim->inverse_mass, change);
        for (int32_t i = 0; i < sim->x.count; ++i) {
            if (sim->inverse_mass[i] > 0.0) {
                target[k][i] = hed_add3(target[k][i], change[i]);
            }
        }
        sim->count.has_acceleration = 0; // Verlet found it before
    }
    sim->count.external +=
        hed_splines_held_work(&own->splines, sim->inverse_mass, sim->v_old, sim->v.data);
}

double hed_sim_splines_kinetic(const HedSim* sim, const HedVec3* v) {
    return sim->splines && sim->splines->has_mass
               ? hed_splines_kinetic_beyond(&sim->splines->splines, v)
               : 0.0;
}

bool hed_sim_splines_are_full(const HedSim* sim) {
    bool are_full = false;
    for (int32_t k = 0; k < sim->cloths.count && !are_full; ++k) {
        const HedCloth* cloth = &sim->cloths.data[k];
        are_full = is_spline(cloth) && cloth->yarn.mass == HED_YARN_CONSISTENT;
    }
    return are_full;
}

double hed_sim_splines_lightness(const HedSim* sim) {
    // The least ratio of consistent to lumped mass is 1/35, in a yarn of one segment; it grows to
    // 0.05 in long ones.
    return hed_sim_splines_are_full(sim) ? 35.0 : 1.0;
}

// Absolute row sums of the stiffness of a straight segment along and across, with room for sharp
// bends: a curvature kappa adds up to 12 EI kappa^2 to the stiffness along; two per length, that of
// a segment that turns back, is counted.
static void add_segment(const HedSplines* splines, int32_t segment, double axial, double bend,
                        double* sum) {
    const HedCubicMatrix* basis = hed_spline_matrix(splines, segment);
    double l = splines->length[segment];
    double along = axial + 12.0 * bend * 4.0 / (l * l * l);
    double across = bend / (l * l * l);
    for (int32_t q = 0; q < splines->quadrature; ++q) {
        double slope[4], turn[4], slopes = 0.0, turns = 0.0;
        hed_cubic_slopes(basis, splines->s[q], slope);
        hed_cubic_bends(basis, splines->s[q], turn);
        for (int k = 0; k < 4; ++k) {
            slopes += fabs(slope[k]);
            turns += fabs(turn[k]);
        }
        for (int k = 0; k < 4; ++k) {
            double row = along * fabs(slope[k]) * slopes + across * fabs(turn[k]) * turns;
            sum[splines->point[4 * (int64_t)segment + k]] += splines->weight[q] * row;
        }
    }
}

void hed_sim_splines_bound(const HedSim* sim, bool bends, double* sum) {
    for (int32_t y = 0; sim->splines && y < sim->splines->splines.yarn_count; ++y) {
        const HedSplines* splines = &sim->splines->splines;
        const HedSpline* yarn = &splines->yarn[y];
        for (int32_t k = 0; k < yarn->segment_count; ++k) {
            int32_t segment = yarn->first_segment + k;
            double axial = bends ? 0.0 : splines->axial[segment];
            add_segment(splines, segment, axial, bends ? yarn->def.bend : 0.0, sum);
        }
    }
}
