// SPDX-License-Identifier: MIT
// Seams: equal numbers of points on both sides, gathering, runs of edges, darts that close to
// cones, welds that stay surfaces, and seams that are refused.
#include "base/alloc.h"
#include "geom/topology.h"
#include "heddle/fabric.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

// Of lengths, ratios and angles of up to 6: some dozens of operations that round by 1e-16 each.
static const double ROUNDING = 1e-13;

static const double PI = 3.14159265358979323846;

typedef struct Piece {
    HedMaterialPoint vertices[16];
    HedPanelEdge edges[16];
} Piece;

// A def of straight-edged pieces.
typedef struct Pattern {
    Piece pieces[4];
    HedPanelDef panels[4];
    HedSeamDef seams[16];
    HedGarmentDef def;
} Pattern;

static void begin(Pattern* p, double size) {
    *p = (Pattern){.def = hed_garment_def_default()};
    p->def.target_size = size;
    p->def.panels = p->panels;
    p->def.seams = p->seams;
}

static void add_piece(Pattern* p, const char* name, int32_t count, const double (*points)[2]) {
    Piece* piece = p->pieces + p->def.panel_count;
    HedPanelDef* panel = p->panels + p->def.panel_count++;
    *panel = hed_panel_def_default();
    panel->name = name;
    for (int32_t i = 0; i < count; ++i) {
        piece->vertices[i] = (HedMaterialPoint){points[i][0], points[i][1]};
        piece->edges[i] = (HedPanelEdge){.start = i, .end = (i + 1) % count};
    }
    panel->vertices = piece->vertices;
    panel->vertex_count = count;
    panel->edges = piece->edges;
    panel->edge_count = count;
}

static HedSeamDef* add_seam(Pattern* p, int32_t panel_a, int32_t edge_a, int32_t panel_b,
                            int32_t edge_b) {
    HedSeamDef* seam = p->seams + p->def.seam_count++;
    *seam = hed_seam_def_default();
    seam->sides[0] = (HedSeamSide){panel_a, edge_a, 1};
    seam->sides[1] = (HedSeamSide){panel_b, edge_b, 1};
    return seam;
}

static HedGarment make(const Pattern* p) {
    HedGarment g = {0};
    HedError error = {0};
    cr_assert_eq(hed_garment_create(&p->def, &g, &error), HED_OK, "%s", error.message);
    return g;
}

static HedGarmentMesh weld(const HedGarment* g, HedSewing sewing) {
    HedGarmentMesh mesh = {0};
    HedError error = {0};
    cr_assert_eq(hed_garment_mesh(g, sewing, &mesh, &error), HED_OK, "%s", error.message);
    return mesh;
}

static HedTopology topology_of(const HedGarmentMesh* m) {
    HedTopology t = {0};
    HedError error = {0};
    cr_assert_eq(hed_topology_create(m->triangles, m->triangle_count, m->vertex_count, &t, &error),
                 HED_OK, "%s", error.message);
    cr_assert_eq(t.nonmanifold_count, 0);
    return t;
}

static int32_t euler(const HedGarmentMesh* m, const HedTopology* t) {
    return m->vertex_count - t->edge_count + m->triangle_count;
}

