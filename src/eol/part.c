// SPDX-License-Identifier: MIT
// Sliding yarns as a part of a simulation: steps from their beginning to their end, a stage at a
// time.
#include "eol/crossing_normal_force.h"
#include "eol/eol.h"
#include "eol/part_view.h"

#include <math.h>
#include <string.h>

static const double FASTEST = 16.0; // radii of spheres that nodes go in a step against the fabric
static const double WEIGHT = 1e-3;  // of a node's weight,
static const double PULL = 1e-2;    // of the mean pull in yarns: what may be left at rest

static int32_t size_of(const HedEol* eol) {
    return HED_NODE_SIZE * eol->node_count;
}

// What a simulation knows of nodes comes in the order of the net: node i here is its order[i].

static double over_of(const HedEol* eol) {
    return eol->is_static ? 0.0 : 1.0 / eol->size;
}

// --- what makes sense ---

bool hed_eol_is_feasible(const HedEol* eol, const double* q) {
    const HedYarnPacks* bands = &eol->model.bands;
    const int segment = HED_PLACE_OWN | HED_PLACE_SEGMENT;
    double least = eol->least_piece;
    bool is_good = true;
    for (int32_t place = 0; is_good && place < bands->step_count * HED_YARN_PACK; ++place) {
        if ((bands->kind[place] & segment) == segment) {
            const double* a = q + (int64_t)HED_NODE_SIZE * bands->node[place];
            const double* b = q + (int64_t)HED_NODE_SIZE * bands->node[place + HED_YARN_PACK];
            double d = b[3 + bands->slot[place + HED_YARN_PACK]] - a[3 + bands->slot[place]];
            is_good = d > least && isfinite(a[0] + a[1] + a[2]);
        }
    }
    return is_good;
}

// --- the beginning of a step ---

static void guess_start(void* self) {
    HedEol* eol = self;
    eol->is_assembled = false;
    for (int32_t k = 0; k < size_of(eol); ++k) {
        eol->trial[k] = eol->is_held[k] ? eol->guess[k] : eol->start[k];
    }
}

// Held positions go to their targets; the guess of the others is where they would go without
// forces, and the search begins where forces go on as they were, if that is possible.
static void guess(HedEol* eol, const HedPartStep* step) {
    double h = step->size;
    double slow = step->is_static ? 0.0 : 1.0 / (1.0 + eol->settings.drag * h);
    double trend = step->is_static ? 0.0 : h * h;
    int32_t size = size_of(eol);
    memcpy(eol->start, eol->q, sizeof *eol->q * (size_t)size);
    memcpy(eol->is_held, eol->is_fixed, (size_t)size);
    for (int32_t k = 0; k < size; ++k) {
        eol->guess[k] = eol->q[k] + (eol->is_fixed[k] ? 0.0 : slow * h * eol->v[k]);
    }
    for (int32_t i = 0; i < eol->node_count; ++i) {
        int64_t at = (int64_t)HED_NODE_SIZE * i;
        int32_t point = eol->order[i];
        if (step->hold[point] != HED_HOLD_FREE) {
            bool clamps = step->hold[point] == HED_HOLD_CLAMP;
            memcpy(eol->guess + at, &step->target[point], sizeof step->target[point]);
            memset(eol->is_held + at, 1, clamps ? HED_NODE_SIZE : 3);
            for (int s = 3; clamps && s < HED_NODE_SIZE; ++s) {
                eol->guess[at + s] = eol->start[at + s];
            }
        }
    }
    hed_eol_pullout_hold(eol, eol->is_held);
    for (int32_t k = 0; k < size; ++k) {
        eol->trial[k] = eol->guess[k] + (eol->is_held[k] ? 0.0 : trend * eol->trend[k]);
    }
    if (step->is_static || !hed_eol_is_feasible(eol, eol->trial)) {
        guess_start(eol);
    }
}

