// SPDX-License-Identifier: MIT
#include "slide/leave.h"

#include "base/array.h"
#include "slide/slide.h"

#include <math.h>
#include <string.h>

static const double CLOSEST = 0.04; // of the spacing; steps allow half of it (slide/part.c)

// --- making ---

void hed_slide_leave_free(HedSlideLeave* leave) {
    hed_free(leave->yarn_first);
    hed_free(leave->visit_at);
    hed_free(leave->line);
    hed_free((void*)leave->least);
    hed_free((void*)leave->empty);
    hed_free(leave->sign);
    hed_free(leave->fixed);
    *leave = (HedSlideLeave){0};
}

static bool allocate(HedSlideLeave* leave, const HedNet* net) {
    leave->yarn_count = net->yarn_count;
    leave->yarn_first = HED_NEW_ARRAY(int32_t, (int64_t)net->yarn_count + 1);
    leave->visit_at = HED_NEW_ARRAY(int32_t, net->visit_count);
    leave->line = HED_NEW_ARRAY(int32_t, net->yarn_count);
    leave->least = (double(*)[2])hed_alloc_array(net->yarn_count, sizeof *leave->least);
    leave->empty = (int32_t(*)[2])hed_alloc_array(net->yarn_count, sizeof *leave->empty);
    leave->sign = HED_NEW_ARRAY(int8_t, net->node_count);
    leave->fixed = HED_NEW_ARRAY(uint8_t, net->node_count);
    return leave->yarn_first && leave->visit_at && leave->line && leave->least && leave->empty &&
           leave->sign && leave->fixed;
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

static int32_t yarn_at(const HedSlide* slide, int32_t node, int slot) {
    int32_t place = slide->model.bands.place[node][slot];
    return slide->model.yarn_of[slide->model.bands.visit[place]];
}

HedStatus hed_slide_leave_create(HedSlide* slide, const HedNet* net, HedError* error) {
    HedSlideLeave* leave = &slide->leave;
    const HedBands* bands = &slide->model.bands;
    if (!allocate(leave, net)) {
        return hed_fail_memory(error, "ends of yarns");
    }
    for (int32_t e = 0; e < net->visit_count; ++e) {
        leave->visit_at[e] = 2 * slide->number[net->visits[e].node] + net->visits[e].slot;
    }
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        const HedNetYarn* yarn = &net->yarns[y];
        int32_t last = yarn->first + yarn->count - 1;
        int32_t place = bands->place_of[yarn->first];
        bool is_one = bands->place_of[last] == place + (yarn->count - 1) * HED_BAND;
        for (int32_t e = yarn->first; e <= last; ++e) {
            is_one = is_one && net->visits[e].clasp < 0;
        }
        leave->yarn_first[y] = yarn->first;
        leave->line[y] = is_one ? place : -1;
        leave->least[y][0] = least_of(net, yarn->first, yarn->first + 1);
        leave->least[y][1] = least_of(net, last, last - 1);
    }
    leave->yarn_first[net->yarn_count] = net->visit_count;
    for (int32_t i = 0; i < slide->node_count; ++i) {
        const uint8_t* fixed = slide->is_fixed + (int64_t)HED_NODE_SIZE * i;
        leave->sign[i] = slide->sign[i];
        bool is_whole = true;
        for (int s = 0; slide->sign[i] != 0 && s < 2; ++s) {
            is_whole = is_whole && leave->line[yarn_at(slide, i, s)] >= 0;
        }
        leave->fixed[i] =
            (uint8_t)(fixed[3] | fixed[4] << 1 | (slide->sign[i] != 0 && is_whole) << 2);
    }
    return HED_OK;
}

// --- what there is ---

static int32_t count_of(const HedSlideLeave* leave, int32_t yarn) {
    return leave->yarn_first[yarn + 1] - leave->yarn_first[yarn];
}

// Places of a yarn that have a node.
static int32_t live_of(const HedSlideLeave* leave, int32_t yarn) {
    return count_of(leave, yarn) - leave->empty[yarn][0] - leave->empty[yarn][1];
}

// Place number k of those.
static int32_t place_at(const HedSlideLeave* leave, int32_t yarn, int32_t k) {
    return leave->line[yarn] + (leave->empty[yarn][0] + k) * HED_BAND;
}

