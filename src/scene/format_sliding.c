// SPDX-License-Identifier: MIT
// The table of sliding yarns.
#include "scene/format.h"

#include <stddef.h>

static void stretch_damping_defaults(void* record) {
    *(HedSlidingDamping*)record = hed_sliding_def_default().stretch_damping;
}

static void bend_damping_defaults(void* record) {
    *(HedSlidingDamping*)record = hed_sliding_def_default().bend_damping;
}

static void shear_damping_defaults(void* record) {
    *(HedSlidingDamping*)record = hed_sliding_def_default().shear_damping;
}

static void wrap_damping_defaults(void* record) {
    *(HedSlidingDamping*)record = hed_sliding_def_default().wrap_damping;
}

static void sliding_defaults(void* record) {
    *(HedSceneSliding*)record =
        (HedSceneSliding){.def = hed_sliding_def_default(), .net_def = hed_net_def_default()};
}

static const char* curl_name(int32_t value) {
    static const char* const names[HED_CURL_COUNT] = {"given", "auto"};
    return value < HED_CURL_COUNT ? names[value] : NULL;
}

static const char* contact_name(int32_t value) {
    static const char* const names[HED_SLIDING_CONTACT_COUNT] = {"skin", "yarns"};
    return value < HED_SLIDING_CONTACT_COUNT ? names[value] : NULL;
}

#define END                                                                                        \
    { .key = NULL }

#define AT(entry) offsetof(HedSlidingDamping, entry)

// In N s; that of bending, whose strain is a curvature, in N m^2 s.
static const HedEntry DAMPING_ENTRIES[] = {{.key = "density",
                                            .type = HED_ENTRY_NUMBER,
                                            .offset = AT(density),
                                            .dimension = {1, 1, -1},
                                            .rule = HED_RULE_NOT_NEGATIVE,
                                            .doc = "Force per rate of strain."},
                                           {.key = "time",
                                            .type = HED_ENTRY_NUMBER,
                                            .offset = AT(time),
                                            .dimension = {0, 0, 1},
                                            .rule = HED_RULE_NOT_NEGATIVE,
                                            .doc = "Times the stiffness; the two add up."},
                                           END};

static const HedTable STRETCH_DAMPING = {.name = "stretch_damping",
                                         .size = sizeof(HedSlidingDamping),
                                         .defaults = stretch_damping_defaults,
                                         .entries = DAMPING_ENTRIES};

static const HedTable SHEAR_DAMPING = {.name = "shear_damping",
                                       .size = sizeof(HedSlidingDamping),
                                       .defaults = shear_damping_defaults,
                                       .entries = DAMPING_ENTRIES};

static const HedTable WRAP_DAMPING = {.name = "wrap_damping",
                                      .size = sizeof(HedSlidingDamping),
                                      .defaults = wrap_damping_defaults,
                                      .entries = DAMPING_ENTRIES};

static const HedEntry BEND_DAMPING_ENTRIES[] = {{.key = "density",
                                                 .type = HED_ENTRY_NUMBER,
                                                 .offset = AT(density),
                                                 .dimension = {3, 1, -1},
                                                 .rule = HED_RULE_NOT_NEGATIVE,
                                                 .doc = "Moment per rate of curvature."},
                                                {.key = "time",
                                                 .type = HED_ENTRY_NUMBER,
                                                 .offset = AT(time),
                                                 .dimension = {0, 0, 1},
                                                 .rule = HED_RULE_NOT_NEGATIVE,
                                                 .doc = "Times the stiffness; the two add up."},
                                                END};

static const HedTable BEND_DAMPING = {.name = "bend_damping",
                                      .size = sizeof(HedSlidingDamping),
                                      .defaults = bend_damping_defaults,
                                      .entries = BEND_DAMPING_ENTRIES};

#undef AT
#define AT(entry) offsetof(HedSceneSliding, entry)

