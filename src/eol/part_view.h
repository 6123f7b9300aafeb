// SPDX-License-Identifier: MIT
// Sliding yarns as a part of a simulation (state/part.h): what is set up once, what is
// remembered, and what is seen.
#ifndef HED_EOL_PART_VIEW_H
#define HED_EOL_PART_VIEW_H

#include "state/part.h"

HedStatus hed_eol_part_prepare(void* self, const HedPartSetup* setup, HedError* error);
void hed_eol_part_destroy(void* self);
void* hed_eol_part_clone(const void* self, HedClones* clones);
HedPartSkin hed_eol_part_skin(const void* self);
bool hed_eol_part_has_segment(const void* self, int32_t a, int32_t b);
HedPartSize hed_eol_part_size(const void* self);
int64_t hed_eol_part_state_count(const void* self);
void hed_eol_part_save(const void* self, double* state);
void hed_eol_part_restore(void* self, const double* state);
HedStatus hed_eol_part_start(void* self, const double* state, int64_t count, const int32_t* row,
                             bool is_at_rest, HedError* error);
int32_t hed_eol_part_row(const void* self, int32_t point);
int32_t hed_eol_part_gone_count(const void* self);
void hed_eol_part_tell_gone(const void* self, const char* name, char* text, size_t size);
int32_t hed_eol_part_vertex_count(const void* self);
void hed_eol_part_vertices(const void* self, const HedVec3* points, HedVec3* vertices);
void hed_eol_part_velocities(const void* self, HedVec3* velocities);
void hed_eol_part_quantity(const void* self, HedQuantity quantity, const double* push,
                           double* values);
void hed_eol_part_strain(const void* self, double values[2]);

#endif
