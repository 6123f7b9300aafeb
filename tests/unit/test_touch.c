// SPDX-License-Identifier: MIT
// Contacts of yarns of two layers: forces of the nodes against differences of the energy, a matrix
// that is symmetric and positive, which contacts there are, and what they remember.
#include "base/alloc.h"
#include "base/random.h"
#include "heddle/sliding.h"
#include "sim/internal.h"
#include "sim/newton.h"
#include "support/nets.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const double RADIUS = 1e-4; // m, of test_net_weave

typedef struct Layers {
    HedSim* sim;
    HedNet nets[2];
    HedStep step;
} Layers;

static void add_layer(HedSim* sim, HedNet* net, int32_t side, double turn, double height) {
    HedError error = {0};
    HedYarnsId id = {0};
    test_net_weave(side, side, net);
    for (int32_t n = 0; n < net->node_count; ++n) {
        HedVec3* x = &net->nodes[n].position;
        *x = hed_vec3(cos(turn) * x->x - sin(turn) * x->y, sin(turn) * x->x + cos(turn) * x->y,
                      x->z + height);
    }
    HedSlidingDef def = hed_sliding_def_default();
    def.name = "layer";
    def.net = net;
    def.contact = HED_SLIDING_YARNS;
    cr_assert_eq(hed_sliding_create(sim, &def, &id, &error), HED_OK, "%s", error.message);
}

// Two layers at a distance, the upper one turned; a step has begun.
static Layers lay(double turn, double apart, int32_t threads) {
    Layers made = {0};
    HedSimDef def = hed_sim_def_default();
    def.time_step = 1e-3;
    def.thread_count = threads;
    def.self_collision = true;
    def.self_friction = 0.5;
    made.sim = rig_sim(&def);
    add_layer(made.sim, &made.nets[0], 8, 0.0, 0.0);
    add_layer(made.sim, &made.nets[1], 6, turn, apart);
    rig_prepare(made.sim);
    return made;
}

static void begin(Layers* made) {
    cr_assert_eq(hed_implicit_begin(made->sim, &made->step), HED_OK);
    cr_assert(hed_sim_touches_begin(made->sim));
}

static void end(Layers* made) {
    hed_sim_destroy(made->sim);
    hed_net_free(&made->nets[0]);
    hed_net_free(&made->nets[1]);
}

// Every unknown a little off its place; contacts of which some slip.
static void disturb(Layers* made, double size) {
    HedTouches* touches = made->sim->touches;
    for (int32_t k = 0; k < 2; ++k) {
        HedEol* eol = touches->cloths.data[k].eol;
        for (int32_t i = 0; i < HED_NODE_SIZE * eol->node_count; ++i) {
            eol->trial[i] += size * (hed_random_uniform(7, (uint64_t)k, (uint64_t)i) - 0.5);
        }
    }
    for (int32_t k = 0; k < touches->contacts.count; ++k) {
        HedTouchContact* c = &touches->contacts.data[k];
        c->friction = hed_touch_limit(c, 4e-6 * hed_random_uniform(8, 0, (uint64_t)k)); // N
    }
}

// 2 (|sin| + |cos|) crossings of warp or weft of one layer with those of the other per cell (sheet
// of 5 x 5 cells of the smaller one), and those that lie beyond its outermost threads, on tails.
Test(touch, as_many_contacts_as_yarns_cross) {
    for (int k = 0; k < 4; ++k) {
        double turn = 0.1 * k;
        Layers made = lay(turn, 3.7 * RADIUS, 1);
        begin(&made);
        int32_t count = made.sim->touches->contacts.count;
        // Two yarns of 6 threads of length l = 5 to 7 spacings (with tails) cross l sin or l cos
        // threads per thread: 6 (l |sin| + l |cos|) twice.
        double whole = 12.0 * (fabs(sin(turn)) + fabs(cos(turn)));
        if (turn == 0.0 || sin(turn) > 0.25) {
            cr_assert_gt(count, 4.9 * whole, "%d at %g", count, turn);
        } else { // yarns nearly parallel do not count
            cr_assert_gt(count, 4.9 * 12.0 * cos(turn), "%d at %g", count, turn);
        }
        cr_assert_lt(count, 7.5 * whole, "%d at %g", count, turn);
        end(&made);
    }
}

