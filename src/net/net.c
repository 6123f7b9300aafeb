// SPDX-License-Identifier: MIT
// From a fabric to its crossing network.
#include "fabric/fabric.h"
#include "fabric/warnings.h"
#include "geom/sort.h"
#include "net/maker.h"

#include <inttypes.h>
#include <string.h>

enum { STAMP = 0x6e657477 };

HedNetDef hed_net_def_default(void) {
    return (HedNetDef){.tail = 0.5, .bow = 0.5, .stamp = STAMP};
}

void hed_net_free(HedNet* net) {
    if (!net) {
        return;
    }
    hed_warnings_free(net->notes, net->note_count);
    hed_free(net->hinges);
    hed_free(net->clasps);
    hed_free(net->yarns);
    hed_free(net->visits);
    hed_free(net->nodes);
    *net = (HedNet){0};
}

HedStatus hed_net_note(HedNetMaker* m, const char* format, ...) {
    HedNet* net = m->net;
    va_list arguments;
    va_start(arguments, format);
    bool ok =
        hed_warnings_add(&net->notes, &net->note_count, &net->note_capacity, format, arguments);
    va_end(arguments);
    return ok ? HED_OK : hed_fail_memory(m->error, "notes of a network");
}

// --- what is given ---

static HedStatus check_def(const HedNetDef* def, HedError* error) {
    if (def->stamp != STAMP) {
        return hed_fail(error, HED_INVALID, "a network must come from hed_net_def_default()");
    }
    if (!(def->tail > 0.0) || !isfinite(def->tail) || !(def->bow > 0.0) || !isfinite(def->bow)) {
        return hed_fail(error, HED_INVALID,
                        "tail and bow of a network must be positive, got %g and %g spacings",
                        def->tail, def->bow);
    }
    return HED_OK;
}

static HedStatus check_yarn(const HedFabric* fabric, int32_t i, int32_t first, HedError* error) {
    const HedFabricYarn* yarn = &fabric->yarns[i];
    if (yarn->is_closed || yarn->turns.a != 0 || yarn->turns.b != 0) {
        return hed_fail(error, HED_UNSUPPORTED,
                        "yarn %" PRId32 " ('%s'): a network has no yarns that %s", i, yarn->name,
                        yarn->is_closed ? "are closed" : "go on in their copies");
    }
    if (yarn->first != first || yarn->count < 2 || yarn->count > fabric->point_count - first) {
        return hed_fail(error, HED_INVALID,
                        "yarn %" PRId32 " ('%s') needs 2 points or more, from number %" PRId32
                        " of %" PRId32 " on, got %" PRId32 " from number %" PRId32 " on",
                        i, yarn->name, first, fabric->point_count, yarn->count, yarn->first);
    }
    if (!(yarn->diameter > 0.0) || !isfinite(yarn->diameter) || !(yarn->linear_density >= 0.0) ||
        !isfinite(yarn->linear_density)) {
        return hed_fail(error, HED_INVALID,
                        "yarn %" PRId32 " ('%s'): the diameter must be positive and the linear "
                        "density zero or more, got %g m and %g kg/m",
                        i, yarn->name, yarn->diameter, yarn->linear_density);
    }
    for (int32_t k = first; k < first + yarn->count; ++k) {
        HedVec3 x = fabric->points[k];
        if (!hed_is_finite3(x)) {
            return hed_fail(error, HED_INVALID,
                            "yarn %" PRId32 " ('%s'): point %" PRId32
                            " must be finite, got (%g, %g, %g)",
                            i, yarn->name, k - first, x.x, x.y, x.z);
        }
    }
    return HED_OK;
}

static HedStatus check_place(const HedFabric* fabric, int32_t crossing, HedFabricPlace place,
                             HedError* error) {
    if (place.yarn < 0 || place.yarn >= fabric->yarn_count) {
        return hed_fail(error, HED_INVALID,
                        "crossing %" PRId32 ": there are %" PRId32 " yarns, got yarn %" PRId32,
                        crossing, fabric->yarn_count, place.yarn);
    }
    const HedFabricYarn* yarn = &fabric->yarns[place.yarn];
    if (!(place.at >= 0.0 && place.at <= yarn->count - 1)) {
        return hed_fail(error, HED_INVALID,
                        "crossing %" PRId32 ": a place on yarn %" PRId32
                        " ('%s') is from 0 to %" PRId32 ", got %g",
                        crossing, place.yarn, yarn->name, yarn->count - 1, place.at);
    }
    return HED_OK;
}