void hed_eol_find_normal_forces(HedEol* eol, const double* q) {
    if (eol->friction <= 0.0) {
        return;
    }
    HedNormalForces press = {&eol->model,  q,           eol->sign,
                             eol->elastic, eol->normal, eol->slip_metric};
    hed_normal_forces_find(&press, eol->normal_force);
    for (int32_t i = 0; i < eol->node_count; ++i) {
        // Where yarns pull away from each other by more than that they touch no longer, nor where
        // their crossing has come apart.
        double force = fmax(0.0, eol->normal_force[i] + eol->rest_normal_force[i]);
        eol->normal_force[i] = eol->sign[i] != 0 ? force : 0.0;
    }
}

// Parts of a fabric that move against each other so fast that one step could take them through many
// layers, and that search would be long.
static bool is_too_fast(const void* self) {
    const HedEol* eol = self;
    HedSphereMove move = {eol->start, eol->guess};
    return eol->spheres && hed_spheres_reach(eol->spheres, move) > FASTEST * eol->spheres->radius;
}

static void begin_rayleigh(HedEol* eol) {
    double sums[HED_EOL_SUMS];
    HedEolEval at = {eol->start, NULL, 0.0, eol->gradient, &eol->stiffness};
    hed_eol_model_evaluate(&eol->model, at, sums);
    hed_eol_matrix_settle(&eol->stiffness);
}

static HedStatus begin(void* self, const HedPartStep* step) {
    HedEol* eol = self;
    eol->size = step->size;
    eol->is_static = step->is_static;
    eol->is_first = !step->is_static;
    eol->has_coarse = false;
    hed_eol_find_mass(&eol->model, eol->q, eol->mass);
    hed_eol_find_normal_forces(eol, eol->q);
    eol->slip_begins = 1.0;
    memset(eol->slip_bound, 0, sizeof *eol->slip_bound * 2 * (size_t)eol->node_count);
    guess(eol, step);
    HedStatus status = hed_eol_pullout_settle(eol);
    if (status == HED_OK && eol->spheres && !is_too_fast(eol)) {
        HedSphereMove move = {eol->start, eol->guess};
        status = hed_spheres_find(eol->spheres, move, NULL);
    }
    if (eol->flow) {
        hed_eol_find_flow(&eol->model, (HedEolRates){eol->start, eol->v}, eol->flow);
    }
    if (eol->rayleigh > 0.0 && !eol->is_static) {
        begin_rayleigh(eol);
    }
    return status;
}

static void trial_points(const void* self, HedVec3* x) {
    const HedEol* eol = self;
    for (int32_t i = 0; i < eol->node_count; ++i) {
        memcpy(&x[eol->order[i]], eol->trial + (int64_t)HED_NODE_SIZE * i, sizeof *x);
    }
}

// --- forces and matrix ---

// In motion a step's first state gets a matrix, nearly always, and both together cost less.
static double evaluate(void* self, double* residual) {
    HedEol* eol = self;
    int32_t size = size_of(eol);
    eol->is_assembled = eol->is_first;
    eol->is_first = false;
    double energy = hed_eol_evaluate(eol, eol->trial, over_of(eol), eol->is_assembled);
#pragma omp parallel for schedule(static) num_threads(hed_team_size(eol->team, size))
    for (int32_t k = 0; k < size; ++k) {
        residual[k] = -eol->gradient[k];
    }
    return energy;
}

static void add_points(const void* self, const HedVec3* d, double* vector) {
    const HedEol* eol = self;
#pragma omp parallel for schedule(static) num_threads(hed_team_size(eol->team, size_of(eol)))
    for (int32_t i = 0; i < eol->node_count; ++i) {
        double* at = vector + (int64_t)HED_NODE_SIZE * i;
        HedVec3 by = d[eol->order[i]];
        at[0] += by.x;
        at[1] += by.y;
        at[2] += by.z;
    }
}

static void points_of(const void* self, const double* vector, HedVec3* d) {
    const HedEol* eol = self;
#pragma omp parallel for schedule(static) num_threads(hed_team_size(eol->team, size_of(eol)))
    for (int32_t i = 0; i < eol->node_count; ++i) {
        const double* at = vector + (int64_t)HED_NODE_SIZE * i;
        d[eol->order[i]] = (HedVec3){at[0], at[1], at[2]};
    }
}

