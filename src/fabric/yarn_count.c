// SPDX-License-Identifier: MIT
// Yarn counts: mass by length (tex, dtex, denier) and length by mass (Ne, Nm).
#define _POSIX_C_SOURCE 200809L // strnlen
#include "base/status.h"
#include "base/text.h"
#include "base/words.h"
#include "heddle/weave.h"

#include <math.h>
#include <string.h>

typedef struct CountUnit {
    const char* name; // in lower case
    bool is_indirect; // length by mass: the higher, the finer
    double factor;    // kg/m of count 1
} CountUnit;

// Ne: hanks of 840 yards in a pound. Nm: kilometres in a kilogram.
static const CountUnit UNITS[] = {
    {"tex", false, 1e-6},
    {"dtex", false, 1e-7},
    {"ktex", false, 1e-3},
    {"den", false, 1.0 / 9e6},
    {"denier", false, 1.0 / 9e6},
    {"ne", true, 0.45359237 / (840.0 * 0.9144)},
    {"nec", true, 0.45359237 / (840.0 * 0.9144)},
    {"nm", true, 1e-3},
};

static const CountUnit* find_unit(HedSpan word) {
    char text[12] = {0};
    if (word.size >= (int32_t)sizeof text) {
        return NULL;
    }
    memcpy(text, word.data, (size_t)word.size);
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; ++i) {
        if (hed_same_word(text, UNITS[i].name)) {
            return &UNITS[i];
        }
    }
    return NULL;
}

// "34", or "2/34" and "34/2" for a yarn of two that are twisted: the smaller number is that of
// yarns, but for tex, where "20/2" means two yarns of 20 as well.
static bool read_count(HedSpan word, double* value, double* plies) {
    const char* slash = memchr(word.data, '/', (size_t)word.size);
    *plies = 1.0;
    if (!slash) {
        return hed_span_double(word, value) && *value > 0.0;
    }
    HedSpan first = {word.data, (int32_t)(slash - word.data)};
    HedSpan second = {slash + 1, word.size - first.size - 1};
    double a, b;
    if (!hed_span_double(first, &a) || !hed_span_double(second, &b) || !(a > 0.0) || !(b > 0.0)) {
        return false;
    }
    *value = fmax(a, b);
    *plies = fmin(a, b);
    return *plies == floor(*plies);
}

// The number may be glued to its unit: "30tex", "Ne20".
static bool split_glued(HedSpan word, HedSpan* number, HedSpan* unit) {
    int32_t at = 0;
    if (word.size > 2 && strchr("nN", word.data[0]) && strchr("0123456789", word.data[2])) {
        *unit = (HedSpan){word.data, 2};
        *number = (HedSpan){word.data + 2, word.size - 2};
        return true;
    }
    while (at < word.size && strchr("0123456789.+-/", word.data[at])) {
        ++at;
    }
    *number = (HedSpan){word.data, at};
    *unit = (HedSpan){word.data + at, word.size - at};
    return at > 0 && at < word.size;
}

HedStatus hed_yarn_count_parse(const char* text, double* linear_density, HedError* error) {
    HedSpan rest = {text, (int32_t)strnlen(text, 1000)};
    HedSpan first = {0}, second = {0}, third = {0};
    bool is_complete = hed_span_word(&rest, &first);
    is_complete = is_complete &&
                  (hed_span_word(&rest, &second) || split_glued(first, &first, &second)) &&
                  !hed_span_word(&rest, &third);
    double value = 0.0, plies = 1.0;
    const CountUnit* unit = is_complete ? find_unit(second) : NULL;
    if (unit) {
        is_complete = read_count(first, &value, &plies);
    } else if (is_complete) {
        unit = find_unit(first); // "Ne 20"
        is_complete = unit && read_count(second, &value, &plies);
    }
    double density = 0.0;
    if (is_complete) {
        density = plies * (unit->is_indirect ? unit->factor / value : unit->factor * value);
    }
    if (!(density > 0.0) || !isfinite(density)) {
        return hed_fail(error, HED_INVALID,
                        "expected a yarn count such as '30 tex', '150 den', 'Ne 20' or '2/34 Nm', "
                        "got '%s'",
                        hed_quote((HedSpan){text, (int32_t)strnlen(text, 1000)}).text);
    }
    *linear_density = density;
    return HED_OK;
}

double hed_yarn_diameter(double linear_density, double yarn_density) {
    return 2.0 * sqrt(linear_density / (yarn_density * 3.14159265358979323846));
}
