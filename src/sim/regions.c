// SPDX-License-Identifier: MIT
#include "sim/regions.h"
#include "sim/internal.h"

#include <inttypes.h>
#include <string.h>

// --- from a def to points

static HedStatus check_sets(const HedYarnsDef* def, const HedVertexSets* sets, const char* what,
                            HedError* error) {
    bool is_whole = sets->count >= 0 && (sets->count == 0 || (sets->first && sets->vertices));
    if (!is_whole || (sets->count > 0 && sets->first[0] != 0)) {
        return hed_fail(error, HED_INVALID, "yarns '%s': %s must begin with vertex 0 of their list",
                        def->name, what);
    }
    for (int32_t k = 0; k < sets->count; ++k) {
        if (sets->first[k + 1] < sets->first[k]) {
            return hed_fail(error, HED_INVALID,
                            "yarns '%s': starts of %s must rise, got %" PRId32 " behind %" PRId32,
                            def->name, what, sets->first[k + 1], sets->first[k]);
        }
    }
    for (int32_t k = 0; sets->count > 0 && k < sets->first[sets->count]; ++k) {
        if (sets->vertices[k] < 0 || sets->vertices[k] >= def->vertex_count) {
            return hed_fail(error, HED_INVALID,
                            "yarns '%s': vertices of %s must be in 0..%" PRId32 ", got %d",
                            def->name, what, def->vertex_count - 1, sets->vertices[k]);
        }
    }
    return HED_OK;
}

static bool reserve(HedRegionLists* lists, const HedVertexSets* sets) {
    return sets->count == 0 || (HED_RESERVE(&lists->first, (int64_t)sets->count + 1) &&
                                HED_RESERVE(&lists->point, sets->first[sets->count]));
}

HedStatus hed_sim_regions_reserve(HedSim* sim, const HedYarnsDef* def, HedError* error) {
    HedStatus status = HED_OK;
    HED_TRY(check_sets(def, &def->blocks, "blocks", error));
    HED_TRY(check_sets(def, &def->pairs, "pairs", error));
    if (!reserve(&sim->blocks, &def->blocks) || !reserve(&sim->pairs, &def->pairs)) {
        HED_TRY(hed_fail_memory(error, "regions of yarns"));
    }
done:
    return status;
}

// There is room.
static void take(HedRegionLists* lists, const HedVertexSets* sets, const int32_t* place) {
    for (int32_t k = 0; k < sets->count; ++k) {
        for (int32_t m = sets->first[k]; m < sets->first[k + 1]; ++m) {
            hed_region_lists_add(lists, place[sets->vertices[m]]);
        }
        hed_region_lists_end(lists);
    }
}

void hed_sim_regions_take(HedSim* sim, const HedYarnsDef* def, const int32_t* place) {
    take(&sim->blocks, &def->blocks, place);
    take(&sim->pairs, &def->pairs, place);
}

// --- from points to regions

typedef struct Cover {
    const HedSim* sim;
    bool* is_covered;    // per point: by a region that was given
    int32_t* adopts;     // per point: another that goes with it; -1: none
    HedRegionYarn* runs; // points of one curve that no region covers
    double* length;      // m, of segments of runs
    int32_t run_count;
    int32_t segment_count;
} Cover;

// The points of a strand, without copies.
static HedCurve own_points(const HedSim* sim, int32_t index) {
    HedCurve strand = sim->strand_list.data[index];
    if (hed_turns_on(hed_strand_turns(sim, index))) {
        strand.first += 1;
        strand.count -= HED_YARN_ENDS;
    }
    return strand;
}

