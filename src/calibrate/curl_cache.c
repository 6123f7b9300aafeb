// SPDX-License-Identifier: MIT
// Calibrated curl is kept in files beside relaxed fabrics (src/relax/cache.c), named after a hash
// of everything that it follows from. A file that is damaged is made anew.
#include "base/file.h"
#include "base/hash.h"
#include "base/part.h"
#include "base/text.h"
#include "calibrate/curl.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 4, NUMBERS = 8, PATH = 1024 }; // version: raised when the same def gives another

typedef struct Record {
    char magic[8];
    uint64_t key;
    double numbers[NUMBERS];
    uint64_t is_quiet;
    uint64_t sum; // hash of all before it
} Record;

static uint64_t hash_of(const HedCurlDef* def) {
    const HedKnitDef* k = &def->knit;
    const HedRelaxDef* r = &def->relax;
    const HedSlidingDef* s = &def->sliding;
    const double numbers[] = {VERSION,
                              k->rows,
                              k->stitches,
                              k->bind_off,
                              k->diameter,
                              k->linear_density,
                              k->loop_length,
                              k->points_per_loop,
                              r->stretch,
                              r->contact,
                              r->friction,
                              r->shrink,
                              r->force,
                              r->speed,
                              r->limit,
                              s->linear_density,
                              s->stretch,
                              s->compression_ratio,
                              s->bend,
                              s->set_fraction,
                              s->thickness,
                              s->twist,
                              s->shear,
                              s->jam_margin,
                              s->clasp_stiffness,
                              s->jam_stiffness,
                              s->friction,
                              s->friction_stiffness,
                              s->crossing_preload,
                              s->wrap,
                              s->wrap_rest};
    uint64_t hash = hed_hash(0, numbers, sizeof numbers);
    hash = hed_hash(hash, hed_version(), strlen(hed_version()));
    return hed_hash(hash, k->pattern, strlen(k->pattern));
}

static bool path_of(uint64_t key, char path[PATH]) {
    char name[40];
    snprintf(name, sizeof name, "%016" PRIx64 ".curl", key);
    return hed_cache_path(name, path, PATH);
}

static uint64_t sum_of(const Record* record) {
    return hed_hash(0, record, offsetof(Record, sum));
}

bool hed_curl_find(const HedCurlDef* def, HedCurl* curl) {
    char path[PATH];
    HedText text = {0};
    Record record = {0};
    uint64_t key = hash_of(def);
    bool fits = path_of(key, path) && hed_file_exists(path) &&
                hed_text_read(path, &text, NULL) == HED_OK && text.size == sizeof record;
    if (fits) {
        memcpy(&record, text.data, sizeof record);
        fits = memcmp(record.magic, "HEDCURL", 8) == 0 && record.key == key &&
               record.sum == sum_of(&record);
    }
    for (int k = 0; k < NUMBERS && fits; ++k) {
        fits = isfinite(record.numbers[k]);
    }
    if (fits) {
        const double* n = record.numbers;
        *curl = (HedCurl){n[0], n[1], n[2], {n[3], n[4]}, {n[5], n[6]}, n[7], record.is_quiet != 0,
                          true};
    }
    hed_text_free(&text);
    return fits;
}

void hed_curl_keep(const HedCurlDef* def, const HedCurl* curl) {
    char path[PATH];
    HedWriter writer = {0};
    Record record = {.key = hash_of(def),
                     .numbers = {curl->stiffness, curl->along, curl->across, curl->rods[0],
                                 curl->rods[1], curl->yarns[0], curl->yarns[1], curl->force},
                     .is_quiet = curl->is_quiet};
    memcpy(record.magic, "HEDCURL", 8);
    record.sum = sum_of(&record);
    bool has_path = path_of(record.key, path);
    if (has_path) {
        hed_part_sweep(path);
    }
    if (has_path && hed_writer_replace(&writer, path, NULL) == HED_OK) {
        hed_writer_bytes(&writer, &record, sizeof record);
        hed_writer_commit(&writer, NULL);
    }
    hed_writer_abandon(&writer);
}
