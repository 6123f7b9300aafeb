// SPDX-License-Identifier: MIT
#include "scene/units.h"
#include "heddle/weave.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A unit is numerator / denominator SI units. Two exact integers instead of one rounded factor let
// "0.3 mm" become 0.3 / 1000, the same double as 0.0003.
typedef struct Unit {
    const char* name;
    double numerator;
    double denominator;
    HedDimension dimension;
} Unit;

#define PI 3.14159265358979323846

static const Unit UNITS[] = {
    {"m", 1, 1, {1, 0, 0}},           {"km", 1000, 1, {1, 0, 0}},
    {"cm", 1, 100, {1, 0, 0}},        {"mm", 1, 1000, {1, 0, 0}},
    {"um", 1, 1e6, {1, 0, 0}},        {"nm", 1, 1e9, {1, 0, 0}},
    {"in", 254, 1e4, {1, 0, 0}},      {"ft", 3048, 1e4, {1, 0, 0}},
    {"yd", 9144, 1e4, {1, 0, 0}},     {"kg", 1, 1, {0, 1, 0}},
    {"g", 1, 1000, {0, 1, 0}},        {"mg", 1, 1e6, {0, 1, 0}},
    {"lb", 45359237, 1e8, {0, 1, 0}}, {"oz", 28349523125, 1e12, {0, 1, 0}},
    {"s", 1, 1, {0, 0, 1}},           {"ms", 1, 1000, {0, 0, 1}},
    {"us", 1, 1e6, {0, 0, 1}},        {"min", 60, 1, {0, 0, 1}},
    {"h", 3600, 1, {0, 0, 1}},        {"N", 1, 1, {1, 1, -2}},
    {"kN", 1000, 1, {1, 1, -2}},      {"cN", 1, 100, {1, 1, -2}},
    {"mN", 1, 1000, {1, 1, -2}},      {"uN", 1, 1e6, {1, 1, -2}},
    {"gf", 980665, 1e8, {1, 1, -2}},  {"kgf", 980665, 1e5, {1, 1, -2}},
    {"dyn", 1, 1e5, {1, 1, -2}},      {"lbf", 44482216152605, 1e13, {1, 1, -2}},
    {"Pa", 1, 1, {-1, 1, -2}},        {"kPa", 1000, 1, {-1, 1, -2}},
    {"MPa", 1e6, 1, {-1, 1, -2}},     {"GPa", 1e9, 1, {-1, 1, -2}},
    {"J", 1, 1, {2, 1, -2}},          {"mJ", 1, 1000, {2, 1, -2}},
    {"W", 1, 1, {2, 1, -3}},          {"Hz", 1, 1, {0, 0, -1}},
    {"tex", 1, 1e6, {-1, 1, 0}},      {"dtex", 1, 1e7, {-1, 1, 0}},
    {"den", 1, 9e6, {-1, 1, 0}},      {"denier", 1, 9e6, {-1, 1, 0}},
    {"rad", 1, 1, {0, 0, 0}},         {"deg", PI, 180, {0, 0, 0}},
    {"turn", 2 * PI, 1, {0, 0, 0}},   {"%", 1, 100, {0, 0, 0}},
};

enum { UNIT_COUNT = sizeof UNITS / sizeof UNITS[0], EXPONENT_LIMIT = 9, DIMENSION_LIMIT = 60 };

static const struct {
    HedDimension dimension;
    const char* name;
    const char* unit;
} NAMED[] = {
    {{0, 0, 0}, "plain number", ""},
    {{1, 0, 0}, "length", "m"},
    {{2, 0, 0}, "area", "m^2"},
    {{3, 0, 0}, "volume", "m^3"},
    {{0, 1, 0}, "mass", "kg"},
    {{0, 0, 1}, "time", "s"},
    {{0, 0, -1}, "1/time", "1/s"},
    {{-1, 0, 0}, "1/length", "1/m"},
    {{1, 0, -1}, "velocity", "m/s"},
    {{1, 0, -2}, "acceleration", "m/s^2"},
    {{-1, 1, 0}, "mass/length", "kg/m"},
    {{-2, 1, 0}, "mass/area", "kg/m^2"},
    {{-3, 1, 0}, "mass/volume", "kg/m^3"},
    {{1, 1, -2}, "force", "N"},
    {{0, 1, -2}, "force/length", "N/m"},
    {{-1, 1, -2}, "pressure", "Pa"},
    {{-2, 1, -2}, "force/volume", "N/m^3"},
    {{2, 1, -2}, "moment or energy", "N*m"},
    {{3, 1, -2}, "bending stiffness", "N*m^2"},
    {{2, 1, -3}, "power", "W"},
};

