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
    HedVec3 centre;           // of what is looked at
    double half_size;         // m, of a cube around it
    double piece;             // m, triangles with a longer edge are cut
    double bias;              // m, how far bodies are moved back when it comes to the order
    FILE* out;
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
        side = 0.9;
    }
    double lit = dot(n, shape->light);
    double diffuse = side * (lit > 0.0 ? 0.42 + 0.58 * lit : 0.42 + 0.16 * lit);
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
        sheets += hed_run_object(reader, i).kind == HED_OBJECT_SHEET;
    }
    bool is_sheet = hed_run_object(reader, index).kind == HED_OBJECT_SHEET;
    return is_sheet ? SHEETS[(size_t)sheets % (sizeof SHEETS / sizeof SHEETS[0])] : BODY;
}

static HedVec3 along(HedVec3 a, double s, HedVec3 b) {
    return (HedVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static bool is_body(const Shape* shape, int32_t index) {
    return hed_run_object(shape->reader, index).kind == HED_OBJECT_BODY;
}

static void widen(HedVec3 p, HedVec3* low, HedVec3* high) {
    *low = (HedVec3){fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z)};
    *high = (HedVec3){fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z)};
}

static double size_of(HedVec3 low, HedVec3 high) {
    HedVec3 d = sub(high, low);
    return low.x > high.x ? 0.0 : sqrt(dot(d, d));
}

// What to look at: all sheets, and bodies that are not much larger (a floor is).
static void find_view(Shape* shape) {
    HedVec3 low = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    HedVec3 high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int32_t pass = 0; pass < 2; ++pass) {
        double sheets = size_of(low, high);
        for (int32_t i = 0; i < shape->object_count; ++i) {
            HedVec3 object_low = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
            HedVec3 object_high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
            int32_t count = hed_run_object(shape->reader, i).vertex_count;
            for (int32_t k = 0; k < count; ++k) {
                widen(shape->positions[i][k], &object_low, &object_high);
            }
            bool wanted =
                pass == 0 ? !is_body(shape, i)
                          : is_body(shape, i) &&
                                (sheets <= 0.0 || size_of(object_low, object_high) < 2.0 * sheets);
            if (wanted && count > 0) {
                widen(object_low, &low, &high);
                widen(object_high, &low, &high);
            }
        }
    }
    double size = size_of(low, high);
    shape->centre = size > 0.0 ? along(low, 0.5, sub(high, low)) : (HedVec3){0};
    shape->half_size = size > 0.0 ? 0.5 * size : 1.0;
}

// Mean length of the sheets' edges: how coarse the picture is.
static double mean_edge(const Shape* shape) {
    double sum = 0.0;
    double count = 0.0;
    for (int32_t i = 0; i < shape->object_count; ++i) {
        HedSeriesObject object = hed_run_object(shape->reader, i);
        const HedVec3* p = shape->positions[i];
        for (int32_t t = 0; !is_body(shape, i) && t < object.triangle_count; ++t) {
            const int32_t* v = object.triangles + 3 * (size_t)t;
            HedVec3 edge = sub(p[v[1]], p[v[0]]);
            sum += sqrt(dot(edge, edge));
            count += 1.0;
        }
    }
    return count > 0.0 ? sum / count : 0.1 * shape->half_size;
}

static double clamp(double value, double most) {
    return fmin(most, fmax(-most, value));
}

static void put_point(const Shape* shape, HedVec3 p, uint32_t rgb) {
    double most = 1.1 * shape->half_size;
    HedVec3 q = sub(p, shape->centre);
    // What reaches beyond the view ends at its border.
    q = (HedVec3){clamp(q.x, most), clamp(q.y, most), clamp(q.z, most)};
    fprintf(shape->out, "%.7g %.7g %.7g %" PRIu32 "\n", q.x, -q.z, q.y, rgb);
}

