// SPDX-License-Identifier: MIT
// Frames of a simulation, collected and written; their files are those of record/format.h.
#ifndef HED_RUN_FRAMES_H
#define HED_RUN_FRAMES_H

#include "base/status.h"
#include "heddle/scene.h"
#include "record/format.h"

/// Buffers to collect a frame in. Zero-initialise; free with hed_frame_buffer_free.
typedef struct HedFrameBuffer {
    HedSceneObject* objects; // borrowed contents
    int32_t object_count;
    HedVec3* positions;
    int64_t position_count;
    HedPose* poses;
    int64_t pose_count;
    uint32_t quantities; // bit q: HedQuantity q is written
    float* values;       // of one quantity after the other, at all vertices that move freely
    double* object_values;
    float* velocities; // three numbers per vertex; NULL: not written
    HedVec3* object_velocities;
} HedFrameBuffer;

HedStatus hed_frame_buffer_init(HedFrameBuffer* buffer, const HedScene* scene, const HedSim* sim,
                                HedError* error);
void hed_frame_buffer_free(HedFrameBuffer* buffer);

/// Writes objects.hed.
HedStatus hed_frame_objects_save(const HedFrameBuffer* buffer, const char* path, HedError* error);

/// Takes the present state; false if a value is not finite, with what and where in trouble.
bool hed_frame_collect(HedFrameBuffer* buffer, const HedSim* sim, char trouble[160]);

/// Writes the state collected last, and the quantities of the sim, which must still be in it.
HedStatus hed_frame_save(HedFrameBuffer* buffer, const HedSim* sim, const char* path,
                         HedError* error);

#endif
