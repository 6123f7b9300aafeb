// SPDX-License-Identifier: MIT
// A film made by ffmpeg: raw pictures go through a pipe to it. No shell is involved, so a file name
// means nothing but itself. The film appears under its name when it is whole.
#ifndef CLI_FILM_H
#define CLI_FILM_H

#include "cli/common.h"

#include <stdio.h>

/// Zero-initialise; end with film_close, which also cleans up after a failure.
typedef struct Film {
    char* output;
    char* temporary;
    FILE* complaints; // what ffmpeg says
    int pipe;         // pictures go here
    long pid;         // 0: none
} Film;

typedef struct FilmShape {
    int32_t width, height; // even
    double fps;
} FilmShape;

/// Starts ffmpeg. CLI_GO, or the exit code with everything said; *missing is set, and nothing is
/// said, if there is no ffmpeg.
int film_open(Film* film, const char* output, const FilmShape* shape, bool* missing);

/// One picture, width * height * 3 bytes. CLI_GO, or the exit code with everything said.
int film_add(Film* film, const uint8_t* rgb, size_t size);

/// Waits for ffmpeg and gives the film its name if keep is set, else removes it. The exit code.
int film_close(Film* film, bool keep);

#endif
