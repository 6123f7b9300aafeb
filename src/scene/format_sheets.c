// SPDX-License-Identifier: MIT
// Tables of the sheets in a scene: what they are made of and where they start.
#include "scene/format.h"

#include <stddef.h>

#define END                                                                                        \
    { .key = NULL }

static const char* model_name(int32_t index) {
    static const char* const NAMES[] = {
        [HED_SHEET_SPRINGS] = "springs", [HED_SHEET_MEMBRANE] = "membrane"};
    return index < HED_SHEET_MODEL_COUNT ? NAMES[index] : NULL;
}

static const char* bending_name(int32_t index) {
    static const char* const NAMES[] = {[HED_BENDING_NONE] = "none",
                                        [HED_BENDING_SPRINGS] = "springs",
                                        [HED_BENDING_CURVATURE] = "curvature",
                                        [HED_BENDING_HINGES] = "hinges",
                                        [HED_BENDING_FLAT] = "flat"};
    return index < HED_BENDING_COUNT ? NAMES[index] : NULL;
}

static const char* damping_name(int32_t index) {
    static const char* const NAMES[] = {[HED_DAMPING_POTENTIAL] = "potential",
                                        [HED_DAMPING_RAYLEIGH] = "rayleigh",
                                        [HED_DAMPING_RAYLEIGH_POSITIVE] = "rayleigh-positive"};
    return index < HED_DAMPING_MODEL_COUNT ? NAMES[index] : NULL;
}

static const char* style_name(int32_t index) {
    static const char* const NAMES[] = {[HED_GRID_QUADS] = "quads",
                                        [HED_GRID_DIAGONAL] = "diagonal",
                                        [HED_GRID_ALTERNATE] = "alternate",
                                        [HED_GRID_EQUILATERAL] = "equilateral",
                                        NULL};
    return NAMES[index];
}

static const char* uv_name(int32_t index) {
    static const char* const NAMES[] = {
        [HED_UV_NONE] = "none", [HED_UV_DIRECTIONS] = "directions", [HED_UV_SHAPE] = "shape"};
    return index < HED_UV_COUNT ? NAMES[index] : NULL;
}

static void grid_defaults(void* record) {
    *(HedSceneGrid*)record = (HedSceneGrid){.across = {1.0, 0.0, 0.0}, .down = {0.0, 0.0, 1.0}};
}

static void mesh_defaults(void* record) {
    *(HedSceneMesh*)record = (HedSceneMesh){.scale = 1.0, .warp = {1.0, 0.0, 0.0}, .uv_scale = 1.0};
}

static void garment_defaults(void* record) {
    *(HedSceneGarment*)record = (HedSceneGarment){.size = 0.02, .sewing_time = 0.5};
}

static void sheet_defaults(void* record) {
    HedSceneSheet* sheet = record;
    *sheet = (HedSceneSheet){.def = hed_sheet_def_default(), .stretch_start = {1.0, 1.0}};
    sheet->def.name = NULL; // until it is given, or made from its number
}

#define AT(entry) offsetof(HedSceneGrid, entry)

static const HedEntry GRID_ENTRIES[] = {
    {.key = "size",
     .type = HED_ENTRY_PAIR,
     .offset = AT(size),
     .dimension = {1, 0, 0},
     .rule = HED_RULE_POSITIVE,
     .required = true,
     .doc = "Width (across) and height (down)."},
    {.key = "points",
     .type = HED_ENTRY_POINTS,
     .offset = AT(points),
     .least = 2,
     .most = HED_GRID_LIMIT,
     .required = true,
     .doc = "Columns and rows of vertices. Vertex `row * columns + column` (see `equilateral`)."},
    {.key = "origin",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(origin),
     .dimension = {1, 0, 0},
     .fallback = "centred on the world's origin",
     .doc = "Where vertex 0 stands, the top left corner."},
    {.key = "across",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(across),
     .doc = "Direction of rows, from left to right. Any length but zero."},
    {.key = "down",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(down),
     .doc = "Direction of columns, from top to bottom; at a right angle to `across`."},
    {.key = "triangles",
     .type = HED_ENTRY_CHOICE,
     .offset = AT(style),
     .choice = style_name,
     .doc = "How the grid is cut; see below."},
    END};

