// SPDX-License-Identifier: MIT
// How large files will be, about: what is large is announced before it is written, with the way to
// make it smaller.
#ifndef CLI_SIZE_H
#define CLI_SIZE_H

#include "cli/common.h"

/// What a verb writes.
typedef struct CliSize {
    double frames;
    double points; ///< Of all frames together.
    double bytes;
} CliSize;

/// A file of a format that hed_series_save knows, by the extension of out.
CliSize cli_size_of_series(const char* out, const HedSeries* series);

/// What a scene holds at its start, `copies` times.
CliSize cli_size_of_scene(const char* out, const HedScene* scene, int32_t copies);

/// The directory of a run of this duration (s) with this time step (s).
CliSize cli_size_of_run(const HedScene* scene, double duration, double time_step);

/// A page with all frames and values that the shows have now. Encodes three frames of each; a frame
/// that cannot be read counts as nothing here.
CliSize cli_size_of_page(HedShow* const* shows, int32_t count, size_t page_bytes);

/// A note on stderr if that is much; way_out says how it becomes less, "" if there is no way.
void cli_size_tell(const char* out, CliSize size, const char* way_out);

/// cli_size_of_series and cli_size_tell; in is what the file is made of.
void cli_size_note(const char* in, const char* out, const HedSeries* series);

#endif
