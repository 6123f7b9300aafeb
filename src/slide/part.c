// SPDX-License-Identifier: MIT
// Sliding yarns as a part of a simulation: steps from their beginning to their end, a stage at a
// time.
#include "slide/press.h"
#include "slide/slide.h"
#include "slide/state.h"

#include <math.h>
#include <string.h>

static const double FASTEST = 16.0; // radii of spheres that nodes go in a step against the fabric
static const double FADE = 0.1;     // of the bound of friction, from matrix to matrix
static const double WEIGHT = 1e-3;  // of a node's weight,
static const double PULL = 1e-2;    // of the mean pull in yarns: what may be left at rest

static int32_t size_of(const HedSlide* slide) {
    return HED_NODE_SIZE * slide->node_count;
}

// What a simulation knows of nodes comes in the order of the net: node i here is its order[i].

static double over_of(const HedSlide* slide) {
    return slide->is_static ? 0.0 : 1.0 / slide->size;
}

// --- what makes sense ---

bool hed_slide_is_feasible(const HedSlide* slide, const double* q) {
    const HedBands* bands = &slide->model.bands;
    const int segment = HED_PLACE_OWN | HED_PLACE_SEGMENT;
    double least = slide->least_piece;
    bool is_good = true;
    for (int32_t place = 0; is_good && place < bands->step_count * HED_BAND; ++place) {
        if ((bands->kind[place] & segment) == segment) {
            const double* a = q + (int64_t)HED_NODE_SIZE * bands->node[place];
            const double* b = q + (int64_t)HED_NODE_SIZE * bands->node[place + HED_BAND];
            double d = b[3 + bands->slot[place + HED_BAND]] - a[3 + bands->slot[place]];
            is_good = d > least && isfinite(a[0] + a[1] + a[2]);
        }
    }
    return is_good;
}

// --- the beginning of a step ---

static void guess_start(void* self) {
    HedSlide* slide = self;
    for (int32_t k = 0; k < size_of(slide); ++k) {
        slide->trial[k] = slide->is_held[k] ? slide->guess[k] : slide->start[k];
    }
}

// Held positions go to their targets; the guess of the others is where they would go without
// forces, and the search begins where forces go on as they were, if that is possible.
static void guess(HedSlide* slide, const HedPartStep* step) {
    double h = step->size;
    double slow = step->is_static ? 0.0 : 1.0 / (1.0 + slide->settings.drag * h);
    double trend = step->is_static ? 0.0 : h * h;
    int32_t size = size_of(slide);
    memcpy(slide->start, slide->q, sizeof *slide->q * (size_t)size);
    memcpy(slide->is_held, slide->is_fixed, (size_t)size);
    for (int32_t k = 0; k < size; ++k) {
        slide->guess[k] = slide->q[k] + (slide->is_fixed[k] ? 0.0 : slow * h * slide->v[k]);
    }
    for (int32_t i = 0; i < slide->node_count; ++i) {
        int64_t at = (int64_t)HED_NODE_SIZE * i;
        int32_t point = slide->order[i];
        if (step->hold[point] != HED_HOLD_FREE) {
            bool clamps = step->hold[point] == HED_HOLD_CLAMP;
            memcpy(slide->guess + at, &step->target[point], sizeof step->target[point]);
            memset(slide->is_held + at, 1, clamps ? HED_NODE_SIZE : 3);
            for (int s = 3; clamps && s < HED_NODE_SIZE; ++s) {
                slide->guess[at + s] = slide->start[at + s];
            }
        }
    }
    hed_slide_leave_hold(slide, slide->is_held);
    for (int32_t k = 0; k < size; ++k) {
        slide->trial[k] = slide->guess[k] + (slide->is_held[k] ? 0.0 : trend * slide->trend[k]);
    }
    if (step->is_static || !hed_slide_is_feasible(slide, slide->trial)) {
        guess_start(slide);
    }
}

void hed_slide_find_press(HedSlide* slide, const double* q) {
    if (slide->friction <= 0.0) {
        return;
    }
    HedPress press = {&slide->model, q, slide->sign, slide->elastic, slide->normal};
    hed_press_find(&press, slide->press);
    for (int32_t i = 0; i < slide->node_count; ++i) {
        // Where yarns pull away from each other by more than that they touch no longer.
        slide->press[i] = fmax(0.0, slide->press[i] + slide->rest_press[i]);
    }
}

