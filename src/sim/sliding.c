// SPDX-License-Identifier: MIT
// Sliding yarns: from a def to points and a part of the simulation, and what is asked of them
// alone.
//
// Each set is a part with unknowns of its own (eol/eol.h, state/part.h): positions, and where
// along its yarns each node stands. The points of the simulation are the nodes, in the order of the
// net; contacts, pins, loads and measurements need to know nothing else.
#include "heddle/sliding.h"
#include "base/file.h"
#include "eol/eol.h"
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

// The threads of a network; it owns them as soon as it is there.
static HedTeam* make_team(const HedSim* sim, int32_t nodes) {
    HedTeam* team = HED_NEW(HedTeam);
    if (!team) {
        return NULL;
    }
    *team = (HedTeam){.threads = sim->def.thread_count,
                      .partial_capacity = hed_block_count(HED_NODE_SIZE * nodes) + 1};
    team->partial = HED_NEW_ARRAY(double, team->partial_capacity);
    if (!team->partial) {
        hed_free(team);
        return NULL;
    }
    return team;
}

static HedStatus make_eol(const HedSim* sim, const HedSlidingDef* def, HedEol** out,
                          HedError* error) {
    int32_t nodes = def->net ? def->net->node_count : 0;
    if (nodes < 0 || nodes > MOST_NODES) {
        return hed_fail(error, HED_UNSUPPORTED,
                        "a net of sliding yarns has up to %" PRId32 " nodes, got %" PRId32,
                        MOST_NODES, nodes);
    }
    HedTeam* team = make_team(sim, nodes);
    if (!team) {
        return hed_fail_memory(error, "sliding yarns");
    }
    HedEolSettings settings = {
        .gravity = sim->def.gravity,
        .drag = sim->def.drag,
        .force_tolerance = sim->def.force_tolerance,
        .preconditioner = sim->def.preconditioner,
    };
    HedStatus status = hed_eol_create(def, &settings, team, out, error);
    if (status != HED_OK) {
        hed_free(team->partial);
        hed_free(team);
        return status;
    }
    (*out)->view.team = team;
    return hed_eol_view_create(*out, def->net, error);
}

// Surfaces of nodes for contact: half of what is seen of the yarns around each, and how far it
// reaches from the node. At a crossing the yarns lie on either side of the node.
static void append_surface(HedSim* sim, const HedNet* net, int32_t first_point) {
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        const HedNetYarn* yarn = &net->yarns[y];
        for (int32_t k = yarn->first; k < yarn->first + yarn->count; ++k) {
            int32_t a = first_point + net->visits[k].node;
            sim->half_thickness.data[a] += yarn->radius;
            if (k + 1 == yarn->first + yarn->count) {
                break;
            }
            int32_t b = first_point + net->visits[k + 1].node;
            double length = hed_distance3(sim->x.data[a], sim->x.data[b]);
            sim->area.data[a] += yarn->radius * length;
            sim->area.data[b] += yarn->radius * length;
        }
    }
}

// Part of the skin's area that yarns cover: of K1 by the one kind and K2 by the other, K1 + K2 -
// K1 K2, both taken to be half of what yarns would cover side by side.
static double cover_of(const HedEolView* view) {
    const HedNet* net = &view->net;
    double yarns = 0.0, area = 0.0;
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        const HedNetYarn* yarn = &net->yarns[y];
        for (int32_t v = yarn->first; v + 1 < yarn->first + yarn->count; ++v) {
            HedVec3 a = net->nodes[net->visits[v].node].position;
            yarns +=
                2.0 * yarn->radius * hed_distance3(a, net->nodes[net->visits[v + 1].node].position);
        }
    }
    for (int32_t t = 0; t + 2 < view->skin.triangles.count; t += 3) {
        const int32_t* corner = view->skin.triangles.data + t;
        HedVec3 a = net->nodes[corner[0]].position;
        HedVec3 b = hed_sub3(net->nodes[corner[1]].position, a);
        HedVec3 c = hed_sub3(net->nodes[corner[2]].position, a);
        area += 0.5 * hed_norm3(hed_cross3(b, c));
    }
    double one = area > 0.0 ? fmin(1.0, 0.5 * yarns / area) : 0.0;
    return one + one - one * one;
}

