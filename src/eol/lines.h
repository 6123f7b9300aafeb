// SPDX-License-Identifier: MIT
// Exact factors of the part of a net's matrix that belongs to one line of a yarn, all five unknowns
// of its nodes: for every line, four side by side, in single precision.
//
// Within a line the other yarn's coordinate of a node is coupled to that node's position alone, so
// it is eliminated first, and 4 x 4 blocks of half bandwidth two (three with torsion) are left:
//   A = L L',   L(k,k-1) = E,  L(k,k-2) = G,  L(k,k-3) = T,  inverses of L(k,k) stored.
// In the clasps of knits two nodes that follow each other on the line do so on the other yarn, too.
// What that yarn couples between them belongs to the line as well, or it would seem to be held
// there; the two other coordinates are then eliminated together.
#ifndef HED_EOL_LINES_H
#define HED_EOL_LINES_H

#include "eol/matrix.h"

enum { HED_LINE_TRIANGLE = 10, HED_LINE_OTHER = 10, HED_LINE_SCRATCH = 5 };
enum { HED_LINE_OWN = 16, HED_LINE_NEAR = 32 };

typedef struct HedEolLines {
    const HedEolMatrix* matrix; // borrowed
    int32_t width;              // floats a place: inverse of L(k,k), E, G, T if there is torsion
    float* factor;              // per step, [width][HED_YARN_PACK]

    // Per step, [HED_LINE_OTHER][HED_YARN_PACK], of the other coordinates u that are eliminated,
    // with W as in lines.c: W of the place's own u (3), W of its partner's (3), inverse of S with
    // itself and with the partner's, 1 if the partner is the next place, 1 if it is the one before.
    float* other;
    double* scratch; // per step, [HED_LINE_SCRATCH][HED_YARN_PACK]
    bool* is_good;   // per band
    bool* is_cut;    // per band: whether yarns couple it to what is not its own

    // Per place: 1 where the next place is coupled along the other yarn as well, -1 there, else 0;
    // 2 * the other yarn's place with that block, + 1 where it has the rows of the next place.
    bool has_clasps;
    int8_t* clasp;
    int32_t* clasp_block;

    // Where there are two colours and no clasps, else NULL: what alternating directions read
    // besides the factors (eol/alternating.h). Per step, [HED_LINE_OWN][HED_YARN_PACK]: blocks of
    // nodes, the line's own coordinate before the other one's, and 1 where both colours have the
    // node. Per step, [HED_LINE_NEAR][HED_YARN_PACK] and with torsion 9 more: blocks with the
    // places ahead.
    float* own;
    float* ahead;
    int32_t ahead_width;
    uint8_t* colors_of; // per node: bit of each colour that has it
    bool is_whole;      // all that yarns couple is inside of lines
} HedEolLines;

/// A right-hand side of lines: (1 - weight s) r + D v, s 1 where both colours have the node, D the
/// nodes' own blocks. v NULL: r.
typedef struct HedLineSide {
    const double* r;
    const double* v;
    double weight;
} HedLineSide;

HedStatus hed_eol_lines_create(HedEolLines* lines, const HedEolMatrix* matrix, HedError* error);
void hed_eol_lines_free(HedEolLines* lines);

/// Takes the values of the matrix. False if it is not positive definite.
bool hed_eol_lines_update(HedEolLines* lines);

/// Adds to z a share of what the lines of one colour make of a right-hand side; with a v there has
/// to be `own`. All threads of a threads call it.
void hed_eol_lines_add(const HedEolLines* lines, int32_t color, double share, HedLineSide side,
                       double* z, HedThreadTeam threads);

/// y -= scale W x, W what the lines of one colour couple between nodes, read from `ahead`. All
/// threads of a threads call it.
void hed_eol_lines_subtract(const HedEolLines* lines, int32_t color, double scale, const double* x,
                            double* y, HedThreadTeam threads);

/// Part of the update: `own` and `ahead` of a band; false if a line of it is coupled to what is not
/// its own.
bool hed_eol_lines_copy(const HedEolLines* lines, int32_t band);

#endif
