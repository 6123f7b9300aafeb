// SPDX-License-Identifier: MIT
// Terms of sliding yarns that need more than one yarn or that few scenes need: wrapping, the press
// of crimped yarns, crossings that part, material that runs.
#include "base/random.h"
#include "eol/crossing_normal_force.h"
#include "eol/eol.h"
#include "model/eol/kernel_mass.h"
#include "support/eol_steps.h"
#include "support/nets.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double PARTIAL[4096];
static HedTeam TEAM = {1, PARTIAL, 4096};

static HedEol* make(const HedNet* net, HedSlidingDef def) {
    HedError error = {0};
    HedEol* eol = NULL;
    HedEolSettings settings = {
        .preconditioner = HED_PRECONDITION_AUTO,
    };
    def.net = net;
    cr_assert_eq(hed_eol_create(&def, &settings, &TEAM, &eol, &error), HED_OK, "%s", error.message);
    return eol;
}

static int32_t size_of(const HedEol* eol) {
    return HED_NODE_SIZE * eol->node_count;
}

// Moves what is free by up to a part of the spacing.
static void shake(HedEol* eol, double part, uint64_t seed) {
    for (int32_t k = 0; k < size_of(eol); ++k) {
        double by = (hed_random_uniform(seed, 0, (uint64_t)k) - 0.5) * eol->model.spacing;
        eol->q[k] += eol->is_fixed[k] ? 0.0 : part * by;
    }
}

static double energy_of(HedEol* eol, HedEolEnergy part, double over) {
    double sums[HED_EOL_SUMS];
    HedEolEval at = {eol->q, eol->start, over, eol->gradient, NULL};
    hed_eol_model_evaluate(&eol->model, at, sums);
    return sums[part];
}

// --- wrapping ---

static HedSlidingDef wrapped(void) {
    HedSlidingDef def = hed_sliding_def_default();
    def.shear = def.bend = def.clasp_stiffness = def.jam_stiffness = 0.0;
    def.wrap = 1e-2;
    def.stretch_damping = def.bend_damping = (HedSlidingDamping){0};
    def.wrap_damping = (HedSlidingDamping){1e-4, 2e-3};
    return def;
}

// The whole gradient against central differences, with wrapping and its damping.
Test(slide_terms, wrapping_has_its_gradient) {
    HedNet net = {0};
    test_net_knit("rib-1x1", 4, 6, &net);
    HedEol* eol = make(&net, wrapped());
    cr_assert_eq(eol->model.star_count, net.clasp_count);
    memcpy(eol->start, eol->q, sizeof(double) * (size_t)size_of(eol));
    shake(eol, 0.1, 3);
    double step = 1e-6 * net.spacing;
    double over = 1000.0;
    double sums[HED_EOL_SUMS];
    double* gradient = malloc(sizeof *gradient * (size_t)size_of(eol));
    HedEolEval at = {eol->q, eol->start, over, gradient, NULL};
    hed_eol_model_evaluate(&eol->model, at, sums);
    cr_assert_gt(sums[HED_EOL_WRAP], 0.0);
    cr_assert_gt(sums[HED_EOL_DAMPING], 0.0);
    double largest = 0.0, error = 0.0;
    for (int32_t k = 0; k < size_of(eol); ++k) {
        if (eol->is_fixed[k]) {
            continue;
        }
        double both[2];
        double old = eol->q[k];
        for (int side = 0; side < 2; ++side) {
            eol->q[k] = old + (side ? step : -step);
            at.gradient = eol->gradient;
            hed_eol_model_evaluate(&eol->model, at, sums);
            both[side] = 0.0;
            for (int e = 0; e < HED_EOL_SUMS; ++e) {
                both[side] += sums[e];
            }
        }
        eol->q[k] = old;
        double slope = (both[1] - both[0]) / (2.0 * step);
        largest = fmax(largest, fabs(slope));
        error = fmax(error, fabs(slope - gradient[k]));
    }
    // Second order in 1e-6 of the spacing, and rounding 1e-16/1e-6 of sums over all elements.
    cr_assert_lt(error, 1e-6 * largest, "off by %g of %g", error, largest);
    free(gradient);
    hed_eol_destroy(eol);
    hed_net_free(&net);
}

