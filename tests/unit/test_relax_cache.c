// SPDX-License-Identifier: MIT
// Relaxed fabrics that were kept: found again, and made anew where a file is not what it should be.
#define _GNU_SOURCE // mkdtemp
#include "heddle/relax.h"

#include "base/alloc.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Two yarns of 1 mm that cross and overlap by half.
static HedFabric make_cross(void) {
    HedFabric fabric = {.point_count = 14, .yarn_count = 2};
    fabric.points = HED_NEW_ARRAY(HedVec3, 14);
    fabric.yarns = HED_NEW_ARRAY(HedFabricYarn, 2);
    cr_assert(fabric.points && fabric.yarns);
    for (int32_t i = 0; i < 7; ++i) {
        fabric.points[i] = (HedVec3){1e-3 * (i - 3), 0.0, 0.25e-3};
        fabric.points[7 + i] = (HedVec3){0.0, 1e-3 * (i - 3), -0.25e-3};
    }
    for (int32_t k = 0; k < 2; ++k) {
        fabric.yarns[k] =
            (HedFabricYarn){.first = 7 * k, .count = 7, .diameter = 1e-3, .color = HED_COLOR_NONE};
    }
    return fabric;
}

static HedRelaxDef make_def(void) {
    HedRelaxDef def = hed_relax_def_default();
    def.threads = 1;
    def.limit = 300;
    return def;
}

// Relaxes a cross; the points come back in x. True if it was kept from before.
static bool relax(const HedRelaxDef* def, const char* directory, HedVec3 x[14]) {
    HedFabric fabric = make_cross();
    HedRelaxReport report;
    HedError error = {0};
    HedStatus status = hed_fabric_relax_cached(&fabric, def, directory, &report, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    memcpy(x, fabric.points, sizeof(HedVec3) * 14);
    hed_fabric_free(&fabric);
    cr_assert_gt(report.iterations, 0);
    return report.is_cached;
}

// The path of the only file in a directory.
static void find_file(const char* directory, char* path, size_t size) {
    DIR* listing = opendir(directory);
    int count = 0;
    cr_assert_not_null(listing);
    for (struct dirent* entry = readdir(listing); entry; entry = readdir(listing)) {
        if (entry->d_name[0] != '.') {
            snprintf(path, size, "%s/%s", directory, entry->d_name);
            count += 1;
        }
    }
    closedir(listing);
    cr_assert_eq(count, 1);
}

static void remove_all(const char* directory) {
    char path[400];
    DIR* listing = opendir(directory);
    for (struct dirent* entry = readdir(listing); entry; entry = readdir(listing)) {
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        unlink(path);
    }
    closedir(listing);
    cr_assert_eq(rmdir(directory), 0);
}

Test(relax_cache, finds_again_what_was_done) {
    char directory[] = "relax-XXXXXX";
    HedVec3 first[14], second[14], third[14];
    HedRelaxDef def = make_def();
    cr_assert_not_null(mkdtemp(directory));
    cr_assert(!relax(&def, directory, first));
    cr_assert(relax(&def, directory, second));
    cr_assert_eq(memcmp(first, second, sizeof first), 0);
    def.threads = 2; // changes nothing
    cr_assert(relax(&def, directory, second));
    def.contact = 11.0;
    cr_assert(!relax(&def, directory, third));
    cr_assert_neq(memcmp(first, third, sizeof first), 0);
    remove_all(directory);
}

Test(relax_cache, a_damaged_file_is_made_anew) {
    static const long PLACES[] = {0, 9, 17, 25, 33, 90, 130, 400, -3};
    char directory[] = "relax-XXXXXX";
    char path[300];
    HedVec3 good[14], again[14];
    HedRelaxDef def = make_def();
    cr_assert_not_null(mkdtemp(directory));
    relax(&def, directory, good);
    find_file(directory, path, sizeof path);
    for (size_t k = 0; k < sizeof PLACES / sizeof PLACES[0]; ++k) {
        FILE* file = fopen(path, "r+b");
        cr_assert_not_null(file);
        cr_assert_eq(fseek(file, PLACES[k], PLACES[k] < 0 ? SEEK_END : SEEK_SET), 0);
        int byte = fgetc(file);
        cr_assert_eq(fseek(file, -1, SEEK_CUR), 0);
        fputc(byte ^ 0x10, file);
        fclose(file);
        cr_assert(!relax(&def, directory, again), "byte %ld", PLACES[k]);
        cr_assert_eq(memcmp(good, again, sizeof good), 0);
        cr_assert(relax(&def, directory, again), "byte %ld", PLACES[k]);
    }
    for (long size = 0; size < 400; size += 57) {
        cr_assert_eq(truncate(path, size), 0);
        cr_assert(!relax(&def, directory, again), "%ld bytes", size);
        cr_assert(relax(&def, directory, again));
    }
    remove_all(directory);
}

Test(relax_cache, a_directory_that_cannot_be_made_is_no_failure) {
    HedVec3 x[14];
    HedRelaxDef def = make_def();
    FILE* file = fopen("relax-file", "w");
    cr_assert_not_null(file);
    fclose(file);
    cr_assert(!relax(&def, "relax-file", x));
    cr_assert(!relax(&def, "relax-file/below", x));
    cr_assert_eq(unlink("relax-file"), 0);
}

Test(relax_cache, every_failed_allocation_is_survived) {
    char directory[] = "relax-XXXXXX";
    HedVec3 x[14];
    HedRelaxDef def = make_def();
    def.limit = 30;
    cr_assert_not_null(mkdtemp(directory));
    relax(&def, directory, x);
    for (int64_t n = 1; n < 8; ++n) { // reading the file needs fewer
        HedFabric fabric = make_cross();
        HedRelaxReport report;
        HedError error = {0};
        int64_t live = hed_alloc_stats().live_count;
        hed_alloc_fail_at(n);
        HedStatus status = hed_fabric_relax_cached(&fabric, &def, directory, &report, &error);
        hed_alloc_fail_at(0);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY);
        cr_assert_eq(hed_alloc_stats().live_count, live);
        hed_fabric_free(&fabric);
    }
    remove_all(directory);
}
