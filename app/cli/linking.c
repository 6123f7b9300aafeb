// SPDX-License-Identifier: MIT
// heddle info RUN --linking, heddle info FILE OTHER --linking: did yarns pass through each other?
#include "cli/linking.h"
#include "cli/json.h"

#include <inttypes.h>
#include <stdlib.h>

// Something with frames, and room for one of them.
typedef struct Source {
    HedShow* show;
    HedSeriesObject* objects;
    HedVec3** positions;
    int32_t object_count;
    int32_t frame_count;
} Source;

static void source_close(Source* source) {
    for (int32_t i = 0; i < source->object_count && source->positions; ++i) {
        free(source->positions[i]);
    }
    free(source->positions);
    free(source->objects);
    hed_show_close(source->show);
}

static int source_open(Source* source, const char* path) {
    HedError error = {0};
    HedShowOptions options = hed_show_options_default();
    if (hed_show_open(path, &options, &source->show, &error) != HED_OK) {
        return cli_error(&error);
    }
    source->object_count = hed_show_object_count(source->show);
    source->frame_count = hed_show_frame_count(source->show);
    source->objects = calloc((size_t)source->object_count + 1, sizeof *source->objects);
    source->positions = calloc((size_t)source->object_count + 1, sizeof *source->positions);
    if (!source->objects || !source->positions) {
        return cli_no_memory();
    }
    int32_t curves = 0;
    for (int32_t i = 0; i < source->object_count; ++i) {
        source->objects[i] = hed_show_object(source->show, i);
        curves += source->objects[i].curve_count;
        source->positions[i] = calloc((size_t)source->objects[i].vertex_count + 1, sizeof(HedVec3));
        if (!source->positions[i]) {
            return cli_no_memory();
        }
    }
    return curves > 0 ? CLI_GO : cli_fail(CLI_BAD_INPUT, "%s: holds no yarns", path);
}

static int source_load(Source* source, int32_t frame) {
    HedError error = {0};
    double time = 0.0;
    HedStatus status = hed_show_frame(source->show, frame, &time, source->positions, &error);
    return status == HED_OK ? CLI_GO : cli_error(&error);
}

// Two sources must hold the same curves to be compared point by point.
static int check_alike(const Source* a, const char* path, const Source* b, const char* other) {
    if (a->object_count != b->object_count) {
        return cli_fail(CLI_BAD_INPUT, "%s has %" PRId32 " objects, %s has %" PRId32, path,
                        a->object_count, other, b->object_count);
    }
    for (int32_t i = 0; i < a->object_count; ++i) {
        const HedSeriesObject* first = &a->objects[i];
        const HedSeriesObject* second = &b->objects[i];
        if (first->curve_count != second->curve_count) {
            return cli_fail(CLI_BAD_INPUT, "%s has %" PRId32 " yarns, %s has %" PRId32, path,
                            first->curve_count, other, second->curve_count);
        }
        for (int32_t c = 0; c < first->curve_count; ++c) {
            const HedCurve* p = &first->curves[c];
            const HedCurve* q = &second->curves[c];
            if (p->count != q->count || p->is_closed != q->is_closed) {
                return cli_fail(CLI_BAD_INPUT,
                                "yarn %" PRId32 " has %" PRId32 " points%s in %s, %" PRId32
                                "%s in %s",
                                c, p->count, p->is_closed ? " (closed)" : "", path, q->count,
                                q->is_closed ? " (closed)" : "", other);
            }
        }
    }
    return CLI_GO;
}

// The worst of all comparisons, and the frame that it starts from.
typedef struct Verdict {
    HedLinking linking;
    int32_t frame;
    int32_t compared;
} Verdict;

// Changed is worse than unknown, unknown than unchanged; the first of the worst counts.
static bool is_worse(HedLinkingVerdict a, HedLinkingVerdict b) {
    static const int RANK[] = {0, 2, 1};
    return RANK[a] > RANK[b];
}

static int compare(const Source* a, const Source* b, int32_t frame, Verdict* verdict) {
    HedError error = {0};
    HedLinking linking;
    if (hed_linking_compare(a->objects, a->object_count, (const HedVec3* const*)a->positions,
                            (const HedVec3* const*)b->positions, &linking, &error) != HED_OK) {
        return cli_error(&error);
    }
    if (verdict->compared == 0 || is_worse(linking.verdict, verdict->linking.verdict)) {
        verdict->linking = linking;
        verdict->frame = frame;
    }
    ++verdict->compared;
    return CLI_GO;
}

