// SPDX-License-Identifier: MIT
// Where the points on edges stand. Both sides of a seam get the same number of points at the same
// fractions of their lengths, whatever these are: the longer side is gathered evenly.
#include "garment/draft.h"

// A place that both sides of a seam have a point at: fractions of the sides, in the order of the
// first one. Corners within a run of edges are knots.
typedef struct Knot {
    double x[2];
} Knot;

typedef struct Knots {
    HED_ARRAY(Knot) knots;
    HED_ARRAY(double) corners[2]; // of each side, in the order of the seam
    HED_ARRAY(double) places[2];  // result: fractions of each side, points + 1
} Knots;

int32_t hed_step_count(double length, double size, double bend) {
    const double MOST_BEND = 0.9; // rad per step: a circle has at least seven
    double steps = fmax(floor(length / size + 0.5), ceil(fmin(bend, 30.0) / MOST_BEND));
    return steps > 1.0 ? (int32_t)steps : 1;
}

// Fractions of a side at which edges meet inside of the run.
static bool find_corners(const HedDraft* draft, const HedSeamSide* side, bool backwards, Knots* k,
                         int32_t which) {
    double total = hed_draft_side_length(draft, side);
    double length = 0.0;
    int32_t edge = hed_draft_side(draft, side);
    for (int32_t i = 0; i + 1 < side->edge_count; ++i) {
        length += hed_draft_length(draft, edge);
        edge = draft->edges[edge].next;
        if (!HED_APPEND(&k->corners[which], length / total)) {
            return false;
        }
    }
    int32_t n = k->corners[which].count;
    double* x = k->corners[which].data;
    for (int32_t i = 0; backwards && i < (n + 1) / 2; ++i) {
        double other = 1.0 - x[i];
        x[i] = 1.0 - x[n - 1 - i];
        x[n - 1 - i] = other;
    }
    return true;
}

static double bend_of(const HedDraft* draft, const HedSeamSide* side) {
    double bend = 0.0;
    int32_t edge = hed_draft_side(draft, side);
    for (int32_t i = 0; i < side->edge_count; ++i) {
        bend += draft->edges[edge].curve.bend;
        edge = draft->edges[edge].next;
    }
    return bend;
}

// Corners of both sides that are nearer than half a step meet each other; others get a partner on
// the other side, at the same fraction of what is left.
static bool join_knots(Knots* k, double tolerance) {
    if (!HED_APPEND(&k->knots, (Knot){{0}})) {
        return false;
    }
    int32_t at[2] = {0, 0};
    for (;;) {
        Knot last = k->knots.data[k->knots.count - 1];
        double next[2]; // as fractions of what is left
        for (int32_t s = 0; s < 2; ++s) {
            double x = at[s] < k->corners[s].count ? k->corners[s].data[at[s]] : 1.0;
            next[s] = (x - last.x[s]) / (1.0 - last.x[s]);
        }
        bool any = at[0] < k->corners[0].count || at[1] < k->corners[1].count;
        if (!any) {
            return HED_APPEND(&k->knots, (Knot){{1.0, 1.0}});
        }
        int32_t first = next[1] < next[0];
        double gap = fabs(next[1] - next[0]) * (1.0 - last.x[0]);
        bool both = at[0] < k->corners[0].count && at[1] < k->corners[1].count && gap < tolerance;
        Knot knot = {{0}};
        for (int32_t s = 0; s < 2; ++s) {
            bool own = both || s == first;
            knot.x[s] =
                own ? k->corners[s].data[at[s]] : last.x[s] + next[first] * (1.0 - last.x[s]);
            at[s] += own;
        }
        if (!HED_APPEND(&k->knots, knot)) {
            return false;
        }
    }
}

static bool divide_knots(Knots* k, const double lengths[2], double bend, double size,
                         int32_t least) {
    double tolerance = 0.5 * size / fmin(lengths[0], lengths[1]);
    if (!join_knots(k, fmin(tolerance, 0.25))) {
        return false;
    }
    for (int32_t i = 0; i + 1 < k->knots.count; ++i) {
        Knot a = k->knots.data[i];
        Knot b = k->knots.data[i + 1];
        double part[2] = {(b.x[0] - a.x[0]), (b.x[1] - a.x[1])};
        double mean = 0.5 * (part[0] * lengths[0] + part[1] * lengths[1]);
        int32_t steps = hed_step_count(mean, size, bend * fmax(part[0], part[1]));
        steps = k->knots.count == 2 && steps < least ? least : steps;
        for (int32_t j = 0; j < steps; ++j) {
            double t = (double)j / steps;
            if (!HED_APPEND(&k->places[0], a.x[0] + t * part[0]) ||
                !HED_APPEND(&k->places[1], a.x[1] + t * part[1])) {
                return false;
            }
        }
    }
    return HED_APPEND(&k->places[0], 1.0) && HED_APPEND(&k->places[1], 1.0);
}