static void hold(const void* self, double* vector) {
    const HedEol* eol = self;
    int32_t size = size_of(eol);
#pragma omp parallel for schedule(static) num_threads(hed_team_size(eol->team, size))
    for (int32_t k = 0; k < size; ++k) {
        vector[k] = eol->is_held[k] ? 0.0 : vector[k];
    }
}

static void assemble(void* self, double shift, bool is_wary, const HedMat3* blocks) {
    HedEol* eol = self;
    bool is_done = eol->is_assembled && shift == 0.0 && !is_wary;
    eol->is_assembled = false;
    eol->is_wary = is_wary;
    eol->slip_begins = is_wary ? 1.0 : eol->slip_begins;
    if (eol->is_static) {
        hed_eol_pullout_stop(eol, eol->trial);
    }
    if (!is_done) {
        eol->shift = shift;
        hed_eol_evaluate(eol, eol->trial, over_of(eol), true);
        eol->shift = 0.0;
    }
    if (blocks) {
        hed_eol_add_blocks(eol, blocks);
    }
    for (int64_t k = 0; eol->outside && k < (int64_t)HED_NODE_DIAGONAL * eol->node_count; ++k) {
        eol->matrix.diagonal[k] += eol->outside[k];
    }
    eol->preconditioner.keeps_coarse = eol->has_coarse && !blocks && !eol->outside;
    double later = hed_friction_bound(1.0, eol->slip_begins, 1.0);
    eol->slip_begins = eol->is_static ? eol->slip_begins : later;
    hed_eol_hold(eol);
}

static void multiply(void* self, const double* x, double* y) {
    HedEol* eol = self;
    hed_eol_matrix_multiply(&eol->matrix, x, y);
    if (eol->spheres) {
        hed_spheres_multiply(eol->spheres, x, y);
    }
}

static int64_t product_bytes(const void* self) {
    const HedEol* eol = self;
    return hed_eol_matrix_bytes(&eol->matrix);
}

// Adds blocks of points to the diagonal, but for what is held.
static void add_free_blocks(HedEol* eol, double sign, const HedMat3* blocks) {
    for (int32_t i = 0; blocks && i < eol->node_count; ++i) {
        const uint8_t* is_held = eol->is_held + (int64_t)HED_NODE_SIZE * i;
        double* own = eol->matrix.diagonal + (int64_t)HED_NODE_DIAGONAL * i;
        for (int r = 0; r < 3; ++r) {
            for (int c = r; c < 3; ++c) {
                own[hed_eol_diagonal(r, c)] +=
                    is_held[r] || is_held[c] ? 0.0 : sign * blocks[eol->order[i]].m[r][c];
            }
        }
    }
}

// Further blocks stand on the diagonal while the preconditioner looks at it. In motion the
// equations of patches serve all matrices of a step, unless contacts may close meanwhile.
static bool precondition_update(void* self, const HedMat3* blocks) {
    HedEol* eol = self;
    HedEolPreconditioner* p = &eol->preconditioner;
    add_free_blocks(eol, 1.0, blocks);
    p->keeps_coarse = p->keeps_coarse && !blocks;
    bool ok = hed_eol_preconditioner_update(p, eol->is_held);
    p->keeps_coarse = false;
    eol->has_coarse = ok && !eol->is_static;
    add_free_blocks(eol, -1.0, blocks);
    return ok;
}

static void precondition(void* self, const double* r, double* z) {
    HedEol* eol = self;
    hed_eol_preconditioner_apply(&eol->preconditioner, r, z);
}

// --- lines ---

static void begin_line(void* self) {
    HedEol* eol = self;
    memcpy(eol->base, eol->trial, sizeof *eol->base * (size_t)size_of(eol));
}

static double longest(const void* self, const double* direction) {
    const HedEol* eol = self;
    const HedYarnPacks* bands = &eol->model.bands;
    const int segment = HED_PLACE_OWN | HED_PLACE_SEGMENT;
    double most = HUGE_VAL;
    for (int32_t place = 0; place < bands->step_count * HED_YARN_PACK; ++place) {
        if ((bands->kind[place] & segment) == segment) {
            int64_t a = (int64_t)HED_NODE_SIZE * bands->node[place] + 3 + bands->slot[place];
            int64_t b = (int64_t)HED_NODE_SIZE * bands->node[place + HED_YARN_PACK] + 3 +
                        bands->slot[place + HED_YARN_PACK];
            double lost = direction[a] - direction[b];
            double room = eol->base[b] - eol->base[a] - eol->least_piece;
            most = lost * most > room ? room / lost : most;
        }
    }
    return most;
}

