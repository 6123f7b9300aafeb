// SPDX-License-Identifier: MIT
// What can be seen on a sheet beside its shape.
#include "sim/internal.h"

typedef struct Kind {
    const char* name;
    const char* unit;
} Kind;

static const Kind KINDS[HED_QUANTITY_COUNT] = {
    [HED_QUANTITY_STRAIN] = {"strain", ""},          [HED_QUANTITY_TENSION] = {"tension", "N/m"},
    [HED_QUANTITY_CURVATURE] = {"curvature", "1/m"}, [HED_QUANTITY_CONTACT] = {"contact", "Pa"},
    [HED_QUANTITY_DAMPING] = {"damping", "W/m^2"},   [HED_QUANTITY_SPEED] = {"speed", "m/s"},
};

const char* hed_quantity_name(HedQuantity quantity) {
    return (unsigned)quantity < HED_QUANTITY_COUNT ? KINDS[quantity].name : "unknown";
}

const char* hed_quantity_unit(HedQuantity quantity) {
    return (unsigned)quantity < HED_QUANTITY_COUNT ? KINDS[quantity].unit : "";
}
