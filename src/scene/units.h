// SPDX-License-Identifier: MIT
// Numbers with units: "0.125 mm", "1/24000 s", "150 g/m^2", "5 %". A bare number is SI.
#ifndef HED_SCENE_UNITS_H
#define HED_SCENE_UNITS_H

#include "base/text.h"

/// Exponents of metre, kilogram and second. Angles have none.
typedef struct HedDimension {
    int8_t m, kg, s;
} HedDimension;

#define HED_DIM_NONE ((HedDimension){0, 0, 0})
#define HED_DIM_LENGTH ((HedDimension){1, 0, 0})
#define HED_DIM_TIME ((HedDimension){0, 0, 1})
#define HED_DIM_RATE ((HedDimension){0, 0, -1})
#define HED_DIM_VELOCITY ((HedDimension){1, 0, -1})
#define HED_DIM_ACCELERATION ((HedDimension){1, 0, -2})
#define HED_DIM_AREA_DENSITY ((HedDimension){-2, 1, 0})
#define HED_DIM_LINEAR_DENSITY ((HedDimension){-1, 1, 0})
#define HED_DIM_DENSITY ((HedDimension){-3, 1, 0})
#define HED_DIM_FORCE_PER_LENGTH ((HedDimension){0, 1, -2})
#define HED_DIM_MOMENT ((HedDimension){2, 1, -2})
#define HED_DIM_STIFFNESS_PER_AREA ((HedDimension){-2, 1, -2})

/// A number in SI. has_unit is false for a bare one, which fits every dimension.
typedef struct HedAmount {
    double value;
    HedDimension dimension;
    bool has_unit;
} HedAmount;

enum { HED_UNIT_MESSAGE = 160, HED_DIMENSION_TEXT = 48 };

/// Reads the whole text; on failure writes what is wrong with it (no place) into message.
bool hed_quantity_parse(HedSpan text, HedAmount* quantity, char message[HED_UNIT_MESSAGE]);

/// The same, checked against a dimension: "expected a length, got mass/area (150 g/m^2)".
bool hed_quantity_read(HedSpan text, HedDimension expected, double* value,
                       char message[HED_UNIT_MESSAGE]);

bool hed_dimension_equal(HedDimension a, HedDimension b);

/// "length", "mass/area", or "kg^2 m^-1" for one without a name; returns buffer.
const char* hed_dimension_name(HedDimension dimension, char buffer[HED_DIMENSION_TEXT]);

/// The SI unit, "kg/m^2" or "N/m"; "" for plain numbers; returns buffer.
const char* hed_dimension_unit(HedDimension dimension, char buffer[HED_DIMENSION_TEXT]);

/// "0.15 kg/m^2": an SI value as text that reads back to the same bits; returns buffer.
const char* hed_quantity_format(double value, HedDimension dimension,
                                char buffer[HED_DIMENSION_TEXT + HED_NUMBER_TEXT]);

/// All unit names, in the order of the documentation; NULL after the last.
const char* hed_unit_name(int32_t index);

#endif
