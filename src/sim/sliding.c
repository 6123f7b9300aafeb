// SPDX-License-Identifier: MIT
// Sliding yarns: from a def to points and an engine.
#include "sim/sliding.h"

#include "base/file.h"
#include "eol/state.h"
#include "sim/internal.h"

#include <inttypes.h>
#include <string.h>

// Of points and their five numbers each, so that no count overflows.
static const int32_t MOST_NODES = INT32_MAX / 24;

// What a simulation must be like to have sliding yarns.
static HedStatus check_sim(const HedSim* sim, const char* name, HedError* error) {
    if (sim->def.integrator != HED_IMPLICIT_EULER && sim->def.integrator != HED_QUASI_STATIC) {
        return hed_fail(error, HED_UNSUPPORTED,
                        "yarns '%s': sliding yarns need the integrator '%s' or '%s', and this is "
                        "'%s'",
                        name, hed_integrator_name(HED_IMPLICIT_EULER),
                        hed_integrator_name(HED_QUASI_STATIC),
                        hed_integrator_name(sim->def.integrator));
    }
    if (sim->period) {
        return hed_fail(error, HED_UNSUPPORTED,
                        "yarns '%s': sliding yarns cannot be in one simulation with yarns that "
                        "repeat",
                        name);
    }
    return HED_OK;
}

static void set_free(HedSlidingSet* set) {
    if (!set) {
        return;
    }
    hed_eol_destroy(set->eol);
    hed_net_free(&set->net);
    hed_free(set->skin.triangles.data);
    hed_free(set->team.partial);
    hed_free(set);
}

void hed_sliding_free(HedSim* sim) {
    HedSimSliding* own = &sim->sliding;
    for (int32_t k = 0; k < own->sets.count; ++k) {
        set_free(own->sets.data[k]);
    }
    hed_free(own->sets.data);
}

// A net for the engine, and the engine itself.
static HedStatus make_set(const HedSim* sim, const HedSlidingDef* def, HedSlidingSet** out,
                          HedError* error) {
    HedStatus status = HED_OK;
    HedSlidingSet* set = HED_NEW(HedSlidingSet);
    *out = set;
    if (!set) {
        return hed_fail_memory(error, "sliding yarns");
    }
    int32_t nodes = def->net ? def->net->node_count : 0;
    if (nodes < 0 || nodes > MOST_NODES) {
        return hed_fail(error, HED_UNSUPPORTED,
                        "a net of sliding yarns has up to %" PRId32 " nodes, got %" PRId32,
                        MOST_NODES, nodes);
    }
    set->team = (HedTeam){.threads = sim->def.thread_count,
                          .partial_capacity = hed_block_count(HED_NODE_SIZE * nodes) + 1};
    set->team.partial = HED_NEW_ARRAY(double, set->team.partial_capacity);
    if (!set->team.partial) {
        return hed_fail_memory(error, "sliding yarns");
    }
    HedEolSettings settings = {
        .gravity = sim->def.gravity,
        .drag = sim->def.drag,
        .force_tolerance = sim->def.force_tolerance,
        .preconditioner = sim->def.preconditioner,
    };
    HED_TRY(hed_eol_create(def, &settings, &set->team, &set->eol, error));
    HED_TRY(hed_net_copy(def->net, &set->net, error));
    set->touches = def->contact == HED_SLIDING_YARNS;
    HED_TRY(hed_skin_create(&set->net, &set->skin, error));
    int64_t points = hed_net_curve_point_count(&set->net, HED_SLIDING_SAMPLES);
    if (points > INT32_MAX) {
        return hed_fail(error, HED_UNSUPPORTED, "too many points of curves: %" PRId64, points);
    }
    set->curve_point_count = (int32_t)points;
done:
    return status;
}

