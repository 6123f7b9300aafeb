// SPDX-License-Identifier: MIT
#include "support/nets.h"

#include "heddle/knit.h"
#include "heddle/weave.h"

#include <stdio.h>
#include <stdlib.h>

static void make(HedFabric* fabric, HedNet* net) {
    HedError error = {0};
    HedNetDef def = hed_net_def_default();
    if (hed_net_create(fabric, &def, net, &error) != HED_OK) {
        fprintf(stderr, "test net: %s\n", error.message);
        abort();
    }
    hed_fabric_free(fabric);
}

void test_net_weave(int32_t ends, int32_t picks, HedNet* net) {
    HedError error = {0};
    HedWeave weave = {0};
    HedFabric fabric = {0};
    HedWeaveDef def = hed_weave_def_default();
    def.warp = def.weft = (HedThreadDef){
        .sett = 2500.0, .linear_density = 2.5e-5, .diameter = 2e-4, .color = HED_COLOR_NONE};
    def.warp.count = ends;
    def.weft.count = picks;
    if (hed_weave_named("plain", &weave, &error) != HED_OK ||
        hed_weave_build(&weave, &def, &fabric, &error) != HED_OK) {
        fprintf(stderr, "test weave: %s\n", error.message);
        abort();
    }
    hed_weave_free(&weave);
    make(&fabric, net);
}

void test_net_knit(const char* pattern, int32_t rows, int32_t stitches, HedNet* net) {
    HedError error = {0};
    HedFabric fabric = {0};
    HedKnitDef def = hed_knit_def_default();
    def.pattern = pattern;
    def.rows = rows;
    def.stitches = stitches;
    def.linear_density = 6e-4;
    if (hed_knit_create(&def, &fabric, NULL, &error) != HED_OK) {
        fprintf(stderr, "test knit: %s\n", error.message);
        abort();
    }
    make(&fabric, net);
}