enum { NAMED_COUNT = sizeof NAMED / sizeof NAMED[0] };

const char* hed_unit_name(int32_t index) {
    return index >= 0 && index < UNIT_COUNT ? UNITS[index].name : NULL;
}

bool hed_dimension_equal(HedDimension a, HedDimension b) {
    return a.m == b.m && a.kg == b.kg && a.s == b.s;
}

// "kg^2 m^-1", the units joined by `glue`.
static const char* spell_out(HedDimension d, const char* glue, char buffer[HED_DIMENSION_TEXT]) {
    const char* const names[3] = {"kg", "m", "s"};
    const int powers[3] = {d.kg, d.m, d.s};
    size_t used = 0;
    buffer[0] = '\0';
    for (int i = 0; i < 3; ++i) {
        if (powers[i] == 0) {
            continue;
        }
        const char* before = used ? glue : "";
        int wrote = powers[i] == 1 ? snprintf(buffer + used, HED_DIMENSION_TEXT - used, "%s%s",
                                              before, names[i])
                                   : snprintf(buffer + used, HED_DIMENSION_TEXT - used, "%s%s^%d",
                                              before, names[i], powers[i]);
        used += (size_t)wrote;
    }
    return buffer;
}

const char* hed_dimension_name(HedDimension dimension, char buffer[HED_DIMENSION_TEXT]) {
    for (int i = 0; i < NAMED_COUNT; ++i) {
        if (hed_dimension_equal(NAMED[i].dimension, dimension)) {
            snprintf(buffer, HED_DIMENSION_TEXT, "%s", NAMED[i].name);
            return buffer;
        }
    }
    return spell_out(dimension, " ", buffer);
}

const char* hed_dimension_unit(HedDimension dimension, char buffer[HED_DIMENSION_TEXT]) {
    for (int i = 0; i < NAMED_COUNT; ++i) {
        if (hed_dimension_equal(NAMED[i].dimension, dimension)) {
            snprintf(buffer, HED_DIMENSION_TEXT, "%s", NAMED[i].unit);
            return buffer;
        }
    }
    return spell_out(dimension, "*", buffer);
}

const char* hed_quantity_format(double value, HedDimension dimension,
                                char buffer[HED_DIMENSION_TEXT + HED_NUMBER_TEXT]) {
    char number[HED_NUMBER_TEXT];
    char unit[HED_DIMENSION_TEXT];
    hed_format_double(value, number);
    hed_dimension_unit(dimension, unit);
    snprintf(buffer, HED_DIMENSION_TEXT + HED_NUMBER_TEXT, "%s%s%s", number, unit[0] ? " " : "",
             unit);
    return buffer;
}

// Where reading stands; numerator / denominator is the value so far.
typedef struct UnitReader {
    const char* next;
    const char* end;
    double numerator;
    double denominator;
    int power[3]; // m, kg, s
    bool has_unit;
    char* message;
} UnitReader;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || (unsigned char)c >= 128;
}

static void skip_blanks(UnitReader* r) {
    while (r->next < r->end && (*r->next == ' ' || *r->next == '\t')) {
        ++r->next;
    }
}

static bool at(const UnitReader* r, char c) {
    return r->next < r->end && *r->next == c;
}

// The longest run from `start` that has the form of a decimal number; its end, or start if none.
static const char* number_end(const char* start, const char* end) {
    const char* c = start;
    if (c < end && (*c == '+' || *c == '-')) {
        ++c;
    }
    const char* digits = c;
    int count = 0;
    while (c < end && (is_digit(*c) || *c == '.')) {
        count += is_digit(*c);
        ++c;
    }
    if (count == 0) {
        return start;
    }
    if (digits + 1 < end && *digits == '0' && is_digit(digits[1])) {
        return start;
    }
    const char* mark = c;
    if (c < end && (*c == 'e' || *c == 'E')) {
        ++c;
        if (c < end && (*c == '+' || *c == '-')) {
            ++c;
        }
        if (c < end && is_digit(*c)) {
            while (c < end && is_digit(*c)) {
                ++c;
            }
            mark = c;
        }
    }
    return mark;
}

