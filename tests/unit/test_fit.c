// SPDX-License-Identifier: MIT
// label: slow
// Fits of decaying oscillations and of pulls: data made from known numbers gives these numbers.
#include "base/random.h"
#include "heddle/fit.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 30000 };

static const double PI = 3.14159265358979323846;

// What the data is made from.
typedef struct Truth {
    double frequency, ratio, amplitude, phase, mean, offset;
} Truth;

typedef struct Samples {
    double* time;
    double* value;
    int32_t count;
} Samples;

static double rate_of(Truth truth) {
    return 2.0 * PI * truth.frequency * truth.ratio / sqrt(1.0 - truth.ratio * truth.ratio);
}

static double truth_at(Truth truth, double s) {
    double swing = truth.amplitude * cos(2.0 * PI * truth.frequency * s + truth.phase);
    return truth.offset + exp(-rate_of(truth) * s) * (truth.mean + swing);
}

static Samples new_samples(int32_t count) {
    cr_assert_leq(count, MOST);
    Samples samples = {calloc((size_t)count + 1, sizeof(double)),
                       calloc((size_t)count + 1, sizeof(double)), count};
    cr_assert(samples.time && samples.value);
    return samples;
}

static void free_samples(Samples* samples) {
    free(samples->time);
    free(samples->value);
}

// Even samples, moved by up to `uneven` of a spacing, from time `start` on.
static Samples sample(Truth truth, double periods, double per_period, double start, double uneven) {
    Samples samples = new_samples((int32_t)(periods * per_period) + 1);
    for (int32_t i = 0; i < samples.count; ++i) {
        double shift = i > 0 ? uneven * (hed_random_uniform(3, 1, (uint64_t)i) - 0.5) : 0.0;
        double s = (i + shift) / per_period / truth.frequency;
        samples.time[i] = start + s;
        samples.value[i] = truth_at(truth, samples.time[i] - start);
    }
    return samples;
}

static HedDecay fit(Samples samples, HedDecayForm form) {
    HedDecay decay;
    HedError error;
    HedStatus status =
        hed_fit_decay(samples.time, samples.value, samples.count, form, &decay, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    return decay;
}

static void expect_near(const char* what, double found, double expected, double tolerance) {
    cr_assert(fabs(found - expected) <= tolerance, "%s is %.17g, expected %.17g, off by %.3g", what,
              found, expected, found - expected);
}

// Rounding of the data (1e-16 of its size) is all that stands between the fit and the truth; 1e-9
// leaves room for the condition of short and of strongly damped records.
static void expect_truth(const HedDecay* decay, Truth truth) {
    cr_assert_eq(decay->kind, HED_DECAY_OSCILLATION, "%s", decay->reason);
    cr_assert_str_empty(decay->reason);
    double scale = truth.amplitude + fabs(truth.mean);
    expect_near("frequency", decay->frequency.value, truth.frequency, 1e-9 * truth.frequency);
    expect_near("rate", decay->rate.value, rate_of(truth), 1e-9 * truth.frequency);
    expect_near("ratio", decay->ratio.value, truth.ratio, 1e-9);
    expect_near("amplitude", decay->amplitude.value, truth.amplitude, 1e-9 * scale);
    expect_near("mean", decay->mean.value, truth.mean, 1e-9 * scale);
    expect_near("offset", decay->offset.value, truth.offset, 1e-9 * (scale + fabs(truth.offset)));
    expect_near("phase", remainder(decay->phase.value - truth.phase, 2.0 * PI), 0.0, 1e-9);
    // No condition stands between data and residual: rounding alone, of a thousand samples.
    cr_assert_leq(decay->residual, 1e-10 * (scale + fabs(truth.offset)));
    // Its square, and the rounding of sums of squares.
    cr_assert_geq(decay->explained, 1.0 - 1e-12);
}

static void expect_exact(Truth truth, double periods, double per_period, double uneven) {
    Samples samples = sample(truth, periods, per_period, 0.0, uneven);
    HedDecay decay = fit(samples, truth.mean != 0.0 ? HED_DECAY_ENERGY : HED_DECAY_SWING);
    expect_truth(&decay, truth);
    free_samples(&samples);
}

Test(fit, damping_from_a_thousandth_to_almost_critical) {
    const double ratios[] = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9};
    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; ++i) {
        expect_exact((Truth){2.3, ratios[i], 0.04, 0.7, 0.0, 0.6}, 10.0, 24.0, 0.0);
        expect_exact((Truth){410.0, ratios[i], 3.0, -2.1, 0.0, -2.0}, 3.0, 40.0, 0.0);
    }
}