static int gone_at(const HedSlide* slide, int32_t node) {
    return (int)slide->gone[node];
}

static double along(const HedSlide* slide, const double* q, int32_t place) {
    const HedBands* bands = &slide->model.bands;
    return q[(int64_t)HED_NODE_SIZE * bands->node[place] + 3 + bands->slot[place]];
}

int32_t hed_slide_leave_visit(const HedSlide* slide, int32_t yarn, int32_t k) {
    const HedSlideLeave* leave = &slide->leave;
    int32_t place = leave->line[yarn];
    return place < 0 ? leave->yarn_first[yarn] + k : slide->model.bands.visit[place + k * HED_BAND];
}

bool hed_slide_leave_is_out(const HedSlide* slide, int32_t yarn) {
    return count_of(&slide->leave, yarn) > 2 && live_of(&slide->leave, yarn) == 2;
}

bool hed_slide_leave_may(const HedSlide* slide, int32_t node) {
    return (slide->leave.fixed[node] & 4) != 0;
}

// --- lines ---

static int kind_of(int32_t k, int32_t count) {
    int kind = HED_PLACE_OWN;
    kind |= k + 1 < count ? HED_PLACE_SEGMENT : 0;
    kind |= k > 0 && k + 1 < count ? HED_PLACE_TURN : 0;
    kind |= k + 3 < count ? HED_PLACE_QUAD : 0;
    return kind;
}

static void clear_place(HedBands* bands, int32_t place) {
    bands->node[place] = 0;
    bands->slot[place] = 0;
    bands->visit[place] = -1;
    bands->kind[place] = 0;
}

