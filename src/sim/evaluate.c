// SPDX-License-Identifier: MIT
// Forces and energies of all terms, range by range.
#include "sim/profile.h"
#include "sim/reader.h"

#include <string.h>

HedEval hed_sim_eval_at(const HedSim* sim, const HedVec3* x, const HedVec3* v, double time) {
    return (HedEval){
        .x = x,
        .v = v,
        .mass = sim->mass.data,
        .point_count = sim->x.count,
        .time = time,
        .ranges = sim->ranges,
    };
}

// Largest acceleration of the free points of a range; infinite if any is not finite.
static double peak_of(const HedSim* sim, int32_t range, const HedVec3* force) {
    double peak = 0.0;
    int32_t first = sim->ranges.first[range];
    int32_t count = sim->ranges.first[range + 1] - first;
    for (int32_t k = 0; k < count; ++k) {
        double a = sim->inverse_mass[first + k] * sim->inverse_mass[first + k] *
                   hed_dot3(force[k], force[k]);
        peak = isnan(peak) || a <= peak ? peak : a;
    }
    return isfinite(peak) ? sqrt(peak) : HUGE_VAL;
}

HedPower hed_sim_term_force(const HedTerm* term, const HedEval* at, int32_t range, HedVec3* force) {
    HedPower power = term->add_force(term->self, at, range, force);
    double beta = term->rayleigh ? term->rayleigh[range] : 0.0;
    if (beta > 0.0) {
        HedVec3 product[HED_RANGE + 1];
        int32_t first = at->ranges.first[range];
        int32_t count = at->ranges.first[range + 1] - first;
        memset(product, 0, sizeof(HedVec3) * ((size_t)count + 1));
        term->add_product(term->self, at, range, (HedStiffness){at->v, term->is_exact[range]},
                          product);
        for (int32_t k = 0; k < count; ++k) {
            force[k] = hed_madd3(force[k], -beta, product[k]);
            power.dissipated += beta * hed_dot3(at->v[first + k], product[k]);
        }
    }
    return power;
}

void hed_sim_find_peaks(HedSim* sim, const HedVec3* force) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(3) * sim->x.count))
    for (int32_t r = 0; r < sim->ranges.count; ++r) {
        sim->range_peak[r] = peak_of(sim, r, force + sim->ranges.first[r]);
    }
}

static void force_of_range(HedSim* sim, const HedEval* at, int32_t range, HedVec3* force) {
    HedVec3 local[HED_RANGE + 1];
    int32_t first = sim->ranges.first[range];
    size_t count = (size_t)(sim->ranges.first[range + 1] - first);
    memset(local, 0, sizeof(HedVec3) * (count + 1));
    HedPower power = {0};
    bool is_part = hed_sim_is_part_range(sim, range);
    for (int32_t k = 0; k < sim->force_term_count; ++k) {
        if (is_part && sim->terms[k].is_of_points) {
            continue;
        }
        HedPower one = hed_sim_term_force(&sim->terms[k], at, range, local);
        power.dissipated += one.dissipated;
        power.external += one.external;
    }
    sim->range_power[range] = power;
    sim->range_peak[range] = peak_of(sim, range, local);
    memcpy(force + first, local, sizeof(HedVec3) * count);
}

HedPower hed_sim_force(HedSim* sim, const HedVec3* x, const HedVec3* v, double time,
                       HedVec3* force) {
    HedEval at = hed_sim_eval_at(sim, x, v, time);
    double begin = hed_stage_begin(sim);
    HedPower power = hed_sim_force_at(sim, &at, force);
    hed_stage_end(sim, HED_STAGE_FORCES, begin);
    return power;
}

// Contact between yarns has stages of its own; what is around it counts all forces.
static double add_yarn_contact(HedSim* sim, const HedEval* at, HedVec3* force) {
    HedProfile none = {0};
    const HedProfile* now = sim->profile ? sim->profile : &none;
    double before = now->seconds[HED_STAGE_YARN_SEARCH] + now->seconds[HED_STAGE_YARN_CONTACT];
    double dissipated = hed_yarn_dynamics_add_force(sim, at->x, at->v, force);
    if (sim->profile) {
        sim->profile->seconds[HED_STAGE_FORCES] -=
            now->seconds[HED_STAGE_YARN_SEARCH] + now->seconds[HED_STAGE_YARN_CONTACT] - before;
    }
    return dissipated;
}

HedPower hed_sim_force_at(HedSim* sim, const HedEval* at, HedVec3* force) {
    hed_sim_rods_prepare(sim, at->x);
    hed_ties_place(sim, at->time);
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(60) * sim->x.count))
    for (int32_t r = 0; r < sim->ranges.count; ++r) {
        force_of_range(sim, at, r, force);
    }
    HedPower total = {0};
    for (int32_t r = 0; r < sim->ranges.count; ++r) {
        total.dissipated += sim->range_power[r].dissipated;
        total.external += sim->range_power[r].external;
    }
    total.dissipated += add_yarn_contact(sim, at, force);
    hed_period_fold(sim, force);
    return total;
}

