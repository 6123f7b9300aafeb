// SPDX-License-Identifier: MIT
// Which crossings of a fabric its yarns have come out of.
//
// No yarn passes through another, so two yarns that cross go on crossing until an end of one of
// them has slid past the other. From where the crossing was at the start it is followed downhill to
// where the two are nearest to each other now. It is gone if that is at the end of one of them with
// the other lying beyond it, or if they are far apart.
#include "sim/yarn_crossings.h"
#include "base/alloc.h"
#include "geom/closest.h"
#include "sim/internal.h"

#include <stdio.h>
#include <string.h>

static const double FAR = 3.0;    // of r_i + r_j: the centre lines of what does not cross any more
static const double BEYOND = 0.5; // sine of the angle by which what is passed lies beyond an end

// How a crossing is.
enum { HELD, FIRST_OFF, SECOND_OFF, APART };

// --- creation

static HedStatus check_place(const HedYarnsDef* def, int32_t k, double at, HedError* error) {
    bool is_there = at >= 0.0 && at <= def->vertex_count - 1.0;
    return is_there ? HED_OK
                    : hed_fail(error, HED_INVALID,
                               "yarns '%s': crossing %d is at %g, and there are vertices 0 to %d",
                               def->name, k, at, def->vertex_count - 1);
}

static HedStatus allocate(const HedYarnsDef* def, HedFabricCrossings* own, HedError* error) {
    own->list = HED_NEW_ARRAY(HedYarnCrossing, def->crossing_count);
    own->curve = HED_NEW_ARRAY(int32_t, def->vertex_count);
    own->first = HED_NEW_ARRAY(int32_t, (int64_t)def->curve_count + 1);
    own->label = def->labels ? HED_NEW_ARRAY(HedYarnLabel, def->curve_count) : NULL;
    bool ok = own->list && own->curve && own->first && (own->label || !def->labels);
    return ok ? HED_OK : hed_fail_memory(error, "crossings of yarns");
}

HedStatus hed_fabric_crossings_create(const HedYarnsDef* def, HedFabricCrossings* crossings,
                                      HedError* error) {
    HedStatus status = HED_OK;
    HedFabricCrossings own = {0};
    *crossings = own;
    if (def->crossing_count <= 0) {
        return HED_OK;
    }
    for (int32_t k = 0; k < def->crossing_count; ++k) {
        HED_TRY(check_place(def, k, def->crossings[k].over, error));
        HED_TRY(check_place(def, k, def->crossings[k].under, error));
    }
    HED_TRY(allocate(def, &own, error));
    own.count = def->crossing_count;
    memcpy(own.list, def->crossings, sizeof *own.list * (size_t)own.count);
    for (int32_t c = 0; c < def->curve_count; ++c) {
        own.first[c] = def->curves[c].first;
        for (int32_t k = 0; k < def->curves[c].count; ++k) {
            own.curve[def->curves[c].first + k] = c;
        }
    }
    own.first[def->curve_count] = def->vertex_count;
    if (own.label) {
        memcpy(own.label, def->labels, sizeof *own.label * (size_t)def->curve_count);
    }
    *crossings = own;
    return HED_OK;
done:
    hed_fabric_crossings_free(&own);
    return status;
}

void hed_fabric_crossings_free(HedFabricCrossings* crossings) {
    hed_free(crossings->list);
    hed_free(crossings->curve);
    hed_free(crossings->first);
    hed_free(crossings->label);
    *crossings = (HedFabricCrossings){0};
}

// --- following

// One of the two yarns.
typedef struct Strand {
    const HedCloth* cloth;
    const HedVec3* x;
    int32_t curve;
    int32_t first; // vertex
    int32_t count; // segments
    double radius; // m
    bool is_closed;
    int32_t segment; // where it is nearest to the other one
} Strand;

static Strand strand_of(const HedSim* sim, const HedCloth* cloth, double at) {
    const HedFabricCrossings* own = &cloth->crossings;
    int32_t vertex = (int32_t)at;
    int32_t c = own->curve[vertex];
    const HedCurve* curve = &sim->strand_list.data[cloth->first_curve + c];
    int32_t count = own->first[c + 1] - own->first[c] - (curve->is_closed ? 0 : 1);
    return (Strand){cloth,
                    sim->x.data,
                    c,
                    own->first[c],
                    count,
                    curve->radius,
                    curve->is_closed,
                    hed_min_i32(vertex - own->first[c], count - 1)};
}

