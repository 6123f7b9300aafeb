// SPDX-License-Identifier: MIT
// Facts about knitout programs, and the yarns they give.
#include "cli/knitout.h"
#include "cli/json.h"
#include "cli/knit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool cli_is_knitout(const char* path) {
    const char* extension = cli_extension(path);
    return strcasecmp(extension, "k") == 0 || strcasecmp(extension, "knitout") == 0;
}

// The program and what became of the attempt to lay out its yarns.
typedef struct Facts {
    const char* path;
    HedKnitout* program;
    HedKnitDef def;
    HedFabric fabric;
    HedKnitReport report;
    bool is_assumed;  // the yarn count
    HedStatus status; // of the attempt
    HedError error;
    double length; // m, of all yarns; an estimate if they could not be laid out
} Facts;

static void lay_out(Facts* facts) {
    HedFabric* fabric = &facts->fabric;
    facts->status =
        hed_knitout_build(facts->program, &facts->def, fabric, &facts->report, &facts->error);
    for (int32_t i = 0; i < fabric->yarn_count && facts->status == HED_OK; ++i) {
        facts->length += hed_fabric_length(fabric, i);
    }
    if (facts->status != HED_OK) {
        facts->length =
            hed_knitout_facts(facts->program).loop_count * hed_knit_loop_length(&facts->def);
    }
}

// Why there are no yarns, or why they are not proved: the last note; NULL if they are.
static const char* why_not(const Facts* facts) {
    const HedFabric* fabric = &facts->fabric;
    if (facts->status != HED_OK) {
        return facts->error.message;
    }
    bool is_told = !facts->report.is_proved && fabric->note_count > 0;
    return is_told ? fabric->notes[fabric->note_count - 1] : NULL;
}

static void begin_json(Json* json, const Facts* facts) {
    const HedKnitout* program = facts->program;
    HedKnitoutFacts f = hed_knitout_facts(program);
    json_text(json, "kind", "knitout");
    json_text(json, "path", facts->path);
    json_integer(json, "operations", f.operation_count);
    json_integer(json, "loops", f.loop_count);
    json_integer(json, "stitches", f.stitch_count);
    json_integer(json, "tucks", f.tuck_count);
    json_integer(json, "transfers", f.transfer_count);
    json_integer(json, "splits", f.split_count);
    json_integer(json, "courses", f.course_count);
    json_integer(json, "yarns", f.yarn_count);
    json_array(json, "carriers");
    for (int32_t i = 0; i < f.carrier_count; ++i) {
        json_text(json, NULL, hed_knitout_carrier(program, i));
    }
    json_end(json);
    json_integer(json, "lowest_needle", f.needle_low);
    json_integer(json, "highest_needle", f.needle_high);
    json_integer(json, "dropped_loops", f.dropped_count);
    json_integer(json, "live_loops", f.live_count);
    json_integer(json, "swaps", f.swap_count);
    json_integer(json, "longest_float", f.longest_float);
    json_array(json, "notes");
    for (int32_t i = 0; i < hed_knitout_note_count(program); ++i) {
        json_text(json, NULL, hed_knitout_note(program, i));
    }
    json_end(json);
}

static void end_json(Json* json, const Facts* facts) {
    bool is_drawn = facts->status == HED_OK;
    json_bool(json, "drawn", is_drawn);
    json_bool(json, "proved", is_drawn && facts->report.is_proved);
    if (is_drawn) {
        json_text(json, "drawn_by", facts->report.drawing);
        json_number(json, "gap", facts->report.gap);
    }
    if (why_not(facts)) {
        json_text(json, "why_not", why_not(facts));
    }
    json_number(json, "yarn_length", facts->length);
    json_number(json, "mass", facts->def.linear_density * facts->length);
    json_number(json, "linear_density", facts->def.linear_density);
    json_bool(json, "linear_density_assumed", facts->is_assumed);
}

