// SPDX-License-Identifier: MIT
// Threads of a WIF file: their slots, thickness and colours.
#include "base/words.h"
#include "weave/wif.h"

#include <math.h>
#include <string.h>

// What is read from, and what is filled.
typedef struct ThreadReader {
    const HedWif* wif;
    HedWeave* weave;
    HedError* error;
} ThreadReader;

// --- colours ---

typedef struct Palette {
    double low, high;
    const HedWifRows* rows;
} Palette;

static HedStatus read_palette(const ThreadReader* r, Palette* palette) {
    *palette = (Palette){0.0, 255.0, &r->wif->rows[HED_WIF_COLORS]};
    const HedWifEntry* entry = hed_wif_find(r->wif, HED_WIF_PALETTE, "range");
    HedSpan list = entry ? hed_wif_value(entry) : (HedSpan){0};
    if (list.size == 0) {
        return HED_OK;
    }
    HedSpan whole = list, low = {0}, high = {0}, more;
    bool fits = hed_wif_element(&list, &low) && hed_wif_element(&list, &high) &&
                !hed_wif_element(&list, &more) && hed_span_double(low, &palette->low) &&
                hed_span_double(high, &palette->high) && palette->high > palette->low;
    return fits ? HED_OK
                : hed_wif_fail(r->wif, r->error, entry->line,
                               "expected a range, two rising numbers", whole);
}

// A row of the table as 0xRRGGBB.
static HedStatus read_color(const ThreadReader* r, const Palette* palette, const HedWifEntry* row,
                            int32_t* color) {
    HedSpan list = hed_wif_value(row), whole = list, element = {0};
    *color = 0;
    for (int k = 0; k < 3; ++k) {
        double value = 0.0;
        if (!hed_wif_element(&list, &element) || !hed_span_double(element, &value)) {
            return hed_wif_fail(r->wif, r->error, row->line, "expected a colour, three numbers",
                                whole);
        }
        double part = (value - palette->low) / (palette->high - palette->low);
        *color = *color << 8 | (int32_t)lround(255.0 * fmin(fmax(part, 0.0), 1.0));
    }
    return HED_OK;
}

// What a system of threads is by default; lengths are in the units of the file.
typedef struct System {
    const char* name;
    const HedWifEntry* color; // default index
    double unit;              // m
    double spacing, thickness;
    const HedWifRows* colors;
    const HedWifRows* spacings;
    const HedWifRows* thicknesses;
} System;

// Colours of the form "index" or "index,r,g,b".
static HedStatus read_index(const ThreadReader* r, const HedWifEntry* entry, int32_t* index) {
    HedSpan list = hed_wif_value(entry), first = {0};
    *index = 0;
    return hed_wif_element(&list, &first) ? hed_wif_number(r->wif, entry, first, index, r->error)
                                          : HED_OK;
}

static HedStatus find_color(const ThreadReader* r, const System* system, const Palette* palette,
                            int64_t thread, int32_t* color) {
    const HedWifEntry* entry = hed_wif_row(system->colors, thread);
    int32_t index = 0;
    HedStatus status = entry ? read_index(r, entry, &index) : HED_OK;
    if (status == HED_OK && index == 0) {
        entry = system->color;
        status = entry ? read_index(r, entry, &index) : HED_OK;
    }
    if (status != HED_OK || !entry || palette->rows->list.count == 0) {
        return status;
    }
    const HedWifEntry* row = hed_wif_row(palette->rows, index);
    if (!row) {
        return hed_fail(r->error, HED_PARSE,
                        "%s:%d: %s thread %lld has colour %d, which [COLOR TABLE] does not have",
                        r->wif->name, entry->line, system->name, (long long)thread, index);
    }
    return read_color(r, palette, row, color);
}

// A default that no thread uses may be wrong.
static HedStatus note_default(const ThreadReader* r, const System* system, const Palette* palette) {
    int32_t index = 0;
    HedStatus status = system->color ? read_index(r, system->color, &index) : HED_OK;
    bool is_odd =
        system->color && palette->rows->list.count > 0 && !hed_wif_row(palette->rows, index);
    if (status == HED_OK && is_odd) {
        status = hed_weave_note(r->weave, r->error,
                                "line %d: the default colour of the %s, %d, is not in the colour "
                                "table; no thread has it",
                                system->color->line, system->name, index);
    }
    return status;
}

// --- threads ---

static HedStatus read_length(const ThreadReader* r, const HedWifEntry* entry, double* length) {
    HedSpan text = entry ? hed_wif_value(entry) : (HedSpan){0};
    double value = 0.0;
    if (text.size == 0) {
        return HED_OK;
    }
    if (!hed_span_double(text, &value) || value < 0.0) {
        return hed_wif_fail(r->wif, r->error, entry->line, "expected a length that is not negative",
                            text);
    }
    *length = value > 0.0 ? value : *length;
    return HED_OK;
}

typedef struct LengthUnit {
    const char* name;
    double length; // m
} LengthUnit;

