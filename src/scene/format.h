// SPDX-License-Identifier: MIT
// What a scene file holds: one record per mapping, one table per record.
#ifndef HED_SCENE_FORMAT_H
#define HED_SCENE_FORMAT_H

#include "heddle/knit.h"
#include "heddle/relax.h"
#include "heddle/sliding.h"
#include "heddle/start.h"
#include "heddle/weave.h"
#include "heddle/yarn.h"
#include "scene/schema.h"

enum {
    HED_FORMAT_VERSION = 1,
    HED_GRID_LIMIT = 20000,
    HED_OBJECT_LIMIT = 10000,
    HED_POINT_LIMIT = 50000000
};

typedef enum HedGridStyle {
    HED_GRID_QUADS,
    HED_GRID_DIAGONAL,
    HED_GRID_ALTERNATE,
    HED_GRID_EQUILATERAL
} HedGridStyle;

/// What texture coordinates of a mesh tell about its material.
typedef enum HedMeshUv {
    HED_UV_NONE,
    HED_UV_DIRECTIONS, // warp runs along v
    HED_UV_SHAPE,      // and they are the shape at rest
    HED_UV_COUNT
} HedMeshUv;

typedef enum HedNamedPart {
    HED_PART_NONE,
    HED_PART_ALL,
    HED_PART_TOP,
    HED_PART_BOTTOM,
    HED_PART_LEFT,
    HED_PART_RIGHT,
    HED_PART_CORNERS,
    HED_PART_TOP_CORNERS,
    HED_PART_BOTTOM_CORNERS,
    HED_PART_TOP_LEFT,
    HED_PART_TOP_RIGHT,
    HED_PART_BOTTOM_LEFT,
    HED_PART_BOTTOM_RIGHT,
    HED_PART_START, // of yarns
    HED_PART_END,
    HED_PART_ENDS
} HedNamedPart;

typedef struct HedSceneGrid {
    const HedNode* node;
    double size[2];    // m, across and down
    int32_t points[2]; // columns, rows
    HedVec3 origin;    // m, of the first vertex
    HedVec3 across, down;
    int32_t style; // HedGridStyle
} HedSceneGrid;

typedef struct HedSceneMesh {
    const HedNode* node;
    const char* file;
    const char* rest; // NULL: as it starts
    double scale;
    HedVec3 position;
    HedVec3 rotation; // rad, axis times angle
    HedVec3 warp;     // in the file's coordinates
    int32_t uv;       // HedMeshUv
    double uv_scale;  // m per unit
    double weld;      // m; 0: nothing is welded
    bool mixed_fronts;
} HedSceneMesh;

typedef struct HedSceneGarment {
    const HedNode* node;
    const char* file;
    double size; // m
    HedVec3 position;
    HedVec3 rotation;   // rad, axis times angle
    double sewing_time; // s
} HedSceneGarment;

/// Where something is that starts from a run, instead of where its def says; filled by
/// hed_scene_start.
typedef struct HedSceneState {
    const HedVec3* shown;      // m, per vertex, as it is seen; NULL: it starts as its def says
    const HedVec3* positions;  // m, as HedStartDef wants them
    const HedVec3* velocities; // m/s; NULL: those of the def
    bool are_controls;
} HedSceneState;

typedef struct HedSceneSheet {
    const HedNode* node;
    HedSheetDef def; // its arrays are filled by hed_scene_shape
    HedSceneGrid grid;
    HedSceneMesh mesh;
    HedSceneGarment garment;
    double stretch_start[2];
    const double* uv; // as HedSceneObject has it, filled by hed_scene_shape
    bool uv_at_corners;
    HedSceneState state;
} HedSceneSheet;

typedef struct HedSceneCurves {
    const HedNode* node;
    const char* file;
    double scale;
    int32_t tiles[2]; // cells of yarns that repeat
    HedVec3 position;
    HedVec3 rotation; // rad, axis times angle
} HedSceneCurves;

typedef struct HedSceneLine {
    const HedNode* node;
    HedVec3 from, to; // m
    int32_t segments;
} HedSceneLine;

typedef struct HedSceneRelax {
    const HedNode* node;
    HedRelaxDef def;
} HedSceneRelax;

typedef struct HedSceneWeave {
    const HedNode* node;
    const char* pattern; // one of these three
    const char* draft;
    HedList rows;       // const char*
    HedWeaveDef def;    // completed by hed_scene_shape
    double sett[2];     // 1/m
    double diameter[2]; // m
    const char* warp;   // yarn counts
    const char* weft;
    const char* warp_color;
    const char* weft_color;
    double bias;   // rad
    double cut[2]; // m; 0: none
    HedVec3 position;
    HedVec3 rotation; // rad, axis times angle
    HedSceneRelax relax;
} HedSceneWeave;

typedef struct HedSceneKnit {
    const HedNode* node;
    HedKnitDef def; // completed by hed_scene_shape
    HedList chart;  // const char*, lines
    const char* file;
    const char* count;
    HedList counts; // const char*
    HedList colors; // const char*
    HedVec3 position;
    HedVec3 rotation; // rad, axis times angle
    HedSceneRelax relax;
} HedSceneKnit;

/// Where the curl of a sliding knit comes from.
typedef enum HedSceneCurl {
    HED_CURL_GIVEN, // curl_stiffness, curl_along, curl_across
    HED_CURL_AUTO,  // a swatch of rods (heddle/curl.h)
    HED_CURL_COUNT
} HedSceneCurl;

