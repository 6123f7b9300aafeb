// SPDX-License-Identifier: MIT
#include "scene/units.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static HedSpan span(const char* text) {
    return (HedSpan){text, (int32_t)strlen(text)};
}

static HedAmount parse(const char* text) {
    HedAmount quantity = {0};
    char message[HED_UNIT_MESSAGE];
    cr_assert(hed_quantity_parse(span(text), &quantity, message), "%s: %s", text, message);
    return quantity;
}

static void expect(const char* text, double value, HedDimension dimension) {
    HedAmount quantity = parse(text);
    // One rounding of the number, one of the factor, one of the division: 3 half units.
    double tolerance = 3.0 * 0x1p-53 * fabs(value);
    cr_expect(fabs(quantity.value - value) <= tolerance, "%s: %.17g, expected %.17g", text,
              quantity.value, value);
    cr_expect(hed_dimension_equal(quantity.dimension, dimension), "%s: m%d kg%d s%d", text,
              quantity.dimension.m, quantity.dimension.kg, quantity.dimension.s);
}

static void refuse(const char* text, const char* why) {
    HedAmount quantity;
    char message[HED_UNIT_MESSAGE] = "";
    cr_expect(!hed_quantity_parse(span(text), &quantity, message), "%s was taken", text);
    cr_expect(strstr(message, why), "%s: '%s', expected '%s'", text, message, why);
}

// lint: long, one line per unit
// Values by the definitions of the units (international yard and pound 1959, standard gravity,
// tex = g/km, denier = g/(9 km)).
Test(units, every_unit) {
    static const struct {
        const char* name;
        double value;
        HedDimension dimension;
    } CASES[] = {
        {"m", 1, {1, 0, 0}},
        {"km", 1e3, {1, 0, 0}},
        {"cm", 0.01, {1, 0, 0}},
        {"mm", 1e-3, {1, 0, 0}},
        {"um", 1e-6, {1, 0, 0}},
        {"nm", 1e-9, {1, 0, 0}},
        {"in", 0.0254, {1, 0, 0}},
        {"ft", 0.3048, {1, 0, 0}},
        {"yd", 0.9144, {1, 0, 0}},
        {"kg", 1, {0, 1, 0}},
        {"g", 1e-3, {0, 1, 0}},
        {"mg", 1e-6, {0, 1, 0}},
        {"lb", 0.45359237, {0, 1, 0}},
        {"oz", 0.45359237 / 16, {0, 1, 0}},
        {"s", 1, {0, 0, 1}},
        {"ms", 1e-3, {0, 0, 1}},
        {"us", 1e-6, {0, 0, 1}},
        {"min", 60, {0, 0, 1}},
        {"h", 3600, {0, 0, 1}},
        {"N", 1, {1, 1, -2}},
        {"kN", 1e3, {1, 1, -2}},
        {"cN", 0.01, {1, 1, -2}},
        {"mN", 1e-3, {1, 1, -2}},
        {"uN", 1e-6, {1, 1, -2}},
        {"gf", 9.80665e-3, {1, 1, -2}},
        {"kgf", 9.80665, {1, 1, -2}},
        {"dyn", 1e-5, {1, 1, -2}},
        {"lbf", 0.45359237 * 9.80665, {1, 1, -2}},
        {"Pa", 1, {-1, 1, -2}},
        {"kPa", 1e3, {-1, 1, -2}},
        {"MPa", 1e6, {-1, 1, -2}},
        {"GPa", 1e9, {-1, 1, -2}},
        {"J", 1, {2, 1, -2}},
        {"mJ", 1e-3, {2, 1, -2}},
        {"W", 1, {2, 1, -3}},
        {"Hz", 1, {0, 0, -1}},
        {"tex", 1e-6, {-1, 1, 0}},
        {"dtex", 1e-7, {-1, 1, 0}},
        {"den", 1e-6 / 9, {-1, 1, 0}},
        {"denier", 1e-6 / 9, {-1, 1, 0}},
        {"rad", 1, {0, 0, 0}},
        {"deg", 3.14159265358979323846 / 180, {0, 0, 0}},
        {"turn", 2 * 3.14159265358979323846, {0, 0, 0}},
        {"%", 0.01, {0, 0, 0}},
    };
    int32_t count = (int32_t)(sizeof CASES / sizeof CASES[0]);
    for (int32_t i = 0; i < count; ++i) {
        char text[32];
        snprintf(text, sizeof text, "1 %s", CASES[i].name);
        expect(text, CASES[i].value, CASES[i].dimension);
        snprintf(text, sizeof text, "2.5%s", CASES[i].name);
        expect(text, 2.5 * CASES[i].value, CASES[i].dimension);
    }
    int32_t known = 0;
    while (hed_unit_name(known)) {
        ++known;
    }
    cr_expect_eq(known, count, "%d units, %d tested", (int)known, (int)count);
    cr_expect_null(hed_unit_name(-1));
}