// Where all clasps are at rest the matrix is the second derivative: its product with a small way
// is the change of the gradient.
Test(slide_terms, wrapping_has_its_matrix) {
    HedNet net = {0};
    test_net_knit("stockinette", 4, 6, &net);
    HedSlidingDef def = wrapped();
    def.stretch = 1e-9; // hardly anything but wrapping, damping and torsion, which is at rest too
    def.friction = 0.0;
    HedEol* eol = make(&net, def);
    int32_t size = size_of(eol);
    double sums[HED_EOL_SUMS];
    double* way = calloc((size_t)size, sizeof *way);
    double* product = calloc((size_t)size, sizeof *product);
    double* down = calloc((size_t)size, sizeof *down);
    memcpy(eol->start, eol->q, sizeof(double) * (size_t)size);
    HedEolEval at = {eol->q, eol->start, 1000.0, eol->gradient, &eol->matrix};
    hed_eol_model_evaluate(&eol->model, at, sums);
    hed_eol_matrix_settle(&eol->matrix);
    for (int32_t k = 0; k < size; ++k) {
        // Of positions alone: the coordinates have no part in wrapping.
        way[k] = k % HED_NODE_SIZE < 3 ? hed_random_uniform(5, 0, (uint64_t)k) - 0.5 : 0.0;
    }
    hed_eol_matrix_multiply(&eol->matrix, way, product);
    double step = 1e-5 * net.spacing;
    at.matrix = NULL;
    for (int side = 0; side < 2; ++side) {
        for (int32_t k = 0; k < size; ++k) {
            eol->q[k] = eol->start[k] + (side ? step : -step) * way[k];
        }
        hed_eol_model_evaluate(&eol->model, at, sums);
        memcpy(side ? eol->trial : down, eol->gradient, sizeof(double) * (size_t)size);
    }
    double largest = 0.0, error = 0.0;
    for (int32_t k = 0; k < size; ++k) {
        double change = (eol->trial[k] - down[k]) / (2.0 * step);
        if (k % HED_NODE_SIZE < 3) {
            largest = fmax(largest, fabs(change));
            error = fmax(error, fabs(change - product[k]));
        }
    }
    // The stretch of 1e-9 N leaves out what pushes; differences are of second order in 1e-5.
    cr_assert_lt(error, 1e-5 * largest, "off by %g of %g", error, largest);
    free(way);
    free(product);
    free(down);
    hed_eol_destroy(eol);
    hed_net_free(&net);
}

// Clasps of knit and purl, left and right, want to wind the ways that their signs say: a net whose
// clasps have a turn at rest that is not theirs takes on some of it.
Test(slide_terms, clasps_wind_by_their_sign) {
    HedNet net = {0};
    test_net_knit("rib-1x1", 4, 6, &net);
    HedSlidingDef def = hed_sliding_def_default();
    def.wrap = 1e-2;
    def.wrap_rest = 0.5;
    HedEol* eol = make(&net, def);
    for (int32_t k = 0; k < eol->model.star_count; ++k) {
        cr_assert_eq(eol->model.stars[k].rest, 0.5 * net.clasps[k].sign);
    }
    memcpy(eol->start, eol->q, sizeof(double) * (size_t)size_of(eol));
    double before = energy_of(eol, HED_EOL_WRAP, 0.0);
    for (int k = 0; k < 5; ++k) {
        TestSlideStep one = {.h = 1e-3};
        cr_assert_eq(test_slide_step(eol, &one), HED_NEWTON_CONVERGED);
    }
    cr_assert_lt(energy_of(eol, HED_EOL_WRAP, 0.0), before);
    hed_eol_destroy(eol);
    hed_net_free(&net);
}

// --- press ---

// A crossing well inside: its neighbours' neighbours are crossings of the same weave.
static int32_t inner_node(const HedEol* eol, const HedNet* net) {
    for (int32_t n = 0; n < net->node_count; ++n) {
        bool is_inner = net->nodes[n].sign != 0;
        for (int s = 0; is_inner && s < 2; ++s) {
            for (int k = -3; k <= 3; ++k) {
                int32_t visit = net->nodes[n].visit[s] + k;
                is_inner = is_inner && net->nodes[net->visits[visit].node].sign != 0;
            }
        }
        if (is_inner) {
            return eol->number[n];
        }
    }
    cr_assert_fail("no inner crossing");
    return -1;
}

