// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "run/writer.h"
#include "base/file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

HedStatus hed_run_writer_init(HedRunWriter* writer, const HedScene* scene, HedSim* sim,
                              HedError* error) {
    writer->scene = scene;
    writer->sim = sim;
    writer->state.scene_hash = hed_scene_hash(scene);
    return hed_frame_buffer_init(&writer->buffer, scene, sim, error);
}

void hed_run_writer_free(HedRunWriter* writer) {
    hed_csv_close(&writer->energy);
    hed_csv_close(&writer->measure);
    hed_frame_buffer_free(&writer->buffer);
    hed_run_directory_free(&writer->directory);
}

static HedStatus save_scene(const HedRunWriter* writer, HedError* error) {
    HedWriter file = {0};
    const char* text = hed_scene_text(writer->scene);
    HedStatus status = hed_writer_replace(&file, writer->directory.path[HED_RUN_SCENE], error);
    if (status != HED_OK) {
        return status;
    }
    hed_writer_bytes(&file, text, strlen(text));
    return hed_writer_commit(&file, error);
}

HedStatus hed_run_energies(const HedSim* sim, HedEnergies* energies, HedError* error) {
    *energies = hed_sim_energies(sim);
    return energies->potential_count > 0 ? HED_OK : hed_fail_memory(error, "energies");
}

static HedStatus energy_header(HedRunWriter* writer, HedError* error) {
    HedEnergies e;
    HedStatus status = hed_run_energies(writer->sim, &e, error);
    if (status != HED_OK) {
        return status;
    }
    hed_csv_text(&writer->energy, "time");
    hed_csv_text(&writer->energy, "step");
    hed_csv_text(&writer->energy, "kinetic");
    for (int32_t i = 0; i < e.potential_count; ++i) {
        hed_csv_text(&writer->energy, e.potential_name[i]);
    }
    hed_csv_text(&writer->energy, "dissipated");
    hed_csv_text(&writer->energy, "external");
    hed_csv_text(&writer->energy, "total");
    return hed_csv_end_row(&writer->energy, error);
}

static HedStatus measure_header(HedRunWriter* writer, HedError* error) {
    hed_csv_text(&writer->measure, "time");
    hed_csv_text(&writer->measure, "step");
    for (int32_t i = 0; i < hed_scene_measure_count(writer->scene); ++i) {
        HedMeasureDef def = hed_scene_measure(writer->scene, writer->sim, i);
        for (int32_t k = 0; k < hed_measure_width(def.kind); ++k) {
            char column[256];
            const char* part = hed_measure_part(def.kind, k);
            snprintf(column, sizeof column, "%s%s%s", hed_scene_measure_name(writer->scene, i),
                     part[0] ? "_" : "", part);
            hed_csv_text(&writer->measure, column);
        }
    }
    return hed_csv_end_row(&writer->measure, error);
}

HedStatus hed_run_writer_start(HedRunWriter* writer, HedError* error) {
    HedStatus status = HED_OK;
    const HedRunDirectory* directory = &writer->directory;
    HED_TRY(hed_run_directory_clear(directory, error));
    HED_TRY(save_scene(writer, error));
    HED_TRY(hed_frame_objects_save(&writer->buffer, directory->path[HED_RUN_OBJECTS], error));
    HED_TRY(hed_csv_create(&writer->energy, directory->path[HED_RUN_ENERGY], error));
    HED_TRY(hed_csv_create(&writer->measure, directory->path[HED_RUN_MEASURE], error));
    HED_TRY(energy_header(writer, error));
    HED_TRY(measure_header(writer, error));
done:
    return status;
}

HedStatus hed_run_writer_resume(HedRunWriter* writer, HedError* error) {
    HedStatus status = HED_OK;
    const HedRunDirectory* directory = &writer->directory;
    hed_run_directory_tidy(directory);
    unlink(directory->path[HED_RUN_SUMMARY]);
    // What follows from the scene alone is written again: it may have been damaged.
    HED_TRY(save_scene(writer, error));
    HED_TRY(hed_frame_objects_save(&writer->buffer, directory->path[HED_RUN_OBJECTS], error));
    const HedCheckpoint* state = &writer->state;
    HedCsvMark energy = {state->energy_bytes, state->knows_hashes ? &state->energy_hash : NULL};
    HedCsvMark measure = {state->measure_bytes, state->knows_hashes ? &state->measure_hash : NULL};
    HED_TRY(hed_csv_resume(&writer->energy, directory->path[HED_RUN_ENERGY], energy, error));
    HED_TRY(hed_csv_resume(&writer->measure, directory->path[HED_RUN_MEASURE], measure, error));
    writer->state.energy_hash = writer->energy.hash;
    writer->state.measure_hash = writer->measure.hash;
done:
    return status;
}

