// SPDX-License-Identifier: MIT
#include "eol/eol.h"

#include "base/array.h"
#include "eol/crossing_normal_force.h"
#include "eol/model_create.h"
#include "geom/order.h"

#include <math.h>
#include <string.h>

enum { STAMP = 0x736C6431 };

static const double LEAST_PIECE = 0.02; // of the spacing: nodes come no closer along a yarn
static const double UNSET = 0.1; // part of the crimp's force that pressing yarns keep by themselves

HedSlidingDef hed_sliding_def_default(void) {
    return (HedSlidingDef){
        .linear_density = 2.5e-5,
        .stretch = 30.0,
        .bend = 2e-9,
        .set_fraction = 1.0,
        .twist = INFINITY,
        .shear = 5e-3,
        .jam_margin = 0.1,
        .clasp_stiffness = 0.5,
        .jam_stiffness = 5.0,
        .friction = 0.3,
        .crossing_preload = INFINITY,
        .wrap_rest = INFINITY,
        .stretch_damping = {0.0, 1e-3},
        .bend_damping = {0.0, 1e-2},
        .shear_damping = {0.0, 1e-3},
        .wrap_damping = {0.0, 1e-3},
        .stamp = STAMP,
    };
}

void hed_eol_destroy(HedEol* eol) {
    if (!eol) {
        return;
    }
    hed_eol_model_free(&eol->model);
    hed_eol_matrix_free(&eol->matrix);
    hed_eol_matrix_free(&eol->stiffness);
    hed_eol_preconditioner_free(&eol->preconditioner);
    hed_free(eol->number);
    hed_free(eol->order);
    hed_free(eol->q);
    hed_free(eol->v);
    hed_free(eol->trend);
    hed_free(eol->anchor);
    hed_free(eol->detached);
    hed_eol_pullout_free(&eol->pullout);
    hed_eol_view_free(&eol->view);
    hed_free(eol->normal_force);
    hed_free(eol->rest_normal_force);
    hed_free(eol->normal);
    hed_free(eol->slip_metric);
    hed_free(eol->sign);
    hed_free(eol->home);
    hed_free(eol->load);
    hed_free(eol->flow);
    if (eol->spheres) {
        hed_spheres_free(eol->spheres);
        hed_free(eol->spheres);
    }
    hed_free(eol->is_fixed);
    hed_free(eol->is_held);
    hed_free(eol->mass);
    hed_free(eol->start);
    hed_free(eol->guess);
    hed_free(eol->trial);
    hed_free(eol->gradient);
    hed_free(eol->base);
    hed_free(eol->scratch);
    hed_free(eol->node_sum);
    hed_free(eol->slip_bound);
    hed_free(eol);
}

// A number that must be finite and at least `least`.
typedef struct Bound {
    const char* name;
    double value;
    double least;
} Bound;

