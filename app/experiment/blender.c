// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "experiment/blender.h"
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// A frame is 1/25 s to Blender's cloth whatever the scene says: quality 8 means steps of 5 ms. Its
// solver cannot take the stiffness of real cloth: with that the cloth falls at a fifth of its
// speed. So it gets its own default mass and as much stiffness as it stands; its largest strain is
// then about 1 %, ours 1.7 %.
static const char SCRIPT[] =
    "import bpy, time\n"
    "cell = 1.0 / (n - 1)\n"
    "points = [(c * cell, r * cell, 0.0) for r in range(n) for c in range(n)]\n"
    "quads = [(i, i + 1, i + n + 1, i + n)\n"
    "         for r in range(n - 1) for i in range(r * n, r * n + n - 1)]\n"
    "mesh = bpy.data.meshes.new('cloth')\n"
    "mesh.from_pydata(points, [], quads)\n"
    "cloth = bpy.data.objects.new('cloth', mesh)\n"
    "scene = bpy.context.scene\n"
    "scene.collection.objects.link(cloth)\n"
    "cloth.vertex_groups.new(name='held').add(list(range(n)), 1.0, 'REPLACE')\n"
    "modifier = cloth.modifiers.new('cloth', 'CLOTH')\n"
    "s = modifier.settings\n"
    "s.quality = 8\n"
    "s.vertex_group_mass = 'held'\n"
    "s.mass = 0.3\n"
    "s.tension_stiffness = s.compression_stiffness = 0.6 * n\n"
    "s.shear_stiffness = 0.18 * n\n"
    "s.bending_stiffness = s.bending_damping = s.air_damping = 0.0\n"
    "s.tension_damping = s.compression_damping = s.shear_damping = 0.0\n"
    "modifier.collision_settings.use_self_collision = True\n"
    "modifier.collision_settings.self_distance_min = 0.001\n"
    "modifier.point_cache.frame_end = steps // 8 + 2\n"
    "edges = [(i, i + 1) for i in range(n * n) if i % n + 1 < n]\n"
    "edges += [(i, i + n) for i in range(n * n - n)]\n"
    "scene.frame_set(1)\n"
    "spent = worst = drop = 0.0\n"
    "for frame in range(2, steps // 8 + 2):\n"
    "    begin = time.perf_counter()\n"
    "    scene.frame_set(frame)\n"
    "    spent += time.perf_counter() - begin\n"
    "    graph = bpy.context.evaluated_depsgraph_get()\n"
    "    x = [v.co.copy() for v in cloth.evaluated_get(graph).data.vertices]\n"
    "    worst = max(worst, max(abs((x[i] - x[j]).length / cell - 1.0) for i, j in edges))\n"
    "    drop = -x[n * n - 1 - n // 2].z\n"
    "print('swing-result', spent, worst, drop, flush=True)\n";

static bool write_script(const char* path, const BlenderJob* job) {
    FILE* file = fopen(path, "w");
    if (!file) {
        return false;
    }
    fprintf(file, "n = %d\nsteps = %d\n%s", job->side, job->steps, SCRIPT);
    return fclose(file) == 0;
}

// Starts it with its output in a file and waits. 0, or the errno of what went wrong.
static int run(const char* script, const char* output, int32_t threads) {
    char count[16];
    snprintf(count, sizeof count, "%d", threads);
    const char* const words[] = {"blender", "-b", "--factory-startup", "-t", count, "--python",
                                 script,    NULL};
    char* arguments[sizeof words / sizeof words[0]];
    memcpy(arguments, words, sizeof words);
    int file = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) {
        return errno;
    }
    Child child;
    int failure = child_start(&(ChildDef){arguments, file, file}, &child);
    close(file);
    if (failure == 0) {
        int status = 0;
        close(child.input);
        while (waitpid((pid_t)child.pid, &status, 0) < 0 && errno == EINTR) {
        }
    }
    return failure;
}

// A line "swing-result WALL STRAIN TIP_DROP".
static bool parse_result(const char* line, BlenderResult* result) {
    static const char WORD[] = "swing-result";
    double* const values[] = {&result->wall, &result->strain, &result->tip_drop};
    bool ok = strncmp(line, WORD, sizeof WORD - 1) == 0;
    const char* text = line + sizeof WORD - 1;
    for (size_t k = 0; ok && k < sizeof values / sizeof values[0]; ++k) {
        char* end = NULL;
        *values[k] = strtod(text, &end);
        ok = end != text;
        text = end;
    }
    return ok;
}

static bool read_result(const char* output, BlenderResult* result) {
    char line[512];
    bool found = false;
    FILE* file = fopen(output, "r");
    while (file && fgets(line, sizeof line, file)) {
        found = found || parse_result(line, result);
    }
    if (file) {
        fclose(file);
    }
    return found;
}

bool blender_swing(HedLab* lab, const BlenderJob* job, BlenderResult* result) {
    const char* script = lab_path(lab, "blender.py");
    const char* output = lab_path(lab, "blender.txt");
    if (!write_script(script, job)) {
        lab_note(lab, "Blender: cannot write %s: %s", script, strerror(errno));
        return false;
    }
    int failure = run(script, output, job->threads);
    if (failure) {
        lab_note(lab, "Blender: %s",
                 failure == ENOENT ? "not installed, nothing to compare with" : strerror(failure));
        return false;
    }
    if (!read_result(output, result)) {
        lab_note(lab, "Blender gave no result; its words are in %s", output);
        return false;
    }
    return true;
}