static HedVec3 vertex_of(const Strand* s, int32_t k) {
    int32_t vertices = s->count + (s->is_closed ? 0 : 1);
    return hed_cloth_mix(s->cloth, s->first + k % vertices, s->x);
}

static HedClosestPair nearest(const Strand* a, int32_t p, const Strand* b, int32_t q) {
    return hed_closest_segments(vertex_of(a, p), vertex_of(a, p + 1), vertex_of(b, q),
                                vertex_of(b, q + 1));
}

// Goes downhill to where two yarns are nearest to each other, a few segments at a time.
static HedClosestPair follow(Strand* a, Strand* b) {
    enum { STRIDE = 2, MOST = 10000 };
    HedClosestPair best = nearest(a, a->segment, b, b->segment);
    bool has_moved = true;
    for (int32_t k = 0; k < MOST && has_moved; ++k) {
        int32_t p = a->segment, q = b->segment;
        has_moved = false;
        for (int32_t i = hed_max_i32(0, p - STRIDE); i <= p + STRIDE && i < a->count; ++i) {
            for (int32_t j = hed_max_i32(0, q - STRIDE); j <= q + STRIDE && j < b->count; ++j) {
                HedClosestPair pair = nearest(a, i, b, j);
                if (pair.distance_squared < best.distance_squared) {
                    best = pair;
                    a->segment = i;
                    b->segment = j;
                    has_moved = true;
                }
            }
        }
    }
    return best;
}

// Whether a yarn is nearest to the other one, which lies that way, at an end and beyond it.
static bool is_off(const Strand* s, double part, HedVec3 way) {
    bool is_start = s->segment == 0 && part <= 0.0;
    bool is_end = s->segment == s->count - 1 && part >= 1.0;
    if (s->is_closed || !(is_start || is_end)) {
        return false;
    }
    HedVec3 along = hed_sub3(vertex_of(s, s->segment + 1), vertex_of(s, s->segment));
    double outward = hed_dot3(is_start ? hed_mul3(-1.0, along) : along, way);
    return outward > BEYOND * hed_norm3(along) * hed_norm3(way);
}

static int find_state(Strand* a, Strand* b, HedVec3* place) {
    HedClosestPair pair = follow(a, b);
    HedVec3 way = hed_sub3(pair.second, pair.first);
    double reach = FAR * (a->radius + b->radius);
    *place = hed_lerp3(pair.first, pair.second, 0.5);
    if (is_off(a, pair.s, way)) {
        return FIRST_OFF;
    }
    if (is_off(b, pair.t, hed_mul3(-1.0, way))) {
        return SECOND_OFF;
    }
    return pair.distance_squared > reach * reach ? APART : HELD;
}

static int state_of(const HedSim* sim, const HedCloth* cloth, int32_t crossing) {
    const HedYarnCrossing* own = &cloth->crossings.list[crossing];
    Strand a = strand_of(sim, cloth, own->over);
    Strand b = strand_of(sim, cloth, own->under);
    HedVec3 place;
    return find_state(&a, &b, &place);
}

// Looks for all crossings of a set. states: of each; NULL: there was no memory for them.
static void look(const HedSim* sim, const HedCloth* cloth, uint8_t* states) {
    int32_t count = states ? cloth->crossings.count : 0;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(1000) * count))
    for (int32_t k = 0; k < count; ++k) {
        states[k] = (uint8_t)state_of(sim, cloth, k);
    }
}

// How many are gone, and which (NULL: not wanted).
static int32_t count_lost(const HedSim* sim, const HedCloth* cloth, const uint8_t* states,
                          bool* is_lost) {
    int32_t lost = 0;
    for (int32_t k = 0; k < cloth->crossings.count; ++k) {
        int state = states ? states[k] : state_of(sim, cloth, k);
        lost += state != HELD;
        if (is_lost) {
            is_lost[k] = state != HELD;
        }
    }
    return lost;
}

// --- reports

int32_t hed_yarns_lost(const HedSim* sim, HedYarnsId yarns, bool* is_lost) {
    const HedCloth* cloth = hed_sim_find_yarns(sim, yarns, NULL);
    if (!cloth || !sim->is_prepared) {
        return 0;
    }
    uint8_t* states = HED_NEW_ARRAY(uint8_t, cloth->crossings.count);
    look(sim, cloth, states);
    int32_t lost = count_lost(sim, cloth, states, is_lost);
    hed_free(states);
    return lost;
}