// Parts of a fabric that move against each other so fast that one step could take them through many
// layers, and that search would be long.
static bool is_too_fast(const void* self) {
    const HedSlide* slide = self;
    HedSphereMove move = {slide->start, slide->guess};
    return slide->spheres &&
           hed_spheres_reach(slide->spheres, move) > FASTEST * slide->spheres->radius;
}

static void begin_rayleigh(HedSlide* slide) {
    double sums[HED_NET_SUMS];
    HedNetEval at = {slide->start, NULL, 0.0, slide->gradient, &slide->stiffness};
    hed_net_evaluate(&slide->model, at, sums);
    hed_net_matrix_settle(&slide->stiffness);
}

static HedStatus begin(void* self, const HedPartStep* step) {
    HedSlide* slide = self;
    slide->size = step->size;
    slide->is_static = step->is_static;
    hed_net_find_mass(&slide->model, slide->q, slide->mass);
    hed_slide_find_press(slide, slide->q);
    slide->slip_begins = 1.0;
    memset(slide->slip_bound, 0, sizeof *slide->slip_bound * 2 * (size_t)slide->node_count);
    guess(slide, step);
    HedStatus status = hed_slide_leave_settle(slide);
    if (status == HED_OK && slide->spheres && !is_too_fast(slide)) {
        HedSphereMove move = {slide->start, slide->guess};
        status = hed_spheres_find(slide->spheres, move, NULL);
    }
    if (slide->flow) {
        hed_net_find_flow(&slide->model, (HedNetFlow){slide->start, slide->v}, slide->flow);
    }
    if (slide->rayleigh > 0.0 && !slide->is_static) {
        begin_rayleigh(slide);
    }
    return status;
}

static void trial_points(const void* self, HedVec3* x) {
    const HedSlide* slide = self;
    for (int32_t i = 0; i < slide->node_count; ++i) {
        memcpy(&x[slide->order[i]], slide->trial + (int64_t)HED_NODE_SIZE * i, sizeof *x);
    }
}

// --- forces and matrix ---

static double evaluate(void* self, double* residual) {
    HedSlide* slide = self;
    int32_t size = size_of(slide);
    double energy = hed_slide_evaluate(slide, slide->trial, over_of(slide), false);
#pragma omp parallel for schedule(static) num_threads(hed_team_size(slide->team, size))
    for (int32_t k = 0; k < size; ++k) {
        residual[k] = -slide->gradient[k];
    }
    return energy;
}

static void add_points(const void* self, const HedVec3* d, double* vector) {
    const HedSlide* slide = self;
#pragma omp parallel for schedule(static) num_threads(hed_team_size(slide->team, size_of(slide)))
    for (int32_t i = 0; i < slide->node_count; ++i) {
        double* at = vector + (int64_t)HED_NODE_SIZE * i;
        HedVec3 by = d[slide->order[i]];
        at[0] += by.x;
        at[1] += by.y;
        at[2] += by.z;
    }
}

static void points_of(const void* self, const double* vector, HedVec3* d) {
    const HedSlide* slide = self;
#pragma omp parallel for schedule(static) num_threads(hed_team_size(slide->team, size_of(slide)))
    for (int32_t i = 0; i < slide->node_count; ++i) {
        const double* at = vector + (int64_t)HED_NODE_SIZE * i;
        d[slide->order[i]] = (HedVec3){at[0], at[1], at[2]};
    }
}

static void hold(const void* self, double* vector) {
    const HedSlide* slide = self;
    int32_t size = size_of(slide);
#pragma omp parallel for schedule(static) num_threads(hed_team_size(slide->team, size))
    for (int32_t k = 0; k < size; ++k) {
        vector[k] = slide->is_held[k] ? 0.0 : vector[k];
    }
}

static void assemble(void* self, double shift, bool is_wary, const HedMat3* blocks) {
    HedSlide* slide = self;
    slide->is_wary = is_wary;
    slide->slip_begins = is_wary ? 1.0 : slide->slip_begins;
    if (slide->is_static) {
        hed_slide_leave_stop(slide, slide->trial);
    }
    slide->shift = shift;
    hed_slide_evaluate(slide, slide->trial, over_of(slide), true);
    slide->shift = 0.0;
    if (blocks) {
        hed_slide_add_blocks(slide, blocks);
    }
    slide->slip_begins *= slide->is_static ? 1.0 : FADE;
    hed_slide_hold(slide);
}

