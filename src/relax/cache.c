// SPDX-License-Identifier: MIT
// Relaxed fabrics are kept in files, named after a hash of everything that they follow from.
//
//   8 bytes "HEDRELAX", version, point count, report, points, hash of all before it
//
// A file that is damaged, or not what its name says, is made anew. Files are written whole or not
// at all, so that programs may share a directory.
#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/part.h"
#include "base/text.h"
#include "relax/relax.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 3 }; // to be raised when the same input gives another result
static const char MAGIC[8] = {'H', 'E', 'D', 'R', 'E', 'L', 'A', 'X'};

// What stands before the points. Every byte is set.
typedef struct Head {
    char magic[8];
    int64_t version;
    uint64_t key;
    int64_t point_count;
    double numbers[6];   // force, speed, overlap, strain, energy, wall
    int64_t integers[5]; // is_quiet, iterations, stages, backed_out, proofs
    HedVec3 period[2];
    double pull[2];
} Head;

static uint64_t hash_number(uint64_t hash, double value) {
    return hed_hash(hash, &value, sizeof value);
}

static uint64_t hash_def(const HedRelaxDef* def, int32_t count) {
    const double numbers[] = {
        VERSION,      def->stretch,         def->contact,        def->friction,      def->shrink,
        def->plates,  def->force,           def->speed,          (double)def->limit, def->pull[0],
        def->pull[1], def->holds_period[0], def->holds_period[1]};
    uint64_t hash = hed_hash(0, numbers, sizeof numbers);
    if (def->lengths) {
        hash = hed_hash(hash, def->lengths, sizeof(double) * (size_t)count);
    }
    return def->is_held ? hed_hash(hash, def->is_held, (size_t)count) : hash;
}

// Of everything that decides about the result.
static uint64_t hash_of(const HedFabric* fabric, const HedRelaxDef* def) {
    uint64_t hash = hash_def(def, fabric->point_count);
    hash = hed_hash(hash, hed_version(), strlen(hed_version()));
    hash = hed_hash(hash, fabric->points, sizeof(HedVec3) * (size_t)fabric->point_count);
    for (int32_t k = 0; k < fabric->yarn_count; ++k) {
        const HedFabricYarn* yarn = &fabric->yarns[k];
        hash = hash_number(hash, yarn->diameter);
        hash = hash_number(hash, (double)yarn->count);
        hash = hash_number(hash, yarn->is_closed);
        hash = hash_number(hash, yarn->turns.a);
        hash = hash_number(hash, yarn->turns.b);
    }
    return hed_hash(hash, fabric->period, sizeof fabric->period);
}

static Head head_of(uint64_t key, const HedFabric* fabric, const HedRelaxReport* report) {
    Head head = {.version = VERSION,
                 .key = key,
                 .point_count = fabric->point_count,
                 .period = {fabric->period[0], fabric->period[1]},
                 .pull = {report->pull[0], report->pull[1]},
                 .numbers = {report->force, report->speed, report->overlap, report->strain,
                             report->energy, report->wall},
                 .integers = {report->is_quiet, report->iterations, report->stages,
                              report->backed_out, report->proofs}};
    memcpy(head.magic, MAGIC, sizeof MAGIC);
    return head;
}

static HedRelaxReport report_of(const Head* head) {
    return (HedRelaxReport){.is_quiet = head->integers[0] != 0,
                            .iterations = (int32_t)head->integers[1],
                            .stages = (int32_t)head->integers[2],
                            .backed_out = (int32_t)head->integers[3],
                            .proofs = (int32_t)head->integers[4],
                            .force = head->numbers[0],
                            .speed = head->numbers[1],
                            .overlap = head->numbers[2],
                            .strain = head->numbers[3],
                            .energy = head->numbers[4],
                            .wall = head->numbers[5],
                            .pull = {head->pull[0], head->pull[1]}};
}

static uint64_t sum_of(const Head* head, const void* points, size_t bytes) {
    return hed_hash(hed_hash(0, head, sizeof *head), points, bytes);
}

static bool are_finite(const HedVec3* points, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        if (!hed_is_finite3(points[i])) {
            return false;
        }
    }
    return true;
}