// Points begin..end-1 of a strand are covered by nothing. A single one goes with its neighbour: a
// spline has a control point more at each end than vertices.
static void add_run(Cover* cover, const HedCurve* strand, int32_t begin, int32_t end) {
    int32_t n = end - begin;
    if (n == 1 && strand->count > 1) {
        int32_t neighbour = strand->first + (begin > 0 ? begin - 1 : begin + 1);
        cover->adopts[neighbour] = strand->first + begin;
        return;
    }
    bool is_closed = strand->is_closed && n == strand->count;
    cover->runs[cover->run_count++] =
        (HedRegionYarn){strand->first + begin, n, is_closed, cover->length + cover->segment_count};
    for (int32_t k = begin; k < end; ++k) {
        const HedVec3* rest = cover->sim->rest.data + strand->first;
        cover->length[cover->segment_count++] =
            hed_distance3(rest[k], rest[(k + 1) % strand->count]);
    }
}

static void find_runs(Cover* cover, const HedRegionLists* given) {
    for (int32_t k = 0; k < given->point.count; ++k) {
        cover->is_covered[given->point.data[k]] = true;
    }
    for (int32_t i = 0; i < cover->sim->x.count; ++i) {
        cover->adopts[i] = -1;
    }
    for (int32_t s = 0; s < cover->sim->strand_list.count; ++s) {
        HedCurve strand = own_points(cover->sim, s);
        int32_t begin = 0;
        for (int32_t k = 0; k <= strand.count; ++k) {
            if (k == strand.count || cover->is_covered[strand.first + k]) {
                if (k > begin) {
                    add_run(cover, &strand, begin, k);
                }
                begin = k + 1;
            }
        }
    }
}

static bool copy_regions(const Cover* cover, const HedRegionLists* given, HedRegionLists* lists) {
    bool ok = true;
    for (int32_t r = 0; ok && r < hed_region_lists_count(given); ++r) {
        for (int32_t k = given->first.data[r]; ok && k < given->first.data[r + 1]; ++k) {
            int32_t p = given->point.data[k];
            ok = hed_region_lists_add(lists, p) &&
                 (cover->adopts[p] < 0 || hed_region_lists_add(lists, cover->adopts[p]));
        }
        ok = ok && hed_region_lists_end(lists);
    }
    return ok;
}

// size: m, of regions along what is not covered; 0: there it is not damped.
static HedStatus make_regions(const HedSim* sim, const HedRegionLists* given, double size,
                              HedRegions* regions, HedError* error) {
    HedStatus status = HED_OK;
    HedRegionLists lists = {0};
    int32_t n = sim->x.count;
    Cover cover = {.sim = sim,
                   .is_covered = HED_NEW_ARRAY(bool, n),
                   .adopts = HED_NEW_ARRAY(int32_t, n),
                   .runs = HED_NEW_ARRAY(HedRegionYarn, n),
                   .length = HED_NEW_ARRAY(double, n)};
    if (!cover.is_covered || !cover.adopts || !cover.runs || !cover.length) {
        HED_TRY(hed_fail_memory(error, "regions of yarns"));
    }
    find_runs(&cover, given);
    if (!copy_regions(&cover, given, &lists)) {
        HED_TRY(hed_fail_memory(error, "regions of yarns"));
    }
    if (size > 0.0) {
        HED_TRY(hed_regions_along(cover.runs, cover.run_count, size, &lists, error));
    }
    HED_TRY(hed_regions_of_lists(regions, &lists, n, error));
done:
    hed_region_lists_free(&lists);
    hed_free(cover.is_covered);
    hed_free(cover.adopts);
    hed_free(cover.runs);
    hed_free(cover.length);
    return status;
}

HedStatus hed_sim_regions_create(HedSim* sim, HedYarnDynamics* own, HedError* error) {
    HedStatus status = HED_OK;
    const HedSimDef* def = &sim->def;
    if (hed_sim_is_implicit(sim)) {
        return HED_OK;
    }
    if (def->nonrigid_rate > 0.0 || def->nonrigid_slowing > 0.0) {
        HED_TRY(make_regions(sim, &sim->blocks, def->nonrigid_size, &own->regions, error));
    }
    if (def->nonrigid_pair_rate > 0.0) {
        HED_TRY(make_regions(sim, &sim->pairs, 0.0, &own->pairs, error));
    }
    own->has_regions = own->regions.count > 0 || own->pairs.count > 0;
    own->lag = HED_NEW_ARRAY(HedVec3, own->has_regions ? sim->x.count : 0);
    HED_TRY(own->lag ? HED_OK : hed_fail_memory(error, "regions of yarns"));
done:
    return status;
}

