// SPDX-License-Identifier: MIT
// Crossing networks: a fabric as the crossings of its yarns, for yarns that slide through each
// other.
//
// A node is a crossing of two yarns, or a point of one yarn: its end, or a sample where it bows
// out. Between nodes a yarn is straight. At a crossing both yarns are free to slide: where along
// each of them the node stands is an unknown. At a node of one yarn it is fixed.
#ifndef HEDDLE_NET_H
#define HEDDLE_NET_H

#include "heddle/fabric.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A crossing of two yarns (or of two places of one), or a point of one yarn. A knit's slot 0 is
/// the new loop's yarn, slot 1 that of the old loop which it is pulled through; a weave's slot 0 is
/// the warp.
typedef struct HedNetNode {
    HedVec3 position; ///< m, at the start: half way between the two yarns.
    int32_t visit[2]; ///< Of slot 0 and of slot 1 in visits; a node of one yarn has slot 0, and -1.
    int32_t sign;     ///< Of the crossing: slot 0 lies at x + sign R n, slot 1 at x - sign R n, n
                      ///< along S_0 x S_1 with S the sum of a yarn's unit ways to and from the
                      ///< node. 1 or -1; 0 at a node of one yarn.
    int32_t crossing; ///< Of the fabric; -1 at a node of one yarn.
} HedNetNode;

/// A node as one of its yarns meets it.
typedef struct HedNetVisit {
    int32_t node;
    int32_t slot; ///< 0 or 1
    int32_t yarn;
    int32_t clasp; ///< That the yarn runs along from here to its next visit; -1: none.
    double at;     ///< m along the unstretched yarn, from 0 on; rises.
} HedNetVisit;

/// Its first and its last visit are nodes of one yarn, so that a crossing has a neighbour on either
/// side of either yarn: the visits before and after its own.
typedef struct HedNetYarn {
    int32_t first;            ///< Visit.
    int32_t count;            ///< At least 2.
    int32_t source;           ///< Yarn of the fabric that it is, or is a piece of.
    int32_t color;            ///< 0xRRGGBB, or HED_COLOR_NONE.
    double radius;            ///< m
    double linear_density;    ///< kg/m of the straight pieces, which are shorter than the yarn
                              ///< itself: they have its mass. 0 if unknown.
    bool holds_ends;          ///< The first and the last crossing do not slide: the rows of a knit
                              ///< would run.
    char name[HED_YARN_NAME]; ///< As in the fabric.
} HedNetYarn;

/// Two yarns that run together from one crossing to the next, wrapped half around each other: a leg
/// of a loop and a leg of the loop that it is pulled through. Both nodes have the new yarn in slot
/// 0.
typedef struct HedNetClasp {
    int32_t foot;     ///< Node: by the foot of the new loop, the leg of the old.
    int32_t head;     ///< Node: by the leg of the new loop, the head of the old.
    int32_t outer[2]; ///< Nodes: on the new yarn beyond the foot, on the old yarn beyond the head.
    int32_t sign;     ///< Of t1.(t3 x t2), with the unit ways from outer[0] to foot, from foot to
                      ///< head, and from head to outer[1] on the thick yarns: 1 on the left and -1
                      ///< on the right of a knit stitch, the other way round for purl.
} HedNetClasp;

/// A node among the same crossings of the stitches beside, below and above its own.
typedef struct HedNetHinge {
    int32_t centre;    ///< Node.
    int32_t along[2];  ///< Nodes to the left and to the right, seen from the face.
    int32_t across[2]; ///< Nodes below and above.
    int32_t sign;      ///< 1 knit, -1 purl.
} HedNetHinge;

