// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "run/summary.h"
#include "base/file.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static const char* const OUTCOMES[HED_OUTCOME_COUNT] = {
    [HED_OUTCOME_DONE] = "done",
    [HED_OUTCOME_GAVE_UP] = "gave up",
    [HED_OUTCOME_STOPPED] = "stopped",
};

static void put_text(HedWriter* file, const char* key, const char* text) {
    hed_writer_print(file, "  \"%s\": \"", key);
    for (const char* c = text; *c; ++c) {
        if (*c == '"' || *c == '\\') {
            hed_writer_print(file, "\\%c", *c);
        } else if ((unsigned char)*c < 0x20) {
            hed_writer_print(file, "\\u%04x", (unsigned)(unsigned char)*c);
        } else {
            hed_writer_bytes(file, c, 1);
        }
    }
    hed_writer_print(file, "\",\n");
}

// JSON has no word for what is not finite but null.
static void put_value(HedWriter* file, double value) {
    if (isfinite(value)) {
        hed_writer_double(file, value);
    } else {
        hed_writer_print(file, "null");
    }
}

static void put_number(HedWriter* file, const char* key, double value) {
    hed_writer_print(file, "  \"%s\": ", key);
    put_value(file, value);
    hed_writer_print(file, ",\n");
}

static void put_integer(HedWriter* file, const char* key, int64_t value) {
    hed_writer_print(file, "  \"%s\": %" PRId64 ",\n", key, value);
}

static void put_energies(HedWriter* file, const HedEnergies* e) {
    hed_writer_print(file, "  \"energies\": {\"kinetic\": ");
    put_value(file, e->kinetic);
    for (int32_t i = 0; i < e->potential_count; ++i) {
        hed_writer_print(file, ", \"%s\": ", e->potential_name[i]);
        put_value(file, e->potential[i]);
    }
    hed_writer_print(file, ", \"dissipated\": ");
    put_value(file, e->dissipated);
    hed_writer_print(file, ", \"external\": ");
    put_value(file, e->external);
    hed_writer_print(file, ", \"total\": ");
    put_value(file, e->total);
    hed_writer_print(file, "}\n");
}

static void put_machine(HedWriter* file) {
    struct utsname name;
    memset(&name, 0, sizeof name);
    if (uname(&name) == 0) {
        put_text(file, "system", name.sysname);
        put_text(file, "release", name.release);
        put_text(file, "machine", name.machine);
    }
    put_integer(file, "cores", (int64_t)sysconf(_SC_NPROCESSORS_ONLN));
}

static void put_origin(HedWriter* file, const HedScene* scene) {
    HedSceneOrigin origin;
    if (!hed_scene_origin(scene, &origin)) {
        return;
    }
    put_text(file, "start_run", origin.run);
    put_integer(file, "start_frame", origin.frame);
    put_number(file, "start_time", origin.time);
    hed_writer_print(file, "  \"start_hash\": \"%016" PRIx64 "\",\n", origin.hash);
}

HedStatus hed_summary_save(const char* path, const HedScene* scene, const HedSim* sim,
                           const HedRunReport* report, int64_t first_step, HedError* error) {
    HedWriter file = {0};
    HedStatus status = hed_writer_replace(&file, path, error);
    if (status != HED_OK) {
        return status;
    }
    hed_writer_print(&file, "{\n");
    put_text(&file, "scene", hed_scene_name(scene));
    hed_writer_print(&file, "  \"scene_hash\": \"%016" PRIx64 "\",\n", hed_scene_hash(scene));
    put_origin(&file, scene);
    put_text(&file, "outcome", OUTCOMES[report->outcome]);
    put_text(&file, "reason", hed_reason_name(report->last.reason));
    put_text(&file, "trouble", report->last.trouble);
    put_text(&file, "heddle", hed_version());
    put_text(&file, "build", hed_build_info());
    put_machine(&file);
    put_integer(&file, "threads", hed_sim_def(sim)->thread_count);
    put_text(&file, "integrator", hed_integrator_name(hed_sim_def(sim)->integrator));
    put_number(&file, "time_step", hed_sim_def(sim)->time_step);
    put_number(&file, "time", report->time);
    put_integer(&file, "steps", report->steps);
    put_integer(&file, "first_step", first_step);
    put_integer(&file, "frames", report->frames);
    put_number(&file, "wall", report->wall);
    put_number(&file, "worst_residual", report->worst_residual);
    put_number(&file, "worst_penetration", report->worst_penetration);
    if (report->gone_count > 0) {
        put_integer(&file, "gone_count", report->gone_count);
        put_text(&file, "gone", report->gone);
        put_text(&file, "gone_yarns", report->gone_yarns);
    }
    put_integer(&file, "tangled", report->tangle_count);
    if (report->tangle_count > 0) {
        put_text(&file, "tangle", report->tangle);
    }
    put_energies(&file, &report->energies);
    hed_writer_print(&file, "}\n");
    return hed_writer_commit(&file, error);
}