// Crimped yarns of a plain weave press with 16 B R/L^3 for small crimp (docs/eol.md, section 3.2),
// and keep a tenth of it. Four radii over the spacing are the angle, 0.01: what is left out is its
// square.
Test(slide_terms, crimp_presses) {
    HedNet net = {0};
    test_net_weave(10, 10, &net);
    for (int32_t y = 0; y < net.yarn_count; ++y) {
        net.yarns[y].radius = 1e-6;
    }
    HedSlidingDef def = hed_sliding_def_default();
    HedEol* eol = make(&net, def);
    double expected = 0.1 * 16.0 * def.bend * 1e-6 / pow(net.spacing, 3.0);
    double got = eol->rest_normal_force[inner_node(eol, &net)];
    // The square of the angle.
    cr_assert_lt(fabs(got - expected), 1e-4 * expected, "%g, not %g", got, expected);
    hed_eol_destroy(eol);
    hed_net_free(&net);
}

// Pulled with T on both sides a crossing of a plain weave presses with 4 R T/sqrt(L^2 + 4 R^2);
// pushed together its yarns part, and where they part by more than they press there is no friction.
Test(slide_terms, yarns_part) {
    HedNet net = {0};
    test_net_weave(10, 10, &net);
    HedSlidingDef def = hed_sliding_def_default();
    def.crossing_preload = 1e-3;
    HedEol* eol = make(&net, def);
    int32_t inner = inner_node(eol, &net);
    for (int push = 0; push < 2; ++push) {
        double share = push ? -0.05 : 0.01;
        for (int32_t n = 0; n < net.node_count; ++n) {
            HedVec3 x = net.nodes[n].position;
            double* q = eol->q + (int64_t)HED_NODE_SIZE * eol->number[n];
            q[0] = (1.0 + share) * x.x;
            q[1] = (1.0 + share) * x.y;
        }
        TestSlideStep one = {.h = 1e-9};
        test_slide_step(eol, &one);
        const HedEolMaterial* m = &eol->model.materials[0];
        double radius = m->radius;
        double length = (1.0 + share) * net.spacing;
        double tension = share * (push ? m->slack : m->tight);
        double pull = 4.0 * radius * tension / sqrt(length * length + 4.0 * radius * radius);
        double expected = fmax(0.0, pull + def.crossing_preload);
        // The weave's own coordinates are those of its spacing to rounding.
        cr_assert_lt(fabs(eol->normal_force[inner] - expected), 1e-9 + 1e-6 * expected,
                     "%g, not %g", eol->normal_force[inner], expected);
        cr_assert_eq(expected == 0.0, push == 1);
    }
    hed_eol_destroy(eol);
    hed_net_free(&net);
}

// --- material that runs ---

// J, the kinetic energy of all pieces.
static double kinetic_of(const HedEol* eol, const HedNet* net, const double* q,
                         const double* rate) {
    double sum = 0.0;
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        const HedNetYarn* yarn = &net->yarns[y];
        for (int32_t k = yarn->first; k + 1 < yarn->first + yarn->count; ++k) {
            double place[8], speed[8];
            for (int e = 0; e < 8; ++e) {
                const HedNetVisit* v = &net->visits[k + e / 4];
                int64_t at = (int64_t)HED_NODE_SIZE * eol->number[v->node];
                at += e % 4 < 3 ? e % 4 : 3 + v->slot;
                place[e] = q[at];
                speed[e] = rate[at];
            }
            sum += hed_eol_kinetic_lumped(place, speed, eol->model.materials[y].density);
        }
    }
    return sum;
}

// The momentum of unknown k; exact, as the energy is quadratic in the rates.
static double momentum_of(HedEol* eol, const HedNet* net, int32_t k) {
    double old = eol->v[k];
    eol->v[k] = old + 1.0;
    double up = kinetic_of(eol, net, eol->q, eol->v);
    eol->v[k] = old - 1.0;
    double down = kinetic_of(eol, net, eol->q, eol->v);
    eol->v[k] = old;
    return 0.5 * (up - down);
}

