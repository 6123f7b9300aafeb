// SPDX-License-Identifier: MIT
#include "render/yarn.h"
#include "render/sampler.h"

// A place on the axis of a yarn and the directions there.
typedef struct Station {
    const HedStrand* strand;
    HedVec3f tangent, e1, e2; // unit; e1 is carried along without turning
    float along;              // m, length so far
    float value;
} Station;

static HedVec3f load3(const float* v) {
    return (HedVec3f){v[0], v[1], v[2]};
}

static Station station_at(const HedRenderShape* shape, uint32_t segment, float u) {
    uint32_t first = shape->first[segment];
    HedVec3f p0 = load3(shape->points[first]);
    HedVec3f p1 = load3(shape->points[first + 1]);
    HedVec3f p2 = load3(shape->points[first + 2]);
    HedVec3f p3 = load3(shape->points[first + 3]);
    // Derivatives of the four Catmull-Rom weights.
    float w0 = -0.5f + u * (2.0f - 1.5f * u);
    float w1 = u * (-5.0f + 4.5f * u);
    float w2 = 0.5f + u * (4.0f - 4.5f * u);
    float w3 = u * (-1.0f + 1.5f * u);
    HedVec3f d = hed_madd3f(hed_madd3f(hed_mul3f(w0, p0), w1, p1), w2, p2);
    d = hed_madd3f(d, w3, p3);
    const float* f1 = shape->frames[first + 1];
    const float* f2 = shape->frames[first + 2];
    Station s = {.strand = &shape->strands[shape->strand_of[segment]]};
    s.tangent = hed_unit_or3f(d, hed_unit_or3f(hed_sub3f(p2, p1), (HedVec3f){1.0f, 0.0f, 0.0f}));
    HedVec3f e1 = hed_lerp3f(load3(f1), load3(f2), u);
    e1 = hed_madd3f(e1, -hed_dot3f(e1, s.tangent), s.tangent);
    s.e1 = hed_unit_or3f(e1, hed_basis_of(s.tangent).x);
    s.e2 = hed_cross3f(s.tangent, s.e1);
    s.along = f1[3] + u * (f2[3] - f1[3]);
    s.value = NAN;
    if (shape->values) {
        float a = shape->values[first + 1];
        float b = shape->values[first + 2];
        s.value = a + u * (b - a);
    }
    return s;
}

static uint32_t cell_hash(uint32_t seed, int32_t x, int32_t y) {
    uint32_t h = seed + (uint32_t)x * 0x9e3779b1u + (uint32_t)y * 0x85ebca77u;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return h ^ h >> 15;
}

// Smooth noise from 0 to 1, and its slope in x.
static float noise(uint32_t seed, float x, float y, float* slope) {
    float fx = floorf(x);
    float fy = floorf(y);
    int32_t ix = (int32_t)fx;
    int32_t iy = (int32_t)fy;
    float a = x - fx;
    float b = y - fy;
    float sa = a * a * (3.0f - 2.0f * a);
    float sb = b * b * (3.0f - 2.0f * b);
    float n00 = hed_unit_float(cell_hash(seed, ix, iy));
    float n10 = hed_unit_float(cell_hash(seed, ix + 1, iy));
    float n01 = hed_unit_float(cell_hash(seed, ix, iy + 1));
    float n11 = hed_unit_float(cell_hash(seed, ix + 1, iy + 1));
    float left = n00 + sb * (n01 - n00);
    float right = n10 + sb * (n11 - n10);
    *slope = 6.0f * a * (1.0f - a) * (right - left);
    return left + sa * (right - left);
}

// Where on its ply a place is.
typedef struct PlyPlace {
    int32_t ply;
    float sine;  // of the tilt beta, -1 to 1
    float angle; // rad, around the ply
} PlyPlace;

static PlyPlace ply_place(float angle, int32_t plies) {
    if (plies <= 1) {
        return (PlyPlace){0, 0.0f, angle};
    }
    float share = 2.0f * HED_PI_F / (float)plies;
    float k = floorf(angle / share + 0.5f);
    float theta = angle - k * share;
    float sine = hed_clampf(sinf(theta) / sinf(0.5f * share), -1.0f, 1.0f);
    int32_t ply = (int32_t)k % plies;
    return (PlyPlace){ply < 0 ? ply + plies : ply, sine, theta + asinf(sine)};
}

