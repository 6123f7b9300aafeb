// SPDX-License-Identifier: MIT
#include "contact/self.h"

#include "base/alloc.h"

#include <string.h>

const char* hed_self_reason_name(HedSelfReason reason) {
    static const char* const NAMES[] = {"clear", "stuck", "not finite"};
    return NAMES[reason];
}

static HedStatus check_def(const HedSelfDef* def, HedError* error) {
    for (int32_t i = 0; i < def->point_count; ++i) {
        if (!hed_is_finite3(def->rest[i])) {
            return hed_fail(error, HED_INVALID,
                            "point %d: place at rest must be finite, got (%g, %g, %g)", i,
                            def->rest[i].x, def->rest[i].y, def->rest[i].z);
        }
        if (!(def->half_thickness[i] > 0.0) || !isfinite(def->half_thickness[i])) {
            return hed_fail(error, HED_INVALID,
                            "point %d: half thickness must be positive and finite, got %g m", i,
                            def->half_thickness[i]);
        }
    }
    if (!(def->friction >= 0.0) || !isfinite(def->friction)) {
        return hed_fail(error, HED_INVALID, "friction must not be negative, got %g", def->friction);
    }
    return HED_OK;
}

static int32_t find_piece(int32_t* piece, int32_t i) {
    while (piece[i] != i) {
        piece[i] = piece[piece[i]];
        i = piece[i];
    }
    return i;
}

static void find_pieces(HedSelf* self) {
    for (int32_t i = 0; i < self->def.point_count; ++i) {
        self->piece[i] = i;
    }
    for (int32_t e = 0; e < self->topology.edge_count; ++e) {
        int32_t a = find_piece(self->piece, self->topology.edges[e].a);
        int32_t b = find_piece(self->piece, self->topology.edges[e].b);
        self->piece[a > b ? a : b] = a > b ? b : a;
    }
    for (int32_t s = 0; s < self->def.segment_count; ++s) {
        int32_t a = find_piece(self->piece, self->def.segments[2 * (int64_t)s]);
        int32_t b = find_piece(self->piece, self->def.segments[2 * (int64_t)s + 1]);
        self->piece[a > b ? a : b] = a > b ? b : a;
    }
    for (int32_t i = 0; i < self->def.point_count; ++i) {
        self->piece[i] = find_piece(self->piece, i);
    }
}

static HedStatus allocate(HedSelf* self, HedError* error) {
    int64_t n = self->def.point_count;
    int64_t all = (int64_t)self->def.triangle_count + self->def.segment_count;
    self->triangles = HED_NEW_ARRAY(int32_t, 3 * all);
    self->is_off = HED_NEW_ARRAY(bool, self->def.segment_count);
    self->seam = self->def.seam ? HED_NEW_ARRAY(int32_t, n) : NULL;
    self->start = self->def.seam ? HED_NEW_ARRAY(HedVec3, n) : NULL;
    self->rest = HED_NEW_ARRAY(HedVec3, n);
    self->piece = HED_NEW_ARRAY(int32_t, n);
    self->is_loose = HED_NEW_ARRAY(bool, n);
    self->reach = HED_NEW_ARRAY(double, n);
    self->is_new = HED_NEW_ARRAY(bool, n);
    self->proposed = HED_NEW_ARRAY(HedVec3, n);
    self->held = HED_NEW_ARRAY(HedVec3, n);
    self->zone = HED_NEW_ARRAY(int32_t, n);
    self->is_shifted = HED_NEW_ARRAY(bool, n);
    self->is_apart = self->def.is_apart ? HED_NEW_ARRAY(bool, n) : NULL;
    self->is_kept = self->def.is_kept ? HED_NEW_ARRAY(bool, n) : NULL;
    bool ok = self->triangles && self->rest && self->piece && self->is_loose && self->reach &&
              (self->is_apart || !self->def.is_apart) && self->is_off &&
              (self->is_kept || !self->def.is_kept) &&
              ((self->seam && self->start) || !self->def.seam) && self->is_new && self->proposed &&
              self->held && self->zone && self->is_shifted;
    return ok ? HED_OK : hed_fail_memory(error, "self-collision");
}

static HedStatus check_segments(const HedSelfDef* def, HedError* error) {
    for (int32_t s = 0; s < def->segment_count; ++s) {
        const int32_t* p = def->segments + 2 * (int64_t)s;
        if (p[0] < 0 || p[1] < 0 || p[0] >= def->point_count || p[1] >= def->point_count ||
            p[0] == p[1]) {
            return hed_fail(error, HED_INVALID,
                            "segment %d: must have two different points within 0 to %d, got %d "
                            "and %d",
                            s, def->point_count - 1, p[0], p[1]);
        }
    }
    return HED_OK;
}

static void copy_segments(HedSelf* self) {
    for (int32_t s = 0; s < self->def.segment_count; ++s) {
        const int32_t* p = self->def.segments + 2 * (int64_t)s;
        int32_t* to = self->triangles + 3 * ((int64_t)self->def.triangle_count + s);
        to[0] = p[0];
        to[1] = to[2] = p[1];
    }
}

