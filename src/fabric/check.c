// SPDX-License-Identifier: MIT
// The diagram of a fabric: where its yarns cross as seen from the face, and whether that is what
// was asked for. Two diagrams are the same if each yarn meets the same crossings in the same order,
// over or under in the same way (their Gauss codes agree); then the yarns are linked and knotted
// alike.
//
// Yarns are often laid out so that a corner of one stands just over a corner of the other. Signs of
// exact determinants would then be zero. Of two pieces the second is taken to be shifted by
// (e, e^2), with e positive and smaller than everything else: a zero becomes the sign of the first
// power of e that is left.
#include "fabric/fabric.h"
#include "geom/bvh.h"
#include "math/exact.h"

typedef struct CrossingSearch {
    const HedFabric* fabric;
    HedYarnPiece* pieces;
    int32_t count;
    HedBvh tree;
    HED_ARRAY(int32_t) near;
} CrossingSearch;

static int32_t piece_count(const HedFabricYarn* yarn) {
    return yarn->is_closed ? yarn->count : yarn->count - 1;
}

static HedBox box_of(const HedYarnPiece* piece) {
    HedBox box = hed_box_around((HedVec3[2]){piece->a, piece->b}, 2);
    box.low.z = box.high.z = 0.0;
    return box;
}

static HedStatus make_pieces(CrossingSearch* search, HedError* error) {
    const HedFabric* fabric = search->fabric;
    int64_t count = 0;
    for (int32_t i = 0; i < fabric->yarn_count; ++i) {
        count += piece_count(&fabric->yarns[i]);
    }
    search->pieces = count <= INT32_MAX ? HED_NEW_ARRAY(HedYarnPiece, count) : NULL;
    HedBox* boxes = search->pieces ? HED_NEW_ARRAY(HedBox, count) : NULL;
    if (!boxes) {
        return hed_fail_memory(error, "crossings of a fabric");
    }
    for (int32_t i = 0; i < fabric->yarn_count; ++i) {
        const HedFabricYarn* yarn = &fabric->yarns[i];
        const HedVec3* p = fabric->points + yarn->first;
        for (int32_t k = 0; k < piece_count(yarn); ++k) {
            HedYarnPiece piece = {i, k, p[k], p[(k + 1) % yarn->count]};
            search->pieces[search->count] = piece;
            boxes[search->count++] = box_of(&piece);
        }
    }
    HedStatus status = hed_bvh_build(boxes, search->count, &search->tree, error);
    hed_free(boxes);
    return status;
}

static int sign(double value) {
    return (value > 0.0) - (value < 0.0);
}

// On which side of the line of a piece a point stands that is shifted by way * (e, e^2).
static int side(const HedYarnPiece* piece, HedVec3 p, int way) {
    int exact = hed_orient2(piece->a, piece->b, p, 2);
    if (exact != 0) {
        return exact;
    }
    int rise = sign(piece->b.y - piece->a.y);
    return way * (rise != 0 ? -rise : sign(piece->b.x - piece->a.x));
}

bool hed_pieces_cross(const HedYarnPiece* p, const HedYarnPiece* q) {
    return side(p, q->a, 1) * side(p, q->b, 1) < 0 && side(q, p->a, -1) * side(q, p->b, -1) < 0;
}

// How far along p the line of q is met; within the piece whatever rounding does.
static double fraction(const HedYarnPiece* p, const HedYarnPiece* q) {
    double ux = p->b.x - p->a.x, uy = p->b.y - p->a.y;
    double vx = q->b.x - q->a.x, vy = q->b.y - q->a.y;
    double wx = q->a.x - p->a.x, wy = q->a.y - p->a.y;
    double area = ux * vy - uy * vx;
    double t = area != 0.0 ? (wx * vy - wy * vx) / area : 0.5;
    return fmin(fmax(t, 0.0), 1.0);
}

HedStatus hed_pieces_add(const HedYarnPiece* p, const HedYarnPiece* q, HedFoundCrossings* found,
                         HedError* error) {
    double s = fraction(p, q), t = fraction(q, p);
    double rise = (p->a.z + s * (p->b.z - p->a.z)) - (q->a.z + t * (q->b.z - q->a.z));
    double length = hed_distance3(p->a, p->b) + hed_distance3(q->a, q->b);
    HedFabricPlace first = {p->yarn, p->number + s}, second = {q->yarn, q->number + t};
    HedFabricCrossing crossing = {.over = rise > 0.0 ? first : second,
                                  .under = rise > 0.0 ? second : first};
    if (!HED_APPEND(found, crossing)) {
        return hed_fail_memory(error, "crossings of a fabric");
    }
    // Rounding of places and heights stays far below this part of the lengths at hand.
    if (!(fabs(rise) > 1e-12 * length)) {
        return hed_fail(error, HED_INVALID,
                        "yarn %d at %.6g and yarn %d at %.6g touch: neither is over", p->yarn,
                        p->number + s, q->yarn, q->number + t);
    }
    return HED_OK;
}

// Pieces that follow each other share a corner, which is no crossing.
static bool are_neighbours(const CrossingSearch* search, const HedYarnPiece* p,
                           const HedYarnPiece* q) {
    const HedFabricYarn* yarn = &search->fabric->yarns[p->yarn];
    int32_t apart = q->number - p->number;
    return p->yarn == q->yarn &&
           (apart == 1 || (yarn->is_closed && apart == piece_count(yarn) - 1));
}