// u and v are those of the least energy, so its derivative by the nodes is that at fixed u and v.
Test(touch, residual_is_the_slope_of_the_energy) {
    Layers made = lay(0.4, 3.5 * RADIUS, 1);
    HedTouches* touches = made.sim->touches;
    int32_t size = made.sim->implicit.size;
    double* residual = hed_alloc_array(size, sizeof *residual);
    begin(&made);
    for (int32_t k = 0; k < touches->contacts.count; ++k) { // as if they had come nearer since
        touches->contacts.data[k].law.distance += 0.05 * RADIUS;
    }
    disturb(&made, 0.1 * RADIUS);
    for (int32_t i = 0; i < size; ++i) {
        residual[i] = 0.0;
    }
    hed_touches_evaluate(touches, residual);
    double most = hed_team_max_abs(&made.sim->team, residual, size);
    cr_assert_gt(most, 1e-6); // N: friction alone has up to 4e-6
    int tested = 0;
    for (int32_t k = 0; k < 2; ++k) {
        HedTouchCloth* cloth = &touches->cloths.data[k];
        for (int32_t i = 0; i < HED_NODE_SIZE * cloth->eol->node_count; i += 7) {
            double step = 1e-4 * RADIUS;
            double* at = &cloth->eol->trial[i];
            double was = *at;
            double e[4];
            double* unused = hed_alloc_array(size, sizeof *unused);
            for (int n = 0; n < 4; ++n) {
                *at = was + (n % 2 ? -step : step) * (n < 2 ? 1.0 : 0.5);
                e[n] = hed_touches_evaluate(touches, unused);
            }
            *at = was;
            hed_free(unused);
            double slope = (4.0 * (e[2] - e[3]) / step - (e[0] - e[1]) / (2.0 * step)) / 3.0;
            // Second derivatives jump where friction begins to slip: by all of the stiffness there,
            // 10 k = 3 kN/m per 1e-8 m of the step. Elsewhere the fourth order of it is far less.
            cr_assert_float_eq(-slope, residual[cloth->first + i], 2e-3 * most, "%d: %g is not %g",
                               i, residual[cloth->first + i], -slope);
            tested += residual[cloth->first + i] != 0.0;
        }
    }
    cr_assert_gt(tested, 50);
    hed_free(residual);
    end(&made);
}

// What the matrix is of: own blocks and the rest.
static void multiply(Layers* made, const double* x, double* y) {
    HedTouches* touches = made->sim->touches;
    for (int32_t k = 0; k < 2; ++k) {
        const HedTouchCloth* cloth = &touches->cloths.data[k];
        for (int32_t i = 0; i < cloth->eol->node_count; ++i) {
            const double* own = cloth->own + (ptrdiff_t)HED_NODE_DIAGONAL * i;
            const double* from = x + cloth->first + (ptrdiff_t)HED_NODE_SIZE * i;
            double* to = y + cloth->first + (ptrdiff_t)HED_NODE_SIZE * i;
            for (int r = 0; r < HED_NODE_SIZE; ++r) {
                for (int c = 0; c < HED_NODE_SIZE; ++c) {
                    to[r] += own[hed_eol_diagonal(r < c ? r : c, r < c ? c : r)] * from[c];
                }
            }
        }
    }
    hed_touches_multiply(touches, x, y);
}

