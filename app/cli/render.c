// SPDX-License-Identifier: MIT
// heddle render: pictures and films of runs, yarns and meshes.
#define _POSIX_C_SOURCE 200809L
#include "cli/film.h"
#include "cli/frames.h"
#include "cli/json.h"
#include "cli/render_options.h"
#include "cli/render_progress.h"
#include "cli/stage.h"
#include "cli/verbs.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// What one call of the verb works on.
typedef struct Job {
    RenderOptions options;
    Stage stage;
    char* output;
    bool is_film;
    int32_t first, last; // frames
    HedVec3 box[2];      // of all frames
    RenderProgress progress;
    int64_t rays;
    double trace, begin;
    int32_t samples; // of the frame drawn last
    int32_t drawn;   // frames
} Job;

// Name of the input without folders, slashes and extension, with ".png".
static char* default_output(const char* input) {
    size_t size = strlen(input);
    while (size > 1 && input[size - 1] == '/') {
        --size;
    }
    size_t start = size;
    while (start > 0 && input[start - 1] != '/') {
        --start;
    }
    size_t room = size - start + 16;
    char* name = malloc(room);
    if (!name) {
        return NULL;
    }
    memcpy(name, input + start, size - start);
    name[size - start] = '\0';
    char* dot = strrchr(name, '.');
    if (dot && dot != name && !cli_is_directory(input)) {
        *dot = '\0';
    }
    bool is_nameless = name[strspn(name, "./")] == '\0';
    size_t used = is_nameless ? 0 : strlen(name);
    snprintf(name + used, room - used, "%s", is_nameless ? "render.png" : ".png");
    return name;
}

// A picture takes minutes: that its folder cannot be written to is said before, not after.
static int check_folder(const char* output) {
    const char* slash = strrchr(output, '/');
    size_t size = slash ? (size_t)(slash - output) + 1 : 0;
    char* folder = slash ? strndup(output, size) : strdup(".");
    if (!folder) {
        return cli_no_memory();
    }
    int code = CLI_GO;
    if (access(folder, W_OK | X_OK) != 0) {
        code = cli_fail(CLI_MACHINE, "%s: %s", output, strerror(errno));
    }
    free(folder);
    return code;
}

static int choose_output(Job* job) {
    const RenderOptions* o = &job->options;
    job->output = o->output ? strdup(o->output) : default_output(o->input);
    if (!job->output) {
        return cli_no_memory();
    }
    const char* extension = cli_extension(job->output);
    job->is_film = strcasecmp(extension, "mp4") == 0;
    if (!job->is_film && strcasecmp(extension, "png") != 0) {
        return cli_fail(CLI_BAD_INPUT, "%s: a picture ends in .png, a film in .mp4", job->output);
    }
    if (cli_is_directory(job->output)) {
        return cli_fail(CLI_BAD_INPUT, "%s: is a directory", job->output);
    }
    if (cli_exists(job->output) && !o->force) {
        return cli_fail(CLI_BAD_INPUT, "%s: is there already; --force replaces it", job->output);
    }
    return check_folder(job->output);
}

static int choose_frames(Job* job) {
    const char* text = job->options.frames ? job->options.frames : job->is_film ? ":" : "last";
    int32_t count = hed_show_frame_count(job->stage.show);
    if (count < 1) {
        return cli_fail(CLI_BAD_INPUT, "%s: the run has no frames yet", job->options.input);
    }
    HedError error = {0};
    int code = cli_frames(text, count, &job->first, &job->last);
    if (code == CLI_GO &&
        hed_show_bounds(job->stage.show, job->first, job->last, job->box, &error) != HED_OK) {
        code = cli_error(&error);
    }
    if (code == CLI_GO && job->options.color_by) {
        code = stage_color_by(&job->stage, job->options.color_by, job->options.range, job->first,
                              job->last);
    }
    return code;
}

// What lies flat is seen from higher up: from 20 degrees for a thing as high as wide, to 50 for a
// carpet.
static double good_elevation(const HedVec3 box[2]) {
    HedVec3 size = {box[1].x - box[0].x, box[1].y - box[0].y, box[1].z - box[0].z};
    double wide = fmax(size.x, size.z);
    double high = fmin(1.0, size.y / fmax(wide, 1e-300));
    double lying = fmin(size.x, size.z) > 0.3 * wide ? fmax(0.0, 1.0 - 3.0 * high) : 0.0;
    return (20.0 + 30.0 * lying) * 3.14159265358979323846 / 180.0;
}