static HedStatus find_after(CrossingSearch* search, int32_t i, HedFoundCrossings* found,
                            HedError* error) {
    HedBox box = box_of(&search->pieces[i]);
    int32_t count = hed_bvh_overlap(&search->tree, box, search->near.data, search->near.capacity);
    if (count > search->near.capacity) {
        search->near.count = 0;
        if (!HED_RESERVE(&search->near, count)) {
            return hed_fail_memory(error, "crossings of a fabric");
        }
        hed_bvh_overlap(&search->tree, box, search->near.data, search->near.capacity);
    }
    HedStatus status = HED_OK;
    for (int32_t k = 0; k < count && status == HED_OK; ++k) {
        int32_t other = search->near.data[k];
        const HedYarnPiece* p = &search->pieces[i];
        const HedYarnPiece* q = &search->pieces[other];
        if (other > i && !are_neighbours(search, p, q) && hed_pieces_cross(p, q)) {
            status = hed_pieces_add(p, q, found, error);
        }
    }
    return status;
}

HedStatus hed_fabric_find_crossings(const HedFabric* fabric, HedFoundCrossings* found,
                                    HedError* error) {
    HedStatus status = HED_OK;
    CrossingSearch search = {.fabric = fabric};
    HED_TRY(make_pieces(&search, error));
    for (int32_t i = 0; i < search.count; ++i) {
        HED_TRY(find_after(&search, i, found, error));
    }
done:
    hed_bvh_free(&search.tree);
    hed_free(search.near.data);
    hed_free(search.pieces);
    return status;
}

// --- comparing ---

static HedFabricPlace place_of(const HedFabricCrossing* crossings, HedFabricVisit visit) {
    const HedFabricCrossing* crossing = &crossings[visit.crossing];
    return visit.is_over ? crossing->over : crossing->under;
}

static HedFabricPlace partner_of(const HedFabricCrossing* crossings, HedFabricVisit visit) {
    visit.is_over = !visit.is_over;
    return place_of(crossings, visit);
}

typedef struct Comparison {
    const HedFabric* fabric;
    HedFoundCrossings found;
    int32_t* first;         // of found crossings, per yarn
    HedFabricVisit* visits; // the same
    int32_t* asked;         // per found crossing: that of the list, -1 if it was not met yet
} Comparison;

// One visit of each diagram; false if they cannot be the same crossing.
static bool agrees(Comparison* c, HedFabricVisit listed, HedFabricVisit found) {
    if (listed.is_over != found.is_over) {
        return false;
    }
    int32_t* asked = &c->asked[found.crossing];
    if (*asked < 0) {
        *asked = listed.crossing;
    }
    return *asked == listed.crossing;
}

static HedStatus compare_yarn(Comparison* c, int32_t yarn, HedError* error) {
    const HedFabric* fabric = c->fabric;
    const char* name = fabric->yarns[yarn].name;
    const HedFabricVisit* listed = fabric->visits + fabric->first_visits[yarn];
    const HedFabricVisit* found = c->visits + c->first[yarn];
    int32_t listed_count = fabric->first_visits[yarn + 1] - fabric->first_visits[yarn];
    int32_t found_count = c->first[yarn + 1] - c->first[yarn];
    for (int32_t k = 0; k < listed_count && k < found_count; ++k) {
        if (!agrees(c, listed[k], found[k])) {
            HedFabricPlace want = partner_of(fabric->crossings, listed[k]);
            HedFabricPlace have = partner_of(c->found.data, found[k]);
            return hed_fail(error, HED_INVALID,
                            "yarn %d ('%s'): its crossing %d should be %s yarn %d at %.6g, but at "
                            "%.6g it is %s yarn %d at %.6g",
                            yarn, name, k, listed[k].is_over ? "over" : "under", want.yarn, want.at,
                            place_of(c->found.data, found[k]).at,
                            found[k].is_over ? "over" : "under", have.yarn, have.at);
        }
    }
    if (listed_count != found_count) {
        return hed_fail(error, HED_INVALID,
                        "yarn %d ('%s') should have %d crossings, but it has %d", yarn, name,
                        listed_count, found_count);
    }
    return HED_OK;
}

HedStatus hed_fabric_check(const HedFabric* fabric, HedError* error) {
    HedStatus status = HED_OK;
    Comparison c = {.fabric = fabric};
    if (!fabric->first_visits || !fabric->visits) {
        return hed_fail(error, HED_INVALID, "the crossings of the fabric are not in order yet");
    }
    HED_TRY(hed_fabric_find_crossings(fabric, &c.found, error));
    c.first = HED_NEW_ARRAY(int32_t, (int64_t)fabric->yarn_count + 1);
    c.visits = HED_NEW_ARRAY(HedFabricVisit, 2 * (int64_t)c.found.count);
    c.asked = HED_NEW_ARRAY(int32_t, c.found.count);
    if (!c.first || !c.visits || !c.asked) {
        HED_TRY(hed_fail_memory(error, "crossings of a fabric"));
    }
    HED_TRY(
        hed_visits_sort(c.found.data, c.found.count, fabric->yarn_count, c.first, c.visits, error));
    for (int32_t i = 0; i < c.found.count; ++i) {
        c.asked[i] = -1;
    }
    for (int32_t yarn = 0; yarn < fabric->yarn_count; ++yarn) {
        HED_TRY(compare_yarn(&c, yarn, error));
    }
done:
    hed_free(c.asked);
    hed_free(c.visits);
    hed_free(c.first);
    hed_free(c.found.data);
    return status;
}