typedef struct HedSceneSliding {
    const HedNode* node;
    HedSlidingDef def; // its net and what yarns have are filled in by hed_scene_build
    HedNetDef net_def;
    HedSceneCurl curl;
    HedNet net;           // arrays of the pool; filled by hed_scene_shape
    const HedVec3* nodes; // m, where its nodes start
} HedSceneSliding;

typedef struct HedSceneYarns {
    const HedNode* node;
    HedYarnsDef def; // its arrays are filled by hed_scene_shape
    HedSceneCurves curves;
    HedSceneLine line;
    HedSceneWeave weave;
    HedSceneKnit knit;
    HedSceneSliding sliding;
    HedList points; // HedVec3
    bool is_closed;
    int32_t nonrigid_stitches; // 0: no blocks
    HedVec3 period[2]; // m, of a fabric that repeats; 0: it does not. Filled by hed_scene_shape
    HedSceneState state;
} HedSceneYarns;

typedef struct HedSceneKey {
    const HedNode* node;
    double time; // s
    HedVec3 position;
    HedVec3 rotation; // rad
} HedSceneKey;

typedef struct HedSceneBody {
    const HedNode* node;
    HedBodyDef def; // keyframes filled by hed_scene_check, mesh by hed_scene_shape
    const char* file;
    double scale;
    HedVec3 position;
    HedVec3 rotation;
    HedList keyframes; // HedSceneKey
    HedVec3View display_vertices;
    HedIndexView display_triangles;
    HedPose start; // filled by hed_scene_move
} HedSceneBody;

typedef struct HedSceneBox {
    const HedNode* node;
    HedVec3 least, most;
} HedSceneBox;

/// Which sheet or yarns a pin or a measurement is about.
typedef struct HedSceneTarget {
    bool is_yarns;
    int32_t index; // among the sheets, or among the yarns
} HedSceneTarget;

/// Vertices as written.
typedef struct HedSceneChoice {
    const char* sheet; // either this
    const char* yarns; // or this
    HedSceneTarget target;
    HedList vertices;
    int32_t where; // HedNamedPart
    HedSceneBox box;
} HedSceneChoice;

typedef struct HedScenePin {
    const HedNode* node;
    HedPinDef def; // vertices, keyframes, pivot filled by hed_scene_select
    HedSceneChoice choice;
    HedList keyframes; // HedSceneKey
} HedScenePin;

typedef struct HedSceneLoad {
    const HedNode* node;
    HedLoadDef def; // vertices filled by hed_scene_select
    HedSceneChoice choice;
} HedSceneLoad;

typedef struct HedSceneGlue {
    const HedNode* node;
    HedGlueDef def;
    const char* sheet;
    const char* yarns;
    const char* other_sheet;
    const char* other; // NULL, and no other sheet: the same
    HedSceneTarget from, to;
} HedSceneGlue;

typedef struct HedSceneWind {
    const HedNode* node;
    HedWindDef def;
} HedSceneWind;

typedef struct HedSceneMeasure {
    const HedNode* node;
    const char* name;
    HedMeasureDef def;
    const char* sheet; // either this
    const char* yarns; // or this
    const char* pin;
    const char* from;
    HedSceneTarget target;
    int32_t pin_index;
    int32_t from_index; // -1: none
} HedSceneMeasure;

typedef struct HedSceneFile {
    const HedNode* node;
    const char* path; // from the directory of the scene
    const char* hash; // 16 hexadecimal digits
} HedSceneFile;

typedef enum HedSceneVelocities { HED_VELOCITIES_KEEP, HED_VELOCITIES_ZERO } HedSceneVelocities;

enum { HED_START_ARRAYS = 5 };

/// The run that a scene starts from.
typedef struct HedSceneStart {
    const HedNode* node;
    const char* run;    // directory
    double frame;       // infinite: the last one; a number once it was read
    double time;        // s; infinite: not given
    int32_t velocities; // HedSceneVelocities

    // Filled by hed_scene_start:
    double at; // s, of the frame
    uint64_t hash;
    bool is_whole; // all that yarns remember is there
    HedSnapshotArray memory[HED_START_ARRAYS];
    int32_t memory_count;
} HedSceneStart;

typedef struct HedSceneOutput {
    double frame_interval; // s
    uint32_t quantities;   // bit q: frames hold the HedQuantity q
} HedSceneOutput;

typedef struct HedSceneData {
    const HedNode* node;
    int32_t version;
    const char* name;
    double duration; // s
    HedSceneOutput output;
    HedSimDef sim;
    HedList include;
    HedList sheets;
    HedList yarns;
    HedList bodies;
    HedList pins;
    HedList loads; // HedSceneLoad
    HedList glue;  // HedSceneGlue
    HedSceneWind wind;
    HedSceneStart start;
    HedList measures;
    const char* directory; // absolute
    HedList files;
} HedSceneData;

extern const HedTable hed_scene_table;
extern const HedTable hed_sheet_table;
extern const HedTable hed_yarns_table;
extern const HedTable hed_weave_table;
extern const HedTable hed_knit_table;
extern const HedTable hed_relax_table;
extern const HedTable hed_sliding_table;
extern const HedTable hed_body_table;
extern const HedTable hed_pin_table;
extern const HedTable hed_load_table;
extern const HedTable hed_glue_table;
extern const HedTable hed_include_table; // the key `include` alone; its record is a HedList

/// For the reference page: the table behind a key path such as "sheets.grid", "" for the scene.
const HedTable* hed_scene_find_table(const char* path);

#endif