// All room is made before anything is written.
static HedStatus append_points(HedSim* sim, const HedSlidingDef* def, HedEol* eol,
                               HedError* error) {
    const HedNet* net = &eol->view.net;
    const HedSkin* skin = &eol->view.skin;
    int32_t n = net->node_count;
    int32_t base = sim->x.count;
    if (n > MOST_NODES - base) {
        return hed_fail(error, HED_UNSUPPORTED, "too many nodes: %" PRId32 " after %" PRId32, n,
                        base);
    }
    if (!HED_RESERVE(&sim->x, n) || !HED_RESERVE(&sim->v, n) || !HED_RESERVE(&sim->mass, n) ||
        !HED_RESERVE(&sim->area, n) || !HED_RESERVE(&sim->half_thickness, n) ||
        !HED_RESERVE(&sim->rest, n) || !HED_RESERVE(&sim->cloths, 1) ||
        !HED_RESERVE(&sim->parts.list, 1) ||
        !HED_RESERVE(&sim->wind_triangles, skin->triangles.count)) {
        return hed_fail_memory(error, "sliding yarns");
    }
    hed_eol_find_mass(&eol->model, eol->q, eol->mass);
    for (int32_t k = 0; k < n; ++k) {
        sim->x.data[base + k] = sim->rest.data[base + k] = net->nodes[k].position;
        sim->v.data[base + k] = def->velocity;
        sim->mass.data[base + k] = eol->mass[eol->number[k]].mass;
        sim->area.data[base + k] = sim->half_thickness.data[base + k] = 0.0;
    }
    sim->x.count = sim->v.count = sim->mass.count = sim->area.count = base + n;
    sim->half_thickness.count = sim->rest.count = base + n;
    append_surface(sim, net, base);
    for (int32_t k = 0; k < skin->triangles.count; ++k) {
        sim->wind_triangles.data[sim->wind_triangles.count++] = base + skin->triangles.data[k];
    }
    return HED_OK;
}

HedStatus hed_sliding_create(HedSim* sim, const HedSlidingDef* given, HedYarnsId* id,
                             HedError* error) {
    HedStatus status = HED_OK;
    HedSlidingDef def = *given;
    HedEol* eol = NULL;
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
    HED_TRY(make_eol(sim, &def, &eol, error));
    cloth.name = hed_text_copy(def.name);
    cloth.place = HED_NEW_ARRAY(int32_t, eol->node_count);
    if (!cloth.name || !cloth.place) {
        HED_TRY(hed_fail_memory(error, "sliding yarns"));
    }
    HED_TRY(append_points(sim, &def, eol, error));
    cloth.point_count = cloth.vertex_count = eol->node_count;
    cloth.curve_count = eol->view.net.yarn_count;
    cloth.wind_share = cover_of(&eol->view);
    cloth.tie_stiffness = eol->model.materials[0].tight / eol->model.spacing;
    for (int32_t k = 0; k < cloth.vertex_count; ++k) {
        cloth.place[k] = cloth.first_point + k;
    }
    sim->parts.list.data[sim->parts.list.count++] =
        (HedPart){.type = &HED_EOL_PART,
                  .self = eol,
                  .size = HED_NODE_SIZE * eol->node_count,
                  .point_count = eol->node_count,
                  .first_point = cloth.first_point};
    cloth.part = sim->parts.list.count;
    sim->cloths.data[sim->cloths.count++] = cloth;
    *id = (HedYarnsId){sim->cloths.count, sim->stamp};
done:
    if (status != HED_OK) {
        hed_free(cloth.name);
        hed_free(cloth.place);
        hed_eol_destroy(eol);
    }
    return status;
}

// --- what is asked of sliding yarns alone ---

// NULL: they are others.
static const HedEol* find_eol(const HedSim* sim, const HedCloth* cloth) {
    const HedPart* part = cloth ? hed_cloth_part(sim, cloth) : NULL;
    return part && part->type == &HED_EOL_PART ? part->self : NULL;
}

int32_t hed_sliding_node_count(const HedSim* sim, HedYarnsId id) {
    const HedEol* eol = find_eol(sim, hed_sim_find_yarns(sim, id, NULL));
    return eol ? eol->node_count : 0;
}

void hed_sliding_node_positions(const HedSim* sim, HedYarnsId id, HedVec3* positions) {
    const HedCloth* yarns = hed_sim_find_yarns(sim, id, NULL);
    for (int32_t k = 0; find_eol(sim, yarns) && k < yarns->vertex_count; ++k) {
        positions[k] = sim->x.data[yarns->place[k]];
    }
}

int32_t hed_sliding_skin(const HedSim* sim, HedYarnsId id, int32_t* corners) {
    const HedEol* eol = find_eol(sim, hed_sim_find_yarns(sim, id, NULL));
    if (!eol) {
        return 0;
    }
    return corners && !hed_eol_view_skin(&eol->view, corners) ? -1
                                                              : eol->view.skin.triangles.count / 3;
}

void hed_sliding_coordinates(const HedSim* sim, HedYarnsId id, double* along) {
    const HedEol* eol = find_eol(sim, hed_sim_find_yarns(sim, id, NULL));
    for (int32_t k = 0; eol && k < 2 * eol->node_count; ++k) {
        along[k] = eol->q[(int64_t)HED_NODE_SIZE * eol->number[k / 2] + 3 + k % 2];
    }
}

int32_t hed_sliding_gone(const HedSim* sim, HedYarnsId id, bool* is_gone) {
    const HedEol* eol = find_eol(sim, hed_sim_find_yarns(sim, id, NULL));
    for (int32_t k = 0; eol && is_gone && k < eol->node_count; ++k) {
        is_gone[k] = eol->detached[eol->number[k]] != 0.0;
    }
    return eol ? eol->pullout.count : 0;
}

int32_t hed_sliding_gone_count(const HedSim* sim) {
    int32_t count = 0;
    for (int32_t k = 0; k < sim->cloths.count; ++k) {
        const HedEol* eol = find_eol(sim, &sim->cloths.data[k]);
        count += eol ? eol->pullout.count : 0;
    }
    return count;
}