Test(fit, three_to_a_thousand_samples_a_period) {
    const double rates[] = {3.0, 4.0, 7.3, 20.0, 100.0, 333.0, 1000.0};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; ++i) {
        expect_exact((Truth){1.0, 0.02, 1.0, 1.1, 0.0, 0.1}, 12.0, rates[i], 0.0);
        expect_exact((Truth){0.05, 0.05, 1e-4, 3.0, 0.0, 0.0}, 15.0, rates[i], 0.0);
    }
}

Test(fit, few_periods) {
    for (double periods = 1.5; periods < 4.0; periods += 0.5) {
        for (double phase = -3.0; phase < 3.0; phase += 0.75) {
            expect_exact((Truth){5.0, 0.004, 0.2, phase, 0.0, 1.0}, periods, 30.0, 0.0);
            expect_exact((Truth){5.0, 0.2, 0.2, phase, 0.0, 1.0}, periods, 30.0, 0.0);
        }
    }
}

Test(fit, offsets_and_sizes) {
    expect_exact((Truth){2.0, 0.03, 1e-3, 0.5, 0.0, 50.0}, 8.0, 25.0, 0.0);
    expect_exact((Truth){2.0, 0.03, 1e-12, 0.5, 0.0, 0.0}, 8.0, 25.0, 0.0);
    expect_exact((Truth){2.0, 0.03, 1e12, 0.5, 0.0, -3e11}, 8.0, 25.0, 0.0);
    expect_exact((Truth){2e-6, 0.03, 1.0, 0.5, 0.0, 0.2}, 8.0, 25.0, 0.0);
    expect_exact((Truth){2e6, 0.03, 1.0, 0.5, 0.0, 0.2}, 8.0, 25.0, 0.0);
}

Test(fit, uneven_samples) {
    expect_exact((Truth){3.0, 0.02, 0.5, 0.2, 0.0, 0.1}, 10.0, 5.0, 0.9);
    expect_exact((Truth){3.0, 0.4, 0.5, 0.2, 0.0, 0.1}, 4.0, 30.0, 0.9);
    expect_exact((Truth){3.0, 0.001, 0.5, 0.2, 0.0, 0.1}, 60.0, 20.0, 0.9);
}

Test(fit, long_records) {
    // Slow all through, fast and gone after a hundredth of the record, fast all through.
    expect_exact((Truth){0.1, 0.01, 1.0, 0.3, 0.0, 0.1}, 10.0, 2500.0, 0.0);
    expect_exact((Truth){100.0, 0.05, 1.0, 0.3, 0.0, 0.1}, 1200.0, 10.0, 0.0);
    expect_exact((Truth){100.0, 0.00001, 1.0, 0.3, 0.0, 0.1}, 4000.0, 3.1, 0.0);
}

Test(fit, energies_decay_with_their_mean) {
    // Kinetic energy of a damped oscillation: (1 - cos) under one decay.
    expect_exact((Truth){4.0, 0.01, 0.5, PI - 0.1, 0.5, 0.0}, 12.0, 20.0, 0.0);
    expect_exact((Truth){4.0, 0.2, 0.5, 1.0, 0.7, 0.3}, 6.0, 40.0, 0.0);
}

Test(fit, numbers_are_those_at_the_first_sample) {
    Truth truth = {2.0, 0.05, 0.3, 0.4, 0.0, 0.1};
    Samples samples = sample(truth, 8.0, 32.0, 512.0, 0.0); // times that are exact
    HedDecay decay = fit(samples, HED_DECAY_SWING);
    cr_assert_eq(decay.start, 512.0);
    expect_truth(&decay, truth);
    for (int32_t i = 0; i < samples.count; ++i) {
        double t = samples.time[i];
        expect_near("curve", hed_decay_at(&decay, t), samples.value[i], 1e-11);
        double half = truth.amplitude * exp(-rate_of(truth) * (t - 512.0));
        expect_near("above", hed_decay_envelope(&decay, 1.0, t), truth.offset + half, 1e-10);
        expect_near("below", hed_decay_envelope(&decay, -1.0, t), truth.offset - half, 1e-10);
    }
    free_samples(&samples);
}