// Surfaces of nodes for contact: half of what is seen of the yarns around each, and how far it
// reaches from the node. At a crossing the yarns lie on either side of the node.
static void append_surface(HedSim* sim, const HedSlidingSet* set) {
    const HedNet* net = &set->net;
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        const HedNetYarn* yarn = &net->yarns[y];
        for (int32_t k = yarn->first; k < yarn->first + yarn->count; ++k) {
            int32_t a = set->first_point + net->visits[k].node;
            sim->half_thickness.data[a] += yarn->radius;
            if (k + 1 == yarn->first + yarn->count) {
                break;
            }
            int32_t b = set->first_point + net->visits[k + 1].node;
            double length = hed_distance3(sim->x.data[a], sim->x.data[b]);
            sim->area.data[a] += yarn->radius * length;
            sim->area.data[b] += yarn->radius * length;
        }
    }
}

// Part of the skin's area that yarns cover: of K1 by the one kind and K2 by the other, K1 + K2 -
// K1 K2, both taken to be half of what yarns would cover side by side.
static double cover_of(const HedSlidingSet* set) {
    const HedNet* net = &set->net;
    double yarns = 0.0, area = 0.0;
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        const HedNetYarn* yarn = &net->yarns[y];
        for (int32_t v = yarn->first; v + 1 < yarn->first + yarn->count; ++v) {
            HedVec3 a = net->nodes[net->visits[v].node].position;
            yarns +=
                2.0 * yarn->radius * hed_distance3(a, net->nodes[net->visits[v + 1].node].position);
        }
    }
    for (int32_t t = 0; t + 2 < set->skin.triangles.count; t += 3) {
        const int32_t* corner = set->skin.triangles.data + t;
        HedVec3 a = net->nodes[corner[0]].position;
        HedVec3 b = hed_sub3(net->nodes[corner[1]].position, a);
        HedVec3 c = hed_sub3(net->nodes[corner[2]].position, a);
        area += 0.5 * hed_norm3(hed_cross3(b, c));
    }
    double one = area > 0.0 ? fmin(1.0, 0.5 * yarns / area) : 0.0;
    return one + one - one * one;
}

// All room is made before anything is written.
static HedStatus append_points(HedSim* sim, const HedSlidingDef* def, HedSlidingSet* set,
                               HedError* error) {
    const HedNet* net = &set->net;
    int32_t n = net->node_count;
    int32_t base = set->first_point = sim->x.count;
    if (n > MOST_NODES - base) {
        return hed_fail(error, HED_UNSUPPORTED, "too many nodes: %" PRId32 " after %" PRId32, n,
                        base);
    }
    if (!HED_RESERVE(&sim->x, n) || !HED_RESERVE(&sim->v, n) || !HED_RESERVE(&sim->mass, n) ||
        !HED_RESERVE(&sim->area, n) || !HED_RESERVE(&sim->half_thickness, n) ||
        !HED_RESERVE(&sim->rest, n) || !HED_RESERVE(&sim->cloths, 1) ||
        !HED_RESERVE(&sim->sliding.sets, 1) || !HED_RESERVE(&sim->parts.list, 1) ||
        !HED_RESERVE(&sim->wind_triangles, set->skin.triangles.count)) {
        return hed_fail_memory(error, "sliding yarns");
    }
    hed_eol_find_mass(&set->eol->model, set->eol->q, set->eol->mass);
    for (int32_t k = 0; k < n; ++k) {
        sim->x.data[base + k] = sim->rest.data[base + k] = net->nodes[k].position;
        sim->v.data[base + k] = def->velocity;
        sim->mass.data[base + k] = set->eol->mass[set->eol->number[k]].mass;
        sim->area.data[base + k] = sim->half_thickness.data[base + k] = 0.0;
    }
    sim->x.count = sim->v.count = sim->mass.count = sim->area.count = base + n;
    sim->half_thickness.count = sim->rest.count = base + n;
    append_surface(sim, set);
    for (int32_t k = 0; k < set->skin.triangles.count; ++k) {
        sim->wind_triangles.data[sim->wind_triangles.count++] = base + set->skin.triangles.data[k];
    }
    return HED_OK;
}

