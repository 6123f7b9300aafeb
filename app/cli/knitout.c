// SPDX-License-Identifier: MIT
// Facts about knitout programs, and the yarns they give.
#include "cli/knitout.h"
#include "cli/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool cli_is_knitout(const char* path) {
    const char* extension = cli_extension(path);
    return strcasecmp(extension, "k") == 0 || strcasecmp(extension, "knitout") == 0;
}

bool cli_is_knitspeak(const char* path) {
    return strcasecmp(cli_extension(path), "ks") == 0;
}

// What became of the attempt to lay out the yarns.
typedef struct Layout {
    HedStatus status;
    HedKnitReport report;
    HedError error;
    double length; // m, of all yarns
} Layout;

static Layout lay_out(const HedKnitout* program) {
    Layout layout = {0};
    HedFabric fabric = {0};
    HedKnitDef def = hed_knit_def_default();
    layout.status = hed_knitout_build(program, &def, &fabric, &layout.report, &layout.error);
    for (int32_t i = 0; i < fabric.yarn_count && layout.status == HED_OK; ++i) {
        layout.length += hed_fabric_length(&fabric, i);
    }
    hed_fabric_free(&fabric);
    return layout;
}

static void print_json(const char* path, const HedKnitout* program, const Layout* layout) {
    HedKnitoutFacts f = hed_knitout_facts(program);
    Json json = json_begin(stdout);
    json_text(&json, "kind", "knitout");
    json_text(&json, "path", path);
    json_integer(&json, "operations", f.operation_count);
    json_integer(&json, "loops", f.loop_count);
    json_integer(&json, "stitches", f.stitch_count);
    json_integer(&json, "tucks", f.tuck_count);
    json_integer(&json, "transfers", f.transfer_count);
    json_integer(&json, "splits", f.split_count);
    json_integer(&json, "courses", f.course_count);
    json_integer(&json, "yarns", f.yarn_count);
    json_integer(&json, "lowest_needle", f.needle_low);
    json_integer(&json, "highest_needle", f.needle_high);
    json_integer(&json, "dropped_loops", f.dropped_count);
    json_integer(&json, "live_loops", f.live_count);
    json_integer(&json, "swaps", f.swap_count);
    json_integer(&json, "longest_float", f.longest_float);
    json_bool(&json, "drawn", layout->status == HED_OK);
    if (layout->status == HED_OK) {
        json_number(&json, "yarn_length", layout->length);
    }
    json_array(&json, "notes");
    for (int32_t i = 0; i < hed_knitout_note_count(program); ++i) {
        json_text(&json, NULL, hed_knitout_note(program, i));
    }
    json_end(&json);
    json_finish(&json);
}

static void print_text(const char* path, const HedKnitout* program, const Layout* layout) {
    HedKnitoutFacts f = hed_knitout_facts(program);
    printf("knitout   %s: %" PRId32 " operations\n", path, f.operation_count);
    printf("loops     %" PRId32 " in %" PRId32 " courses: %" PRId32 " stitches, %" PRId32
           " tucks, %" PRId32 " splits\n",
           f.loop_count, f.course_count, f.stitch_count, f.tuck_count, f.split_count);
    printf("needles   %" PRId32 " to %" PRId32 ", %" PRId32 " transfers, %" PRId32
           " pairs of loops change places\n",
           f.needle_low, f.needle_high, f.transfer_count, f.swap_count);
    printf("yarns     %" PRId32 ", the longest float is %" PRId32 " needles wide\n", f.yarn_count,
           f.longest_float);
    if (layout->status == HED_OK) {
        printf("drawn     %.5g m of yarn, 1 mm thick; every loop goes through its parents\n",
               layout->length);
    } else {
        printf("drawn     no: %s\n", layout->error.message);
    }
    for (int32_t i = 0; i < hed_knitout_note_count(program); ++i) {
        printf("note      %s\n", hed_knitout_note(program, i));
    }
}

int cli_knitout_info(const char* path, bool as_json) {
    HedError error = {0};
    HedKnitout* program = NULL;
    if (hed_knitout_load(path, &program, &error) != HED_OK) {
        return cli_error(&error);
    }
    Layout layout = lay_out(program);
    int code = CLI_DONE;
    if (layout.status == HED_NO_MEMORY) {
        code = cli_error(&layout.error);
    } else {
        (as_json ? print_json : print_text)(path, program, &layout);
    }
    hed_knitout_destroy(program);
    return code;
}

int cli_knitspeak_info(const char* path, bool as_json) {
    HedError error = {0};
    HedFabric fabric = {0};
    HedKnitReport r = {0};
    HedKnitDef def = hed_knit_def_default();
    HedStatus status = hed_knitspeak_load(path, &def, &fabric, &r, &error);
    double length = 0.0;
    for (int32_t i = 0; i < fabric.yarn_count && status == HED_OK; ++i) {
        length += hed_fabric_length(&fabric, i);
    }
    hed_fabric_free(&fabric);
    if (status != HED_OK) {
        return cli_error(&error);
    }
    if (as_json) {
        Json json = json_begin(stdout);
        json_text(&json, "kind", "knitspeak");
        json_text(&json, "path", path);
        json_integer(&json, "loops", r.loop_count);
        json_integer(&json, "courses", r.course_count);
        json_integer(&json, "widest", r.widest);
        json_integer(&json, "live_loops", r.live_count);
        json_number(&json, "yarn_length", length);
        json_finish(&json);
    } else {
        printf("knitspeak %s\n", path);
        printf("loops     %" PRId32 " in %" PRId32 " rows, the widest has %" PRId32 "\n",
               r.loop_count, r.course_count, r.widest);
        printf("live      %" PRId32 "\n", r.live_count);
        printf("yarn      %.5g m, 1 mm thick; every loop goes through its parents\n", length);
    }
    return CLI_DONE;
}

int cli_knitout_curves(const char* path, double diameter, HedCurves* curves) {
    HedError error = {0};
    HedKnitout* program = NULL;
    HedFabric fabric = {0};
    HedKnitDef def = hed_knit_def_default();
    def.diameter = diameter > 0.0 ? diameter : def.diameter;
    bool is_speech = cli_is_knitspeak(path);
    HedStatus status = is_speech ? hed_knitspeak_load(path, &def, &fabric, NULL, &error)
                                 : hed_knitout_load(path, &program, &error);
    for (int32_t i = 0; program && i < hed_knitout_note_count(program); ++i) {
        fprintf(stderr, "heddle: note: %s: %s\n", path, hed_knitout_note(program, i));
    }
    if (status == HED_OK && !is_speech) {
        status = hed_knitout_build(program, &def, &fabric, NULL, &error);
    }
    if (status == HED_OK) {
        status = hed_fabric_curves(&fabric, curves, &error);
    }
    hed_fabric_free(&fabric);
    hed_knitout_destroy(program);
    return status == HED_OK ? CLI_GO : cli_error(&error);
}
