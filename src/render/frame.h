// SPDX-License-Identifier: MIT
// The parts of hed_render, so that tests may change lights and materials in between.
#ifndef HED_RENDER_FRAME_H
#define HED_RENDER_FRAME_H

#include "render/trace.h"

/// Builds all that paths read. Free with hed_tracer_free, also after a failure.
HedStatus hed_tracer_create(const HedPicture* picture, const HedRenderDef* def, HedTracer* tracer,
                            HedError* error);
void hed_tracer_free(HedTracer* tracer);

/// Traces the picture, pass by pass.
HedStatus hed_tracer_run(const HedTracer* tracer, const HedRenderDef* def, HedImage* image,
                         HedRenderReport* report, HedError* error);

#endif
