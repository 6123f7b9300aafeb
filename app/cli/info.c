// SPDX-License-Identifier: MIT
// heddle info: facts about a file that heddle reads.
#include "cli/box.h"
#include "cli/garment.h"
#include "cli/intersections.h"
#include "cli/json.h"
#include "cli/knit.h"
#include "cli/knitout.h"
#include "cli/linking.h"
#include "cli/options.h"
#include "cli/scene_info.h"
#include "cli/verbs.h"
#include "cli/weave.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct MeshFacts {
    double area; // m^2
    Box box;
    int64_t border_edges;  // of one triangle only
    int64_t tangled_edges; // of more than two
} MeshFacts;

static int compare_edges(const void* a, const void* b) {
    const int32_t* p = a;
    const int32_t* q = b;
    int first = (p[0] > q[0]) - (p[0] < q[0]);
    return first ? first : (p[1] > q[1]) - (p[1] < q[1]);
}

// Counts how many triangles share each edge; false if there is no memory.
static bool count_edges(const HedMesh* mesh, MeshFacts* facts) {
    size_t count = 3 * (size_t)mesh->triangle_count;
    int32_t(*edges)[2] = malloc((count + 1) * sizeof *edges);
    if (!edges) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        int32_t a = mesh->triangles[i];
        int32_t b = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
        edges[i][0] = a < b ? a : b;
        edges[i][1] = a < b ? b : a;
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && compare_edges(edges[i], edges[end]) == 0) {
            ++end;
        }
        facts->border_edges += end - i == 1;
        facts->tangled_edges += end - i > 2;
        i = end;
    }
    free(edges);
    return true;
}

static double triangle_area(HedVec3 a, HedVec3 b, HedVec3 c) {
    double ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z;
    double vx = c.x - a.x, vy = c.y - a.y, vz = c.z - a.z;
    double x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    return 0.5 * sqrt(x * x + y * y + z * z);
}

static bool find_facts(const HedMesh* mesh, MeshFacts* facts) {
    *facts = (MeshFacts){0};
    box_add(&facts->box, mesh->vertices, mesh->vertex_count);
    for (int32_t i = 0; i < mesh->triangle_count; ++i) {
        const int32_t* t = mesh->triangles + 3 * (size_t)i;
        facts->area +=
            triangle_area(mesh->vertices[t[0]], mesh->vertices[t[1]], mesh->vertices[t[2]]);
    }
    return count_edges(mesh, facts);
}

static void put_point(Json* json, const char* key, HedVec3 p) {
    json_array(json, key);
    json_number(json, NULL, p.x);
    json_number(json, NULL, p.y);
    json_number(json, NULL, p.z);
    json_end(json);
}

static void print_mesh(const char* path, const HedMesh* mesh, const MeshFacts* f, bool as_json) {
    bool closed = mesh->triangle_count > 0 && f->border_edges == 0 && f->tangled_edges == 0;
    if (as_json) {
        Json json = json_begin(stdout);
        json_text(&json, "kind", "mesh");
        json_text(&json, "path", path);
        json_integer(&json, "vertices", mesh->vertex_count);
        json_integer(&json, "triangles", mesh->triangle_count);
        json_bool(&json, "uv", mesh->uv != NULL);
        box_put(&json, NULL, &f->box);
        json_number(&json, "area", f->area);
        json_bool(&json, "closed", closed);
        json_integer(&json, "border_edges", f->border_edges);
        json_integer(&json, "tangled_edges", f->tangled_edges);
        json_finish(&json);
        return;
    }
    printf("mesh      %s\n", path);
    printf("vertices  %" PRId32 "%s\n", mesh->vertex_count, mesh->uv ? ", with uv" : "");
    printf("triangles %" PRId32 "\n", mesh->triangle_count);
    box_print(&f->box, NULL);
    printf("area      %.6g m^2\n", f->area);
    printf("closed    %s", closed ? "yes" : "no");
    if (!closed) {
        printf(" (%" PRId64 " border edges, %" PRId64 " edges of more than two triangles)",
               f->border_edges, f->tangled_edges);
    }
    printf("\n");
}

typedef struct CurveFacts {
    int32_t closed_count;
    int64_t segment_count;
    double length;   // m, of the straight segments
    double shortest; // m
    Box box;
} CurveFacts;