static bool move(void* self, double share, const double* direction) {
    HedEol* eol = self;
    eol->is_assembled = false;
    int32_t size = size_of(eol);
#pragma omp parallel for schedule(static) num_threads(hed_team_size(eol->team, size))
    for (int32_t k = 0; k < size; ++k) {
        eol->trial[k] = eol->base[k] + share * direction[k];
    }
    return hed_eol_is_feasible(eol, eol->trial);
}

// --- tolerances ---

static double bound(const void* self, const double* residual) {
    const HedEol* eol = self;
    double most = 0.0;
    for (int32_t i = 0; i < eol->node_count; ++i) {
        double a =
            hed_eol_largest_acceleration(&eol->mass[i], residual + (int64_t)HED_NODE_SIZE * i);
        most = isnan(a) ? a : fmax(most, a);
        if (isnan(most)) {
            break;
        }
    }
    return eol->size * most;
}

static double mass(const void* self) {
    const HedEol* eol = self;
    double sum = 0.0;
    for (int32_t i = 0; i < eol->node_count; ++i) {
        sum += eol->mass[i].mass;
    }
    return sum;
}

// N, mean pull or push of pieces of yarn.
static double mean_pull(const HedEol* eol) {
    const HedYarnPacks* bands = &eol->model.bands;
    const int segment = HED_PLACE_OWN | HED_PLACE_SEGMENT;
    double sum = 0.0;
    int64_t count = 0;
    for (int32_t place = 0; place < bands->step_count * HED_YARN_PACK; ++place) {
        if ((bands->kind[place] & segment) != segment) {
            continue;
        }
        const double* a = eol->trial + (int64_t)HED_NODE_SIZE * bands->node[place];
        const double* b = eol->trial + (int64_t)HED_NODE_SIZE * bands->node[place + HED_YARN_PACK];
        const HedEolMaterial* m = &eol->model.materials[eol->model.yarn_of[bands->visit[place]]];
        double d = b[3 + bands->slot[place + HED_YARN_PACK]] - a[3 + bands->slot[place]];
        HedVec3 way = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        double strain = hed_norm3(way) / d - 1.0;
        sum += fabs(strain) * (strain > 0.0 ? m->tight : m->slack);
        count += 1;
    }
    return count > 0 ? sum / (double)count : 0.0;
}

static double force_tolerance(const void* self) {
    const HedEol* eol = self;
    double weight = mass(eol) / eol->node_count * hed_norm3(eol->settings.gravity);
    return eol->settings.force_tolerance > 0.0 ? eol->settings.force_tolerance
                                               : fmax(WEIGHT * weight, PULL * mean_pull(eol));
}

static void renew(void* self) {
    HedEol* eol = self;
    hed_eol_find_normal_forces(eol, eol->trial);
}

static bool has_passed(const void* self) {
    const HedEol* eol = self;
    return eol->spheres && hed_spheres_passed(eol->spheres, eol->start, eol->trial);
}

// --- the end of a step ---

// J, of Rayleigh damping: its force is that of the stiffness at the start of the step.
static double find_rayleigh(HedEol* eol) {
    int32_t size = size_of(eol);
    double* change = eol->scratch;
    double* force = change + size;
    for (int32_t k = 0; k < size; ++k) {
        change[k] = eol->q[k] - eol->start[k];
    }
    hed_eol_matrix_multiply(&eol->stiffness, change, force);
    return eol->rayleigh / eol->size * hed_team_dot(eol->team, change, force, size);
}

// J, that damping took in a step. Its potentials are quadratic in the rates: it takes twice what
// they are.
static double find_damped(HedEol* eol) {
    double sums[HED_EOL_SUMS];
    HedEolEval at = {eol->q, eol->start, 1.0 / eol->size, eol->gradient, NULL};
    double taken = eol->rayleigh > 0.0 ? find_rayleigh(eol) : 0.0;
    if (eol->model.has_damping || eol->model.shear_damping > 0.0) {
        hed_eol_model_evaluate(&eol->model, at, sums);
        taken += 2.0 * sums[HED_EOL_DAMPING];
    }
    return taken;
}

