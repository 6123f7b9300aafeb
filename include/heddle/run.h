// SPDX-License-Identifier: MIT
// Run directories: simulate a scene into one, go on after a stop, read its frames.
#ifndef HEDDLE_RUN_H
#define HEDDLE_RUN_H

#include "heddle/file.h"
#include "heddle/scene.h"
#include "heddle/start.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How far a run has come; given to the progress hook after every step, and about twice a second
/// within a step that takes longer.
typedef struct HedProgress {
    double time;     ///< s, simulated
    double duration; ///< s
    int64_t step;
    int32_t frame;           ///< Frames written.
    double wall;             ///< s since this call began
    double steps_per_second; ///< Of the last second or so.
    double left;             ///< s, estimated wall time to the end
    int32_t gone_count;      ///< Crossings that yarns have come out of; of rods and splines, those
                             ///< at the last frame.
    bool in_step;            ///< Within a step: the report is that of it so far.
    HedStepReport report;    ///< Of the last step.
} HedProgress;

typedef struct HedRunOptions {
    const char* directory;
    double duration;            ///< s; negative: as the scene says.
    int32_t thread_count;       ///< 0: as the scene says.
    bool resume;                ///< Go on from the checkpoint if there is one.
    bool force;                 ///< Replace a finished or unfinished run.
    double checkpoint_interval; ///< s of wall time between checkpoints; 0: at every frame.
    void (*progress)(const HedProgress* progress, void* context);
    bool (*stop)(void* context); ///< Asked within and after every step; true ends the run with a
                                 ///< checkpoint. A step that is not done is given up, to be made
                                 ///< again when the run goes on.
    void* context;
} HedRunOptions;

HED_API HedRunOptions hed_run_options_default(void);

typedef enum HedOutcome {
    HED_OUTCOME_DONE,
    HED_OUTCOME_GAVE_UP, ///< The solver; all frames up to then are kept.
    HED_OUTCOME_STOPPED, ///< By the stop hook; can be resumed.
    HED_OUTCOME_COUNT
} HedOutcome;

typedef struct HedRunReport {
    HedOutcome outcome;
    double time; ///< s, simulated
    int64_t steps;
    int32_t frames;
    int32_t lost_frames;      ///< Of those before a resumed run: missing or damaged.
    double wall;              ///< s
    double worst_residual;    ///< N
    double worst_penetration; ///< m
    int32_t gone_count;       ///< Crossings that yarns have come out of, until the end.
    char gone[240];           ///< One of them: which yarn, and where.
    char gone_yarns[240];     ///< Rods and splines that came off others: "pick 3, pick 5".
    int64_t tangle_count;     ///< Pairs of triangles of garments that intersect at the end, as they
                              ///< did at the start: hed_sim_panel_overlaps.
    char tangle[240];         ///< The panels that do so most; empty if none do.
    HedEnergies energies;     ///< At the end.
    HedStepReport last;
} HedRunReport;

/// Simulates scene into options->directory. Nothing is written if the scene, the options or an
/// earlier run there forbid it.
HED_API HedStatus hed_run(const HedScene* scene, const HedRunOptions* options, HedRunReport* report,
                          HedError* error);

/// A run directory opened for reading; it may still be growing. One thread at a time. Reading fails
/// with HED_NOT_FOUND once the run has been removed or replaced by another one.
typedef struct HedRunReader HedRunReader;

HED_API bool hed_run_is_directory(const char* path); ///< Holds a run, finished or not.
HED_API HedStatus hed_run_open(const char* directory, HedRunReader** reader, HedError* error);
HED_API void hed_run_close(HedRunReader* reader);             ///< NULL is allowed.
HED_API const char* hed_run_name(const HedRunReader* reader); ///< Of its scene, or the directory's.
HED_API bool hed_run_is_growing(const HedRunReader* reader);  ///< Some process is writing it now.
HED_API int32_t hed_run_frame_count(const HedRunReader* reader);
HED_API int32_t hed_run_object_count(const HedRunReader* reader);
HED_API HedSeriesObject hed_run_object(const HedRunReader* reader, int32_t index); ///< Borrowed.
/// Time of frame; positions[object] must hold the object's vertex count. positions may be NULL:
/// only the time.
HED_API HedStatus hed_run_frame(const HedRunReader* reader, int32_t frame, double* time,
                                HedVec3* const* positions, HedError* error);