// c = (d momentum/dq) rate - dT/dq, by differences.
Test(slide_terms, flow_is_that_of_lagrange) {
    HedNet net = {0};
    test_net_weave(4, 4, &net);
    HedSlidingDef def = hed_sliding_def_default();
    def.convection = true;
    HedEol* eol = make(&net, def);
    int32_t size = size_of(eol);
    shake(eol, 0.2, 9);
    for (int32_t k = 0; k < size; ++k) {
        double rate = hed_random_uniform(11, 0, (uint64_t)k) - 0.5;
        eol->v[k] = eol->is_fixed[k] ? 0.0 : rate;
    }
    hed_eol_find_flow(&eol->model, (HedEolRates){eol->q, eol->v}, eol->flow);
    double* home = malloc(sizeof *home * (size_t)size);
    memcpy(home, eol->q, sizeof *home * (size_t)size);
    double step = 1e-6 * net.spacing;
    double largest = 0.0, error = 0.0;
    for (int32_t k = 0; k < size; ++k) {
        double momentum[2], energy[2];
        for (int side = 0; side < 2 && !eol->is_fixed[k]; ++side) {
            double by = side ? step : -step;
            for (int32_t i = 0; i < size; ++i) {
                eol->q[i] = home[i] + by * eol->v[i];
            }
            momentum[side] = momentum_of(eol, &net, k);
            memcpy(eol->q, home, sizeof *home * (size_t)size);
            eol->q[k] = home[k] + by;
            energy[side] = kinetic_of(eol, &net, eol->q, eol->v);
            memcpy(eol->q, home, sizeof *home * (size_t)size);
        }
        if (!eol->is_fixed[k]) {
            double c = (momentum[1] - momentum[0] - energy[1] + energy[0]) / (2.0 * step);
            largest = fmax(largest, fabs(c));
            error = fmax(error, fabs(c - eol->flow[k]));
        }
    }
    // Rounding: 1e-16 of momenta with rates of 1 m/s, over 1e-6, at 1e-2 of what cancels in them.
    cr_assert_lt(error, 1e-6 * largest, "off by %g of %g", error, largest);
    free(home);
    hed_eol_destroy(eol);
    hed_net_free(&net);
}

// A belt of yarn that runs through held crossings at V: where it turns, the flux takes rho V^2 from
// its tension, and a step starts with that force.
Test(slide_terms, a_belt_pulls_less) {
    HedNet net = {0};
    test_net_weave(6, 3, &net);
    const HedNetYarn* weft = &net.yarns[7];
    int32_t middle = weft->first + weft->count / 2;
    int32_t corner = net.visits[middle].node;
    // A corner: the node is lifted, and its coordinates stay those of taut pieces.
    net.nodes[corner].position.z += 0.5 * net.spacing;
    HedSlidingDef def = hed_sliding_def_default();
    def.convection = true;
    HedEol* eol = make(&net, def);
    double speed = 3.0;
    HedVec3 w[2];
    for (int side = 0; side < 2; ++side) {
        const HedNetVisit* a = &net.visits[middle - 1 + side];
        HedVec3 from = net.nodes[a[0].node].position;
        HedVec3 to = net.nodes[a[1].node].position;
        double over = 1.0 / (a[1].at - a[0].at);
        w[side] = (HedVec3){over * (to.x - from.x), over * (to.y - from.y), over * (to.z - from.z)};
    }
    for (int32_t k = weft->first; k < weft->first + weft->count; ++k) {
        const HedNetVisit* v = &net.visits[k];
        eol->v[(int64_t)HED_NODE_SIZE * eol->number[v->node] + 3 + v->slot] = speed;
    }
    hed_eol_find_flow(&eol->model, (HedEolRates){eol->q, eol->v}, eol->flow);
    double rho = eol->model.materials[7].density;
    const double* got = eol->flow + (int64_t)HED_NODE_SIZE * eol->number[corner];
    double expected = rho * speed * speed * (w[1].z - w[0].z);
    // A sum of some ten products, each rounded by 1e-16.
    cr_assert_lt(fabs(got[2] - expected), 1e-14 * fabs(expected), "%g, not %g", got[2], expected);
    cr_assert_lt(expected, 0.0); // as a pull that pushes: the corner is thrown outwards
    hed_eol_destroy(eol);
    hed_net_free(&net);
}

