// SPDX-License-Identifier: MIT
// Which pairs of segments may touch: a tree of boxes, refitted, asked once per segment; and a list
// with a margin, so that this is done once in many steps.
#include "contact/yarn_near.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum {
    FEW = 24,       // candidates of a segment that are kept from the count to the filling
    SOME = 256,     // that fit on the stack
    TREE_LIFE = 64, // lists made with one tree
    SOON = 10,      // a list that lasted so many steps had too small a margin,
    LATE = 40       // and one that lasted so many too large a one
};

// m^2, the largest square of what points of a strip moved beyond a common motion; infinite for a
// NaN.
static double strip_most(const HedYarnContact* y, const HedVec3* from, const HedVec3* to,
                         HedVec3 mean, int32_t strip) {
    int32_t end = hed_min_i32(y->def.point_count, (strip + 1) * HED_YARN_STRIP);
    double most = 0.0;
    for (int32_t i = strip * HED_YARN_STRIP; i < end; ++i) {
        HedVec3 d = hed_sub3(hed_sub3(to[i], from[i]), mean);
        double square = hed_dot3(d, d);
        most = square <= most ? most : square;
    }
    return most < HUGE_VAL ? most : HUGE_VAL;
}

// Any common motion will do; one in 16 points tells it.
static HedVec3 common_motion(const HedYarnContact* y, const HedVec3* from, const HedVec3* to) {
    HedVec3 sum = {0.0, 0.0, 0.0};
    int32_t told = 0;
    for (int32_t i = 0; i < y->def.point_count; i += 16, ++told) {
        sum = hed_add3(sum, hed_sub3(to[i], from[i]));
    }
    return hed_mul3(1.0 / hed_max_i32(told, 1), sum);
}

double hed_yarn_motion(const HedYarnContact* y, const HedVec3* from, const HedVec3* to) {
    int32_t n = y->def.point_count;
    HedVec3 mean = common_motion(y, from, to);
    int32_t strips = (n + HED_YARN_STRIP - 1) / HED_YARN_STRIP;
#pragma omp parallel for schedule(static) num_threads(hed_team_size(y->def.team, INT64_C(3) * n))
    for (int32_t strip = 0; strip < strips; ++strip) {
        y->moved[strip] = strip_most(y, from, to, mean, strip);
    }
    double most = 0.0;
    for (int32_t strip = 0; strip < strips; ++strip) {
        most = fmax(most, y->moved[strip]);
    }
    return sqrt(most);
}

// m^2, the largest square of what places of a segment moved beyond a common motion, at most: the
// motion is a cubic too, and stays within the corners of its Bezier form.
static double segment_most(const HedYarnContact* y, const HedVec3* from, const HedVec3* to,
                           HedVec3 mean, int32_t segment) {
    const int32_t* point = y->segments[segment].point;
    HedVec3 d[4];
    for (int k = 0; k < 4; ++k) {
        d[k] = hed_sub3(hed_sub3(to[point[k]], from[point[k]]), mean);
    }
    HedCubic c = hed_cubic_make(hed_yarn_matrix(y, segment), d);
    HedVec3 slope = hed_mul3(1.0 / 3.0, c.c[1]);
    HedVec3 corner[4] = {c.c[0], hed_add3(c.c[0], slope), hed_madd3(c.c[0], 2.0, slope),
                         hed_add3(hed_add3(c.c[0], c.c[1]), hed_add3(c.c[2], c.c[3]))};
    corner[2] = hed_madd3(corner[2], 1.0 / 3.0, c.c[2]);
    double most = 0.0;
    for (int k = 0; k < 4; ++k) {
        double square = hed_dot3(corner[k], corner[k]);
        most = square <= most ? most : square;
    }
    return most;
}

double hed_yarn_curve_motion(const HedYarnContact* y, const HedVec3* from, const HedVec3* to) {
    HedVec3 mean = common_motion(y, from, to);
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(y->def.team, INT64_C(20) * y->def.segment_count))
    for (int32_t block = 0; block < y->block_count; ++block) {
        HedYarnBlock range = hed_yarn_block(y, block);
        double most = 0.0;
        for (int32_t s = range.first; s < range.end; ++s) {
            double square = segment_most(y, from, to, mean, s);
            most = square <= most ? most : square;
        }
        y->partial[(int64_t)block * HED_YARN_PARTIALS + HED_YARN_MOTION] = most;
    }
    double most = 0.0;
    for (int32_t block = 0; block < y->block_count; ++block) {
        double square = y->partial[(int64_t)block * HED_YARN_PARTIALS + HED_YARN_MOTION];
        most = square <= most ? most : square;
    }
    return most < HUGE_VAL ? sqrt(most) : HUGE_VAL;
}

