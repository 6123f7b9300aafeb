// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "experiment/sheet_lab.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double trial_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double trial_busy(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The first round touches the memory and does not count.
double trial_triad(int32_t threads, int32_t count) {
    double* a = malloc(sizeof(double) * (size_t)count);
    double* b = malloc(sizeof(double) * (size_t)count);
    double* c = malloc(sizeof(double) * (size_t)count);
    double best = HUGE_VAL;
    for (int round = 0; round < 6 && a && b && c; ++round) {
        double begin = trial_clock();
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int32_t i = 0; i < count; ++i) {
            if (round == 0) { // first touch
                b[i] = i;
                c[i] = 2.0;
            }
            a[i] = b[i] + 3.0 * c[i];
        }
        if (round > 0) {
            best = fmin(best, trial_clock() - begin);
        }
    }
    free(a);
    free(b);
    free(c);
    return isfinite(best) ? 24.0 * count / best : 0.0;
}

void trial_set(Trial* trial, const char* format, ...) {
    if (trial->set_count < TRIAL_SETS) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(trial->set[trial->set_count++], sizeof trial->set[0], format, arguments);
        va_end(arguments);
    }
}

int trial_start(HedLab* lab, Trial* trial, const char* scene) {
    HedError error;
    const char* sets[TRIAL_SETS];
    for (int32_t k = 0; k < trial->set_count; ++k) {
        sets[k] = trial->set[k];
    }
    HedStatus status =
        hed_scene_load(lab_scene_path(lab, scene), sets, trial->set_count, &trial->scene, &error);
    if (status == HED_OK) {
        status = hed_scene_build(trial->scene, lab_threads(lab), &trial->sim, &error);
    }
    if (status == HED_OK) {
        status = hed_sim_prepare(trial->sim, &error);
    }
    if (status != HED_OK) {
        trial_end(trial);
        return lab_fail(lab, &error);
    }
    trial->sheet = hed_scene_object(trial->scene, trial->sim, 0).sheet;
    trial->vertex_count = hed_sheet_vertex_count(trial->sim, trial->sheet);
    trial->positions = calloc((size_t)trial->vertex_count, sizeof(HedVec3));
    if (!trial->positions) {
        trial_end(trial);
        return lab_fail_text(lab, "no memory for %d positions", trial->vertex_count);
    }
    return 0;
}

bool trial_go(Trial* trial, double time) {
    double h = hed_sim_def(trial->sim)->time_step;
    int64_t goal = (int64_t)(time / h + 0.5);
    double begin = trial_clock();
    bool ok = true;
    while (ok && hed_sim_steps(trial->sim) < goal) {
        HedStepReport report;
        ok = hed_sim_step(trial->sim, &report, NULL) == HED_OK &&
             report.reason == HED_REASON_CONVERGED;
    }
    trial->wall += trial_clock() - begin;
    return ok;
}

void trial_positions(Trial* trial) {
    hed_sheet_positions(trial->sim, trial->sheet, trial->positions);
}

void trial_end(Trial* trial) {
    hed_sim_destroy(trial->sim);
    hed_scene_destroy(trial->scene);
    free(trial->positions);
    trial->sim = NULL;
    trial->scene = NULL;
    trial->positions = NULL;
}