// The nodes of a yarn that are still on it, without gaps. Half of the yarn closes up towards its
// end and half towards its start, whatever left it when.
static void lay_yarn(HedSlide* slide, int32_t yarn) {
    HedSlideLeave* leave = &slide->leave;
    HedBands* bands = &slide->model.bands;
    int32_t first = leave->yarn_first[yarn];
    int32_t count = count_of(leave, yarn);
    leave->empty[yarn][0] = leave->empty[yarn][1] = 0;
    for (int32_t k = 0; k < count; ++k) {
        int32_t at = leave->visit_at[first + k];
        leave->empty[yarn][k < count / 2 ? 0 : 1] += (gone_at(slide, at / 2) >> at % 2) & 1;
        clear_place(bands, leave->line[yarn] + k * HED_BAND);
    }
    int32_t live = live_of(leave, yarn);
    for (int32_t k = 0, n = 0; k < count; ++k) {
        int32_t at = leave->visit_at[first + k];
        bool is_gone = (gone_at(slide, at / 2) >> at % 2) & 1;
        int32_t place = is_gone ? bands->step_count * HED_BAND : place_at(leave, yarn, n);
        bands->place_of[first + k] = bands->place[at / 2][at % 2] = place;
        // A tail needs no room.
        double* limit = &slide->model.rest[first + k].limit;
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
static int whole_quadrants(const HedBands* bands, int32_t node) {
    int mask = 0;
    for (int k = 0; k < 4; ++k) {
        bool is_whole = true;
        for (int s = 0; s < 2; ++s) {
            int side = s == 0 ? k / 2 : k % 2;
            int32_t place = bands->place[node][s];
            int32_t other = place + (side ? HED_BAND : -HED_BAND);
            is_whole = is_whole && bands->visit[other] == bands->visit[place] + (side ? 1 : -1);
        }
        mask |= is_whole ? 1 << k : 0;
    }
    return mask;
}

// What may move of a node, and whether its yarns still touch there.
static void free_node(HedSlide* slide, int32_t i) {
    uint8_t* fixed = slide->is_fixed + (int64_t)HED_NODE_SIZE * i;
    uint8_t* crossing = &slide->model.is_crossing[i];
    int gone = gone_at(slide, i) & 3;
    memset(fixed, gone == 3, 3);
    fixed[3] = ((slide->leave.fixed[i] | gone) & 1) != 0;
    fixed[4] = ((slide->leave.fixed[i] | gone) & 2) != 0;
    slide->sign[i] = gone ? 0 : slide->leave.sign[i];
    if (*crossing) {
        int whole = gone ? 0 : whole_quadrants(&slide->model.bands, i);
        *crossing = (uint8_t)(HED_NET_CROSSING | whole);
    }
    slide->leave.count += gone != 0;
}

HedStatus hed_slide_leave_settle(HedSlide* slide) {
    bool* lacks = &slide->leave.lacks_rows;
    *lacks = *lacks && !(hed_net_matrix_renew_rows(&slide->matrix) &&
                         (slide->rayleigh <= 0.0 || hed_net_matrix_renew_rows(&slide->stiffness)) &&
                         hed_net_preconditioner_loosen(&slide->preconditioner));
    return *lacks ? HED_NO_MEMORY : HED_OK;
}

void hed_slide_leave_apply(HedSlide* slide) {
    HedSlideLeave* leave = &slide->leave;
    for (int32_t y = 0; y < leave->yarn_count; ++y) {
        if (leave->line[y] >= 0) {
            lay_yarn(slide, y);
        }
    }
    leave->count = 0;
    for (int32_t i = 0; i < slide->node_count; ++i) {
        free_node(slide, i);
    }
    leave->version += 1;
    leave->lacks_rows = true;
    hed_slide_leave_settle(slide);
}

// --- leaving ---

// Takes a node off the yarn of a slot, and off the other one if nothing else keeps it there: alone
// on a yarn, where it stands along it says nothing.
static bool take_off(HedSlide* slide, int32_t node, int slot) {
    int gone = gone_at(slide, node);
    int other = 1 - slot;
    bool is_kept = slide->is_held[(int64_t)HED_NODE_SIZE * node] ||
                   ((slide->leave.fixed[node] >> other) & 1) != 0;
    if (!hed_slide_leave_may(slide, node) || ((gone >> slot) & 1) != 0) {
        return false;
    }
    gone = (gone & 3) | 1 << slot | (is_kept ? 0 : 1 << other);
    slide->gone[node] = gone | (other == 1 ? HED_GONE_RIDES : 0);
    slide->press[node] = 0.0;
    return true;
}

// The crossing next to an end of a yarn, if it has come too close to it in a state.
static int32_t find_leaving(const HedSlide* slide, const double* q, int32_t yarn, int end) {
    const HedSlideLeave* leave = &slide->leave;
    int32_t live = live_of(leave, yarn);
    if (leave->line[yarn] < 0 || live < 3) {
        return -1;
    }
    int32_t last = place_at(leave, yarn, end ? live - 1 : 0);
    int32_t next = place_at(leave, yarn, end ? live - 2 : 1);
    double left = fabs(along(slide, q, last) - along(slide, q, next));
    return left < leave->least[yarn][end] ? next : -1;
}

static bool shed_ends(HedSlide* slide) {
    HedSlideLeave* leave = &slide->leave;
    const HedBands* bands = &slide->model.bands;
    bool is_any = false;
    for (int32_t y = 0; y < leave->yarn_count; ++y) {
        for (int end = 0; end < 2; ++end) {
            int32_t place = find_leaving(slide, slide->q, y, end);
            // Of a node that is off both of its yarns already the other one speaks.
            if (place >= 0 && take_off(slide, bands->node[place], bands->slot[place])) {
                leave->last_yarn = y;
                leave->last_node = bands->node[place];
                is_any = true;
            }
        }
    }
    return is_any;
}

// Whether a node is on one yarn only and nothing keeps it there any more.
static bool is_alone(const HedSlide* slide, const uint8_t* is_held, int32_t node) {
    int gone = gone_at(slide, node) & 3;
    int left = gone == HED_GONE_0 ? 1 : 0;
    return (gone == HED_GONE_0 || gone == HED_GONE_1) && !is_held[(int64_t)HED_NODE_SIZE * node] &&
           !((slide->leave.fixed[node] >> left) & 1);
}

static bool shed_rest(HedSlide* slide) {
    bool is_any = false;
    for (int32_t i = 0; slide->leave.count > 0 && i < slide->node_count; ++i) {
        if (is_alone(slide, slide->is_held, i)) {
            slide->gone[i] = (gone_at(slide, i) & HED_GONE_RIDES) | HED_GONE_0 | HED_GONE_1;
            is_any = true;
        }
    }
    return is_any;
}

static double energy_of(HedSlide* slide) {
    double sums[HED_NET_SUMS];
    double energy;
    hed_slide_energies(slide, sums, &energy);
    for (int k = 0; k < HED_NET_ENERGY_COUNT; ++k) {
        energy += sums[k];
    }
    for (int32_t k = 0; k < 2 * slide->node_count; ++k) {
        HedSlideFriction friction = hed_slide_friction_at(slide, k / 2);
        double slip = slide->q[(int64_t)HED_NODE_SIZE * (k / 2) + 3 + k % 2] - slide->anchor[k];
        double force;
        energy += friction.limit > 0.0 ? hed_slide_friction(slip, friction, &force, NULL) : 0.0;
    }
    return energy;
}

// Whether anything would leave: looked at in every step, so without touching anything.
static bool is_any_leaving(const HedSlide* slide) {
    bool is_any = false;
    for (int32_t y = 0; y < slide->leave.yarn_count && !is_any; ++y) {
        is_any =
            find_leaving(slide, slide->q, y, 0) >= 0 || find_leaving(slide, slide->q, y, 1) >= 0;
    }
    for (int32_t i = 0; slide->leave.count > 0 && i < slide->node_count && !is_any; ++i) {
        is_any = is_alone(slide, slide->is_held, i);
    }
    return is_any;
}

double hed_slide_leave(HedSlide* slide) {
    if (!is_any_leaving(slide)) {
        return 0.0;
    }
    double before = energy_of(slide);
    bool is_any = shed_rest(slide);
    while (shed_ends(slide)) {
        hed_slide_leave_apply(slide);
        is_any = false;
    }
    if (is_any) {
        hed_slide_leave_apply(slide);
    }
    return before - energy_of(slide);
}

void hed_slide_leave_stop(HedSlide* slide, const double* q) {
    const HedBands* bands = &slide->model.bands;
    for (int32_t y = 0; y < slide->leave.yarn_count; ++y) {
        for (int end = 0; end < 2; ++end) {
            int32_t place = find_leaving(slide, q, y, end);
            if (place >= 0 && hed_slide_leave_may(slide, bands->node[place])) {
                int64_t at = (int64_t)HED_NODE_SIZE * bands->node[place];
                slide->is_held[at + 3 + bands->slot[place]] = 1;
            }
        }
    }
}

void hed_slide_leave_hold(const HedSlide* slide, uint8_t* is_held) {
    for (int32_t i = 0; slide->leave.count > 0 && i < slide->node_count; ++i) {
        if (is_alone(slide, is_held, i)) {
            memset(is_held + (int64_t)HED_NODE_SIZE * i + 3, 1, 2);
        }
    }
}

// --- being carried ---

// The last of a yarn's nodes that stands before a place along it, and has another one behind it.
static int32_t place_before(const HedSlide* slide, int32_t yarn, double u) {
    const HedSlideLeave* leave = &slide->leave;
    int32_t low = 0;
    int32_t high = live_of(leave, yarn) - 1;
    while (high - low > 1) {
        int32_t middle = (low + high) / 2;
        *(along(slide, slide->q, place_at(leave, yarn, middle)) <= u ? &low : &high) = middle;
    }
    return place_at(leave, yarn, low);
}

void hed_slide_leave_carry(HedSlide* slide) {
    const HedSlideLeave* leave = &slide->leave;
    const HedBands* bands = &slide->model.bands;
    for (int32_t y = 0; leave->count > 0 && y < leave->yarn_count; ++y) {
        for (int32_t e = leave->yarn_first[y]; e < leave->yarn_first[y + 1]; ++e) {
            int32_t node = leave->visit_at[e] / 2;
            int slot = leave->visit_at[e] % 2;
            int gone = gone_at(slide, node);
            if ((gone & 3) != 3 || slot != (gone & HED_GONE_RIDES ? 1 : 0)) {
                continue;
            }
            double* q = slide->q + (int64_t)HED_NODE_SIZE * node;
            int32_t place = place_before(slide, y, q[3 + slot]);
            double from = along(slide, slide->q, place);
            double to = along(slide, slide->q, place + HED_BAND);
            double part = fmin(1.0, fmax(0.0, (q[3 + slot] - from) / (to - from)));
            const double* a = slide->q + (int64_t)HED_NODE_SIZE * bands->node[place];
            const double* b = slide->q + (int64_t)HED_NODE_SIZE * bands->node[place + HED_BAND];
            for (int c = 0; c < 3; ++c) {
                q[c] = a[c] + part * (b[c] - a[c]);
            }
        }
    }
}