HedYarnPoint hed_yarn_point(const HedRenderShape* shape, const HedYarnStyle* style,
                            uint32_t segment, float u, HedVec3f normal, float footprint) {
    Station s = station_at(shape, segment, u);
    const HedStrand* strand = s.strand;
    float slant = strand->rate * strand->radius; // tangent of the plies' angle to the yarn
    HedVec3f around = hed_cross3f(s.tangent, normal);
    HedYarnPoint point = {strand, normal, s.tangent, 1.0f, s.value};
    // What a pixel cannot tell apart is replaced by its mean.
    float coarse = hed_clampf(1.4f - footprint, 0.0f, 1.0f);
    float fine = style->grain * hed_clampf(1.5f - 5.0f * footprint, 0.0f, 1.0f);
    point.shade = 1.0f - 0.25f * (1.0f - coarse) * style->cavity;
    point.fibre = hed_madd3f(s.tangent, style->plies > 1 ? -0.2f * slant : slant, around);
    if (coarse <= 0.0f) {
        return point;
    }
    float phi = atan2f(hed_dot3f(normal, s.e2), hed_dot3f(normal, s.e1));
    PlyPlace ply = ply_place(phi - strand->rate * s.along, style->plies);
    // On the ball at an end the plies run together towards the tip.
    float sine = 0.93f * coarse * ply.sine * hed_minf(1.0f, hed_norm3f(around));
    HedVec3f tilt = hed_unit_or3f(hed_madd3f(around, -slant, s.tangent), s.e1);
    point.normal = hed_madd3f(hed_mul3f(sqrtf(1.0f - sine * sine), normal), sine, tilt);
    float deep = ply.sine * ply.sine;
    point.shade *= 1.0f - coarse * style->cavity * deep * (0.3f + 0.45f * deep);
    if (fine <= 0.0f) {
        return point;
    }
    // Fibres turn back about the ply: their slant there is what it is on the yarn, and a bit more.
    float q = s.along / strand->radius;
    float across = ply.angle + (style->plies > 1 ? 1.2f * slant * q : 0.0f);
    uint32_t seed = strand->hash + 0x632be5abu * (uint32_t)ply.ply;
    float slope[2];
    float n = noise(seed, 7.0f * across, 0.5f * q, &slope[0]);
    n = 0.6f * n + 0.4f * noise(seed + 7u, 17.0f * across, 0.9f * q, &slope[1]);
    HedVec3f side = hed_cross3f(point.fibre, point.normal);
    side = hed_unit_or3f(side, around);
    point.normal = hed_madd3f(point.normal, fine * (0.4f * slope[0] + 0.5f * slope[1]), side);
    point.normal = hed_unit3f(point.normal);
    point.shade *= 1.0f - 0.45f * fine * (1.0f - n);
    return point;
}

// Four numbers from 0 to 1 out of one hash.
static void quarters(uint32_t h, float out[4]) {
    for (int i = 0; i < 4; ++i) {
        out[i] = (float)(h >> (8 * i) & 0xffu) / 255.0f;
    }
}

// One hair in each cell of a grid, a parabola from side to side. Widths in units of a cell.
typedef struct HairGrid {
    float x, y;    // place, in cells
    float width;   // half of it
    int32_t wrap;  // the coordinate that goes round: 0 x, 1 y
    int32_t count; // cells round
} HairGrid;

static bool grid_meets(const HairGrid* grid, uint32_t seed, float density) {
    float fx = floorf(grid->x);
    float fy = floorf(grid->y);
    int32_t ix = (int32_t)fx;
    int32_t iy = (int32_t)fy;
    if (grid->wrap == 0) {
        ix = (ix % grid->count + grid->count) % grid->count;
    } else {
        iy = (iy % grid->count + grid->count) % grid->count;
    }
    float r[4];
    quarters(cell_hash(seed, ix, iy), r);
    if (r[0] >= density) {
        return false;
    }
    float x = grid->x - fx - 0.5f;
    float y = grid->y - fy - 0.5f;
    float slope = 1.1f * (r[1] - 0.5f);
    float bend = 1.6f * (r[2] - 0.5f);
    float middle = 0.3f * (r[3] - 0.5f) + slope * x + bend * (x * x - 0.1f);
    float steep = slope + 2.0f * bend * x;
    // Hairs are thinner at their ends.
    float width = grid->width * sqrtf(1.0f + steep * steep) * (1.0f - 2.8f * x * x);
    return fabsf(y - middle) < width && fabsf(middle) < 0.5f - grid->width;
}

// Whether a place on a cylinder of some radius (in yarn radii) is on a hair.
static bool hair_at(uint32_t seed, float turn, float q, float radius, float fuzz) {
    const float half = 0.013f; // of a hair's width, in yarn radii
    float round = 2.0f * HED_PI_F * radius;
    HairGrid lengthwise = {q / 2.6f, 9.0f * turn, half * 9.0f / round, 1, 9};
    HairGrid loops = {4.0f * turn, q / 1.2f, half / 1.2f, 0, 4};
    return grid_meets(&lengthwise, seed, fuzz) || grid_meets(&loops, seed + 77u, 0.7f * fuzz);
}

bool hed_fuzz_meets(const HedRenderShape* shape, const HedYarnStyle* style, const HedFuzzHit* hit) {
    static const float LAYERS[3] = {0.3f, 0.65f, 1.0f}; // of the reach
    Station s = station_at(shape, hit->segment, hit->u);
    float outer = 1.0f + HED_FUZZ_REACH;
    // In yarn radii, about the axis; the yarn is taken for straight on so short a way.
    float x = outer * hed_dot3f(hit->normal, s.e1);
    float y = outer * hed_dot3f(hit->normal, s.e2);
    float dx = hed_dot3f(hit->direction, s.e1);
    float dy = hed_dot3f(hit->direction, s.e2);
    float dz = hed_dot3f(hit->direction, s.tangent);
    float a = hed_maxf(1e-6f, dx * dx + dy * dy);
    float b = x * dx + y * dy;
    float core = b * b - a * (outer * outer - 1.0f);
    float q = s.along / s.strand->radius;
    for (int layer = 0; layer < 3; ++layer) {
        float r = 1.0f + HED_FUZZ_REACH * LAYERS[layer];
        float root = b * b - a * (outer * outer - r * r);
        if (root < 0.0f) {
            continue;
        }
        root = sqrtf(root);
        float density = style->fuzz * (1.6f - LAYERS[layer]);
        uint32_t seed = s.strand->hash + 0x51ed27u * (uint32_t)(layer + 1);
        for (int side = core > 0.0f ? 1 : 2; side > 0; --side) {
            float t = (-b + (side == 1 ? -root : root)) / a;
            float turn = atan2f(y + t * dy, x + t * dx) / (2.0f * HED_PI_F);
            if (hair_at(seed, turn, q + t * dz, r, density)) {
                return true;
            }
        }
    }
    return false;
}
