// SPDX-License-Identifier: MIT
// Garments: flat panels cut from cloth, meshed at a target size, and the seams that join them.
// Fabrics: yarns that were woven or knitted, and where they cross.
#ifndef HEDDLE_FABRIC_H
#define HEDDLE_FABRIC_H

#include "heddle/base.h"
#include "heddle/file.h"
#include "heddle/period.h"
#include "heddle/vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A place in the plane of a panel; warp runs along y.
typedef struct HedMaterialPoint {
    double u, v; ///< m
} HedMaterialPoint;

typedef enum HedEdgeKind {
    HED_EDGE_LINE,
    HED_EDGE_QUADRATIC, ///< Bezier with control[0].
    HED_EDGE_CUBIC,     ///< Bezier with control[0] and control[1].
    HED_EDGE_ARC,       ///< Part of a circle.
    HED_EDGE_KIND_COUNT
} HedEdgeKind;

/// One piece of an outline, from a vertex of the panel to another.
typedef struct HedPanelEdge {
    int32_t start, end;
    HedEdgeKind kind;
    bool is_large;               ///< An arc of more than half a circle.
    bool is_right;               ///< An arc to the right of the straight way from start to end.
    HedMaterialPoint control[2]; ///< m, in the coordinates of the panel.
    double radius;               ///< m, of an arc; at least half the distance of its ends.
} HedPanelEdge;

/// A flat piece of cloth. Edges in their order form closed loops: the first is the outline, others
/// are holes in it. Triangles face the side from which the outline is seen to run anticlockwise.
typedef struct HedPanelDef {
    const char* name;
    const HedMaterialPoint* vertices; ///< Ends of edges.
    int32_t vertex_count;
    const HedPanelEdge* edges;
    int32_t edge_count;
    HedPose pose; ///< Places (u, v, 0) in space.
} HedPanelDef;

/// A run of edges that follow each other in one loop of a panel.
typedef struct HedSeamSide {
    int32_t panel;
    int32_t edge; ///< First of the run.
    int32_t edge_count;
} HedSeamSide;

/// Two runs of edges that are sewn together. Their lengths may differ: the longer one is gathered.
/// As the sides of two pieces that face the same way meet, the end of one side meets the start of
/// the other.
typedef struct HedSeamDef {
    HedSeamSide sides[2];
    bool joins_starts;   ///< Start meets start instead: the pieces face opposite ways.
    bool is_gathered;    ///< Any ratio of lengths is meant.
    double angle;        ///< rad, rest angle of the sewn seam: 0 is flat, positive a ridge seen
                         ///< from the front of the first side's panel.
    const char* purpose; ///< What messages call the seam; NULL for its number.
} HedSeamDef;

/// Everything needed to make a garment. Fill with hed_garment_def_default(), then edit.
typedef struct HedGarmentDef {
    const HedPanelDef* panels;
    int32_t panel_count;
    const HedSeamDef* seams;
    int32_t seam_count;
    double target_size; ///< m, length that sides of triangles should have. Default 0.02.
    double note_ratio;  ///< Ratio of lengths of a seam above which there is a note. Default 1.05.
    double most_ratio;  ///< Ratio above which a seam that is not gathered is refused. Default 5.
    uint32_t stamp;     ///< Written by the default function; create refuses any other value.
} HedGarmentDef;

HED_API HedPanelDef hed_panel_def_default(void);
HED_API HedSeamDef hed_seam_def_default(void);
HED_API HedGarmentDef hed_garment_def_default(void);

/// One piece, meshed. Outline points come first, in the order of the edges: points of edge e are
/// edge_points[e] and those after it up to the start of the next edge of its loop.
typedef struct HedPanel {
    char* name;
    HedMaterialPoint* material; ///< Per vertex.
    HedVec3* positions;         ///< m, per vertex: the placed panel.
    int32_t vertex_count;
    int32_t outline_count; ///< Vertices on the outline and on holes.
    int32_t* triangles;    ///< Three vertices of the panel each.
    int32_t triangle_count;
    int32_t* edge_points; ///< Per edge: its first point.
    int32_t* edge_steps;  ///< Per edge: sides of triangles along it, at least 1.
    double* edge_lengths; ///< m, per edge, of the curve itself.
    int32_t edge_count;
    double area;         ///< m^2, of the triangles.
    double least_angle;  ///< rad, smallest of all triangles.
    double mean_quality; ///< 1 if all triangles are equilateral.
} HedPanel;

typedef struct HedSeam {
    HedSeamSide sides[2];
    double lengths[2];  ///< m
    double ratio;       ///< Longer by shorter length.
    double angle;       ///< rad
    bool joins_starts;  ///< As in the def.
    int32_t* points[2]; ///< Vertex of the side's panel, pair by pair from the start of the first
                        ///< side on.
    int32_t point_count;
} HedSeam;

