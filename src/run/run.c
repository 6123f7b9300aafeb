// SPDX-License-Identifier: MIT
// One run: check, begin or take up, step, write. Nothing is written before everything was checked.
#include "heddle/run.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/timer.h"
#include "heddle/sliding.h"
#include "heddle/yarn.h"
#include "run/resume.h"
#include "run/summary.h"
#include "run/writer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// However far apart frames are, no more than this much work (s of wall time) is lost by a kill.
static const double LONGEST_WITHOUT_CHECKPOINT = 30.0;

typedef struct Run {
    const HedScene* scene;
    const HedRunOptions* options;
    HedSim* sim;
    HedRunWriter writer;
    HedRunReport* report;
    double duration;     // s
    int64_t step_count;  // to do in all
    int64_t frame_steps; // from one frame to the next
    int64_t first_step;  // where this call took up
    bool was_finished;   // before this call
    double start;        // wall clock, s
    double checkpointed; // wall clock of the last checkpoint
    double rate_time;    // wall clock and step where the present measurement of speed began
    int64_t rate_step;
    double rate;  // steps per second
    int32_t lost; // crossings of rods and splines, at the last frame
} Run;

HedRunOptions hed_run_options_default(void) {
    return (HedRunOptions){.duration = -1.0};
}

static HedStatus check_options(const HedRunOptions* options, HedError* error) {
    if (!options->directory || !options->directory[0]) {
        return hed_fail(error, HED_INVALID, "a run needs a directory");
    }
    if (options->resume && options->force) {
        return hed_fail(error, HED_INVALID, "resume and force exclude each other");
    }
    if (options->thread_count < 0 || options->thread_count > 1024) {
        return hed_fail(error, HED_INVALID, "threads must be 0 to 1024, got %" PRId32,
                        options->thread_count);
    }
    if (!isfinite(options->duration)) {
        return hed_fail(error, HED_INVALID, "duration must be finite, got %g", options->duration);
    }
    if (!(options->checkpoint_interval >= 0.0)) {
        return hed_fail(error, HED_INVALID, "checkpoint interval must not be negative, got %g s",
                        options->checkpoint_interval);
    }
    return HED_OK;
}

// A run cannot take the place of the one that it starts from: its scene would lead nowhere.
static HedStatus check_origin(const HedScene* scene, const char* directory, HedError* error) {
    HedSceneOrigin origin;
    if (!hed_scene_origin(scene, &origin)) {
        return HED_OK;
    }
    char* from = hed_path_join(origin.directory, origin.run);
    if (!from) {
        return hed_fail_memory(error, directory);
    }
    bool is_same = hed_file_is_same(from, directory);
    hed_free(from);
    return is_same ? hed_fail(error, HED_INVALID,
                              "%s: the scene starts from the run there; choose another directory",
                              directory)
                   : HED_OK;
}

static HedStatus plan(Run* run, HedError* error) {
    enum { STEP_LIMIT = 1 << 30, FRAME_LIMIT = 10000000 };
    double step = hed_sim_def(run->sim)->time_step;
    double scene_duration = hed_scene_duration(run->scene);
    run->duration = run->options->duration < 0.0 ? scene_duration : run->options->duration;
    double steps = round(run->duration / step);
    double per_frame = fmax(1.0, round(hed_scene_frame_interval(run->scene) / step));
    if (!(steps <= 1024.0 * STEP_LIMIT) || !(steps / per_frame <= FRAME_LIMIT)) {
        return hed_fail(error, HED_INVALID,
                        "duration %g s would take %g steps of %g s and %g frames; the limits are "
                        "%g and %d",
                        run->duration, steps, step, steps / per_frame, 1024.0 * STEP_LIMIT,
                        FRAME_LIMIT);
    }
    if (run->duration > 0.0 && steps < 1.0) {
        return hed_fail(error, HED_INVALID, "duration %g s is less than half a time step of %g s",
                        run->duration, step);
    }
    run->step_count = (int64_t)steps;
    run->frame_steps = (int64_t)fmin(per_frame, 1024.0 * STEP_LIMIT);
    return HED_OK;
}

