// SPDX-License-Identifier: MIT
#include "heddle/sim.h"
int hed_scene_run(int n) {
    return hed_sim_step(n);
}