void hed_sim_regions_free(HedYarnDynamics* own) {
    hed_regions_free(&own->regions);
    hed_regions_free(&own->pairs);
    hed_free(own->lag);
    own->lag = NULL;
}

// --- steps

// The two passes of a step over a time h; with h = 1, their rates.
typedef struct Pass {
    HedRegions* regions;
    HedNonrigid by;
} Pass;

enum { PASS_COUNT = 2 };

static void find_passes(const HedSim* sim, double h, Pass* passes) {
    const HedSimDef* def = &sim->def;
    HedYarnDynamics* own = sim->yarn_dynamics;
    passes[0] = (Pass){&own->pairs, {h * def->nonrigid_pair_rate, 0.0}};
    passes[1] = (Pass){&own->regions, {h * def->nonrigid_rate, h * def->nonrigid_slowing}};
}

static double kinetic_of(const HedSim* sim) {
    double sum = 0.0;
    for (int32_t i = 0; i < sim->x.count; ++i) {
        sum += 0.5 * sim->mass.data[i] * hed_dot3(sim->v.data[i], sim->v.data[i]);
    }
    return sum + hed_sim_splines_kinetic(sim, sim->v.data);
}

// Points end where their new velocity takes them from x - h v. Seen from there regions keep their
// angular momentum, and then it is the same at the end: (x - h v + h w) x w = (x - h v) x w.
void hed_sim_regions_settle(HedSim* sim, double h) {
    HedYarnDynamics* own = sim->yarn_dynamics;
    double before = kinetic_of(sim);
    Pass passes[PASS_COUNT];
    find_passes(sim, h, passes);
    memcpy(own->scratch, sim->v.data, sizeof(HedVec3) * (size_t)sim->x.count);
    for (int32_t i = 0; i < sim->x.count; ++i) {
        own->lag[i] = hed_madd3(sim->x.data[i], -h, sim->v.data[i]);
    }
    for (int k = 0; k < PASS_COUNT; ++k) {
        if (passes[k].regions->count > 0) {
            hed_nonrigid_damp(passes[k].regions, &sim->team, passes[k].by, own->lag, sim->mass.data,
                              sim->v.data);
        }
    }
    for (int32_t i = 0; i < sim->x.count; ++i) {
        if (sim->inverse_mass[i] > 0.0) {
            HedVec3 change = hed_sub3(sim->v.data[i], own->scratch[i]);
            sim->x.data[i] = hed_madd3(sim->x.data[i], h, change);
        } else {
            sim->v.data[i] = own->scratch[i];
        }
    }
    sim->count.dissipated += before - kinetic_of(sim);
}

HedStatus hed_sim_regions_power(HedSim* sim, double* power, HedError* error) {
    Pass passes[PASS_COUNT];
    int32_t n = sim->x.count;
    double* part = HED_NEW_ARRAY(double, n);
    if (!part) {
        return hed_fail_memory(error, "damping of yarns");
    }
    memset(power, 0, sizeof(double) * (size_t)n);
    find_passes(sim, 1.0, passes);
    for (int k = 0; k < PASS_COUNT; ++k) {
        HedRegionsAt at = {passes[k].regions, &sim->team, sim->x.data, sim->v.data, sim->mass.data};
        if (at.regions->count > 0) {
            hed_nonrigid_power(&at, passes[k].by, part);
        }
        for (int32_t i = 0; at.regions->count > 0 && i < n; ++i) {
            power[i] += part[i];
        }
    }
    hed_free(part);
    return HED_OK;
}
