// SPDX-License-Identifier: MIT
#include "slide/slide.h"

#include "base/array.h"
#include "geom/order.h"
#include "slide/model_create.h"
#include "slide/press.h"

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
        .set = 1.0,
        .twist = INFINITY,
        .shear = 5e-3,
        .jam_margin = 0.1,
        .hold = 0.5,
        .crowd = 5.0,
        .friction = 0.3,
        .press = INFINITY,
        .wrap_rest = INFINITY,
        .stretch_damping = {0.0, 1e-3},
        .bend_damping = {0.0, 1e-2},
        .shear_damping = {0.0, 1e-3},
        .wrap_damping = {0.0, 1e-3},
        .stamp = STAMP,
    };
}

void hed_slide_destroy(HedSlide* slide) {
    if (!slide) {
        return;
    }
    hed_net_model_free(&slide->model);
    hed_net_matrix_free(&slide->matrix);
    hed_net_matrix_free(&slide->stiffness);
    hed_net_preconditioner_free(&slide->preconditioner);
    hed_free(slide->number);
    hed_free(slide->order);
    hed_free(slide->q);
    hed_free(slide->v);
    hed_free(slide->trend);
    hed_free(slide->anchor);
    hed_free(slide->gone);
    hed_slide_leave_free(&slide->leave);
    hed_free(slide->press);
    hed_free(slide->rest_press);
    hed_free(slide->normal);
    hed_free(slide->sign);
    hed_free(slide->home);
    hed_free(slide->load);
    hed_free(slide->flow);
    if (slide->spheres) {
        hed_spheres_free(slide->spheres);
        hed_free(slide->spheres);
    }
    hed_free(slide->is_fixed);
    hed_free(slide->is_held);
    hed_free(slide->mass);
    hed_free(slide->start);
    hed_free(slide->guess);
    hed_free(slide->trial);
    hed_free(slide->gradient);
    hed_free(slide->base);
    hed_free(slide->scratch);
    hed_free(slide->node_sum);
    hed_free(slide->slip_bound);
    hed_free(slide);
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
    if (!def->net) {
        return hed_fail(error, HED_INVALID, "sliding yarns: the def has no net");
    }
    const Bound bounds[] = {
        {"linear_density", def->linear_density, 1e-12},
        {"stretch", def->stretch, 1e-12},
        {"slack", def->slack, 0.0},
        {"bend", def->bend, 0.0},
        {"set", def->set, 0.0},
        {"thickness", def->thickness, 0.0},
        {"shear", def->shear, 0.0},
        {"jam_margin", def->jam_margin, 0.0},
        {"hold", def->hold, 0.0},
        {"crowd", def->crowd, 0.0},
        {"friction", def->friction, 0.0},
        {"press", isinf(def->press) && def->press > 0.0 ? 0.0 : def->press, 0.0},
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
    const Bound parts[] = {
        {"set", def->set, 1.0}, {"slack", def->slack, 1.0}, {"thickness", def->thickness, 1.0}};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; ++k) {
        if (parts[k].value > parts[k].least) {
            return hed_fail(error, HED_INVALID, "sliding yarns: %s must be at most 1, got %g",
                            parts[k].name, parts[k].value);
        }
    }
    return hed_net_check(def->net, error);
}

static bool allocate(HedSlide* slide, int64_t nodes) {
    int64_t size = nodes * HED_NODE_SIZE;
    slide->number = HED_NEW_ARRAY(int32_t, nodes);
    slide->order = HED_NEW_ARRAY(int32_t, nodes);
    slide->anchor = HED_NEW_ARRAY(double, nodes * 2);
    slide->gone = HED_NEW_ARRAY(double, nodes);
    slide->press = HED_NEW_ARRAY(double, nodes);
    slide->rest_press = HED_NEW_ARRAY(double, nodes);
    slide->normal = HED_NEW_ARRAY(HedVec3, nodes);
    slide->sign = HED_NEW_ARRAY(int8_t, nodes);
    slide->home = HED_NEW_ARRAY(HedVec3, nodes);
    slide->is_fixed = HED_NEW_ARRAY(uint8_t, size);
    slide->is_held = HED_NEW_ARRAY(uint8_t, size);
    slide->mass = HED_NEW_ARRAY(HedNetMass, nodes);
    slide->scratch = slide->rayleigh > 0.0 ? HED_NEW_ARRAY(double, size * 2) : NULL;
    slide->slip_bound = HED_NEW_ARRAY(float, nodes * 2);
    slide->node_sum = HED_NEW_ARRAY(double, hed_block_count((int32_t)nodes));
    double** vectors[] = {&slide->q,     &slide->v,        &slide->start, &slide->guess,
                          &slide->trial, &slide->gradient, &slide->base,  &slide->trend};
    bool ok = slide->number && slide->order && slide->anchor && slide->gone && slide->press &&
              slide->rest_press && slide->normal && slide->sign && slide->home && slide->is_fixed &&
              slide->is_held && slide->mass && slide->node_sum && slide->slip_bound &&
              (slide->scratch || slide->rayleigh <= 0.0);
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) {
        *vectors[k] = HED_NEW_ARRAY(double, size);
        ok = ok && *vectors[k];
    }
    return ok;
}

// Nodes that are near each other get near numbers.
static HedStatus number_nodes(HedSlide* slide, const HedNet* net, HedError* error) {
    HedVec3* x = HED_NEW_ARRAY(HedVec3, net->node_count);
    if (!x) {
        return hed_fail_memory(error, "nodes of the net");
    }
    for (int32_t n = 0; n < net->node_count; ++n) {
        x[n] = net->nodes[n].position;
    }
    HedStatus status = hed_order_hilbert(x, net->node_count, slide->order, error);
    for (int32_t k = 0; status == HED_OK && k < net->node_count; ++k) {
        slide->number[slide->order[k]] = k;
    }
    hed_free(x);
    return status;
}