// False if the text is not a whole file of this fabric.
static bool take(const HedText* text, uint64_t key, HedFabric* fabric, HedRelaxReport* report) {
    Head head;
    uint64_t sum;
    size_t bytes = sizeof(HedVec3) * (size_t)fabric->point_count;
    if (text->size != sizeof head + bytes + sizeof sum) {
        return false;
    }
    memcpy(&head, text->data, sizeof head);
    memcpy(&sum, text->data + sizeof head + bytes, sizeof sum);
    bool fits = memcmp(head.magic, MAGIC, sizeof MAGIC) == 0 && head.version == VERSION &&
                head.key == key && head.point_count == fabric->point_count &&
                sum == sum_of(&head, text->data + sizeof head, bytes);
    HedVec3* points = fits ? HED_NEW_ARRAY(HedVec3, fabric->point_count) : NULL;
    fits = points != NULL;
    if (fits) {
        memcpy(points, text->data + sizeof head, bytes);
        fits = are_finite(points, fabric->point_count) && are_finite(head.period, 2);
    }
    if (fits) {
        memcpy(fabric->points, points, bytes);
        memcpy(fabric->period, head.period, sizeof head.period);
        *report = report_of(&head);
    }
    hed_free(points);
    return fits;
}

// A cache that cannot be written costs time, not the result.
static void keep(const char* path, uint64_t key, const HedFabric* fabric,
                 const HedRelaxReport* report) {
    HedWriter writer = {0};
    HedError why = {0};
    Head head = head_of(key, fabric, report);
    size_t bytes = sizeof(HedVec3) * (size_t)fabric->point_count;
    uint64_t sum = sum_of(&head, fabric->points, bytes);
    hed_part_sweep(path);
    HedStatus status = hed_writer_replace(&writer, path, &why);
    if (status == HED_OK) {
        hed_writer_bytes(&writer, &head, sizeof head);
        hed_writer_bytes(&writer, fabric->points, bytes);
        hed_writer_bytes(&writer, &sum, sizeof sum);
        status = hed_writer_commit(&writer, &why);
    }
    hed_writer_abandon(&writer);
    if (status != HED_OK) {
        hed_log(HED_LOG_INFO, "the relaxed fabric was not kept: %s", why.message);
    }
}

// $HEDDLE_CACHE, $XDG_CACHE_HOME/heddle or $HOME/.cache/heddle; NULL if there is none of them.
static char* default_directory(void) {
    const char* own = getenv("HEDDLE_CACHE");
    const char* shared = getenv("XDG_CACHE_HOME");
    const char* home = getenv("HOME");
    if (own) {
        return own[0] ? hed_text_copy(own) : NULL;
    }
    if (shared && shared[0] == '/') {
        return hed_path_join(shared, "heddle");
    }
    return home && home[0] == '/' ? hed_path_join(home, ".cache/heddle") : NULL;
}

static char* file_in(const char* directory, uint64_t key) {
    char name[40];
    snprintf(name, sizeof name, "%016" PRIx64 ".relax", key);
    return hed_path_join(directory, name);
}

bool hed_cache_path(const char* name, char* path, size_t size) {
    char* directory = default_directory();
    char* whole = directory ? hed_path_join(directory, name) : NULL;
    int length = whole && hed_directory_make(directory, NULL) == HED_OK
                     ? snprintf(path, size, "%s", whole)
                     : -1;
    hed_free(directory);
    hed_free(whole);
    return length >= 0 && (size_t)length < size;
}

static bool find(const char* path, uint64_t key, HedFabric* fabric, HedRelaxReport* report) {
    HedText text = {0};
    bool is_found = false;
    if (hed_file_exists(path)) {
        is_found = hed_text_read(path, &text, NULL) == HED_OK && take(&text, key, fabric, report);
        hed_text_free(&text);
        if (!is_found) {
            hed_log(HED_LOG_INFO, "%s is damaged: the fabric must be relaxed anew", path);
        }
    }
    return is_found;
}

bool hed_fabric_relax_find(HedFabric* fabric, const HedRelaxDef* def, const char* directory,
                           HedRelaxReport* report) {
    char* place = directory ? hed_text_copy(directory) : default_directory();
    uint64_t key = hash_of(fabric, def);
    char* path = place ? file_in(place, key) : NULL;
    bool is_found = path && !def->forces && find(path, key, fabric, report);
    if (is_found) {
        report->is_cached = true;
    }
    hed_free(place);
    hed_free(path);
    return is_found;
}

HedStatus hed_fabric_relax_cached(HedFabric* fabric, const HedRelaxDef* def, const char* directory,
                                  HedRelaxReport* report, HedError* error) {
    HedRelaxReport local = {0};
    report = report ? report : &local;
    if (hed_fabric_relax_find(fabric, def, directory, report)) {
        return HED_OK;
    }
    char* place = directory ? hed_text_copy(directory) : default_directory();
    uint64_t key = hash_of(fabric, def); // of the fabric before it moves
    char* path = place ? file_in(place, key) : NULL;
    HedStatus status = hed_fabric_relax(fabric, def, report, error);
    if (status == HED_OK && path && hed_directory_make(place, NULL) == HED_OK) {
        keep(path, key, fabric, report);
    }
    hed_free(place);
    hed_free(path);
    return status;
}
