// SPDX-License-Identifier: MIT
// The door to ARPACK: Lanczos steps on the inverse of the shifted matrix.
#include "base/alloc.h"
#include "solve/modes.h"

#include <inttypes.h>

#if defined(HED_HAVE_ARPACK)

#include <arpack/arpack.h>
#include <math.h>
#include <string.h>

typedef struct Lanczos {
    a_int size, count, basis;
    double* start;
    double* basis_vectors;
    double* work;
    double* small_work;
    a_int* select;
    a_int small_size;
    a_int parameters[11], pointers[14];
} Lanczos;

static void free_lanczos(Lanczos* z) {
    void* blocks[] = {z->start, z->basis_vectors, z->work, z->small_work, z->select};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; ++k) {
        hed_free(blocks[k]);
    }
}

static bool prepare(Lanczos* z, int32_t size, int32_t count) {
    z->size = size;
    z->count = count;
    int32_t basis = 2 * count + 20;
    z->basis = basis < size ? basis : size;
    z->small_size = z->basis * (z->basis + 8);
    z->start = HED_NEW_ARRAY(double, size);
    z->basis_vectors = HED_NEW_ARRAY(double, (int64_t)size * z->basis);
    z->work = HED_NEW_ARRAY(double, 3 * (int64_t)size);
    z->small_work = HED_NEW_ARRAY(double, z->small_size);
    z->select = HED_NEW_ARRAY(a_int, z->basis);
    if (!z->start || !z->basis_vectors || !z->work || !z->small_work || !z->select) {
        return false;
    }
    for (int32_t i = 0; i < size; ++i) { // no symmetry of a fabric is in it
        z->start[i] = sin(1.0 + 1.7 * i) + 0.5 * cos(0.3 * (double)i * i);
    }
    z->parameters[0] = 1;   // exact shifts
    z->parameters[2] = 300; // rounds
    z->parameters[3] = 1;
    z->parameters[6] = 3; // the inverse of the shifted matrix
    return true;
}

static a_int iterate(Lanczos* z, const HedSparseFactor* factor) {
    a_int ido = 0;
    a_int info = 1; // the start is given
    for (;;) {
        dsaupd_c(&ido, "I", z->size, "LM", z->count, 0.0, z->start, z->basis, z->basis_vectors,
                 z->size, z->parameters, z->pointers, z->work, z->small_work, z->small_size, &info);
        if (ido != 1 && ido != -1) {
            return info;
        }
        double* to = z->work + z->pointers[1] - 1;
        memcpy(to, z->work + z->pointers[0] - 1, (size_t)z->size * sizeof(double));
        hed_sparse_solve(factor, to, 1);
    }
}

static HedStatus find(Lanczos* z, const HedSparseFactor* factor, double shift, double* values,
                      double* vectors, HedError* error) {
    a_int info = iterate(z, factor);
    if (info == 0) {
        dseupd_c(1, "A", z->select, values, vectors, z->size, shift, "I", z->size, "LM", z->count,
                 0.0, z->start, z->basis, z->basis_vectors, z->size, z->parameters, z->pointers,
                 z->work, z->small_work, z->small_size, &info);
    }
    return info == 0 ? HED_OK
                     : hed_fail(error, HED_INVALID,
                                "eigenvectors were not found: ARPACK ended with %d", (int)info);
}

HedStatus hed_modes_lowest(const HedSparse* matrix, double shift, int32_t count, double* values,
                           double* vectors, HedError* error) {
    HedStatus status = HED_OK;
    HedSparse shifted = {0};
    HedSparseFactor factor = {0};
    Lanczos z = {0};
    if (count < 1 || count >= matrix->size) {
        return hed_fail(error, HED_INVALID,
                        "a matrix of %" PRId32 " rows has no %" PRId32 " lowest eigenvalues",
                        matrix->size, count);
    }
    shifted = *matrix;
    int32_t entry_count = matrix->first[matrix->size];
    shifted.value = HED_NEW_ARRAY(double, entry_count);
    if (!shifted.value || !prepare(&z, matrix->size, count)) {
        HED_TRY(hed_fail_memory(error, "eigenvectors"));
    }
    for (int32_t i = 0; i < matrix->size; ++i) {
        for (int32_t e = matrix->first[i]; e < matrix->first[i + 1]; ++e) {
            shifted.value[e] = matrix->value[e] - (matrix->column[e] == i ? shift : 0.0);
        }
    }
    HED_TRY(hed_sparse_factor(&shifted, &factor, error));
    HED_TRY(find(&z, &factor, shift, values, vectors, error));
done:
    hed_free(shifted.value);
    hed_sparse_factor_free(&factor);
    free_lanczos(&z);
    return status;
}

#else

HedStatus hed_modes_lowest(const HedSparse* matrix, double shift, int32_t count, double* values,
                           double* vectors, HedError* error) {
    (void)matrix, (void)shift, (void)count, (void)values, (void)vectors;
    return hed_fail(error, HED_UNSUPPORTED, "this build has no eigenvectors: ARPACK was left out");
}

#endif
