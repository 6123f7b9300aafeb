// SPDX-License-Identifier: MIT
// One mesh of all panels: apart with stitches, or with sewn vertices made one.
#include "base/array.h"
#include "garment/sewn.h"
#include "geom/topology.h"
#include "math/vec3.h"

#include <string.h>

static HedStatus allocate(const HedGarment* garment, const HedSewn* sewn, HedGarmentMesh* mesh,
                          HedError* error) {
    int64_t triangles = 0;
    int64_t pairs = 0;
    for (int32_t p = 0; p < garment->panel_count; ++p) {
        triangles += garment->panels[p].triangle_count;
    }
    for (int32_t s = 0; s < garment->seam_count; ++s) {
        pairs += garment->seams[s].point_count;
    }
    if (triangles > INT32_MAX / 12) {
        return hed_fail(error, HED_INVALID, "garment: %lld triangles are too many for one mesh",
                        (long long)triangles);
    }
    mesh->positions = HED_NEW_ARRAY(HedVec3, sewn->count);
    mesh->triangles = HED_NEW_ARRAY(int32_t, 3 * triangles);
    mesh->corners = HED_NEW_ARRAY(HedMaterialPoint, 3 * triangles);
    mesh->triangle_panels = HED_NEW_ARRAY(int32_t, triangles);
    mesh->rest_angles = HED_NEW_ARRAY(double, 3 * triangles);
    mesh->stitches = hed_alloc_array(pairs, sizeof mesh->stitches[0]);
    mesh->stitch_seams = HED_NEW_ARRAY(int32_t, pairs);
    mesh->seam_edges = HED_NEW_ARRAY(HedSeamEdge, pairs);
    mesh->vertex_of = HED_NEW_ARRAY(int32_t, sewn->count);
    if (!mesh->positions || !mesh->triangles || !mesh->corners || !mesh->triangle_panels ||
        !mesh->rest_angles || !mesh->stitches || !mesh->stitch_seams || !mesh->seam_edges ||
        !mesh->vertex_of) {
        return hed_fail_memory(error, "the mesh of a garment");
    }
    mesh->vertex_of_count = sewn->count;
    return HED_OK;
}

// Numbers the vertices of the mesh; sewn ones stand in the middle of their places.
static HedStatus place_vertices(const HedGarment* garment, const HedSewn* sewn, HedSewing sewing,
                                HedGarmentMesh* mesh, HedError* error) {
    int32_t* shares = HED_NEW_ARRAY(int32_t, sewn->count);
    if (!shares) {
        return hed_fail_memory(error, "the mesh of a garment");
    }
    for (int32_t p = 0; p < garment->panel_count; ++p) {
        for (int32_t i = 0; i < garment->panels[p].vertex_count; ++i) {
            int32_t all = sewn->base[p] + i;
            int32_t lowest = sewing == HED_SEWING_WELD ? sewn->joined[all] : all;
            mesh->vertex_of[all] = lowest == all ? mesh->vertex_count++ : mesh->vertex_of[lowest];
            HedVec3* x = mesh->positions + mesh->vertex_of[all];
            *x = hed_add3(*x, garment->panels[p].positions[i]);
            shares[mesh->vertex_of[all]] += 1;
        }
    }
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        mesh->positions[i] = hed_mul3(1.0 / shares[i], mesh->positions[i]);
    }
    hed_free(shares);
    return HED_OK;
}

static void copy_triangles(const HedGarment* garment, const HedSewn* sewn, HedGarmentMesh* mesh) {
    for (int32_t p = 0; p < garment->panel_count; ++p) {
        const HedPanel* panel = garment->panels + p;
        for (int32_t t = 0; t < panel->triangle_count; ++t) {
            for (int32_t i = 0; i < 3; ++i) {
                int32_t v = panel->triangles[3 * (size_t)t + i];
                size_t corner = 3 * (size_t)mesh->triangle_count + (size_t)i;
                mesh->triangles[corner] = mesh->vertex_of[sewn->base[p] + v];
                mesh->corners[corner] = panel->material[v];
            }
            mesh->triangle_panels[mesh->triangle_count++] = p;
        }
    }
}

static void copy_seams(const HedGarment* garment, const HedSewn* sewn, HedSewing sewing,
                       HedGarmentMesh* mesh) {
    for (int32_t s = 0; s < garment->seam_count; ++s) {
        const HedSeam* seam = garment->seams + s;
        const int32_t* of[2] = {mesh->vertex_of + sewn->base[seam->sides[0].panel],
                                mesh->vertex_of + sewn->base[seam->sides[1].panel]};
        for (int32_t k = 0; k < seam->point_count; ++k) {
            int32_t a = of[0][seam->points[0][k]];
            int32_t b = of[1][seam->points[1][k]];
            // The tip of a dart is a point of both sides.
            if (sewing == HED_SEWING_STITCHES && a != b) {
                mesh->stitches[mesh->stitch_count][0] = a;
                mesh->stitches[mesh->stitch_count][1] = b;
                mesh->stitch_seams[mesh->stitch_count++] = s;
            }
            if (k > 0) {
                mesh->seam_edges[mesh->seam_edge_count++] =
                    (HedSeamEdge){of[0][seam->points[0][k - 1]], a, s, seam->angle};
            }
        }
    }
}