static HedStatus check_def(const HedSlidingDef* def, HedError* error) {
    if (def->stamp != STAMP) {
        return hed_fail(error, HED_INVALID,
                        "sliding yarns: fill the def with hed_sliding_def_default() first");
    }
    if (!def->net || (uint32_t)def->contact >= HED_SLIDING_CONTACT_COUNT) {
        return hed_fail(error, HED_INVALID, "sliding yarns: the def has no %s",
                        def->net ? "kind of contact that there is" : "net");
    }
    const Bound bounds[] = {
        {"linear_density", def->linear_density, 1e-12},
        {"stretch", def->stretch, 1e-12},
        {"compression_ratio", def->compression_ratio, 0.0},
        {"bend", def->bend, 0.0},
        {"set_fraction", def->set_fraction, 0.0},
        {"thickness", def->thickness, 0.0},
        {"shear", def->shear, 0.0},
        {"jam_margin", def->jam_margin, 0.0},
        {"clasp_stiffness", def->clasp_stiffness, 0.0},
        {"jam_stiffness", def->jam_stiffness, 0.0},
        {"friction", def->friction, 0.0},
        {"crossing_preload",
         isinf(def->crossing_preload) && def->crossing_preload > 0.0 ? 0.0 : def->crossing_preload,
         0.0},
        {"friction_stiffness", def->friction_stiffness, 0.0},
        {"curl_stiffness", def->curl_stiffness, 0.0},
        {"wrap", def->wrap, 0.0},
        {"wrap_damping.density", def->wrap_damping.density, 0.0},
        {"wrap_damping.time", def->wrap_damping.time, 0.0},
        {"stretch_damping.density", def->stretch_damping.density, 0.0},
        {"stretch_damping.time", def->stretch_damping.time, 0.0},
        {"bend_damping.density", def->bend_damping.density, 0.0},
        {"bend_damping.time", def->bend_damping.time, 0.0},
        {"shear_damping.density", def->shear_damping.density, 0.0},
        {"shear_damping.time", def->shear_damping.time, 0.0},
        {"rayleigh", def->rayleigh, 0.0},
    };
    for (size_t k = 0; k < sizeof bounds / sizeof bounds[0]; ++k) {
        if (!(isfinite(bounds[k].value) && bounds[k].value >= bounds[k].least)) {
            return hed_fail(error, HED_INVALID, "sliding yarns: %s must be at least %g, got %g",
                            bounds[k].name, bounds[k].least, bounds[k].value);
        }
    }
    if (isfinite(def->wrap_rest) ? fabs(def->wrap_rest) > 1.0 : !(def->wrap_rest > 0.0)) {
        return hed_fail(error, HED_INVALID,
                        "sliding yarns: wrap_rest must be from -1 to 1, or infinite, got %g",
                        def->wrap_rest);
    }
    const Bound parts[] = {{"set_fraction", def->set_fraction, 1.0},
                           {"compression_ratio", def->compression_ratio, 1.0},
                           {"thickness", def->thickness, 1.0}};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; ++k) {
        if (parts[k].value > parts[k].least) {
            return hed_fail(error, HED_INVALID, "sliding yarns: %s must be at most 1, got %g",
                            parts[k].name, parts[k].value);
        }
    }
    return hed_net_check(def->net, error);
}

static bool allocate(HedEol* eol, int64_t nodes) {
    int64_t size = nodes * HED_NODE_SIZE;
    eol->number = HED_NEW_ARRAY(int32_t, nodes);
    eol->order = HED_NEW_ARRAY(int32_t, nodes);
    eol->anchor = HED_NEW_ARRAY(double, nodes * 2);
    eol->detached = HED_NEW_ARRAY(double, nodes);
    eol->normal_force = HED_NEW_ARRAY(double, nodes);
    eol->rest_normal_force = HED_NEW_ARRAY(double, nodes);
    eol->normal = HED_NEW_ARRAY(HedVec3, nodes);
    eol->slip_metric = HED_NEW_ARRAY(HedSlipMetric, nodes);
    eol->sign = HED_NEW_ARRAY(int8_t, nodes);
    eol->home = HED_NEW_ARRAY(HedVec3, nodes);
    eol->is_fixed = HED_NEW_ARRAY(uint8_t, size);
    eol->is_held = HED_NEW_ARRAY(uint8_t, size);
    eol->mass = HED_NEW_ARRAY(HedEolMass, nodes);
    eol->scratch = eol->rayleigh > 0.0 ? HED_NEW_ARRAY(double, size * 2) : NULL;
    eol->slip_bound = HED_NEW_ARRAY(float, nodes * 2);
    eol->node_sum = HED_NEW_ARRAY(double, hed_block_count((int32_t)nodes));
    double** vectors[] = {&eol->q,     &eol->v,        &eol->start, &eol->guess,
                          &eol->trial, &eol->gradient, &eol->base,  &eol->trend};
    bool ok = eol->number && eol->order && eol->anchor && eol->detached && eol->normal_force &&
              eol->rest_normal_force && eol->normal && eol->slip_metric && eol->sign && eol->home &&
              eol->is_fixed && eol->is_held && eol->mass && eol->node_sum && eol->slip_bound &&
              (eol->scratch || eol->rayleigh <= 0.0);
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) {
        *vectors[k] = HED_NEW_ARRAY(double, size);
        ok = ok && *vectors[k];
    }
    return ok;
}