Test(touch, matrix_is_symmetric_and_positive) {
    Layers made = lay(0.4, 3.5 * RADIUS, 1);
    int32_t size = made.sim->implicit.size;
    double* x[2];
    double* y[2];
    begin(&made);
    for (int32_t k = 0; k < made.sim->touches->contacts.count; ++k) {
        made.sim->touches->contacts.data[k].law.distance += 0.05 * RADIUS;
    }
    disturb(&made, 0.1 * RADIUS);
    for (int wary = 0; wary < 2; ++wary) {
        hed_touches_linearise(made.sim->touches, wary);
        for (int trial = 0; trial < 20; ++trial) {
            double dot[3] = {0.0, 0.0, 0.0};
            double scale = 0.0;
            for (int n = 0; n < 2; ++n) {
                x[n] = hed_alloc_array(size, sizeof *x[n]);
                y[n] = hed_alloc_array(size, sizeof *y[n]);
                for (int32_t i = 0; i < size; ++i) {
                    x[n][i] = hed_random_uniform(9, (uint64_t)(2 * trial + n), (uint64_t)i) - 0.5;
                    y[n][i] = 0.0;
                }
                multiply(&made, x[n], y[n]);
            }
            for (int32_t i = 0; i < size; ++i) {
                dot[0] += x[0][i] * y[1][i];
                dot[1] += x[1][i] * y[0][i];
                dot[2] += x[0][i] * y[0][i];
                scale += fabs(x[0][i] * y[1][i]);
            }
            // A thousand terms, each rounded by 1e-16, after sums that cancel by some digits.
            cr_assert_float_eq(dot[0], dot[1], 1e-11 * scale);
            cr_assert_gt(dot[2], 0.0);
            for (int n = 0; n < 2; ++n) {
                hed_free(x[n]);
                hed_free(y[n]);
            }
        }
    }
    end(&made);
}

// Sums over everything: no force from nothing.
Test(touch, forces_add_up_to_nothing) {
    Layers made = lay(0.4, 3.5 * RADIUS, 1);
    int32_t size = made.sim->implicit.size;
    double* residual = hed_alloc_array(size, sizeof *residual);
    begin(&made);
    for (int32_t k = 0; k < made.sim->touches->contacts.count; ++k) {
        made.sim->touches->contacts.data[k].law.distance += 0.05 * RADIUS;
    }
    disturb(&made, 0.1 * RADIUS);
    hed_touches_evaluate(made.sim->touches, residual);
    double sum[3] = {0.0, 0.0, 0.0};
    double scale = 0.0;
    for (int32_t i = 0; i < size; ++i) {
        if (i % HED_NODE_SIZE < 3) {
            sum[i % HED_NODE_SIZE] += residual[i];
            scale += fabs(residual[i]);
        }
    }
    for (int c = 0; c < 3; ++c) {
        cr_assert_leq(fabs(sum[c]), 1e-12 * scale); // hundreds of terms rounded by 1e-16
    }
    hed_free(residual);
    end(&made);
}

// A layer that lies on the other and slides: bits are those of one thread, and of a step that went
// on from a checkpoint.
Test(touch, same_bits_for_threads_and_after_a_checkpoint) {
    double* state[4];
    int32_t size = 0;
    for (int run = 0; run < 4; ++run) {
        Layers made = lay(0.4, 3.601 * RADIUS, run < 3 ? 1 + run : 1);
        for (int k = 0; k < 12; ++k) {
            if (run == 3 && k == 6) {
                HedSnapshotArray from[HED_SNAPSHOT_LIMIT];
                Layers other = lay(0.4, 3.601 * RADIUS, 2);
                HedSnapshotArray to[HED_SNAPSHOT_LIMIT];
                int32_t count = hed_sim_snapshot(made.sim, from);
                cr_assert_eq(hed_sim_snapshot(other.sim, to), count);
                for (int32_t a = 0; a < count; ++a) {
                    if (to[a].bytes != from[a].bytes) {
                        HedError error = {0};
                        cr_assert_eq(
                            hed_sim_snapshot_resize(other.sim, from[a].bytes, &to[a], &error),
                            HED_OK, "%s", error.message);
                    }
                    if (from[a].bytes > 0) {
                        memcpy(to[a].data, from[a].data, (size_t)from[a].bytes);
                    }
                }
                HedError error = {0};
                cr_assert_eq(hed_sim_restored(other.sim, &error), HED_OK, "%s", error.message);
                end(&made);
                made = other;
            }
            rig_step(made.sim);
        }
        size = made.sim->x.count;
        state[run] = hed_alloc_array(3 * size, sizeof **state);
        memcpy(state[run], made.sim->x.data, sizeof(HedVec3) * (size_t)size);
        end(&made);
    }
    for (int run = 1; run < 4; ++run) {
        cr_assert_eq(memcmp(state[0], state[run], sizeof(HedVec3) * (size_t)size), 0, "run %d",
                     run);
    }
    for (int run = 0; run < 4; ++run) {
        hed_free(state[run]);
    }
}

