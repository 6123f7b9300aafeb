// SPDX-License-Identifier: MIT
// What a show consists of. Private to src/show.
#ifndef HED_SHOW_INTERNAL_H
#define HED_SHOW_INTERNAL_H

#include "base/status.h"
#include "geom/box.h"
#include "heddle/run.h"
#include "heddle/show.h"
#include "show/still.h"

enum {
    HED_SHOW_QUANTITIES = 32,
    HED_SHOW_SLOTS = 3, // frames in whole steps that are kept: this one, its reference, the last
    HED_SHOW_SAMPLES = 16,
};

/// A frame as it is sent: positions in whole steps.
typedef struct HedShowSlot {
    bool is_used;
    int32_t frame;
    uint64_t stamp; // of the frame's file
    uint64_t turn;  // when it was used last
    double time;    // s
    int32_t* q;     // three numbers for each vertex that is sent
    HedPose* poses;
} HedShowSlot;

/// What was seen in frames spread over the run: for the camera and the colours.
typedef struct HedShowSurvey {
    int32_t frame_count; // of the run at that time; 0: not done yet
    HedBox box;
    float range[HED_SHOW_QUANTITIES][2];
} HedShowSurvey;

/// Frames of the run that are shown. count 0: all there are, also those that come.
typedef struct HedShowSelection {
    int32_t first, every, count;
} HedShowSelection;

struct HedShow {
    char* path;
    char* title;

    // What is shown: a run, or the content of a file.
    HedRunReader* run;
    HedMesh mesh;
    HedCurves curves;
    HedStill still; // of a scene or a pattern; without objects: neither
    HedShowSelection selection;

    HedSeriesObject* objects;
    int32_t object_count;
    bool* is_ground;
    int32_t body_count;
    int64_t vertex_count; // of all objects
    int64_t sent_count;   // of sheets and yarns
    HedShowQuantity quantities[HED_SHOW_QUANTITIES];
    int32_t quantity_count;

    // Room for one frame, object after object.
    HedVec3* room;
    HedVec3** positions; // of each object, in room
    float* value_room;
    float** values;

    double step; // m, of positions that are sent
    HedShowSlot slots[HED_SHOW_SLOTS];
    uint64_t turn;
    HedShowSurvey survey;
    HedScene* scene; // of the run, for the units of its measurements; NULL: not read yet
    bool is_scene_read;
};

/// Reads what path names into a fresh show: run, mesh, curves; nothing else is filled.
HedStatus hed_show_load(HedShow* show, const HedShowOptions* options, HedError* error);

/// The square that stands for a plane (geom/shape_mesh.c), in its own frame.
bool hed_show_is_plane(HedVec3View vertices, int32_t triangle_count);

/// Half the distance at which neighbouring yarns lie, m; for curves without a radius of their own.
HedStatus hed_yarn_radius_estimate(const HedCurves* curves, double* radius, HedError* error);

/// The grain of positions that are sent, from the first frame.
HedStatus hed_show_find_step(HedShow* show, HedError* error);

/// A frame in whole steps; borrowed until the next but one call.
HedStatus hed_show_slot(HedShow* show, int32_t frame, const HedShowSlot** slot, HedError* error);

/// Box and ranges over all frames there are now. They are kept until the run has grown a good deal.
HedStatus hed_show_survey(HedShow* show, HedError* error);

/// The number that a frame of the show has in its run; -1 if the show does not have it.
int32_t hed_show_source(const HedShow* show, int32_t frame);

/// HED_NOT_FOUND if a frame is not one of those selected, or of a file. A run's own frames are left
/// to its reader, which knows more about what is wrong.
HedStatus hed_show_check_selected(HedShow* show, int32_t frame, HedError* error);

/// HED_NOT_FOUND with the frames there are, unless 0 <= first <= last < count.
HedStatus hed_show_check_frames(HedShow* show, int32_t first, int32_t last, HedError* error);
HedStatus hed_show_check_quantity(const HedShow* show, int32_t quantity, HedError* error);

#endif