// Hands the places of a side to its edges, in their own direction. Corners are places to the bit
// but for rounding, so an edge begins at the place nearest to its corner.
static HedStatus give_to_edges(HedDraft* draft, const HedSeamSide* side, const double* places,
                               int32_t count, HedError* error) {
    double total = hed_draft_side_length(draft, side);
    int32_t edge = hed_draft_side(draft, side);
    int32_t k = 0;
    double start = 0.0;
    for (int32_t i = 0; i < side->edge_count; ++i) {
        HedDraftEdge* e = draft->edges + edge;
        double length = hed_draft_length(draft, edge);
        double end = start + length;
        bool last = i + 1 == side->edge_count;
        e->first_fraction = draft->fractions.count;
        for (; k < count && (last || places[k] * total < end - 1e-9 * total); ++k) {
            double fraction = e->steps == 0 ? 0.0 : (places[k] * total - start) / length;
            if (!HED_APPEND(&draft->fractions, fraction)) {
                return hed_fail_memory(error, "points on edges");
            }
            e->steps += 1;
        }
        if (e->steps == 0) {
            return hed_fail(error, HED_INVALID,
                            "panel '%s': edge %d, %g m long, is too short for its seam of %g m",
                            draft->def->panels[e->panel].name, e->number, length, total);
        }
        start = end;
        edge = e->next;
    }
    return HED_OK;
}

static HedStatus divide_seam(HedDraft* draft, int32_t seam, Knots* k, HedError* error) {
    const HedSeamDef* s = draft->def->seams + seam;
    double lengths[2] = {0};
    double bend = 0.0;
    for (int32_t w = 0; w < 2; ++w) {
        lengths[w] = hed_draft_side_length(draft, s->sides + w);
        bend = fmax(bend, bend_of(draft, s->sides + w));
        if (!find_corners(draft, s->sides + w, w == 1 && !s->joins_starts, k, w)) {
            return hed_fail_memory(error, "points on edges");
        }
    }
    int32_t first = hed_draft_side(draft, s->sides);
    int32_t after = draft->edges[first].next;
    bool closed = hed_draft_corner(draft, first) == hed_draft_corner(draft, after);
    if (!divide_knots(k, lengths, bend, draft->def->target_size, closed ? 3 : 1)) {
        return hed_fail_memory(error, "points on edges");
    }
    int32_t count = k->places[0].count - 1;
    HedStatus status = give_to_edges(draft, s->sides, k->places[0].data, count, error);
    if (status != HED_OK) {
        return status;
    }
    double* second = k->places[1].data;
    for (int32_t i = 0; !s->joins_starts && i <= count / 2; ++i) {
        double other = 1.0 - second[i];
        second[i] = 1.0 - second[count - i];
        second[count - i] = other;
    }
    return give_to_edges(draft, s->sides + 1, second, count, error);
}

// A free edge between sewn corners needs a point of its own, or it could be taken for a seam; if
// both ends are the same corner, two.
static HedStatus divide_free(HedDraft* draft, int32_t edge, const bool* is_joined,
                             HedError* error) {
    HedDraftEdge* e = draft->edges + edge;
    int32_t a = hed_draft_corner(draft, edge);
    int32_t b = hed_draft_corner(draft, e->next);
    int32_t least = a == b ? 3 : is_joined[a] && is_joined[b] ? 2 : 1;
    int32_t steps =
        hed_step_count(hed_draft_length(draft, edge), draft->def->target_size, e->curve.bend);
    e->steps = steps < least ? least : steps;
    e->first_fraction = draft->fractions.count;
    for (int32_t i = 0; i < e->steps; ++i) {
        if (!HED_APPEND(&draft->fractions, (double)i / e->steps)) {
            return hed_fail_memory(error, "points on edges");
        }
    }
    return HED_OK;
}

static HedStatus check_counts(HedDraft* draft, HedError* error) {
    enum { LIMIT = HED_PLANE_MESH_LIMIT / 4 };
    for (int32_t i = 0; i < draft->edge_count; ++i) {
        double steps = hed_draft_length(draft, i) / draft->def->target_size;
        if (!(steps < LIMIT)) {
            const HedDraftEdge* e = draft->edges + i;
            draft->place = hed_at_panel(e->panel);
            return hed_fail(error, HED_INVALID,
                            "panel '%s': edge %d is %g m long; a target size of %g m asks for %.3g "
                            "points on it, more than %d",
                            draft->def->panels[e->panel].name, e->number,
                            hed_draft_length(draft, i), draft->def->target_size, steps, LIMIT);
        }
    }
    return HED_OK;
}

HedStatus hed_draft_divide(HedDraft* draft, HedError* error) {
    bool* is_joined = HED_NEW_ARRAY(bool, draft->edge_count);
    Knots k = {0};
    HedStatus status = is_joined ? HED_OK : hed_fail_memory(error, "points on edges");
    if (!is_joined) {
        return status;
    }
    HED_TRY(check_counts(draft, error));
    for (int32_t i = 0; i < draft->def->seam_count; ++i) {
        draft->place = hed_at_seam(i);
        k.knots.count = 0;
        for (int32_t w = 0; w < 2; ++w) {
            k.corners[w].count = 0;
            k.places[w].count = 0;
        }
        HED_TRY(divide_seam(draft, i, &k, error));
    }
    for (int32_t i = 0; i < draft->edge_count; ++i) {
        int32_t corner = hed_draft_corner(draft, i);
        is_joined[corner] |= corner != i;
    }
    for (int32_t i = 0; i < draft->edge_count; ++i) {
        if (draft->edges[i].seam < 0) {
            HED_TRY(divide_free(draft, i, is_joined, error));
        }
    }
done:
    hed_free(k.knots.data);
    for (int32_t w = 0; w < 2; ++w) {
        hed_free(k.corners[w].data);
        hed_free(k.places[w].data);
    }
    hed_free(is_joined);
    return status;
}
