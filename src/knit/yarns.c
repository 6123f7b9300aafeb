// SPDX-License-Identifier: MIT
// Colours and counts of the yarns of a knit: by the order of the yarns, or by their names.
#include "knit/knit.h"

#include <stdio.h>
#include <string.h>

// A yarn is called by its name; those of charts, "yarn 2", by their number as well.
static bool is_called(const HedFabricYarn* yarn, const char* name) {
    static const char NUMBERED[] = "yarn ";
    size_t skipped = strncmp(yarn->name, NUMBERED, strlen(NUMBERED)) == 0 ? strlen(NUMBERED) : 0;
    return strcmp(yarn->name, name) == 0 || strcmp(yarn->name + skipped, name) == 0;
}

static HedStatus fail_name(const HedFabric* fabric, const char* name, HedError* error) {
    char known[96] = {0};
    size_t size = 0;
    for (int32_t i = 0; i < fabric->yarn_count && size + HED_YARN_NAME + 4 < sizeof known; ++i) {
        bool is_new = i == 0 || strcmp(fabric->yarns[i].name, fabric->yarns[i - 1].name) != 0;
        size += is_new ? (size_t)snprintf(known + size, sizeof known - size, "%s'%s'",
                                          i > 0 ? ", " : "", fabric->yarns[i].name)
                       : 0;
    }
    return hed_fail(error, HED_INVALID, "no yarn is called '%s': there are %s", name, known);
}

HedStatus hed_knit_dress_named(const HedKnitDef* def, HedFabric* fabric, HedError* error) {
    int32_t both = def->color_count + def->linear_density_count;
    for (int32_t i = 0; i < both; ++i) {
        bool is_color = i < def->color_count;
        int32_t k = is_color ? i : i - def->color_count;
        const char* const* names = is_color ? def->color_names : def->linear_density_names;
        if (hed_knit_is_ordered(names, k)) {
            continue;
        }
        bool is_found = false;
        for (int32_t y = 0; y < fabric->yarn_count; ++y) {
            HedFabricYarn* yarn = &fabric->yarns[y];
            if (!is_called(yarn, names[k])) {
                continue;
            }
            is_found = true;
            if (is_color) {
                yarn->color = def->colors[k];
            } else {
                yarn->linear_density = def->linear_densities[k];
            }
        }
        if (!is_found) {
            return fail_name(fabric, names[k], error);
        }
    }
    return HED_OK;
}