static const HedEntry SLIDING_ENTRIES[] = {
    {.key = "stretch",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.stretch),
     .dimension = {1, 1, -2},
     .rule = HED_RULE_POSITIVE,
     .doc = "Force per strain of a yarn (EA)."},
    {.key = "compression_ratio",
     .alias = "slack",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.compression_ratio),
     .least = 0.0,
     .most = 1.0,
     .doc = "Part of `stretch` with which a segment resists being shorter than its material; 0: "
            "from the load at which it buckles."},
    {.key = "bend",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.bend),
     .dimension = {3, 1, -2},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Moment per curvature of a yarn (EI)."},
    {.key = "set_fraction",
     .alias = "set",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.set_fraction),
     .least = 0.0,
     .most = 1.0,
     .doc = "Part of the turns at the start that yarns have at rest."},
    {.key = "thickness",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.thickness),
     .least = 0.0,
     .most = 1.0,
     .doc = "Experimental: part of the radius by which yarns bend off their crossings, each to its "
            "side."},
    {.key = "twist",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.twist),
     .dimension = {3, 1, -2},
     .rule = HED_RULE_NOT_NEGATIVE,
     .infinite = "auto",
     .doc = "Moment per twist (GJ), where yarns are set into corners; `auto`: half of `bend` in "
            "knits, none in weaves."},
    {.key = "shear",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.shear),
     .dimension = {1, 1, -2},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Of a crossing: four times this over the spacing is the cloth's shear stiffness."},
    {.key = "jam_margin",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.jam_margin),
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Angle before yarns side by side touch at which shear stiffens."},
    {.key = "clasp_stiffness",
     .alias = "hold",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.clasp_stiffness),
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Part of `stretch` with which yarns that clasp each other keep the length of it."},
    {.key = "jam_stiffness",
     .alias = "crowd",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.jam_stiffness),
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Times `stretch` over the spacing: how stiffly crossings on a yarn keep the room that "
            "the yarns there need."},
    {.key = "friction",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.friction),
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Coulomb coefficient at crossings."},
    {.key = "crossing_preload",
     .alias = "press",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.crossing_preload),
     .dimension = {1, 1, -2},
     .rule = HED_RULE_NOT_NEGATIVE,
     .infinite = "auto",
     .doc = "Force with which yarns press on each other at every crossing, besides what their own "
            "pull gives; `auto`: a tenth of what their bending about each other would give if none "
            "of it were set."},
    {.key = "friction_stiffness",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.friction_stiffness),
     .dimension = {0, 1, -2},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Of the springs that hold what does not slide; 0: a tenth of `stretch` over the "
            "spacing."},
    {.key = "wrap",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.wrap),
     .dimension = {1, 1, -2},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Of clasps of knits, per length: how stiffly two yarns keep the way they wind around "
            "each other."},
    {.key = "wrap_rest",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.wrap_rest),
     .infinite = "auto",
     .doc = "How far they do at rest on the left of a knit stitch, -1 to 1; `auto`: as at the "
            "start."},
    {.key = "curl",
     .type = HED_ENTRY_CHOICE,
     .offset = AT(curl),
     .choice = curl_name,
     .doc = "`auto`: as much as a small swatch of the same knit at rest, made of rods. `given`: by "
            "the next three."},
    {.key = "curl_stiffness",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.curl_stiffness),
     .dimension = {2, 1, -2},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Of curl hinges of knits; 0: none."},
    {.key = "curl_along",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.curl_along),
     .doc = "Turn per knit stitch at rest, along courses."},
    {.key = "curl_across",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.curl_across),
     .doc = "The same along wales."},
    {.key = "stretch_damping",
     .type = HED_ENTRY_MAPPING,
     .offset = AT(def.stretch_damping),
     .table = &STRETCH_DAMPING,
     .fallback = "{time: 1 ms}",
     .doc = "Of the rate of stretching, and of nothing else."},
    {.key = "bend_damping",
     .type = HED_ENTRY_MAPPING,
     .offset = AT(def.bend_damping),
     .table = &BEND_DAMPING,
     .fallback = "{time: 10 ms}",
     .doc = "The same of bending."},
    {.key = "shear_damping",
     .type = HED_ENTRY_MAPPING,
     .offset = AT(def.shear_damping),
     .table = &SHEAR_DAMPING,
     .fallback = "{time: 1 ms}",
     .doc = "The same of shear."},
    {.key = "wrap_damping",
     .type = HED_ENTRY_MAPPING,
     .offset = AT(def.wrap_damping),
     .table = &WRAP_DAMPING,
     .fallback = "{time: 1 ms}",
     .doc = "The same of wrapping."},
    {.key = "convection",
     .type = HED_ENTRY_BOOL,
     .offset = AT(def.convection),
     .doc = "Momentum that material carries along a yarn which runs fast acts on its nodes."},
    {.key = "rayleigh",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.rayleigh),
     .dimension = {0, 0, 1},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Further damping by this times the whole stiffness, which takes from every motion: for "
            "comparison."},
    {.key = "contact",
     .type = HED_ENTRY_CHOICE,
     .offset = AT(def.contact),
     .choice = contact_name,
     .doc = "How it keeps apart from other sliding yarns that say the same, and from itself, with "
            "`self_collision`. `skin`: by triangles between crossings, as from sheets. `yarns`: "
            "yarn by yarn."},
    {.key = "tail",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(net_def.tail),
     .rule = HED_RULE_POSITIVE,
     .doc = "Spacings of yarn that there are at least beyond the outermost crossings."},
    {.key = "bow",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(net_def.bow),
     .rule = HED_RULE_POSITIVE,
     .doc = "Spacings: a yarn that goes farther from the straight way to its next crossing gets "
            "nodes of its own."},
    {.key = "cut_rows",
     .type = HED_ENTRY_BOOL,
     .offset = AT(net_def.cut_rows),
     .doc = "Yarns of a knit are cut between its rows."},
    END};

const HedTable hed_sliding_table = {.name = "sliding",
                                    .size = sizeof(HedSceneSliding),
                                    .has_node = true,
                                    .defaults = sliding_defaults,
                                    .entries = SLIDING_ENTRIES};
