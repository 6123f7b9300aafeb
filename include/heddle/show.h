// SPDX-License-Identifier: MIT
// Things to look at: runs, yarn files and meshes as one kind of object, with its frames, quantities
// and compact messages for the viewer (docs/protocol.md).
#ifndef HEDDLE_SHOW_H
#define HEDDLE_SHOW_H

#include "heddle/file.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HedShow HedShow;

typedef struct HedShowOptions {
    double scale;  ///< Factor from the numbers of a curve or mesh file to metres. Default 1.
    double radius; ///< m, of yarns whose file gives none; 0 (default): estimated from the distances
                   ///< between neighbouring yarns.
    int32_t tiles[2]; ///< Cells of yarns that repeat, as hed_curves_tile has them. Default 1, 1.
    const char* const* overrides; ///< Of a scene, as hed_scene_load() takes them. Default none.
    int32_t override_count;
} HedShowOptions;

HED_API HedShowOptions hed_show_options_default(void);

/// Opens a run directory (which may still be growing), a curve file (.bcc, .yarns, .pyp, .obj with
/// polylines), a mesh file (.obj, .ply, .vtp), a weave draft (.wif), a knitting chart (.knit, .ks),
/// a program of a knitting machine (.k, .knitout), whose yarns are shown, or a scene or a sewing
/// pattern (.yaml, .yml, .json) as it starts: sheets, yarns, bodies, and a mark at each vertex that
/// a pin holds. y is up.
HED_API HedStatus hed_show_open(const char* path, const HedShowOptions* options, HedShow** show,
                                HedError* error);
HED_API void hed_show_close(HedShow* show); ///< NULL is allowed.

HED_API const char* hed_show_title(const HedShow* show); ///< Name of the scene, or of the file.
HED_API bool hed_show_is_run(const HedShow* show);
HED_API const char* hed_show_path(const HedShow* show);
HED_API bool hed_show_is_growing(const HedShow* show); ///< A run that is being computed now.

HED_API int32_t hed_show_object_count(const HedShow* show);
HED_API HedSeriesObject hed_show_object(const HedShow* show, int32_t index); ///< Borrowed.

/// Frames there are now: more at each call if the run is growing. 1 for a file.
HED_API int32_t hed_show_frame_count(HedShow* show);

/// positions[object] must hold the object's vertex count.
HED_API HedStatus hed_show_frame(HedShow* show, int32_t frame, double* time,
                                 HedVec3* const* positions, HedError* error);

/// From now on the show consists of the frames first, first + every, ... up to last, counted from 0
/// again; rows of tables go with their frames. A run that grows stays as long as it is now.
HED_API HedStatus hed_show_select(HedShow* show, int32_t first, int32_t last, int32_t every,
                                  HedError* error);

/// A quantity to colour by, such as strain.
typedef struct HedShowQuantity {
    const char* name;
    const char* unit;
    bool is_signed; ///< Zero is in the middle of its colours.
} HedShowQuantity;

HED_API int32_t hed_show_quantity_count(const HedShow* show);
HED_API HedShowQuantity hed_show_quantity(const HedShow* show, int32_t index); ///< Borrowed.
HED_API int32_t hed_show_find_quantity(const HedShow* show, const char* name); ///< -1: none.

/// From now on the show has these quantities alone, in the order they had; names that it does not
/// have are an error.
HED_API HedStatus hed_show_select_quantities(HedShow* show, const char* const* names, int32_t count,
                                             HedError* error);

/// Values at all vertices of one frame, NaN where there are none. values[object] must hold the
/// object's vertex count.
HED_API HedStatus hed_show_values(HedShow* show, int32_t frame, int32_t quantity,
                                  float* const* values, HedError* error);

/// A range for colours: from the 1st to the 99th hundredth of the values in up to 16 frames spread
/// over first..last, made symmetric for signed quantities; never empty.
HED_API HedStatus hed_show_range(HedShow* show, int32_t quantity, int32_t first, int32_t last,
                                 float range[2], HedError* error);

/// Bounding box of everything but ground planes over up to 16 frames spread over first..last.
HED_API HedStatus hed_show_bounds(HedShow* show, int32_t first, int32_t last, HedVec3 box[2],
                                  HedError* error);

/// A flat body whose extent is that of a plane shape: a floor to stand on, not a thing to frame.
HED_API bool hed_show_is_ground(const HedShow* show, int32_t object);

/// Bytes that grow. Zero-initialise; free with hed_buffer_free.
typedef struct HedBuffer {
    uint8_t* data;
    int64_t size;
    int64_t capacity;
} HedBuffer;

HED_API void hed_buffer_free(HedBuffer* buffer);

/// The messages of docs/protocol.md, each appended to out. run is the number the viewer knows this
/// show by.
HED_API HedStatus hed_show_encode_about(HedShow* show, int32_t run, HedBuffer* out,
                                        HedError* error);
HED_API HedStatus hed_show_encode_geometry(HedShow* show, int32_t run, HedBuffer* out,
                                           HedError* error);

typedef struct HedFrameRequest {
    int32_t frame;
    int32_t reference; ///< A frame the receiver has, to send differences from; -1: none.
    int32_t quantity;  ///< Values to send along; -1: none.
} HedFrameRequest;

HED_API HedStatus hed_show_encode_frame(HedShow* show, int32_t run, HedFrameRequest request,
                                        HedBuffer* out, HedError* error);

/// Rows of a table ("energy" or "measure") from row first on, with names and units of its columns.
HED_API HedStatus hed_show_encode_table(HedShow* show, int32_t run, const char* name, int32_t first,
                                        HedBuffer* out, HedError* error);

#ifdef __cplusplus
}
#endif

#endif
