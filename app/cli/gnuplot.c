// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/gnuplot.h"
#include "cli/child.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

// Starts the program; 0, or the errno of what went wrong.
static int launch(Gnuplot* plot, int picture) {
    static char name[] = "gnuplot";
    static char plain[] = "-d"; // whatever stands in the user's own settings
    char* arguments[] = {name, plain, NULL};
    Child child = {0};
    int failure = child_start(&(ChildDef){arguments, picture, fileno(plot->complaints)}, &child);
    if (failure) {
        return failure;
    }
    plot->pid = child.pid;
    plot->script = fdopen(child.input, "w");
    return plot->script ? 0 : errno;
}

static void clean_up(Gnuplot* plot) {
    if (plot->complaints) {
        fclose(plot->complaints);
    }
    if (plot->temporary) {
        unlink(plot->temporary);
    }
    free(plot->output);
    free(plot->temporary);
    *plot = (Gnuplot){0};
}

static int fail_launch(Gnuplot* plot, int failure) {
    clean_up(plot);
    if (failure == ENOENT) {
        return cli_fail(CLI_MACHINE,
                        "gnuplot is not installed; on Debian: apt-get install gnuplot-nox");
    }
    return cli_fail(CLI_MACHINE, "gnuplot: %s", strerror(failure));
}

// The terminal and its font: points for one, pixels for the other, of about the same size.
static const char* terminal_of(const char* output) {
    const char* extension = cli_extension(output);
    return strcasecmp(extension, "png") == 0   ? "pngcairo font 'sans,11'"
           : strcasecmp(extension, "svg") == 0 ? "svg background rgb 'white' font 'sans,13'"
                                               : NULL;
}

int gnuplot_open(Gnuplot* plot, const char* output, int width, int height, bool force) {
    *plot = (Gnuplot){0};
    const char* terminal = terminal_of(output);
    if (!terminal) {
        return cli_fail(CLI_BAD_INPUT, "%s: a picture must end in .png or .svg", output);
    }
    if (cli_exists(output) && !force) {
        return cli_fail(CLI_BAD_INPUT, "%s: is there already; --force replaces it", output);
    }
    plot->output = strdup(output);
    size_t size = strlen(output) + HED_PART_ROOM;
    plot->temporary = malloc(size);
    plot->complaints = tmpfile();
    if (!plot->output || !plot->temporary || !plot->complaints) {
        clean_up(plot);
        return cli_no_memory();
    }
    hed_part_sweep(output);
    hed_part_name(output, plot->temporary, size);
    int picture = open(plot->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (picture < 0) {
        int code = cli_fail(CLI_MACHINE, "%s: %s", output, strerror(errno));
        free(plot->temporary);
        plot->temporary = NULL;
        clean_up(plot);
        return code;
    }
    int failure = launch(plot, picture);
    close(picture);
    if (failure) {
        return fail_launch(plot, failure);
    }
    // If gnuplot dies, writing the rest of the script must not end us too.
    plot->on_pipe = signal(SIGPIPE, SIG_IGN);
    fprintf(plot->script, "set encoding utf8\nset terminal %s noenhanced size %d,%d\n", terminal,
            width, height);
    return CLI_GO;
}

static void print_complaints(FILE* complaints) {
    char line[512];
    rewind(complaints);
    while (fgets(line, sizeof line, complaints)) {
        if (line[strspn(line, " \t\n")]) {
            fprintf(stderr, "gnuplot: %s", line);
        }
    }
}

int gnuplot_close(Gnuplot* plot) {
    int status = 0;
    bool ok = fclose(plot->script) == 0;
    signal(SIGPIPE, plot->on_pipe);
    while (waitpid((pid_t)plot->pid, &status, 0) < 0 && errno == EINTR) {
    }
    ok = ok && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    long size = 0;
    FILE* picture = fopen(plot->temporary, "rb");
    if (picture) {
        fseek(picture, 0, SEEK_END);
        size = ftell(picture);
        fclose(picture);
    }
    int code = CLI_DONE;
    if (!ok || size <= 0) {
        print_complaints(plot->complaints);
        code = cli_fail(CLI_MACHINE, "%s: gnuplot could not draw it", plot->output);
    } else if (rename(plot->temporary, plot->output) != 0) {
        code = cli_fail(CLI_MACHINE, "%s: %s", plot->output, strerror(errno));
    } else {
        free(plot->temporary);
        plot->temporary = NULL;
    }
    clean_up(plot);
    return code;
}

// Bytes of the character at c, 0 if that is no UTF-8 or no character of XML.
static int character_size(const unsigned char* c) {
    static const uint32_t LEAST[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (*c < 0x80) {
        return *c >= 0x20 && *c != 0x7F;
    }
    int size = *c >= 0xF0 && *c < 0xF8 ? 4 : *c >= 0xE0 ? 3 : *c >= 0xC2 ? 2 : 0;
    uint32_t code = size == 0 || *c >= 0xF8 ? 0 : *c & (0x7Fu >> size);
    for (int i = 1; i < size; ++i) {
        if ((c[i] & 0xC0) != 0x80) {
            return 0;
        }
        code = code << 6 | (c[i] & 0x3Fu);
    }
    bool is_surrogate = code >= 0xD800 && code < 0xE000;
    bool is_character = code >= LEAST[size] && code >= 0xA0 && code <= 0x10FFFF;
    return is_character && !is_surrogate && (code & 0xFFFE) != 0xFFFE ? size : 0;
}

// In double quotes a character written by its number is never more than a character. (A quote that
// is doubled inside single ones would do by the manual, but not at the beginning.)
void gnuplot_text(const Gnuplot* plot, const char* text) {
    fputc('"', plot->script);
    for (const unsigned char* c = (const unsigned char*)text; *c;) {
        int size = character_size(c);
        if (size == 0) {
            fputc(*c < 0x80 ? ' ' : '?', plot->script);
        } else if (*c < 0x80 && !isalnum(*c) && *c != ' ') {
            fprintf(plot->script, "\\0%03o", *c); // four digits: a digit after them is its own
        } else {
            fwrite(c, 1, (size_t)size, plot->script);
        }
        c += size > 0 ? size : 1;
    }
    fputc('"', plot->script);
}

const char* gnuplot_colour(int32_t i) {
    static const char* const COLOURS[GNUPLOT_COLOURS] = {
        "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#8a8a8a"};
    return COLOURS[(uint32_t)i % GNUPLOT_COLOURS];
}

void gnuplot_style(const Gnuplot* plot) {
    fputs("set grid lc rgb '#dddddd' lt 1 lw 0.6\n"
          "set border 3 lc rgb '#666666'\n"
          "set tics nomirror out scale 0.6\n"
          "set autoscale xfix\n"
          "set key outside right top vertical Left reverse samplen 3 spacing 1.15 width 1\n"
          "set lmargin 12\n",
          plot->script);
}