// One framing for all frames, turned by an angle.
static HedCamera camera_of(const Job* job, double turn) {
    const RenderOptions* o = &job->options;
    HedFraming framing = o->framing;
    framing.azimuth += turn;
    framing.elevation = o->has_elevation ? framing.elevation : good_elevation(job->box);
    HedCamera camera = hed_camera_frame(job->box, &framing);
    if (o->has_position && !o->has_target) {
        camera.target =
            (HedVec3){0.5 * (job->box[0].x + job->box[1].x), 0.5 * (job->box[0].y + job->box[1].y),
                      0.5 * (job->box[0].z + job->box[1].z)};
    }
    if (o->has_target) {
        HedVec3 d = {o->target.x - camera.target.x, o->target.y - camera.target.y,
                     o->target.z - camera.target.z};
        camera.position =
            (HedVec3){camera.position.x + d.x, camera.position.y + d.y, camera.position.z + d.z};
        camera.target = o->target;
    }
    camera.position = o->has_position ? o->position : camera.position;
    camera.up = o->has_up ? o->up : camera.up;
    camera.aperture = o->def.camera.aperture;
    camera.focus = o->def.camera.focus;
    return camera;
}

// Draws one frame of the show. CLI_GO also if it was stopped on the way.
static int draw(Job* job, int32_t frame, HedImage* image) {
    HedRenderDef def = job->options.def;
    HedRenderReport report = {0};
    HedError error = {0};
    double time = 0.0;
    double part = job->last > job->first
                      ? (double)(frame - job->first) / (double)(job->last - job->first + 1)
                      : 0.0;
    int code = stage_load(&job->stage, frame, &time);
    if (code != CLI_GO) {
        return code;
    }
    def.camera = camera_of(job, part * job->options.orbit);
    def.floor = job->last > job->first ? job->box[0].y : (double)NAN;
    def.progress = render_progress_hook;
    def.context = &job->progress;
    HedStatus status = hed_render(&job->stage.picture, &def, image, &report, &error);
    if (status == HED_OK && job->stage.quantity >= 0 && !job->options.hide_legend) {
        status = hed_image_add_legend(image, &job->stage.picture, job->stage.title, &error);
    }
    render_progress_frame_done(&job->progress);
    job->rays += report.rays;
    job->trace += report.trace;
    job->samples = report.samples;
    job->drawn += 1;
    if (status != HED_OK) {
        hed_image_free(image);
        return cli_error(&error);
    }
    return CLI_GO;
}

static int save(const HedImage* image, const char* path, int32_t bits, bool force) {
    HedError error = {0};
    return hed_image_save(image, path, bits, force, &error) == HED_OK ? CLI_GO : cli_error(&error);
}

// "dir/name-0012.png" from "dir/name.png", or "dir/name/0012.png" as a folder.
static char* numbered(const char* output, int32_t frame, bool in_folder) {
    size_t stem = (size_t)(cli_extension(output) - output) - 1;
    char* path = malloc(stem + 32);
    if (path) {
        snprintf(path, stem + 32, "%.*s%c%04" PRId32 ".png", (int)stem, output,
                 in_folder ? '/' : '-', frame);
    }
    return path;
}

// A picture per frame.
static int draw_pictures(Job* job, bool in_folder) {
    int code = CLI_GO;
    bool many = job->last > job->first || in_folder;
    for (int32_t frame = job->first; frame <= job->last && code == CLI_GO; ++frame) {
        HedImage image = {0};
        char* path = many ? numbered(job->output, frame, in_folder) : strdup(job->output);
        code = path ? CLI_GO : cli_no_memory();
        if (code == CLI_GO && !job->options.force && cli_exists(path)) {
            code = cli_fail(CLI_BAD_INPUT, "%s: is there already; --force replaces it", path);
        }
        code = code == CLI_GO ? draw(job, frame, &image) : code;
        // A frame of many that is not finished is left out; a single one is kept as it is.
        bool stopped = render_progress_stopped(&job->progress);
        if (code == CLI_GO && !(stopped && many && job->samples < job->options.def.samples)) {
            code = save(&image, path, job->options.bits, job->options.force);
        }
        hed_image_free(&image);
        free(path);
        code = code == CLI_GO && stopped ? CLI_STOPPED : code;
    }
    return code;
}

// Without ffmpeg: numbered pictures in a folder named like the film.
static int draw_folder(Job* job) {
    size_t stem = (size_t)(cli_extension(job->output) - job->output) - 1;
    char* folder = strndup(job->output, stem);
    int code = folder ? CLI_GO : cli_no_memory();
    if (folder && cli_exists(folder) && !job->options.force) {
        code = cli_fail(CLI_BAD_INPUT, "%s: is there already; --force writes into it", folder);
    } else if (folder && !cli_make_directory(folder)) {
        code = cli_fail(CLI_MACHINE, "%s: %s", folder, strerror(errno));
    }
    if (code == CLI_GO) {
        cli_fail(CLI_GO, "ffmpeg is not installed: writing numbered pictures into %s/", folder);
        code = draw_pictures(job, true);
    }
    free(job->output);
    job->output = folder;
    return code;
}