// m, how much of its margin the list has left at x: it holds all that is nearer than touching by so
// much. Negative if it does not hold.
static double spare(const HedYarnContact* y, const HedVec3* x) {
    if (y->list.margin < 0.0 || y->def.point_count == 0) {
        return y->def.point_count == 0 ? HUGE_VAL : -1.0;
    }
    return y->list.margin - 2.0 * y->reach_most * hed_yarn_motion(y, y->list.built_at, x);
}

bool hed_yarn_list_holds(const HedYarnContact* y, const HedVec3* x) {
    return spare(y, x) >= 0.0;
}

static HedBox box_of(const HedYarnContact* y, int32_t s) {
    const double* p = hed_yarn_positions(y, s);
    HedBox box = hed_box_empty();
    for (int32_t k = 0; k < y->def.quadrature; ++k) {
        box = hed_box_add(box, hed_vec3(p[k], p[y->row + k], p[2 * y->row + k]));
    }
    double grow = hed_yarn_radius(y, s) + 0.5 * y->list.margin;
    HedVec3 around = {grow, grow, grow};
    return (HedBox){hed_sub3(box.low, around), hed_add3(box.high, around)};
}

// m, half the longest way between two points next to each other: the curve in between is nowhere
// further from the nearer of both.
static double half_step_of(const HedYarnContact* y, int32_t segment) {
    const double* p = hed_yarn_positions(y, segment);
    double most = 0.0;
    for (int32_t k = 1; k < y->def.quadrature; ++k) {
        double dx = p[k] - p[k - 1], dy = p[y->row + k] - p[y->row + k - 1],
               dz = p[2 * y->row + k] - p[2 * y->row + k - 1];
        double square = dx * dx + dy * dy + dz * dz;
        most = square > most ? square : most;
    }
    return 0.5 * sqrt(most);
}

static HedStatus fit_tree(HedYarnContact* y, HedError* error) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(y->def.team, INT64_C(50) * y->def.segment_count))
    for (int32_t s = 0; s < y->def.segment_count; ++s) {
        y->boxes[s] = box_of(y, s);
        y->half_step[s] = half_step_of(y, s);
    }
    if (y->tree.nodes && y->tree_age < TREE_LIFE) {
        ++y->tree_age;
        hed_bvh_refit(&y->tree, y->boxes);
        return HED_OK;
    }
    hed_bvh_free(&y->tree);
    y->tree_age = 0;
    return hed_bvh_build(y->boxes, y->def.segment_count, &y->tree, error);
}

// How a pair of segments stands along one yarn.
typedef enum Along { FREE, PARTLY_FREE, TOUCHING } Along;

static Along stand_along(const HedYarnContact* y, int32_t i, int32_t j) {
    int32_t curve = y->curve_of[i];
    if (y->yarn_of[i] != y->yarn_of[j]) {
        return TOUCHING;
    }
    double skip = y->def.contact_free * y->curves[curve].radius;
    int32_t early = y->arc[i] <= y->arc[j] ? i : j; // copies may lie before
    int32_t late = early == i ? j : i;
    double gap = y->arc[late] - y->arc[early] - y->rest_length[early];
    double reach = y->arc[late] + y->rest_length[late] - y->arc[early];
    double least = gap;
    bool is_free = reach < skip;
    if (y->curves[curve].is_closed) {
        double around = y->curve_length[curve] - reach;
        least = fmin(gap, around);
        is_free = is_free || y->curve_length[curve] - gap < skip;
    }
    return is_free ? FREE : (least < skip ? PARTLY_FREE : TOUCHING);
}

// Whether points of two segments of one yarn that push each other are nearer than reach.
static bool have_near_points(const HedYarnContact* y, HedYarnPair pair, double reach) {
    const double* x = hed_yarn_positions(y, pair.first);
    const double* z = hed_yarn_positions(y, pair.second);
    const double last = y->def.quadrature - 1.0;
    HedWideMask any = {0, 0, 0, 0};
    for (int32_t q = 0; q < y->row; q += HED_YARN_SPAN) {
        HedYarnWide3 there = hed_yarn_load(z + q, y->row);
        HedWide number = (HedWide){0.0, 1.0, 2.0, 3.0} + q;
        HedWide parameters = hed_wide_min(number, hed_wide_all(last)) / last;
        for (int32_t p = 0; p < y->def.quadrature; ++p) {
            HedYarnWide3 d = hed_yarn_between(x + p, there, y->row);
            any |= (hed_yarn_dot(d, d) < hed_wide_all(reach * reach)) &
                   hed_yarn_pushes(y, pair, p / last, parameters);
        }
    }
    return hed_wide_bits(any) != 0;
}