static HedStatus write_checkpoint(Run* run, HedError* error) {
    run->checkpointed = hed_time_now();
    return hed_run_writer_checkpoint(&run->writer, error);
}

// Writes the present state as a frame; one that is not finite ends the run as the solver would.
static HedStatus write_frame(Run* run, HedError* error) {
    HedStepReport* last = &run->report->last;
    bool finite = true;
    HedStatus status = hed_run_writer_frame(&run->writer, &finite, last->trouble, error);
    if (status == HED_OK && !finite) {
        run->report->outcome = HED_OUTCOME_GAVE_UP;
        last->reason = HED_REASON_NOT_FINITE;
    }
    return status;
}

// At frames: what rods and splines have come out of. The first time is told at once.
static void note_lost(Run* run) {
    HedLost lost;
    HedRunReport* report = run->report;
    if (hed_sim_lost(run->sim, &lost) > 0) {
        memcpy(report->gone, lost.first, sizeof report->gone);
        if (run->lost == 0) {
            hed_log(HED_LOG_WARNING, "at %.4g s the fabric comes apart: %s", hed_sim_time(run->sim),
                    lost.first);
        }
    }
    memcpy(report->gone_yarns, lost.yarns, sizeof report->gone_yarns);
    run->lost = lost.count;
}

static HedStatus begin(Run* run, HedError* error) {
    HedStatus status = HED_OK;
    HED_TRY(hed_run_writer_start(&run->writer, error));
    HED_TRY(write_frame(run, error));
    if (run->report->outcome == HED_OUTCOME_DONE) {
        HED_TRY(write_checkpoint(run, error));
    }
done:
    return status;
}

// A run without a checkpoint was killed before it had more than its first frame. More frames mean
// that somebody took the checkpoint away: then the results are not ours to remove.
static HedStatus begin_again(Run* run, HedError* error) {
    const HedRunDirectory* directory = &run->writer.directory;
    if (hed_run_directory_frames(directory, 0) > 1 ||
        hed_file_exists(directory->path[HED_RUN_SUMMARY])) {
        return hed_fail(error, HED_NOT_FOUND,
                        "%s: is missing, so the run cannot go on; --force starts again",
                        directory->path[HED_RUN_CHECKPOINT]);
    }
    return begin(run, error);
}

static HedStatus take_up(Run* run, HedError* error) {
    HedStatus status = HED_OK;
    HedRunWriter* writer = &run->writer;
    const char* const* path = (const char* const*)writer->directory.path;
    if (!hed_file_exists(path[HED_RUN_CHECKPOINT]) && !hed_file_exists(path[HED_RUN_BEFORE])) {
        return begin_again(run, error);
    }
    HedCheckpoint found = {0};
    HED_TRY(hed_resume_state(&writer->directory, run->scene, run->sim, &found, error));
    run->report->lost_frames = hed_resume_lost_frames(&writer->directory, found.frames);
    writer->state = found;
    run->first_step = found.steps;
    // A kill may fall between the last checkpoint and the summary: then only the end is done again.
    run->was_finished = found.steps >= run->step_count && hed_file_exists(path[HED_RUN_SUMMARY]);
    if (!run->was_finished) {
        HED_TRY(hed_run_writer_resume(writer, error));
    }
done:
    return status;
}

static void call_hook(Run* run, const HedStepReport* report, bool in_step) {
    double now = hed_time_now();
    int64_t step = hed_sim_steps(run->sim);
    double mean = (double)(step - run->first_step) / fmax(now - run->start, 1e-9);
    HedProgress progress = {
        .time = hed_sim_time(run->sim),
        .duration = run->duration,
        .step = step,
        .frame = (int32_t)run->writer.state.frames,
        .wall = now - run->start,
        .steps_per_second = run->rate,
        .gone_count = run->lost + hed_sliding_gone_count(run->sim),
        .left = (double)(run->step_count - step) / fmax(0.5 * (mean + run->rate), 1e-9),
        .in_step = in_step,
        .report = *report,
    };
    run->options->progress(&progress, run->options->context);
}

