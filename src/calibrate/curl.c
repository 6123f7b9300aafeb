// SPDX-License-Identifier: MIT
// Curl hinges from a swatch of rods.
//
// The stiffness of a hinge is what flattening costs: a stockinette of the same yarn comes to rest
// free, and again between two plates, where its turns are small. Each loop has two hinges in either
// direction, of energy k (turn - rest)^2. With the energies E of both and the mean squares of turns
// of the free one, k = (E_flat - E_free)/(2 loops (square along + square across)).
//
// The turns at rest follow from the swatch in the pattern asked for. Yarns that are set flat resist
// curl as well, and so does the fabric where it would have to stretch; so the turns that the same
// swatch of sliding yarns ends with are smaller than those of its hinges, and these are corrected
// by what rounds have shown, a few times.
#include "calibrate/curl.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

static const double PLATES = 4.0;    // diameters: loops fit between them, curl does not
static const double SIZE = 6.0;      // rows and stitches
static const double FORCE = 0.01;    // B/d^2, what may be left: as relaxation has it
static const double MOST_TURN = 1.5; // of 2, where a lattice is folded back on itself
static const double LEAST_TURN = 0.04;
static const double LITTLE = 0.1;      // of the turn the other way: not worth hinges that turn
static const double CLOSE = 0.05;      // of the rods' turns
static const double LEAST_SHARE = 0.2; // of a turn at rest that is found: less is noise
static const double FARTHEST = 0.5;    // change of a turn at rest in a round
static const double SAME = 0.02;       // change that is none
enum { ROUNDS = 8, STAMP = 0x6375726c };

HedCurlDef hed_curl_def_default(void) {
    HedCurlDef def = {hed_knit_def_default(), hed_relax_def_default(), hed_sliding_def_default(),
                      STAMP};
    def.knit.pattern = "stockinette";
    def.knit.rows = def.knit.stitches = (int32_t)SIZE;
    return def;
}

// A swatch at rest as rods, as a network.
typedef struct Swatch {
    HedNet net;
    double energy; // B/d
    HedNetTurns turns;
    double loops;
    bool is_quiet;
} Swatch;

static HedStatus make_fabric(const HedCurlDef* def, HedFabric* fabric, HedError* error) {
    HedKnitDef knit = def->knit;
    knit.colors = NULL;
    knit.color_count = 0;
    knit.linear_densities = NULL;
    knit.linear_density_count = 0;
    return hed_knit_create(&knit, fabric, NULL, error);
}

static HedStatus make_rods(const HedCurlDef* def, double plates, Swatch* swatch, HedError* error) {
    HedStatus status = HED_OK;
    HedFabric fabric = {0};
    HedRelaxDef relax = def->relax;
    HedRelaxReport report;
    HedNetDef net_def = hed_net_def_default();
    relax.plates = plates;
    HED_TRY(make_fabric(def, &fabric, error));
    HED_TRY(hed_fabric_relax_cached(&fabric, &relax, NULL, &report, error));
    HED_TRY(hed_net_create(&fabric, &net_def, &swatch->net, error));
    swatch->energy = report.energy;
    swatch->is_quiet = report.is_quiet;
    swatch->loops = fabric.loop_count;
    swatch->turns = hed_net_turns(&swatch->net, NULL);
done:
    hed_fabric_free(&fabric);
    return status;
}

static HedStatus find_stiffness(const HedCurlDef* def, HedCurl* curl, HedError* error) {
    HedStatus status = HED_OK;
    Swatch rest = {0}, flat = {0};
    HedCurlDef plain = *def;
    plain.knit.pattern = "stockinette";
    HED_TRY(make_rods(&plain, 0.0, &rest, error));
    HED_TRY(make_rods(&plain, PLATES, &flat, error));
    curl->is_quiet = rest.is_quiet && flat.is_quiet;
    double squares = 2.0 * rest.loops * (rest.turns.square[0] + rest.turns.square[1]);
    double unit = def->sliding.bend / def->knit.diameter; // J, B/d
    if (!(squares > 0.0) || !(flat.energy > rest.energy)) {
        HED_TRY(hed_fail(error, HED_UNSUPPORTED, "a swatch of this knit does not curl"));
    }
    curl->stiffness = unit * (flat.energy - rest.energy) / squares;
done:
    hed_net_free(&rest.net);
    hed_net_free(&flat.net);
    return status;
}

