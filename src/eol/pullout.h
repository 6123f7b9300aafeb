// SPDX-License-Identifier: MIT
// Yarns that slide out of crossings.
//
// A crossing that comes to the end of one of its yarns leaves it: the yarn's end goes on as the end
// of what is left, one place closer in its line. The other yarn runs on without the node, unless
// something holds it there. Lines only get shorter; blocks of the matrix, factors and couplings
// keep their places, so nothing is analysed again. All that is remembered is `gone`, per node:
// everything else follows from it.
#ifndef HED_EOL_PULLOUT_H
#define HED_EOL_PULLOUT_H

#include "heddle/net.h"

struct HedEol;

/// What a node's `gone` is made of.
enum {
    HED_DETACHED_0 = 1,    ///< It is no longer on the yarn of slot 0,
    HED_DETACHED_1 = 2,    ///< of slot 1.
    HED_DETACHED_RIDES = 4 ///< Off both, it is carried by that of slot 1; else by that of slot 0.
};

typedef struct HedEolPullout {
    int32_t yarn_count;
    int32_t* yarn_first; // yarn_count + 1: visits
    int32_t* visit_at;   // per visit: 2 * node + slot, as at the start
    int32_t*
        line; // per yarn: its first place; -1: it lies in several lines, or clasps others: it stays
    double (*least)[2];  // m, per yarn: closer to its start or end than this a crossing leaves it
    int32_t (*empty)[2]; // per yarn: places without a node before its start and after its end
    int8_t* sign;        // per node, of its crossing, as at the start
    uint8_t* fixed;      // per node: bit s: slot s never slides; bit 2: both yarns may leave it

    int32_t count;     // of crossings that are gone
    int32_t last_yarn; // that left one
    int32_t last_node;
    int32_t version; // changes with whatever is gone
    bool lacks_rows; // of matrices, since there was no memory for them
} HedEolPullout;

HedStatus hed_eol_pullout_create(struct HedEol* eol, const HedNet* net, HedError* error);
void hed_eol_pullout_free(HedEolPullout* pullout);

/// After a step: what has come to the end of a yarn leaves it. Returns the energy (J) that goes
/// with it.
double hed_eol_pullout(struct HedEol* eol);

/// At rest, in a state on the way there: a yarn whose end has come so close to a crossing that this
/// will leave it stops there until the end of the step; it cannot run out of material.
void hed_eol_pullout_stop(struct HedEol* eol, const double* q);

/// Holds what cannot be left free: a node on one yarn only that nothing holds any more slides no
/// further along it.
void hed_eol_pullout_hold(const struct HedEol* eol, uint8_t* is_held);

/// Nodes that are gone lie on the yarn that carries them.
void hed_eol_pullout_carry(struct HedEol* eol);

/// Whether a node is a crossing of yarns that can slide out of it.
bool hed_eol_pullout_may(const struct HedEol* eol, int32_t node);

/// Makes everything agree with slide->gone.
void hed_eol_pullout_apply(struct HedEol* eol);

/// Before a step: matrices have room for whatever is coupled now; HED_NO_MEMORY if not.
HedStatus hed_eol_pullout_settle(struct HedEol* eol);

/// The visit (as at the start) that stands in place k of a yarn now; -1: none.
int32_t hed_eol_pullout_visit(const struct HedEol* eol, int32_t yarn, int32_t k);

/// Whether a yarn crosses no other any more.
bool hed_eol_pullout_is_out(const struct HedEol* eol, int32_t yarn);

#endif