/// Panels and seams. Zero-initialise; free with hed_garment_free.
typedef struct HedGarment {
    HedPanel* panels;
    int32_t panel_count;
    HedSeam* seams;
    int32_t seam_count;
    double target_size; ///< m
    char** notes;       ///< What is odd but was accepted.
    int32_t note_count;
} HedGarment;

/// Meshes the panels of a def and pairs the points of its seams. Messages name panel, edge or seam.
HED_API HedStatus hed_garment_create(const HedGarmentDef* def, HedGarment* garment,
                                     HedError* error);

/// Reads the sewing-pattern JSON that docs/garments.md describes. target_size (m) is that of the
/// def.
HED_API HedStatus hed_garment_load(const char* path, double target_size, HedGarment* garment,
                                   HedError* error);

/// The same from memory; name is used in messages.
HED_API HedStatus hed_garment_parse(const char* data, size_t size, const char* name,
                                    double target_size, HedGarment* garment, HedError* error);

/// Whether a file is JSON that has a "pattern", as garments do and scenes do not.
HED_API bool hed_garment_is_file(const char* path);

/// NULL and empty ones are allowed.
HED_API void hed_garment_free(HedGarment* garment);

/// How seams appear in a mesh.
typedef enum HedSewing {
    HED_SEWING_STITCHES, ///< Pieces apart, and pairs of vertices to be pulled together.
    HED_SEWING_WELD,     ///< Pairs of vertices are one vertex, in the middle of them.
    HED_SEWING_COUNT
} HedSewing;

/// A side of a triangle that lies on a seam.
typedef struct HedSeamEdge {
    int32_t a, b; ///< Vertices of the mesh.
    int32_t seam;
    double angle; ///< rad, at rest.
} HedSeamEdge;

/// All of a garment as one triangle mesh. A welded vertex has a material point in each of its
/// panels, therefore material points belong to corners. Zero-initialise; free with
/// hed_garment_mesh_free.
typedef struct HedGarmentMesh {
    HedVec3* positions; ///< m
    int32_t vertex_count;
    int32_t* triangles; ///< Three vertices each, panel after panel.
    int32_t triangle_count;
    HedMaterialPoint* corners; ///< Three per triangle.
    int32_t* triangle_panels;  ///< Per triangle.
    double* rest_angles;       ///< rad, three per triangle, as HedSheetDef has them: those of seams
                               ///< where they join triangles, 0 elsewhere.
    int32_t (*stitches)[2];    ///< Pairs of vertices, rest distance 0; none if welded.
    int32_t* stitch_seams;     ///< Per stitch.
    int32_t stitch_count;
    HedSeamEdge* seam_edges; ///< Sorted by seam; if not welded, those of the first side.
    int32_t seam_edge_count;
    int32_t* vertex_of; ///< Mesh vertex of each vertex of each panel, panel after panel.
    int32_t vertex_of_count;
    int32_t turned_count; ///< Welded sides whose two triangles face opposite ways.
} HedGarmentMesh;

HED_API HedStatus hed_garment_mesh(const HedGarment* garment, HedSewing sewing,
                                   HedGarmentMesh* mesh, HedError* error);
HED_API void hed_garment_mesh_free(HedGarmentMesh* mesh); ///< NULL and empty ones are allowed.

enum { HED_YARN_NAME = 32 };

/// One yarn of a fabric: consecutive points with a curve through them, as HedCurve has it.
typedef struct HedFabricYarn {
    int32_t first;            ///< Point.
    int32_t count;            ///< At least 2; at least 3 if closed.
    bool is_closed;           ///< The last point joins the first; it is not a repetition of it.
    int32_t color;            ///< 0xRRGGBB, or HED_COLOR_NONE.
    double diameter;          ///< m
    double linear_density;    ///< kg/m; 0 if unknown.
    char name[HED_YARN_NAME]; ///< What it is: "warp", "weft", or the carrier that brought it.
    HedTurns turns; ///< Of a yarn that goes on in its copies: the copy of its first point follows
                    ///< its last one. Zeros: it ends.
} HedFabricYarn;

/// A place on a yarn. A whole number is a point of the yarn, counted from 0; 3.25 stands a quarter
/// of the way from point 3 to the next one.
typedef struct HedFabricPlace {
    int32_t yarn;
    double at;
} HedFabricPlace;

/// Two yarns, or two places of one, that lie over each other.
typedef struct HedFabricCrossing {
    HedFabricPlace over; ///< Nearer to the viewer of the face.
    HedFabricPlace under;
    bool is_apart; ///< In a weave of several layers: the yarns lie in different ones, and nothing
                   ///< holds them together here.
} HedFabricCrossing;

/// A crossing as one of its yarns meets it.
typedef struct HedFabricVisit {
    int32_t crossing;
    bool is_over;
} HedFabricVisit;