// Nodes that are near each other get near numbers.
static HedStatus number_nodes(HedEol* eol, const HedNet* net, HedError* error) {
    HedVec3* x = HED_NEW_ARRAY(HedVec3, net->node_count);
    if (!x) {
        return hed_fail_memory(error, "nodes of the net");
    }
    for (int32_t n = 0; n < net->node_count; ++n) {
        x[n] = net->nodes[n].position;
    }
    HedStatus status = hed_order_hilbert(x, net->node_count, eol->order, error);
    for (int32_t k = 0; status == HED_OK && k < net->node_count; ++k) {
        eol->number[eol->order[k]] = k;
    }
    hed_free(x);
    return status;
}

static void set_start(HedEol* eol, const HedSlidingDef* def) {
    const HedNet* net = def->net;
    for (int32_t n = 0; n < net->node_count; ++n) {
        const HedNetNode* node = &net->nodes[n];
        int64_t at = (int64_t)HED_NODE_SIZE * eol->number[n];
        memcpy(eol->q + at, &node->position, sizeof node->position);
        memcpy(eol->v + at, &def->velocity, sizeof def->velocity);
        eol->home[eol->number[n]] = node->position;
        eol->sign[eol->number[n]] = (int8_t)node->sign;
        bool is_single = node->visit[1] < 0;
        for (int s = 0; s < 2; ++s) {
            double u = node->visit[s] >= 0 ? net->visits[node->visit[s]].at : 0.0;
            eol->q[at + 3 + s] = u;
            eol->anchor[2 * eol->number[n] + s] = u;
            eol->is_fixed[at + 3 + s] = is_single;
        }
    }
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        const HedNetYarn* yarn = &net->yarns[y];
        for (int32_t end = 0; yarn->holds_ends && yarn->count > 2 && end < 2; ++end) {
            const HedNetVisit* visit =
                &net->visits[end ? yarn->first + yarn->count - 2 : yarn->first + 1];
            eol->is_fixed[(int64_t)HED_NODE_SIZE * eol->number[visit->node] + 3 + visit->slot] = 1;
        }
    }
}

// m. Pieces that start shorter than others may ever get keep half of what they have.
static double least_of(const HedNet* net) {
    double least = LEAST_PIECE * net->spacing;
    for (int32_t k = 1; k < net->visit_count; ++k) {
        if (net->visits[k].yarn == net->visits[k - 1].yarn) {
            least = fmin(least, 0.5 * (net->visits[k].at - net->visits[k - 1].at));
        }
    }
    return least;
}

static HedStatus make_solver(HedEol* eol, HedError* error) {
    HedEolModel* model = &eol->model;
    HedStatus status = HED_OK;
    HedEolPattern pattern = {
        .bands = &model->bands,
        .team = eol->team,
        .pairs = (const int32_t(*)[2])model->pairs,
        .pair_count = model->pair_count,
        .has_third = model->has_torsion,
    };
    HED_TRY(hed_eol_matrix_create(&eol->matrix, pattern, error));
    if (eol->rayleigh > 0.0) {
        HED_TRY(hed_eol_matrix_create(&eol->stiffness, pattern, error));
    }
    HED_TRY(hed_eol_preconditioner_create(&eol->preconditioner, eol->settings.preconditioner,
                                          &eol->matrix, eol->home, error));
done:
    return status;
}