// Two layers that fly towards each other faster than their distance in a step, and one that starts
// nearer than yarns are thick.
Test(touch, nothing_passes) {
    for (int speed = 0; speed < 3; ++speed) {
        HedSimDef def = hed_sim_def_default();
        def.time_step = 1e-3;
        def.gravity = (HedVec3){0};
        def.thread_count = 1;
        def.self_collision = true;
        Layers made = {.sim = rig_sim(&def)};
        add_layer(made.sim, &made.nets[0], 8, 0.0, 0.0);
        add_layer(made.sim, &made.nets[1], 6, 0.4, 6.0 * RADIUS);
        rig_prepare(made.sim);
        int32_t first = made.nets[0].node_count;
        double v[] = {0.2, 2.0, 20.0};
        for (int32_t i = first; i < made.sim->x.count; ++i) {
            made.sim->v.data[i].z = -v[speed];
        }
        hed_parts_set_points(made.sim);
        for (int k = 0; k < 20; ++k) {
            HedStepReport report = {0};
            HedError error = {0};
            cr_assert_eq(hed_sim_step(made.sim, &report, &error), HED_OK, "%s", error.message);
            if (report.reason != HED_REASON_CONVERGED) {
                break; // given up, with the last good state
            }
        }
        HedVec3 mean[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        for (int32_t i = 0; i < made.sim->x.count; ++i) {
            mean[i >= first] = hed_add3(mean[i >= first], made.sim->x.data[i]);
        }
        double apart = mean[1].z / (made.sim->x.count - first) - mean[0].z / first;
        cr_assert_gt(apart, 0.0, "at %g m/s: %g", v[speed], apart);
        end(&made);
    }
}

// Wherever memory runs out in a step, it is given back whole, and made again to the same bits.
Test(touch, a_step_without_memory_changes_nothing) {
    Layers calm = lay(0.4, 3.55 * RADIUS, 1);
    rig_step(calm.sim);
    HedStatus status = HED_NO_MEMORY;
    int failed = 0;
    for (int64_t n = 1; status != HED_OK; ++n) {
        Layers made = lay(0.4, 3.55 * RADIUS, 1);
        size_t bytes = sizeof(HedVec3) * (size_t)made.sim->x.count;
        HedVec3* before = hed_alloc_array(made.sim->x.count, sizeof *before);
        memcpy(before, made.sim->x.data, bytes);
        HedStepReport report = {0};
        hed_alloc_fail_at(n);
        status = hed_sim_step(made.sim, &report, NULL);
        hed_alloc_fail_at(0);
        if (status != HED_OK) {
            failed += 1;
            cr_assert_eq(status, HED_NO_MEMORY);
            cr_assert_eq(memcmp(before, made.sim->x.data, bytes), 0);
            rig_step(made.sim);
        }
        cr_assert_eq(memcmp(calm.sim->x.data, made.sim->x.data, bytes), 0);
        hed_free(before);
        end(&made);
    }
    cr_assert_gt(failed, 5);
    end(&calm);
}
