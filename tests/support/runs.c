// SPDX-License-Identifier: MIT
#include "support/runs.h"

#include <criterion/criterion.h>
#include <string.h>

const char RUN_SCENE[] = "heddle: 1\n"
                         "name: test\n"
                         "duration: 0.2 s\n"
                         "step: {size: 1/100 s}\n"
                         "output: {frame_interval: 1/50 s}\n"
                         "sheets:\n"
                         "  - name: cloth\n"
                         "    grid: {size: [1 m, 1 m], points: [5, 4], origin: [-0.5, 0.4, 0]}\n"
                         "bodies:\n"
                         "  - {shape: box, name: block, half_size: [0.1, 0.1, 0.1],\n"
                         "     keyframes: [{time: 0, position: [0, 0, 0.5]},\n"
                         "                 {time: 0.2 s, position: [0.4, 0, 0.5]}]}\n"
                         "pins:\n"
                         "  - {name: hold, where: top-left}\n"
                         "measure:\n"
                         "  - {kind: position, name: corner, vertex: 19}\n"
                         "  - {kind: area, name: area}\n";

HedScene* run_parse(const char* override) {
    HedScene* scene = NULL;
    HedError error = {0};
    HedStatus status = hed_scene_parse(RUN_SCENE, strlen(RUN_SCENE), "test.yaml", ".", &override,
                                       override ? 1 : 0, &scene, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    return scene;
}

HedRunOptions run_options(const char* directory) {
    HedRunOptions options = hed_run_options_default();
    options.directory = directory;
    options.thread_count = 1;
    return options;
}

HedRunReport run_scene(const HedScene* scene, const HedRunOptions* options) {
    HedRunReport report;
    HedError error = {0};
    cr_assert_eq(hed_run(scene, options, &report, &error), HED_OK, "%s", error.message);
    return report;
}
