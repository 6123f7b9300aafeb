// SPDX-License-Identifier: MIT
#include "scene/format.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define BIT(value) (1u << (value))
#define END                                                                                        \
    { .key = NULL }

static const char* integrator_name(int32_t index) {
    return index < HED_INTEGRATOR_COUNT ? hed_integrator_name((HedIntegrator)index) : NULL;
}

static const char* preconditioner_name(int32_t index) {
    return index < HED_PRECONDITION_COUNT ? hed_preconditioner_name((HedPreconditionerKind)index)
                                          : NULL;
}

static const char* constraint_name(int32_t index) {
    return index < HED_CONSTRAIN_COUNT ? hed_constraint_name((HedConstraintKind)index) : NULL;
}

static const char* measure_name(int32_t index) {
    return index < HED_MEASURE_COUNT ? hed_measure_name((HedMeasureKind)index) : NULL;
}

static const char* quantity_name(int32_t index) {
    return index < HED_QUANTITY_COUNT ? hed_quantity_name((HedQuantity)index) : NULL;
}

static void scene_defaults(void* record) {
    HedSceneData* scene = record;
    *scene = (HedSceneData){
        .version = HED_FORMAT_VERSION,
        .duration = 1.0,
        .output = {.frame_interval = 1.0 / 30.0, .quantities = BIT(HED_QUANTITY_COUNT) - 1},
        .sim = hed_sim_def_default(),
    };
}

static void wind_defaults(void* record) {
    *(HedSceneWind*)record = (HedSceneWind){.def = hed_wind_def_default()};
}

static void start_defaults(void* record) {
    *(HedSceneStart*)record = (HedSceneStart){.frame = HUGE_VAL, .time = HUGE_VAL};
}

static const char* velocities_name(int32_t index) {
    static const char* const NAMES[] = {"keep", "zero"};
    return index < 2 ? NAMES[index] : NULL;
}

static void measure_defaults(void* record) {
    *(HedSceneMeasure*)record = (HedSceneMeasure){0};
}

static void file_defaults(void* record) {
    *(HedSceneFile*)record = (HedSceneFile){0};
}

#define AT(entry) offsetof(HedSimDef, entry)