// Whether the triangle has the side from a to b in this direction.
static bool runs_from(const int32_t* triangle, int32_t a, int32_t b) {
    return (triangle[0] == a && triangle[1] == b) || (triangle[1] == a && triangle[2] == b) ||
           (triangle[2] == a && triangle[0] == b);
}

static bool is_turned(const HedGarmentMesh* mesh, const HedMeshEdge* edge) {
    return runs_from(mesh->triangles + 3 * (size_t)edge->triangle[0], edge->a, edge->b) ==
           runs_from(mesh->triangles + 3 * (size_t)edge->triangle[1], edge->a, edge->b);
}

static const HedMeshEdge* find_edge(const HedTopology* topology, int32_t a, int32_t b) {
    int32_t low = 0;
    int32_t high = topology->edge_count - 1;
    int32_t first = a < b ? a : b;
    int32_t second = a < b ? b : a;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        const HedMeshEdge* e = topology->edges + middle;
        bool before = e->a < first || (e->a == first && e->b < second);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return topology->edges + low;
}

// Rest angles of seams, seen from the front of each triangle.
static void set_angles(const HedGarment* garment, const HedTopology* topology,
                       HedGarmentMesh* mesh) {
    for (int32_t i = 0; i < mesh->seam_edge_count; ++i) {
        const HedSeamEdge* seam = mesh->seam_edges + i;
        const HedMeshEdge* edge = find_edge(topology, seam->a, seam->b);
        if (seam->angle == 0.0 || edge->triangle_count != 2) {
            continue;
        }
        int32_t number = (int32_t)(edge - topology->edges);
        int32_t panel = garment->seams[seam->seam].sides[0].panel;
        int first = mesh->triangle_panels[edge->triangle[0]] == panel ? 0 : 1;
        for (int k = 0; k < 2; ++k) {
            bool other_front = k != first && is_turned(mesh, edge);
            for (int side = 0; side < 3; ++side) {
                size_t at = 3 * (size_t)edge->triangle[k] + (size_t)side;
                if (topology->triangle_edges[at] == number) {
                    mesh->rest_angles[at] = other_front ? -seam->angle : seam->angle;
                }
            }
        }
    }
}

// The welded mesh is a surface; counts sides on which the front changes.
static HedStatus check_surface(const HedGarment* garment, HedGarmentMesh* mesh, HedError* error) {
    HedTopology topology = {0};
    HedStatus status = hed_topology_create(mesh->triangles, mesh->triangle_count,
                                           mesh->vertex_count, &topology, error);
    if (status != HED_OK) {
        return hed_fail_prefix(error, status, "welded garment: ");
    }
    for (int32_t e = 0; e < topology.edge_count; ++e) {
        const HedMeshEdge* edge = topology.edges + e;
        if (edge->triangle_count == 2) {
            mesh->turned_count += is_turned(mesh, edge);
        }
    }
    set_angles(garment, &topology, mesh);
    int32_t tangled = topology.nonmanifold_count + topology.duplicate_count;
    hed_topology_free(&topology);
    if (tangled > 0) {
        return hed_fail(error, HED_INVALID,
                        "welded garment: %d sides have more than two triangles; try a smaller "
                        "target size, or stitches instead of a weld",
                        tangled);
    }
    return HED_OK;
}

HedStatus hed_garment_mesh(const HedGarment* garment, HedSewing sewing, HedGarmentMesh* mesh,
                           HedError* error) {
    *mesh = (HedGarmentMesh){0};
    if ((int)sewing < 0 || sewing >= HED_SEWING_COUNT) {
        return hed_fail(error, HED_INVALID, "garment: no such kind of sewing, %d", (int)sewing);
    }
    HedSewn sewn = {0};
    HedStatus status = HED_OK;
    HED_TRY(hed_sewn_find(garment, &sewn, error));
    HED_TRY(allocate(garment, &sewn, mesh, error));
    HED_TRY(place_vertices(garment, &sewn, sewing, mesh, error));
    copy_triangles(garment, &sewn, mesh);
    copy_seams(garment, &sewn, sewing, mesh);
    HED_TRY(check_surface(garment, mesh, error));
done:
    hed_sewn_free(&sewn);
    if (status != HED_OK) {
        hed_garment_mesh_free(mesh);
    }
    return status;
}

void hed_garment_mesh_free(HedGarmentMesh* mesh) {
    if (!mesh) {
        return;
    }
    hed_free(mesh->positions);
    hed_free(mesh->triangles);
    hed_free(mesh->corners);
    hed_free(mesh->triangle_panels);
    hed_free(mesh->rest_angles);
    hed_free(mesh->stitches);
    hed_free(mesh->stitch_seams);
    hed_free(mesh->seam_edges);
    hed_free(mesh->vertex_of);
    *mesh = (HedGarmentMesh){0};
}
