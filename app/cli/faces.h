// SPDX-License-Identifier: MIT
// A run as faces that may intersect: sheets as they are, sliding yarns as the surface by which they
// meet other cloth, rods and splines as their segments.
#ifndef CLI_FACES_H
#define CLI_FACES_H

#include "heddle/heddle.h"

typedef struct Faces {
    HedShow* show;
    int32_t count; // objects; all arrays below are over them
    int32_t frame_count;
    HedSeriesObject* seen;    // as the run has them
    HedSeriesObject* objects; // the same with faces; all but bodies are sheets
    HedVec3** positions;      // of the last frame, of seen
    HedVec3** corners;        // of objects
    int32_t** triangles;      // of yarns
    int32_t** middles;        // two vertices for each corner of triangles of sliding yarns; or NULL
    int32_t* middle_count;    // corners
    bool lacks_yarns;         // they have no faces: the scene of the run cannot be read
    bool has_strands;         // there are rods or splines
} Faces;

/// Prints what went wrong. CLI_GO: go on.
int faces_open(Faces* faces, const char* path);
void faces_close(Faces* faces);
int faces_load(Faces* faces, int32_t frame);

#endif
