// SPDX-License-Identifier: MIT
#include "eol/pullout.h"

#include "base/array.h"
#include "eol/eol.h"

#include <math.h>
#include <string.h>

static const double CLOSEST = 0.04; // of the spacing; steps allow half of it (eol/part.c)

// --- making ---

void hed_eol_pullout_free(HedEolPullout* pullout) {
    hed_free(pullout->yarn_first);
    hed_free(pullout->visit_at);
    hed_free(pullout->line);
    hed_free((void*)pullout->least);
    hed_free((void*)pullout->empty);
    hed_free(pullout->sign);
    hed_free(pullout->fixed);
    *pullout = (HedEolPullout){0};
}

static bool allocate(HedEolPullout* pullout, const HedNet* net) {
    pullout->yarn_count = net->yarn_count;
    pullout->yarn_first = HED_NEW_ARRAY(int32_t, (int64_t)net->yarn_count + 1);
    pullout->visit_at = HED_NEW_ARRAY(int32_t, net->visit_count);
    pullout->line = HED_NEW_ARRAY(int32_t, net->yarn_count);
    pullout->least = (double(*)[2])hed_alloc_array(net->yarn_count, sizeof *pullout->least);
    pullout->empty = (int32_t(*)[2])hed_alloc_array(net->yarn_count, sizeof *pullout->empty);
    pullout->sign = HED_NEW_ARRAY(int8_t, net->node_count);
    pullout->fixed = HED_NEW_ARRAY(uint8_t, net->node_count);
    return pullout->yarn_first && pullout->visit_at && pullout->line && pullout->least &&
           pullout->empty && pullout->sign && pullout->fixed;
}

// A crossing leaves when the end of the yarn comes under the other one: at its radius, but not
// before half of the tail at the start is used up.
static double least_of(const HedNet* net, int32_t end, int32_t crossing) {
    double tail = fabs(net->visits[end].at - net->visits[crossing].at);
    const HedNetNode* node = &net->nodes[net->visits[crossing].node];
    int32_t other = node->visit[1 - net->visits[crossing].slot];
    double radius = other >= 0 ? net->yarns[net->visits[other].yarn].radius : 0.0;
    return fmax(CLOSEST * net->spacing, fmin(radius, 0.5 * tail));
}

static int32_t yarn_at(const HedEol* eol, int32_t node, int slot) {
    int32_t place = eol->model.bands.place[node][slot];
    return eol->model.yarn_of[eol->model.bands.visit[place]];
}

HedStatus hed_eol_pullout_create(HedEol* eol, const HedNet* net, HedError* error) {
    HedEolPullout* pullout = &eol->pullout;
    const HedYarnPacks* bands = &eol->model.bands;
    if (!allocate(pullout, net)) {
        return hed_fail_memory(error, "ends of yarns");
    }
    for (int32_t e = 0; e < net->visit_count; ++e) {
        pullout->visit_at[e] = 2 * eol->number[net->visits[e].node] + net->visits[e].slot;
    }
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        const HedNetYarn* yarn = &net->yarns[y];
        int32_t last = yarn->first + yarn->count - 1;
        int32_t place = bands->place_of[yarn->first];
        bool is_one = bands->place_of[last] == place + (yarn->count - 1) * HED_YARN_PACK;
        for (int32_t e = yarn->first; e <= last; ++e) {
            is_one = is_one && net->visits[e].clasp < 0;
        }
        pullout->yarn_first[y] = yarn->first;
        pullout->line[y] = is_one ? place : -1;
        pullout->least[y][0] = least_of(net, yarn->first, yarn->first + 1);
        pullout->least[y][1] = least_of(net, last, last - 1);
    }
    pullout->yarn_first[net->yarn_count] = net->visit_count;
    for (int32_t i = 0; i < eol->node_count; ++i) {
        const uint8_t* fixed = eol->is_fixed + (int64_t)HED_NODE_SIZE * i;
        pullout->sign[i] = eol->sign[i];
        bool is_whole = true;
        for (int s = 0; eol->sign[i] != 0 && s < 2; ++s) {
            is_whole = is_whole && pullout->line[yarn_at(eol, i, s)] >= 0;
        }
        pullout->fixed[i] =
            (uint8_t)(fixed[3] | fixed[4] << 1 | (eol->sign[i] != 0 && is_whole) << 2);
    }
    return HED_OK;
}

// --- what there is ---

static int32_t count_of(const HedEolPullout* pullout, int32_t yarn) {
    return pullout->yarn_first[yarn + 1] - pullout->yarn_first[yarn];
}

