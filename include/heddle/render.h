// SPDX-License-Identifier: MIT
// Path-traced pictures of sheets, bodies and yarns. Optional part: without Embree every call
// returns HED_UNSUPPORTED.
#ifndef HEDDLE_RENDER_H
#define HEDDLE_RENDER_H

#include "heddle/file.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A named set of materials and lights.
typedef enum HedLook {
    HED_LOOK_STUDIO, ///< Area lights, soft sky, ground; yarns with plies and fuzz.
    HED_LOOK_FLAT,   ///< Even light on white, no ground, smooth materials: for documents.
    HED_LOOK_XRAY,   ///< See-through: how much lies behind each pixel.
    HED_LOOK_STRAIN, ///< Colours of a quantity (strain if none is named) under even light.
    HED_LOOK_COUNT
} HedLook;

HED_API const char* hed_look_name(HedLook look); ///< "studio", "flat", "xray", "strain"

typedef struct HedCamera {
    HedVec3 position; ///< m
    HedVec3 target;   ///< m, in the middle of the picture and in focus.
    HedVec3 up;
    double field;    ///< rad, angle of view over the shorter side of the picture.
    double aperture; ///< m, diameter of the lens; 0: everything is sharp.
    double focus;    ///< m, distance in focus; 0: that of the target.
} HedCamera;

/// A camera that sees the whole of a box, from azimuth (rad, about y, 0 looks along -z) and
/// elevation (rad). zoom 1 fills the picture, 2 shows half of it.
typedef struct HedFraming {
    double azimuth;   ///< Default 35 degrees.
    double elevation; ///< Default 20 degrees.
    double field;     ///< Default 30 degrees.
    double zoom;      ///< Default 1.
    double aspect;    ///< Width over height of the picture.
} HedFraming;

HED_API HedFraming hed_framing_default(void);
HED_API HedCamera hed_camera_frame(const HedVec3 box[2], const HedFraming* framing);

/// What is in the picture: borrowed until the scene is destroyed.
typedef struct HedPicture {
    const HedSeriesObject* objects;
    int32_t object_count;
    const HedVec3* const* positions; ///< Of each object's vertices.
    const float* const* values;      ///< To colour by, or NULL; NaN: the object's own colour.
    float range[2];                  ///< Of the values: first and last colour.
    bool is_signed;                  ///< Two-sided colours about the middle of the range.
    const bool* is_ground;           ///< One per object: drawn as floor; NULL: none is.
} HedPicture;

/// What rendering cost.
typedef struct HedRenderReport {
    int32_t samples; ///< Done; fewer than asked for if stopped.
    int64_t rays;    ///< Cast, shadow rays included.
    double build;    ///< s, for the acceleration structure.
    double trace;    ///< s, for the picture.
    double replay;   ///< s, for casting all rays again without shading; 0 unless asked for.
} HedRenderReport;

/// How to draw. Fill with hed_render_def_default(), then edit.
typedef struct HedRenderDef {
    int32_t width, height; ///< Pixels, up to 16384. Default 1280 x 960.
    int32_t samples;       ///< Paths per pixel, up to 65536. Default 64.
    int32_t thread_count;  ///< 0: one per core. The picture does not depend on it.
    int32_t depth;         ///< Most bounces. Default 8.
    uint64_t seed;         ///< Default 1.
    HedLook look;
    HedCamera camera;
    double fuzz;      ///< 0 smooth to 1 hairy. Default 0.5.
    double ply_twist; ///< Turns per yarn diameter of length. Default 0.2.
    int32_t plies;    ///< Strands a yarn is twisted from, up to 16; 1: smooth. Default 3.
    double floor;     ///< m, height of the studio's floor if the scene has none. NaN (default): its
                      ///< lowest point. Films need one height for all frames.
    bool enable_replay; ///< Measure what casting the same rays costs alone. Keeps all rays in
                        ///< memory.
    /// Called after each pass of one sample per pixel, on the caller's thread; false stops early.
    bool (*progress)(const HedRenderReport* so_far, int32_t samples, void* context);
    void* context;
    uint32_t stamp;
} HedRenderDef;

HED_API HedRenderDef hed_render_def_default(void);

/// Linear light, three floats a pixel, rows from the top. Free with hed_image_free.
typedef struct HedImage {
    int32_t width, height;
    float* rgb;
} HedImage;

HED_API void hed_image_free(HedImage* image);

/// Draws. An image is given even if progress stopped early: the samples so far. HED_INVALID for a
/// scene without extent, positions that are not finite, sizes beyond 16384, samples beyond 65536.
HED_API HedStatus hed_render(const HedPicture* picture, const HedRenderDef* def, HedImage* image,
                             HedRenderReport* report, HedError* error);

/// A colour scale with numbers and a title ("strain", or "tension (N/m)") drawn into the lower
/// right corner, for the range of the picture's values. HED_UNSUPPORTED in a build without cairo.
HED_API HedStatus hed_image_add_legend(HedImage* image, const HedPicture* picture,
                                       const char* title, HedError* error);

/// A PNG of 8 or 16 bits a channel, sRGB, after the tone curve: light up to 0.8 stays what it is,
/// brighter light runs softly up to 1 without a change of hue. HED_EXISTS if the file is there and
/// overwrite is not set; HED_UNSUPPORTED in a build without libspng.
HED_API HedStatus hed_image_save(const HedImage* image, const char* path, int32_t bits,
                                 bool overwrite, HedError* error);

/// The image as it goes into a film: 8-bit sRGB after the tone curve, three bytes a pixel.
HED_API void hed_image_bytes(const HedImage* image, uint8_t* rgb);

/// A colour of the map that pictures and the viewer use; t from 0 to 1. sRGB, each 0 to 1.
HED_API void hed_color_map(double t, bool is_signed, float rgb[3]);

/// The colour that the index-th yarn or sheet gets if its file gives none; sRGB 0xRRGGBB.
HED_API int32_t hed_color_palette(int32_t index);

#ifdef __cplusplus
}
#endif

#endif
