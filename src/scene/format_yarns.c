// SPDX-License-Identifier: MIT
// Tables of yarns.
#include "scene/format.h"

#include <stddef.h>

#define END                                                                                        \
    { .key = NULL }

static const char* model_name(int32_t index) {
    return index < HED_YARN_MODEL_COUNT ? hed_yarn_model_name((HedYarnModel)index) : NULL;
}

static const char* rest_name(int32_t index) {
    return index < HED_YARN_REST_COUNT ? hed_yarn_rest_name((HedYarnRest)index) : NULL;
}

static const char* mass_name(int32_t index) {
    return index < HED_YARN_MASS_COUNT ? hed_yarn_mass_name((HedYarnMass)index) : NULL;
}

static void curves_defaults(void* record) {
    *(HedSceneCurves*)record = (HedSceneCurves){.scale = 1.0, .tiles = {1, 1}};
}

static void line_defaults(void* record) {
    *(HedSceneLine*)record = (HedSceneLine){.segments = 64};
}

static void yarns_defaults(void* record) {
    HedSceneYarns* yarns = record;
    *yarns = (HedSceneYarns){
        .def = hed_yarns_def_default(),
        .sliding = {.def = hed_sliding_def_default(), .net_def = hed_net_def_default()},
        .nonrigid_stitches = 4,
    };
    yarns->def.name = NULL; // until it is given, or made from its number
}

static void glue_defaults(void* record) {
    *(HedSceneGlue*)record = (HedSceneGlue){.def = hed_glue_def_default()};
    ((HedSceneGlue*)record)->def.name = NULL;
}

#define AT(entry) offsetof(HedSceneCurves, entry)

static const HedEntry CURVES_ENTRIES[] = {
    {.key = "file",
     .type = HED_ENTRY_TEXT,
     .offset = AT(file),
     .required = true,
     .doc = "A .bcc, .yarns, .pyp, .usda or .vtp file, or an .obj or .ply file with lines, seen "
            "from the "
            "file "
            "that names it."},
    {.key = "scale",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(scale),
     .rule = HED_RULE_POSITIVE,
     .doc = "Metres per unit of the file."},
    {.key = "tiles",
     .type = HED_ENTRY_POINTS,
     .offset = AT(tiles),
     .least = 1,
     .most = HED_TILES_LIMIT,
     .doc = "Cells side by side along x and y, of a file that holds one cell of a fabric (.pyp)."},
    {.key = "position",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(position),
     .dimension = {1, 0, 0},
     .doc = "Where the file's origin goes."},
    {.key = "rotation",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(rotation),
     .doc = "Turn about its origin: axis times angle, such as `[0, 90 deg, 0]`."},
    END};

static const HedTable CURVES = {.name = "curves",
                                .size = sizeof(HedSceneCurves),
                                .has_node = true,
                                .defaults = curves_defaults,
                                .entries = CURVES_ENTRIES};

#undef AT
#define AT(entry) offsetof(HedSceneLine, entry)

static const HedEntry LINE_ENTRIES[] = {
    {.key = "from",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(from),
     .dimension = {1, 0, 0},
     .doc = "Where vertex 0 stands."},
    {.key = "to",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(to),
     .dimension = {1, 0, 0},
     .required = true,
     .doc = "Where the last vertex stands."},
    {.key = "segments",
     .type = HED_ENTRY_INTEGER,
     .offset = AT(segments),
     .least = 1,
     .most = 10000000,
     .doc = "Pieces of equal length; there is one vertex more."},
    END};

static const HedTable LINE = {.name = "line",
                              .size = sizeof(HedSceneLine),
                              .has_node = true,
                              .defaults = line_defaults,
                              .entries = LINE_ENTRIES};

#undef AT
#define AT(entry) offsetof(HedSceneYarns, entry)

// Yarns come in one of several ways.
#define SHAPE "none; one of the shapes is needed"