static void multiply(void* self, const double* x, double* y) {
    HedSlide* slide = self;
    hed_net_matrix_multiply(&slide->matrix, x, y);
    if (slide->spheres) {
        hed_spheres_multiply(slide->spheres, x, y);
    }
}

static int64_t product_bytes(const void* self) {
    const HedSlide* slide = self;
    return hed_net_matrix_bytes(&slide->matrix);
}

// Adds blocks of points to the diagonal, but for what is held.
static void add_free_blocks(HedSlide* slide, double sign, const HedMat3* blocks) {
    for (int32_t i = 0; blocks && i < slide->node_count; ++i) {
        const uint8_t* is_held = slide->is_held + (int64_t)HED_NODE_SIZE * i;
        double* own = slide->matrix.diagonal + (int64_t)HED_NODE_DIAGONAL * i;
        for (int r = 0; r < 3; ++r) {
            for (int c = r; c < 3; ++c) {
                own[hed_net_diagonal(r, c)] +=
                    is_held[r] || is_held[c] ? 0.0 : sign * blocks[slide->order[i]].m[r][c];
            }
        }
    }
}

// Further blocks stand on the diagonal while the preconditioner looks at it.
static bool precondition_update(void* self, const HedMat3* blocks) {
    HedSlide* slide = self;
    add_free_blocks(slide, 1.0, blocks);
    bool ok = hed_net_preconditioner_update(&slide->preconditioner, slide->is_held);
    add_free_blocks(slide, -1.0, blocks);
    return ok;
}

static void precondition(void* self, const double* r, double* z) {
    HedSlide* slide = self;
    hed_net_preconditioner_apply(&slide->preconditioner, r, z);
}

// --- lines ---

static void begin_line(void* self) {
    HedSlide* slide = self;
    memcpy(slide->base, slide->trial, sizeof *slide->base * (size_t)size_of(slide));
}

static double longest(const void* self, const double* direction) {
    const HedSlide* slide = self;
    const HedBands* bands = &slide->model.bands;
    const int segment = HED_PLACE_OWN | HED_PLACE_SEGMENT;
    double most = HUGE_VAL;
    for (int32_t place = 0; place < bands->step_count * HED_BAND; ++place) {
        if ((bands->kind[place] & segment) == segment) {
            int64_t a = (int64_t)HED_NODE_SIZE * bands->node[place] + 3 + bands->slot[place];
            int64_t b = (int64_t)HED_NODE_SIZE * bands->node[place + HED_BAND] + 3 +
                        bands->slot[place + HED_BAND];
            double lost = direction[a] - direction[b];
            double room = slide->base[b] - slide->base[a] - slide->least_piece;
            most = lost * most > room ? room / lost : most;
        }
    }
    return most;
}

static bool move(void* self, double share, const double* direction) {
    HedSlide* slide = self;
    int32_t size = size_of(slide);
#pragma omp parallel for schedule(static) num_threads(hed_team_size(slide->team, size))
    for (int32_t k = 0; k < size; ++k) {
        slide->trial[k] = slide->base[k] + share * direction[k];
    }
    return hed_slide_is_feasible(slide, slide->trial);
}

// --- tolerances ---

