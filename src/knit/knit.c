// SPDX-License-Identifier: MIT
// The whole way: pattern or chart, loop graph, plan, yarns, proof.
#include "knit/knit.h"
#include "base/text.h"
#include "knit/beds.h"
#include "knit/chart_text.h"
#include "knit/embed.h"
#include "knit/pattern.h"
#include "knit/repeat.h"
#include "knit/sweater.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { STAMP = 0x6b6e6974, LEAST_POINTS = 8, MOST_POINTS = 1000 };

static const double LOOP_LENGTH = 16.66; // diameters; the plain loop of Peirce (1947)

HedKnitDef hed_knit_def_default(void) {
    return (HedKnitDef){.name = "chart",
                        .rows = 20,
                        .stitches = 20,
                        .bind_off = true,
                        .diameter = 1e-3,
                        .points_per_loop = 24,
                        .stamp = STAMP};
}

double hed_knit_loop_length(const HedKnitDef* def) {
    return def->loop_length > 0.0 ? def->loop_length : LOOP_LENGTH * def->diameter;
}

static HedStatus check_def(const HedKnitDef* def, HedError* error) {
    if (def->stamp != STAMP) {
        return hed_fail(error, HED_INVALID, "a knit must come from hed_knit_def_default()");
    }
    if ((def->pattern != NULL) == (def->chart != NULL)) {
        return hed_fail(error, HED_INVALID, "a knit needs a pattern or a chart, %s",
                        def->pattern ? "not both" : "got none");
    }
    if (def->points_per_loop < LEAST_POINTS || def->points_per_loop > MOST_POINTS) {
        return hed_fail(error, HED_INVALID,
                        "a knit must have %d to %d points per loop, got %" PRId32,
                        (int)LEAST_POINTS, (int)MOST_POINTS, def->points_per_loop);
    }
    if (!(def->linear_density >= 0.0) || !isfinite(def->linear_density)) {
        return hed_fail(error, HED_INVALID, "linear density must be zero or more, got %g kg/m",
                        def->linear_density);
    }
    for (int32_t i = 0; i < def->linear_density_count; ++i) {
        if (!(def->linear_densities[i] > 0.0) || !isfinite(def->linear_densities[i])) {
            return hed_fail(error, HED_INVALID,
                            "linear density of yarn %" PRId32 " must be positive, got %g kg/m", i,
                            def->linear_densities[i]);
        }
    }
    return HED_OK;
}

// It is no chart of rows, and has no sheet that it could be drawn on.
static bool is_sweater(const HedKnitDef* def) {
    return def->pattern && strcmp(def->pattern, HED_PATTERN_SWEATER) == 0;
}

static HedStatus make_graph(const HedKnitDef* def, HedLoops* graph, HedChart* chart,
                            HedError* error) {
    HedStatus status = HED_OK;
    HedPatternSize size = {def->rows, def->stitches, def->is_round, def->bind_off};
    HedSweaterSize sweater = {def->stitches, def->yoke_rows, def->rows, def->sleeve_rows,
                              def->bind_off};
    if (is_sweater(def)) {
        HED_TRY(hed_sweater_loops(&sweater, graph, error));
    } else if (def->chart) {
        HED_TRY(hed_chart_read(def->chart, def->name, def->is_round, chart, error));
        HED_TRY(hed_chart_loops(chart, graph, error));
    } else {
        HED_TRY(hed_pattern_chart(def->pattern, &size, chart, error));
        HED_TRY(hed_chart_loops(chart, graph, error));
    }
    for (int32_t i = 0; i < graph->yarns.count && i < def->color_count; ++i) {
        if (hed_knit_is_ordered(def->color_names, i)) {
            graph->yarns.data[i].has_color = true;
            graph->yarns.data[i].color = (uint32_t)def->colors[i];
        }
    }
done:
    return status;
}

// A fabric without edges is the middle of one of so many repeats each way.
enum { REPEATS = 3 };

