// SPDX-License-Identifier: MIT
// Scenes of several files: includes, overrides, meshes, hashes.
#define _GNU_SOURCE // mkdtemp
#include "base/alloc.h"
#include "base/file.h"
#include "scene/loader.h"
#include "scene/scene.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLOTH                                                                                      \
    "heddle: 1\n"                                                                                  \
    "sheets:\n"                                                                                    \
    "  - name: cloth\n"                                                                            \
    "    grid: {size: [1, 1], points: [3, 4]}\n"

static char folder[64];

static void make_folder(void) {
    snprintf(folder, sizeof folder, "loader_XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(loader, .init = make_folder, .fini = remove_folder);

static const char* in_folder(const char* name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put(const char* name, const char* text) {
    HedError error;
    HedWriter writer;
    char* directory = hed_path_directory(in_folder(name));
    cr_assert_eq(hed_directory_make(directory, &error), HED_OK);
    hed_free(directory);
    cr_assert_eq(hed_writer_open(&writer, in_folder(name), &error), HED_OK, "%s", error.message);
    hed_writer_bytes(&writer, text, strlen(text));
    cr_assert_eq(hed_writer_commit(&writer, &error), HED_OK, "%s", error.message);
}

static HedScene* must_load(const char* name, const char* const* overrides, int32_t count) {
    HedScene* scene = NULL;
    HedError error;
    HedStatus status = hed_scene_load(in_folder(name), overrides, count, &scene, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    return scene;
}

// The message without the folder's name in front of file names.
static void refuse(const char* name, const char* const* overrides, int32_t count,
                   HedStatus expected, const char* message) {
    HedScene* scene = NULL;
    HedError error = {0};
    HedStatus status = hed_scene_load(in_folder(name), overrides, count, &scene, &error);
    cr_expect_eq(status, expected, "status %d: %s", (int)status, error.message);
    const char* text = error.message;
    if (strncmp(text, folder, strlen(folder)) == 0) {
        text += strlen(folder) + 1;
    }
    cr_expect_eq(strncmp(text, message, strlen(message)), 0, "\n  got      %s\n  expected %s", text,
                 message);
}

Test(loader, includes_merge) {
    put("main.yaml", "include: [common/a.yaml, b.yaml]\nstep: {size: 1/100 s}\nseed: 3\n"
                     "wind: null\n");
    put("common/a.yaml", CLOTH "step: {integrator: rk4, size: 1/50 s}\nseed: 1\nduration: 2 s\n"
                               "wind: {gust: 1 %}\nbodies: [{shape: plane}, {shape: plane}]\n");
    put("b.yaml", "bodies: [{shape: plane, name: floor}]\nduration: 3 s\n");
    HedScene* scene = must_load("main.yaml", NULL, 0);
    const HedSceneData* data = &scene->data;
    cr_expect_eq(data->sim.integrator, HED_RK4); // from a
    cr_expect_eq(data->sim.time_step, 0.01);     // main over a
    cr_expect_eq(data->sim.seed, 3u);
    cr_expect_eq(data->duration, 3.0);   // b over a
    cr_expect_eq(data->bodies.count, 1); // lists are replaced
    cr_expect_null(data->wind.node);     // taken away
    cr_assert_eq(data->files.count, 2);
    const HedSceneFile* files = data->files.data;
    cr_expect_str_eq(files[0].path, "common/a.yaml");
    cr_expect_str_eq(files[1].path, "b.yaml");
    hed_scene_destroy(scene);
}

Test(loader, included_places_and_paths) {
    put("main.yaml", "include: [sub/a.yaml]\n");
    put("sub/a.yaml", "include: [deep/b.yaml]\n");
    put("sub/deep/b.yaml", "heddle: 1\nsheets:\n  - mesh: {file: ../tri.obj}\n    densty: 1\n");
    refuse("main.yaml", NULL, 0, HED_PARSE,
           "sub/deep/b.yaml:4:5: error: unknown key 'densty' in sheet\n  hint: did you mean "
           "'density'?\n        densty: 1\n        ^");
    put("sub/deep/b.yaml", "heddle: 1\nsheets:\n  - mesh: {file: ../tri.obj}\n");
    refuse("main.yaml", NULL, 0, HED_NOT_FOUND, "sub/deep/b.yaml:3:18: error: cannot read ");
    put("sub/tri.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n");
    HedScene* scene = must_load("main.yaml", NULL, 0);
    cr_expect_str_eq(HED_SHEETS(&scene->data)[0].mesh.file, "sub/deep/../tri.obj");
    hed_scene_destroy(scene);
}

Test(loader, bad_includes) {
    put("self.yaml", "heddle: 1\ninclude: [self.yaml]\n");
    refuse("self.yaml", NULL, 0, HED_PARSE, "self.yaml:2:11: error: 'self.yaml' includes itself");
    put("a.yaml", "include: [b.yaml]\n");
    put("b.yaml", "include:\n  - a.yaml\n");
    refuse("a.yaml", NULL, 0, HED_PARSE, "b.yaml:2:5: error: 'a.yaml' includes itself, directly");
    put("gone.yaml", "include: [nowhere.yaml]\n");
    refuse("gone.yaml", NULL, 0, HED_NOT_FOUND, "gone.yaml:1:11: error: cannot read ");
    put("kind.yaml", "include: {a: 1}\n");
    refuse("kind.yaml", NULL, 0, HED_PARSE,
           "kind.yaml:1:10: error: 'include': expected a list of texts, got a mapping");
    put("list.yaml", "include: [bad.yaml]\n");
    put("bad.yaml", "- 1\n");
    refuse("list.yaml", NULL, 0, HED_PARSE, "bad.yaml:1:1: error: a scene is a mapping");
    for (int i = 0; i < 10; ++i) {
        char name[32];
        char text[64];
        snprintf(name, sizeof name, "d%d.yaml", i);
        snprintf(text, sizeof text, "include: [d%d.yaml]\n", i + 1);
        put(name, text);
    }
    put("d10.yaml", CLOTH);
    refuse("d0.yaml", NULL, 0, HED_PARSE,
           "d8.yaml:1:11: error: files are included more than 8 levels deep");
    HedScene* scene = must_load("d2.yaml", NULL, 0);
    hed_scene_destroy(scene);
    // Four levels of three includes each would be 120 files.
    put("w0.yaml", "include: [w1.yaml, w1.yaml, w1.yaml]\n");
    put("w1.yaml", "include: [w2.yaml, w2.yaml, w2.yaml]\n");
    put("w2.yaml", "include: [w3.yaml, w3.yaml, w3.yaml]\n");
    put("w3.yaml", "include: [d10.yaml, d10.yaml, d10.yaml]\n");
    refuse("w0.yaml", NULL, 0, HED_PARSE, "w");
}

Test(loader, overrides) {
    put("s.yaml", CLOTH "    density: 1\nstep: {integrator: rk4}\nwind:\n");
    const char* const sets[] = {"sheets.cloth.density=200 g/m^2",
                                "sheets.0.grid.points=[20, 21]",
                                "step.size=1/50 s",
                                "world.gravity=[0, -1.62 m/s^2, 0]",
                                "wind.velocity=[1, 2, 3]",
                                "bodies=[{shape: sphere, radius: 1 cm}]",
                                "name=with = and . in it"};
    HedScene* scene = must_load("s.yaml", sets, 7);
    const HedSceneData* data = &scene->data;
    cr_expect_eq(HED_SHEETS(data)[0].def.density, 0.2);
    cr_expect_eq(HED_SHEETS(data)[0].grid.points[1], 21);
    cr_expect_eq(data->sim.time_step, 0.02);
    cr_expect_eq(data->sim.integrator, HED_RK4);
    cr_expect_eq(data->sim.gravity.y, -1.62);
    cr_assert_not_null(data->wind.node);
    cr_expect_eq(data->wind.def.velocity.z, 3.0);
    cr_assert_eq(data->bodies.count, 1);
    cr_expect_eq(HED_BODIES(data)[0].def.radius, 0.01);
    cr_expect_str_eq(hed_scene_name(scene), "with = and . in it");
    hed_scene_destroy(scene);
}

static void refuse_set(const char* set, const char* message) {
    refuse("s.yaml", &set, 1, HED_PARSE, message);
}

Test(loader, bad_overrides) {
    put("s.yaml", CLOTH);
    refuse_set("sheets.cloth.density=-1",
               "--set sheets.cloth.density=-1: error: 'density' must be positive, got -1");
    refuse_set("sheets.cloth.density=3 mm", "--set sheets.cloth.density=3 mm: error: 'density': "
                                            "expected a mass/area, got length (3 mm)");
    refuse_set("sheets.cloht.density=1",
               "--set sheets.cloht.density=1: error: no element of the "
               "list has the name 'cloht'\n  hint: did you mean 'cloth'?");
    refuse_set("sheets.1.density=1", "--set sheets.1.density=1: error: there is no element 1: the "
                                     "list has 1, counted from 0");
    refuse_set("sheets.99999999999999999999.a=1", "--set sheets.99999999999999999999.a=1: error: "
                                                  "there is no element");
    refuse_set("heddle.x=1", "--set heddle.x=1: error: 'x' cannot be set inside a plain value");
    refuse_set("heddle.x.y=1", "--set heddle.x.y=1: error: 'x' cannot be set inside a plain value");
    refuse_set("stp.size=1", "--set stp.size=1: error: unknown key 'stp' in scene\n"
                             "  hint: did you mean 'step'?");
    refuse_set("density", "--set density: error: expected path=value");
    refuse_set("=1", "--set =1: error: expected path=value");
    refuse_set("a..b=1", "--set a..b=1: error: expected path=value");
    refuse_set("step.size=", "--set step.size=: error: there is nothing in it");
    refuse_set("step.size=[1", "--set step.size=[1: error: flow sequence without a closing");
    refuse_set("include=[a.yaml]", "--set include=[a.yaml]: error: 'include' cannot be set");
}

static const char* const SQUARE = "v 0 0 0\nv 1 0 0\nv 9 9 9\nv 1 0 1\nv 0 0 1\n"
                                  "f 1 5 4\nf 1 4 2\n";

Test(loader, mesh_sheet) {
    put("s.yaml",
        "heddle: 1\nsheets:\n  - name: a\n    mesh: {file: sub/sq.obj, scale: 2,\n"
        "      position: [0, 1, 0], rotation: [0, 90 deg, 0]}\npins: [{vertices: [3]}]\n");
    put("sub/sq.obj", SQUARE);
    HedScene* scene = must_load("s.yaml", NULL, 0);
    const HedSheetDef* def = &HED_SHEETS(&scene->data)[0].def;
    cr_expect_str_eq(hed_scene_notes(scene),
                     "sub/sq.obj: 1 unused vertices are left out, the others renumbered\n");
    cr_assert_eq(def->vertex_count, 4);
    cr_assert_eq(def->triangle_count, 2);
    cr_expect_eq(def->grid_columns, 0);
    // (1, 0, 0) scaled by 2 and turned by 90 degrees about y is (0, 0, -2).
    cr_expect_float_eq(def->vertices[1].x, 0.0, 1e-15);
    // Two numbers of the size of 1 were added.
    cr_expect_float_eq(def->vertices[1].y, 1.0, 5e-16);
    // The cosine of half a right angle is rounded by 1e-16, squared and doubled.
    cr_expect_float_eq(def->vertices[1].z, -2.0, 1e-15);
    const int32_t triangles[] = {0, 3, 2, 0, 2, 1};
    cr_expect_arr_eq(def->triangles, triangles, sizeof triangles);
    hed_scene_destroy(scene);
}

Test(loader, mesh_errors) {
    put("s.yaml", "heddle: 1\nsheets:\n  - mesh: {file: a.obj, rest: b.obj}\n");
    put("a.obj", SQUARE);
    put("b.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n");
    refuse("s.yaml", NULL, 0, HED_PARSE,
           "s.yaml:3:31: error: 'b.obj' must have the triangles of 'a.obj': 3 vertices and 1 "
           "triangles against 5 and 2");
    put("a.obj", "v 0 0\n");
    refuse("s.yaml", NULL, 0, HED_PARSE, "s.yaml:3:18: error: a.obj:1");
    put("a.obj", SQUARE);
    put("b.obj", SQUARE);
    const char* set = "sheets.0.stretch_start=[1, 2]";
    refuse("s.yaml", &set, 1, HED_PARSE,
           "--set sheets.0.stretch_start=[1, 2]: error: 'stretch_start' needs a grid");
    set = "pins=[{where: top}]";
    refuse("s.yaml", &set, 1, HED_PARSE,
           "--set pins=[{where: top}]: error: 'where' needs a grid, and sheet 'sheet0' has none\n"
           "  hint: select vertices of a mesh by 'box' or 'vertices'");
    set = "sheets.0.mesh.file=a.stl";
    put("a.stl", "solid\n");
    refuse("s.yaml", &set, 1, HED_UNSUPPORTED, "--set sheets.0.mesh.file=a.stl: error: ");
}

// The resolved text, read from anywhere else, gives the same scene, until a file changes.
Test(loader, resolved_text_moves_and_notices_changes) {
    put("in/s.yaml", "include: [base.yaml]\nsheets: [{mesh: {file: sq.obj, rest: sq.obj}}]\n");
    put("in/base.yaml",
        "heddle: 1\nbodies: [{shape: mesh, file: box.obj, position: [0, -5, 0]}]\n");
    put("in/sq.obj", SQUARE);
    put("in/box.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    HedScene* first = must_load("in/s.yaml", NULL, 0);
    put("out/deep/scene.yaml", hed_scene_text(first));
    HedScene* second = must_load("out/deep/scene.yaml", NULL, 0);
    cr_expect_str_eq(hed_scene_text(first), hed_scene_text(second));
    cr_expect_eq(hed_scene_hash(first), hed_scene_hash(second));
    cr_expect_eq(second->data.files.count, 3);
    hed_scene_destroy(second);
    put("in/base.yaml", "heddle: 1\n");
    refuse("out/deep/scene.yaml", NULL, 0, HED_PARSE, "out/deep/scene.yaml:");
    HedScene* scene = NULL;
    HedError error;
    cr_expect_eq(hed_scene_load(in_folder("out/deep/scene.yaml"), NULL, 0, &scene, &error),
                 HED_PARSE);
    cr_expect(strstr(error.message, "error: 'base.yaml' is not the file it was: hash "), "%s",
              error.message);
    hed_scene_destroy(first);
}

Test(loader, hash_does_not_depend_on_the_directory) {
    put("a/s.yaml", "heddle: 1\nsheets: [{mesh: {file: sq.obj}}]\n");
    put("b/s.yaml", "heddle: 1\nsheets: [{mesh: {file: sq.obj}}]\n");
    put("a/sq.obj", SQUARE);
    put("b/sq.obj", SQUARE);
    HedScene* a = must_load("a/s.yaml", NULL, 0);
    HedScene* b = must_load("b/s.yaml", NULL, 0);
    cr_expect_eq(hed_scene_hash(a), hed_scene_hash(b));
    cr_expect_str_neq(hed_scene_text(a), hed_scene_text(b));
    hed_scene_destroy(b);
    put("b/sq.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n");
    b = must_load("b/s.yaml", NULL, 0);
    cr_expect_neq(hed_scene_hash(a), hed_scene_hash(b));
    hed_scene_destroy(a);
    hed_scene_destroy(b);
}

Test(loader, file_list_errors) {
    put("s.yaml", CLOTH "files: [{path: x, hash: '12'}]\n");
    refuse("s.yaml", NULL, 0, HED_PARSE, "s.yaml:5:25: error: 'hash' must have 16 digits");
    put("s.yaml", CLOTH "files: [{path: x, hash: '0123456789abcdef'}]\n");
    refuse("s.yaml", NULL, 0, HED_NOT_FOUND, "s.yaml:5:16: error: cannot read ");
    put("s.yaml", CLOTH "include: [a.yaml]\ndirectory: x\n");
    refuse("s.yaml", NULL, 0, HED_PARSE,
           "s.yaml:5:1: error: 'include' and 'directory' exclude each other");
    refuse("missing.yaml", NULL, 0, HED_NOT_FOUND, "missing.yaml: No such file");
}

// Every allocation of a scene with an include, an override and a mesh fails once.
Test(loader, no_memory) {
    put("s.yaml", "include: [a.yaml]\nsheets: [{mesh: {file: sq.obj}}]\n");
    put("a.yaml", "heddle: 1\n");
    put("sq.obj", SQUARE);
    const char* set = "step.size=1/50 s";
    int64_t before = hed_alloc_stats().live_count;
    bool done = false;
    for (int64_t n = 1; !done; ++n) {
        cr_assert_lt(n, 2000);
        HedScene* scene = NULL;
        HedError error = {0};
        hed_alloc_fail_at(n);
        HedStatus status = hed_scene_load(in_folder("s.yaml"), &set, 1, &scene, &error);
        hed_alloc_fail_at(0);
        done = status == HED_OK;
        cr_expect(done || status == HED_NO_MEMORY, "allocation %d: %s", (int)n, error.message);
        hed_scene_destroy(scene);
        cr_assert_eq(hed_alloc_stats().live_count, before, "allocation %d leaks", (int)n);
    }
}