// Frames per second: as asked for, else those that show the run at its own speed, if that is a
// film.
static int choose_rate(Job* job, double* fps) {
    double from = 0.0;
    double to = 0.0;
    *fps = job->options.fps;
    if (*fps > 0.0 || job->last == job->first) {
        *fps = *fps > 0.0 ? *fps : 30.0;
        return CLI_GO;
    }
    int code = stage_load(&job->stage, job->first, &from);
    code = code == CLI_GO ? stage_load(&job->stage, job->last, &to) : code;
    double rate = to > from ? (job->last - job->first) / (to - from) : 0.0;
    *fps = rate >= 5.0 && rate <= 120.0 ? rate : 30.0;
    return code;
}

static int draw_frames(Job* job, Film* film) {
    int32_t width = job->options.def.width;
    int32_t height = job->options.def.height;
    size_t size = 3 * (size_t)width * (size_t)height;
    uint8_t* rgb = malloc(size);
    int code = rgb ? CLI_GO : cli_no_memory();
    for (int32_t frame = job->first; frame <= job->last && code == CLI_GO; ++frame) {
        HedImage image = {0};
        code = draw(job, frame, &image);
        bool stopped = render_progress_stopped(&job->progress);
        bool whole = job->samples == job->options.def.samples;
        if (code == CLI_GO && (whole || frame == job->first)) {
            hed_image_bytes(&image, rgb);
            code = film_add(film, rgb, size);
        }
        hed_image_free(&image);
        code = code == CLI_GO && stopped ? CLI_STOPPED : code;
    }
    free(rgb);
    return code;
}

static int draw_film(Job* job) {
    Film film = {0};
    bool missing = false;
    // The usual coding of colours in films wants even sizes.
    HedRenderDef* def = &job->options.def;
    def->width += def->width & 1;
    def->height += def->height & 1;
    FilmShape shape = {def->width, def->height, 0.0};
    int code = choose_rate(job, &shape.fps);
    code = code == CLI_GO ? film_open(&film, job->output, &shape, &missing) : code;
    if (missing) {
        return draw_folder(job);
    }
    code = code == CLI_GO ? draw_frames(job, &film) : code;
    int closed = film_close(&film, code == CLI_GO || code == CLI_STOPPED);
    return closed != CLI_DONE ? closed : code;
}

static void print_summary(const Job* job, int code) {
    double wall = cli_now() - job->begin;
    double rate = job->trace > 0.0 ? (double)job->rays / job->trace : 0.0;
    if (job->options.json) {
        Json json = json_begin(stdout);
        json_text(&json, "outcome", code == CLI_STOPPED ? "stopped" : "done");
        json_text(&json, "output", job->output);
        json_integer(&json, "frames", job->drawn);
        json_integer(&json, "width", job->options.def.width);
        json_integer(&json, "height", job->options.def.height);
        json_integer(&json, "samples", job->samples);
        json_integer(&json, "rays", job->rays);
        json_number(&json, "rays_per_second", rate);
        json_number(&json, "wall", wall);
        json_finish(&json);
    } else if (!job->options.quiet) {
        printf("%s: %" PRId32 " frame%s of %" PRId32 "x%" PRId32 ", %" PRId32
               " samples, %.2f Mray/s, %.1f s\n",
               job->output, job->drawn, job->drawn == 1 ? "" : "s", job->options.def.width,
               job->options.def.height, job->samples, 1e-6 * rate, wall);
    }
    if (code == CLI_STOPPED && !job->options.quiet) {
        cli_fail(CLI_STOPPED, "stopped; what was drawn so far is kept");
    }
}

static int render(Job* job) {
    int code = choose_output(job);
    code = code == CLI_GO ? stage_open(&job->stage, job->options.input, &job->options.show) : code;
    code = code == CLI_GO ? choose_frames(job) : code;
    if (code != CLI_GO) {
        return code;
    }
    job->progress =
        render_progress_begin(job->options.json, job->options.quiet, job->last - job->first + 1);
    code = job->is_film ? draw_film(job) : draw_pictures(job, false);
    render_progress_end(&job->progress);
    if (code == CLI_GO || code == CLI_STOPPED) {
        print_summary(job, code);
    }
    return code == CLI_GO ? CLI_DONE : code;
}

int cli_render(int argc, char** argv) {
    Job* job = calloc(1, sizeof *job);
    if (!job) {
        return cli_no_memory();
    }
    job->begin = cli_now();
    int code = render_options_read(argc, argv, &job->options);
    code = code == CLI_GO ? render(job) : code;
    stage_free(&job->stage);
    free(job->output);
    free(job);
    return code;
}