static void tell_in_step(const HedStepReport* so_far, void* context) {
    call_hook(context, so_far, true);
}

static bool stop_in_step(void* context) {
    const Run* run = context;
    return run->options->stop(run->options->context);
}

static void tell_progress(Run* run) {
    double now = hed_time_now();
    int64_t step = hed_sim_steps(run->sim);
    double span = now - run->rate_time;
    if (span >= 1.0 || run->rate <= 0.0) {
        run->rate = (double)(step - run->rate_step) / fmax(span, 1e-9);
    }
    if (span >= 1.0) {
        run->rate_time = now;
        run->rate_step = step;
    }
    if (run->options->progress) {
        call_hook(run, &run->report->last, false);
    }
}

static HedStatus write_due(Run* run, HedError* error) {
    HedStatus status = HED_OK;
    bool frame_due = hed_sim_steps(run->sim) % run->frame_steps == 0;
    if (frame_due) {
        HED_TRY(write_frame(run, error));
        note_lost(run);
    }
    double since = hed_time_now() - run->checkpointed;
    bool due = (frame_due && since >= run->options->checkpoint_interval) ||
               since >= fmax(run->options->checkpoint_interval, LONGEST_WITHOUT_CHECKPOINT);
    if (due && run->report->outcome == HED_OUTCOME_DONE) {
        HED_TRY(write_checkpoint(run, error));
    }
done:
    return status;
}

static HedStatus one_step(Run* run, HedError* error) {
    HedStepReport* last = &run->report->last;
    HedCheckpoint* state = &run->writer.state;
    HedStatus status = hed_sim_step(run->sim, last, error);
    if (status != HED_OK) {
        return status;
    }
    if (last->reason != HED_REASON_CONVERGED) {
        bool is_stopped = last->reason == HED_REASON_STOPPED;
        run->report->outcome = is_stopped ? HED_OUTCOME_STOPPED : HED_OUTCOME_GAVE_UP;
        return write_checkpoint(run, error);
    }
    state->worst_residual = fmax(state->worst_residual, last->residual);
    state->worst_penetration = fmax(state->worst_penetration, last->penetration);
    if (last->gone_count > 0) {
        memcpy(run->report->gone, last->gone, sizeof run->report->gone);
    }
    return write_due(run, error);
}

static HedStatus loop(Run* run, HedError* error) {
    const HedRunOptions* options = run->options;
    while (run->report->outcome == HED_OUTCOME_DONE && hed_sim_steps(run->sim) < run->step_count) {
        HedStatus status = one_step(run, error);
        if (status != HED_OK) {
            return status;
        }
        if (run->report->outcome != HED_OUTCOME_STOPPED) {
            tell_progress(run);
        }
        if (run->report->outcome == HED_OUTCOME_DONE && hed_sim_steps(run->sim) < run->step_count &&
            options->stop && options->stop(options->context)) {
            run->report->outcome = HED_OUTCOME_STOPPED;
            return write_checkpoint(run, error);
        }
    }
    return HED_OK;
}

// An end between two frames gets a frame of its own. The checkpoint does not count it: a longer run
// that goes on from here writes over it and becomes what it would have been in one go.
static HedStatus finish(Run* run, HedError* error) {
    HedStatus status = HED_OK;
    HedRunWriter* writer = &run->writer;
    int64_t frames = writer->state.frames;
    if (run->report->outcome == HED_OUTCOME_DONE) {
        if (run->step_count % run->frame_steps != 0) {
            HedCheckpoint counted = writer->state;
            HED_TRY(write_frame(run, error));
            frames = writer->state.frames;
            writer->state = counted;
        }
        HED_TRY(write_checkpoint(run, error));
        hed_run_writer_trim(writer, frames);
    }
    run->report->frames = (int32_t)frames;
done:
    return status;
}