Test(fit, growth_is_a_negative_rate) {
    expect_exact((Truth){2.0, -0.02, 0.3, 0.4, 0.0, 0.1}, 10.0, 20.0, 0.0);
}

enum { SEEDS = 200, NUMBERS = 6 };

static void score(const HedDecay* decay, Truth truth, double z[NUMBERS]) {
    const HedEstimate* found[NUMBERS] = {&decay->frequency, &decay->rate,  &decay->ratio,
                                         &decay->amplitude, &decay->phase, &decay->offset};
    double expected[NUMBERS] = {truth.frequency, rate_of(truth), truth.ratio,
                                truth.amplitude, truth.phase,    truth.offset};
    for (int k = 0; k < NUMBERS; ++k) {
        z[k] = (found[k]->value - expected[k]) / found[k]->error;
    }
}

// Errors over standard errors are normal with deviation 1 if the standard errors are right. Of 1200
// numbers 0.3 % (3 or 4) lie beyond 3 and a count above 14 has a chance of 1e-5; mean and deviation
// of 200 are known to 0.07 and 0.05, so 4 of these are allowed.
Test(fit, standard_errors_are_honest) {
    Truth truth = {2.0, 0.03, 1.0, 0.4, 0.0, 0.3};
    double sum[NUMBERS] = {0};
    double squares[NUMBERS] = {0};
    int beyond = 0;
    for (uint64_t seed = 0; seed < SEEDS; ++seed) {
        Samples samples = sample(truth, 8.0, 20.0, 0.0, 0.0);
        for (int32_t i = 0; i < samples.count; ++i) {
            samples.value[i] += 0.1 * hed_random_normal(seed, 5, (uint64_t)i);
        }
        HedDecay decay = fit(samples, HED_DECAY_SWING);
        cr_assert_eq(decay.kind, HED_DECAY_OSCILLATION, "seed %d: %s", (int)seed, decay.reason);
        expect_near("residual", decay.residual, 0.1, 0.1 * 5.0 / sqrt(2.0 * 160.0));
        double z[NUMBERS];
        score(&decay, truth, z);
        for (int k = 0; k < NUMBERS; ++k) {
            sum[k] += z[k];
            squares[k] += z[k] * z[k];
            beyond += fabs(z[k]) > 3.0;
        }
        free_samples(&samples);
    }
    cr_assert_leq(beyond, 14, "%d of %d beyond 3 standard errors", beyond, SEEDS * NUMBERS);
    for (int k = 0; k < NUMBERS; ++k) {
        expect_near("mean of errors", sum[k] / SEEDS, 0.0, 0.28);
        expect_near("deviation of errors", sqrt(squares[k] / SEEDS), 1.0, 0.2);
    }
}

Test(fit, strong_damping_under_noise) {
    Truth truth = {2.0, 0.6, 1.0, 0.4, 0.0, 0.3};
    for (uint64_t seed = 0; seed < 8; ++seed) {
        Samples samples = sample(truth, 4.0, 100.0, 0.0, 0.5);
        for (int32_t i = 0; i < samples.count; ++i) {
            samples.value[i] += 0.01 * hed_random_normal(seed, 6, (uint64_t)i);
        }
        HedDecay decay = fit(samples, HED_DECAY_SWING);
        cr_assert_eq(decay.kind, HED_DECAY_OSCILLATION, "seed %d: %s", (int)seed, decay.reason);
        double z[NUMBERS];
        score(&decay, truth, z);
        for (int k = 0; k < NUMBERS; ++k) {
            // 48 numbers: one beyond 4 has a chance of 0.3 %, and the seeds are fixed.
            cr_assert_leq(fabs(z[k]), 4.0, "seed %d, number %d: %g", (int)seed, k, z[k]);
        }
        free_samples(&samples);
    }
}

