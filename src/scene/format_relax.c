// SPDX-License-Identifier: MIT
// The table of relaxation.
#include "scene/format.h"

#include <stddef.h>

static void relax_defaults(void* record) {
    *(HedSceneRelax*)record = (HedSceneRelax){.def = hed_relax_def_default()};
}

#define AT(entry) offsetof(HedSceneRelax, entry)

static const HedEntry RELAX_ENTRIES[] = {
    {.key = "shrink",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.shrink),
     .least = 0.2,
     .most = 5.0,
     .doc = "Length of yarns at rest over that at the start."},
    {.key = "friction",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.friction),
     .least = 0.0,
     .most = 10.0,
     .doc = "Between yarns. Without it yarns run out of their loops."},
    {.key = "stretch",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.stretch),
     .least = 1e-3,
     .most = 1e9,
     .doc = "Stiffness along yarns, in B/d^2: bending stiffness by diameter squared."},
    {.key = "contact",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.contact),
     .least = 1e-6,
     .most = 1e9,
     .doc = "Stiffness of contact between yarns, in B/d^3."},
    {.key = "plates",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.plates),
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Distance of two smooth plates that keep the fabric flat, in diameters; 0: none."},
    {.key = "force",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.force),
     .rule = HED_RULE_POSITIVE,
     .doc = "At rest no force on a vertex is larger, in B/d^2,"},
    {.key = "speed",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.speed),
     .rule = HED_RULE_POSITIVE,
     .doc = "and none moves further in an iteration, in diameters."},
    {.key = "iterations",
     .type = HED_ENTRY_INTEGER,
     .offset = AT(def.limit),
     .least = 1,
     .most = 100000000,
     .doc = "Most iterations."},
    {.key = NULL}};

const HedTable hed_relax_table = {.name = "relax",
                                  .size = sizeof(HedSceneRelax),
                                  .has_node = true,
                                  .defaults = relax_defaults,
                                  .entries = RELAX_ENTRIES};