/// Zero-initialise; free with hed_net_free. Nodes are numbered in the order in which the yarns meet
/// them.
typedef struct HedNet {
    HedNetNode* nodes;
    int32_t node_count, node_capacity;
    HedNetVisit* visits; ///< Yarn by yarn, in the order along it.
    int32_t visit_count, visit_capacity;
    HedNetYarn* yarns; ///< In the order of their visits, without gaps.
    int32_t yarn_count, yarn_capacity;
    HedNetClasp* clasps;
    int32_t clasp_count, clasp_capacity;
    HedNetHinge* hinges;
    int32_t hinge_count, hinge_capacity;
    double spacing; ///< m, median distance of crossings that follow each other along a yarn.
    char** notes;   ///< What is odd but was accepted.
    int32_t note_count, note_capacity;
} HedNet;

/// How a network is made. Fill with hed_net_def_default(), then edit.
typedef struct HedNetDef {
    double tail;    ///< Spacings: yarn that there is at least beyond the first and the last
                    ///< crossing; where there is less it is added. Default 0.5.
    double bow;     ///< Spacings: where a yarn goes farther than this from the straight way to its
                    ///< next crossing it gets samples: the live loops of a knit, the turns at an
                    ///< edge. Default 0.5.
    bool cut_rows;  ///< Yarns of a knit are cut between its rows. Default false.
    uint32_t stamp; ///< Written by the default function; create refuses any other value.
} HedNetDef;

HED_API HedNetDef hed_net_def_default(void);

/// Makes the network of a fabric: each of its crossings becomes a node. Refused: fabrics that
/// repeat and closed yarns (HED_UNSUPPORTED), places that are not on a yarn, numbers that are not
/// finite, yarns without a diameter. Where loops of a knit only lie on each other, along each other
/// (when they are bound off), crossings that undo each other within two diameters are left out.
HED_API HedStatus hed_net_create(const HedFabric* fabric, const HedNetDef* def, HedNet* net,
                                 HedError* error);

HED_API void hed_net_free(HedNet* net); ///< NULL and empty ones are allowed.

/// Copies all of a network but its notes; free with hed_net_free. The network must be one that
/// hed_net_check() accepts.
HED_API HedStatus hed_net_copy(const HedNet* net, HedNet* copy, HedError* error);

/// Refuses what is no network: HED_INVALID names the yarn and visit, the node, the clasp or the
/// hinge, and what is wrong with it.
HED_API HedStatus hed_net_check(const HedNet* net, HedError* error);

/// Number of points that the curves of a network have with `samples` points per piece. It never
/// changes.
HED_API int64_t hed_net_curve_point_count(const HedNet* net, int32_t samples);

/// How many of them lie from a visit on, up to but without that of the next one.
HED_API int32_t hed_net_piece_points(const HedNet* net, int32_t visit, int32_t samples);

/// Thick yarns for pictures: at crossings they lie on each other, in clasps they wrap around each
/// other, smooth between. positions (m): of all nodes, NULL for the start. samples: points per
/// piece, at least 1. points (m) has room for all of hed_net_curve_point_count(), in the order of
/// hed_net_curves. The network must be one that hed_net_check() accepts.
HED_API void hed_net_curve_points(const HedNet* net, const HedVec3* positions, int32_t samples,
                                  HedVec3* points);

/// The same as curves, one per yarn; free with hed_curves_free. Refused: samples below 1, positions
/// that are not finite, more points than there are numbers for.
HED_API HedStatus hed_net_curves(const HedNet* net, const HedVec3* positions, int32_t samples,
                                 HedCurves* curves, HedError* error);

/// Turns per stitch along courses [0] and along wales [1] at the hinges of a knit, out of its
/// surface: negative along courses where sides go to the back, and along wales where ends do. Of
/// an angle it is twice the sine of half of it.
typedef struct HedNetTurns {
    double stitch[2]; ///< Mean, of purl stitches the other way round: as curl_along and
                      ///< curl_across of heddle/sliding.h are counted.
    double fabric[2]; ///< Mean, as it is seen from the face.
    double square[2]; ///< Mean of the squares.
} HedNetTurns;

/// positions (m): of all nodes, NULL for the start. All 0 without hinges.
HED_API HedNetTurns hed_net_turns(const HedNet* net, const HedVec3* positions);

#ifdef __cplusplus
}
#endif

#endif
