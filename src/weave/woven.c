// SPDX-License-Identifier: MIT
// Sizes of a cloth. What the def says wins over the draft; what neither says is assumed, with a
// note: 30 tex cotton, and slots of two diameters.
//
// How thick threads may be: a thread that changes sides between two crossings at a distance p,
// whose arcs have the radii r_0 and r_1, q = r_0 + r_1, and whose height changes by h there, needs
// p^2 >= 2 q h - h^2 (peirce.h). With h = a q, a the share of the warp or of the weft, and all
// diameters multiplied by f, this is f <= (p / q) / sqrt(2 a - a^2). Both systems allow the same f
// if m_w^2 (1 - a^2) = m_f^2 (2 a - a^2), with the least p / q of each: m_w of the warp, m_f of the
// weft, and a the share of the warp.
#include "weave/woven.h"
#include "weave/layers.h"

#include <math.h>

static const double ASSUMED_DENSITY = 30e-6; // kg/m
static const double SLOT = 2.0;              // diameters
static const double CLEAR = 0.02;            // of the height of a layer: free above and below it

void hed_woven_free(HedWoven* woven) {
    HedWovenSystem* systems[2] = {&woven->warp, &woven->weft};
    for (int i = 0; i < 2; ++i) {
        hed_free(systems[i]->threads);
        hed_free(systems[i]->lines);
        hed_free(systems[i]->layers);
        hed_free(systems[i]->centres);
    }
    hed_free(woven->heights);
    *woven = (HedWoven){0};
}

// --- what is given ---

static HedStatus check_thread_def(const char* name, const HedThreadDef* def, HedError* error) {
    struct {
        const char* key;
        double value;
    } sizes[] = {{"count", def->count},
                 {"sett", def->sett},
                 {"linear_density", def->linear_density},
                 {"diameter", def->diameter}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        if (!(sizes[i].value >= 0.0) || !isfinite(sizes[i].value)) {
            return hed_fail(error, HED_INVALID, "%s: '%s' must not be negative, got %g", name,
                            sizes[i].key, sizes[i].value);
        }
    }
    return HED_OK;
}

static HedStatus check_def(const HedWeaveDef* def, HedError* error) {
    if (def->stamp != hed_weave_def_default().stamp) {
        return hed_fail(error, HED_INVALID, "start a weave with hed_weave_def_default()");
    }
    if (!(def->yarn_density > 0.0) || !isfinite(def->yarn_density)) {
        return hed_fail(error, HED_INVALID, "'yarn_density' must be positive, got %g kg/m^3",
                        def->yarn_density);
    }
    if (!(def->warp_share >= 0.0 && def->warp_share < 1.0)) {
        return hed_fail(error, HED_INVALID, "'warp_share' must be from 0 to below 1, got %g",
                        def->warp_share);
    }
    if (def->points < 2 || def->points > 1000) {
        return hed_fail(error, HED_INVALID, "'points' must be from 2 to 1000, got %d", def->points);
    }
    if ((int)def->selvedge < 0 || def->selvedge >= HED_SELVEDGE_COUNT) {
        return hed_fail(error, HED_INVALID, "there is no selvedge %d", (int)def->selvedge);
    }
    HedStatus status = check_thread_def("warp", &def->warp, error);
    return status == HED_OK ? check_thread_def("weft", &def->weft, error) : status;
}

// --- threads ---

// Takes what def and draft say of a thread; zeros are left where neither does.
static HedThread merge(const HedThread* thread, const HedThreadDef* def, double yarn_density) {
    HedThread merged = *thread;
    if (def->sett > 0.0) {
        merged.spacing = 1.0 / def->sett;
    }
    if (def->linear_density > 0.0) {
        merged.linear_density = def->linear_density;
    }
    if (def->diameter > 0.0) {
        merged.diameter = def->diameter;
    } else if (merged.linear_density > 0.0 &&
               (def->linear_density > 0.0 || !(merged.diameter > 0.0))) {
        merged.diameter = hed_yarn_diameter(merged.linear_density, yarn_density);
    }
    if (def->color != HED_COLOR_NONE) {
        merged.color = def->color;
    }
    return merged;
}

// Fills in what is unknown; tells whether the size and the slot were.
static void complete(HedThread* thread, double yarn_density, bool* has_size, bool* has_slot) {
    *has_size = *has_size && thread->diameter > 0.0;
    *has_slot = *has_slot && thread->spacing > 0.0;
    if (!(thread->diameter > 0.0)) {
        thread->diameter = thread->spacing > 0.0 ? thread->spacing / SLOT
                                                 : hed_yarn_diameter(ASSUMED_DENSITY, yarn_density);
    }
    if (!(thread->spacing > 0.0)) {
        thread->spacing = SLOT * thread->diameter;
    }
    if (!(thread->linear_density > 0.0)) {
        double radius = 0.5 * thread->diameter;
        thread->linear_density = yarn_density * 3.14159265358979323846 * radius * radius;
    }
}