static bool take_number(UnitReader* r, double* value) {
    const char* stop = number_end(r->next, r->end);
    HedSpan span = {r->next, (int32_t)(stop - r->next)};
    if (span.size == 0) {
        snprintf(r->message, HED_UNIT_MESSAGE, "expected a number");
        return false;
    }
    if (!hed_span_double(span, value)) {
        snprintf(r->message, HED_UNIT_MESSAGE, "expected a finite number");
        return false;
    }
    r->next = stop;
    return true;
}

// A number or a fraction of two: 2.5e-3, -1/24000.
static bool take_fraction(UnitReader* r) {
    if (!take_number(r, &r->numerator)) {
        return false;
    }
    const char* slash = r->next;
    while (slash < r->end && *slash == ' ') {
        ++slash;
    }
    if (slash >= r->end || *slash != '/') {
        return true;
    }
    const char* below = slash + 1;
    while (below < r->end && *below == ' ') {
        ++below;
    }
    if (below >= r->end || !(is_digit(*below) || *below == '.')) {
        return true; // "5 /s": the slash belongs to the unit
    }
    r->next = below;
    if (!take_number(r, &r->denominator)) {
        return false;
    }
    if (r->denominator == 0.0) {
        snprintf(r->message, HED_UNIT_MESSAGE, "division by zero");
        return false;
    }
    return true;
}

static bool take_exponent(UnitReader* r, int* exponent) {
    *exponent = 1;
    skip_blanks(r);
    if (!at(r, '^')) {
        return true;
    }
    ++r->next;
    skip_blanks(r);
    bool negative = at(r, '-');
    r->next += negative || at(r, '+');
    if (r->next >= r->end || !is_digit(*r->next) ||
        (r->next + 1 < r->end && (is_digit(r->next[1]) || r->next[1] == '.'))) {
        snprintf(r->message, HED_UNIT_MESSAGE, "an exponent must be a whole number from -%d to %d",
                 EXPONENT_LIMIT, EXPONENT_LIMIT);
        return false;
    }
    *exponent = (*r->next - '0') * (negative ? -1 : 1);
    ++r->next;
    return true;
}

static const Unit* find_unit(HedSpan name) {
    for (int i = 0; i < UNIT_COUNT; ++i) {
        if (hed_span_equal(name, UNITS[i].name)) {
            return &UNITS[i];
        }
    }
    return NULL;
}

// The known unit nearest to a name that is none, or NULL.
static const char* nearest_unit(HedSpan name) {
    char word[16];
    if (name.size >= (int32_t)sizeof word) {
        return NULL;
    }
    memcpy(word, name.data, (size_t)name.size);
    word[name.size] = '\0';
    const char* best = NULL;
    int32_t least = name.size > 2 ? 3 : 2;
    for (int i = 0; i < UNIT_COUNT; ++i) {
        int32_t distance = hed_text_distance(word, UNITS[i].name);
        if (distance < least) {
            least = distance;
            best = UNITS[i].name;
        }
    }
    return best;
}

static bool refuse_unit(UnitReader* r, HedSpan name) {
    const char* guess = nearest_unit(name);
    snprintf(r->message, HED_UNIT_MESSAGE, "unknown unit '%.*s'%s%s%s",
             (int)(name.size < 40 ? name.size : 40), name.data, guess ? ", did you mean '" : "",
             guess ? guess : "", guess ? "'?" : "");
    return false;
}

