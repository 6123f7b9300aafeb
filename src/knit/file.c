// SPDX-License-Identifier: MIT
// Files that say what is knitted, whatever their format.
#include "base/file.h"
#include "base/text.h"
#include "base/words.h"
#include "fabric/fabric.h"
#include "heddle/knitout.h"
#include "knit/chart_text.h"
#include "knit/knit.h"
#include "knit/knitspeak.h"
#include "knit/stitch.h"

#include <string.h>

typedef enum KnitFormat {
    FORMAT_NONE,
    FORMAT_CHART,
    FORMAT_INSTRUCTIONS,
    FORMAT_PROGRAM
} KnitFormat;

static KnitFormat format_of(const char* path) {
    const char* extension = hed_path_extension(path);
    if (hed_same_word(extension, "knit")) {
        return FORMAT_CHART;
    }
    if (hed_same_word(extension, "ks")) {
        return FORMAT_INSTRUCTIONS;
    }
    bool is_program = hed_same_word(extension, "k") || hed_same_word(extension, "knitout");
    return is_program ? FORMAT_PROGRAM : FORMAT_NONE;
}

bool hed_knit_file_is(const char* path) {
    return format_of(path) != FORMAT_NONE;
}

// --- facts

static int32_t widest(const HedChart* chart) {
    int32_t most = chart->cast_on;
    for (int32_t r = 0; r < chart->rows.count; ++r) {
        const HedChartRow* row = &chart->rows.data[r];
        int32_t width = 0;
        for (int32_t i = 0; i < row->count; ++i) {
            width += hed_stitch_produced(&chart->stitches.data[row->first + i]);
        }
        most = width > most ? width : most;
    }
    return most;
}

static int32_t worked(const HedChart* chart) {
    int32_t count = 0;
    for (int32_t i = 0; i < chart->stitches.count; ++i) {
        count += chart->stitches.data[i].kind != HED_STITCH_WAIT;
    }
    return count;
}

static HedStatus tell(const HedChart* chart, HedKnitFacts* facts, HedError* error) {
    HedLoops graph = {0};
    *facts = (HedKnitFacts){.row_count = chart->rows.count,
                            .cast_on = chart->cast_on,
                            .stitch_count = worked(chart),
                            .widest = widest(chart),
                            .yarn_count = chart->yarn_count,
                            .is_round = chart->is_round};
    HedStatus status = hed_chart_loops(chart, &graph, error);
    if (status == HED_OK) {
        facts->loop_count = graph.loops.count;
        facts->live_count = graph.live_count;
        facts->swap_count = graph.swaps.count;
    }
    hed_loops_free(&graph);
    return status == HED_NO_MEMORY ? status : HED_OK;
}

HedStatus hed_knit_file_survey(const char* path, const HedKnitDef* def, HedKnitFacts* facts,
                               HedError* error) {
    HedStatus status = HED_OK;
    HedText text = {0};
    HedChart chart = {0};
    HedError why = {0};
    *facts = (HedKnitFacts){0};
    HedStitchShape shape; // whether such yarn makes loops
    HED_TRY(hed_stitch_shape(hed_knit_loop_length(def), def->diameter, &shape, error));
    HED_TRY(hed_text_read(path, &text, error));
    HED_TRY(hed_text_check(text.data, text.size, path, error));
    if (format_of(path) == FORMAT_INSTRUCTIONS) {
        HED_TRY(hed_knitspeak_read(text.data, text.size, path, &chart, error));
    } else {
        HED_TRY(hed_chart_read(text.data, path, def->is_round, &chart, error));
        HED_TRY(hed_chart_check(&chart, error));
    }
    status = tell(&chart, facts, &why);
    if (status != HED_OK && error) {
        *error = why;
    }
done:
    hed_chart_free(&chart);
    hed_text_free(&text);
    return status;
}

// --- yarns

// Number of a carrier among those of a program.
static int32_t find_carrier(const HedKnitout* program, const char* name) {
    int32_t count = hed_knitout_facts(program).carrier_count;
    int32_t i = 0;
    while (i < count && strcmp(hed_knitout_carrier(program, i), name) != 0) {
        ++i;
    }
    return i;
}

// Colours and counts by the order of carriers, or of the yarns of a chart, and by names.
static HedStatus dress(const HedKnitout* program, const HedKnitDef* def, HedFabric* fabric,
                       HedError* error) {
    for (int32_t i = 0; i < fabric->yarn_count; ++i) {
        HedFabricYarn* yarn = &fabric->yarns[i];
        int32_t number = program ? find_carrier(program, yarn->name) : i;
        if (number < def->color_count && hed_knit_is_ordered(def->color_names, number)) {
            yarn->color = def->colors[number];
        }
        bool is_told = number < def->linear_density_count &&
                       hed_knit_is_ordered(def->linear_density_names, number);
        yarn->linear_density = is_told ? def->linear_densities[number] : def->linear_density;
    }
    return hed_knit_dress_named(def, fabric, error);
}

static HedStatus run_program(const char* data, const HedKnitDef* def, HedFabric* fabric,
                             HedKnitReport* report, HedError* error) {
    HedStatus status = HED_OK;
    HedKnitout* program = NULL;
    HedKnitDef plain = *def;
    plain.colors = NULL;
    plain.linear_densities = NULL;
    plain.color_count = plain.linear_density_count = 0;
    HED_TRY(hed_knitout_parse(data, strlen(data), def->name, &program, error));
    HED_TRY(hed_knitout_build(program, &plain, fabric, report, error));
    HED_TRY(dress(program, def, fabric, error));
    for (int32_t i = 0; i < hed_knitout_note_count(program); ++i) {
        HED_TRY(hed_fabric_note(fabric, error, "%s", hed_knitout_note(program, i)));
    }
done:
    hed_knitout_destroy(program);
    return status;
}

HedStatus hed_knit_file_parse(const char* data, const HedKnitDef* def, HedFabric* fabric,
                              HedKnitReport* report, HedError* error) {
    *fabric = (HedFabric){0};
    HedStatus status = HED_OK;
    HedKnitDef charted = *def;
    charted.chart = data;
    switch (format_of(def->name)) {
    case FORMAT_CHART:
        return hed_knit_create(&charted, fabric, report, error);
    case FORMAT_INSTRUCTIONS:
        status = hed_knitspeak_build(data, def, fabric, report, error);
        return status == HED_OK ? dress(NULL, def, fabric, error) : status;
    case FORMAT_PROGRAM:
        return run_program(data, def, fabric, report, error);
    default:
        return hed_fail(error, HED_UNSUPPORTED,
                        "%s: a knit is read from charts (.knit), instructions (.ks) and knitout "
                        "programs (.k, .knitout)",
                        def->name);
    }
}

HedStatus hed_knit_load_by(HedKnitMake* make, const char* path, const HedKnitDef* def,
                           HedFabric* fabric, HedKnitReport* report, HedError* error) {
    HedText text = {0};
    HedKnitDef named = *def;
    named.name = path;
    *fabric = (HedFabric){0};
    HedStatus status = hed_text_read(path, &text, error);
    if (status == HED_OK) {
        status = hed_text_check(text.data, text.size, path, error);
    }
    if (status == HED_OK) {
        status = make(text.data, &named, fabric, report, error);
    }
    hed_text_free(&text);
    return status;
}

HedStatus hed_knit_file_load(const char* path, const HedKnitDef* def, HedFabric* fabric,
                             HedKnitReport* report, HedError* error) {
    return hed_knit_load_by(hed_knit_file_parse, path, def, fabric, report, error);
}