static bool is_candidate(const HedYarnContact* y, int32_t i, int32_t j) {
    if (j <= i || !hed_yarn_is_counted(y, i) || !hed_box_overlaps(y->boxes[i], y->boxes[j])) {
        return false;
    }
    const double* a = y->ball + 4 * (int64_t)i;
    const double* b = y->ball + 4 * (int64_t)j;
    double dx = b[0] - a[0], dy = b[1] - a[1], dz = b[2] - a[2];
    double reach = hed_yarn_radius(y, i) + hed_yarn_radius(y, j) + y->list.margin;
    double far = a[3] + b[3] + reach;
    if (dx * dx + dy * dy + dz * dz > far * far) {
        return false;
    }
    reach += y->half_step[i] + y->half_step[j];
    Along along = stand_along(y, i, j);
    return along != FREE &&
           hed_yarn_find_spans(hed_yarn_shape(y), hed_yarn_balls(y, i), hed_yarn_balls(y, j),
                               reach) != 0 &&
           (along == TOUCHING || have_near_points(y, (HedYarnPair){i, j}, reach)) &&
           !hed_yarn_is_merged(y, i, j);
}

static void sort_small(int32_t* v, int32_t n) {
    for (int32_t k = 1; k < n; ++k) {
        int32_t value = v[k];
        int32_t at = k;
        for (; at > 0 && v[at - 1] > value; --at) {
            v[at] = v[at - 1];
        }
        v[at] = value;
    }
}

// Candidates of segment i, sorted, the first `capacity` of them into out; their number, or -1 if
// there is no memory.
static int32_t find_of(const HedYarnContact* y, int32_t i, int32_t* out, int32_t capacity) {
    int32_t stack[SOME];
    int32_t* found = stack;
    int32_t count = hed_bvh_overlap(&y->tree, y->boxes[i], found, SOME);
    if (count > SOME) {
        found = HED_NEW_ARRAY(int32_t, count);
        if (!found) {
            return -1;
        }
        hed_bvh_overlap(&y->tree, y->boxes[i], found, count);
    }
    int32_t kept = 0;
    for (int32_t k = 0; k < count; ++k) {
        if (is_candidate(y, i, found[k])) {
            found[kept++] = found[k];
        }
    }
    sort_small(found, kept);
    memcpy(out, found, (size_t)hed_min_i32(kept, capacity) * sizeof(int32_t));
    if (found != stack) {
        hed_free(found);
    }
    return kept;
}

// Numbers of candidates into first[i + 1], and the few of them into found.
static HedStatus count_pairs(HedYarnContact* y, int64_t* total, HedError* error) {
    int32_t n = y->def.segment_count;
    int32_t* first = y->list.first;
    if (!HED_RESERVE(&y->found, (int64_t)FEW * n)) {
        return hed_fail_memory(error, "candidates for contact");
    }
#pragma omp parallel for schedule(dynamic, HED_YARN_BLOCK)                                         \
    num_threads(hed_team_size(y->def.team, INT64_C(1000) * n))
    for (int32_t i = 0; i < n; ++i) {
        first[i + 1] = find_of(y, i, y->found.data + (int64_t)FEW * i, FEW);
    }
    *total = 0;
    for (int32_t i = 0; i < n; ++i) {
        if (first[i + 1] < 0) {
            return hed_fail_memory(error, "candidates for contact");
        }
        *total += first[i + 1];
    }
    if (*total > INT32_MAX - 1) {
        return hed_fail(error, HED_INVALID,
                        "%lld pairs of yarn segments may touch: too many, at most %d",
                        (long long)*total, INT32_MAX - 1);
    }
    first[0] = 0;
    for (int32_t i = 0; i < n; ++i) {
        first[i + 1] += first[i];
    }
    return HED_OK;
}

