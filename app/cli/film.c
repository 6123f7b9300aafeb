// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/film.h"
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Starts the program; 0, or the errno of what went wrong.
static int launch(Film* film, char** arguments) {
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing < 0) {
        return errno;
    }
    Child child = {0};
    int failure = child_start(&(ChildDef){arguments, nothing, fileno(film->complaints)}, &child);
    close(nothing);
    if (!failure) {
        film->pid = child.pid;
        film->pipe = child.input;
    }
    return failure;
}

static void clean_up(Film* film) {
    if (film->complaints) {
        fclose(film->complaints);
    }
    if (film->temporary) {
        unlink(film->temporary);
    }
    free(film->output);
    free(film->temporary);
    *film = (Film){0};
}

// Runs ffmpeg for raw pictures on its standard input. url: where the film goes.
static int launch_for(Film* film, const FilmShape* shape, char* url) {
    static const char* const WORDS[] = {"ffmpeg",    "-y",         "-loglevel", "error",  "-f",
                                        "rawvideo",  "-pix_fmt",   "rgb24",     "-s",     "SIZE",
                                        "-r",        "RATE",       "-i",        "pipe:0", "-c:v",
                                        "libx264",   "-pix_fmt",   "yuv420p",   "-crf",   "17",
                                        "-movflags", "+faststart", "-f",        "mp4"};
    enum { COUNT = sizeof WORDS / sizeof WORDS[0] };
    char text[COUNT][32];
    char* arguments[COUNT + 2] = {0};
    for (int i = 0; i < COUNT; ++i) {
        if (strcmp(WORDS[i], "SIZE") == 0) {
            snprintf(text[i], sizeof text[i], "%" PRId32 "x%" PRId32, shape->width, shape->height);
        } else if (strcmp(WORDS[i], "RATE") == 0) {
            snprintf(text[i], sizeof text[i], "%.6g", shape->fps);
        } else {
            snprintf(text[i], sizeof text[i], "%s", WORDS[i]);
        }
        arguments[i] = text[i];
    }
    arguments[COUNT] = url;
    return launch(film, arguments);
}

int film_open(Film* film, const char* output, const FilmShape* shape, bool* missing) {
    *film = (Film){0};
    *missing = false;
    size_t size = strlen(output) + 48;
    char* url = malloc(size);
    film->output = strdup(output);
    film->temporary = malloc(size);
    film->complaints = tmpfile();
    if (!url || !film->output || !film->temporary || !film->complaints) {
        free(url);
        clean_up(film);
        return cli_no_memory();
    }
    hed_part_sweep(output);
    hed_part_name(output, film->temporary, size);
    // "file:" in front: a name that begins with a dash is no option, one with a colon no protocol.
    snprintf(url, size, "file:%s", film->temporary);
    int failure = launch_for(film, shape, url);
    free(url);
    if (failure) {
        clean_up(film);
        *missing = failure == ENOENT;
        return *missing ? CLI_MACHINE : cli_fail(CLI_MACHINE, "ffmpeg: %s", strerror(failure));
    }
    return CLI_GO;
}

static void print_complaints(FILE* complaints) {
    char line[512];
    rewind(complaints);
    for (int i = 0; i < 10 && fgets(line, sizeof line, complaints); ++i) {
        if (line[strspn(line, " \t\n")]) {
            fprintf(stderr, "ffmpeg: %s", line);
        }
    }
}

int film_add(Film* film, const uint8_t* rgb, size_t size) {
    struct sigaction quiet = {.sa_handler = SIG_IGN};
    struct sigaction before;
    sigemptyset(&quiet.sa_mask);
    // If ffmpeg has died, writing to it must not end us too.
    sigaction(SIGPIPE, &quiet, &before);
    int failure = 0;
    for (size_t sent = 0; sent < size && !failure;) {
        ssize_t now = write(film->pipe, rgb + sent, size - sent);
        if (now >= 0) {
            sent += (size_t)now;
        } else if (errno != EINTR) {
            failure = errno;
        }
    }
    sigaction(SIGPIPE, &before, NULL);
    if (!failure) {
        return CLI_GO;
    }
    film_close(film, false);
    return cli_fail(CLI_MACHINE, "the film broke off: ffmpeg does not take pictures any more");
}

int film_close(Film* film, bool keep) {
    int status = 0;
    int code = CLI_DONE;
    if (film->pid == 0) {
        clean_up(film);
        return code;
    }
    close(film->pipe);
    while (waitpid((pid_t)film->pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        print_complaints(film->complaints);
        code = keep ? cli_fail(CLI_MACHINE, "%s: ffmpeg could not make the film", film->output)
                    : CLI_MACHINE;
    } else if (keep && rename(film->temporary, film->output) != 0) {
        code = cli_fail(CLI_MACHINE, "%s: %s", film->output, strerror(errno));
    } else if (keep) {
        free(film->temporary);
        film->temporary = NULL;
        hed_part_sweep(film->output); // an ffmpeg of a killed one may have lived a little longer
    }
    clean_up(film);
    return code;
}