// --- layers ---

// A cloth folded over around a half circle of radius `turn` (m).
static void fold(HedNet* net, double turn) {
    double arc = 3.14159265358979323846 * turn;
    for (int32_t n = 0; n < net->node_count; ++n) {
        HedVec3* x = &net->nodes[n].position;
        double s = x->x + 0.5 * arc;
        HedVec3 bent = {-turn * sin(s / turn), x->y, turn * (1.0 - cos(s / turn))};
        HedVec3 under = {-s, x->y, 0.0};
        HedVec3 over = {s - arc, x->y, 2.0 * turn};
        *x = s < 0.0 ? under : s > arc ? over : bent;
    }
}

// m, least height of upper nodes over the lower ones below them, well away from the fold.
static double gap_of(const HedEol* eol, const HedNet* net) {
    double gap = INFINITY;
    for (int32_t a = 0; a < net->node_count; ++a) {
        HedVec3 upper = net->nodes[a].position;
        for (int32_t b = 0; b < net->node_count && upper.x > 3e-3; ++b) {
            HedVec3 lower = net->nodes[b].position;
            double aside = hypot(upper.x - lower.x, upper.y - lower.y);
            if (upper.z > lower.z + 1e-3 && aside < 0.5 * net->spacing) {
                gap = fmin(gap, eol->q[(int64_t)HED_NODE_SIZE * eol->number[a] + 2] -
                                    eol->q[(int64_t)HED_NODE_SIZE * eol->number[b] + 2]);
            }
        }
    }
    return gap;
}

// Layers 2 mm apart; the upper one, of yarn that hardly holds together, goes down by 3 mm in a
// step. Without self-collision it is then below the lower one. With it the step is handed back, as
// it was.
Test(slide_terms, layers_do_not_pass) {
    for (int self = 0; self < 2; ++self) {
        HedNet net = {0};
        test_net_weave(31, 8, &net);
        fold(&net, 1e-3);
        HedSlidingDef def = hed_sliding_def_default();
        def.stretch = 1e-9;
        def.bend = def.shear = def.friction = 0.0;
        HedEol* eol = make(&net, def);
        cr_assert(!self || hed_eol_set_self(eol, 0.3, NULL) == HED_OK);
        for (int32_t n = 0; n < net.node_count; ++n) {
            double* v = eol->v + (int64_t)HED_NODE_SIZE * eol->number[n];
            v[2] = net.nodes[n].position.z > 1.99e-3 ? -3.0 : 0.0;
        }
        TestSlideStep one = {.h = 1e-3};
        HedNewtonReason reason = test_slide_step(eol, &one);
        double gap = gap_of(eol, &net);
        cr_assert_eq(reason, self ? HED_NEWTON_BLOCKED : HED_NEWTON_CONVERGED, "self-collision %d",
                     self);
        // What is handed back is what it was, to the bit.
        cr_assert(self ? gap == 2e-3 : gap < 0.0, "self-collision %d: %g m", self, gap);
        hed_eol_destroy(eol);
        hed_net_free(&net);
    }
}

// --- short pieces ---

// A warp thread that lies a hundredth of the spacing beside the one before it: steps go on, and the
// pieces of weft between them keep some material.
Test(slide_terms, short_pieces_are_possible) {
    HedNet net = {0};
    test_net_weave(6, 5, &net);
    const HedNetYarn* warp = &net.yarns[2];
    double by = 0.99 * net.spacing;
    for (int32_t k = warp->first; k < warp->first + warp->count; ++k) {
        HedNetNode* node = &net.nodes[net.visits[k].node];
        node->position.x -= by;
        if (node->visit[1] >= 0) {
            net.visits[node->visit[1]].at -= by;
        }
    }
    HedEol* eol = make(&net, hed_sliding_def_default());
    for (int k = 0; k < 5; ++k) {
        TestSlideStep one = {.h = 1e-3};
        HedNewtonReason reason = test_slide_step(eol, &one);
        cr_assert_eq(reason, HED_NEWTON_CONVERGED, "step %d: %d after %d iterations", k,
                     (int)reason, one.iterations);
    }
    cr_assert(hed_eol_is_feasible(eol, eol->q));
    hed_eol_destroy(eol);
    hed_net_free(&net);
}