static HedStatus tell(const HedKnitPlan* plan, const HedKnitDef* def, const HedFabric* fabric,
                      HedKnitReport* report, HedError* error) {
    static const double APART = 3.0;
    const HedLoops* graph = plan->graph;
    double length = 0.0;
    for (int32_t i = 0; i < fabric->yarn_count; ++i) {
        length += hed_fabric_length(fabric, i);
    }
    double widest = 0.0;
    for (int32_t c = 0; c < graph->course_count; ++c) {
        widest = fmax(widest, hed_loops_width(graph, c));
    }
    int32_t rows = def->rows / REPEATS, stitches = def->stitches / REPEATS; // of a repeat
    int32_t loops = def->is_periodic ? rows * stitches : graph->loops.count;
    *report = (HedKnitReport){
        .loop_count = loops,
        .course_count = def->is_periodic ? rows : graph->course_count,
        .widest = def->is_periodic ? stitches : (int32_t)widest,
        .live_count = def->is_periodic ? 0 : graph->live_count,
        .yarn_count = graph->yarns.count,
        .loop_length = length / loops,
        .wale_spacing = plan->shape.wale,
        .course_spacing = plan->shape.course,
        .is_proved = true,
    };
    return hed_fabric_gap(fabric, APART, &report->gap, error);
}

// Draws the yarns and proves them right.
static HedStatus draw(const HedKnitPlan* plan, const HedKnitDef* def, int32_t points,
                      HedLoopSpan* spans, HedFabric* fabric, HedError* error) {
    HedStatus status = HED_OK;
    HedFabricYarn yarn = {
        .color = HED_COLOR_NONE, .diameter = def->diameter, .linear_density = def->linear_density};
    HED_TRY((plan->log ? hed_bed_draw : hed_knit_draw)(plan, &yarn, points, fabric, spans, error));
    for (int32_t i = 0; i < fabric->yarn_count && i < def->linear_density_count; ++i) {
        if (hed_knit_is_ordered(def->linear_density_names, i)) {
            fabric->yarns[i].linear_density = def->linear_densities[i];
        }
    }
    if (plan->is_placed) {
        HED_TRY(hed_knit_cross_space(plan, spans, fabric, error));
        HED_TRY(hed_knit_check_space(plan, fabric, spans, error));
    } else {
        HED_TRY(hed_knit_cross(plan, spans, fabric, error));
        status = hed_knit_check(plan, fabric, spans, plan->doubt ? plan->doubt : error);
        HED_TRY(status == HED_INVALID && plan->doubt ? HED_OK : status);
    }
done:
    return status;
}

// Few points cut corners, and may cut them through another yarn: then more are taken.
static HedStatus draw_well(const HedKnitPlan* plan, const HedKnitDef* def, HedLoopSpan* spans,
                           HedFabric* fabric, HedError* error) {
    enum { ENOUGH = 96 };
    int32_t points = def->points_per_loop;
    HedError why;
    HedStatus status = draw(plan, def, points, spans, fabric, &why);
    while (status == HED_INVALID && points < ENOUGH && !plan->is_quick) {
        points *= 2;
        hed_fabric_free(fabric);
        status = draw(plan, def, points, spans, fabric, &why);
    }
    if (status != HED_OK && error) {
        *error = why; // that of a try which did not count is not told
    }
    if (status == HED_OK && points != def->points_per_loop) {
        status = hed_fabric_note(fabric, error,
                                 "%" PRId32 " points per loop were taken: with %" PRId32
                                 " the yarn would cut through itself",
                                 points, def->points_per_loop);
    }
    return status;
}

// The first parent of an earlier course; -1: none.
static int32_t loop_below(const HedLoops* graph, int32_t i) {
    for (int32_t k = 0; k < hed_parent_count(graph, i); ++k) {
        int32_t parent = hed_parents(graph, i)[k];
        if (graph->loops.data[parent].course < graph->loops.data[i].course) {
            return parent;
        }
    }
    return -1;
}

// Says in the fabric which part of its yarns is which loop.
static HedStatus tell_loops(const HedLoops* graph, const HedLoopSpan* spans, HedFabric* fabric,
                            HedError* error) {
    HedFabricLoop* loops = HED_NEW_ARRAY(HedFabricLoop, graph->loops.count);
    if (!loops) {
        return hed_fail_memory(error, "loops of a knit");
    }
    for (int32_t i = 0; i < graph->loops.count; ++i) {
        const HedLoop* loop = &graph->loops.data[i];
        int32_t parents = hed_parent_count(graph, i);
        loops[i] = (HedFabricLoop){.yarn = spans[i].yarn,
                                   .start = spans[i].start,
                                   .apex = spans[i].apex,
                                   .end = spans[i].end,
                                   .parent = parents > 0 ? hed_parents(graph, i)[0] : -1,
                                   .parent_count = parents,
                                   .below = loop_below(graph, i),
                                   .course = loop->course,
                                   .wale = loop->wale,
                                   .layer = loop->layer,
                                   .is_purl = loop->is_purl,
                                   .is_leftward = loop->is_leftward};
    }
    fabric->loops = loops;
    fabric->loop_count = graph->loops.count;
    return HED_OK;
}