Test(units, expressions) {
    expect("0.125 mm", 0.000125, HED_DIM_LENGTH);
    expect("1/24000 s", 1.0 / 24000, HED_DIM_TIME);
    expect("150 g/m^2", 0.15, HED_DIM_AREA_DENSITY);
    expect("0.05 gf*cm^2/cm", 0.05 * 9.80665e-3 * 0.01, HED_DIM_MOMENT);
    expect("30 tex", 30e-6, (HedDimension){-1, 1, 0});
    expect("45 deg", 0.78539816339744830962, HED_DIM_NONE);
    expect("-9.81 m/s^2", -9.81, HED_DIM_ACCELERATION);
    expect("2.5e-3", 2.5e-3, HED_DIM_NONE);
    expect("5 %", 0.05, HED_DIM_NONE);
    expect("0.5 1/s", 0.5, HED_DIM_RATE);
    expect("5/s", 5, HED_DIM_RATE);
    expect("5 /s", 5, HED_DIM_RATE);
    expect("1/2/s", 0.5, HED_DIM_RATE);
    expect("1/s", 1, HED_DIM_RATE);
    expect("3 s^-1", 3, HED_DIM_RATE);
    expect("2 kg * m / s ^ 2", 2, (HedDimension){1, 1, -2});
    expect("9 m/s/s", 9, HED_DIM_ACCELERATION);
    expect("  7   m  ", 7, HED_DIM_LENGTH);
    expect("1 / 4 m", 0.25, HED_DIM_LENGTH);
    expect("1e-3m", 1e-3, HED_DIM_LENGTH);
    expect("+.5 m", 0.5, HED_DIM_LENGTH);
    expect("3 m^0", 3, HED_DIM_NONE);
    cr_expect(!parse("4").has_unit);
    cr_expect(parse("4 deg").has_unit);
}

// A decimal number with a decimal prefix is the double nearest to it.
Test(units, decimal_prefixes_are_exact) {
    cr_expect_eq(parse("0.3 mm").value, 0.0003);
    cr_expect_eq(parse("150 g/m^2").value, 0.15);
    cr_expect_eq(parse("0.1 ms").value, 0.0001);
    cr_expect_eq(parse("7 cN").value, 0.07);
}

Test(units, refused) {
    refuse("", "expected a number");
    refuse("mm", "expected a number");
    refuse("abc", "expected a number");
    refuse(".nan", "expected a number");
    refuse(".inf", "expected a number");
    refuse("nan", "expected a number");
    refuse("-", "expected a number");
    refuse("010", "expected a number");
    refuse("1e999", "finite");
    refuse("1.2.3 m", "finite");
    refuse("1e300 km^9", "too large");
    refuse("1/0 s", "division by zero");
    refuse("0x10", "unknown unit 'x10'");
    refuse("5 mmm", "unknown unit 'mmm', did you mean 'mm'?");
    refuse("5 newton", "unknown unit 'newton'");
    refuse("5 Ne", "unknown unit 'Ne'");
    refuse("1_000", "unknown unit '_000'");
    refuse("5 m^", "exponent");
    refuse("5 m^x", "exponent");
    refuse("5 m^10", "exponent");
    refuse("5 m^1.5", "exponent");
    refuse("5 m^9*m^9*m^9*m^9*m^9*m^9*m^9", "out of all bounds");
    refuse("5 m s", "expected '*' or '/'");
    refuse("5 m*", "expected a unit");
    refuse("5 (m)", "expected a unit");
    refuse("5 m,", "expected '*' or '/'");
}

Test(units, dimension_is_checked) {
    double value = 0.0;
    char message[HED_UNIT_MESSAGE];
    cr_expect(!hed_quantity_read(span("150 g/m^2"), HED_DIM_LENGTH, &value, message));
    cr_expect_str_eq(message, "expected a length, got mass/area (150 g/m^2)");
    cr_expect(!hed_quantity_read(span("3 mm"), HED_DIM_ACCELERATION, &value, message));
    cr_expect_str_eq(message, "expected an acceleration, got length (3 mm)");
    cr_expect(!hed_quantity_read(span("3 kg^2/m"), HED_DIM_NONE, &value, message));
    cr_expect_str_eq(message, "expected a plain number, got kg^2 m^-1 (3 kg^2/m)");
    cr_expect(!hed_quantity_read(span("90 deg"), HED_DIM_LENGTH, &value, message));
    cr_expect(hed_quantity_read(span("3"), HED_DIM_LENGTH, &value, message));
    cr_expect_eq(value, 3.0);
    cr_expect(hed_quantity_read(span("2 J"), HED_DIM_MOMENT, &value, message));
}

Test(units, format_reads_back) {
    static const HedDimension DIMENSIONS[] = {{0, 0, 0},  {1, 0, 0},  {0, 0, 1},   {0, 0, -1},
                                              {1, 0, -1}, {1, 0, -2}, {-2, 1, 0},  {-3, 1, 0},
                                              {0, 1, -2}, {2, 1, -2}, {-2, 1, -2}, {3, -2, 4}};
    static const double VALUES[] = {0.1, 1.0 / 3.0, -2.5e-7, 1e15, 0.0};
    for (size_t i = 0; i < sizeof DIMENSIONS / sizeof DIMENSIONS[0]; ++i) {
        for (size_t k = 0; k < sizeof VALUES / sizeof VALUES[0]; ++k) {
            char text[HED_DIMENSION_TEXT + HED_NUMBER_TEXT];
            char message[HED_UNIT_MESSAGE];
            double back = -1.0;
            hed_quantity_format(VALUES[k], DIMENSIONS[i], text);
            cr_expect(hed_quantity_read(span(text), DIMENSIONS[i], &back, message), "%s: %s", text,
                      message);
            cr_expect_eq(back, VALUES[k], "%s", text);
        }
    }
    char text[HED_DIMENSION_TEXT + HED_NUMBER_TEXT];
    cr_expect_str_eq(hed_quantity_format(0.15, HED_DIM_AREA_DENSITY, text), "0.15 kg/m^2");
}
