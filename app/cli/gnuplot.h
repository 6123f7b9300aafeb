// SPDX-License-Identifier: MIT
// A picture drawn by gnuplot. Its script goes through a pipe and the picture comes back on its
// standard output, so no shell and no file name of the user is ever part of the script.
#ifndef CLI_GNUPLOT_H
#define CLI_GNUPLOT_H

#include "cli/common.h"

#include <stdio.h>

/// Zero-initialise; end with gnuplot_close, which also cleans up after a failure.
typedef struct Gnuplot {
    FILE* script; // write commands here
    char* output;
    char* temporary;
    FILE* complaints;
    long pid;
    void (*on_pipe)(int); // what SIGPIPE did before
} Gnuplot;

/// Starts gnuplot for a .png or .svg of so many pixels. Refuses a file that is there already unless
/// force is set. CLI_GO, or the exit code with everything said.
int gnuplot_open(Gnuplot* plot, const char* output, int width, int height, bool force);

/// Waits for the picture and gives it its name. Returns the exit code.
int gnuplot_close(Gnuplot* plot);

/// Writes text as a gnuplot string that means nothing else, whatever it holds.
void gnuplot_text(const Gnuplot* plot, const char* text);

enum { GNUPLOT_COLOURS = 8 };

/// Colours of lines, told apart by most eyes; i counts from 0 and wraps round.
const char* gnuplot_colour(int32_t i);

/// A look common to all charts: grid, key outside, thin frame.
void gnuplot_style(const Gnuplot* plot);

#endif