static HedStatus read_units(const ThreadReader* r, HedWifSection section, double* unit,
                            bool* is_given) {
    static const LengthUnit UNITS[] = {{"inches", 0.0254},    {"inch", 0.0254},
                                       {"centimeters", 0.01}, {"centimetres", 0.01},
                                       {"cm", 0.01},          {"millimeters", 0.001},
                                       {"mm", 0.001},         {"decipoints", 0.0254 / 720.0}};
    const HedWifEntry* entry = hed_wif_find(r->wif, section, "units");
    HedSpan text = entry ? hed_wif_value(entry) : (HedSpan){0};
    char word[16] = {0};
    *unit = 0.01;
    *is_given = text.size > 0;
    if (text.size > 0 && text.size < (int32_t)sizeof word) {
        memcpy(word, text.data, (size_t)text.size);
    }
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0] && *is_given; ++i) {
        if (hed_same_word(word, UNITS[i].name)) {
            *unit = UNITS[i].length;
            return HED_OK;
        }
    }
    return *is_given ? hed_wif_fail(r->wif, r->error, entry->line,
                                    "expected inches, centimeters or decipoints", text)
                     : HED_OK;
}

static HedStatus read_system(const ThreadReader* r, bool is_warp, System* system) {
    const HedWif* wif = r->wif;
    HedWifSection section = is_warp ? HED_WIF_WARP : HED_WIF_WEFT;
    *system = (System){
        .name = is_warp ? "warp" : "weft",
        .color = hed_wif_find(wif, section, "color"),
        .colors = &wif->rows[is_warp ? HED_WIF_WARP_COLORS : HED_WIF_WEFT_COLORS],
        .spacings = &wif->rows[is_warp ? HED_WIF_WARP_SPACING : HED_WIF_WEFT_SPACING],
        .thicknesses = &wif->rows[is_warp ? HED_WIF_WARP_THICKNESS : HED_WIF_WEFT_THICKNESS]};
    HedStatus status = HED_OK;
    bool has_unit = false;
    HED_TRY(read_units(r, section, &system->unit, &has_unit));
    HED_TRY(read_length(r, hed_wif_find(wif, section, "spacing"), &system->spacing));
    HED_TRY(read_length(r, hed_wif_find(wif, section, "thickness"), &system->thickness));
    bool has_lengths = system->spacing > 0.0 || system->thickness > 0.0 ||
                       system->spacings->list.count > 0 || system->thicknesses->list.count > 0;
    if (has_lengths && !has_unit) {
        HED_TRY(hed_weave_note(r->weave, r->error, "%s: no units given, centimetres taken",
                               system->name));
    }
done:
    return status;
}

// Not 0, which says that nothing is given, but less than any fibre: cloth of such threads beside
// others has no digits left.
static bool is_too_thin(double width) {
    return width != 0.0 && width < 1e-6;
}

static HedStatus fill_thread(const ThreadReader* r, const System* system, const Palette* palette,
                             HedThread* thread) {
    HedStatus status = HED_OK;
    double spacing = system->spacing, thickness = system->thickness;
    HED_TRY(find_color(r, system, palette, thread->number, &thread->color));
    HED_TRY(read_length(r, hed_wif_row(system->spacings, thread->number), &spacing));
    HED_TRY(read_length(r, hed_wif_row(system->thicknesses, thread->number), &thickness));
    thread->spacing = system->unit * spacing;
    thread->diameter = system->unit * thickness;
    if (!isfinite(thread->spacing) || thread->spacing > 1.0 || thread->diameter > 1.0) {
        status = hed_fail(
            r->error, HED_PARSE, "%s: %s thread %d must be less than 1 m wide, got %g m in %g m",
            r->wif->name, system->name, thread->number, thread->diameter, thread->spacing);
    } else if (is_too_thin(thread->spacing) || is_too_thin(thread->diameter)) {
        status = hed_fail(
            r->error, HED_PARSE, "%s: %s thread %d must be at least 1 um wide, got %g m in %g m",
            r->wif->name, system->name, thread->number, thread->diameter, thread->spacing);
    }
done:
    return status;
}

static HedStatus fill_threads(const ThreadReader* r, bool is_warp, const Palette* palette) {
    HedStatus status = HED_OK;
    System system;
    int64_t declared = 0;
    HED_TRY(read_system(r, is_warp, &system));
    HED_TRY(hed_wif_count(r->wif, is_warp ? HED_WIF_WARP : HED_WIF_WEFT, "threads", &declared,
                          r->error));
    HedThread* threads = is_warp ? r->weave->ends : r->weave->picks;
    int32_t count = is_warp ? r->weave->end_count : r->weave->pick_count;
    for (int32_t i = 0; i < count; ++i) {
        HED_TRY(fill_thread(r, &system, palette, &threads[i]));
    }
    HED_TRY(note_default(r, &system, palette));
    const char* verb = is_warp ? "threaded" : "woven";
    if (declared > count) {
        HED_TRY(hed_weave_note(r->weave, r->error, "%s: %lld threads declared, %d are %s",
                               system.name, (long long)declared, count, verb));
    } else if (declared > 0 && threads[count - 1].number > declared) {
        HED_TRY(hed_weave_note(r->weave, r->error, "%s: %lld threads declared, but thread %d is %s",
                               system.name, (long long)declared, threads[count - 1].number, verb));
    }
done:
    return status;
}

HedStatus hed_wif_threads(const HedWif* wif, HedWeave* weave, HedError* error) {
    HedStatus status = HED_OK;
    ThreadReader r = {wif, weave, error};
    Palette palette;
    HED_TRY(read_palette(&r, &palette));
    HED_TRY(fill_threads(&r, true, &palette));
    HED_TRY(fill_threads(&r, false, &palette));
done:
    return status;
}
