// SPDX-License-Identifier: MIT
#include "contact/places.h"

#include "contact/ridges.h"
#include "geom/closest.h"
#include "math/quat.h"

// Nearest places are found to a part in so many powers of two of the edge or face, some microns of
// decimetres: beside a sharp corner, a millimetre away, the body is a millimetre deeper.
enum { EDGE_HALVINGS = 16, FACE_HALVINGS = 16, FACE_STEPS = 64 };

// The nearest point of an edge, if it lies inside: distance falls at the first end, rises at the
// last, and the place between is found by bisection on its slope.
static void nearest_on_edge(const HedContactSearch* search, int32_t edge, HedPlaces* places) {
    const HedContacts* c = search->contacts;
    int32_t a = c->surface.edges[2 * edge];
    int32_t b = c->surface.edges[2 * edge + 1];
    if (!isfinite(c->sample[a].distance) && !isfinite(c->sample[b].distance)) {
        return;
    }
    HedVec3 along = hed_sub3(search->x[b], search->x[a]);
    HedFieldSample at_a =
        isfinite(c->sample[a].distance) ? c->sample[a] : hed_places_sample(search, search->x[a]);
    HedFieldSample at_b =
        isfinite(c->sample[b].distance) ? c->sample[b] : hed_places_sample(search, search->x[b]);
    double reach = fmax(c->reach[a], c->reach[b]);
    bool inside = hed_dot3(at_a.normal, along) < 0.0 && hed_dot3(at_b.normal, along) > 0.0;
    if (!inside || 0.5 * (at_a.distance + at_b.distance - hed_norm3(along)) > reach) {
        return;
    }
    double low = 0.0;
    double high = 1.0;
    double distance = HUGE_VAL;
    for (int k = 0; k < EDGE_HALVINGS; ++k) {
        double middle = 0.5 * (low + high);
        HedFieldSample s = hed_places_sample(search, hed_lerp3(search->x[a], search->x[b], middle));
        distance = s.distance;
        if (hed_dot3(s.normal, along) < 0.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    if (distance < reach) {
        places->place[places->count++] = (HedPlace){{0.5 * (low + high)}, distance};
    }
}

// Descends from the middle of a face along the slope of distance, staying on the face.
static HedClosestTriangle descend(const HedContactSearch* search, const HedVec3 p[3],
                                  double* distance) {
    HedVec3 middle = hed_mul3(1.0 / 3.0, hed_add3(p[0], hed_add3(p[1], p[2])));
    HedClosestTriangle best = hed_closest_triangle(middle, p[0], p[1], p[2]);
    HedFieldSample here = hed_places_sample(search, best.point);
    double step = 0.5 * fmax(hed_distance3(p[0], p[1]), hed_distance3(p[1], p[2]));
    double least = ldexp(step, -FACE_HALVINGS);
    for (int k = 0; k < FACE_STEPS && step > least; ++k) {
        HedVec3 goal = hed_madd3(best.point, -step, here.normal);
        HedClosestTriangle next = hed_closest_triangle(goal, p[0], p[1], p[2]);
        HedFieldSample there = hed_places_sample(search, next.point);
        if (there.distance < here.distance) {
            best = next;
            here = there;
        } else {
            step *= 0.5;
        }
    }
    *distance = here.distance;
    return best;
}

static void nearest_on_face(const HedContactSearch* search, int32_t face, HedPlaces* places) {
    const HedContacts* c = search->contacts;
    const int32_t* point = c->surface.triangles + 3 * (int64_t)face;
    double nearest = HUGE_VAL;
    double reach = 0.0;
    HedVec3 p[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = search->x[point[k]];
        nearest = fmin(nearest, c->sample[point[k]].distance);
        reach = fmax(reach, c->reach[point[k]]);
    }
    double size =
        fmax(hed_distance3(p[0], p[1]), fmax(hed_distance3(p[1], p[2]), hed_distance3(p[2], p[0])));
    if (!(nearest - 0.6 * size < reach)) {
        return;
    }
    double distance = HUGE_VAL;
    HedClosestTriangle best = descend(search, p, &distance);
    double least = fmin(best.weight[0], fmin(best.weight[1], best.weight[2]));
    if (distance < reach && least > 0.002 && distance < nearest) {
        places->place[places->count++] = (HedPlace){{best.weight[0], best.weight[1]}, distance};
    }
}

// Adds the places over ridges of a mesh. Explicit penalties have none: their steps are bounded for
// one place of each edge and face.
static bool add_ridges(const HedContactSearch* search, const int32_t* point, int32_t count,
                       HedPlaces* places) {
    const HedContacts* c = search->contacts;
    const HedMeshField* mesh = c->bodies[search->body].field.mesh;
    double nearest = HUGE_VAL;
    double reach = 0.0;
    double around = 0.0; // m, from any place of it to the nearest corner, at most
    HedVec3 corner[3];
    for (int32_t k = 0; k < count; ++k) {
        corner[k] = hed_pose_apply_inverse(search->motion.pose, search->x[point[k]]);
        nearest = fmin(nearest, c->sample[point[k]].distance);
        reach = fmax(reach, c->reach[point[k]]);
        around = k > 0 ? fmax(around, hed_distance3(corner[k], corner[k - 1])) : 0.0;
    }
    around = fmax(around, hed_distance3(corner[count - 1], corner[0]));
    bool is_near = nearest - 0.6 * around < reach && c->only != HED_RESPONSE_PENALTY;
    return !mesh || !is_near || hed_ridges_find(mesh, corner, count, reach, places);
}

static void search_edge(const HedContactSearch* search, int32_t edge) {
    HedContacts* c = search->contacts;
    HedPlaces places = {0};
    nearest_on_edge(search, edge, &places);
    bool ok = add_ridges(search, c->surface.edges + 2 * (int64_t)edge, 2, &places);
    for (int32_t k = 0; k < c->places; ++k) {
        bool is = ok && k < places.count;
        double none = ok ? -1.0 : (double)NAN;
        c->edge_at[(int64_t)c->places * edge + k] = is ? places.place[k].at[0] : none;
    }
}

static void search_face(const HedContactSearch* search, int32_t face) {
    HedContacts* c = search->contacts;
    HedPlaces places = {0};
    nearest_on_face(search, face, &places);
    bool ok = add_ridges(search, c->surface.triangles + 3 * (int64_t)face, 3, &places);
    for (int32_t k = 0; k < c->places; ++k) {
        double* at = c->face_at + 2 * ((int64_t)c->places * face + k);
        bool is = ok && k < places.count;
        double none = ok ? -1.0 : (double)NAN;
        at[0] = is ? places.place[k].at[0] : none;
        at[1] = is ? places.place[k].at[1] : none;
    }
}

void hed_places_find(const HedContactSearch* search) {
    const HedContacts* c = search->contacts;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(c->team, INT64_C(30) * c->surface.triangle_count))
    for (int32_t e = 0; e < c->surface.edge_count; ++e) {
        search_edge(search, e);
    }
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(c->team, INT64_C(30) * c->surface.triangle_count))
    for (int32_t f = 0; f < c->surface.triangle_count; ++f) {
        search_face(search, f);
    }
}