static void expect_failure(const Pattern* p, const char* message) {
    HedGarment g = {0};
    HedError error = {0};
    cr_assert_eq(hed_garment_create(&p->def, &g, &error), HED_INVALID);
    cr_assert_str_eq(error.message, message);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

static const double SQUARE[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
static const double WIDE[4][2] = {{0, 0}, {2, 0}, {2, 1}, {0, 1}};

// Top of the square (edge 2, from right to left) to the bottom of another (edge 0).
Test(seam, end_meets_start) {
    Pattern p;
    begin(&p, 0.1);
    add_piece(&p, "low", 4, SQUARE);
    add_piece(&p, "high", 4, SQUARE);
    p.panels[1].pose.position.y = 1.0;
    add_seam(&p, 0, 2, 1, 0)->angle = 0.5;
    HedGarment g = make(&p);
    const HedSeam* seam = g.seams;
    cr_assert_eq(seam->point_count, 11);
    cr_assert_float_eq(seam->ratio, 1.0, ROUNDING);
    for (int32_t k = 0; k < 11; ++k) {
        HedVec3 a = g.panels[0].positions[seam->points[0][k]];
        HedVec3 b = g.panels[1].positions[seam->points[1][k]];
        cr_assert_float_eq(a.x, 1.0 - 0.1 * k, ROUNDING);
        cr_assert_float_eq(hypot(a.x - b.x, a.y - b.y), 0.0, ROUNDING);
    }
    cr_assert_eq(g.note_count, 0);
    HedGarmentMesh apart = weld(&g, HED_SEWING_STITCHES);
    cr_assert_eq(apart.stitch_count, 11);
    cr_assert_eq(apart.vertex_count, g.panels[0].vertex_count + g.panels[1].vertex_count);
    HedGarmentMesh mesh = weld(&g, HED_SEWING_WELD);
    cr_assert_eq(mesh.vertex_count, apart.vertex_count - 11);
    cr_assert_eq(mesh.stitch_count, 0);
    cr_assert_eq(mesh.turned_count, 0);
    cr_assert_eq(mesh.seam_edge_count, 10);
    for (int32_t k = 0; k < 10; ++k) {
        cr_assert_eq(mesh.seam_edges[k].angle, 0.5);
        cr_assert_float_eq(mesh.positions[mesh.seam_edges[k].a].y, 1.0, ROUNDING);
    }
    HedTopology t = topology_of(&mesh);
    cr_assert_eq(euler(&mesh, &t), 1);
    cr_assert_eq(t.boundary_count, 60);
    hed_topology_free(&t);
    hed_garment_mesh_free(&apart);
    hed_garment_mesh_free(&mesh);
    hed_garment_free(&g);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

// Start to start: the second piece is seen from behind.
Test(seam, start_meets_start) {
    Pattern p;
    begin(&p, 0.1);
    add_piece(&p, "a", 4, SQUARE);
    add_piece(&p, "b", 4, SQUARE);
    add_seam(&p, 0, 0, 1, 0)->joins_starts = true;
    HedGarment g = make(&p);
    for (int32_t k = 0; k < g.seams[0].point_count; ++k) {
        cr_assert_eq(g.seams[0].points[0][k], k);
        cr_assert_eq(g.seams[0].points[1][k], k);
    }
    HedGarmentMesh mesh = weld(&g, HED_SEWING_WELD);
    cr_assert_eq(mesh.turned_count, 10);
    hed_garment_mesh_free(&mesh);
    hed_garment_free(&g);
    p.seams[0].joins_starts = false;
    g = make(&p);
    cr_assert_eq(g.note_count, 1, "placed upon each other, start to end is far");
    cr_assert(strstr(g.notes[0], "the other way round"), "%s", g.notes[0]);
    hed_garment_free(&g);
}

// Two to one: 15 steps of 2/15 m and 1/15 m, so that the mean is the target size.
Test(seam, gathering) {
    Pattern p;
    begin(&p, 0.1);
    add_piece(&p, "frill", 4, WIDE);
    add_piece(&p, "band", 4, SQUARE);
    p.panels[1].pose.position.y = 1.0;
    add_seam(&p, 0, 2, 1, 0);
    HedGarment g = make(&p);
    const HedSeam* seam = g.seams;
    cr_assert_eq(seam->point_count, 16);
    cr_assert_float_eq(seam->ratio, 2.0, ROUNDING);
    for (int32_t k = 0; k < 16; ++k) {
        cr_assert_float_eq(g.panels[0].material[seam->points[0][k]].u, 2.0 - 2.0 * k / 15.0,
                           ROUNDING);
        cr_assert_float_eq(g.panels[1].material[seam->points[1][k]].u, 1.0 - k / 15.0, ROUNDING);
    }
    cr_assert_geq(g.note_count, 1);
    cr_assert_str_eq(g.notes[0], "seam 0 (panel 'frill' edge 2, panel 'band' edge 0): sides of 2 m "
                                 "and 1 m, a ratio of 2: the longer one is gathered");
    hed_garment_free(&g);
    p.seams[0].is_gathered = true;
    g = make(&p);
    cr_assert(g.note_count == 0 || !strstr(g.notes[0], "ratio"),
              "a gathered seam is as it is meant");
    hed_garment_free(&g);
}

// One long edge to a run of two, whose corner is at a third: both sides have a point there.
Test(seam, runs_of_edges) {
    Pattern p;
    begin(&p, 0.1);
    static const double FIVE[5][2] = {{0, 0}, {0.35, 0}, {1, 0}, {1, 1}, {0, 1}};
    add_piece(&p, "a", 4, SQUARE);
    add_piece(&p, "b", 5, FIVE);
    add_seam(&p, 0, 2, 1, 0)->sides[1].edge_count = 2;
    HedGarment g = make(&p);
    const HedSeam* seam = g.seams;
    bool found = false;
    for (int32_t k = 0; k < seam->point_count; ++k) {
        double a = g.panels[0].material[seam->points[0][k]].u;
        double b = g.panels[1].material[seam->points[1][k]].u;
        cr_assert_float_eq(b, a, ROUNDING, "the same fractions of equal sides");
        found |= fabs(a - 0.35) < 1e-12;
    }
    cr_assert(found);
    cr_assert_eq(g.panels[1].edge_steps[0] + g.panels[1].edge_steps[1], seam->point_count - 1);
    hed_garment_free(&g);
}

// Runs on both sides with corners at 0.35 and 0.37: nearer than half a step, they meet.
Test(seam, corners_of_runs_meet) {
    Pattern p;
    begin(&p, 0.1);
    static const double A[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0.35, 1}, {0, 1}};
    static const double B[5][2] = {{0, 0}, {0.37, 0}, {1, 0}, {1, 1}, {0, 1}};
    add_piece(&p, "a", 5, A);
    add_piece(&p, "b", 5, B);
    HedSeamDef* s = add_seam(&p, 0, 2, 1, 0);
    s->sides[0].edge_count = 2;
    s->sides[1].edge_count = 2;
    HedGarment g = make(&p);
    int32_t met = 0;
    for (int32_t k = 0; k < g.seams[0].point_count; ++k) {
        met += g.seams[0].points[0][k] == g.panels[0].edge_points[3] &&
               g.seams[0].points[1][k] == g.panels[1].edge_points[1];
    }
    cr_assert_eq(met, 1);
    hed_garment_free(&g);
}

// Four times the corner angle of the welded tip: the angles of all triangles there add up to what
// is left of the full turn. The dart takes an angle of 2 atan(0.1 / 0.6) out of it.
static double angle_at(const HedGarmentMesh* m, int32_t vertex) {
    double sum = 0.0;
    for (int32_t i = 0; i < 3 * m->triangle_count; ++i) {
        if (m->triangles[i] != vertex) {
            continue;
        }
        int32_t t = i - i % 3;
        HedMaterialPoint p = m->corners[i];
        HedMaterialPoint q = m->corners[t + (i + 1) % 3];
        HedMaterialPoint r = m->corners[t + (i + 2) % 3];
        double ux = q.u - p.u, uy = q.v - p.v, vx = r.u - p.u, vy = r.v - p.v;
        sum += fabs(atan2(ux * vy - uy * vx, ux * vx + uy * vy));
    }
    return sum;
}

Test(seam, dart_closes_to_a_cone) {
    Pattern p;
    begin(&p, 0.05);
    static const double DARTED[7][2] = {{0, 0},     {1, 0},   {1, 1}, {0.6, 1},
                                        {0.5, 0.4}, {0.4, 1}, {0, 1}};
    add_piece(&p, "front", 7, DARTED);
    add_seam(&p, 0, 3, 0, 4);
    HedGarment g = make(&p);
    int32_t tip = g.panels[0].edge_points[4];
    cr_assert_eq(g.seams[0].points[0][g.seams[0].point_count - 1], tip);
    cr_assert_eq(g.seams[0].points[1][g.seams[0].point_count - 1], tip);
    HedGarmentMesh apart = weld(&g, HED_SEWING_STITCHES);
    cr_assert_eq(apart.stitch_count, g.seams[0].point_count - 1, "the tip needs no stitch");
    HedGarmentMesh mesh = weld(&g, HED_SEWING_WELD);
    HedTopology t = topology_of(&mesh);
    cr_assert_eq(euler(&mesh, &t), 1);
    cr_assert_not(t.is_boundary[mesh.vertex_of[tip]], "the tip is inside now");
    cr_assert_float_eq(angle_at(&mesh, mesh.vertex_of[tip]), 2.0 * PI - 2.0 * atan(0.1 / 0.6),
                       ROUNDING);
    // Welded sides have equal lengths in both triangles: the cone has no strain.
    for (int32_t e = 0; e < mesh.seam_edge_count; ++e) {
        double found[2] = {0};
        int32_t n = 0;
        for (int32_t i = 0; i < 3 * mesh.triangle_count; ++i) {
            int32_t j = i - i % 3 + (i + 1) % 3;
            int32_t a = mesh.triangles[i], b = mesh.triangles[j];
            HedSeamEdge s = mesh.seam_edges[e];
            if ((a == s.a && b == s.b) || (a == s.b && b == s.a)) {
                cr_assert_lt(n, 2);
                found[n++] = hypot(mesh.corners[i].u - mesh.corners[j].u,
                                   mesh.corners[i].v - mesh.corners[j].v);
            }
        }
        cr_assert_eq(n, 2);
        cr_assert_float_eq(found[0], found[1], ROUNDING);
    }
    hed_topology_free(&t);
    hed_garment_mesh_free(&apart);
    hed_garment_mesh_free(&mesh);
    hed_garment_free(&g);
}

// A sector sewn to a cone: the corner triangle has both its sides in the seam, so it has to be
// split, or it would fold onto itself.
Test(seam, sector_becomes_a_cone) {
    Pattern p;
    begin(&p, 0.07);
    static const double SECTOR[3][2] = {{0, 0}, {1, 0}, {0, 1}};
    add_piece(&p, "hat", 3, SECTOR);
    p.pieces[0].edges[1] =
        (HedPanelEdge){.start = 1, .end = 2, .kind = HED_EDGE_ARC, .radius = 1.0, .is_right = true};
    add_seam(&p, 0, 0, 0, 2);
    HedGarment g = make(&p);
    HedGarmentMesh mesh = weld(&g, HED_SEWING_WELD);
    HedTopology t = topology_of(&mesh);
    cr_assert_eq(euler(&mesh, &t), 1);
    cr_assert_eq(t.boundary_count, g.panels[0].edge_steps[1]);
    cr_assert_float_eq(angle_at(&mesh, mesh.vertex_of[0]), 0.5 * PI, ROUNDING);
    hed_topology_free(&t);
    hed_garment_mesh_free(&mesh);
    hed_garment_free(&g);
}

// A diamond-shaped hole, two legs on either side: a dart inside of a piece.
Test(seam, dart_inside_a_piece) {
    Pattern p;
    begin(&p, 0.05);
    static const double BOTH[8][2] = {{0, 0},     {1, 0},      {1, 1},     {0, 1},
                                      {0.5, 0.2}, {0.53, 0.5}, {0.5, 0.8}, {0.47, 0.5}};
    add_piece(&p, "back", 8, BOTH);
    p.pieces[0].edges[3].end = 0;
    p.pieces[0].edges[7].end = 4;
    add_seam(&p, 0, 4, 0, 7);
    add_seam(&p, 0, 5, 0, 6);
    HedGarment g = make(&p);
    HedGarmentMesh mesh = weld(&g, HED_SEWING_WELD);
    HedTopology t = topology_of(&mesh);
    cr_assert_eq(euler(&mesh, &t), 1, "the hole is closed");
    cr_assert_eq(t.boundary_count, 80);
    hed_topology_free(&t);
    hed_garment_mesh_free(&mesh);
    hed_garment_free(&g);
}

// A cushion: two squares sewn all around are a sphere. At every corner both have an inner side
// between the same two sewn points.
Test(seam, cushion_is_a_sphere) {
    for (int32_t k = 0; k < 3; ++k) {
        Pattern p;
        begin(&p, (double[]){0.1, 0.34, 0.9}[k]);
        static const double TURNED[4][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}};
        add_piece(&p, "front", 4, SQUARE);
        add_piece(&p, "back", 4, TURNED);
        for (int32_t i = 0; i < 4; ++i) {
            add_seam(&p, 0, i, 1, 3 - i);
        }
        HedGarment g = make(&p);
        cr_assert_eq(g.note_count, 0);
        HedGarmentMesh mesh = weld(&g, HED_SEWING_WELD);
        HedTopology t = topology_of(&mesh);
        cr_assert_eq(euler(&mesh, &t), 2);
        cr_assert_eq(t.boundary_count, 0);
        cr_assert_eq(mesh.turned_count, 0);
        hed_topology_free(&t);
        hed_garment_mesh_free(&mesh);
        hed_garment_free(&g);
    }
}

// A tube: left to right of one rectangle; its top has one corner only.
Test(seam, tube) {
    for (int32_t k = 0; k < 2; ++k) {
        Pattern p;
        begin(&p, k ? 3.0 : 0.2);
        add_piece(&p, "sleeve", 4, WIDE);
        add_seam(&p, 0, 1, 0, 3);
        HedGarment g = make(&p);
        HedGarmentMesh mesh = weld(&g, HED_SEWING_WELD);
        HedTopology t = topology_of(&mesh);
        cr_assert_eq(euler(&mesh, &t), 0);
        cr_assert_eq(t.boundary_count, k ? 6 : 20);
        hed_topology_free(&t);
        hed_garment_mesh_free(&mesh);
        hed_garment_free(&g);
    }
}

Test(seam, seams_that_are_refused) {
    Pattern p;
    begin(&p, 0.1);
    add_piece(&p, "a", 4, SQUARE);
    add_piece(&p, "b", 4, SQUARE);
    add_seam(&p, 0, 0, 1, 0);
    add_seam(&p, 0, 1, 1, 0)->purpose = "side";
    expect_failure(&p, "seam 1 ('side'): edge 0 of panel 'b' is sewn already, by seam 0 (panel 'a' "
                       "edge 0, panel 'b' edge 0)");
    p.seams[1].sides[1].edge = 4;
    expect_failure(&p, "seam 1 ('side'): names 1 edges from edge 4 on; panel 'b' has edges 0 to 3");
    p.seams[1].sides[1].panel = 2;
    expect_failure(&p, "seam 1 ('side'): names panel 2; there are panels 0 to 1");
    p.seams[1].sides[1] = p.seams[1].sides[0];
    expect_failure(&p, "seam 1 ('side'): edge 1 of panel 'a' is sewn already, by seam 1 ('side')");
    p.seams[1].sides[1] = (HedSeamSide){1, 1, 4};
    expect_failure(&p, "seam 1 ('side'): edge 0 of panel 'b' is sewn already, by seam 0 (panel 'a' "
                       "edge 0, panel 'b' edge 0)");
    p.def.seam_count = 1;
    p.seams[0].angle = NAN;
    expect_failure(&p,
                   "seam 0 (panel 'a' edge 0, panel 'b' edge 0): its rest angle must be finite, "
                   "got nan");
    p.def.stamp = 0;
    expect_failure(&p, "garment: the def was not filled by hed_garment_def_default");
}

Test(seam, sides_that_do_not_match) {
    Pattern p;
    begin(&p, 0.1);
    static const double LONG[4][2] = {{0, 0}, {6, 0}, {6, 1}, {0, 1}};
    add_piece(&p, "a", 4, LONG);
    add_piece(&p, "b", 4, SQUARE);
    add_seam(&p, 0, 2, 1, 0);
    expect_failure(&p, "seam 0 (panel 'a' edge 2, panel 'b' edge 0): its sides do not match: 6 m "
                       "and 1 m, a ratio of 6; at most 5 unless it is said to be gathered");
    p.seams[0].is_gathered = true;
    HedGarment g = make(&p);
    cr_assert_float_eq(g.seams[0].ratio, 6.0, ROUNDING);
    hed_garment_free(&g);
}

// With sides of one step, seams of c to two sides of a bring an edge of c between the same two
// points that a and b are sewn at. If that edge is sewn as well, four pieces meet in one side.
Test(seam, not_a_surface) {
    Pattern p;
    begin(&p, 5.0);
    static const double FIVE[5][2] = {{0, 0}, {1, 0}, {1.3, 0.95}, {0.5, 1.54}, {-0.3, 0.95}};
    add_piece(&p, "a", 4, SQUARE);
    add_piece(&p, "b", 4, SQUARE);
    add_piece(&p, "c", 5, FIVE);
    add_piece(&p, "d", 4, SQUARE);
    add_seam(&p, 0, 0, 1, 0);
    add_seam(&p, 2, 0, 0, 1);
    add_seam(&p, 2, 2, 0, 3);
    HedGarment g = make(&p);
    hed_garment_free(&g);
    add_seam(&p, 2, 1, 3, 0);
    expect_failure(&p, "panel 'c': more than two sides are sewn together at (1.15, 0.475) m of the "
                       "outline: sewn like this the garment is not a surface; check the seams "
                       "there, or try a smaller target size");
}

Test(seam, every_allocation_may_fail) {
    Pattern p;
    begin(&p, 0.3);
    add_piece(&p, "low", 4, SQUARE);
    add_piece(&p, "high", 4, WIDE);
    add_seam(&p, 0, 2, 1, 0);
    int32_t n = 1;
    for (;; ++n) {
        HedGarment g = {0};
        HedGarmentMesh mesh = {0};
        HedError error = {0};
        hed_alloc_fail_at(n);
        HedStatus status = hed_garment_create(&p.def, &g, &error);
        if (status == HED_OK) {
            status = hed_garment_mesh(&g, HED_SEWING_WELD, &mesh, &error);
        }
        hed_alloc_fail_at(0);
        hed_garment_mesh_free(&mesh);
        hed_garment_free(&g);
        cr_assert_eq(hed_alloc_stats().live_count, 0);
        if (status == HED_OK) {
            break;
        }
        cr_assert_eq(status, HED_NO_MEMORY, "%s", error.message);
        cr_assert_neq(error.message[0], '\0');
    }
    cr_assert_gt(n, 60);
}

// Two squares side by side, sewn with a ridge of 30 degrees. Both triangles on each side of the
// seam have it where their fronts agree; seen from a turned piece it is a valley.
Test(seam, rest_angles) {
    static const double LEFT[4][2] = {{0, 0}, {0.2, 0}, {0.2, 0.2}, {0, 0.2}};
    const double angle = PI / 6.0;
    for (int turned = 0; turned < 2; ++turned) {
        Pattern p;
        begin(&p, 0.05);
        add_piece(&p, "left", 4, LEFT);
        add_piece(&p, "right", 4, LEFT);
        p.panels[1].pose.position.x = 0.2;
        HedSeamDef* seam = add_seam(&p, 0, 1, 1, 3);
        seam->angle = angle;
        seam->joins_starts = turned;
        HedGarment g = make(&p);
        HedGarmentMesh mesh = {0};
        cr_assert_eq(hed_garment_mesh(&g, HED_SEWING_WELD, &mesh, NULL), HED_OK);
        double sums[2] = {0};
        int32_t counts[2] = {0};
        for (int32_t k = 0; k < 3 * mesh.triangle_count; ++k) {
            int32_t panel = mesh.triangle_panels[k / 3];
            sums[panel] += mesh.rest_angles[k];
            counts[panel] += mesh.rest_angles[k] != 0.0;
        }
        cr_assert_eq(counts[0], 4, "four sides of 5 cm on 20 cm");
        cr_assert_eq(counts[1], 4);
        cr_assert_float_eq(sums[0], 4.0 * angle, ROUNDING);
        cr_assert_float_eq(sums[1], (turned ? -4.0 : 4.0) * angle, ROUNDING);
        hed_garment_mesh_free(&mesh);
        cr_assert_eq(hed_garment_mesh(&g, HED_SEWING_STITCHES, &mesh, NULL), HED_OK);
        for (int32_t k = 0; k < 3 * mesh.triangle_count; ++k) {
            cr_assert_eq(mesh.rest_angles[k], 0.0, "no side joins two pieces");
        }
        hed_garment_mesh_free(&mesh);
        hed_garment_free(&g);
    }
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}
