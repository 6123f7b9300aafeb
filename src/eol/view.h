// SPDX-License-Identifier: MIT
// What is seen of sliding yarns: their net as it is now, smooth curves through its nodes with
// quantities along them, and the skin by which they meet other cloth.
#ifndef HED_EOL_VIEW_H
#define HED_EOL_VIEW_H

#include "base/parallel.h"
#include "eol/skin.h"
#include "heddle/sim.h"

struct HedEol;

/// Zero-initialised: nothing is seen of it.
typedef struct HedEolView {
    HedNet net;              // as it was at the start, but for crossings that have come apart since
    int32_t version;         // of those (eol/pullout.h)
    HedSkin skin;            // of the start
    HED_ARRAY(int32_t) ends; // two nodes each: where yarns stuck out of it then
    int32_t vertex_count;    // of all curves
    HedTeam* team;           // owned; NULL: the network has that of others
} HedEolView;

/// Of the net that a network was made from.
HedStatus hed_eol_view_create(struct HedEol* eol, const HedNet* net, HedError* error);
void hed_eol_view_free(HedEolView* view);

/// The ends; false without memory.
bool hed_eol_view_find_ends(HedEolView* view);

/// Whether a yarn still goes from one node straight to the other.
bool hed_eol_view_has_segment(const struct HedEol* eol, int32_t a, int32_t b);

/// The skin by what is seen, six vertices of the curves a triangle (hed_sliding_skin); corners has
/// room for them. False without memory.
bool hed_eol_view_skin(const HedEolView* view, int32_t* corners);

/// Makes the net agree with what has come apart.
void hed_eol_view_follow(struct HedEol* eol);

/// Vertices of the curves through points (in the order of the net), and their velocities.
void hed_eol_view_vertices(const struct HedEol* eol, const HedVec3* points, HedVec3* vertices);
void hed_eol_view_velocities(const struct HedEol* eol, HedVec3* velocities);

/// A quantity at each of them. push: N, of bodies on each point; NULL: none.
void hed_eol_view_quantity(const struct HedEol* eol, HedQuantity quantity, const double* push,
                           double* values);

/// Mean and largest strain of pieces of yarn.
void hed_eol_view_strain(const struct HedEol* eol, double values[2]);

/// Which yarn came out of which crossing last, in a set of that name.
void hed_eol_view_tell_gone(const struct HedEol* eol, const char* name, char* text, size_t size);

#endif
