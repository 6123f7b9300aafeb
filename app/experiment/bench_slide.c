// SPDX-License-Identifier: MIT
#include "experiment/list.h"
#include "experiment/sheet_lab.h"
#include "experiment/slide_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int bench_slide(HedLab* lab) {
    SlideCloth c = {atoi(getenv("K")),
                    atoi(getenv("N")),
                    atoi(getenv("T")),
                    atof(getenv("H")),
                    HED_PRECONDITION_AUTO,
                    0,
                    0,
                    0};
    HedSim* sim = NULL;
    HedYarnsId y;
    HedError e;
    double b = trial_clock();
    if (slide_build(&c, &sim, &y, &e))
        return lab_fail(lab, &e);
    printf("built in %.2f s, %d nodes\n", trial_clock() - b, hed_sim_size(sim).points);
    int n = atoi(getenv("S"));
    for (int k = 0; k < n; ++k) {
        HedProfile p = {0};
        HedStepReport r = {0};
        hed_sim_set_profile(sim, &p);
        b = trial_clock();
        if (hed_sim_step(sim, &r, &e))
            return lab_fail(lab, &e);
        double w = trial_clock() - b;
        printf("%3d %.4f s %8.0f node-steps/s reason %d newton %d linear %d halv %d | asm %.3f "
               "prec %.3f lin %.3f forces %.3f of %.3f\n",
               k, w, hed_sim_size(sim).points / w, r.reason, r.iterations, r.linear_iterations,
               r.substeps, p.seconds[HED_STAGE_ASSEMBLY], p.seconds[HED_STAGE_PRECONDITIONER],
               p.seconds[HED_STAGE_LINEAR], p.seconds[HED_STAGE_FORCES], w);
    }
    HedEnergies en = hed_sim_energies(sim);
    printf("kin %g total %g\n", en.kinetic, en.total);
    hed_sim_destroy(sim);
    return 0;
}