// Places of a yarn that have a node.
static int32_t live_of(const HedEolPullout* pullout, int32_t yarn) {
    return count_of(pullout, yarn) - pullout->empty[yarn][0] - pullout->empty[yarn][1];
}

// Place number k of those.
static int32_t place_at(const HedEolPullout* pullout, int32_t yarn, int32_t k) {
    return pullout->line[yarn] + (pullout->empty[yarn][0] + k) * HED_YARN_PACK;
}

static int gone_at(const HedEol* eol, int32_t node) {
    return (int)eol->detached[node];
}

static double along(const HedEol* eol, const double* q, int32_t place) {
    const HedYarnPacks* bands = &eol->model.bands;
    return q[(int64_t)HED_NODE_SIZE * bands->node[place] + 3 + bands->slot[place]];
}

int32_t hed_eol_pullout_visit(const HedEol* eol, int32_t yarn, int32_t k) {
    const HedEolPullout* pullout = &eol->pullout;
    int32_t place = pullout->line[yarn];
    return place < 0 ? pullout->yarn_first[yarn] + k
                     : eol->model.bands.visit[place + k * HED_YARN_PACK];
}

bool hed_eol_pullout_is_out(const HedEol* eol, int32_t yarn) {
    return count_of(&eol->pullout, yarn) > 2 && live_of(&eol->pullout, yarn) == 2;
}

bool hed_eol_pullout_may(const HedEol* eol, int32_t node) {
    return (eol->pullout.fixed[node] & 4) != 0;
}

// --- lines ---

static int kind_of(int32_t k, int32_t count) {
    int kind = HED_PLACE_OWN;
    kind |= k + 1 < count ? HED_PLACE_SEGMENT : 0;
    kind |= k > 0 && k + 1 < count ? HED_PLACE_TURN : 0;
    kind |= k + 3 < count ? HED_PLACE_QUAD : 0;
    return kind;
}

static void clear_place(HedYarnPacks* bands, int32_t place) {
    bands->node[place] = 0;
    bands->slot[place] = 0;
    bands->visit[place] = -1;
    bands->kind[place] = 0;
}

// The nodes of a yarn that are still on it, without gaps. Half of the yarn closes up towards its
// end and half towards its start, whatever left it when.
static void lay_yarn(HedEol* eol, int32_t yarn) {
    HedEolPullout* pullout = &eol->pullout;
    HedYarnPacks* bands = &eol->model.bands;
    int32_t first = pullout->yarn_first[yarn];
    int32_t count = count_of(pullout, yarn);
    pullout->empty[yarn][0] = pullout->empty[yarn][1] = 0;
    for (int32_t k = 0; k < count; ++k) {
        int32_t at = pullout->visit_at[first + k];
        pullout->empty[yarn][k < count / 2 ? 0 : 1] += (gone_at(eol, at / 2) >> at % 2) & 1;
        clear_place(bands, pullout->line[yarn] + k * HED_YARN_PACK);
    }
    int32_t live = live_of(pullout, yarn);
    for (int32_t k = 0, n = 0; k < count; ++k) {
        int32_t at = pullout->visit_at[first + k];
        bool is_gone = (gone_at(eol, at / 2) >> at % 2) & 1;
        int32_t place = is_gone ? bands->step_count * HED_YARN_PACK : place_at(pullout, yarn, n);
        bands->place_of[first + k] = bands->place[at / 2][at % 2] = place;
        // A tail needs no room.
        double* limit = &eol->model.rest[first + k].limit;
        *limit = !is_gone && n + 2 == live && live < count ? -fabs(*limit) : fabs(*limit);
        if (!is_gone) {
            bands->node[place] = at / 2;
            bands->slot[place] = (uint8_t)(at % 2);
            bands->visit[place] = first + k;
            bands->kind[place] = (uint8_t)kind_of(n++, live);
        }
    }
}

// Quadrants that have both the neighbours that they had at the start; what lies between others is
// open.
static int whole_quadrants(const HedYarnPacks* bands, int32_t node) {
    int mask = 0;
    for (int k = 0; k < 4; ++k) {
        bool is_whole = true;
        for (int s = 0; s < 2; ++s) {
            int side = s == 0 ? k / 2 : k % 2;
            int32_t place = bands->place[node][s];
            int32_t other = place + (side ? HED_YARN_PACK : -HED_YARN_PACK);
            is_whole = is_whole && bands->visit[other] == bands->visit[place] + (side ? 1 : -1);
        }
        mask |= is_whole ? 1 << k : 0;
    }
    return mask;
}