// The sliding swatch at rest with the present hinges.
static HedStatus find_turns(const HedCurlDef* def, const HedNet* net, HedCurl* curl,
                            HedError* error) {
    HedStatus status = HED_OK;
    HedSim* sim = NULL;
    HedYarnsId yarns = {0};
    HedStepReport report = {0};
    HedSimDef sim_def = hed_sim_def_default();
    HedSlidingDef sliding = def->sliding;
    HedVec3* x = HED_NEW_ARRAY(HedVec3, net->node_count);
    double unit = sliding.bend / (def->knit.diameter * def->knit.diameter);
    sim_def.integrator = HED_QUASI_STATIC;
    sim_def.gravity = (HedVec3){0};
    sim_def.time_step = 0.01;
    sim_def.least_step = 1.0; // nothing moves with time: half a step would go the same way
    sim_def.force_tolerance = FORCE * unit;
    sim_def.thread_count = def->relax.threads;
    sliding.net = net;
    sliding.name = "swatch";
    sliding.curl_stiffness = curl->stiffness;
    sliding.curl_along = curl->along;
    sliding.curl_across = curl->across;
    HED_TRY(x ? HED_OK : hed_fail_memory(error, "a swatch"));
    HED_TRY(hed_sim_create(&sim_def, &sim, error));
    HED_TRY(hed_sliding_create(sim, &sliding, &yarns, error));
    HED_TRY(hed_sim_step(sim, &report, error));
    if (report.reason != HED_REASON_CONVERGED) {
        HED_TRY(hed_fail(error, HED_UNSUPPORTED,
                         "a swatch of sliding yarns does not come to rest: %s", report.trouble));
    }
    hed_sliding_node_positions(sim, yarns, x);
    memcpy(curl->yarns, hed_net_turns(net, x).stitch, sizeof curl->yarns);
    curl->force = report.residual;
done:
    hed_sim_destroy(sim);
    hed_free(x);
    return status;
}

// How the turns of the swatch follow those at rest of its hinges, as far as rounds have shown
// (Broyden 1965): the two compete, for a saddle stretches the fabric.
typedef struct Response {
    double by[2][2];          // change of a turn found by a turn at rest
    double rest[2], found[2]; // of the round before
    bool is_first;
} Response;

// Takes in what a round has shown.
static void learn(Response* r, const double rest[2], const double found[2]) {
    double way[2] = {rest[0] - r->rest[0], rest[1] - r->rest[1]};
    double square = way[0] * way[0] + way[1] * way[1];
    for (int i = 0; i < 2; ++i) {
        if (r->is_first) {
            double share = rest[i] != 0.0 ? found[i] / rest[i] : 1.0;
            r->by[i][i] = fmin(1.0, fmax(LEAST_SHARE, share));
            continue;
        }
        double off = found[i] - r->found[i] - r->by[i][0] * way[0] - r->by[i][1] * way[1];
        for (int j = 0; j < 2 && square > 0.0; ++j) {
            r->by[i][j] += off * way[j] / square;
        }
    }
    memcpy(r->rest, rest, sizeof r->rest);
    memcpy(r->found, found, sizeof r->found);
    r->is_first = false;
}

// Turns at rest that would give those wanted; those that are none stay so. What was learnt may be
// noise: each goes so far at most, and by itself where the two cannot be told apart.
static void correct(const Response* r, const double wanted[2], double rest[2]) {
    const double(*by)[2] = r->by;
    double miss[2] = {wanted[0] - r->found[0], wanted[1] - r->found[1]};
    double det = by[0][0] * by[1][1] - by[0][1] * by[1][0];
    double way[2] = {miss[0] / fmax(LEAST_SHARE, by[0][0]), miss[1] / fmax(LEAST_SHARE, by[1][1])};
    if (det > LEAST_SHARE * LEAST_SHARE && rest[0] != 0.0 && rest[1] != 0.0) {
        way[0] = (by[1][1] * miss[0] - by[0][1] * miss[1]) / det;
        way[1] = (by[0][0] * miss[1] - by[1][0] * miss[0]) / det;
    }
    for (int i = 0; i < 2; ++i) {
        double next = rest[i] + fmin(FARTHEST, fmax(-FARTHEST, way[i]));
        rest[i] = rest[i] != 0.0 ? fmin(MOST_TURN, fmax(-MOST_TURN, next)) : 0.0;
    }
}