static bool take_unit(UnitReader* r, int sign) {
    const char* start = r->next;
    while (r->next < r->end &&
           (is_letter(*r->next) || *r->next == '_' || (r->next > start && is_digit(*r->next)))) {
        ++r->next;
    }
    HedSpan name = {start, (int32_t)(r->next - start)};
    if (name.size == 0) {
        snprintf(r->message, HED_UNIT_MESSAGE, "expected a unit at '%.*s'",
                 (int)(r->end - start < 40 ? r->end - start : 40), start);
        return false;
    }
    const Unit* unit = find_unit(name);
    if (!unit) {
        return refuse_unit(r, name);
    }
    int exponent = 0;
    if (!take_exponent(r, &exponent)) {
        return false;
    }
    exponent *= sign;
    for (int i = 0; i < exponent; ++i) {
        r->numerator *= unit->numerator;
        r->denominator *= unit->denominator;
    }
    for (int i = 0; i > exponent; --i) {
        r->numerator *= unit->denominator;
        r->denominator *= unit->numerator;
    }
    r->power[0] += exponent * unit->dimension.m;
    r->power[1] += exponent * unit->dimension.kg;
    r->power[2] += exponent * unit->dimension.s;
    r->has_unit = true;
    for (int i = 0; i < 3; ++i) {
        if (r->power[i] > DIMENSION_LIMIT || r->power[i] < -DIMENSION_LIMIT) {
            snprintf(r->message, HED_UNIT_MESSAGE, "an exponent of the unit is out of all bounds");
            return false;
        }
    }
    return true;
}

// unit { ("*" | "/") unit }, where the first may be left out before "/" or be "1".
static bool take_units(UnitReader* r) {
    skip_blanks(r);
    if (r->next >= r->end) {
        return true;
    }
    if (at(r, '1') && r->next + 1 < r->end && r->next[1] == '/') {
        ++r->next;
    }
    if (!at(r, '/') && !take_unit(r, 1)) {
        return false;
    }
    for (;;) {
        skip_blanks(r);
        if (r->next >= r->end) {
            return true;
        }
        if (!at(r, '*') && !at(r, '/')) {
            snprintf(r->message, HED_UNIT_MESSAGE, "expected '*' or '/' between units at '%.*s'",
                     (int)(r->end - r->next < 40 ? r->end - r->next : 40), r->next);
            return false;
        }
        int sign = at(r, '/') ? -1 : 1;
        ++r->next;
        skip_blanks(r);
        if (!take_unit(r, sign)) {
            return false;
        }
    }
}

bool hed_quantity_parse(HedSpan text, HedAmount* quantity, char message[HED_UNIT_MESSAGE]) {
    text = hed_span_trim(text);
    UnitReader r = {
        .next = text.data, .end = text.data + text.size, .denominator = 1.0, .message = message};
    message[0] = '\0';
    if (!take_fraction(&r) || !take_units(&r)) {
        return false;
    }
    double value = r.numerator / r.denominator;
    if (!isfinite(value)) {
        snprintf(message, HED_UNIT_MESSAGE, "the number is too large");
        return false;
    }
    *quantity = (HedAmount){
        .value = value,
        .dimension = {(int8_t)r.power[0], (int8_t)r.power[1], (int8_t)r.power[2]},
        .has_unit = r.has_unit,
    };
    return true;
}

static const char* article(const char* noun) {
    return strchr("aeiou", noun[0]) ? "an" : "a";
}

// "Ne 20", "2/34 Nm" where a mass by length is asked for.
static bool read_yarn_count(HedSpan text, HedDimension expected, double* value) {
    char copy[48] = {0};
    text = hed_span_trim(text);
    if (!hed_dimension_equal(expected, HED_DIM_LINEAR_DENSITY) ||
        text.size >= (int32_t)sizeof copy) {
        return false;
    }
    memcpy(copy, text.data, (size_t)text.size);
    return hed_yarn_count_parse(copy, value, NULL) == HED_OK;
}

bool hed_quantity_read(HedSpan text, HedDimension expected, double* value,
                       char message[HED_UNIT_MESSAGE]) {
    HedAmount quantity;
    if (read_yarn_count(text, expected, value)) {
        return true;
    }
    if (!hed_quantity_parse(text, &quantity, message)) {
        return false;
    }
    if (quantity.has_unit && !hed_dimension_equal(quantity.dimension, expected)) {
        char wanted[HED_DIMENSION_TEXT];
        char found[HED_DIMENSION_TEXT];
        hed_dimension_name(expected, wanted);
        hed_dimension_name(quantity.dimension, found);
        text = hed_span_trim(text);
        snprintf(message, HED_UNIT_MESSAGE, "expected %s %s, got %s (%.*s)", article(wanted),
                 wanted, found, (int)(text.size < 40 ? text.size : 40), text.data);
        return false;
    }
    *value = quantity.value;
    return true;
}