static HedStatus allocate(HedWovenSystem* system, int64_t count, HedError* error) {
    system->threads = HED_NEW_ARRAY(HedThread, count);
    system->lines = HED_NEW_ARRAY(int32_t, count);
    system->layers = HED_NEW_ARRAY(int32_t, count);
    system->centres = HED_NEW_ARRAY(double, count);
    if (!system->threads || !system->lines || !system->layers || !system->centres) {
        return hed_fail_memory(error, "threads of a cloth");
    }
    system->count = (int32_t)count;
    return HED_OK;
}

// Threads of a draft, repeated: their interlacing by the repeat of the weave, their looks by the
// whole draft.
typedef struct Draft {
    const HedThread* threads;
    const int32_t* layers;
    int32_t count;
    int32_t repeat;
} Draft;

static HedStatus fill_system(HedWovenSystem* system, const Draft* draft, const HedThreadDef* def,
                             const HedWeaveDef* whole, HedFabric* fabric, HedError* error) {
    HedStatus status = allocate(system, def->count > 0 ? def->count : draft->count, error);
    if (status != HED_OK) {
        return status;
    }
    bool is_reversed = whole->is_mirrored && def == &whole->warp;
    bool has_size = true, has_slot = true;
    double edge = 0.0;
    for (int32_t i = 0; i < system->count; ++i) {
        int32_t number = is_reversed ? system->count - 1 - i : i;
        HedThread thread = merge(&draft->threads[number % draft->count], def, whole->yarn_density);
        complete(&thread, whole->yarn_density, &has_size, &has_slot);
        system->threads[i] = thread;
        system->lines[i] = number % draft->repeat;
        system->layers[i] = draft->layers[system->lines[i]];
        system->centres[i] = edge + 0.5 * thread.spacing;
        edge += thread.spacing;
    }
    for (int32_t i = 0; i < system->count; ++i) {
        system->centres[i] -= 0.5 * edge;
    }
    if (!isfinite(edge)) {
        return hed_fail(error, HED_INVALID, "%s: the threads need a width of %g m", system->name,
                        edge);
    }
    if (fabric && !has_size) {
        status = hed_fabric_note(fabric, error, "%s: no count and no diameter given, %.3g mm taken",
                                 system->name, 1e3 * system->threads[0].diameter);
    }
    if (status == HED_OK && fabric && !has_slot) {
        status = hed_fabric_note(fabric, error, "%s: no sett given, %.4g threads per cm taken",
                                 system->name, 0.01 / system->threads[0].spacing);
    }
    return status;
}

// --- do they fit? ---

// Least ratio of the distance of two crossings to the sum of their radii, where the thread changes
// sides between them; in its own layer. across is the system that the threads of along cross.
static double least_ratio(const HedWoven* w, bool is_warp) {
    const HedWovenSystem* along = is_warp ? &w->warp : &w->weft;
    const HedWovenSystem* across = is_warp ? &w->weft : &w->warp;
    double least = HUGE_VAL;
    for (int32_t i = 0; i < along->count; ++i) {
        int32_t before = -1;
        bool was_up = false;
        for (int32_t k = 0; k < across->count; ++k) {
            if (across->layers[k] != along->layers[i]) {
                continue;
            }
            bool up = is_warp ? hed_woven_is_up(w, k, i) : hed_woven_is_up(w, i, k);
            if (before >= 0 && up != was_up) {
                double q = along->threads[i].diameter +
                           0.5 * (across->threads[before].diameter + across->threads[k].diameter);
                least = fmin(least, (across->centres[k] - across->centres[before]) / q);
            }
            was_up = up;
            before = k;
        }
    }
    return least;
}

// Least ratio of the distance of neighbours in a layer to what they need side by side.
static double least_room(const HedWovenSystem* system, int32_t layer) {
    double least = HUGE_VAL;
    int32_t before = -1;
    for (int32_t i = 0; i < system->count; ++i) {
        if (system->layers[i] != layer) {
            continue;
        }
        if (before >= 0) {
            double need = 0.5 * (system->threads[before].diameter + system->threads[i].diameter);
            least = fmin(least, (system->centres[i] - system->centres[before]) / need);
        }
        before = i;
    }
    return least;
}

static double allowed(double ratio, double share) {
    return ratio / sqrt(2.0 * share - share * share);
}

static void thin(HedWovenSystem* system, double factor) {
    for (int32_t i = 0; i < system->count; ++i) {
        system->threads[i].diameter *= factor;
    }
}