int32_t hed_yarns_crossing_count(const HedSim* sim, HedYarnsId yarns) {
    const HedCloth* cloth = hed_sim_find_yarns(sim, yarns, NULL);
    return cloth ? cloth->crossings.count : 0;
}

static const char* name_of(const HedFabricCrossings* own, int32_t curve, char text[32]) {
    if (own->label && own->label[curve].text[0]) {
        return own->label[curve].text;
    }
    snprintf(text, 32, "yarn %d", (int)curve);
    return text;
}

// "pick 3 has come off end 1 of 'cloth' at (0.1, 0, 0)"
static void tell_crossing(const HedSim* sim, const HedCloth* cloth, int32_t k, char* text,
                          size_t size) {
    const HedFabricCrossings* own = &cloth->crossings;
    Strand a = strand_of(sim, cloth, own->list[k].over);
    Strand b = strand_of(sim, cloth, own->list[k].under);
    char names[2][32];
    HedVec3 x;
    bool is_second = find_state(&a, &b, &x) == SECOND_OFF;
    snprintf(text, size, "%s has come off %s of '%.60s' at (%.4g, %.4g, %.4g)",
             name_of(own, is_second ? b.curve : a.curve, names[0]),
             name_of(own, is_second ? a.curve : b.curve, names[1]), cloth->name, x.x, x.y, x.z);
}

// Marks the yarns that came off others; of two that are apart either may have.
static void mark_yarns(const HedCloth* cloth, const uint8_t* states, bool* has_come_off) {
    const HedFabricCrossings* own = &cloth->crossings;
    for (int32_t k = 0; k < own->count; ++k) {
        int32_t a = own->curve[(int32_t)own->list[k].over];
        int32_t b = own->curve[(int32_t)own->list[k].under];
        has_come_off[a] |= states[k] == FIRST_OFF || states[k] == APART;
        has_come_off[b] |= states[k] == SECOND_OFF || states[k] == APART;
    }
}

// Appends "pick 3, pick 5"; what has no room is counted.
static void list_yarns(const HedCloth* cloth, const bool* has_come_off, char* text, size_t size) {
    const size_t room = 48; // for a name and what is left over
    int32_t more = 0;
    size_t used = strlen(text);
    for (int32_t c = 0; c < cloth->curve_count; ++c) {
        char name[32];
        bool fits = used + room < size;
        more += has_come_off[c] && !fits;
        if (has_come_off[c] && fits) {
            int wrote = snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                 name_of(&cloth->crossings, c, name));
            used += (size_t)hed_max_i32(wrote, 0);
        }
    }
    if (more > 0) {
        snprintf(text + used, size - used, " and %d more", (int)more);
    }
}

// What has come off in a set; without memory no names.
static int32_t tell_cloth(const HedSim* sim, const HedCloth* cloth, HedLost* lost) {
    uint8_t* states = HED_NEW_ARRAY(uint8_t, cloth->crossings.count);
    bool* has_come_off = HED_NEW_ARRAY(bool, cloth->curve_count);
    look(sim, cloth, states);
    int32_t here = count_lost(sim, cloth, states, NULL);
    if (here > 0 && states && has_come_off) {
        mark_yarns(cloth, states, has_come_off);
        list_yarns(cloth, has_come_off, lost->yarns, sizeof lost->yarns);
        for (int32_t k = 0; k < cloth->crossings.count && !lost->first[0]; ++k) {
            if (states[k] != HELD) {
                tell_crossing(sim, cloth, k, lost->first, sizeof lost->first);
            }
        }
    }
    hed_free(states);
    hed_free(has_come_off);
    return here;
}

int32_t hed_sim_lost(const HedSim* sim, HedLost* lost) {
    HedLost unwanted = {0};
    lost = lost ? lost : &unwanted;
    *lost = (HedLost){0};
    for (int32_t c = 0; sim->is_prepared && c < sim->cloths.count; ++c) {
        const HedCloth* cloth = &sim->cloths.data[c];
        if (cloth->crossings.count > 0) {
            lost->count += tell_cloth(sim, cloth, lost);
            lost->of += cloth->crossings.count;
        }
    }
    return lost->count;
}