static HedStatus reserve(HedYarnList* list, int64_t total, HedError* error) {
    if (total <= list->capacity && list->other) {
        return HED_OK;
    }
    hed_free(list->other);
    hed_free(list->is_partial);
    hed_free(list->slot);
    hed_free(list->in_pair);
    hed_free(list->patch);
    hed_free(list->slots);
    hed_free(list->touch);
    hed_free(list->limit);
    hed_free(list->bounds);
    int64_t room = total + total / 4 + 16;
    room = room < INT32_MAX ? room : INT32_MAX;
    list->other = HED_NEW_ARRAY(int32_t, room);
    list->is_partial = HED_NEW_ARRAY(uint8_t, room);
    list->slot = HED_NEW_ARRAY(int32_t, room);
    list->in_pair = HED_NEW_ARRAY(int32_t, room);
    list->patch = HED_NEW_ARRAY(HedYarnPatch, room);
    list->slots = HED_NEW_ARRAY(double, HED_YARN_SLOT* room);
    list->touch = HED_NEW_ARRAY(HedYarnTouch, room);
    list->limit = HED_NEW_ARRAY(int32_t, room);
    list->bounds = HED_NEW_ARRAY(double, HED_YARN_LIMIT* room);
    bool ok = list->other && list->is_partial && list->slot && list->in_pair && list->patch &&
              list->slots && list->touch && list->limit && list->bounds;
    list->capacity = ok ? (int32_t)room : 0;
    return ok ? HED_OK : hed_fail_memory(error, "pairs of yarn segments");
}

static HedStatus fill_pairs(HedYarnContact* y, HedError* error) {
    HedYarnList* list = &y->list;
    int32_t n = y->def.segment_count;
#pragma omp parallel for schedule(dynamic, HED_YARN_BLOCK)                                         \
    num_threads(hed_team_size(y->def.team, INT64_C(200) * n))
    for (int32_t i = 0; i < n; ++i) {
        int32_t at = list->first[i];
        int32_t count = list->first[i + 1] - at;
        if (count <= FEW) {
            memcpy(list->other + at, y->found.data + (int64_t)FEW * i,
                   (size_t)count * sizeof(int32_t));
        } else if (find_of(y, i, list->other + at, count) < 0) {
            list->other[at] = -1; // no memory
            continue;
        }
        for (int32_t k = at; k < at + count; ++k) {
            list->is_partial[k] = stand_along(y, i, list->other[k]) == PARTLY_FREE;
            list->slot[k] = -1;
            list->patch[k] = (HedYarnPatch){{0.0, 0.0, 0.0}, 0.0};
        }
    }
    for (int32_t i = 0; i < n; ++i) {
        if (list->first[i] < list->first[i + 1] && list->other[list->first[i]] < 0) {
            return hed_fail_memory(error, "pairs of yarn segments");
        }
    }
    return HED_OK;
}

// For each segment the pairs that it is second of.
static void fill_incoming(HedYarnContact* y) {
    HedYarnList* list = &y->list;
    int32_t n = y->def.segment_count;
    int32_t pairs = list->first[n];
    memset(list->in_first, 0, ((size_t)n + 1) * sizeof(int32_t));
    for (int32_t k = 0; k < pairs; ++k) {
        ++list->in_first[list->other[k] + 1];
    }
    for (int32_t i = 0; i < n; ++i) {
        list->in_first[i + 1] += list->in_first[i];
    }
    for (int32_t k = 0; k < pairs; ++k) {
        list->in_pair[list->in_first[list->other[k]]++] = k;
    }
    for (int32_t i = n; i > 0; --i) {
        list->in_first[i] = list->in_first[i - 1];
    }
    list->in_first[0] = 0;
}

int32_t hed_yarn_find_pair(const HedYarnContact* y, int32_t i, int32_t j) {
    int32_t low = y->list.first[i];
    int32_t high = y->list.first[i + 1];
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (y->list.other[middle] < j) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < y->list.first[i + 1] && y->list.other[low] == j ? low : -1;
}

// What contacts remember must not depend on the list: pairs that a state on the way to a solution
// has taken off it wait, and come back with their memory. hed_yarn_advance ends that.
static HedStatus keep_patches(HedYarnContact* y, HedError* error) {
    if (y->list.margin < 0.0 || y->def.friction_law != HED_YARN_STICTION) {
        return HED_OK;
    }
    for (int32_t i = 0; i < y->def.segment_count; ++i) {
        for (int32_t k = y->list.first[i]; k < y->list.first[i + 1]; ++k) {
            HedYarnKept kept = {i, y->list.other[k], y->list.patch[k]};
            if (kept.patch.push > 0.0 && !HED_APPEND(&y->kept, kept)) {
                return hed_fail_memory(error, "memory of contacts");
            }
        }
    }
    return HED_OK;
}