// Draws a plan, lays it out and tells what was made.
static HedStatus build_plan(const HedKnitPlan* plan, const HedKnitDef* def, HedFabric* fabric,
                            HedKnitReport* report, HedError* error) {
    HedStatus status = HED_OK;
    HedLoopSpan* spans = HED_NEW_ARRAY(HedLoopSpan, plan->graph->loops.count);
    if (!spans) {
        return hed_fail_memory(error, "loops of a knit");
    }
    HED_TRY(draw_well(plan, def, spans, fabric, error));
    if (def->is_periodic) {
        HED_TRY(
            hed_knit_cut(plan, spans, def->rows / REPEATS, def->stitches / REPEATS, fabric, error));
    } else {
        HED_TRY(tell_loops(plan->graph, spans, fabric, error));
    }
    HED_TRY(hed_knit_roll(plan, fabric, error));
    if (report) {
        HED_TRY(tell(plan, def, fabric, report, error));
    }
done:
    hed_free(spans);
    return status;
}

// What hed_knit_build was asked for.
typedef struct Build {
    const HedLoops* graph;
    const HedBedLog* log;
    HedStitchShape shape;
    const HedKnitDef* def;
    HedFabric* fabric;
    HedKnitReport* report;
} Build;

// A failure begins with its line if it has one: then the name of the file goes before.
static HedStatus name_failure(const Build* b, HedError* error, HedStatus status) {
    bool has_line = error && error->message[0] >= '0' && error->message[0] <= '9';
    return status == HED_INVALID && has_line ? hed_fail_prefix(error, status, "%s:", b->def->name)
                                             : status;
}

// Rows of so many loops are not drawn with more and more points before other ways were tried.
static bool is_large(const Build* b) {
    enum { FEW = 10000 }; // seconds of work
    return b->graph->loops.count > FEW && !b->def->is_periodic && !b->def->is_embedded;
}

static HedStatus build_sheet(const Build* b, bool is_tight, bool is_quick, HedError* error) {
    HedKnitPlan plan = {0};
    HedStatus status = hed_knit_plan(b->graph, &b->shape, is_tight, &plan, error);
    plan.is_quick = is_quick;
    if (status == HED_OK) {
        status = build_plan(&plan, b->def, b->fabric, b->report, error);
    }
    hed_knit_plan_free(&plan);
    return status;
}

static HedStatus build_on_sheet(const Build* b, HedError* error) {
    return build_sheet(b, false, b->log || is_large(b), error);
}

static HedStatus build_on_tight_sheet(const Build* b, HedError* error) {
    return build_sheet(b, true, b->log || is_large(b), error);
}

static HedStatus build_in_space(const Build* b, HedError* error) {
    HedStatus status = HED_OK;
    HedPlacedKnit placed = {0};
    HedKnitPlan plan = {0};
    HED_TRY(hed_knit_embed(b->graph, &b->shape, HED_EMBED_STRESS, &placed, error));
    HedLoopSurface surface = {placed.places, placed.spacing, placed.bends};
    HED_TRY(hed_knit_plan_places(&placed.graph, &b->shape, &surface, &plan, error));
    plan.is_quick = b->log != NULL;
    HED_TRY(build_plan(&plan, b->def, b->fabric, b->report, error));
done:
    hed_knit_plan_free(&plan);
    hed_placed_knit_free(&placed);
    return status;
}

static HedStatus build_in_few_places(const Build* b, HedError* error) {
    enum { FEW = 2000 };
    bool is_many = b->log ? b->graph->loops.count > FEW : is_large(b);
    return is_many && !b->def->is_embedded
               ? hed_fail(error, HED_INVALID, "too many loops for places in space")
               : build_in_space(b, error);
}

