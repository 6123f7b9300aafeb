// SPDX-License-Identifier: MIT
// summary.json: what was run, on what, and how it ended.
#ifndef HED_RUN_SUMMARY_H
#define HED_RUN_SUMMARY_H

#include "heddle/run.h"

HedStatus hed_summary_save(const char* path, const HedScene* scene, const HedSim* sim,
                           const HedRunReport* report, int64_t first_step, HedError* error);

#endif