static int by_segments(const void* a, const void* b) {
    const HedYarnKept *p = a, *q = b;
    int32_t p_at = p->first != q->first ? p->first : p->second;
    int32_t q_at = p->first != q->first ? q->first : q->second;
    return (p_at > q_at) - (p_at < q_at);
}

static void give_patches(HedYarnContact* y) {
    int32_t waiting = 0;
    for (int32_t k = 0; k < y->kept.count; ++k) {
        HedYarnKept kept = y->kept.data[k];
        int32_t pair = hed_yarn_find_pair(y, kept.first, kept.second);
        if (pair >= 0) {
            y->list.patch[pair] = kept.patch;
        } else {
            y->kept.data[waiting++] = kept;
        }
    }
    y->kept.count = waiting;
    if (waiting > 1) {
        qsort(y->kept.data, (size_t)waiting, sizeof *y->kept.data, by_segments);
    }
}

const HedYarnPatch* hed_yarn_find_patch(const HedYarnContact* y, int32_t i, int32_t j) {
    static const HedYarnPatch NONE = {{0.0, 0.0, 0.0}, 0.0};
    int32_t pair = hed_yarn_find_pair(y, i, j);
    if (pair >= 0) {
        return &y->list.patch[pair];
    }
    if (y->kept.count == 0) {
        return &NONE;
    }
    HedYarnKept wanted = {.first = i, .second = j};
    const HedYarnKept* kept =
        bsearch(&wanted, y->kept.data, (size_t)y->kept.count, sizeof *y->kept.data, by_segments);
    return kept ? &kept->patch : &NONE;
}

static void choose_margin(HedYarnContact* y) {
    double least = HUGE_VAL, most = 0.0;
    for (int32_t c = 0; c < y->def.curve_count; ++c) {
        least = fmin(least, y->curves[c].radius);
        most = fmax(most, y->curves[c].radius);
    }
    if (!(y->wanted_margin > 0.0)) {
        y->wanted_margin = 0.3 * least;
    } else if (y->list.steps < SOON) {
        y->wanted_margin = fmin(1.5 * y->wanted_margin, 2.0 * most);
    } else if (y->list.steps > LATE) {
        y->wanted_margin = fmax(0.8 * y->wanted_margin, 0.05 * least);
    }
}

HedStatus hed_yarn_list_make(HedYarnContact* y, const HedVec3* x, HedError* error) {
    HedStatus status = HED_OK;
    HedYarnList* list = &y->list;
    int64_t total = 0;
    HED_TRY(keep_patches(y, error));
    choose_margin(y);
    list->margin = y->wanted_margin;
    HED_TRY(fit_tree(y, error));
    HED_TRY(count_pairs(y, &total, error));
    HED_TRY(reserve(list, total, error));
    HED_TRY(fill_pairs(y, error));
    fill_incoming(y);
    give_patches(y);
    memcpy(list->built_at, x, (size_t)y->def.point_count * sizeof(HedVec3));
    list->steps = 0;
    ++y->counts.rebuilds;
    y->counts.candidate_pairs = total;
done:
    if (status != HED_OK) {
        y->kept.count = 0;
        list->margin = -1.0;
        memset(list->first, 0, ((size_t)y->def.segment_count + 1) * sizeof(int32_t));
        memset(list->in_first, 0, ((size_t)y->def.segment_count + 1) * sizeof(int32_t));
    }
    return status;
}

HedStatus hed_yarn_update(HedYarnContact* contact, const HedVec3* x, HedError* error) {
    hed_yarn_sample(contact, x);
    ++contact->list.steps;
    return hed_yarn_list_holds(contact, x) ? HED_OK : hed_yarn_list_make(contact, x, error);
}

HedStatus hed_yarn_update_ahead(HedYarnContact* contact, const HedVec3* x, double part,
                                HedError* error) {
    HedYarnContact* y = contact;
    double more = 0.0;
    for (int32_t c = 0; c < y->def.curve_count; ++c) {
        more = fmax(more, 2.0 * part * y->curves[c].radius);
    }
    hed_yarn_sample(y, x);
    ++y->list.steps;
    if (spare(y, x) >= more) {
        return HED_OK;
    }
    y->wanted_margin = fmax(y->wanted_margin, 2.0 * more);
    return hed_yarn_list_make(y, x, error);
}