static double distance(HedVec3 a, HedVec3 b) {
    double x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
    return sqrt(x * x + y * y + z * z);
}

static CurveFacts find_curve_facts(const HedCurves* curves) {
    CurveFacts facts = {.shortest = INFINITY};
    box_add(&facts.box, curves->vertices, curves->vertex_count);
    for (int32_t i = 0; i < curves->curve_count; ++i) {
        const HedCurve* curve = &curves->curves[i];
        const HedVec3* x = curves->vertices + curve->first;
        int32_t count = hed_curve_segment_count(curve);
        for (int32_t j = 0; j < count; ++j) {
            double length = distance(x[j], x[j + 1 < curve->count ? j + 1 : 0]);
            facts.length += length;
            facts.shortest = fmin(facts.shortest, length);
        }
        facts.segment_count += count;
        facts.closed_count += curve->is_closed;
    }
    return facts;
}

static const char* const AXES[] = {"x", "y", "z"};

static bool repeats(const HedCurves* curves) {
    return curves->period[0].x > 0.0;
}

static void print_curves_json(const char* path, const HedCurves* curves, const CurveFacts* f) {
    double radius = curves->curves[0].radius;
    Json json = json_begin(stdout);
    json_text(&json, "kind", "curves");
    json_text(&json, "path", path);
    json_integer(&json, "curves", curves->curve_count);
    json_integer(&json, "closed", f->closed_count);
    json_integer(&json, "open", curves->curve_count - f->closed_count);
    json_integer(&json, "points", curves->vertex_count);
    json_integer(&json, "segments", f->segment_count);
    json_number(&json, "length", f->length);
    json_number(&json, "shortest_segment", f->shortest);
    json_number(&json, "mean_segment", f->length / (double)f->segment_count);
    box_put(&json, NULL, &f->box);
    if (curves->up_axis >= 0) {
        json_text(&json, "up_axis", AXES[curves->up_axis]);
    }
    if (radius > 0.0) {
        json_number(&json, "radius", radius);
    }
    if (repeats(curves)) {
        put_point(&json, "period_across", curves->period[0]);
        put_point(&json, "period_up", curves->period[1]);
    }
    json_finish(&json);
}

static void print_curves(const char* path, const HedCurves* curves, const CurveFacts* f) {
    double radius = curves->curves[0].radius;
    printf("curves    %s\n", path);
    printf("count     %" PRId32 " (%" PRId32 " closed, %" PRId32 " open), %" PRId32 " points\n",
           curves->curve_count, f->closed_count, curves->curve_count - f->closed_count,
           curves->vertex_count);
    printf("length    %.6g m along straight segments\n", f->length);
    printf("segments  %" PRId64 ", the shortest %.6g m, %.6g m on average\n", f->segment_count,
           f->shortest, f->length / (double)f->segment_count);
    box_print(&f->box, NULL);
    if (curves->up_axis < 0) {
        printf("up        y, as the file does not say\n");
    } else {
        printf("up        %s in the file%s\n", AXES[curves->up_axis],
               curves->up_axis == 1 ? "" : ", turned to y here");
    }
    if (radius > 0.0) {
        printf("radius    %.6g m\n", radius);
    } else {
        printf("radius    not known\n");
    }
    if (repeats(curves)) {
        printf("cell      %.6g x %.6g m, of a fabric that repeats (--tiles shows more)\n",
               curves->period[0].x, curves->period[1].y);
    }
}

static int info_geometry(const char* path, bool as_json) {
    HedError error = {0};
    HedMesh mesh = {0};
    HedCurves curves = {0};
    MeshFacts facts;
    int code = CLI_DONE;
    cli_show_notes();
    if (hed_geometry_load(path, &mesh, &curves, &error) != HED_OK) {
        return cli_error(&error);
    }
    if (curves.curve_count > 0) {
        CurveFacts found = find_curve_facts(&curves);
        (as_json ? print_curves_json : print_curves)(path, &curves, &found);
    } else if (find_facts(&mesh, &facts)) {
        print_mesh(path, &mesh, &facts, as_json);
    } else {
        code = cli_no_memory();
    }
    hed_mesh_free(&mesh);
    hed_curves_free(&curves);
    return code;
}