/// A number that changes whenever the file of the frame does; 0 if it is gone. The last frame of a
/// run that ended between two frames is replaced when the run goes on.
HED_API uint64_t hed_run_frame_stamp(const HedRunReader* reader, int32_t frame);

/// Steps that the run had done at a frame.
HED_API HedStatus hed_run_frame_step(const HedRunReader* reader, int32_t frame, int64_t* step,
                                     HedError* error);

/// Files of a run, as seen from its directory. Borrowed until the next call.
HED_API const char* hed_run_frame_file(const HedRunReader* reader, int32_t frame);
HED_API const char* hed_run_objects_file(const HedRunReader* reader);
HED_API const char* hed_run_checkpoint_file(const HedRunReader* reader);
HED_API const char* hed_run_scene_file(const HedRunReader* reader);

/// Where the bodies stand in one frame, in the order of the objects; poses must hold one per body.
HED_API HedStatus hed_run_poses(const HedRunReader* reader, int32_t frame, HedPose* poses,
                                HedError* error);

/// Vertices of a body in its own frame; borrowed. Empty for other objects.
HED_API HedVec3View hed_run_body_vertices(const HedRunReader* reader, int32_t index);

/// Quantities that the frames carry besides positions, by name (see HedQuantity); the set is that
/// of the first frame.
HED_API int32_t hed_run_quantity_count(const HedRunReader* reader);
HED_API const char* hed_run_quantity_name(const HedRunReader* reader, int32_t index); ///< Borrowed.

/// Values of a quantity at the vertices of one frame, NaN where an object has none (bodies).
/// values[object] must hold the object's vertex count.
HED_API HedStatus hed_run_values(const HedRunReader* reader, int32_t frame, const char* quantity,
                                 float* const* values, HedError* error);

/// The frames first..last (inclusive) as a series for hed_series_save. Borrowed from the reader,
/// until the next call.
HED_API HedStatus hed_run_series(HedRunReader* reader, int32_t first, int32_t last,
                                 HedSeries* series, HedError* error);

/// The state in a checkpoint, for simulations that start from it (heddle/start.h).
typedef struct HedRunState HedRunState;

/// Takes a checkpoint's bytes, which are copied, apart. HED_NOT_FOUND for one that an earlier
/// heddle wrote without what this needs. name is used in messages.
HED_API HedStatus hed_run_state_parse(const void* data, size_t size, const char* name,
                                      HedRunState** state, HedError* error);
HED_API void hed_run_state_free(HedRunState* state); ///< NULL is allowed.
HED_API int64_t hed_run_state_steps(const HedRunState* state);

/// Its sheets and yarns, in the order of the run's objects without bodies.
HED_API int32_t hed_run_state_part_count(const HedRunState* state);
HED_API HedStatePart hed_run_state_part(const HedRunState* state, int32_t index);
HED_API const int32_t* hed_run_state_place(const HedRunState* state, int32_t index); ///< Borrowed.

/// How many positions and velocities a part has, as HedStartDef wants them: of vertices, or of
/// control points or nodes. positions NULL: nothing is copied.
HED_API int32_t hed_run_state_points(const HedRunState* state, int32_t index, HedVec3* positions,
                                     HedVec3* velocities);

enum { HED_RUN_STATE_MEMORY = 4 };

/// What yarns remember: arrays for hed_sim_start_memory(), up to HED_RUN_STATE_MEMORY of them; how
/// many. Borrowed.
HED_API int32_t hed_run_state_memory(const HedRunState* state, HedSnapshotArray* arrays);

#ifdef __cplusplus
}
#endif

#endif