// What may move of a node, and whether its yarns still touch there.
static void free_node(HedEol* eol, int32_t i) {
    uint8_t* fixed = eol->is_fixed + (int64_t)HED_NODE_SIZE * i;
    uint8_t* crossing = &eol->model.is_crossing[i];
    int gone = gone_at(eol, i) & 3;
    memset(fixed, gone == 3, 3);
    fixed[3] = ((eol->pullout.fixed[i] | gone) & 1) != 0;
    fixed[4] = ((eol->pullout.fixed[i] | gone) & 2) != 0;
    eol->sign[i] = gone ? 0 : eol->pullout.sign[i];
    if (*crossing) {
        int whole = gone ? 0 : whole_quadrants(&eol->model.bands, i);
        *crossing = (uint8_t)(HED_EOL_CROSSING | whole);
    }
    eol->pullout.count += gone != 0;
}

HedStatus hed_eol_pullout_settle(HedEol* eol) {
    bool* lacks = &eol->pullout.lacks_rows;
    *lacks = *lacks && !(hed_eol_matrix_renew_rows(&eol->matrix) &&
                         (eol->rayleigh <= 0.0 || hed_eol_matrix_renew_rows(&eol->stiffness)) &&
                         hed_eol_preconditioner_loosen(&eol->preconditioner));
    return *lacks ? HED_NO_MEMORY : HED_OK;
}

void hed_eol_pullout_apply(HedEol* eol) {
    HedEolPullout* pullout = &eol->pullout;
    for (int32_t y = 0; y < pullout->yarn_count; ++y) {
        if (pullout->line[y] >= 0) {
            lay_yarn(eol, y);
        }
    }
    pullout->count = 0;
    for (int32_t i = 0; i < eol->node_count; ++i) {
        free_node(eol, i);
    }
    pullout->version += 1;
    pullout->lacks_rows = true;
    hed_eol_pullout_settle(eol);
}

// --- leaving ---

// Takes a node off the yarn of a slot, and off the other one if nothing else keeps it there: alone
// on a yarn, where it stands along it says nothing.
static bool take_off(HedEol* eol, int32_t node, int slot) {
    int gone = gone_at(eol, node);
    int other = 1 - slot;
    bool is_kept = eol->is_held[(int64_t)HED_NODE_SIZE * node] ||
                   ((eol->pullout.fixed[node] >> other) & 1) != 0;
    if (!hed_eol_pullout_may(eol, node) || ((gone >> slot) & 1) != 0) {
        return false;
    }
    gone = (gone & 3) | 1 << slot | (is_kept ? 0 : 1 << other);
    eol->detached[node] = gone | (other == 1 ? HED_DETACHED_RIDES : 0);
    eol->normal_force[node] = 0.0;
    return true;
}

// The crossing next to an end of a yarn, if it has come too close to it in a state.
static int32_t find_leaving(const HedEol* eol, const double* q, int32_t yarn, int end) {
    const HedEolPullout* pullout = &eol->pullout;
    int32_t live = live_of(pullout, yarn);
    if (pullout->line[yarn] < 0 || live < 3) {
        return -1;
    }
    int32_t last = place_at(pullout, yarn, end ? live - 1 : 0);
    int32_t next = place_at(pullout, yarn, end ? live - 2 : 1);
    double left = fabs(along(eol, q, last) - along(eol, q, next));
    return left < pullout->least[yarn][end] ? next : -1;
}

static bool shed_ends(HedEol* eol) {
    HedEolPullout* pullout = &eol->pullout;
    const HedYarnPacks* bands = &eol->model.bands;
    bool is_any = false;
    for (int32_t y = 0; y < pullout->yarn_count; ++y) {
        for (int end = 0; end < 2; ++end) {
            int32_t place = find_leaving(eol, eol->q, y, end);
            // Of a node that is off both of its yarns already the other one speaks.
            if (place >= 0 && take_off(eol, bands->node[place], bands->slot[place])) {
                pullout->last_yarn = y;
                pullout->last_node = bands->node[place];
                is_any = true;
            }
        }
    }
    return is_any;
}

// Whether a node is on one yarn only and nothing keeps it there any more.
static bool is_alone(const HedEol* eol, const uint8_t* is_held, int32_t node) {
    int gone = gone_at(eol, node) & 3;
    int left = gone == HED_DETACHED_0 ? 1 : 0;
    return (gone == HED_DETACHED_0 || gone == HED_DETACHED_1) &&
           !is_held[(int64_t)HED_NODE_SIZE * node] && !((eol->pullout.fixed[node] >> left) & 1);
}