// The larger miss of the turns that hinges have; 1 where it is just small enough.
static double miss_of(const HedCurl* curl) {
    const double rest[2] = {curl->along, curl->across};
    double most = 0.0;
    for (int i = 0; i < 2; ++i) {
        double miss = fabs(curl->yarns[i] - curl->rods[i]) / (CLOSE * fabs(curl->rods[i]));
        most = rest[i] != 0.0 ? fmax(most, miss) : most;
    }
    return most;
}

// Where hinges start: at the rods' turns, or at none where these are noise in a swatch of so few
// stitches, or little beside those the other way.
static double first_turn(double turn, double other) {
    double size = fabs(turn) > fmax(LEAST_TURN, LITTLE * fabs(other)) ? fabs(turn) : 0.0;
    return copysign(fmin(MOST_TURN, size), turn);
}

// The best of a few rounds.
static HedStatus fit_net(const HedCurlDef* def, const HedNet* net, HedCurl* curl, HedError* error) {
    HedStatus status = HED_OK;
    Response response = {.is_first = true};
    HedCurl best = {0};
    double rest[2] = {first_turn(curl->rods[0], curl->rods[1]),
                      first_turn(curl->rods[1], curl->rods[0])};
    bool is_same = false;
    for (int k = 0; k < ROUNDS && !is_same; ++k) {
        curl->along = rest[0];
        curl->across = rest[1];
        HED_TRY(find_turns(def, net, curl, error));
        best = k == 0 || miss_of(curl) < miss_of(&best) ? *curl : best;
        if (miss_of(&best) <= 1.0) {
            break;
        }
        learn(&response, rest, curl->yarns);
        correct(&response, curl->rods, rest);
        is_same = fabs(rest[0] - curl->along) < SAME && fabs(rest[1] - curl->across) < SAME;
    }
    *curl = best;
done:
    return status;
}

static HedStatus fit(const HedCurlDef* def, HedCurl* curl, HedError* error) {
    HedStatus status = HED_OK;
    HedFabric fabric = {0};
    HedNet net = {0};
    HedNetDef net_def = hed_net_def_default();
    HED_TRY(make_fabric(def, &fabric, error));
    HED_TRY(hed_net_create(&fabric, &net_def, &net, error));
    HED_TRY(fit_net(def, &net, curl, error));
done:
    hed_net_free(&net);
    hed_fabric_free(&fabric);
    return status;
}

static HedStatus calibrate(const HedCurlDef* def, HedCurl* curl, HedError* error) {
    HedStatus status = HED_OK;
    Swatch swatch = {0};
    HED_TRY(find_stiffness(def, curl, error));
    HED_TRY(make_rods(def, 0.0, &swatch, error));
    if (swatch.net.hinge_count == 0) {
        HED_TRY(hed_fail(error, HED_UNSUPPORTED,
                         "curl needs stitches with neighbours on all sides, and this knit of "
                         "%d rows and %d stitches has none",
                         def->knit.rows, def->knit.stitches));
    }
    curl->is_quiet = curl->is_quiet && swatch.is_quiet;
    memcpy(curl->rods, swatch.turns.stitch, sizeof curl->rods);
    HED_TRY(fit(def, curl, error));
done:
    hed_net_free(&swatch.net);
    return status;
}

// A flat swatch in the pattern, or in stockinette.
static HedCurlDef as_swatch(const HedCurlDef* def) {
    HedCurlDef own = *def;
    if (!own.knit.pattern || own.knit.chart) {
        own.knit.pattern = "stockinette";
        own.knit.chart = NULL;
    }
    own.knit.is_round = own.knit.is_embedded = own.knit.is_periodic = false;
    return own;
}

bool hed_curl_is_known(const HedCurlDef* def) {
    HedCurlDef own = as_swatch(def);
    HedCurl curl;
    return hed_curl_find(&own, &curl);
}

HedStatus hed_curl_calibrate(const HedCurlDef* def, HedCurl* curl, HedError* error) {
    *curl = (HedCurl){0};
    if (def->stamp != STAMP) {
        return hed_fail(error, HED_INVALID, "HedCurlDef was not made by hed_curl_def_default()");
    }
    HedCurlDef own = as_swatch(def);
    if (hed_curl_find(&own, curl)) {
        return HED_OK;
    }
    HedStatus status = calibrate(&own, curl, error);
    if (status == HED_OK) {
        hed_curl_keep(&own, curl);
    }
    return status;
}