// The boxes of all objects in the last frame; NULL, with a message, if it cannot be read.
static Box* find_boxes(const HedRunReader* reader, HedError* error) {
    int32_t count = hed_run_object_count(reader);
    int32_t frames = hed_run_frame_count(reader);
    Box* boxes = calloc((size_t)count + 1, sizeof *boxes);
    HedVec3** positions = calloc((size_t)count + 1, sizeof *positions);
    bool ok = boxes && positions;
    for (int32_t i = 0; ok && i < count; ++i) {
        positions[i] = calloc((size_t)hed_run_object(reader, i).vertex_count + 1, sizeof(HedVec3));
        ok = positions[i] != NULL;
    }
    HedStatus status = ok ? HED_OK : HED_NO_MEMORY;
    if (ok && frames > 0) {
        status = hed_run_frame(reader, frames - 1, NULL, positions, error);
    }
    for (int32_t i = 0; positions && i < count; ++i) {
        if (status == HED_OK && frames > 0) {
            box_add(&boxes[i], positions[i], hed_run_object(reader, i).vertex_count);
        }
        free(positions[i]);
    }
    free(positions);
    if (status != HED_OK) {
        free(boxes);
        *error = ok ? *error : (HedError){HED_NO_MEMORY, "out of memory"};
        return NULL;
    }
    return boxes;
}

static void print_run(const char* path, const HedRunReader* reader, double last, bool finished,
                      const Box* boxes, bool as_json) {
    int32_t count = hed_run_object_count(reader);
    Json json = {0};
    if (as_json) {
        json = json_begin(stdout);
        json_text(&json, "kind", "run");
        json_text(&json, "path", path);
        json_integer(&json, "frames", hed_run_frame_count(reader));
        json_number(&json, "time", last);
        json_bool(&json, "has_summary", finished);
        json_array(&json, "objects");
    } else {
        printf("run       %s\n", path);
        printf("frames    %" PRId32 ", the last at %.6g s\n", hed_run_frame_count(reader), last);
        printf("summary   %s\n", finished ? "there: the run came to an end"
                                          : "none: the run goes on, or was killed (--resume)");
    }
    for (int32_t i = 0; i < count; ++i) {
        HedSeriesObject object = hed_run_object(reader, i);
        const char* kind = hed_object_kind_name(object.kind);
        if (as_json) {
            json_object(&json, NULL);
            json_text(&json, "name", object.name);
            json_text(&json, "kind", kind);
            json_integer(&json, "vertices", object.vertex_count);
            json_integer(&json, "triangles", object.triangle_count);
            json_integer(&json, "curves", object.curve_count);
            box_put(&json, "box", &boxes[i]);
            json_end(&json);
        } else {
            bool is_yarns = object.kind == HED_OBJECT_YARNS;
            printf("%-9s %s: %" PRId32 " vertices, %" PRId32 " %s\n", kind, object.name,
                   object.vertex_count, is_yarns ? object.curve_count : object.triangle_count,
                   is_yarns ? "curves" : "triangles");
        }
    }
    for (int32_t i = 0; i < count && !as_json; ++i) {
        box_print(&boxes[i], hed_run_object(reader, i).name);
    }
    if (as_json) {
        json_end(&json);
        json_finish(&json);
    }
}

static int info_run(const char* path, bool as_json) {
    HedError error = {0};
    HedRunReader* reader = NULL;
    double last = 0.0;
    HedStatus status = hed_run_open(path, &reader, &error);
    if (status == HED_OK && hed_run_frame_count(reader) > 0) {
        status = hed_run_frame(reader, hed_run_frame_count(reader) - 1, &last, NULL, &error);
    }
    char* summary = cli_path_join(path, "summary.json");
    Box* boxes = status == HED_OK ? find_boxes(reader, &error) : NULL;
    int code = CLI_DONE;
    if (status != HED_OK || !boxes) {
        code = cli_error(&error);
    } else if (!summary) {
        code = cli_no_memory();
    } else {
        print_run(path, reader, last, cli_exists(summary), boxes, as_json);
    }
    free(boxes);
    free(summary);
    hed_run_close(reader);
    return code;
}