// J, that slip took: the anchors of friction follow.
static double slip(HedEol* eol) {
    double heat = 0.0;
    for (int32_t i = 0; i < eol->node_count; ++i) {
        HedFriction law = hed_eol_friction_of(eol, i);
        double way[2];
        hed_eol_slip_of(eol, i, eol->q + (int64_t)HED_NODE_SIZE * i, way);
        double size = hed_slip_size(eol->slip_metric[i], way);
        double share = law.limit > 0.0 ? hed_friction_follow(size, law) : 1.0;
        for (int s = 0; s < 2; ++s) {
            eol->anchor[2 * i + s] += share * way[s];
        }
        heat += law.limit * share * size;
    }
    return heat;
}

static double accept(void* self) {
    HedEol* eol = self;
    int32_t size = size_of(eol);
    double h = eol->size;
    HedSphereEval end = {eol->trial, eol->start, h, eol->is_held, 0.0};
    double heat = eol->spheres ? hed_spheres_heat(eol->spheres, &end) : 0.0;
    memcpy(eol->q, eol->trial, sizeof *eol->q * (size_t)size);
    hed_eol_pullout_carry(eol);
    for (int32_t k = 0; k < size; ++k) {
        double v = eol->is_static ? 0.0 : (eol->q[k] - eol->start[k]) / h;
        eol->trend[k] = eol->is_static ? 0.0 : (v - eol->v[k]) / h;
        eol->v[k] = v;
    }
    heat += slip(eol) + hed_eol_pullout(eol);
    hed_eol_view_follow(eol);
    return heat + (eol->is_static ? 0.0 : find_damped(eol));
}

static void get_points(const void* self, HedVec3* x, HedVec3* v) {
    const HedEol* eol = self;
    for (int32_t i = 0; i < eol->node_count; ++i) {
        int32_t point = eol->order[i];
        memcpy(&x[point], eol->q + (int64_t)HED_NODE_SIZE * i, sizeof *x);
        memcpy(&v[point], eol->v + (int64_t)HED_NODE_SIZE * i, sizeof *v);
    }
}

static void set_points(void* self, const HedVec3* x, const HedVec3* v) {
    HedEol* eol = self;
    for (int32_t i = 0; i < eol->node_count; ++i) {
        int32_t point = eol->order[i];
        memcpy(eol->q + (int64_t)HED_NODE_SIZE * i, &x[point], sizeof *x);
        memcpy(eol->v + (int64_t)HED_NODE_SIZE * i, &v[point], sizeof *v);
    }
}

// --- reading ---

// The rates are those of the last piece of the step, whatever size it is taken to have; what is
// still has none. Where the step was cut, nodes would have passed each other so long ago.
static void forces(void* self, double h, bool is_still, HedVec3* force) {
    enum { HALVES = 60 };
    HedEol* eol = self;
    int32_t size = size_of(eol);
    double back = is_still ? 0.0 : h;
    for (int half = 0; half < HALVES; ++half) {
        for (int32_t k = 0; k < size; ++k) {
            eol->start[k] = eol->q[k] - back * eol->v[k];
        }
        if (is_still || hed_eol_is_feasible(eol, eol->start)) {
            break;
        }
        back *= 0.5;
    }
    memcpy(eol->guess, eol->q, sizeof *eol->q * (size_t)size);
    memset(eol->is_held, 0, (size_t)size);
    hed_eol_evaluate(eol, eol->q, 1.0 / (is_still ? h : back), false);
    for (int32_t i = 0; i < eol->node_count; ++i) {
        const double* g = eol->gradient + (int64_t)HED_NODE_SIZE * i;
        force[eol->order[i]] = (HedVec3){-g[0], -g[1], -g[2]};
    }
}