static const HedEntry YARNS_ENTRIES[] = {
    {.key = "name",
     .type = HED_ENTRY_NAME,
     .offset = AT(def.name),
     .fallback = "`yarns0`, `yarns1`, ...",
     .doc = "For references and results."},
    {.key = "curves",
     .type = HED_ENTRY_MAPPING,
     .offset = AT(curves),
     .table = &CURVES,
     .fallback = SHAPE,
     .doc = "Centre lines from a file."},
    {.key = "line",
     .type = HED_ENTRY_MAPPING,
     .offset = AT(line),
     .table = &LINE,
     .fallback = SHAPE,
     .doc = "One straight yarn."},
    {.key = "points",
     .type = HED_ENTRY_VECTORS,
     .offset = AT(points),
     .dimension = {1, 0, 0},
     .fallback = SHAPE,
     .doc = "One yarn through these points."},
    {.key = "weave",
     .type = HED_ENTRY_MAPPING,
     .offset = AT(weave),
     .table = &hed_weave_table,
     .fallback = SHAPE,
     .doc = "The threads of a woven cloth (docs/weave.md)."},
    {.key = "knit",
     .type = HED_ENTRY_MAPPING,
     .offset = AT(knit),
     .table = &hed_knit_table,
     .fallback = SHAPE,
     .doc = "The yarns of a knitted fabric (docs/knit.md)."},
    {.key = "closed",
     .type = HED_ENTRY_BOOL,
     .offset = AT(is_closed),
     .doc = "The last of `points` joins the first."},
    {.key = "model",
     .type = HED_ENTRY_CHOICE,
     .offset = AT(def.model),
     .choice = model_name,
     .doc = "What the yarn is made of (docs/yarns.md)."},
    {.key = "sliding",
     .type = HED_ENTRY_MAPPING,
     .offset = AT(sliding),
     .table = &hed_sliding_table,
     .fallback = "as by default",
     .doc = "The material of a weave or a knit with `model: sliding` (docs/sliding.md)."},
    {.key = "rest",
     .type = HED_ENTRY_CHOICE,
     .offset = AT(def.rest),
     .choice = rest_name,
     .doc = "The shape without bending: straight, or the one it starts in."},
    {.key = "mass",
     .type = HED_ENTRY_CHOICE,
     .offset = AT(def.mass),
     .choice = mass_name,
     .doc = "Of splines in explicit steps: at control points, or along the curve."},
    {.key = "radius",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.radius),
     .dimension = {1, 0, 0},
     .rule = HED_RULE_POSITIVE,
     .doc = "Of curves that have none of their own."},
    {.key = "linear_density",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.linear_density),
     .dimension = {-1, 1, 0},
     .rule = HED_RULE_POSITIVE,
     .doc = "Mass per length, such as `30 tex`."},
    {.key = "stretch",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.stretch),
     .dimension = {1, 1, -2},
     .rule = HED_RULE_POSITIVE,
     .doc = "Force per strain (EA)."},
    {.key = "bend",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.bend),
     .dimension = {3, 1, -2},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Moment per curvature (EI)."},
    {.key = "bend_across",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.bend_across),
     .dimension = {3, 1, -2},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "The same about the other axis of a rod; 0: as `bend`."},
    {.key = "twist",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.twist),
     .dimension = {3, 1, -2},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Moment per turn per length of a rod (GJ)."},
    {.key = "inextensible",
     .type = HED_ENTRY_BOOL,
     .offset = AT(def.inextensible),
     .doc = "Explicit steps keep lengths by constraints, not by `stretch`."},
    {.key = "contact",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.contact),
     .dimension = {0, 1, -2},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Stiffness of the contact integral; 0: from `stretch` and `radius`."},
    {.key = "natural_twist",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.natural_twist),
     .dimension = {-1, 0, 0},
     .doc = "Twist per length of a rod without moment."},
    {.key = "closing_twist",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.closing_twist),
     .doc = "Twist put into closed rods before their ends were joined, such as `1 turn`."},
    {.key = "plastic",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.plastic),
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "The rest shape of a rod gives way where the turn of a vertex differs from it by more; "
            "0: never."},
    {.key = "plastic_limit",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.plastic_limit),
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Largest turn that a rest shape can take on; 0: no limit."},
    {.key = "damping",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.damping),
     .dimension = {0, 0, 1},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Of stretching: damping over stiffness."},
    {.key = "bend_damping",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.bend_damping),
     .dimension = {0, 0, 1},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "The same of bending."},
    {.key = "nonrigid_stitches",
     .type = HED_ENTRY_INTEGER,
     .offset = AT(nonrigid_stitches),
     .least = 0,
     .most = 100000,
     .doc = "Of a knit or weave: motion may be rigid over blocks of so many stitches or crossings "
            "each way (`nonrigid_rate` of `world`); 0: only along yarns."},
    {.key = "velocity",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(def.velocity),
     .dimension = {1, 0, -1},
     .doc = "Of all points at the start."},
    END};

const HedTable hed_yarns_table = {.name = "yarns",
                                  .size = sizeof(HedSceneYarns),
                                  .has_node = true,
                                  .defaults = yarns_defaults,
                                  .entries = YARNS_ENTRIES};

#undef AT
#define AT(entry) offsetof(HedSceneGlue, entry)

static const HedEntry GLUE_ENTRIES[] = {
    {.key = "name",
     .type = HED_ENTRY_NAME,
     .offset = AT(def.name),
     .fallback = "`glue0`, `glue1`, ...",
     .doc = "For messages."},
    {.key = "yarns",
     .type = HED_ENTRY_NAME,
     .offset = AT(yarns),
     .fallback = "the only ones",
     .doc = "On which the first place is: either these,"},
    {.key = "sheet",
     .type = HED_ENTRY_NAME,
     .offset = AT(sheet),
     .fallback = "none",
     .doc = "or this."},
    {.key = "vertex",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.vertex),
     .rule = HED_RULE_NOT_NEGATIVE,
     .required = true,
     .doc = "Its vertex; on rods and splines `3.5` lies between 3 and 4. Of sliding yarns a node."},
    {.key = "other",
     .type = HED_ENTRY_NAME,
     .offset = AT(other),
     .fallback = "the same as the first",
     .doc = "On which the second place is: either these,"},
    {.key = "other_sheet",
     .type = HED_ENTRY_NAME,
     .offset = AT(other_sheet),
     .fallback = "none",
     .doc = "or this."},
    {.key = "other_vertex",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.other_vertex),
     .rule = HED_RULE_NOT_NEGATIVE,
     .required = true,
     .doc = "Its vertex."},
    {.key = "distance",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.distance),
     .dimension = {1, 0, 0},
     .rule = HED_RULE_NOT_NEGATIVE,
     .infinite = "start",
     .doc = "Between the two; `start`: as they start; 0: they are one point."},
    {.key = "strength",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.strength),
     .dimension = {1, 1, -2},
     .rule = HED_RULE_POSITIVE,
     .infinite = "none",
     .doc = "Pull at which it breaks for good, in implicit steps; `none`: never."},
    END};

const HedTable hed_glue_table = {.name = "glue",
                                 .size = sizeof(HedSceneGlue),
                                 .has_node = true,
                                 .defaults = glue_defaults,
                                 .entries = GLUE_ENTRIES};