// gnuplot draws whole triangles, the farthest first. Large ones are cut into pieces, or their order
// would be wrong; pieces out of sight are
// left out.
static void put_triangle(const Shape* shape, const HedVec3 p[3], uint32_t rgb, int32_t cuts) {
    double longest = 0.0;
    int32_t k = 0;
    for (int32_t i = 0; i < 3; ++i) {
        HedVec3 edge = sub(p[(i + 1) % 3], p[i]);
        double length = sqrt(dot(edge, edge));
        k = length > longest ? i : k;
        longest = fmax(longest, length);
    }
    if (longest > shape->piece && cuts > 0) {
        HedVec3 middle = along(p[k], 0.5, sub(p[(k + 1) % 3], p[k]));
        HedVec3 third = p[(k + 2) % 3];
        put_triangle(shape, (const HedVec3[3]){p[k], middle, third}, rgb, cuts - 1);
        put_triangle(shape, (const HedVec3[3]){middle, p[(k + 1) % 3], third}, rgb, cuts - 1);
        return;
    }
    double nearest = HUGE_VAL;
    for (int32_t i = 0; i < 3; ++i) {
        HedVec3 d = sub(p[i], shape->centre);
        nearest = fmin(nearest, fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z))));
    }
    if (nearest > 1.1 * shape->half_size) {
        return;
    }
    // pm3d draws quads of a 2 x 2 grid; two equal corners make a triangle.
    put_point(shape, p[0], rgb);
    put_point(shape, p[1], rgb);
    fputc('\n', shape->out);
    put_point(shape, p[0], rgb);
    put_point(shape, p[2], rgb);
    fputs("\n\n", shape->out);
}

static void send_object(const Shape* shape, int32_t index) {
    enum { MOST_CUTS = 14 };
    HedSeriesObject object = hed_run_object(shape->reader, index);
    const HedVec3* p = shape->positions[index];
    const HedVec3* normals = shape->normals[index];
    const double* colour = colour_of(shape->reader, index);
    // Cloth that lies on a body must be drawn after it. The view has no perspective, so a shift
    // along it changes the order and nothing else.
    double shift = is_body(shape, index) ? -shape->bias : 0.0;
    for (int32_t t = 0; t < object.triangle_count; ++t) {
        const int32_t* v = object.triangles + 3 * (size_t)t;
        HedVec3 flat = cross(sub(p[v[1]], p[v[0]]), sub(p[v[2]], p[v[0]]));
        HedVec3 smooth = add(add(unit(normals[v[0]]), unit(normals[v[1]])), unit(normals[v[2]]));
        // Across a sharp edge (a box) the mean normal would round it: then the flat one is right.
        bool sharp = dot(unit(flat), unit(smooth)) < (is_body(shape, index) ? 0.95 : 0.7);
        uint32_t rgb = shade(shape, sharp ? flat : smooth, colour);
        HedVec3 corners[3];
        for (int32_t k = 0; k < 3; ++k) {
            corners[k] = along(p[v[k]], shift, shape->eye);
        }
        put_triangle(shape, corners, rgb, MOST_CUTS);
    }
}

static int draw(Shape* shape, const char* title, const char* output, bool force) {
    Gnuplot plot;
    int code = gnuplot_open(&plot, output, 1000, 800, force);
    if (code != CLI_GO) {
        return code;
    }
    double range = 1.1 * shape->half_size + shape->bias;
    fprintf(plot.script,
            "set view %g,%g,2.7,1\nset view equal xyz\n"
            "set xrange [%g:%g]\nset yrange [%g:%g]\nset zrange [%g:%g]\nset xyplane at %g\n"
            "unset border\nunset tics\nunset key\nunset colorbox\n"
            "set lmargin 0\nset rmargin 0\nset tmargin 0\nset bmargin 0\n"
            "set pm3d depthorder noborder\n"
            "set object 1 rectangle from screen 0,0 to screen 1,1 behind fc rgb '#f3f4f6' fs solid "
            "noborder\n",
            VIEW_TILT, VIEW_TURN, -range, range, -range, range, -range, range, -range);
    fputs("set label 1 ", plot.script);
    gnuplot_text(&plot, title);
    fputs(" at screen 0.03,0.95 tc rgb '#444444'\n$mesh << EOD\n", plot.script);
    shape->out = plot.script;
    for (int32_t i = 0; i < shape->object_count; ++i) {
        send_object(shape, i);
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
        find_view(&shape);
        shape.bias = fmin(mean_edge(&shape), 0.1 * shape.half_size);
        shape.piece = fmax(1.5 * mean_edge(&shape), 0.03 * shape.half_size);
        snprintf(title, sizeof title, "%.200s   t = %.4g s", run, shape.time);
        code = draw(&shape, title, output, force);
    }
    free_shape(&shape);
    return code;
}