double hed_eol_friction_energy(const HedEol* eol) {
    double sum = 0.0;
    for (int32_t i = 0; i < eol->node_count; ++i) {
        double slip[2];
        hed_eol_slip_of(eol, i, eol->q + (int64_t)HED_NODE_SIZE * i, slip);
        sum += hed_friction_pair(eol->slip_metric[i], slip, hed_eol_friction_of(eol, i)).energy;
    }
    return sum;
}

static void energies(void* self, HedPartEnergies* out) {
    enum { LOAD = HED_EOL_ENERGY_COUNT, FRICTION, COLUMNS };
    static const char* const NAME[COLUMNS] = {
        [HED_EOL_STRETCH] = "stretch", [HED_EOL_BEND] = "bend",       [HED_EOL_TORSION] = "twist",
        [HED_EOL_LIMIT] = "limit",     [HED_EOL_SHEAR] = "shear",     [HED_EOL_CURL] = "curl",
        [HED_EOL_WRAP] = "wrap",       [HED_EOL_GRAVITY] = "gravity", [LOAD] = "load",
        [FRICTION] = "friction",
    };
    HedEol* eol = self;
    double sums[HED_EOL_SUMS];
    hed_eol_energies(eol, sums, &out->kinetic);
    memcpy(out->potential, sums, sizeof *sums * HED_EOL_ENERGY_COUNT);
    out->name = NAME;
    out->count = COLUMNS;
    out->potential[LOAD] = 0.0;
    for (int32_t i = 0; eol->load && i < eol->node_count; ++i) {
        HedVec3 x = hed_eol_point(eol->q + (int64_t)HED_NODE_SIZE * i);
        out->potential[LOAD] -= hed_dot3(eol->load[i], x);
    }
    out->potential[FRICTION] = hed_eol_friction_energy(eol);
}

static double contact_energy(const void* self) {
    const HedEol* eol = self;
    return eol->spheres ? hed_spheres_energy(eol->spheres, eol->q) : 0.0;
}

// J: drag slows all velocities down by the same factor.
static double drag(void* self, double h) {
    HedEol* eol = self;
    if (!(eol->settings.drag > 0.0)) {
        return 0.0;
    }
    double sums[HED_EOL_SUMS];
    double kinetic;
    double slow = 1.0 / (1.0 + eol->settings.drag * h);
    hed_eol_energies(eol, sums, &kinetic);
    return (1.0 - slow * slow) * kinetic;
}

void hed_eol_energies(HedEol* eol, double sums[HED_EOL_SUMS], double* kinetic) {
    HedEolEval at = {eol->q, NULL, 0.0, eol->gradient, NULL};
    hed_eol_model_evaluate(&eol->model, at, sums);
    hed_eol_find_mass(&eol->model, eol->q, eol->mass);
    *kinetic = 0.0;
    for (int32_t i = 0; i < eol->node_count; ++i) {
        const HedEolMass* m = &eol->mass[i];
        const double* v = eol->v + (int64_t)HED_NODE_SIZE * i;
        for (int c = 0; c < 3; ++c) {
            *kinetic += 0.5 * m->mass * v[c] * v[c];
            *kinetic += v[c] * (m->coupling[0][c] * v[3] + m->coupling[1][c] * v[4]);
        }
        *kinetic += 0.5 * (m->along[0] * v[3] * v[3] + m->along[1] * v[4] * v[4]);
    }
}

const HedPartType HED_EOL_PART = {
    .what = "node",
    .prepare = hed_eol_part_prepare,
    .destroy = hed_eol_part_destroy,
    .clone = hed_eol_part_clone,
    .skin = hed_eol_part_skin,
    .has_segment = hed_eol_part_has_segment,
    .size = hed_eol_part_size,
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
    .state_count = hed_eol_part_state_count,
    .save = hed_eol_part_save,
    .restore = hed_eol_part_restore,
    .start = hed_eol_part_start,
    .row = hed_eol_part_row,
    .gone_count = hed_eol_part_gone_count,
    .tell_gone = hed_eol_part_tell_gone,
    .vertex_count = hed_eol_part_vertex_count,
    .vertices = hed_eol_part_vertices,
    .velocities = hed_eol_part_velocities,
    .quantity = hed_eol_part_quantity,
    .strain = hed_eol_part_strain,
};