Test(fit, over_damped_is_an_exponential) {
    Samples samples = new_samples(100);
    for (int32_t i = 0; i < samples.count; ++i) {
        samples.time[i] = 0.02 * i;
        samples.value[i] = 0.3 + 0.7 * exp(-3.0 * samples.time[i]);
    }
    HedDecay decay = fit(samples, HED_DECAY_SWING);
    cr_assert_eq(decay.kind, HED_DECAY_EXPONENTIAL, "%s: %s", hed_decay_name(decay.kind),
                 decay.reason);
    cr_assert(strstr(decay.reason, "over-damped") || strstr(decay.reason, "period"));
    expect_near("rate", decay.rate.value, 3.0, 3e-9);
    expect_near("mean", decay.mean.value, 0.7, 1e-9);
    expect_near("offset", decay.offset.value, 0.3, 1e-9);
    cr_assert(isnan(decay.frequency.value) && isnan(decay.ratio.value));
    expect_near("curve", hed_decay_at(&decay, 0.5), 0.3 + 0.7 * exp(-1.5), 1e-9);
    cr_assert(isnan(hed_decay_envelope(&decay, 1.0, 0.5)));
    // A real over-damped oscillator from rest has two rates, 1 and 9 here: near the slow one.
    for (int32_t i = 0; i < samples.count; ++i) {
        double t = samples.time[i] *= 3.0;
        samples.value[i] = (9.0 * exp(-t) - exp(-9.0 * t)) / 8.0;
    }
    decay = fit(samples, HED_DECAY_SWING);
    cr_assert_eq(decay.kind, HED_DECAY_EXPONENTIAL, "%s", decay.reason);
    expect_near("rate", decay.rate.value, 1.0, 0.15);
    free_samples(&samples);
}

static void expect_kind(Samples samples, HedDecayKind kind) {
    for (int form = 0; form < HED_DECAY_FORM_COUNT; ++form) {
        HedDecay decay = fit(samples, (HedDecayForm)form);
        cr_assert_eq(decay.kind, kind, "%s instead of %s: %s", hed_decay_name(decay.kind),
                     hed_decay_name(kind), decay.reason);
        cr_assert(decay.reason[0]);
        cr_assert(isnan(decay.frequency.value) && isnan(decay.rate.value));
        cr_assert(isnan(hed_decay_at(&decay, 0.1)));
        cr_assert(isnan(hed_decay_envelope(&decay, 1.0, 0.1)));
    }
}

Test(fit, noise_is_no_oscillation) {
    const int32_t counts[] = {8, 12, 20, 50, 200};
    int32_t taken = 0;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
        for (uint64_t seed = 0; seed < 40; ++seed) {
            Samples samples = new_samples(counts[c]);
            for (int32_t i = 0; i < samples.count; ++i) {
                samples.time[i] = 0.01 * i;
                samples.value[i] = hed_random_normal(seed, (uint64_t)c, (uint64_t)i);
            }
            HedDecay decay = fit(samples, HED_DECAY_SWING);
            taken += decay.kind != HED_DECAY_NONE;
            cr_assert(counts[c] < 50 || decay.kind == HED_DECAY_NONE, "%d samples, seed %d: %s",
                      counts[c], (int)seed, hed_decay_name(decay.kind));
            free_samples(&samples);
        }
    }
    // With three numbers more than parameters chance wins now and then.
    cr_assert_leq(taken, 20, "%d of 200 taken for a decay", taken);
}

Test(fit, drifts_and_steps_are_no_oscillation) {
    Samples samples = new_samples(60);
    for (int32_t i = 0; i < samples.count; ++i) {
        samples.time[i] = 0.1 * i;
        samples.value[i] = 3.0 + 0.2 * samples.time[i];
    }
    expect_kind(samples, HED_DECAY_NONE);
    for (int32_t i = 0; i < samples.count; ++i) {
        samples.value[i] = i == 31 ? 1.0 : 0.0;
    }
    expect_kind(samples, HED_DECAY_NONE);
    for (int32_t i = 0; i < samples.count; ++i) {
        samples.value[i] = sin(0.5 * PI * i / 60.0); // a quarter of a period
    }
    HedDecay decay = fit(samples, HED_DECAY_SWING);
    cr_assert_neq(decay.kind, HED_DECAY_OSCILLATION);
    free_samples(&samples);
}