static void set_start(HedSlide* slide, const HedSlidingDef* def) {
    const HedNet* net = def->net;
    for (int32_t n = 0; n < net->node_count; ++n) {
        const HedNetNode* node = &net->nodes[n];
        int64_t at = (int64_t)HED_NODE_SIZE * slide->number[n];
        memcpy(slide->q + at, &node->position, sizeof node->position);
        memcpy(slide->v + at, &def->velocity, sizeof def->velocity);
        slide->home[slide->number[n]] = node->position;
        slide->sign[slide->number[n]] = (int8_t)node->sign;
        bool is_single = node->visit[1] < 0;
        for (int s = 0; s < 2; ++s) {
            double u = node->visit[s] >= 0 ? net->visits[node->visit[s]].at : 0.0;
            slide->q[at + 3 + s] = u;
            slide->anchor[2 * slide->number[n] + s] = u;
            slide->is_fixed[at + 3 + s] = is_single;
        }
    }
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        const HedNetYarn* yarn = &net->yarns[y];
        for (int32_t end = 0; yarn->holds_ends && yarn->count > 2 && end < 2; ++end) {
            const HedNetVisit* visit =
                &net->visits[end ? yarn->first + yarn->count - 2 : yarn->first + 1];
            slide->is_fixed[(int64_t)HED_NODE_SIZE * slide->number[visit->node] + 3 + visit->slot] =
                1;
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

static HedStatus make_solver(HedSlide* slide, HedError* error) {
    HedNetModel* model = &slide->model;
    HedStatus status = HED_OK;
    HedNetPattern pattern = {
        .bands = &model->bands,
        .team = slide->team,
        .pairs = (const int32_t(*)[2])model->pairs,
        .pair_count = model->pair_count,
        .has_third = model->has_torsion,
    };
    HED_TRY(hed_net_matrix_create(&slide->matrix, pattern, error));
    if (slide->rayleigh > 0.0) {
        HED_TRY(hed_net_matrix_create(&slide->stiffness, pattern, error));
    }
    HED_TRY(hed_net_preconditioner_create(&slide->preconditioner, slide->settings.preconditioner,
                                          &slide->matrix, slide->home, error));
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
static void set_rest_press(HedSlide* slide, const HedSlidingDef* def) {
    HedPress press = {&slide->model, slide->q, slide->sign, 1.0, slide->normal};
    hed_press_find(&press, slide->rest_press);
    for (int32_t i = 0; i < slide->node_count; ++i) {
        double own = isfinite(def->press) ? def->press : UNSET * fmax(0.0, slide->rest_press[i]);
        slide->rest_press[i] = slide->sign[i] != 0 ? own : 0.0;
    }
}

HedStatus hed_slide_create(const HedSlidingDef* def, const HedSlideSettings* settings,
                           const HedTeam* team, HedSlide** out, HedError* error) {
    *out = NULL;
    HedStatus status = check_def(def, error);
    if (status != HED_OK) {
        return status;
    }
    HedSlide* slide = HED_NEW(HedSlide);
    if (!slide) {
        return hed_fail_memory(error, "sliding yarns");
    }
    slide->settings = *settings;
    slide->team = team;
    slide->node_count = def->net->node_count;
    slide->rayleigh = def->rayleigh;
    slide->friction = def->friction;
    // Off their crossings, yarns are not straight where they are set.
    slide->elastic = def->thickness > 0.0 ? 1.0 : 1.0 - def->set;
    slide->friction_stiffness = def->friction_stiffness > 0.0
                                    ? def->friction_stiffness
                                    : 0.1 * def->stretch / def->net->spacing;
    slide->friction_give = give_of(def->net);
    slide->least_piece = least_of(def->net);
    HED_TRY(allocate(slide, slide->node_count) ? HED_OK : hed_fail_memory(error, "sliding yarns"));
    if (def->convection) {
        slide->flow = HED_NEW_ARRAY(double, (int64_t)slide->node_count* HED_NODE_SIZE);
        HED_TRY(slide->flow ? HED_OK : hed_fail_memory(error, "sliding yarns"));
    }
    HED_TRY(number_nodes(slide, def->net, error));
    set_start(slide, def);
    HED_TRY(hed_net_model_create(&slide->model, def, slide->number, team, error));
    slide->model.gravity = settings->gravity;
    HED_TRY(hed_slide_leave_create(slide, def->net, error));
    set_rest_press(slide, def);
    HED_TRY(hed_net_model_offset(&slide->model, def, slide->sign, slide->q, error));
    HED_TRY(make_solver(slide, error));
done:
    if (status != HED_OK) {
        hed_slide_destroy(slide);
        return status;
    }
    *out = slide;
    return HED_OK;
}

HedStatus hed_slide_set_self(HedSlide* slide, HedError* error) {
    const HedNetModel* model = &slide->model;
    double radius = 0.0;
    for (int32_t y = 0; y < model->yarn_count; ++y) {
        radius = fmax(radius, model->materials[y].radius);
    }
    // Thick enough that layers cannot pass between the nodes of a square of crossings.
    radius = fmax(2.0 * radius, 0.5 * model->spacing);
    double stiffness = model->materials[0].tight / model->spacing;
    slide->spheres = HED_NEW(HedSpheres);
    if (!slide->spheres) {
        return hed_fail_memory(error, "spheres of nodes");
    }
    return hed_spheres_create(slide->spheres, slide->home, slide->node_count, radius, stiffness,
                              error);
}
