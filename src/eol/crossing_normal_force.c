// SPDX-License-Identifier: MIT
// How hard the two yarns of each crossing press on each other, from the pull of each where it
// really lies: a radius off the node (docs/eol.md, section 3.2).
#include "eol/crossing_normal_force.h"

#include "model/eol/kernel_normal.h"

#include <math.h>

// Where a yarn lies at a place, so many radii off.
static HedVec3 point_at(const HedNormalForces* press, int32_t place, double part) {
    const HedYarnPacks* bands = &press->model->bands;
    int32_t node = bands->node[place];
    HedVec3 x = hed_eol_point(press->q + (int64_t)HED_NODE_SIZE * node);
    double side = bands->slot[place] == 0 ? press->sign[node] : -press->sign[node];
    double radius = press->model->materials[press->model->yarn_of[bands->visit[place]]].radius;
    return hed_madd3(x, part * side * radius, press->normal[node]);
}

static void load(const HedNormalForces* press, int32_t place, double* out) {
    const HedYarnPacks* bands = &press->model->bands;
    const double* at = press->q + (int64_t)HED_NODE_SIZE * bands->node[place];
    out[0] = at[0];
    out[1] = at[1];
    out[2] = at[2];
    out[3] = at[3 + bands->slot[place]];
}

// The pull of the piece from a place to the next one, on the first of them.
static HedVec3 pull_of(const HedNormalForces* press, int32_t place) {
    const HedEolModel* model = press->model;
    const HedEolMaterial* m = &model->materials[model->yarn_of[model->bands.visit[place]]];
    double q[8];
    load(press, place, q);
    load(press, place + HED_YARN_PACK, q + 4);
    return hed_eol_offset_pull(q, (HedEolStretch){m->tight, m->slack}, point_at(press, place, 1.0),
                               point_at(press, place + HED_YARN_PACK, 1.0));
}

// The force of bending about a place on its end number k (0, 1, 2).
static HedVec3 bend_of(const HedNormalForces* press, int32_t middle, int k) {
    const HedEolModel* model = press->model;
    int32_t visit = model->bands.visit[middle];
    if (visit < 0 || !(model->bands.kind[middle] & HED_PLACE_TURN)) {
        return (HedVec3){0};
    }
    // Yarns that bend off their crossings are set in what they are there.
    double part = model->thickness > 0.0 ? model->thickness : 1.0;
    double q[12], g[12];
    for (int i = 0; i < 3; ++i) {
        int32_t place = middle + (i - 1) * HED_YARN_PACK;
        load(press, place, q + 4 * i);
        hed_eol_put3(q + 4 * i, point_at(press, place, part));
    }
    hed_eol_bend(q, hed_eol_bend_at(model, visit), g, NULL, false);
    return hed_mul3(-1.0, hed_eol_point(g + 4 * k));
}

static HedVec3 force_of(const HedNormalForces* press, int32_t place) {
    HedVec3 force = hed_sub3(pull_of(press, place), pull_of(press, place - HED_YARN_PACK));
    for (int k = 0; press->elastic > 0.0 && k < 3; ++k) {
        HedVec3 bend = bend_of(press, place + (1 - k) * HED_YARN_PACK, k);
        force = hed_madd3(force, press->elastic, bend);
    }
    return force;
}

// Along a yarn, the derivative of position by place: the direction of its way through a node, with
// the mean stretch of the pieces beside it. A difference of tension between these, times that
// stretch, is what the yarn exerts on its place there.
static HedVec3 derivative_of(const double q[12], HedVec3 way) {
    double stretch = 0.0;
    for (int k = 0; k < 2; ++k) {
        const double* a = q + 4 * (ptrdiff_t)k;
        double length = hed_distance3(hed_eol_point(a), hed_eol_point(a + 4));
        stretch += 0.5 * length / hed_eol_max(a[7] - a[3], HED_EOL_LEAST);
    }
    return hed_mul3(stretch, hed_unit3(way, (HedVec3){0}));
}

static void find_frame(const HedNormalForces* press, int32_t node) {
    const HedYarnPacks* bands = &press->model->bands;
    HedVec3 way[2];
    HedVec3 w[2];
    for (int s = 0; s < 2; ++s) {
        int32_t place = bands->place[node][s];
        double q[12];
        for (int k = 0; k < 3; ++k) {
            load(press, place + (k - 1) * HED_YARN_PACK, q + 4 * k);
        }
        way[s] = hed_eol_way(q, q + 4, q + 8);
        w[s] = derivative_of(q, way[s]);
    }
    press->normal[node] = hed_eol_normal(way[0], way[1], (HedVec3){0});
    if (press->slip) {
        press->slip[node] =
            (HedSlipMetric){hed_dot3(w[0], w[0]), -hed_dot3(w[0], w[1]), hed_dot3(w[1], w[1])};
    }
}

static double press_of(const HedNormalForces* press, int32_t node) {
    const HedEolModel* model = press->model;
    HedVec3 force[2];
    double mass[2];
    for (int s = 0; s < 2; ++s) {
        int32_t place = model->bands.place[node][s];
        force[s] = force_of(press, place);
        mass[s] = model->materials[model->yarn_of[model->bands.visit[place]]].density;
    }
    HedVec3 normal = hed_mul3(press->sign[node], press->normal[node]);
    return hed_eol_press(normal, force, mass);
}

void hed_normal_forces_find(const HedNormalForces* press, double* out) {
    int32_t nodes = press->model->node_count;
#pragma omp parallel num_threads(hed_team_size(press->model->team, INT64_C(150) * nodes))
    {
        HedThreadTeam threads = hed_thread_team();
        HedShare own = hed_thread_team_share(threads, 0, nodes);
        for (int32_t i = own.first; i < own.end; ++i) {
            if (press->sign[i] != 0) {
                find_frame(press, i);
            } else {
                press->normal[i] = (HedVec3){0};
                if (press->slip) {
                    press->slip[i] = (HedSlipMetric){0};
                }
            }
        }
        hed_thread_team_barrier(threads);
        for (int32_t i = own.first; i < own.end; ++i) {
            out[i] = press->sign[i] != 0 ? press_of(press, i) : 0.0;
        }
    }
}