static int compare_files(const char* path, const char* other, Verdict* verdict) {
    Source a = {0}, b = {0};
    int code = source_open(&a, path);
    code = code == CLI_GO ? source_open(&b, other) : code;
    code = code == CLI_GO ? check_alike(&a, path, &b, other) : code;
    code = code == CLI_GO ? source_load(&a, a.frame_count - 1) : code;
    code = code == CLI_GO ? source_load(&b, b.frame_count - 1) : code;
    code = code == CLI_GO ? compare(&a, &b, a.frame_count - 1, verdict) : code;
    source_close(&a);
    source_close(&b);
    return code;
}

// Many frames of large cloths take long: a line now and then.
static void tell(double* told, int32_t frame, int32_t count) {
    const double interval = 5.0; // s
    double now = cli_now();
    if (now - *told >= interval) {
        *told = now;
        fprintf(stderr, "%3d%% compared frame %" PRId32 " of %" PRId32 "\n",
                (int)(100.0 * frame / count), frame + 1, count);
    }
}

static int compare_frames(const char* path, Verdict* verdict) {
    double told = cli_now();
    Source a = {0}, b = {0};
    int code = source_open(&a, path);
    code = code == CLI_GO ? source_open(&b, path) : code;
    if (code == CLI_GO && a.frame_count < 2) {
        code = cli_fail(CLI_BAD_INPUT,
                        "%s: --linking compares frames, and there is one alone; name a second file",
                        path);
    }
    code = code == CLI_GO ? source_load(&a, 0) : code;
    for (int32_t frame = 1; frame < a.frame_count && code == CLI_GO; ++frame) {
        code = source_load(&b, frame);
        code = code == CLI_GO ? compare(&a, &b, frame - 1, verdict) : code;
        tell(&told, frame, a.frame_count);
        HedVec3** swap = a.positions;
        a.positions = b.positions;
        b.positions = swap;
    }
    source_close(&a);
    source_close(&b);
    return code;
}

static void print_json(const char* path, const Verdict* v) {
    const HedLinking* l = &v->linking;
    Json json = json_begin(stdout);
    json_text(&json, "path", path);
    json_text(&json, "linking", hed_linking_verdict_name(l->verdict));
    json_integer(&json, "yarns", l->curve_count);
    json_integer(&json, "closed", l->closed_count);
    json_integer(&json, "compared", v->compared);
    if (l->is_met) {
        json_integer(&json, "frame", v->frame);
        json_integer(&json, "first_yarn", l->met[0]);
        json_integer(&json, "second_yarn", l->met[1]);
        json_number(&json, "time", l->met_time);
        json_integer(&json, "jumps", l->jump_count);
        json_number(&json, "largest_jump", l->largest_jump);
    }
    json_finish(&json);
}

static void print_text(const Verdict* v) {
    const HedLinking* l = &v->linking;
    printf("linking   %s\n", hed_linking_verdict_name(l->verdict));
    printf("yarns     %" PRId32 " (%" PRId32 " closed), %" PRId32 " comparisons\n", l->curve_count,
           l->closed_count, v->compared);
    if (!l->is_met) {
        printf("proof     no yarns meet on straight ways from frame to frame\n");
        return;
    }
    printf("meeting   yarns %" PRId32 " and %" PRId32 ", after frame %" PRId32
           ", at %.4g of the way to the next\n",
           l->met[0], l->met[1], v->frame, l->met_time);
    printf("integrals %" PRId64 " of %" PRId64 " pairs jump by 1/2 or more; largest change %.4g, "
           "yarns %" PRId32 " and %" PRId32 "\n",
           l->jump_count, l->pair_count, l->largest_jump, l->worst[0], l->worst[1]);
}

int cli_linking(const char* path, const char* other, bool as_json) {
    Verdict verdict = {.compared = 0};
    int code = other ? compare_files(path, other, &verdict) : compare_frames(path, &verdict);
    if (code != CLI_GO) {
        return code;
    }
    if (as_json) {
        print_json(path, &verdict);
    } else {
        print_text(&verdict);
    }
    return verdict.linking.verdict == HED_LINKING_UNCHANGED ? CLI_DONE : CLI_GAVE_UP;
}
