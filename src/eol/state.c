// SPDX-License-Identifier: MIT
#include "eol/state.h"
#include "base/alloc.h"

#include <math.h>
#include <string.h>

// Arrays that make up the state, in the order in which they are saved; the age of the
// preconditioner's shares follows.
enum { ARRAYS = 8, GONE = 5, METRIC = sizeof(HedSlipMetric) / sizeof(double) };

typedef struct Part {
    double* data;
    int64_t count;
} Part;

static void list_parts(const HedEol* eol, Part parts[ARRAYS]) {
    int64_t n = eol->node_count;
    const HedEolPreconditioner* p = &eol->preconditioner;
    parts[0] = (Part){eol->q, HED_NODE_SIZE * n};
    parts[1] = (Part){eol->v, HED_NODE_SIZE * n};
    parts[2] = (Part){eol->anchor, 2 * n};
    // Found now and then, and what comes out of a linear solve depends on them in its last digits.
    parts[3] = (Part){p->share, p->share ? p->matrix->bands->color_count : 0};
    parts[4] = (Part){eol->trend, HED_NODE_SIZE * n};
    parts[GONE] = (Part){eol->detached, n};
    // Friction of the last step, by which energies and forces are told before the next one.
    parts[6] = (Part){eol->normal_force, n};
    parts[7] = (Part){&eol->slip_metric->uu, METRIC * n};
}

int64_t hed_eol_state_count(const HedEol* eol) {
    Part parts[ARRAYS];
    list_parts(eol, parts);
    int64_t count = 1;
    for (int k = 0; k < ARRAYS; ++k) {
        count += parts[k].count;
    }
    return count;
}

void hed_eol_save(const HedEol* eol, double* state) {
    Part parts[ARRAYS];
    list_parts(eol, parts);
    for (int k = 0; k < ARRAYS; ++k) {
        if (parts[k].count > 0) {
            memcpy(state, parts[k].data, sizeof *state * (size_t)parts[k].count);
        }
        state += parts[k].count;
    }
    state[0] = eol->preconditioner.age;
}

// Whatever a file says: only crossings come apart, of yarns that can.
static bool take_gone(HedEol* eol, const double* state) {
    bool is_other = false;
    for (int32_t i = 0; i < eol->node_count; ++i) {
        bool is_known = state[i] == 1.0 || state[i] == 2.0 || state[i] == 3.0 || state[i] == 5.0 ||
                        state[i] == 6.0 || state[i] == 7.0;
        double gone = is_known && hed_eol_pullout_may(eol, i) ? state[i] : 0.0;
        is_other = is_other || gone != eol->detached[i];
        eol->detached[i] = gone;
    }
    return is_other;
}

void hed_eol_restore(HedEol* eol, const double* state) {
    Part parts[ARRAYS];
    list_parts(eol, parts);
    bool is_other = false;
    for (int k = 0; k < ARRAYS; ++k) {
        if (k == GONE) {
            is_other = take_gone(eol, state);
        } else if (parts[k].count > 0) {
            memcpy(parts[k].data, state, sizeof *state * (size_t)parts[k].count);
        }
        state += parts[k].count;
    }
    // Whatever a file says: shares that were never found are no shares.
    if (is_other) {
        hed_eol_pullout_apply(eol);
    }
    bool is_known = state[0] >= 1.0 && state[0] <= INT32_MAX;
    eol->preconditioner.age = is_known ? (int32_t)state[0] : 0;
}

// Rows of `width` numbers from one order into another.
static void reorder(const HedEol* eol, const int32_t* row, int width, const double* from,
                    double* to) {
    for (int32_t k = 0; k < eol->node_count; ++k) {
        memcpy(to + (int64_t)width * eol->number[k], from + (int64_t)width * row[k],
               sizeof *to * (size_t)width);
    }
}

static bool are_rows(const HedEol* eol, const int32_t* row) {
    for (int32_t k = 0; k < eol->node_count; ++k) {
        if (row[k] < 0 || row[k] >= eol->node_count) {
            return false;
        }
    }
    return true;
}

HedStatus hed_eol_start(HedEol* eol, const double* state, int64_t count, const int32_t* row,
                        bool is_at_rest, HedError* error) {
    int64_t n = eol->node_count;
    // Positions, velocities, anchors, trends, what is gone, friction, and a number; shares of the
    // solver take the rest.
    int64_t shares = count - (3 * HED_NODE_SIZE + 4 + METRIC) * n - 1;
    if (shares < 0 || !are_rows(eol, row)) {
        return hed_fail(error, HED_INVALID, "the state of sliding yarns does not fit %d nodes",
                        (int)n);
    }
    double* gone = HED_NEW_ARRAY(double, n);
    if (!gone) {
        return hed_fail_memory(error, "sliding yarns");
    }
    const double* anchor = state + 2 * HED_NODE_SIZE * n;
    reorder(eol, row, HED_NODE_SIZE, state, eol->q);
    if (!is_at_rest) {
        reorder(eol, row, HED_NODE_SIZE, state + HED_NODE_SIZE * n, eol->v);
    }
    reorder(eol, row, 2, anchor, eol->anchor);
    reorder(eol, row, 1, anchor + 2 * n + shares + HED_NODE_SIZE * n, gone);
    if (take_gone(eol, gone)) {
        hed_eol_pullout_apply(eol);
    }
    hed_free(gone);
    return HED_OK;
}