Test(fit, constant_data) {
    Samples samples = new_samples(40);
    for (int32_t i = 0; i < samples.count; ++i) {
        samples.time[i] = i;
        samples.value[i] = 0.1;
    }
    expect_kind(samples, HED_DECAY_CONSTANT);
    cr_assert_eq(fit(samples, HED_DECAY_SWING).offset.error, 0.0);
    samples.value[7] = nextafter(0.1, 1.0);
    expect_kind(samples, HED_DECAY_CONSTANT);
    memset(samples.value, 0, sizeof(double) * 40);
    expect_kind(samples, HED_DECAY_CONSTANT);
    free_samples(&samples);
}

Test(fit, too_few_samples) {
    Samples samples = sample((Truth){1.0, 0.1, 1.0, 0.0, 0.0, 0.0}, 2.0, 4.0, 0.0, 0.0);
    for (int32_t count = 0; count < HED_DECAY_LEAST; ++count) {
        samples.count = count;
        expect_kind(samples, HED_DECAY_TOO_FEW);
    }
    free_samples(&samples);
}

static void expect_refused(Samples samples, const char* words) {
    HedDecay decay;
    HedError error;
    HedStatus status =
        hed_fit_decay(samples.time, samples.value, samples.count, HED_DECAY_SWING, &decay, &error);
    cr_assert_eq(status, HED_INVALID);
    cr_assert(strstr(error.message, words), "'%s' is not in '%s'", words, error.message);
    cr_assert(isnan(decay.frequency.value));
}

Test(fit, bad_samples_are_refused) {
    Samples samples = sample((Truth){1.0, 0.1, 1.0, 0.0, 0.0, 0.0}, 5.0, 10.0, 0.0, 0.0);
    double kept = samples.time[9];
    samples.time[9] = samples.time[8];
    expect_refused(samples, "must rise");
    samples.time[9] = (double)NAN;
    expect_refused(samples, "sample 9 is not finite");
    samples.time[9] = kept;
    samples.value[3] = (double)INFINITY;
    expect_refused(samples, "sample 3 is not finite");
    HedDecay decay;
    cr_assert_eq(hed_fit_decay(samples.time, samples.value, -1, HED_DECAY_SWING, &decay, NULL),
                 HED_INVALID);
    cr_assert_eq(hed_fit_decay(samples.time, samples.value, 9, (HedDecayForm)7, &decay, NULL),
                 HED_INVALID);
    free_samples(&samples);
}

// Values that change sign from sample to sample, one a second, swing at half the sampling rate.
static void expect_alternation(Samples samples, double amplitude) {
    HedDecay decay = fit(samples, HED_DECAY_SWING);
    cr_assert_eq(decay.kind, HED_DECAY_OSCILLATION, "%s", decay.reason);
    // The frequency is exact to a thousand roundings of 0.5. The amplitude follows from iterations
    // that end before it is: 8e-10 is left of values near the largest double.
    cr_assert_float_eq(decay.frequency.value, 0.5, 1e-13);
    // As above.
    cr_assert_float_eq(decay.amplitude.value / amplitude, 1.0, 1e-9);
}

Test(fit, huge_values_do_no_harm) {
    Samples samples = new_samples(50);
    for (int32_t i = 0; i < samples.count; ++i) {
        samples.time[i] = i;
        samples.value[i] = i % 2 ? 1.7e308 : -1.7e308;
    }
    expect_alternation(samples, 1.7e308);
    for (int32_t i = 0; i < samples.count; ++i) {
        samples.value[i] = i % 2 ? 5e-324 : -5e-324;
    }
    expect_alternation(samples, 5e-324);
    free_samples(&samples);
}

Test(fit, names) {
    cr_assert_str_eq(hed_decay_name(HED_DECAY_OSCILLATION), "oscillation");
    cr_assert_str_eq(hed_decay_name((HedDecayKind)99), "unknown");
}