static const HedTable GRID = {.name = "grid",
                              .size = sizeof(HedSceneGrid),
                              .has_node = true,
                              .defaults = grid_defaults,
                              .entries = GRID_ENTRIES};

#undef AT
#define AT(entry) offsetof(HedSceneMesh, entry)

static const HedEntry MESH_ENTRIES[] = {
    {.key = "file",
     .type = HED_ENTRY_TEXT,
     .offset = AT(file),
     .required = true,
     .doc = "An .obj, .ply or .vtp file, seen from the file that names it."},
    {.key = "rest",
     .type = HED_ENTRY_TEXT,
     .offset = AT(rest),
     .fallback = "as it starts",
     .doc = "A mesh with the same triangles, in the shape at rest."},
    {.key = "scale",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(scale),
     .rule = HED_RULE_POSITIVE,
     .doc = "Metres per unit of the files."},
    {.key = "position",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(position),
     .dimension = {1, 0, 0},
     .doc = "Where the mesh's origin goes."},
    {.key = "rotation",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(rotation),
     .doc = "Turn about its origin: axis times angle, such as `[0, 90 deg, 0]`."},
    {.key = "warp",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(warp),
     .doc = "Direction of warp in the file at rest, laid into each triangle (`model: membrane`)."},
    {.key = "uv",
     .type = HED_ENTRY_CHOICE,
     .offset = AT(uv),
     .choice = uv_name,
     .doc = "What the file's texture coordinates say about the material; see below."},
    {.key = "uv_scale",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(uv_scale),
     .dimension = {1, 0, 0},
     .rule = HED_RULE_POSITIVE,
     .doc = "Length of a unit of texture coordinates, for `uv: shape`."},
    {.key = "weld",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(weld),
     .dimension = {1, 0, 0},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Vertices this near to each other become one; 0: vertices at one place are an error."},
    {.key = "mixed_fronts",
     .type = HED_ENTRY_BOOL,
     .offset = AT(mixed_fronts),
     .doc = "Neighbouring triangles may face opposite ways."},
    END};

static const HedTable MESH = {.name = "mesh",
                              .size = sizeof(HedSceneMesh),
                              .has_node = true,
                              .defaults = mesh_defaults,
                              .entries = MESH_ENTRIES};

#undef AT
#define AT(entry) offsetof(HedSceneGarment, entry)

static const HedEntry GARMENT_ENTRIES[] = {
    {.key = "file",
     .type = HED_ENTRY_TEXT,
     .offset = AT(file),
     .required = true,
     .doc = "A sewing pattern (docs/garments.md), seen from the file that names it."},
    {.key = "size",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(size),
     .dimension = {1, 0, 0},
     .rule = HED_RULE_POSITIVE,
     .doc = "Length that sides of triangles should have."},
    {.key = "position",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(position),
     .dimension = {1, 0, 0},
     .doc = "Where the pattern's origin goes."},
    {.key = "rotation",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(rotation),
     .doc = "Turn about its origin: axis times angle."},
    {.key = "sewing_time",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(sewing_time),
     .dimension = {0, 0, 1},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "How long seams take to close; until then nothing falls. 0: sewn at once."},
    END};

static const HedTable GARMENT = {.name = "garment",
                                 .size = sizeof(HedSceneGarment),
                                 .has_node = true,
                                 .defaults = garment_defaults,
                                 .entries = GARMENT_ENTRIES};

#undef AT
#define AT(entry) offsetof(HedSceneSheet, entry)

static const HedEntry SHEET_ENTRIES[] = {
    {.key = "name",
     .type = HED_ENTRY_NAME,
     .offset = AT(def.name),
     .fallback = "`sheet0`, `sheet1`, ...",
     .doc = "For references and results."},
    {.key = "grid",
     .type = HED_ENTRY_MAPPING,
     .offset = AT(grid),
     .table = &GRID,
     .fallback = "this, `mesh` or `garment`",
     .doc = "A rectangle."},
    {.key = "mesh",
     .type = HED_ENTRY_MAPPING,
     .offset = AT(mesh),
     .table = &MESH,
     .fallback = "this, `grid` or `garment`",
     .doc = "Any triangle mesh."},
    {.key = "garment",
     .type = HED_ENTRY_MAPPING,
     .offset = AT(garment),
     .table = &GARMENT,
     .fallback = "this, `grid` or `mesh`",
     .doc = "Panels sewn together."},
    {.key = "model",
     .type = HED_ENTRY_CHOICE,
     .offset = AT(def.model),
     .choice = model_name,
     .fallback = "springs; membrane for garments",
     .doc = "What resists stretching: springs, or triangles as a continuum (docs/sheets.md)."},
    {.key = "density",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.density),
     .dimension = {-2, 1, 0},
     .rule = HED_RULE_POSITIVE,
     .doc = "Mass per area at rest."},
    {.key = "stretch",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.stretch),
     .dimension = {0, 1, -2},
     .rule = HED_RULE_POSITIVE,
     .doc = "Tensile stiffness: force per width per strain; of membranes, along warp."},
    {.key = "weft",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.weft),
     .dimension = {0, 1, -2},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Tensile stiffness of a membrane along weft; 0: as along warp."},
    {.key = "poisson",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.poisson),
     .least = -0.99,
     .most = 0.5,
     .doc = "Contraction of a membrane along weft over its extension along warp."},
    {.key = "shear",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.shear),
     .dimension = {0, 1, -2},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Stiffness against shearing; 0 for none."},
    {.key = "bending",
     .type = HED_ENTRY_CHOICE,
     .offset = AT(def.bending),
     .choice = bending_name,
     .fallback = "curvature; hinges for garments",
     .doc = "Which resistance to bending."},
    {.key = "bend_stretch",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.bend_stretch),
     .dimension = {0, 1, -2},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Stiffness of the springs of `bending: springs`."},
    {.key = "bend_rigidity",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.bend_rigidity),
     .dimension = {2, 1, -2},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Moment per width per curvature of `curvature`, `hinges` and `flat`. "
            "Kawabata's B in `gf*cm^2/cm`."},
    {.key = "damping",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.damping),
     .dimension = {0, 0, 1},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Damping of every spring, triangle and hinge over its stiffness."},
    {.key = "bend_damping",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.bend_damping),
     .dimension = {0, 0, 1},
     .rule = HED_RULE_NOT_NEGATIVE,
     .infinite = "same",
     .doc = "The same for `curvature`, `hinges` and `flat`; `same`: as `damping`."},
    {.key = "damping_model",
     .type = HED_ENTRY_CHOICE,
     .offset = AT(def.damping_model),
     .choice = damping_name,
     .doc = "Of the rate of strain, or Rayleigh's for comparison (docs/damping.md)."},
    {.key = "dilation_damping",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.dilation_damping),
     .dimension = {0, 1, -1},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Further damping of a membrane's change of area (lambda_d)."},
    {.key = "shear_damping",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.shear_damping),
     .dimension = {0, 1, -1},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Further damping of all strains of a membrane (mu_d)."},
    {.key = "thickness",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.thickness),
     .dimension = {1, 0, 0},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Contact keeps half of it between the sheet and a body."},
    {.key = "velocity",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(def.velocity),
     .dimension = {1, 0, -1},
     .doc = "Of all points at the start."},
    {.key = "stretch_start",
     .type = HED_ENTRY_PAIR,
     .offset = AT(stretch_start),
     .least = 0.01,
     .most = 100,
     .doc = "Start lengths over rest lengths, across and down, about the middle (grids)."},
    END};

const HedTable hed_sheet_table = {.name = "sheet",
                                  .size = sizeof(HedSceneSheet),
                                  .has_node = true,
                                  .defaults = sheet_defaults,
                                  .entries = SHEET_ENTRIES};