static bool shed_rest(HedEol* eol) {
    bool is_any = false;
    for (int32_t i = 0; eol->pullout.count > 0 && i < eol->node_count; ++i) {
        if (is_alone(eol, eol->is_held, i)) {
            eol->detached[i] =
                (gone_at(eol, i) & HED_DETACHED_RIDES) | HED_DETACHED_0 | HED_DETACHED_1;
            is_any = true;
        }
    }
    return is_any;
}

static double energy_of(HedEol* eol) {
    double sums[HED_EOL_SUMS];
    double energy;
    hed_eol_energies(eol, sums, &energy);
    for (int k = 0; k < HED_EOL_ENERGY_COUNT; ++k) {
        energy += sums[k];
    }
    return energy + hed_eol_friction_energy(eol);
}

// Whether anything would leave: looked at in every step, so without touching anything.
static bool is_any_leaving(const HedEol* eol) {
    bool is_any = false;
    for (int32_t y = 0; y < eol->pullout.yarn_count && !is_any; ++y) {
        is_any = find_leaving(eol, eol->q, y, 0) >= 0 || find_leaving(eol, eol->q, y, 1) >= 0;
    }
    for (int32_t i = 0; eol->pullout.count > 0 && i < eol->node_count && !is_any; ++i) {
        is_any = is_alone(eol, eol->is_held, i);
    }
    return is_any;
}

double hed_eol_pullout(HedEol* eol) {
    if (!is_any_leaving(eol)) {
        return 0.0;
    }
    double before = energy_of(eol);
    bool is_any = shed_rest(eol);
    while (shed_ends(eol)) {
        hed_eol_pullout_apply(eol);
        is_any = false;
    }
    if (is_any) {
        hed_eol_pullout_apply(eol);
    }
    return before - energy_of(eol);
}

void hed_eol_pullout_stop(HedEol* eol, const double* q) {
    const HedYarnPacks* bands = &eol->model.bands;
    for (int32_t y = 0; y < eol->pullout.yarn_count; ++y) {
        for (int end = 0; end < 2; ++end) {
            int32_t place = find_leaving(eol, q, y, end);
            if (place >= 0 && hed_eol_pullout_may(eol, bands->node[place])) {
                int64_t at = (int64_t)HED_NODE_SIZE * bands->node[place];
                eol->is_held[at + 3 + bands->slot[place]] = 1;
            }
        }
    }
}

void hed_eol_pullout_hold(const HedEol* eol, uint8_t* is_held) {
    for (int32_t i = 0; eol->pullout.count > 0 && i < eol->node_count; ++i) {
        if (is_alone(eol, is_held, i)) {
            memset(is_held + (int64_t)HED_NODE_SIZE * i + 3, 1, 2);
        }
    }
}

// --- being carried ---

// The last of a yarn's nodes that stands before a place along it, and has another one behind it.
static int32_t place_before(const HedEol* eol, int32_t yarn, double u) {
    const HedEolPullout* pullout = &eol->pullout;
    int32_t low = 0;
    int32_t high = live_of(pullout, yarn) - 1;
    while (high - low > 1) {
        int32_t middle = (low + high) / 2;
        *(along(eol, eol->q, place_at(pullout, yarn, middle)) <= u ? &low : &high) = middle;
    }
    return place_at(pullout, yarn, low);
}

void hed_eol_pullout_carry(HedEol* eol) {
    const HedEolPullout* pullout = &eol->pullout;
    const HedYarnPacks* bands = &eol->model.bands;
    for (int32_t y = 0; pullout->count > 0 && y < pullout->yarn_count; ++y) {
        for (int32_t e = pullout->yarn_first[y]; e < pullout->yarn_first[y + 1]; ++e) {
            int32_t node = pullout->visit_at[e] / 2;
            int slot = pullout->visit_at[e] % 2;
            int gone = gone_at(eol, node);
            if ((gone & 3) != 3 || slot != (gone & HED_DETACHED_RIDES ? 1 : 0)) {
                continue;
            }
            double* q = eol->q + (int64_t)HED_NODE_SIZE * node;
            int32_t place = place_before(eol, y, q[3 + slot]);
            double from = along(eol, eol->q, place);
            double to = along(eol, eol->q, place + HED_YARN_PACK);
            double part = fmin(1.0, fmax(0.0, (q[3 + slot] - from) / (to - from)));
            const double* a = eol->q + (int64_t)HED_NODE_SIZE * bands->node[place];
            const double* b = eol->q + (int64_t)HED_NODE_SIZE * bands->node[place + HED_YARN_PACK];
            for (int c = 0; c < 3; ++c) {
                q[c] = a[c] + part * (b[c] - a[c]);
            }
        }
    }
}