static bool has_extension(const char* path, const char* const* list, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (strcasecmp(cli_extension(path), list[i]) == 0) {
            return true;
        }
    }
    return false;
}

// What is asked about a file beside its name.
typedef struct Question {
    double size;   // of a garment's triangles
    CliList weave; // settings of a draft
    CliList knit;  // settings of a chart
    bool as_json;
} Question;

// Facts about whatever the path leads to.
static int info_any(const char* path, const Question* question) {
    bool as_json = question->as_json;
    static const char* const SHAPES[] = {"bcc", "obj", "ply", "yarns", "pyp", "usda", "vtp"};
    static const char* const SCENES[] = {"yaml", "yml", "json"};
    if (cli_is_directory(path)) {
        return info_run(path, as_json);
    }
    if (has_extension(path, SHAPES, 7)) {
        return info_geometry(path, as_json);
    }
    if (cli_is_knitout(path)) {
        return cli_knitout_info(path, &question->knit, as_json);
    }
    if (cli_is_draft(path)) {
        return cli_weave_info(path, &question->weave, as_json);
    }
    if (cli_is_chart(path)) {
        return cli_knit_info(path, &question->knit, as_json);
    }
    if (strcasecmp(cli_extension(path), "json") == 0 && hed_garment_is_file(path)) {
        return cli_garment_info(path, question->size, as_json);
    }
    if (has_extension(path, SCENES, 3)) {
        return cli_scene_info(path, as_json);
    }
    return cli_fail(CLI_BAD_INPUT,
                    "%s: unknown kind of file; known are run directories, .yaml .yml .json scenes, "
                    ".json garments, .obj .ply .vtp meshes, .bcc .yarns .pyp .usda .vtp .obj .ply "
                    "yarns, .wif weaves, .knit .ks charts, .k .knitout programs",
                    path);
}

int cli_info(int argc, char** argv) {
    Question question = {0};
    bool intersections = false;
    bool linking = false;
    const CliOption options[] = {
        {"json", 0, CLI_FLAG, &question.as_json, NULL, "print a JSON object"},
        {"intersections", 0, CLI_FLAG, &intersections, NULL,
         "look for sheets and yarns that pass through each other, in all frames; exit code 1 if "
         "any do"},
        {"linking", 0, CLI_FLAG, &linking, NULL,
         "prove that no yarn passed through another, over all frames of FILE or from FILE to "
         "OTHER; exit code 1 if it cannot be proved"},
        {"size", 0, CLI_LENGTH, &question.size, "LENGTH", "of the triangles of a garment"},
        {"weave", 0, CLI_LIST, &question.weave, "KEY=VALUE", CLI_WEAVE_HELP},
        {"knit", 0, CLI_LIST, &question.knit, "KEY=VALUE", CLI_KNIT_HELP},
    };
    const CliCommand command = {
        .usage = "info FILE [--json] [--intersections] [--linking [OTHER]] [--size LENGTH]\n"
                 "            [--weave KEY=VALUE]... [--knit KEY=VALUE]...",
        .about =
            "Prints facts about a scene (.yaml, .json), a run directory, yarns (.bcc, .yarns,\n"
            ".pyp, .usda; .obj, .ply and .vtp with lines), a mesh (.obj, .ply, .vtp), a garment\n"
            "(.json), a weave draft (.wif), a knitting chart (.knit, .ks) or a program of a\n"
            "knitting machine (.k, .knitout).",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .least = 1,
        .most = 2,
        .missing = "FILE",
    };
    CliList arguments;
    int code = cli_parse(&command, argc, argv, &arguments);
    if (code != CLI_GO) {
        return code;
    }
    const char* path = arguments.items[0];
    const char* other = arguments.count > 1 ? arguments.items[1] : NULL;
    if (other && !linking) {
        return cli_fail(CLI_BAD_INPUT, "unexpected argument '%s'", other);
    }
    if (!cli_exists(path) || (other && !cli_exists(other))) {
        return cli_fail(CLI_BAD_INPUT, "%s: no such file or directory",
                        cli_exists(path) ? other : path);
    }
    if (linking) {
        return cli_linking(path, other, question.as_json);
    }
    if (intersections) {
        return cli_intersections(path, question.as_json);
    }
    return info_any(path, &question);
}