// Which panels intersect at the end, if any were let through each other until then.
static HedStatus note_tangle(Run* run, HedError* error) {
    HedRunReport* report = run->report;
    HedPanelOverlaps overlaps = {0};
    if (report->last.tangle_count == 0) {
        return HED_OK;
    }
    HedStatus status = hed_sim_panel_overlaps(run->sim, &overlaps, error);
    if (status == HED_OK && overlaps.count > 0) {
        report->tangle_count = overlaps.triangle_pairs;
        hed_panel_overlap_describe(&overlaps.list[0], report->tangle, sizeof report->tangle);
    }
    hed_panel_overlaps_free(&overlaps);
    return status;
}

static HedStatus fill_report(Run* run, HedError* error) {
    HedRunReport* report = run->report;
    const HedRunWriter* writer = &run->writer;
    report->time = hed_sim_time(run->sim);
    report->steps = hed_sim_steps(run->sim);
    report->wall = hed_time_now() - run->start;
    report->worst_residual = writer->state.worst_residual;
    report->worst_penetration = writer->state.worst_penetration;
    note_lost(run);
    report->gone_count = run->lost + hed_sliding_gone_count(run->sim);
    HedStatus status = hed_run_energies(run->sim, &report->energies, error);
    status = status == HED_OK ? note_tangle(run, error) : status;
    if (status != HED_OK) {
        return status;
    }
    const char* path = writer->directory.path[HED_RUN_SUMMARY];
    if (run->was_finished) {
        report->frames = hed_run_directory_frames(&writer->directory, 0);
        if (hed_file_exists(path)) {
            return HED_OK;
        }
    }
    return hed_summary_save(path, run->scene, run->sim, report, run->first_step, error);
}

HedStatus hed_run(const HedScene* scene, const HedRunOptions* options, HedRunReport* report,
                  HedError* error) {
    HedStatus status = HED_OK;
    HedRunReport unwanted = {.outcome = HED_OUTCOME_DONE};
    Run run = {.scene = scene, .options = options, .report = report ? report : &unwanted};
    HedRunDirectory* directory = &run.writer.directory;
    *run.report = (HedRunReport){.outcome = HED_OUTCOME_DONE};
    run.start = hed_time_now();
    HED_TRY(check_options(options, error));
    HED_TRY(hed_run_directory_init(directory, options->directory, error));
    if (!hed_scene_is_complete(scene)) {
        HED_TRY(hed_fail(error, HED_INVALID, "a scene that was only looked at cannot be run"));
    }
    HED_TRY(check_origin(scene, options->directory, error));
    HED_TRY(hed_run_directory_check(directory, options->resume, options->force, error));
    HED_TRY(hed_scene_build(scene, options->thread_count, &run.sim, error));
    HED_TRY(hed_sim_prepare(run.sim, error));
    HED_TRY(plan(&run, error));
    HED_TRY(hed_run_writer_init(&run.writer, scene, run.sim, error));
    HED_TRY(hed_run_directory_claim(directory, options->resume, options->force, error));
    HED_TRY(options->resume ? take_up(&run, error) : begin(&run, error));
    run.rate_time = run.start = hed_time_now();
    run.rate_step = run.first_step;
    hed_sim_set_watch(run.sim, (HedStepWatch){options->stop ? stop_in_step : NULL,
                                              options->progress ? tell_in_step : NULL, &run});
    if (!run.was_finished) {
        HED_TRY(loop(&run, error));
        HED_TRY(finish(&run, error));
    }
    HED_TRY(fill_report(&run, error));
done:
    hed_run_writer_free(&run.writer);
    hed_sim_destroy(run.sim);
    return status;
}
