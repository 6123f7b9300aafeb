// SPDX-License-Identifier: MIT
// Tables of the things in a scene besides sheets: bodies, pins, loads.
#include "scene/format.h"

#include <stddef.h>

#define BIT(value) (1u << (value))
#define END                                                                                        \
    { .key = NULL }

static const char* shape_name(int32_t index) {
    static const char* const NAMES[] = {
        [HED_PLANE] = "plane",     [HED_SPHERE] = "sphere",     [HED_BOX] = "box",
        [HED_CAPSULE] = "capsule", [HED_CYLINDER] = "cylinder", [HED_TORUS] = "torus",
        [HED_MESH] = "mesh"};
    return index < HED_SHAPE_COUNT ? NAMES[index] : NULL;
}

static const char* overlap_name(int32_t index) {
    static const char* const NAMES[] = {
        [HED_OVERLAP_REFUSE] = "refuse", [HED_OVERLAP_PUSH] = "push"};
    return index < HED_OVERLAP_COUNT ? NAMES[index] : NULL;
}

static const char* response_name(int32_t index) {
    return index < HED_RESPONSE_COUNT ? hed_response_name((HedResponse)index) : NULL;
}

static const char* part_name(int32_t index) {
    static const char* const NAMES[] = {[HED_PART_NONE] = "none",
                                        [HED_PART_ALL] = "all",
                                        [HED_PART_TOP] = "top",
                                        [HED_PART_BOTTOM] = "bottom",
                                        [HED_PART_LEFT] = "left",
                                        [HED_PART_RIGHT] = "right",
                                        [HED_PART_CORNERS] = "corners",
                                        [HED_PART_TOP_CORNERS] = "top-corners",
                                        [HED_PART_BOTTOM_CORNERS] = "bottom-corners",
                                        [HED_PART_TOP_LEFT] = "top-left",
                                        [HED_PART_TOP_RIGHT] = "top-right",
                                        [HED_PART_BOTTOM_LEFT] = "bottom-left",
                                        [HED_PART_BOTTOM_RIGHT] = "bottom-right",
                                        [HED_PART_START] = "start",
                                        [HED_PART_END] = "end",
                                        [HED_PART_ENDS] = "ends",
                                        NULL};
    return NAMES[index];
}

static void key_defaults(void* record) {
    *(HedSceneKey*)record = (HedSceneKey){0};
}

static void body_defaults(void* record) {
    HedSceneBody* body = record;
    *body = (HedSceneBody){.def = hed_body_def_default(), .scale = 1.0};
    body->def.name = NULL;
}

static void box_defaults(void* record) {
    *(HedSceneBox*)record = (HedSceneBox){0};
}

static void load_defaults(void* record) {
    HedSceneLoad* load = record;
    *load = (HedSceneLoad){.def = hed_load_def_default()};
    load->def.name = NULL;
}

static void pin_defaults(void* record) {
    HedScenePin* pin = record;
    *pin = (HedScenePin){.def = hed_pin_def_default()};
    pin->def.name = NULL;
}

#define AT(entry) offsetof(HedSceneKey, entry)

static const HedEntry KEY_ENTRIES[] = {
    {.key = "time",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(time),
     .dimension = {0, 0, 1},
     .rule = HED_RULE_NOT_NEGATIVE,
     .required = true,
     .doc = "Times rise from keyframe to keyframe."},
    {.key = "position",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(position),
     .dimension = {1, 0, 0},
     .fallback = "as in the keyframe before",
     .doc = "Of a body: where its origin is. Of a pin: offset from the start."},
    {.key = "rotation",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(rotation),
     .fallback = "as in the keyframe before",
     .doc = "Axis times angle; full turns count."},
    END};

static const HedTable KEY = {.name = "keyframe",
                             .size = sizeof(HedSceneKey),
                             .has_node = true,
                             .defaults = key_defaults,
                             .entries = KEY_ENTRIES};

#undef AT
#define AT(entry) offsetof(HedSceneBody, entry)