// Without a proof they are drawn all the same, with a note that says so.
static HedStatus build_on_beds(const Build* b, HedError* error) {
    HedKnitPlan plan = {.graph = b->graph, .shape = b->shape, .log = b->log};
    HedError doubt = {0};
    HedStatus status = build_plan(&plan, b->def, b->fabric, b->report, error);
    if (status == HED_INVALID) {
        hed_fabric_free(b->fabric);
        plan.doubt = &doubt;
        plan.is_quick = true;
        status = build_plan(&plan, b->def, b->fabric, b->report, error);
    }
    if (status == HED_OK && doubt.status != HED_OK) {
        name_failure(b, &doubt, HED_INVALID);
        status = hed_fabric_note(b->fabric, error, "not proved: %s", doubt.message);
        if (b->report) {
            b->report->is_proved = false;
        }
    }
    return status;
}

// Rows as a machine of two beds would hold them; what it proves only.
static HedStatus build_rows_on_beds(const Build* b, HedError* error) {
    HedBedLog log = {0};
    HedStatus status = hed_bed_log_of_rows(b->graph, &log, error);
    if (status == HED_OK) {
        HedKnitPlan plan = {.graph = b->graph, .shape = b->shape, .log = &log};
        status = build_plan(&plan, b->def, b->fabric, b->report, error);
    }
    hed_bed_log_free(&log);
    return status;
}

static HedStatus build_on_fine_sheet(const Build* b, HedError* error) {
    return is_large(b) ? build_sheet(b, false, false, error)
                       : hed_fail(error, HED_INVALID, "rows and columns were tried");
}

typedef struct DrawingMethod {
    const char* name;
    HedStatus (*build)(const Build* b, HedError* error);
} DrawingMethod;

// What rows and columns cannot show, the graph may, or narrower columns.
static const DrawingMethod CHART_WAYS[] = {{"rows and columns", build_on_sheet},
                                           {"places in space", build_in_few_places},
                                           {"narrow columns", build_on_tight_sheet},
                                           {"needle beds", build_rows_on_beds},
                                           {"rows and columns", build_on_fine_sheet}};
// The beds can show all that a machine knits, in a time that grows with the number of loops. Places
// in space are not looked for where there are so many that this would take seconds.
static const DrawingMethod PROGRAM_WAYS[] = {{"rows and columns", build_on_sheet},
                                             {"places in space", build_in_few_places},
                                             {"narrow columns", build_on_tight_sheet},
                                             {"needle beds", build_on_beds}};
enum { CHART_WAY_COUNT = 5, PROGRAM_WAY_COUNT = 4, SPACE_WAY = 1 };

HedStatus hed_knit_build(const HedLoops* graph, const HedBedLog* log, const HedKnitDef* def,
                         HedFabric* fabric, HedKnitReport* report, HedError* error) {
    HedStatus status = HED_OK;
    Build b = {.graph = graph, .log = log, .def = def, .fabric = fabric, .report = report};
    HedError why = {0};
    HED_TRY(hed_stitch_shape(hed_knit_loop_length(def), def->diameter, &b.shape, error));
    const DrawingMethod* ways = log ? PROGRAM_WAYS : CHART_WAYS;
    int32_t first = def->is_embedded ? SPACE_WAY : 0;
    ways = def->is_embedded ? CHART_WAYS : ways;
    int32_t end = log ? PROGRAM_WAY_COUNT : CHART_WAY_COUNT;
    end = def->is_embedded || def->is_periodic ? first + 1 : end;
    status = HED_INVALID;
    for (int32_t k = first; k < end && status == HED_INVALID; ++k) {
        hed_fabric_free(fabric);
        status = ways[k].build(&b, &why);
        // Of charts the first failure is told, of programs the last.
        if (error && (status != HED_INVALID || k == first || log)) {
            *error = why;
            if (status == HED_OK) {
                *error = (HedError){0};
            }
        }
        if (status == HED_OK && report) {
            report->drawing = ways[k].name;
        }
    }
    status = name_failure(&b, error, status);
done:
    return status;
}

HedStatus hed_knit_place(const char* name, HedStatus status, HedError* error) {
    if (!error || (status != HED_INVALID && status != HED_UNSUPPORTED)) {
        return status;
    }
    // Names of loops tell their lines (hed_loop_name).
    const char* at = strstr(error->message, ", line ");
    const char* digits = at ? at + strlen(", line ") : "";
    int64_t line = 0;
    bool has_line = hed_span_int64((HedSpan){digits, (int32_t)strspn(digits, "0123456789")}, &line);
    return has_line
               ? hed_fail_prefix(error, status, "%s:%" PRId64 ": it cannot be drawn: ", name, line)
               : hed_fail_prefix(error, status, "%s: it cannot be drawn: ", name);
}

