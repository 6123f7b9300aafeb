// SPDX-License-Identifier: MIT
// Rigid zones: points that could not be brought apart otherwise move as one body from the start of
// the step, with the momentum and the angular momentum they have.
//
// A body moved on straight lines from x to c + R (x - c) is, on the way, x mapped by (1 - t) I + t
// R: for a turn below 180 degrees that is invertible, so nothing inside the zone meets. Impacts
// with others join them to the zone. The last resort of the last resort is one zone of all points.
#include "contact/self.h"

static const double LARGEST_TURN = 1.0; // rad

static int32_t find_root(int32_t* zone, int32_t i) {
    while (zone[i] != i) {
        zone[i] = zone[zone[i]];
        i = zone[i];
    }
    return i;
}

static bool is_inside(HedSelf* self, const HedSelfStop* stop, int32_t* root) {
    for (int k = 0; k < 4; ++k) {
        if (self->zone[stop->point[k]] < 0) {
            return false;
        }
    }
    *root = find_root(self->zone, stop->point[0]);
    for (int k = 1; k < 4; ++k) {
        if (find_root(self->zone, stop->point[k]) != *root) {
            return false;
        }
    }
    return true;
}

static void join(HedSelf* self, const HedSelfStop* stop) {
    for (int k = 0; k < 4; ++k) {
        int32_t i = stop->point[k];
        if (self->zone[i] < 0) {
            self->zone[i] = i;
        }
        int32_t a = find_root(self->zone, stop->point[0]);
        int32_t b = find_root(self->zone, i);
        int32_t low = a < b ? a : b;
        self->is_shifted[low] = self->is_shifted[a] || self->is_shifted[b];
        self->zone[a < b ? b : a] = low;
    }
}

static bool is_pinned(const HedSelfStep* step, const HedSelfStop* stop) {
    for (int k = 0; k < 4; ++k) {
        if (step->inverse_mass[stop->point[k]] > 0.0) {
            return false;
        }
    }
    return true;
}

// Puts the four points of each new stop into one zone. A zone that meets itself has turned too far:
// it is only shifted from now on. False if it was so already, or if all four are pins.
static bool join_all(HedSelf* self, const HedSelfStep* step, int32_t from, int32_t worst[4]) {
    int32_t root;
    for (int32_t k = from; k < self->stops.count; ++k) {
        const HedSelfStop* stop = &self->stops.data[k];
        if (is_pinned(step, stop) || (is_inside(self, stop, &root) && self->is_shifted[root])) {
            for (int i = 0; i < 4; ++i) {
                worst[i] = stop->point[i];
            }
            return false;
        }
    }
    for (int32_t k = from; k < self->stops.count; ++k) {
        if (is_inside(self, &self->stops.data[k], &root)) {
            self->is_shifted[root] = true;
        }
    }
    for (int32_t k = from; k < self->stops.count; ++k) {
        join(self, &self->stops.data[k]);
    }
    return true;
}

// The lists of zones: next point of the same zone, and the first one, by root; -1 ends.
typedef struct Lists {
    int32_t* next;
    int32_t* first;
} Lists;

static Lists list_zones(HedSelf* self) {
    int32_t n = self->def.point_count;
    Lists lists = {self->members.data, self->members.data + n};
    for (int32_t i = 0; i < n; ++i) {
        lists.first[i] = -1;
    }
    for (int32_t i = n - 1; i >= 0; --i) {
        if (self->zone[i] >= 0) {
            int32_t root = find_root(self->zone, i);
            lists.next[i] = lists.first[root];
            lists.first[root] = i;
        }
    }
    return lists;
}

// Where a zone goes: a shift, and a turn about the centre.
typedef struct Rigid {
    HedVec3 centre, shift, turn;
} Rigid;

// Solves (inertia + a little) turn = spin, by Cramer's rule; the little keeps points on one line
// from turning about it.
static HedVec3 turn_of(HedMat3 inertia, HedVec3 spin) {
    double little = 1e-9 * (inertia.m[0][0] + inertia.m[1][1] + inertia.m[2][2]);
    HedVec3 row[3];
    for (int k = 0; k < 3; ++k) {
        inertia.m[k][k] += little;
        row[k] = hed_vec3(inertia.m[k][0], inertia.m[k][1], inertia.m[k][2]);
    }
    HedVec3 a = hed_cross3(row[1], row[2]);
    double det = hed_dot3(row[0], a);
    if (!(det > 0.0)) {
        return hed_vec3(0.0, 0.0, 0.0);
    }
    HedVec3 sum = hed_mul3(spin.x, a);
    sum = hed_madd3(sum, spin.y, hed_cross3(row[2], row[0]));
    sum = hed_madd3(sum, spin.z, hed_cross3(row[0], row[1]));
    HedVec3 turn = hed_mul3(1.0 / det, sum);
    double angle = hed_norm3(turn);
    return angle > LARGEST_TURN ? hed_mul3(LARGEST_TURN / angle, turn) : turn;
}