static const HedEntry BODY_ENTRIES[] = {
    {.key = "shape",
     .type = HED_ENTRY_CHOICE,
     .offset = AT(def.shape),
     .choice = shape_name,
     .required = true,
     .doc = "See below."},
    {.key = "name",
     .type = HED_ENTRY_NAME,
     .offset = AT(def.name),
     .fallback = "`body0`, `body1`, ...",
     .doc = "For results."},
    {.key = "radius",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.radius),
     .dimension = {1, 0, 0},
     .rule = HED_RULE_POSITIVE,
     .when = BIT(HED_SPHERE) | BIT(HED_CAPSULE) | BIT(HED_CYLINDER) | BIT(HED_TORUS),
     .required = true,
     .doc = "Of a sphere, capsule or cylinder; of the circle inside a torus."},
    {.key = "minor_radius",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.minor_radius),
     .dimension = {1, 0, 0},
     .rule = HED_RULE_POSITIVE,
     .when = BIT(HED_TORUS),
     .required = true,
     .doc = "Of a torus: of its tube; smaller than `radius`."},
    {.key = "half_length",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.half_length),
     .dimension = {1, 0, 0},
     .rule = HED_RULE_POSITIVE,
     .when = BIT(HED_CAPSULE) | BIT(HED_CYLINDER),
     .required = true,
     .doc = "Of a capsule (without its caps) or a cylinder, along y."},
    {.key = "half_size",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(def.half_size),
     .dimension = {1, 0, 0},
     .rule = HED_RULE_POSITIVE,
     .when = BIT(HED_BOX),
     .required = true,
     .doc = "Of a box."},
    {.key = "file",
     .type = HED_ENTRY_TEXT,
     .offset = AT(file),
     .when = BIT(HED_MESH),
     .required = true,
     .doc = "Of a mesh: a closed .obj, .ply or .vtp, which may pass through itself."},
    {.key = "scale",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(scale),
     .rule = HED_RULE_POSITIVE,
     .when = BIT(HED_MESH),
     .doc = "Of a mesh: metres per unit of the file."},
    {.key = "position",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(position),
     .dimension = {1, 0, 0},
     .doc = "Where it stands (without `keyframes`)."},
    {.key = "rotation",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(rotation),
     .doc = "How it is turned (without `keyframes`): axis times angle."},
    {.key = "keyframes",
     .type = HED_ENTRY_LIST,
     .offset = AT(keyframes),
     .table = &KEY,
     .fallback = "none",
     .doc = "How it moves."},
    {.key = "friction",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.friction),
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Coulomb coefficient."},
    {.key = "overlap",
     .type = HED_ENTRY_CHOICE,
     .offset = AT(def.overlap),
     .choice = overlap_name,
     .doc = "If a sheet overlaps it at the start: an error (unless it is sewn), or pushed out "
            "gently."},
    {.key = "push_speed",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.push_speed),
     .dimension = {1, 0, -1},
     .rule = HED_RULE_POSITIVE,
     .doc = "Highest speed of `overlap: push`."},
    {.key = "response",
     .type = HED_ENTRY_CHOICE,
     .offset = AT(def.response),
     .choice = response_name,
     .doc = "Of explicit steps: cloth is moved out, or a force pushes it. Implicit steps push."},
    {.key = "stiffness",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.stiffness),
     .dimension = {-2, 1, -2},
     .rule = HED_RULE_POSITIVE,
     .doc = "Of that force: pressure per depth."},
    {.key = "damping",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.damping),
     .dimension = {0, 0, 1},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Of that force, over stiffness."},
    END};

const HedTable hed_body_table = {.name = "body",
                                 .size = sizeof(HedSceneBody),
                                 .has_node = true,
                                 .defaults = body_defaults,
                                 .entries = BODY_ENTRIES,
                                 .selector = "shape"};

#undef AT
#define AT(entry) offsetof(HedSceneBox, entry)

static const HedEntry BOX_ENTRIES[] = {{.key = "min",
                                        .type = HED_ENTRY_VECTOR,
                                        .offset = AT(least),
                                        .dimension = {1, 0, 0},
                                        .required = true,
                                        .doc = "Lowest corner."},
                                       {.key = "max",
                                        .type = HED_ENTRY_VECTOR,
                                        .offset = AT(most),
                                        .dimension = {1, 0, 0},
                                        .required = true,
                                        .doc = "Highest corner."},
                                       END};

static const HedTable BOX = {.name = "box",
                             .size = sizeof(HedSceneBox),
                             .has_node = true,
                             .defaults = box_defaults,
                             .entries = BOX_ENTRIES};