HedStatus hed_knit_notes(const HedChart* chart, const HedLoops* graph, HedFabric* fabric,
                         HedError* error) {
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < chart->note_count; ++i) {
        HED_TRY(hed_fabric_note(fabric, error, "%s", chart->notes[i]));
    }
    if (graph->laid_count > 0) {
        HED_TRY(hed_fabric_note(fabric, error,
                                "%" PRId32 " of the loops made have no yarn of their own to lift: "
                                "they are cast on between two loops",
                                graph->laid_count));
    }
done:
    return status;
}

static HedStatus refuse_periodic(HedError* error, const char* what) {
    return hed_fail(error, HED_UNSUPPORTED,
                    "a knit without edges comes from a pattern of flat rows, not from %s", what);
}

static HedStatus check_periodic(const HedKnitDef* def, HedError* error) {
    if (!def->pattern || def->is_embedded || is_sweater(def)) {
        return refuse_periodic(error, def->pattern ? "places in space" : "a chart");
    }
    if (def->rows > INT32_MAX / REPEATS || def->stitches > INT32_MAX / REPEATS) {
        return hed_fail(error, HED_INVALID, "a repeat of %d rows and %d stitches is too large",
                        def->rows, def->stitches);
    }
    return HED_OK;
}

HedStatus hed_knit_create(const HedKnitDef* def, HedFabric* fabric, HedKnitReport* report,
                          HedError* error) {
    HedStatus status = HED_OK;
    HedLoops graph = {0};
    HedChart chart = {0};
    *fabric = (HedFabric){0};
    HED_TRY(check_def(def, error));
    HedKnitDef copy = *def;
    if (def->is_periodic) {
        HED_TRY(check_periodic(def, error));
        copy.rows *= REPEATS;
        copy.stitches *= REPEATS;
        copy.bind_off = false;
    }
    HED_TRY(make_graph(&copy, &graph, &chart, error));
    if (def->is_periodic && graph.is_round) { // a pattern may be round by itself
        HED_TRY(refuse_periodic(error, "rounds"));
    }
    copy.is_embedded = def->is_embedded || is_sweater(def);
    status = hed_knit_build(&graph, NULL, &copy, fabric, report, error);
    if (status != HED_OK) {
        status = def->chart ? hed_knit_place(def->name, status, error) : status;
        goto done;
    }
    HED_TRY(hed_knit_dress_named(def, fabric, error));
    HED_TRY(hed_knit_notes(&chart, &graph, fabric, error));
    for (int32_t i = 0; i < fabric->point_count && is_sweater(def); ++i) {
        // Knitted from the neck down, it is worn the other way up.
        fabric->points[i].x *= -1.0;
        fabric->points[i].y *= -1.0;
    }
done:
    hed_loops_free(&graph);
    hed_chart_free(&chart);
    return status;
}

static HedStatus make_charted(const char* text, const HedKnitDef* def, HedFabric* fabric,
                              HedKnitReport* report, HedError* error) {
    HedKnitDef charted = *def;
    charted.chart = text;
    return hed_knit_create(&charted, fabric, report, error);
}

HedStatus hed_knit_load(const char* path, const HedKnitDef* def, HedFabric* fabric,
                        HedKnitReport* report, HedError* error) {
    return hed_knit_load_by(make_charted, path, def, fabric, report, error);
}

HedStatus hed_knit_places(const HedKnitDef* def, HedEmbedMethod method, HedLoopPlace** places,
                          int32_t* count, HedEmbedReport* report, HedError* error) {
    HedStatus status = HED_OK;
    HedLoops graph = {0};
    HedChart chart = {0};
    HedPlacedKnit placed = {0};
    HedStitchShape shape;
    *places = NULL;
    *count = 0;
    HED_TRY(check_def(def, error));
    HED_TRY(hed_stitch_shape(hed_knit_loop_length(def), def->diameter, &shape, error));
    HED_TRY(make_graph(def, &graph, &chart, error));
    HED_TRY(hed_knit_embed(&graph, &shape, method, &placed, error));
    *places = placed.places;
    *count = graph.loops.count;
    placed.places = NULL;
    if (report) {
        *report = placed.report;
    }
done:
    hed_placed_knit_free(&placed);
    hed_chart_free(&chart);
    hed_loops_free(&graph);
    return status;
}

void hed_loop_places_free(HedLoopPlace* places) {
    hed_free(places);
}