static void begin_text(const Facts* facts) {
    const HedKnitout* program = facts->program;
    HedKnitoutFacts f = hed_knitout_facts(program);
    printf("knitout   %s: %" PRId32 " operations\n", facts->path, f.operation_count);
    printf("loops     %" PRId32 " in %" PRId32 " courses: %" PRId32 " stitches, %" PRId32
           " tucks, %" PRId32 " splits\n",
           f.loop_count, f.course_count, f.stitch_count, f.tuck_count, f.split_count);
    printf("needles   %" PRId32 " to %" PRId32 ", %" PRId32 " transfers, %" PRId32
           " pairs of loops change places\n",
           f.needle_low, f.needle_high, f.transfer_count, f.swap_count);
    printf("carriers  ");
    for (int32_t i = 0; i < f.carrier_count; ++i) {
        printf("%s%s", i > 0 ? ", " : "", hed_knitout_carrier(program, i));
    }
    printf(" (%" PRId32 " yarns); the longest float is %" PRId32 " needles wide\n", f.yarn_count,
           f.longest_float);
    printf("live      %" PRId32 " loops on needles at the end, %" PRId32 " were dropped\n",
           f.live_count, f.dropped_count);
    for (int32_t i = 0; i < hed_knitout_note_count(program); ++i) {
        printf("note      %s\n", hed_knitout_note(program, i));
    }
}

static void end_text(const Facts* facts) {
    bool is_drawn = facts->status == HED_OK;
    printf("yarn      %s%.5g m of %.3g mm, %.4g tex%s; %.4g g\n", is_drawn ? "" : "about ",
           facts->length, 1e3 * facts->def.diameter, 1e6 * facts->def.linear_density,
           facts->is_assumed ? " (as cotton: --knit count=COUNT tells better)" : "",
           1e3 * facts->def.linear_density * facts->length);
    if (!is_drawn) {
        printf("drawn     no: %s\n", why_not(facts));
        return;
    }
    printf("gap       %.3g mm between the closest yarns%s\n", 1e3 * facts->report.gap,
           facts->report.gap < 0.0 ? ": they overlap" : "");
    printf("drawn     yes, by %s; ", facts->report.drawing);
    if (why_not(facts)) {
        printf("%s\n", why_not(facts));
    } else {
        printf("every loop goes through its parents and no other\n");
    }
}

// What the program says comes first and at once: to draw it takes longer, and may fail.
static int tell(Facts* facts, bool as_json) {
    Json json = {0};
    if (as_json) {
        json = json_begin(stdout);
        begin_json(&json, facts);
    } else {
        begin_text(facts);
    }
    fflush(stdout);
    lay_out(facts);
    if (as_json) {
        end_json(&json, facts);
        json_finish(&json);
    } else {
        end_text(facts);
    }
    if (facts->status != HED_OK && facts->status != HED_INVALID) {
        return cli_error(&facts->error);
    }
    return why_not(facts) ? CLI_GAVE_UP : CLI_DONE;
}

int cli_knitout_info(const char* path, const CliList* settings, bool as_json) {
    HedError error = {0};
    Facts facts = {.path = path};
    int code = cli_knit_def(settings, &facts.def);
    if (code != CLI_GO) {
        return code;
    }
    facts.is_assumed = cli_knit_assume_count(&facts.def);
    if (hed_knitout_load(path, &facts.program, &error) != HED_OK) {
        return cli_error(&error);
    }
    code = tell(&facts, as_json);
    hed_fabric_free(&facts.fabric);
    hed_knitout_destroy(facts.program);
    return code;
}

int cli_knitout_fabric(const char* path, const CliList* settings, HedFabric* fabric) {
    HedError error = {0};
    HedKnitout* program = NULL;
    HedKnitDef def;
    int code = cli_knit_def(settings, &def);
    if (code != CLI_GO) {
        return code;
    }
    HedStatus status = hed_knitout_load(path, &program, &error);
    for (int32_t i = 0; program && i < hed_knitout_note_count(program); ++i) {
        fprintf(stderr, "heddle: note: %s: %s\n", path, hed_knitout_note(program, i));
    }
    if (status == HED_OK) {
        status = hed_knitout_build(program, &def, fabric, NULL, &error);
    }
    bool is_read = program != NULL;
    hed_knitout_destroy(program);
    if (status == HED_INVALID && is_read) { // it is a program, but there are no yarns of it
        cli_error(&error);
        return CLI_GAVE_UP;
    }
    return status == HED_OK ? CLI_GO : cli_error(&error);
}