static HedStatus check_fabric(const HedFabric* fabric, HedError* error) {
    HedStatus status = HED_OK;
    int32_t first = 0;
    if (hed_norm3(fabric->period[0]) > 0.0 || hed_norm3(fabric->period[1]) > 0.0) {
        return hed_fail(error, HED_UNSUPPORTED,
                        "a network is made of a finite fabric, got one that repeats: see "
                        "hed_fabric_tile()");
    }
    if (fabric->yarn_count < 1) {
        return hed_fail(error, HED_INVALID, "a network needs a fabric with yarns, got none");
    }
    for (int32_t i = 0; i < fabric->yarn_count; ++i) {
        HED_TRY(check_yarn(fabric, i, first, error));
        first += fabric->yarns[i].count;
    }
    for (int32_t i = 0; i < fabric->crossing_count; ++i) {
        HED_TRY(check_place(fabric, i, fabric->crossings[i].over, error));
        HED_TRY(check_place(fabric, i, fabric->crossings[i].under, error));
    }
done:
    return status;
}

// --- order and slots ---

static HedStatus order(HedNetMaker* m) {
    const HedFabric* f = m->fabric;
    m->first_visits = HED_NEW_ARRAY(int32_t, (int64_t)f->yarn_count + 1);
    m->visits = HED_NEW_ARRAY(HedFabricVisit, 2 * (int64_t)f->crossing_count);
    m->crossings = HED_NEW_ARRAY(HedNetCrossing, f->crossing_count);
    if (!m->first_visits || !m->visits || !m->crossings) {
        return hed_fail_memory(m->error, "crossings of a network");
    }
    for (int32_t i = 0; i < f->crossing_count; ++i) {
        m->crossings[i] = (HedNetCrossing){.loop = {-1, -1}, .node = -1};
    }
    return hed_visits_sort(f->crossings, f->crossing_count, f->yarn_count, m->first_visits,
                           m->visits, m->error);
}

// Slot 0 belongs to the yarn with the lower number, which is the warp; in a knit to the loop that
// was made later.
static void choose_slots(HedNetMaker* m) {
    for (int32_t i = 0; i < m->fabric->crossing_count; ++i) {
        HedNetCrossing* c = &m->crossings[i];
        HedFabricPlace over = m->fabric->crossings[i].over;
        HedFabricPlace under = m->fabric->crossings[i].under;
        bool over_is_first = over.yarn != under.yarn ? over.yarn < under.yarn : over.at > under.at;
        if (c->loop[0] != c->loop[1]) {
            over_is_first = c->loop[0] > c->loop[1];
        }
        c->slot[0] = over_is_first ? 0 : 1;
        c->slot[1] = over_is_first ? 1 : 0;
    }
}

static HedVec3 position_of(const HedNetMaker* m, int32_t crossing) {
    const HedFabricCrossing* c = &m->fabric->crossings[crossing];
    return hed_lerp3(hed_net_point(m->fabric, c->over), hed_net_point(m->fabric, c->under), 0.5);
}

// Positive doubles have the order of their bits.
static uint64_t key_of(double length) {
    uint64_t key = 0;
    memcpy(&key, &length, sizeof key);
    return key;
}

// The median distance of crossings that follow each other; if there are none, what a yarn has on
// either side of its only crossing.
static HedStatus find_spacing(HedNetMaker* m) {
    HedStatus status = HED_OK;
    const HedFabric* f = m->fabric;
    int32_t count = 0;
    HedSortItem* items = HED_NEW_ARRAY(HedSortItem, 2 * (int64_t)f->crossing_count);
    HED_TRY(items ? HED_OK : hed_fail_memory(m->error, "crossings of a network"));
    for (int32_t yarn = 0; yarn < f->yarn_count; ++yarn) {
        for (int32_t k = m->first_visits[yarn] + 1; k < m->first_visits[yarn + 1]; ++k) {
            HedVec3 a = position_of(m, m->visits[k - 1].crossing);
            HedVec3 b = position_of(m, m->visits[k].crossing);
            items[count] = (HedSortItem){key_of(hed_distance3(a, b)), count};
            count += 1;
        }
    }
    HED_TRY(hed_sort_items(items, count, m->error));
    if (count > 0) {
        memcpy(&m->net->spacing, &items[count / 2].key, sizeof m->net->spacing);
    } else {
        m->net->spacing = 0.5 * hed_net_arc(f, 0, 0.0, f->yarns[0].count - 1);
    }
    if (!(m->net->spacing > 0.0)) {
        status = hed_fail(m->error, HED_INVALID,
                          "most of the crossings of the fabric stand in the same place");
    }
done:
    hed_free(items);
    return status;
}