static bool energies_finite(const HedEnergies* e) {
    bool ok = isfinite(e->kinetic) && isfinite(e->dissipated) && isfinite(e->external) &&
              isfinite(e->total);
    for (int32_t i = 0; i < e->potential_count; ++i) {
        ok = ok && isfinite(e->potential[i]);
    }
    return ok;
}

static HedStatus energy_row(HedRunWriter* writer, const HedEnergies* e, HedError* error) {
    hed_csv_number(&writer->energy, hed_sim_time(writer->sim));
    hed_csv_integer(&writer->energy, hed_sim_steps(writer->sim));
    hed_csv_number(&writer->energy, e->kinetic);
    for (int32_t i = 0; i < e->potential_count; ++i) {
        hed_csv_number(&writer->energy, e->potential[i]);
    }
    hed_csv_number(&writer->energy, e->dissipated);
    hed_csv_number(&writer->energy, e->external);
    hed_csv_number(&writer->energy, e->total);
    return hed_csv_end_row(&writer->energy, error);
}

static HedStatus measure_row(HedRunWriter* writer, HedError* error) {
    hed_csv_number(&writer->measure, hed_sim_time(writer->sim));
    hed_csv_integer(&writer->measure, hed_sim_steps(writer->sim));
    for (int32_t i = 0; i < hed_scene_measure_count(writer->scene); ++i) {
        double values[3] = {0};
        HedMeasureDef def = hed_scene_measure(writer->scene, writer->sim, i);
        HedStatus status = hed_sim_measure(writer->sim, &def, values, error);
        if (status != HED_OK) {
            return status;
        }
        for (int32_t k = 0; k < hed_measure_width(def.kind); ++k) {
            hed_csv_number(&writer->measure, values[k]);
        }
    }
    return hed_csv_end_row(&writer->measure, error);
}

HedStatus hed_run_writer_frame(HedRunWriter* writer, bool* finite, char trouble[160],
                               HedError* error) {
    HedStatus status = HED_OK;
    HedEnergies energies;
    HED_TRY(hed_run_energies(writer->sim, &energies, error));
    *finite = hed_frame_collect(&writer->buffer, writer->sim, trouble);
    if (*finite && !energies_finite(&energies)) {
        *finite = false;
        snprintf(trouble, 160, "an energy is not finite");
    }
    if (!*finite) {
        return HED_OK;
    }
    HED_TRY(energy_row(writer, &energies, error));
    HED_TRY(measure_row(writer, error));
    HED_TRY(hed_frame_save(&writer->buffer, writer->sim,
                           hed_run_frame_path(&writer->directory, writer->state.frames), error));
    writer->state.frames += 1;
    writer->state.energy_bytes = writer->energy.bytes;
    writer->state.measure_bytes = writer->measure.bytes;
    writer->state.energy_hash = writer->energy.hash;
    writer->state.measure_hash = writer->measure.hash;
done:
    return status;
}

// The last checkpoint gets a second name, under which it stays until the next but one. On a disk
// without links there is one checkpoint alone.
static void keep_before(const HedRunDirectory* directory) {
    unlink(directory->path[HED_RUN_BEFORE]);
    if (link(directory->path[HED_RUN_CHECKPOINT], directory->path[HED_RUN_BEFORE]) != 0) {
        errno = 0;
    }
}

HedStatus hed_run_writer_checkpoint(HedRunWriter* writer, HedError* error) {
    HedStatus status = HED_OK;
    writer->state.steps = hed_sim_steps(writer->sim);
    // The rows must be on the disk before a checkpoint that counts on them.
    HED_TRY(hed_csv_sync(&writer->energy, error));
    HED_TRY(hed_csv_sync(&writer->measure, error));
    keep_before(&writer->directory);
    HED_TRY(hed_checkpoint_save(writer->directory.path[HED_RUN_CHECKPOINT], &writer->state,
                                writer->sim, error));
done:
    return status;
}

void hed_run_writer_trim(HedRunWriter* writer, int64_t count) {
    unlink(writer->directory.path[HED_RUN_BEFORE]);
    while (unlink(hed_run_frame_path(&writer->directory, count)) == 0) {
        ++count;
    }
}