HedStatus hed_self_create(HedSelf* self, const HedSelfDef* def, HedError* error) {
    HedStatus status = HED_OK;
    *self = (HedSelf){.def = *def};
    HED_TRY(check_def(def, error));
    HED_TRY(check_segments(def, error));
    HED_TRY(allocate(self, error));
    HED_TRY(hed_topology_create(def->triangles, def->triangle_count, def->point_count,
                                &self->topology, error));
    if (def->triangle_count > 0) {
        memcpy(self->triangles, def->triangles, 3 * (size_t)def->triangle_count * sizeof(int32_t));
    }
    if (def->point_count > 0) {
        memcpy(self->rest, def->rest, (size_t)def->point_count * sizeof(HedVec3));
    }
    if (self->is_apart) {
        memcpy(self->is_apart, def->is_apart, (size_t)def->point_count * sizeof(bool));
    }
    if (self->is_kept) {
        memcpy(self->is_kept, def->is_kept, (size_t)def->point_count * sizeof(bool));
    }
    if (self->seam) {
        memcpy(self->seam, def->seam, (size_t)def->point_count * sizeof(int32_t));
        memcpy(self->start, def->start, (size_t)def->point_count * sizeof(HedVec3));
    }
    copy_segments(self);
    find_pieces(self);
    self->def.is_apart = self->is_apart;
    self->def.is_kept = self->is_kept;
    self->def.seam = self->seam;
    self->def.start = self->start;
    self->def.segments = NULL;
    self->def.triangles = self->triangles;
    self->def.rest = self->rest;
    HED_TRY(hed_surface_tree_create(&self->tree, self->triangles, def->segment_count,
                                    &self->topology, self->rest, error));
done:
    if (status != HED_OK) {
        hed_self_free(self);
    }
    return status;
}

void hed_self_free(HedSelf* self) {
    if (!self) {
        return;
    }
    hed_free(self->triangles);
    hed_free(self->rest);
    hed_free(self->piece);
    hed_free(self->is_loose);
    hed_free(self->is_apart);
    hed_free(self->is_kept);
    hed_free(self->seam);
    hed_free(self->start);
    hed_free(self->is_off);
    hed_free(self->reach);
    hed_free(self->is_new);
    hed_free(self->proposed);
    hed_free(self->held);
    hed_free(self->zone);
    hed_free(self->is_shifted);
    hed_free(self->contacts.data);
    hed_free(self->links.data);
    hed_free(self->use_weight.data);
    hed_free(self->pulls.data);
    hed_free(self->touched.data);
    hed_free(self->touched_first.data);
    hed_free(self->uses.data);
    hed_free(self->acts.data);
    hed_free(self->hits.data);
    hed_free(self->is_hit.data);
    hed_free(self->stops.data);
    hed_free(self->members.data);
    hed_pairs_free(&self->pairs);
    hed_surface_tree_free(&self->tree);
    hed_topology_free(&self->topology);
    *self = (HedSelf){0};
}

static void edge_points(const HedSelf* self, int32_t edge, int32_t point[2]) {
    const HedTopology* topology = &self->topology;
    if (edge < topology->edge_count) {
        point[0] = topology->edges[edge].a;
        point[1] = topology->edges[edge].b;
        return;
    }
    int64_t segment = (int64_t)topology->triangle_count + edge - topology->edge_count;
    point[0] = self->triangles[3 * segment];
    point[1] = self->triangles[3 * segment + 1];
}

HedMeeting hed_self_pair(const HedSelf* self, int32_t k, int32_t point[4]) {
    if (k < self->pairs.faces.count) {
        HedPair pair = self->pairs.faces.data[k];
        const int32_t* corner = self->triangles + 3 * (int64_t)pair.b;
        point[0] = pair.a;
        point[1] = corner[0];
        point[2] = corner[1];
        point[3] = corner[2];
        return HED_POINT_TRIANGLE;
    }
    HedPair pair = self->pairs.edges.data[k - self->pairs.faces.count];
    edge_points(self, pair.a, point);
    edge_points(self, pair.b, point + 2);
    return HED_SEGMENT_SEGMENT;
}

static bool are_sewn(const int32_t* seam, HedMeeting meeting, const int32_t point[4]) {
    int first = meeting == HED_POINT_TRIANGLE ? 1 : 2;
    for (int i = 0; i < first; ++i) {
        for (int j = first; j < 4; ++j) {
            if (seam[point[i]] >= 0 && seam[point[i]] == seam[point[j]]) {
                return true;
            }
        }
    }
    return false;
}

double hed_self_sewn_distance(const HedSelf* self, HedMeeting meeting, const int32_t point[4]) {
    if (!self->seam || !are_sewn(self->seam, meeting, point)) {
        return HUGE_VAL;
    }
    HedVec3 start[4];
    for (int k = 0; k < 4; ++k) {
        start[k] = self->start[point[k]];
    }
    double half = 0.5 * hed_nearest(meeting, start).distance;
    return half > HED_SELF_SEPARATION * hed_self_thickness(self, meeting, point) ? half : 0.0;
}

double hed_self_thickness(const HedSelf* self, HedMeeting meeting, const int32_t point[4]) {
    const double* half = self->def.half_thickness;
    double first = half[point[0]];
    double second = half[point[3]];
    if (meeting == HED_POINT_TRIANGLE) {
        second = fmin(second, fmin(half[point[1]], half[point[2]]));
    } else {
        first = fmin(first, half[point[1]]);
        second = fmin(second, half[point[2]]);
    }
    return first + second;
}
