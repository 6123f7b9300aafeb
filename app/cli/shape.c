// SPDX-License-Identifier: MIT
// Triangles are shaded here and sorted by gnuplot (pm3d depthorder): its own lighting treats the
// two sides of a sheet differently. The scene has y up, gnuplot z: (x, y, z) is drawn at (x, -z,
// y).
#include "cli/shape.h"
#include "cli/gnuplot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double VIEW_TILT = 68.0; // degrees from above, gnuplot's first angle
static const double VIEW_TURN = 32.0; // its second

typedef struct Shape {
    HedRunReader* reader;
    int32_t object_count;
    HedVec3** positions;
    HedVec3** normals; // of vertices, not of unit length
    double time;
    HedVec3 eye, light, half; // unit vectors towards the viewer, the lamp, and between the two
} Shape;

static HedVec3 sub(HedVec3 a, HedVec3 b) {
    return (HedVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static HedVec3 add(HedVec3 a, HedVec3 b) {
    return (HedVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static HedVec3 cross(HedVec3 a, HedVec3 b) {
    return (HedVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(HedVec3 a, HedVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static HedVec3 unit(HedVec3 a) {
    double n = sqrt(dot(a, a));
    return n > 0.0 ? (HedVec3){a.x / n, a.y / n, a.z / n} : a;
}

// Direction from an azimuth and a height, in the frame of the scene.
static HedVec3 direction(double azimuth, double height) {
    double pi = acos(-1.0);
    double a = azimuth * pi / 180.0;
    double h = height * pi / 180.0;
    return (HedVec3){sin(a) * cos(h), sin(h), cos(a) * cos(h)};
}

static int load_frame(Shape* shape, int32_t frame) {
    HedError error = {0};
    shape->object_count = hed_run_object_count(shape->reader);
    size_t count = (size_t)shape->object_count + 1;
    shape->positions = calloc(count, sizeof *shape->positions);
    shape->normals = calloc(count, sizeof *shape->normals);
    if (!shape->positions || !shape->normals) {
        return cli_no_memory();
    }
    for (int32_t i = 0; i < shape->object_count; ++i) {
        size_t vertices = (size_t)hed_run_object(shape->reader, i).vertex_count + 1;
        shape->positions[i] = calloc(vertices, sizeof(HedVec3));
        shape->normals[i] = calloc(vertices, sizeof(HedVec3));
        if (!shape->positions[i] || !shape->normals[i]) {
            return cli_no_memory();
        }
    }
    HedStatus status = hed_run_frame(shape->reader, frame, &shape->time, shape->positions, &error);
    return status == HED_OK ? CLI_GO : cli_error(&error);
}

static void find_normals(Shape* shape) {
    for (int32_t i = 0; i < shape->object_count; ++i) {
        HedSeriesObject object = hed_run_object(shape->reader, i);
        const HedVec3* p = shape->positions[i];
        HedVec3* normals = shape->normals[i];
        for (int32_t t = 0; t < object.triangle_count; ++t) {
            const int32_t* v = object.triangles + 3 * (size_t)t;
            HedVec3 n = cross(sub(p[v[1]], p[v[0]]), sub(p[v[2]], p[v[0]]));
            for (int32_t k = 0; k < 3; ++k) {
                normals[v[k]] = add(normals[v[k]], n);
            }
        }
    }
}

// Lambert and a weak highlight, on the side that faces the viewer; the back of a sheet is darker.
static uint32_t shade(const Shape* shape, HedVec3 normal, const double colour[3]) {
    HedVec3 n = unit(normal);
    double side = 1.0;
    if (dot(n, shape->eye) < 0.0) {
        n = (HedVec3){-n.x, -n.y, -n.z};
        side = 0.8;
    }
    double lit = dot(n, shape->light);
    double diffuse = side * (lit > 0.0 ? 0.36 + 0.64 * lit : 0.36 + 0.14 * lit);
    double shine = 0.14 * pow(fmax(0.0, dot(n, shape->half)), 28.0);
    uint32_t rgb = 0;
    for (int32_t k = 0; k < 3; ++k) {
        double value = fmin(1.0, fmax(0.0, colour[k] * diffuse + shine));
        rgb = rgb << 8 | (uint32_t)lround(255.0 * value);
    }
    return rgb;
}

static const double* colour_of(const HedRunReader* reader, int32_t index) {
    static const double SHEETS[][3] = {
        {0.83, 0.38, 0.28}, {0.20, 0.49, 0.72}, {0.90, 0.68, 0.25}, {0.33, 0.62, 0.41}};
    static const double BODY[3] = {0.66, 0.69, 0.74};
    int32_t sheets = 0;
    for (int32_t i = 0; i < index; ++i) {
        sheets += strcmp(hed_run_object_kind(reader, i), "sheet") == 0;
    }
    bool is_sheet = strcmp(hed_run_object_kind(reader, index), "sheet") == 0;
    return is_sheet ? SHEETS[(size_t)sheets % (sizeof SHEETS / sizeof SHEETS[0])] : BODY;
}

static void put_point(FILE* out, HedVec3 p, uint32_t rgb) {
    fprintf(out, "%.7g %.7g %.7g %" PRIu32 "\n", p.x, -p.z, p.y, rgb);
}

static void send_object(const Shape* shape, int32_t index, FILE* out) {
    HedSeriesObject object = hed_run_object(shape->reader, index);
    const HedVec3* p = shape->positions[index];
    const HedVec3* normals = shape->normals[index];
    const double* colour = colour_of(shape->reader, index);
    for (int32_t t = 0; t < object.triangle_count; ++t) {
        const int32_t* v = object.triangles + 3 * (size_t)t;
        HedVec3 flat = cross(sub(p[v[1]], p[v[0]]), sub(p[v[2]], p[v[0]]));
        HedVec3 smooth = add(add(unit(normals[v[0]]), unit(normals[v[1]])), unit(normals[v[2]]));
        // Across a sharp edge (a box) the mean normal would round it: then the flat one is right.
        bool sharp = dot(unit(flat), unit(smooth)) < 0.7;
        uint32_t rgb = shade(shape, sharp ? flat : smooth, colour);
        // pm3d draws quads of a 2 x 2 grid; two equal corners make a triangle.
        put_point(out, p[v[0]], rgb);
        put_point(out, p[v[1]], rgb);
        fputc('\n', out);
        put_point(out, p[v[0]], rgb);
        put_point(out, p[v[2]], rgb);
        fputs("\n\n", out);
    }
}

static int draw(Shape* shape, const char* title, const char* output, bool force) {
    Gnuplot plot;
    int code = gnuplot_open(&plot, output, 1000, 800, force);
    if (code != CLI_GO) {
        return code;
    }
    fprintf(plot.script,
            "set view %g,%g,1.25,1\nset view equal xyz\n"
            "unset border\nunset tics\nunset key\nunset colorbox\n"
            "set pm3d depthorder noborder\n"
            "set object 1 rectangle from screen 0,0 to screen 1,1 behind fc rgb '#f3f4f6' fs solid "
            "noborder\n",
            VIEW_TILT, VIEW_TURN);
    fputs("set label 1 ", plot.script);
    gnuplot_text(&plot, title);
    fputs(" at screen 0.03,0.95 tc rgb '#444444'\n$mesh << EOD\n", plot.script);
    for (int32_t i = 0; i < shape->object_count; ++i) {
        send_object(shape, i, plot.script);
    }
    fputs("EOD\nsplot $mesh using 1:2:3:4 with pm3d fc rgb variable\n", plot.script);
    return gnuplot_close(&plot);
}

static void free_shape(Shape* shape) {
    for (int32_t i = 0; i < shape->object_count; ++i) {
        if (shape->positions) {
            free(shape->positions[i]);
        }
        if (shape->normals) {
            free(shape->normals[i]);
        }
    }
    free(shape->positions);
    free(shape->normals);
    hed_run_close(shape->reader);
}

static int pick_frame(const Shape* shape, const char* run, const char* text, int32_t* frame) {
    int32_t count = hed_run_frame_count(shape->reader);
    int64_t number = count - 1;
    if (count == 0) {
        return cli_fail(CLI_BAD_INPUT, "%s: the run has no frames yet", run);
    }
    if (strcmp(text, "last") != 0 && !cli_integer(text, 0, count - 1, &number)) {
        return cli_fail(CLI_BAD_INPUT, "--frame must be last or 0 to %" PRId32 ", got '%s'",
                        count - 1, text);
    }
    *frame = (int32_t)number;
    return CLI_GO;
}

int cli_shape_draw(const char* run, const char* frame, const char* output, bool force) {
    HedError error = {0};
    Shape shape = {0};
    shape.eye = direction(VIEW_TURN, 90.0 - VIEW_TILT);
    shape.light = direction(VIEW_TURN - 55.0, 52.0);
    shape.half = unit(add(shape.eye, shape.light));
    if (hed_run_open(run, &shape.reader, &error) != HED_OK) {
        return cli_error(&error);
    }
    int32_t number = 0;
    int code = pick_frame(&shape, run, frame, &number);
    if (code == CLI_GO) {
        code = load_frame(&shape, number);
    }
    if (code == CLI_GO) {
        char title[256];
        find_normals(&shape);
        snprintf(title, sizeof title, "%.200s   t = %.4g s", run, shape.time);
        code = draw(&shape, title, output, force);
    }
    free_shape(&shape);
    return code;
}