HedStatus hed_sliding_create(HedSim* sim, const HedSlidingDef* given, HedYarnsId* id,
                             HedError* error) {
    HedStatus status = HED_OK;
    HedSlidingDef def = *given;
    HedSlidingSet* set = NULL;
    def.name = def.name ? def.name : "yarns";
    HedCloth cloth = {.is_yarns = true,
                      .first_point = sim->x.count,
                      .first_triangle = sim->triangles.count / 3,
                      .first_membrane = sim->membranes.list.count,
                      .first_curve = sim->strand_list.count,
                      .yarn = {.model = HED_YARN_SLIDING}};
    uint32_t stamp = hed_sliding_def_default().stamp;
    HED_TRY(hed_sim_check_open(sim, def.stamp, stamp, "set of sliding yarns", error));
    HED_TRY(check_sim(sim, def.name, error));
    HED_TRY(make_set(sim, &def, &set, error));
    cloth.name = hed_text_copy(def.name);
    cloth.place = HED_NEW_ARRAY(int32_t, set->net.node_count);
    if (!cloth.name || !cloth.place) {
        HED_TRY(hed_fail_memory(error, "sliding yarns"));
    }
    HED_TRY(append_points(sim, &def, set, error));
    cloth.point_count = cloth.vertex_count = set->net.node_count;
    cloth.curve_count = set->net.yarn_count;
    cloth.sliding = set;
    cloth.wind_share = cover_of(set);
    cloth.tie_stiffness = set->eol->model.materials[0].tight / set->eol->model.spacing;
    for (int32_t k = 0; k < cloth.vertex_count; ++k) {
        cloth.place[k] = cloth.first_point + k;
    }
    sim->sliding.sets.data[sim->sliding.sets.count++] = set;
    sim->parts.list.data[sim->parts.list.count++] =
        (HedPart){.type = &HED_EOL_PART,
                  .self = set->eol,
                  .size = HED_NODE_SIZE * set->eol->node_count,
                  .point_count = set->eol->node_count,
                  .first_point = set->first_point};
    sim->cloths.data[sim->cloths.count++] = cloth;
    *id = (HedYarnsId){sim->cloths.count, sim->stamp};
done:
    if (status != HED_OK) {
        hed_free(cloth.name);
        hed_free(cloth.place);
        set_free(set);
    }
    return status;
}

// Whether its loops clasp each other.
static bool is_knit(const HedSlidingSet* set) {
    return set->net.clasp_count > 0;
}

int64_t hed_sliding_skin_size(const HedSim* sim) {
    int64_t count = 0;
    for (int32_t k = 0; k < sim->sliding.sets.count; ++k) {
        count += sim->sliding.sets.data[k]->skin.triangles.count;
    }
    return count;
}

void hed_sliding_skins(const HedSim* sim, int32_t* triangles, bool* is_apart) {
    for (int32_t s = 0; s < sim->sliding.sets.count; ++s) {
        const HedSlidingSet* set = sim->sliding.sets.data[s];
        for (int32_t k = 0; k < set->skin.triangles.count; ++k) {
            *triangles++ = set->first_point + set->skin.triangles.data[k];
        }
        for (int32_t i = 0; i < set->net.node_count && is_knit(set); ++i) {
            is_apart[set->first_point + i] = true;
        }
    }
}

// The loads of a set as its engine numbers nodes.
static HedStatus hand_loads(const HedSim* sim, HedSlidingSet* set, HedError* error) {
    HedEol* eol = set->eol;
    if (!sim->load) {
        return HED_OK;
    }
    eol->load = HED_NEW_ARRAY(HedVec3, eol->node_count);
    if (!eol->load) {
        return hed_fail_memory(error, "loads");
    }
    for (int32_t k = 0; k < eol->node_count; ++k) {
        eol->load[eol->number[k]] = sim->load[set->first_point + k];
    }
    return HED_OK;
}

HedStatus hed_sliding_prepare(HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    for (int32_t k = 0; k < sim->sliding.sets.count; ++k) {
        HedSlidingSet* set = sim->sliding.sets.data[k];
        HED_TRY(hand_loads(sim, set, error));
        if (sim->def.self_collision && is_knit(set)) {
            HED_TRY(hed_eol_set_self(set->eol, sim->def.self_friction, error));
        }
    }
done:
    return status;
}
