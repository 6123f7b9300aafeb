// SPDX-License-Identifier: MIT
#include "sim/profile.h"

static const char* const NAMES[HED_STAGE_COUNT] = {
    [HED_STAGE_CONTACTS] = "contacts",
    [HED_STAGE_NEAR] = "near",
    [HED_STAGE_FORCES] = "forces",
    [HED_STAGE_ASSEMBLY] = "assembly",
    [HED_STAGE_PRECONDITIONER] = "preconditioner",
    [HED_STAGE_LINEAR] = "linear",
    [HED_STAGE_CONSTRAINTS] = "constraints",
    [HED_STAGE_IMPACTS] = "impacts",
    [HED_STAGE_SWEEP] = "sweep",
    [HED_STAGE_YARN_SEARCH] = "yarn-search",
    [HED_STAGE_YARN_CONTACT] = "yarn-contact",
    [HED_STAGE_YARN_MEMORY] = "yarn-memory",
    [HED_STAGE_YARN_LENGTHS] = "yarn-lengths",
    [HED_STAGE_OTHER] = "other",
};

const char* hed_stage_name(HedStage stage) {
    return (unsigned)stage < HED_STAGE_COUNT ? NAMES[stage] : "unknown";
}

void hed_sim_set_profile(HedSim* sim, HedProfile* profile) {
    sim->profile = profile;
}