// The keys by which a pin or a load chooses vertices; its record has a HedSceneChoice `choice`.
#define CHOICE_ENTRIES(whose_doc, where_doc)                                                       \
    {.key = "sheet",                                                                               \
     .type = HED_ENTRY_NAME,                                                                       \
     .offset = AT(choice.sheet),                                                                   \
     .fallback = "the only one",                                                                   \
     .doc = (whose_doc)},                                                                          \
        {.key = "yarns",                                                                           \
         .type = HED_ENTRY_NAME,                                                                   \
         .offset = AT(choice.yarns),                                                               \
         .fallback = "the only ones",                                                              \
         .doc = "or those of yarns."},                                                             \
        {.key = "vertices",                                                                        \
         .type = HED_ENTRY_INDICES,                                                                \
         .offset = AT(choice.vertices),                                                            \
         .doc = "Vertices by index, from 0."},                                                     \
        {.key = "where",                                                                           \
         .type = HED_ENTRY_CHOICE,                                                                 \
         .offset = AT(choice.where),                                                               \
         .choice = part_name,                                                                      \
         .doc = (where_doc)},                                                                      \
    {                                                                                              \
        .key = "box", .type = HED_ENTRY_MAPPING, .offset = AT(choice.box), .table = &BOX,          \
        .fallback = "none", .doc = "Vertices that start inside a box."                             \
    }

#undef AT
#define AT(entry) offsetof(HedScenePin, entry)

static const HedEntry PIN_ENTRIES[] = {
    {.key = "name",
     .type = HED_ENTRY_NAME,
     .offset = AT(def.name),
     .fallback = "`pin0`, `pin1`, ...",
     .doc = "For references and results."},
    CHOICE_ENTRIES("Whose vertices are held: a sheet's",
                   "Vertices by place: a part of a grid or of a woven cloth that slides, `start`, "
                   "`end` or `ends` of every yarn, or `all`."),
    {.key = "clamp",
     .type = HED_ENTRY_BOOL,
     .offset = AT(def.clamps),
     .doc =
         "Held ends of yarns keep their direction too (rods: and twist), as in a wall that stands "
         "there; sliding yarns do not run through what is held."},
    {.key = "every",
     .type = HED_ENTRY_INTEGER,
     .offset = AT(def.every),
     .least = 1,
     .most = 1000000,
     .doc = "Only each so many-th of the vertices is held, from the first on;"},
    {.key = "soft_stiffness",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.soft_stiffness),
     .dimension = {0, 1, -2},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "springs of this stiffness hold those between."},
    {.key = "keyframes",
     .type = HED_ENTRY_LIST,
     .offset = AT(keyframes),
     .table = &KEY,
     .fallback = "none",
     .doc = "How the held vertices move together."},
    {.key = "pivot",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(def.pivot),
     .dimension = {1, 0, 0},
     .fallback = "middle of the held vertices",
     .doc = "Turns of keyframes are about this point."},
    {.key = "release",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.release_time),
     .dimension = {0, 0, 1},
     .rule = HED_RULE_NOT_NEGATIVE,
     .infinite = "never",
     .doc = "When it lets go."},
    END};

const HedTable hed_pin_table = {.name = "pin",
                                .size = sizeof(HedScenePin),
                                .has_node = true,
                                .defaults = pin_defaults,
                                .entries = PIN_ENTRIES};

#undef AT
#define AT(entry) offsetof(HedSceneLoad, entry)

static const HedEntry LOAD_ENTRIES[] = {
    {.key = "name",
     .type = HED_ENTRY_NAME,
     .offset = AT(def.name),
     .fallback = "`load0`, `load1`, ...",
     .doc = "For messages."},
    CHOICE_ENTRIES("Whose vertices are pulled: a sheet's", "Vertices by place, as of pins."),
    {.key = "force",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(def.force),
     .dimension = {1, 1, -2},
     .required = true,
     .doc = "On each of them; it never changes."},
    END};

const HedTable hed_load_table = {.name = "load",
                                 .size = sizeof(HedSceneLoad),
                                 .has_node = true,
                                 .defaults = load_defaults,
                                 .entries = LOAD_ENTRIES};