static double kinetic_energy(HedSim* sim) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(3) * sim->x.count))
    for (int32_t r = 0; r < sim->ranges.count; ++r) {
        double sum = 0.0;
        bool is_part = hed_sim_is_part_range(sim, r);
        for (int32_t i = sim->ranges.first[r]; !is_part && i < sim->ranges.first[r + 1]; ++i) {
            sum += 0.5 * sim->mass.data[i] * hed_dot3(sim->v.data[i], sim->v.data[i]);
        }
        sim->team.partial[r] = sum;
    }
    return hed_team_total(&sim->team, sim->ranges.count);
}

// The energies of one term, one per column.
static void term_energy(HedSim* sim, const HedTerm* term, const HedEval* at,
                        double value[HED_TERM_COLUMNS]) {
    double* part = sim->range_energy;
    memset(part, 0, sizeof(double) * HED_TERM_COLUMNS * (size_t)sim->ranges.count);
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(60) * sim->x.count))
    for (int32_t r = 0; r < sim->ranges.count; ++r) {
        if (!term->is_of_points || !hed_sim_is_part_range(sim, r)) {
            term->add_energy(term->self, at, r, part + (size_t)HED_TERM_COLUMNS * (size_t)r);
        }
    }
    for (int32_t k = 0; k < HED_TERM_COLUMNS * sim->ranges.count; ++k) {
        value[k % HED_TERM_COLUMNS] += part[k];
    }
}

// Terms of the same name share a column.
static void add_column(HedEnergies* energies, const char* name, double value) {
    for (int32_t k = 0; k < energies->potential_count; ++k) {
        if (strcmp(energies->potential_name[k], name) == 0) {
            energies->potential[k] += value;
            return;
        }
    }
    if (energies->potential_count < HED_POTENTIAL_LIMIT) {
        energies->potential_name[energies->potential_count] = name;
        energies->potential[energies->potential_count] = value;
        energies->potential_count += 1;
    }
}

static void add_parts(HedSim* sim, HedEnergies* energies) {
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        HedPartEnergies own = {0};
        part->type->energies(part->self, &own);
        energies->kinetic += own.kinetic;
        for (int32_t c = 0; c < own.count; ++c) {
            bool is_load = strcmp(own.name[c], "load") == 0;
            if (!is_load || sim->load) {
                add_column(energies, own.name[c], own.potential[c]);
            }
        }
    }
}

static void add_energies(HedSim* sim, HedEnergies* energies) {
    HedEval at = hed_sim_eval_at(sim, sim->x.data, sim->v.data, hed_sim_time(sim));
    hed_sim_rods_prepare(sim, sim->x.data);
    hed_ties_place(sim, at.time);
    energies->kinetic = kinetic_energy(sim) + hed_sim_splines_kinetic(sim, sim->v.data);
    add_parts(sim, energies);
    for (int32_t k = 0; k < sim->term_count; ++k) {
        double value[HED_TERM_COLUMNS] = {0};
        term_energy(sim, &sim->terms[k], &at, value);
        for (int c = 0; c < HED_TERM_COLUMNS && sim->terms[k].column[c]; ++c) {
            add_column(energies, sim->terms[k].column[c], value[c]);
        }
    }
    HedYarnSum yarns = {0};
    if (sim->yarn_dynamics &&
        hed_yarn_dynamics_measure(sim, sim->v.data, sim->yarn_dynamics->scratch, &yarns, NULL) !=
            HED_OK) {
        yarns.energy = (double)NAN; // without memory to find it, it is not known
    }
    add_column(energies, "contact", sim->count.contact + yarns.energy + yarns.stored);
}

HedEnergies hed_sim_find_energies(HedSim* sim) {
    HedEnergies energies = {0};
    add_energies(sim, &energies);
    energies.dissipated = sim->count.dissipated;
    energies.external = sim->count.external;
    energies.total = energies.kinetic + energies.dissipated - energies.external;
    for (int32_t k = 0; k < energies.potential_count; ++k) {
        energies.total += energies.potential[k];
    }
    return energies;
}

HedEnergies hed_sim_energies(const HedSim* sim) {
    HedSimReader reader;
    HedEnergies energies = {0};
    if (!sim->is_prepared) {
        return energies;
    }
    if (hed_reader_open(sim, &reader, NULL) == HED_OK) {
        energies = hed_sim_find_energies(reader.sim);
    } else { // without memory to find them, they are not known
        energies.kinetic = energies.total = (double)NAN;
    }
    hed_reader_close(&reader);
    return energies;
}