static HedStatus fit(HedWoven* w, const HedWeaveDef* def, HedFabric* fabric, HedError* error) {
    double warp = least_ratio(w, true), weft = least_ratio(w, false);
    double a = def->warp_share > 0.0 ? def->warp_share : 0.5;
    double f = fmin(allowed(warp, a), allowed(weft, 1.0 - a));
    if (f < 1.0 && !(def->warp_share > 0.0) && isfinite(warp) && isfinite(weft)) {
        double x = warp * warp, y = weft * weft;
        a = x / (y + sqrt(y * y - x * y + x * x));
        f = fmin(allowed(warp, a), allowed(weft, 1.0 - a));
    }
    for (int32_t l = 0; l < w->layer_count; ++l) {
        f = fmin(f, fmin(least_room(&w->warp, l), least_room(&w->weft, l)));
    }
    w->warp_share = a;
    w->thinning = fmin(f, 1.0);
    if (f < 1.0 && fabric) {
        HedStatus status = hed_fabric_note(
            fabric, error,
            "round threads of %.3g mm (warp) and %.3g mm (weft) do not fit: made thinner by the "
            "factor %.3g, their mass is kept",
            1e3 * w->warp.threads[0].diameter, 1e3 * w->weft.threads[0].diameter, f);
        if (status != HED_OK) {
            return status;
        }
    }
    thin(&w->warp, w->thinning);
    thin(&w->weft, w->thinning);
    return HED_OK;
}

// --- layers ---

static double thickest(const HedWovenSystem* system, int32_t layer) {
    double most = 0.0;
    for (int32_t i = 0; i < system->count; ++i) {
        most = fmax(most, system->layers[i] == layer ? system->threads[i].diameter : 0.0);
    }
    return most;
}

// Layers lie on each other without touching, the middle of the whole at 0.
static HedStatus stack(HedWoven* w, HedError* error) {
    w->heights = HED_NEW_ARRAY(double, w->layer_count);
    if (!w->heights) {
        return hed_fail_memory(error, "the layers of a cloth");
    }
    double top = 0.0;
    for (int32_t l = 0; l < w->layer_count; ++l) {
        double warp = thickest(&w->warp, l), weft = thickest(&w->weft, l);
        double a = w->warp_share, wave = 0.5 * (warp + weft);
        double half = fmax(a * wave + 0.5 * warp, (1.0 - a) * wave + 0.5 * weft);
        half *= 1.0 + CLEAR;
        w->heights[l] = top + half;
        top += 2.0 * half;
    }
    double middle = 0.5 * top;
    for (int32_t l = 0; l < w->layer_count; ++l) {
        w->heights[l] = w->layer_count > 1 ? w->heights[l] - middle : 0.0;
    }
    return HED_OK;
}

// Half of all points lie on the warp; turns need a few more.
static HedStatus check_size(const HedWoven* w, const HedWeaveDef* def, HedError* error) {
    double crossings = (double)w->warp.count * w->weft.count;
    double points = 2.0 * (crossings + w->warp.count + w->weft.count) * def->points;
    if (points > 0.25 * INT32_MAX) {
        return hed_fail(error, HED_UNSUPPORTED,
                        "a cloth of %d ends and %d picks with %d points per crossing is too large",
                        w->warp.count, w->weft.count, def->points);
    }
    return HED_OK;
}

HedStatus hed_woven_create(const HedWeave* weave, const HedWeaveDef* def, HedFabric* fabric,
                           HedWoven* woven, HedError* error) {
    HedStatus status = HED_OK;
    HedWeaveFacts facts;
    HedWoven w = {.weave = weave, .warp = {.name = "warp"}, .weft = {.name = "weft"}};
    int32_t* layers = HED_NEW_ARRAY(int32_t, (int64_t)weave->end_count + weave->pick_count);
    HED_TRY(layers ? HED_OK : hed_fail_memory(error, "the layers of a cloth"));
    HED_TRY(check_def(def, error));
    HED_TRY(hed_weave_facts(weave, &facts, error));
    HED_TRY(hed_weave_layers(weave, layers, &w.layer_count, error));
    w.layer_count = w.layer_count > 1 ? w.layer_count : 1;
    Draft ends = {weave->ends, layers, weave->end_count, facts.repeat_ends};
    Draft picks = {weave->picks, layers + weave->end_count, weave->pick_count, facts.repeat_picks};
    HED_TRY(fill_system(&w.warp, &ends, &def->warp, def, fabric, error));
    HED_TRY(fill_system(&w.weft, &picks, &def->weft, def, fabric, error));
    HED_TRY(check_size(&w, def, error));
    HED_TRY(fit(&w, def, fabric, error));
    HED_TRY(stack(&w, error));
    hed_free(layers);
    *woven = w;
    return HED_OK;
done:
    hed_free(layers);
    hed_woven_free(&w);
    return status;
}

// Sum of diameters by sum of slots, which is the width.
static double mean_cover(const HedWovenSystem* system, double* width) {
    double diameters = 0.0;
    *width = 0.0;
    for (int32_t i = 0; i < system->count; ++i) {
        diameters += system->threads[i].diameter;
        *width += system->threads[i].spacing;
    }
    return diameters / *width;
}

HedStatus hed_weave_cover(const HedWeave* weave, const HedWeaveDef* def, HedCover* cover,
                          HedError* error) {
    HedWoven woven = {0};
    HedStatus status = hed_woven_create(weave, def, NULL, &woven, error);
    if (status == HED_OK) {
        double width, height;
        double warp = mean_cover(&woven.warp, &width), weft = mean_cover(&woven.weft, &height);
        *cover = (HedCover){warp, weft, warp + weft - warp * weft, width, height};
    }
    hed_woven_free(&woven);
    return status;
}