// m/s^2, per unknown of a node: its lumped mass inverted on a residual. The two unknowns along the
// yarns by Schur's complement.
static double largest_acceleration(const HedNetMass* m, const double* r) {
    double a[2][2], b[2], y[2] = {0.0, 0.0};
    for (int s = 0; s < 2; ++s) {
        b[s] = r[3 + s];
        for (int c = 0; c < 3; ++c) {
            b[s] -= m->coupling[s][c] * r[c] / m->mass;
        }
        for (int t = 0; t < 2; ++t) {
            a[s][t] = s == t ? m->along[s] : 0.0;
            for (int c = 0; c < 3; ++c) {
                a[s][t] -= m->coupling[s][c] * m->coupling[t][c] / m->mass;
            }
        }
    }
    double det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    if (det > 1e-12 * m->along[0] * m->along[1] && m->along[1] > 0.0) {
        y[0] = (a[1][1] * b[0] - a[0][1] * b[1]) / det;
        y[1] = (a[0][0] * b[1] - a[1][0] * b[0]) / det;
    } else { // a node of one yarn
        int s = m->along[0] > 0.0 ? 0 : 1;
        y[s] = a[s][s] > 1e-12 * m->along[s] ? b[s] / a[s][s] : 0.0;
    }
    double most = fmax(fabs(y[0]), fabs(y[1]));
    for (int c = 0; c < 3 && m->mass > 0.0; ++c) { // one that both yarns have left has none
        double x = (r[c] - m->coupling[0][c] * y[0] - m->coupling[1][c] * y[1]) / m->mass;
        most = isfinite(x) ? fmax(most, fabs(x)) : x;
    }
    return most;
}

static double bound(const void* self, const double* residual) {
    const HedSlide* slide = self;
    double most = 0.0;
    for (int32_t i = 0; i < slide->node_count; ++i) {
        double a = largest_acceleration(&slide->mass[i], residual + (int64_t)HED_NODE_SIZE * i);
        most = isnan(a) ? a : fmax(most, a);
        if (isnan(most)) {
            break;
        }
    }
    return slide->size * most;
}

static double mass(const void* self) {
    const HedSlide* slide = self;
    double sum = 0.0;
    for (int32_t i = 0; i < slide->node_count; ++i) {
        sum += slide->mass[i].mass;
    }
    return sum;
}

// N, mean pull or push of pieces of yarn.
static double mean_pull(const HedSlide* slide) {
    const HedBands* bands = &slide->model.bands;
    const int segment = HED_PLACE_OWN | HED_PLACE_SEGMENT;
    double sum = 0.0;
    int64_t count = 0;
    for (int32_t place = 0; place < bands->step_count * HED_BAND; ++place) {
        if ((bands->kind[place] & segment) != segment) {
            continue;
        }
        const double* a = slide->trial + (int64_t)HED_NODE_SIZE * bands->node[place];
        const double* b = slide->trial + (int64_t)HED_NODE_SIZE * bands->node[place + HED_BAND];
        const HedNetMaterial* m =
            &slide->model.materials[slide->model.yarn_of[bands->visit[place]]];
        double d = b[3 + bands->slot[place + HED_BAND]] - a[3 + bands->slot[place]];
        HedVec3 way = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        double strain = hed_norm3(way) / d - 1.0;
        sum += fabs(strain) * (strain > 0.0 ? m->tight : m->slack);
        count += 1;
    }
    return count > 0 ? sum / (double)count : 0.0;
}

static double force_tolerance(const void* self) {
    const HedSlide* slide = self;
    double weight = mass(slide) / slide->node_count * hed_norm3(slide->settings.gravity);
    return slide->settings.force_tolerance > 0.0 ? slide->settings.force_tolerance
                                                 : fmax(WEIGHT * weight, PULL * mean_pull(slide));
}

static void renew(void* self) {
    HedSlide* slide = self;
    hed_slide_find_press(slide, slide->trial);
}

static bool has_passed(const void* self) {
    const HedSlide* slide = self;
    return slide->spheres && hed_spheres_passed(slide->spheres, slide->start, slide->trial);
}

// --- the end of a step ---

// J, of Rayleigh damping: its force is that of the stiffness at the start of the step.
static double find_rayleigh(HedSlide* slide) {
    int32_t size = size_of(slide);
    double* change = slide->scratch;
    double* force = change + size;
    for (int32_t k = 0; k < size; ++k) {
        change[k] = slide->q[k] - slide->start[k];
    }
    hed_net_matrix_multiply(&slide->stiffness, change, force);
    return slide->rayleigh / slide->size * hed_team_dot(slide->team, change, force, size);
}

// J, that damping took in a step. Its potentials are quadratic in the rates: it takes twice what
// they are.
static double find_damped(HedSlide* slide) {
    double sums[HED_NET_SUMS];
    HedNetEval at = {slide->q, slide->start, 1.0 / slide->size, slide->gradient, NULL};
    double taken = slide->rayleigh > 0.0 ? find_rayleigh(slide) : 0.0;
    if (slide->model.has_damping || slide->model.shear_damping > 0.0) {
        hed_net_evaluate(&slide->model, at, sums);
        taken += 2.0 * sums[HED_NET_DAMPING];
    }
    return taken;
}