static Rigid free_motion(const HedSelf* self, const HedSelfStep* step, Lists lists, int32_t root) {
    Rigid rigid = {0};
    double mass = 0.0;
    for (int32_t i = lists.first[root]; i >= 0; i = lists.next[i]) {
        double m = 1.0 / step->inverse_mass[i];
        mass += m;
        rigid.centre = hed_madd3(rigid.centre, m, step->start[i]);
        rigid.shift = hed_madd3(rigid.shift, m, hed_sub3(self->held[i], step->start[i]));
    }
    rigid.centre = hed_mul3(1.0 / mass, rigid.centre);
    rigid.shift = hed_mul3(1.0 / mass, rigid.shift);
    if (self->is_shifted[root]) {
        return rigid;
    }
    HedMat3 inertia = {{{0}}};
    HedVec3 spin = {0};
    for (int32_t i = lists.first[root]; i >= 0; i = lists.next[i]) {
        double m = 1.0 / step->inverse_mass[i];
        HedVec3 arm = hed_sub3(step->start[i], rigid.centre);
        HedVec3 way = hed_sub3(self->held[i], step->start[i]);
        spin = hed_madd3(spin, m, hed_cross3(arm, way));
        inertia = hed_mat3_add(inertia, hed_mat3_outer_diag(-m, arm, m * hed_dot3(arm, arm)));
    }
    rigid.turn = turn_of(inertia, spin);
    return rigid;
}

// A zone with pins goes where they go, which must be the same way for all of them.
static bool held_motion(const HedSelf* self, const HedSelfStep* step, Lists lists, int32_t root,
                        Rigid* rigid, int32_t worst[4]) {
    int32_t pin = -1;
    for (int32_t i = lists.first[root]; i >= 0; i = lists.next[i]) {
        if (step->inverse_mass[i] > 0.0) {
            continue;
        }
        HedVec3 way = hed_sub3(step->end[i], step->start[i]);
        if (pin < 0) {
            *rigid = (Rigid){.shift = way};
            pin = i;
        } else if (hed_distance3(way, rigid->shift) > 1e-6 * self->def.half_thickness[i]) {
            worst[0] = worst[2] = pin;
            worst[1] = worst[3] = i;
            return false;
        }
    }
    if (pin < 0) {
        *rigid = free_motion(self, step, lists, root);
    }
    return true;
}

// Rodrigues' formula for the turned arm, less the arm.
static HedVec3 turned(HedVec3 arm, HedVec3 turn) {
    double angle = hed_norm3(turn);
    if (!(angle > 0.0)) {
        return hed_vec3(0.0, 0.0, 0.0);
    }
    HedVec3 axis = hed_mul3(1.0 / angle, turn);
    HedVec3 across = hed_cross3(axis, arm);
    double half = sin(0.5 * angle);
    return hed_madd3(hed_mul3(sin(angle), across), 2.0 * half * half, hed_cross3(axis, across));
}

static void move_zone(HedSelf* self, const HedSelfStep* step, Lists lists, int32_t root,
                      const Rigid* rigid) {
    for (int32_t i = lists.first[root]; i >= 0; i = lists.next[i]) {
        if (!(step->inverse_mass[i] > 0.0)) {
            continue;
        }
        HedVec3 way = turned(hed_sub3(step->start[i], rigid->centre), rigid->turn);
        step->end[i] = hed_add3(step->start[i], hed_add3(rigid->shift, way));
        self->is_new[i] = true;
    }
}

bool hed_self_rigidify(HedSelf* self, const HedSelfStep* step, int32_t from, int32_t worst[4]) {
    if (!join_all(self, step, from, worst)) {
        return false;
    }
    Lists lists = list_zones(self);
    for (int32_t root = 0; root < self->def.point_count; ++root) {
        Rigid rigid;
        if (lists.first[root] < 0) {
            continue;
        }
        if (!held_motion(self, step, lists, root, &rigid, worst)) {
            return false;
        }
        move_zone(self, step, lists, root, &rigid);
    }
    return true;
}

void hed_self_count_zones(HedSelf* self, HedSelfReport* report) {
    for (int32_t i = 0; i < self->def.point_count; ++i) {
        report->zone_points += self->zone[i] >= 0;
        report->zone_count += self->zone[i] == i;
    }
}