/// A loop of a knit: a part of a yarn. Places are as in HedFabricPlace; left and right are as seen
/// from the face.
typedef struct HedFabricLoop {
    int32_t yarn;
    double start; ///< Half way from the loop before.
    double apex;  ///< The top of its head.
    double end;
    int32_t parent;       ///< The loop that it is pulled through, which has a smaller number; of
                          ///< several, the one in front. -1: none, it was only laid.
    int32_t parent_count; ///< How many it is pulled through.
    int32_t below;        ///< Of these the first that was made in an earlier course; -1: none.
    int32_t course;       ///< Row or round in which it was made.
    double wale;          ///< Where it stands in its course, in columns from the left.
    int32_t layer;        ///< Sheet in which it lies: 1 is the back of a tube made on two beds.
    bool is_purl;         ///< Pulled through from the front to behind.
    bool is_leftward;     ///< The yarn enters at the right foot and leaves at the left one.
} HedFabricLoop;

/// What a weave or a knit gives: yarns in space and the graph of their crossings. The fabric lies
/// in the x-y plane, its face looks along z. Zero-initialise; free with hed_fabric_free.
typedef struct HedFabric {
    HedVec3* points; ///< m
    int32_t point_count, point_capacity;
    HedFabricYarn* yarns; ///< In the order of their points, without gaps.
    int32_t yarn_count, yarn_capacity;
    HedFabricCrossing* crossings;
    int32_t crossing_count, crossing_capacity;
    int32_t* first_visits;  ///< Per yarn: its first in visits; one more at the end.
    HedFabricVisit* visits; ///< Yarn by yarn in the order along it; two per crossing.
    HedFabricLoop* loops;   ///< Of a knit, in the order of working; a repeat has none.
    int32_t loop_count;
    char** notes; ///< What is odd but was accepted.
    int32_t note_count, note_capacity;
    HedVec3 period[2]; ///< m, from one repeat of a fabric that repeats for ever to the next ones;
                       ///< 0: it does not.
} HedFabric;

HED_API void hed_fabric_free(HedFabric* fabric); ///< NULL and empty ones are allowed.

/// A rectangle that is cut out of a fabric, about its origin.
typedef struct HedFabricCut {
    double angle;  ///< rad, by which the fabric is turned about z before it is cut.
    double width;  ///< m, along x
    double height; ///< m, along y
} HedFabricCut;

/// Turns a fabric and cuts it: yarns end at the sides of the rectangle, and what then crosses
/// nothing falls off. Warp and weft stay apart in this order. Refused: knits, repeats and closed
/// yarns (HED_UNSUPPORTED), a cut that leaves no crossing. Free with hed_fabric_free.
HED_API HedStatus hed_fabric_cut_out(const HedFabric* fabric, HedFabricCut cut, HedFabric* out,
                                     HedError* error);

/// Length (m) of one yarn along its curve.
HED_API double hed_fabric_length(const HedFabric* fabric, int32_t yarn);

/// Mass (kg) of all yarns.
HED_API double hed_fabric_mass(const HedFabric* fabric);

/// Corners of the box around all points; both 0 for a fabric without points.
HED_API void hed_fabric_bounds(const HedFabric* fabric, HedVec3* low, HedVec3* high);

/// Copies the yarns as curves; free with hed_curves_free. Of a fabric that repeats they have its
/// period, so that hed_curves_tile puts copies beside each other.
HED_API HedStatus hed_fabric_curves(const HedFabric* fabric, HedCurves* curves, HedError* error);

/// A finite piece of a fabric that repeats: so many copies along its two vectors, with yarns that
/// go on from one to the next joined. It has the crossings of the repeat's list, in all copies.
HED_API HedStatus hed_fabric_tile(const HedFabric* fabric, int32_t a_times, int32_t b_times,
                                  HedFabric* piece, HedError* error);

/// Sets of points of a fabric; part p has points[first[p]] and those up to points[first[p + 1] -
/// 1]. Zero-initialise; free with hed_fabric_parts_free.
typedef struct HedFabricParts {
    int32_t count;
    int32_t* first; ///< One more than there are parts.
    int32_t* points;
} HedFabricParts;

HED_API void hed_fabric_parts_free(HedFabricParts* parts); ///< NULL and empty ones are allowed.

/// Blocks of about size x size stitches of a knit, or crossings of a weave; no point is in two of
/// them. Ends of yarns that hang out of the fabric are in none, and a fabric without loops and
/// without warp and weft has none.
HED_API HedStatus hed_fabric_blocks(const HedFabric* fabric, int32_t size, HedFabricParts* parts,
                                    HedError* error);

/// What goes around each other: a loop of a knit and the one that it is pulled through; the two
/// yarns at a crossing of a weave, half the way to the next ones.
HED_API HedStatus hed_fabric_pairs(const HedFabric* fabric, HedFabricParts* parts, HedError* error);

/// Proves that the yarns cross as the list says. Seen along z, the straight pieces between their
/// points must meet in just the crossings of the list: on each yarn in the same order, with the
/// same partner, and the same one over. HED_INVALID names the first yarn and place where they do
/// not.
HED_API HedStatus hed_fabric_check(const HedFabric* fabric, HedError* error);

#ifdef __cplusplus
}
#endif

#endif