// J, that slip took: the anchors of friction follow.
static double slip(HedSlide* slide) {
    double heat = 0.0;
    for (int32_t i = 0; i < slide->node_count; ++i) {
        HedSlideFriction friction = hed_slide_friction_at(slide, i);
        for (int s = 0; s < 2; ++s) {
            if (friction.limit == 0.0) {
                slide->anchor[2 * i + s] = slide->q[(int64_t)HED_NODE_SIZE * i + 3 + s];
                continue;
            }
            double u = slide->q[(int64_t)HED_NODE_SIZE * i + 3 + s];
            HedSlideAnchor anchor = hed_slide_anchor(u, slide->anchor[2 * i + s], friction);
            slide->anchor[2 * i + s] = anchor.at;
            heat += anchor.heat;
        }
    }
    return heat;
}

static double accept(void* self) {
    HedSlide* slide = self;
    int32_t size = size_of(slide);
    double h = slide->size;
    memcpy(slide->q, slide->trial, sizeof *slide->q * (size_t)size);
    hed_slide_leave_carry(slide);
    for (int32_t k = 0; k < size; ++k) {
        double v = slide->is_static ? 0.0 : (slide->q[k] - slide->start[k]) / h;
        slide->trend[k] = slide->is_static ? 0.0 : (v - slide->v[k]) / h;
        slide->v[k] = v;
    }
    double heat = slip(slide) + hed_slide_leave(slide);
    return heat + (slide->is_static ? 0.0 : find_damped(slide));
}

static void get_points(const void* self, HedVec3* x, HedVec3* v) {
    const HedSlide* slide = self;
    for (int32_t i = 0; i < slide->node_count; ++i) {
        int32_t point = slide->order[i];
        memcpy(&x[point], slide->q + (int64_t)HED_NODE_SIZE * i, sizeof *x);
        memcpy(&v[point], slide->v + (int64_t)HED_NODE_SIZE * i, sizeof *v);
    }
}

static void set_points(void* self, const HedVec3* x, const HedVec3* v) {
    HedSlide* slide = self;
    for (int32_t i = 0; i < slide->node_count; ++i) {
        int32_t point = slide->order[i];
        memcpy(slide->q + (int64_t)HED_NODE_SIZE * i, &x[point], sizeof *x);
        memcpy(slide->v + (int64_t)HED_NODE_SIZE * i, &v[point], sizeof *v);
    }
}

// --- reading ---

// The rates are those of the last piece of the step, whatever size it is taken to have; what is
// still has none. Where the step was cut, nodes would have passed each other so long ago.
static void forces(void* self, double h, bool is_still, HedVec3* force) {
    enum { HALVES = 60 };
    HedSlide* slide = self;
    int32_t size = size_of(slide);
    for (int half = 0; half < HALVES; ++half, h *= 0.5) {
        double back = is_still ? 0.0 : h;
        for (int32_t k = 0; k < size; ++k) {
            slide->start[k] = slide->q[k] - back * slide->v[k];
        }
        if (is_still || hed_slide_is_feasible(slide, slide->start)) {
            break;
        }
    }
    memcpy(slide->guess, slide->q, sizeof *slide->q * (size_t)size);
    memset(slide->is_held, 0, (size_t)size);
    hed_slide_evaluate(slide, slide->q, 1.0 / h, false);
    for (int32_t i = 0; i < slide->node_count; ++i) {
        const double* g = slide->gradient + (int64_t)HED_NODE_SIZE * i;
        force[slide->order[i]] = (HedVec3){-g[0], -g[1], -g[2]};
    }
}

// J, in the springs that hold what does not slide.
static double stored_by_friction(const HedSlide* slide) {
    double sum = 0.0;
    for (int32_t k = 0; k < 2 * slide->node_count; ++k) {
        HedSlideFriction friction = hed_slide_friction_at(slide, k / 2);
        double gone = slide->q[(int64_t)HED_NODE_SIZE * (k / 2) + 3 + k % 2] - slide->anchor[k];
        double force;
        sum += friction.limit > 0.0 ? hed_slide_friction(gone, friction, &force, NULL) : 0.0;
    }
    return sum;
}

