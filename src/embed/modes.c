// SPDX-License-Identifier: MIT
// The two embeddings by eigenvectors of Kaldor (2011), 7.2.1; both scaled so that neighbours have
// their distance on average.
#include "solve/modes.h"
#include "embed/embed.h"

#include <math.h>

// Eigenvectors 1 to 3 (0 is constant) become coordinates.
static HedStatus take_modes(const HedRelations* r, const HedSparse* matrix, double shift, double* x,
                            HedError* error) {
    enum { MODES = 4 };
    int32_t n = r->count;
    double values[MODES];
    double* vectors = HED_NEW_ARRAY(double, (int64_t)n* MODES);
    HedStatus status = vectors ? hed_modes_lowest(matrix, shift, MODES, values, vectors, error)
                               : hed_fail_memory(error, "eigenvectors");
    if (status == HED_OK) {
        double wanted = 0.0;
        double found = 0.0;
        for (int32_t i = 0; i < n; ++i) {
            for (int32_t k = 0; k < 3; ++k) {
                x[3 * (int64_t)i + k] = vectors[(int64_t)(k + 1) * n + i];
            }
        }
        for (int32_t k = 0; k < r->items.count; ++k) {
            const HedRelation* one = &r->items.data[k];
            const double* a = x + 3 * (int64_t)one->from;
            const double* b = x + 3 * (int64_t)one->to;
            wanted += one->across * one->across + one->up * one->up;
            found += (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                     (a[2] - b[2]) * (a[2] - b[2]);
        }
        double scale = found > 0.0 ? sqrt(wanted / found) : 1.0;
        for (int64_t i = 0; i < 3 * (int64_t)n; ++i) {
            x[i] *= scale;
        }
    }
    hed_free(vectors);
    return status;
}

static HedStatus check_count(const HedRelations* r, HedError* error) {
    return r->count > 5 ? HED_OK
                        : hed_fail(error, HED_INVALID,
                                   "an embedding by eigenvectors needs 6 or more loops, got %d",
                                   (int)r->count);
}

HedStatus hed_embed_spectral(const HedRelations* r, double* x, HedError* error) {
    HedStatus status = HED_OK;
    HedNeighbours near = {0};
    HedSparse matrix = {0};
    HedSparseEntry* entries = NULL;
    HED_TRY(check_count(r, error));
    HED_TRY(hed_neighbours_find(r, 2, &near, error));
    int32_t pairs = near.first[near.count];
    entries = HED_NEW_ARRAY(HedSparseEntry, 3 * (int64_t)pairs);
    if (!entries) {
        HED_TRY(hed_fail_memory(error, "an embedding"));
    }
    int32_t at = 0;
    double mean = 0.0;
    for (int32_t i = 0; i < near.count; ++i) {
        for (int32_t e = near.first[i]; e < near.first[i + 1]; ++e) {
            // Every pair is met from both of its ends. Plated loops stand at one place.
            double weight = near.distance[e] > 0.0 ? 0.5 / near.distance[e] : 0.0;
            mean += weight / near.count;
            entries[at++] = (HedSparseEntry){i, i, weight};
            entries[at++] = (HedSparseEntry){near.other[e], near.other[e], weight};
            entries[at++] = (HedSparseEntry){i, near.other[e], -weight};
        }
    }
    HED_TRY(hed_sparse_create(&matrix, r->count, entries, at, error));
    HED_TRY(take_modes(r, &matrix, -1e-6 * mean, x, error));
done:
    hed_neighbours_free(&near);
    hed_sparse_free(&matrix);
    hed_free(entries);
    return status;
}

// --- locally linear embedding ---

enum { NEAR_MOST = 48 };

// Solves the small equations A w = b in place by elimination; A is positive definite.
static void solve_small(double* a, double* b, int32_t n) {
    for (int32_t k = 0; k < n; ++k) {
        for (int32_t i = k + 1; i < n; ++i) {
            double f = a[i * n + k] / a[k * n + k];
            for (int32_t j = k; j < n; ++j) {
                a[i * n + j] -= f * a[k * n + j];
            }
            b[i] -= f * b[k];
        }
    }
    for (int32_t k = n - 1; k >= 0; --k) {
        for (int32_t j = k + 1; j < n; ++j) {
            b[k] -= a[k * n + j] * b[j];
        }
        b[k] /= a[k * n + k];
    }
}

// Neighbours of one loop, each once, and the weights that make it from them: least |sum w e|^2 with
// the sum of w being 1. Returns their number.
static int32_t find_weights(const HedNeighbours* near, int32_t loop, int32_t* who, double* weight) {
    double across[NEAR_MOST], up[NEAR_MOST];
    double gram[NEAR_MOST * NEAR_MOST];
    int32_t count = 0;
    double trace = 0.0;
    for (int32_t e = near->first[loop]; e < near->first[loop + 1] && count < NEAR_MOST; ++e) {
        bool is_new = near->other[e] != loop;
        for (int32_t k = 0; k < count && is_new; ++k) {
            is_new = who[k] != near->other[e];
        }
        if (is_new) {
            who[count] = near->other[e];
            across[count] = near->across[e];
            up[count++] = near->up[e];
            trace += near->distance[e] * near->distance[e];
        }
    }
    for (int32_t i = 0; i < count; ++i) {
        weight[i] = 1.0;
        for (int32_t k = 0; k < count; ++k) {
            gram[i * count + k] = across[i] * across[k] + up[i] * up[k];
        }
        gram[i * count + i] += 1e-3 * trace / count + 1e-300;
    }
    solve_small(gram, weight, count);
    double sum = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        sum += weight[i];
    }
    for (int32_t i = 0; i < count; ++i) {
        weight[i] /= sum;
    }
    return count;
}

// (1 - W)' (1 - W), a product of short rows.
static HedStatus make_linear(const HedNeighbours* near, HedSparse* matrix, HedError* error) {
    HED_ARRAY(HedSparseEntry) entries = {0};
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < near->count; ++i) {
        int32_t who[NEAR_MOST + 1];
        double row[NEAR_MOST + 1];
        int32_t count = find_weights(near, i, who, row);
        for (int32_t k = 0; k < count; ++k) {
            row[k] *= -1.0;
        }
        who[count] = i;
        row[count++] = 1.0;
        if (!HED_RESERVE(&entries, (int64_t)count * (count + 1) / 2)) {
            HED_TRY(hed_fail_memory(error, "an embedding"));
        }
        for (int32_t p = 0; p < count; ++p) {
            for (int32_t q = 0; q <= p; ++q) {
                entries.data[entries.count++] = (HedSparseEntry){who[p], who[q], row[p] * row[q]};
            }
        }
    }
    HED_TRY(hed_sparse_create(matrix, near->count, entries.data, entries.count, error));
done:
    hed_free(entries.data);
    return status;
}

HedStatus hed_embed_linear(const HedRelations* r, double* x, HedError* error) {
    HedStatus status = HED_OK;
    HedNeighbours near = {0};
    HedSparse matrix = {0};
    HED_TRY(check_count(r, error));
    HED_TRY(hed_neighbours_find(r, 2, &near, error));
    HED_TRY(make_linear(&near, &matrix, error));
    HED_TRY(take_modes(r, &matrix, -1e-9, x, error));
done:
    hed_neighbours_free(&near);
    hed_sparse_free(&matrix);
    return status;
}