// --- signs ---

// Unit way from a visit to the next one.
static HedVec3 way_from(const HedNet* net, int32_t visit) {
    HedVec3 a = net->nodes[net->visits[visit].node].position;
    HedVec3 b = net->nodes[net->visits[visit + 1].node].position;
    return hed_unit3(hed_sub3(b, a), (HedVec3){0.0, 0.0, 0.0});
}

// Where yarns run along each other the normal of the straight pieces does not point from one to the
// other; where they are far apart there is something between them.
static bool is_doubtful(const HedFabric* f, const HedFabricCrossing* c, HedVec3 normal) {
    static const double UPRIGHT = 0.5;  // cosine
    static const double TOUCHING = 1.8; // times the distance of axes
    HedVec3 apart = hed_sub3(hed_net_point(f, c->over), hed_net_point(f, c->under));
    double touch = 0.5 * (f->yarns[c->over.yarn].diameter + f->yarns[c->under.yarn].diameter);
    return !(fabs(hed_dot3(apart, normal)) > UPRIGHT * hed_norm3(apart) * hed_norm3(normal)) ||
           hed_norm3(apart) > TOUCHING * touch;
}

static HedStatus find_signs(HedNetMaker* m) {
    int32_t doubtful = 0;
    for (int32_t i = 0; i < m->fabric->crossing_count; ++i) {
        const HedNetCrossing* made = &m->crossings[i];
        if (made->node < 0) {
            continue;
        }
        HedNetNode* node = &m->net->nodes[made->node];
        HedVec3 s[2];
        for (int slot = 0; slot < 2; ++slot) {
            s[slot] = hed_add3(way_from(m->net, node->visit[slot] - 1),
                               way_from(m->net, node->visit[slot]));
        }
        const HedFabricCrossing* c = &m->fabric->crossings[i];
        HedVec3 over = hed_net_point(m->fabric, c->over);
        HedVec3 under = hed_net_point(m->fabric, c->under);
        HedVec3 normal = hed_cross3(s[0], s[1]);
        double up = hed_dot3(hed_sub3(over, under), normal);
        node->sign = (up < 0.0) == (made->slot[0] == 0) ? -1 : 1;
        doubtful += is_doubtful(m->fabric, c, normal);
    }
    return doubtful == 0 ? HED_OK
                         : hed_net_note(m,
                                        "at %" PRId32 " crossings yarns run along each other or "
                                        "lie in stacks: the network does not keep them apart there",
                                        doubtful);
}

// --- the whole ---

static HedStatus make(HedNetMaker* m) {
    HedStatus status = HED_OK;
    HED_TRY(check_def(m->def, m->error));
    HED_TRY(check_fabric(m->fabric, m->error));
    HED_TRY(order(m));
    HED_TRY(hed_net_part_layers(m));
    if (m->fabric->loop_count > 0) {
        HED_TRY(hed_net_find_loops(m));
        HED_TRY(hed_net_part_sheets(m));
        HED_TRY(hed_net_thin(m));
    }
    choose_slots(m);
    HED_TRY(find_spacing(m));
    if (m->fabric->loop_count > 0) {
        HED_TRY(hed_net_unkink(m));
    }
    HED_TRY(hed_net_walk(m));
    HED_TRY(find_signs(m));
    if (m->fabric->loop_count > 0) {
        HED_TRY(hed_net_find_clasps(m));
        HED_TRY(hed_net_find_hinges(m));
    }
    HED_TRY(hed_net_check(m->net, m->error));
done:
    hed_free(m->crossings);
    hed_free(m->first_loops);
    hed_free(m->loop_order);
    hed_free(m->visits);
    hed_free(m->first_visits);
    return status;
}

HedStatus hed_net_create(const HedFabric* fabric, const HedNetDef* def, HedNet* net,
                         HedError* error) {
    HedNet made = {0};
    HedNetMaker maker = {.fabric = fabric, .def = def, .net = &made, .error = error};
    HedStatus status = make(&maker);
    if (status != HED_OK) {
        hed_net_free(&made);
        return status;
    }
    *net = made;
    return HED_OK;
}