// Part of the thinnest yarn's radius: a spring of friction that is stiffer makes steps hard to
// solve and nothing more exact.
static double give_of(const HedNet* net) {
    double radius = net->yarns[0].radius;
    for (int32_t y = 1; y < net->yarn_count; ++y) {
        radius = fmin(radius, net->yarns[y].radius);
    }
    return 0.02 * radius;
}

// Yarns that were crimped for long are nearly, but not wholly set in their waves.
static void set_rest_normal_force(HedEol* eol, const HedSlidingDef* def) {
    HedNormalForces press = {&eol->model, eol->q, eol->sign, 1.0, eol->normal, NULL};
    hed_normal_forces_find(&press, eol->rest_normal_force);
    for (int32_t i = 0; i < eol->node_count; ++i) {
        double own = isfinite(def->crossing_preload) ? def->crossing_preload
                                                     : UNSET * fmax(0.0, eol->rest_normal_force[i]);
        eol->rest_normal_force[i] = eol->sign[i] != 0 ? own : 0.0;
    }
}

HedStatus hed_eol_create(const HedSlidingDef* def, const HedEolSettings* settings,
                         const HedTeam* team, HedEol** out, HedError* error) {
    *out = NULL;
    HedStatus status = check_def(def, error);
    if (status != HED_OK) {
        return status;
    }
    HedEol* eol = HED_NEW(HedEol);
    if (!eol) {
        return hed_fail_memory(error, "sliding yarns");
    }
    eol->settings = *settings;
    eol->team = team;
    eol->node_count = def->net->node_count;
    eol->rayleigh = def->rayleigh;
    eol->touches = def->contact == HED_SLIDING_YARNS;
    eol->friction = def->friction;
    // Off their crossings, yarns are not straight where they are set.
    eol->elastic = def->thickness > 0.0 ? 1.0 : 1.0 - def->set_fraction;
    eol->friction_stiffness = def->friction_stiffness > 0.0
                                  ? def->friction_stiffness
                                  : 0.1 * def->stretch / def->net->spacing;
    eol->friction_give = give_of(def->net);
    eol->least_piece = least_of(def->net);
    HED_TRY(allocate(eol, eol->node_count) ? HED_OK : hed_fail_memory(error, "sliding yarns"));
    if (def->convection) {
        eol->flow = HED_NEW_ARRAY(double, (int64_t)eol->node_count* HED_NODE_SIZE);
        HED_TRY(eol->flow ? HED_OK : hed_fail_memory(error, "sliding yarns"));
    }
    HED_TRY(number_nodes(eol, def->net, error));
    set_start(eol, def);
    HED_TRY(hed_eol_model_create(&eol->model, def, eol->number, team, error));
    eol->model.gravity = settings->gravity;
    HED_TRY(hed_eol_pullout_create(eol, def->net, error));
    set_rest_normal_force(eol, def);
    HED_TRY(hed_eol_model_offset(&eol->model, def, eol->sign, eol->q, error));
    HED_TRY(make_solver(eol, error));
done:
    if (status != HED_OK) {
        hed_eol_destroy(eol);
        return status;
    }
    *out = eol;
    return HED_OK;
}

HedStatus hed_eol_set_self(HedEol* eol, double friction, HedError* error) {
    const HedEolModel* model = &eol->model;
    double radius = 0.0;
    for (int32_t y = 0; y < model->yarn_count; ++y) {
        radius = fmax(radius, model->materials[y].radius);
    }
    // Thick enough that layers cannot pass between the nodes of a square of crossings.
    radius = fmax(2.0 * radius, 0.5 * model->spacing);
    double stiffness = model->materials[0].tight / model->spacing;
    eol->spheres = HED_NEW(HedSpheres);
    if (!eol->spheres) {
        return hed_fail_memory(error, "spheres of nodes");
    }
    HedStatus status =
        hed_spheres_create(eol->spheres, eol->home, eol->node_count, radius, stiffness, error);
    eol->spheres->friction = friction;
    return status;
}