static void energies(void* self, HedPartEnergies* out) {
    enum { LOAD = HED_NET_ENERGY_COUNT, FRICTION, COLUMNS };
    static const char* const NAME[COLUMNS] = {
        [HED_NET_STRETCH] = "stretch", [HED_NET_BEND] = "bend",       [HED_NET_TORSION] = "twist",
        [HED_NET_LIMIT] = "limit",     [HED_NET_SHEAR] = "shear",     [HED_NET_CURL] = "curl",
        [HED_NET_WRAP] = "wrap",       [HED_NET_GRAVITY] = "gravity", [LOAD] = "load",
        [FRICTION] = "friction",
    };
    HedSlide* slide = self;
    double sums[HED_NET_SUMS];
    hed_slide_energies(slide, sums, &out->kinetic);
    memcpy(out->potential, sums, sizeof *sums * HED_NET_ENERGY_COUNT);
    out->name = NAME;
    out->count = COLUMNS;
    out->potential[LOAD] = 0.0;
    for (int32_t i = 0; slide->load && i < slide->node_count; ++i) {
        HedVec3 x = hed_slide_point(slide->q + (int64_t)HED_NODE_SIZE * i);
        out->potential[LOAD] -= hed_dot3(slide->load[i], x);
    }
    out->potential[FRICTION] = stored_by_friction(slide);
}

static double contact_energy(const void* self) {
    const HedSlide* slide = self;
    return slide->spheres ? hed_spheres_energy(slide->spheres, slide->q) : 0.0;
}

// J: drag slows all velocities down by the same factor.
static double drag(void* self, double h) {
    HedSlide* slide = self;
    if (!(slide->settings.drag > 0.0)) {
        return 0.0;
    }
    double sums[HED_NET_SUMS];
    double kinetic;
    double slow = 1.0 / (1.0 + slide->settings.drag * h);
    hed_slide_energies(slide, sums, &kinetic);
    return (1.0 - slow * slow) * kinetic;
}

void hed_slide_energies(HedSlide* slide, double sums[HED_NET_SUMS], double* kinetic) {
    HedNetEval at = {slide->q, NULL, 0.0, slide->gradient, NULL};
    hed_net_evaluate(&slide->model, at, sums);
    hed_net_find_mass(&slide->model, slide->q, slide->mass);
    *kinetic = 0.0;
    for (int32_t i = 0; i < slide->node_count; ++i) {
        const HedNetMass* m = &slide->mass[i];
        const double* v = slide->v + (int64_t)HED_NODE_SIZE * i;
        for (int c = 0; c < 3; ++c) {
            *kinetic += 0.5 * m->mass * v[c] * v[c];
            *kinetic += v[c] * (m->coupling[0][c] * v[3] + m->coupling[1][c] * v[4]);
        }
        *kinetic += 0.5 * (m->along[0] * v[3] * v[3] + m->along[1] * v[4] * v[4]);
    }
}

static int64_t state_count(const void* self) {
    return hed_slide_state_count(self);
}

static void save(const void* self, double* state) {
    hed_slide_save(self, state);
}

static void restore(void* self, const double* state) {
    hed_slide_restore(self, state);
}

const HedPartType HED_SLIDE_PART = {
    .what = "node",
    .begin = begin,
    .is_too_fast = is_too_fast,
    .guess_start = guess_start,
    .trial_points = trial_points,
    .evaluate = evaluate,
    .hold = hold,
    .assemble = assemble,
    .multiply = multiply,
    .product_bytes = product_bytes,
    .precondition_update = precondition_update,
    .precondition = precondition,
    .points_of = points_of,
    .add_points = add_points,
    .begin_line = begin_line,
    .longest = longest,
    .move = move,
    .bound = bound,
    .mass = mass,
    .force_tolerance = force_tolerance,
    .renew = renew,
    .has_passed = has_passed,
    .accept = accept,
    .get_points = get_points,
    .set_points = set_points,
    .forces = forces,
    .energies = energies,
    .contact_energy = contact_energy,
    .drag = drag,
    .state_count = state_count,
    .save = save,
    .restore = restore,
};
