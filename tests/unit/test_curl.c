// SPDX-License-Identifier: MIT
// Curl hinges from a swatch of rods: what is found, that it is found again, and what is refused.
#define _GNU_SOURCE // mkdtemp, setenv
#include "calibrate/curl.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A directory of its own for each test, so that nothing is kept from before.
static char CACHE[] = "curl-XXXXXX";

static void begin(void) {
    cr_assert_not_null(mkdtemp(CACHE));
    cr_assert_eq(setenv("HEDDLE_CACHE", CACHE, 1), 0);
}

// Calls for each file whose name ends so; returns how many there are. The last path stays.
static int list(const char* ending, bool removes, char* path, size_t size) {
    DIR* listing = opendir(CACHE);
    int count = 0;
    cr_assert_not_null(listing);
    for (struct dirent* entry = readdir(listing); entry; entry = readdir(listing)) {
        size_t length = strlen(entry->d_name), end = strlen(ending);
        if (length > end && strcmp(entry->d_name + length - end, ending) == 0) {
            snprintf(path, size, "%s/%s", CACHE, entry->d_name);
            count += 1;
            if (removes) {
                unlink(path);
            }
        }
    }
    closedir(listing);
    return count;
}

static void end(void) {
    char path[400];
    list("", true, path, sizeof path);
    rmdir(CACHE);
}

TestSuite(curl, .init = begin, .fini = end);

// As small as there are hinges: each inner stitch has neighbours on all sides.
static HedCurlDef small(const char* pattern) {
    HedCurlDef def = hed_curl_def_default();
    def.knit.pattern = pattern;
    def.knit.rows = def.knit.stitches = 4;
    def.knit.diameter = 1e-3;
    def.knit.linear_density = 2e-4;
    def.sliding.bend = 2e-9;
    def.sliding.stretch = 0.04; // 20 B/d^2, as the rods'
    def.relax.threads = 1;
    return def;
}

static HedCurl calibrate(const HedCurlDef* def) {
    HedCurl curl;
    HedError error = {0};
    cr_assert_eq(hed_curl_calibrate(def, &curl, &error), HED_OK, "%s", error.message);
    return curl;
}

static bool is_same(const HedCurl* a, const HedCurl* b) {
    return a->stiffness == b->stiffness && a->along == b->along && a->across == b->across &&
           a->rods[0] == b->rods[0] && a->rods[1] == b->rods[1] && a->yarns[0] == b->yarns[0] &&
           a->yarns[1] == b->yarns[1] && a->force == b->force && a->is_quiet == b->is_quiet;
}

static void flip(const char* path, long at) {
    FILE* file = fopen(path, "r+b");
    cr_assert_not_null(file);
    cr_assert_eq(fseek(file, at, SEEK_SET), 0);
    int byte = fgetc(file);
    cr_assert_eq(fseek(file, at, SEEK_SET), 0);
    fputc(byte ^ 0x10, file);
    fclose(file);
}

// Sides to the back, ends to the front, of rods and of the sliding yarns that follow them; and what
// was found is found again, until its file is damaged.
Test(curl, stockinette_is_found_and_kept) {
    HedCurlDef def = small("stockinette");
    HedCurl first = calibrate(&def);
    const double unit = def.sliding.bend / (def.knit.diameter * def.knit.diameter);
    printf("stiffness %g B/d, rods %g %g, yarns %g %g, hinges %g %g, left %g B/d^2\n",
           first.stiffness * def.knit.diameter / def.sliding.bend, first.rods[0], first.rods[1],
           first.yarns[0], first.yarns[1], first.along, first.across, first.force / unit);
    cr_assert(!first.is_cached && first.is_quiet);
    cr_assert_gt(first.stiffness, 0.0);
    cr_assert(first.rods[0] < 0.0 && first.rods[1] > 0.0);
    for (int k = 0; k < 2; ++k) {
        // What docs/sliding.md#curl promises of hinges that do not reach their limit.
        cr_assert_leq(fabs(first.yarns[k] - first.rods[k]), 0.05 * fabs(first.rods[k]));
    }
    cr_assert_leq(first.force, 0.01 * unit); // rest as relaxation has it
    HedCurl again = calibrate(&def);
    cr_assert(again.is_cached && is_same(&first, &again));

    char path[400];
    HedCurl kept;
    cr_assert_eq(list(".curl", false, path, sizeof path), 1);
    flip(path, 20);
    cr_assert(!hed_curl_find(&def, &kept));
    hed_curl_keep(&def, &first);
    cr_assert(hed_curl_find(&def, &kept) && is_same(&first, &kept));
    cr_assert_eq(truncate(path, 30), 0);
    cr_assert(!hed_curl_find(&def, &kept));
    hed_curl_keep(&def, &first);
    // What was found of one material is not that of another.
    HedCurlDef other = def;
    other.sliding.wrap = 1e-4;
    cr_assert(!hed_curl_find(&other, &kept));
    other = def;
    other.knit.pattern = "garter";
    cr_assert(!hed_curl_find(&other, &kept));
    cr_assert(hed_curl_find(&def, &kept));
}

// Nothing is kept from one to the other, neither hinges nor the rods' rest.
Test(curl, same_bits_for_any_number_of_threads) {
    HedCurl found[3];
    for (int k = 0; k < 3; ++k) {
        char path[400];
        HedCurlDef def = small("reverse-stockinette");
        def.relax.threads = k + 1;
        found[k] = calibrate(&def);
        cr_assert(!found[k].is_cached);
        cr_assert(is_same(&found[0], &found[k]), "%d threads", k + 1);
        list("", true, path, sizeof path);
    }
    // Counted by stitch, which is the other way round: purl stitches turn as knit ones do.
    cr_assert(found[0].rods[0] < 0.0 && found[0].rods[1] > 0.0);
}

static void expect(const HedCurlDef* def, HedStatus status, const char* words) {
    HedCurl curl;
    HedError error = {0};
    cr_assert_eq(hed_curl_calibrate(def, &curl, &error), status);
    cr_assert_not_null(strstr(error.message, words), "%s", error.message);
}

Test(curl, bad_input_is_named) {
    HedCurlDef def = small("stockinette");
    def.stamp = 0;
    expect(&def, HED_INVALID, "hed_curl_def_default");
    def = small("no such pattern");
    expect(&def, HED_INVALID, "no such pattern");
}