Test(fit, ellipse_has_its_area) {
    // x = 1 - cos, y = x + 0.3 sin: the line gives nothing over a loop, the rest 0.3 pi.
    enum { COUNT = 2001 };
    double x[COUNT];
    double y[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        double a = 2.0 * PI * i / (COUNT - 1);
        x[i] = 1.0 - cos(a);
        y[i] = x[i] + 0.3 * sin(a);
    }
    HedPullTest load;
    cr_assert_eq(hed_fit_pull(x, y, COUNT, &load, NULL), HED_OK);
    cr_assert(load.is_closed);
    cr_assert_eq(load.turn, (COUNT - 1) / 2);
    // An inscribed polygon of n sides misses 2 pi^2 / (3 n^2) of the area.
    expect_near("area", load.work, 0.3 * PI, 0.3 * PI * 7.0 / (2000.0 * 2000.0));
    expect_near("loading", load.loading, 2.0 + 0.15 * PI, 1e-5);
    expect_near("returned", load.returned, 2.0 - 0.15 * PI, 1e-5);
}

Test(fit, slope_is_that_of_the_first_tenth) {
    enum { COUNT = 101 };
    double x[COUNT];
    double y[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        x[i] = 0.2 + 0.01 * i;
        y[i] = i <= 10 ? 40.0 * x[i] - 3.0 : 40.0 * x[10] - 3.0 + 1e3 * (x[i] - x[10]);
    }
    HedPullTest load;
    cr_assert_eq(hed_fit_pull(x, y, COUNT, &load, NULL), HED_OK);
    cr_assert(load.slope_count == 10 || load.slope_count == 11, "%d", load.slope_count);
    expect_near("slope", load.slope.value, 40.0, 1e-10);
    // The samples of the tenth lie on the line, but for rounding of numbers of 10 by 2e-15.
    cr_assert_leq(load.slope.error, 1e-10);
    cr_assert(load.last_count == 10 || load.last_count == 11, "%d", load.last_count);
    expect_near("last slope", load.last_slope.value, 1e3, 1e-8);
    cr_assert(!load.is_closed);
    cr_assert_eq(load.turn, COUNT - 1);
    expect_near("returned", load.returned, 0.0, 0.0);
    // Hooke: half of force times way.
    for (int i = 0; i < COUNT; ++i) {
        y[i] = 7.0 * (x[i] - 0.2);
    }
    cr_assert_eq(hed_fit_pull(x, y, COUNT, &load, NULL), HED_OK);
    expect_near("work", load.work, 3.5, 1e-12);
}

Test(fit, loads_that_say_little) {
    double x[4] = {1.0, 1.0, 1.0, 1.0};
    double y[4] = {1.0, 2.0, 3.0, 4.0};
    HedPullTest load;
    HedError error;
    cr_assert_eq(hed_fit_pull(x, y, 4, &load, NULL), HED_OK);
    cr_assert(isnan(load.slope.value) && load.slope_count == 0 && load.work == 0.0);
    cr_assert(isnan(load.last_slope.value) && load.last_count == 0);
    cr_assert_eq(hed_fit_pull(x, y, 1, &load, &error), HED_INVALID);
    cr_assert(strstr(error.message, "at least 2"));
    y[2] = (double)NAN;
    cr_assert_eq(hed_fit_pull(x, y, 4, &load, &error), HED_INVALID);
    cr_assert(strstr(error.message, "sample 2"));
    y[2] = 3.0;
    x[1] = 2.0;
    cr_assert_eq(hed_fit_pull(x, y, 2, &load, NULL), HED_OK);
    cr_assert(isnan(load.slope.value), "two samples have no slope with an error");
}

Test(fit, component_along_the_farthest) {
    // Along (3, 4, 0) / 5, forth and back, with a constant across it.
    const double xyz[] = {0, 0, 0, 3, 4, 0, 6, 8, 0, -3, -4, 0, 0, 0, 2, NAN, 0, 0};
    const double origin[3] = {0};
    double parts[6];
    hed_fit_component(xyz, 6, origin, parts);
    const double expected[] = {0.0, 5.0, 10.0, -5.0, 0.0};
    for (int i = 0; i < 5; ++i) {
        expect_near("part", parts[i], expected[i], 1e-14);
    }
    cr_assert(isnan(parts[5]));
    const double same[] = {1, 1, 1, 1, 1, 1};
    const double one[3] = {1, 1, 1};
    hed_fit_component(same, 2, one, parts);
    cr_assert(parts[0] == 0.0 && parts[1] == 0.0);
}