static const HedEntry WORLD_ENTRIES[] = {
    {.key = "gravity",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(gravity),
     .dimension = {1, 0, -2},
     .doc = "Acceleration of free fall."},
    {.key = "drag",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(drag),
     .dimension = {0, 0, -1},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Slows every point: force = -drag * mass * velocity."},
    {.key = "self_collision",
     .type = HED_ENTRY_BOOL,
     .offset = AT(self_collision),
     .doc = "Sheets and sliding yarns keep apart from themselves, each other and rods "
            "(docs/self-collision.md)."},
    {.key = "self_friction",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(self_friction),
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Coulomb coefficient of sheets on each other."},
    {.key = "yarn_contact",
     .type = HED_ENTRY_BOOL,
     .offset = AT(yarn_contact),
     .doc = "Yarns keep apart from themselves and each other (docs/yarns.md)."},
    {.key = "yarn_friction",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(yarn_friction),
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Coulomb coefficient of yarns on each other."},
    {.key = "yarn_damping",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(yarn_damping),
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Damping of contacts between yarns, as a part of critical damping."},
    {.key = "yarn_quadrature",
     .type = HED_ENTRY_INTEGER,
     .offset = AT(yarn_quadrature),
     .least = 3,
     .most = 31,
     .doc = "Points at which a segment looks for contact; odd."},
    {.key = "spline_quadrature",
     .type = HED_ENTRY_INTEGER,
     .offset = AT(spline_quadrature),
     .least = 3,
     .most = 101,
     .doc = "Points at which a segment of a spline feels bending and stretching; odd."},
    {.key = "nonrigid_rate",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(nonrigid_rate),
     .dimension = {0, 0, -1},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "How fast motion of yarns that is not rigid fades in explicit steps."},
    {.key = "nonrigid_slowing",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(nonrigid_slowing),
     .dimension = {1, 0, -2},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "The same for slow motion, which comes to rest."},
    {.key = "nonrigid_size",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(nonrigid_size),
     .dimension = {1, 0, 0},
     .rule = HED_RULE_POSITIVE,
     .doc = "Length of yarn over which motion may be rigid, where there are no blocks of "
            "`nonrigid_stitches`."},
    {.key = "nonrigid_pair_rate",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(nonrigid_pair_rate),
     .dimension = {0, 0, -1},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "As `nonrigid_rate`, before it, of two loops of a knit that go through each other, or "
            "of two threads at a crossing."},
    END};

static const HedTable WORLD = {
    .name = "world", .size = sizeof(HedSimDef), .entries = WORLD_ENTRIES};

static const HedEntry STEP_ENTRIES[] = {
    {.key = "integrator",
     .type = HED_ENTRY_CHOICE,
     .offset = AT(integrator),
     .choice = integrator_name,
     .doc = "How time goes on."},
    {.key = "size",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(time_step),
     .dimension = {0, 0, 1},
     .rule = HED_RULE_POSITIVE,
     .doc = "Length of a time step."},
    {.key = "newton_tolerance",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(newton_tolerance),
     .dimension = {1, 0, -1},
     .rule = HED_RULE_POSITIVE,
     .doc = "An implicit step is solved when no velocity is corrected by more."},
    {.key = "newton_iterations",
     .type = HED_ENTRY_INTEGER,
     .offset = AT(newton_iterations),
     .least = 1,
     .most = 10000,
     .doc = "Most Newton iterations before the step is halved; 1: each step is one "
            "linear solve, taken as it is."},
    {.key = "force_tolerance",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(force_tolerance),
     .dimension = {1, 1, -2},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Largest unbalanced force that counts as rest (`quasi-static`); 0: a thousandth of a "
            "point's weight."},
    {.key = "newmark_beta",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(newmark_beta),
     .least = 0.01,
     .most = 1,
     .doc = "Of `newmark`: 1/4 is the mean acceleration."},
    {.key = "newmark_gamma",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(newmark_gamma),
     .least = 0.5,
     .most = 1,
     .doc = "Of `newmark`: above 1/2 it damps fast motion, and is of first order only."},
    {.key = "preconditioner",
     .type = HED_ENTRY_CHOICE,
     .offset = AT(preconditioner),
     .choice = preconditioner_name,
     .doc = "What helps the linear solves of implicit steps."},
    {.key = "constraints",
     .type = HED_ENTRY_CHOICE,
     .offset = AT(constraints),
     .choice = constraint_name,
     .doc = "How held points leave the linear solves."},
    {.key = "linear_tolerance",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(linear_tolerance),
     .least = 1e-15,
     .most = 0.9,
     .doc = "Relative residual of each linear solve."},
    {.key = "linear_iterations",
     .type = HED_ENTRY_INTEGER,
     .offset = AT(linear_iterations),
     .least = 1,
     .most = 10000000,
     .doc = "Most conjugate-gradient iterations of a linear solve."},
    {.key = "pbd_iterations",
     .type = HED_ENTRY_INTEGER,
     .offset = AT(pbd_iterations),
     .least = 1,
     .most = 100000,
     .doc = "Passes over all constraints per step (`pbd`, `xpbd`)."},
    {.key = "least_step",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(least_step),
     .least = 1e-9,
     .most = 1,
     .doc = "Fraction of `size` below which a halved step is given up."},
    END};

static const HedTable STEP = {.name = "step", .size = sizeof(HedSimDef), .entries = STEP_ENTRIES};

#undef AT
#define AT(entry) offsetof(HedSceneWind, entry)

static const HedEntry WIND_ENTRIES[] = {
    {.key = "velocity",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(def.velocity),
     .dimension = {1, 0, -1},
     .doc = "Mean velocity of the air."},
    {.key = "density",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.density),
     .dimension = {-3, 1, 0},
     .rule = HED_RULE_POSITIVE,
     .doc = "Of the air."},
    {.key = "normal_drag",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.normal_drag),
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Drag coefficient of a surface that faces the flow."},
    {.key = "tangent_drag",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.tangent_drag),
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Friction coefficient of flow along the surface."},
    {.key = "gust",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.gust),
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Standard deviation of the speed over the mean."},
    {.key = "gust_length",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.gust_length),
     .dimension = {1, 0, 0},
     .rule = HED_RULE_POSITIVE,
     .doc = "Size of the largest gusts."},
    END};

static const HedTable WIND = {.name = "wind",
                              .size = sizeof(HedSceneWind),
                              .has_node = true,
                              .defaults = wind_defaults,
                              .entries = WIND_ENTRIES};

#undef AT
#define AT(entry) offsetof(HedSceneStart, entry)

static const HedEntry START_ENTRIES[] = {
    {.key = "run",
     .type = HED_ENTRY_TEXT,
     .offset = AT(run),
     .required = true,
     .doc = "A run directory, seen from the file that names it."},
    {.key = "frame",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(frame),
     .rule = HED_RULE_NOT_NEGATIVE,
     .infinite = "last",
     .doc = "Which of its frames, counted from 0."},
    {.key = "time",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(time),
     .dimension = {0, 0, 1},
     .rule = HED_RULE_NOT_NEGATIVE,
     .hidden = true,
     .fallback = "none",
     .doc = "Instead of `frame`: the one nearest to this time of the run."},
    {.key = "velocities",
     .type = HED_ENTRY_CHOICE,
     .offset = AT(velocities),
     .choice = velocities_name,
     .fallback = "keep where the run has them, else zero",
     .doc = "Whether motion goes on."},
    END};

static const HedTable START = {.name = "start",
                               .size = sizeof(HedSceneStart),
                               .has_node = true,
                               .defaults = start_defaults,
                               .entries = START_ENTRIES};

#undef AT
#define AT(entry) offsetof(HedSceneMeasure, entry)
#define VERTEX (BIT(HED_MEASURE_POSITION) | BIT(HED_MEASURE_SPEED))
#define AT_PIN (BIT(HED_MEASURE_REACTION) | BIT(HED_MEASURE_GAUGE))

static const HedEntry MEASURE_ENTRIES[] = {{.key = "kind",
                                            .type = HED_ENTRY_CHOICE,
                                            .offset = AT(def.kind),
                                            .choice = measure_name,
                                            .required = true,
                                            .doc = "See below."},
                                           {.key = "name",
                                            .type = HED_ENTRY_NAME,
                                            .offset = AT(name),
                                            .fallback = "`measure0`, `measure1`, ...",
                                            .doc = "Name of the column."},
                                           {.key = "sheet",
                                            .type = HED_ENTRY_NAME,
                                            .offset = AT(sheet),
                                            .when = ~AT_PIN,
                                            .fallback = "the only one",
                                            .doc = "What is measured (all kinds but `reaction` and "
                                                   "`gauge`): a sheet"},
                                           {.key = "yarns",
                                            .type = HED_ENTRY_NAME,
                                            .offset = AT(yarns),
                                            .when = ~AT_PIN,
                                            .fallback = "the only ones",
                                            .doc = "or yarns."},
                                           {.key = "pin",
                                            .type = HED_ENTRY_NAME,
                                            .offset = AT(pin),
                                            .when = AT_PIN,
                                            .fallback = "the only pin",
                                            .doc = "Of `reaction`; of `gauge` the one that pulls."},
                                           {.key = "from",
                                            .type = HED_ENTRY_NAME,
                                            .offset = AT(from),
                                            .when = BIT(HED_MEASURE_GAUGE),
                                            .fallback = "the only other pin",
                                            .doc = "Of `gauge`: the pin that it pulls away from."},
                                           {.key = "axis",
                                            .type = HED_ENTRY_VECTOR,
                                            .offset = AT(def.axis),
                                            .when = BIT(HED_MEASURE_GAUGE),
                                            .fallback = "from pin to pin",
                                            .doc = "Of `gauge`: direction of the pull, of any "
                                                   "length and either way round."},
                                           {.key = "vertex",
                                            .type = HED_ENTRY_INTEGER,
                                            .offset = AT(def.a),
                                            .rule = HED_RULE_NOT_NEGATIVE,
                                            .when = VERTEX,
                                            .required = true,
                                            .doc = "Of `position` and `speed`."},
                                           {.key = "a",
                                            .type = HED_ENTRY_INTEGER,
                                            .offset = AT(def.a),
                                            .rule = HED_RULE_NOT_NEGATIVE,
                                            .when = BIT(HED_MEASURE_DISTANCE),
                                            .required = true,
                                            .doc = "First vertex of `distance`."},
                                           {.key = "b",
                                            .type = HED_ENTRY_INTEGER,
                                            .offset = AT(def.b),
                                            .rule = HED_RULE_NOT_NEGATIVE,
                                            .when = BIT(HED_MEASURE_DISTANCE),
                                            .required = true,
                                            .doc = "Second vertex of `distance`."},
                                           END};

static const HedTable MEASURE = {.name = "measure",
                                 .size = sizeof(HedSceneMeasure),
                                 .has_node = true,
                                 .defaults = measure_defaults,
                                 .entries = MEASURE_ENTRIES,
                                 .selector = "kind"};

#undef AT
#define AT(entry) offsetof(HedSceneFile, entry)

static const HedEntry FILE_ENTRIES[] = {
    {.key = "path",
     .type = HED_ENTRY_TEXT,
     .offset = AT(path),
     .required = true,
     .doc = "Seen from `directory`."},
    {.key = "hash",
     .type = HED_ENTRY_TEXT,
     .offset = AT(hash),
     .required = true,
     .doc = "Of its content, 16 hexadecimal digits; another content is an error."},
    END};

static const HedTable FILES = {.name = "file",
                               .size = sizeof(HedSceneFile),
                               .has_node = true,
                               .defaults = file_defaults,
                               .entries = FILE_ENTRIES};

#undef AT
#define AT(entry) offsetof(HedSceneOutput, entry)

static const HedEntry OUTPUT_ENTRIES[] = {
    {.key = "frame_interval",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(frame_interval),
     .dimension = {0, 0, 1},
     .rule = HED_RULE_POSITIVE,
     .fallback = "1/30, or what fits between `step.size` and `duration`",
     .doc = "Simulated time between two frames, rounded to whole steps."},
    {.key = "quantities",
     .type = HED_ENTRY_CHOICES,
     .offset = AT(quantities),
     .choice = quantity_name,
     .fallback = "all",
     .doc = "What frames hold for each vertex besides its position."},
    END};

static const HedTable OUTPUT = {
    .name = "output", .size = sizeof(HedSceneOutput), .entries = OUTPUT_ENTRIES};

#undef AT
#define AT(entry) offsetof(HedSceneData, entry)

static const HedEntry SCENE_ENTRIES[] = {
    {.key = "heddle",
     .type = HED_ENTRY_INTEGER,
     .offset = AT(version),
     .required = true,
     .doc = "Version of this format: 1."},
    {.key = "name",
     .type = HED_ENTRY_TEXT,
     .offset = AT(name),
     .fallback = "name of the file",
     .doc = "What the scene is called."},
    {.key = "include",
     .type = HED_ENTRY_WORDS,
     .offset = AT(include),
     .hidden = true,
     .doc = "Scene files to start from; see below."},
    {.key = "duration",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(duration),
     .dimension = {0, 0, 1},
     .rule = HED_RULE_POSITIVE,
     .doc = "Simulated time."},
    {.key = "threads",
     .type = HED_ENTRY_INTEGER,
     .offset = AT(sim.thread_count),
     .least = 0,
     .most = 1024,
     .doc = "0 uses one per core. Results do not depend on it."},
    {.key = "seed",
     .type = HED_ENTRY_SEED,
     .offset = AT(sim.seed),
     .doc = "Start of the random numbers of gusts."},
    {.key = "world",
     .type = HED_ENTRY_MAPPING,
     .offset = AT(sim),
     .table = &WORLD,
     .doc = "Gravity and drag."},
    {.key = "step",
     .type = HED_ENTRY_MAPPING,
     .offset = AT(sim),
     .table = &STEP,
     .doc = "How time goes on."},
    {.key = "output",
     .type = HED_ENTRY_MAPPING,
     .offset = AT(output),
     .table = &OUTPUT,
     .doc = "What is written."},
    {.key = "sheets",
     .type = HED_ENTRY_LIST,
     .offset = AT(sheets),
     .most = HED_OBJECT_LIMIT,
     .table = &hed_sheet_table,
     .fallback = "none",
     .doc = "The cloth: sheets"},
    {.key = "yarns",
     .type = HED_ENTRY_LIST,
     .offset = AT(yarns),
     .most = HED_OBJECT_LIMIT,
     .table = &hed_yarns_table,
     .fallback = "none",
     .doc = "and yarns. There must be one of either."},
    {.key = "bodies",
     .type = HED_ENTRY_LIST,
     .offset = AT(bodies),
     .most = HED_OBJECT_LIMIT,
     .table = &hed_body_table,
     .fallback = "none",
     .doc = "Solids that move on their own."},
    {.key = "pins",
     .type = HED_ENTRY_LIST,
     .offset = AT(pins),
     .most = HED_OBJECT_LIMIT,
     .table = &hed_pin_table,
     .fallback = "none",
     .doc = "Vertices that are held."},
    {.key = "loads",
     .type = HED_ENTRY_LIST,
     .offset = AT(loads),
     .most = HED_OBJECT_LIMIT,
     .table = &hed_load_table,
     .fallback = "none",
     .doc = "Forces on vertices."},
    {.key = "glue",
     .type = HED_ENTRY_LIST,
     .offset = AT(glue),
     .most = HED_OBJECT_LIMIT,
     .table = &hed_glue_table,
     .fallback = "none",
     .doc = "Places of yarns that stay together."},
    {.key = "wind",
     .type = HED_ENTRY_MAPPING,
     .offset = AT(wind),
     .table = &WIND,
     .fallback = "none",
     .doc = "Air that moves past the sheets."},
    {.key = "start",
     .type = HED_ENTRY_MAPPING,
     .offset = AT(start),
     .table = &START,
     .fallback = "none",
     .doc = "A run to go on from."},
    {.key = "measure",
     .type = HED_ENTRY_LIST,
     .offset = AT(measures),
     .most = HED_OBJECT_LIMIT,
     .table = &MEASURE,
     .fallback = "none",
     .doc = "Columns of measure.csv."},
    {.key = "directory",
     .type = HED_ENTRY_TEXT,
     .offset = AT(directory),
     .fallback = "that of the scene file",
     .doc = "Where paths of files begin. Written into resolved scenes."},
    {.key = "files",
     .type = HED_ENTRY_LIST,
     .offset = AT(files),
     .most = HED_OBJECT_LIMIT,
     .table = &FILES,
     .fallback = "none",
     .doc = "Files the scene was read from, with hashes. Written into resolved scenes."},
    END};

const HedTable hed_scene_table = {.name = "scene",
                                  .size = sizeof(HedSceneData),
                                  .has_node = true,
                                  .defaults = scene_defaults,
                                  .entries = SCENE_ENTRIES};

static const HedEntry INCLUDE_ENTRIES[] = {
    {.key = "include", .type = HED_ENTRY_WORDS, .offset = 0, .doc = "See the scene's table."}, END};

const HedTable hed_include_table = {
    .name = "include", .size = sizeof(HedList), .entries = INCLUDE_ENTRIES};

const HedTable* hed_scene_find_table(const char* path) {
    const HedTable* table = &hed_scene_table;
    while (table && *path) {
        size_t size = strcspn(path, ".");
        const HedEntry* f = table->entries;
        while (f->key && (strlen(f->key) != size || strncmp(f->key, path, size) != 0)) {
            ++f;
        }
        table = f->key ? f->table : NULL;
        path += size + (path[size] == '.');
    }
    return table;
}
