// SPDX-License-Identifier: MIT
// A run opened for reading. Private to src/record.
#ifndef HED_RECORD_READER_H
#define HED_RECORD_READER_H

#include "heddle/run.h"
#include "io/store.h"
#include "record/directory.h"

#include <sys/types.h>
#include <time.h>

typedef struct HedRunObject {
    const char* name;
    HedObjectKind kind;
    bool is_body;
    int32_t vertex_count;
    const int32_t* triangles;
    int32_t triangle_count;
    const double* body_vertices; // three numbers each
    const double* uv;            // as HedSeriesObject has it
    bool uv_at_corners;
    int32_t first_curve; // in the reader's list
    int32_t curve_count;
} HedRunObject;

/// Tells whether a file is still the one it was; all zero if there is none.
typedef struct HedFileStamp {
    dev_t device;
    ino_t number;
    off_t size;
    struct timespec changed;
} HedFileStamp;

/// The arrays of a frame's file, checked. They point into a store.
typedef struct HedRunFrame {
    double time;             // s
    int64_t step;            // -1: not known
    const double* positions; // three numbers for each vertex of a sheet or of yarns
    const double* poses;     // HED_POSE_NUMBERS for each body
} HedRunFrame;

enum { HED_RUN_QUANTITIES = 32 }; // as many as a frame may have

/// What reading remembers: it spares files from being read twice and changes no answer.
typedef struct HedRunMemory {
    int32_t frame_count; // counted last
    int32_t frame;       // whose file is in store; -1: none
    HedFileStamp stamp;  // of that file
    HedStore store;
    HedRunFrame arrays;
    bool has_quantities; // the first frame has been asked for its quantities
    int32_t quantity_count;
    char quantities[HED_RUN_QUANTITIES][HED_STORE_NAME];
} HedRunMemory;

struct HedRunReader {
    HedRunDirectory directory;
    char* name;         // of the scene
    HedFileStamp stamp; // of objects.hed: another one means another run
    HedStore store;     // objects.hed; the objects point into it
    HedRunObject* objects;
    int32_t object_count;
    int64_t free_vertices; // of all sheets and yarns
    HedCurve* curves;      // of all yarns
    int64_t body_count;
    HedRunMemory* memory;

    // For hed_run_series:
    HedSeriesObject* series_objects;
    double* series_times;
    int32_t series_first;
};

HedFileStamp hed_file_stamp(const char* path);
bool hed_file_stamp_equal(HedFileStamp a, HedFileStamp b);

#endif
