// SPDX-License-Identifier: MIT
// Curves in USD text: the prims BasisCurves of a file, wherever they stand in it, at the time of
// their first sample. Everything else is passed over.
#include "base/log.h"
#include "base/words.h"
#include "io/curves.h"
#include "io/usda_text.h"
#include "math/vec3.h"

#include <inttypes.h>
#include <string.h>

// One prim as it stands in the file.
typedef struct CurvePrim {
    int32_t line;
    HedSpan type, basis, wrap; // empty if they are not said
    HED_ARRAY(int32_t) counts;
    HED_ARRAY(HedVec3) points;
    HED_ARRAY(double) widths;
    HED_ARRAY(HedVec3) colors;
    bool has_points; // of no time: they come before those of samples
} CurvePrim;

typedef struct UsdaReader {
    HedUsdaText text;
    HedCurveList list;
    double scale; // m per unit; 0 if it is not said
    int32_t up_axis;
    bool has_transforms;
    int32_t prim_count;
} UsdaReader;

static void free_prim(CurvePrim* prim) {
    hed_free(prim->counts.data);
    hed_free(prim->points.data);
    hed_free(prim->widths.data);
    hed_free(prim->colors.data);
}

static HedStatus no_memory(const UsdaReader* r) {
    return hed_fail_memory(r->text.error, r->text.name);
}

// --- Values ----------------------------------------------------------------------------------

// "[1, 2, 3]", each item by `item`; a comma may stand behind the last one.
static HedStatus read_array(UsdaReader* r, CurvePrim* prim,
                            HedStatus (*item)(UsdaReader* r, CurvePrim* prim)) {
    HedStatus status = HED_OK;
    HED_TRY(hed_usda_take(&r->text, '['));
    while (!hed_usda_is_sign(&r->text, ']')) {
        HED_TRY(item(r, prim));
        if (!hed_usda_is_sign(&r->text, ']')) {
            HED_TRY(hed_usda_take(&r->text, ','));
        }
    }
    hed_usda_next(&r->text);
done:
    return status;
}

static HedStatus read_vector(UsdaReader* r, HedVec3* v) {
    HedStatus status = HED_OK;
    double* parts[3] = {&v->x, &v->y, &v->z};
    HED_TRY(hed_usda_take(&r->text, '('));
    for (int k = 0; k < 3; ++k) {
        if (k > 0) {
            HED_TRY(hed_usda_take(&r->text, ','));
        }
        HED_TRY(hed_usda_number(&r->text, parts[k]));
    }
    HED_TRY(hed_usda_take(&r->text, ')'));
done:
    return status;
}

static HedStatus read_count(UsdaReader* r, CurvePrim* prim) {
    int64_t value = 0;
    bool fits = r->text.kind == HED_USDA_NUMBER && hed_span_int64(r->text.token, &value);
    if (!fits || value < 0 || value > INT32_MAX) {
        return hed_usda_fail(&r->text, "a number of points");
    }
    hed_usda_next(&r->text);
    return HED_APPEND(&prim->counts, (int32_t)value) ? HED_OK : no_memory(r);
}

static HedStatus read_point(UsdaReader* r, CurvePrim* prim) {
    HedVec3 v = {0};
    HedStatus status = read_vector(r, &v);
    return status != HED_OK || HED_APPEND(&prim->points, v) ? status : no_memory(r);
}

static HedStatus read_color(UsdaReader* r, CurvePrim* prim) {
    HedVec3 v = {0};
    HedStatus status = read_vector(r, &v);
    return status != HED_OK || HED_APPEND(&prim->colors, v) ? status : no_memory(r);
}

static HedStatus read_width(UsdaReader* r, CurvePrim* prim) {
    double width = 0.0;
    if (r->text.kind == HED_USDA_NUMBER && r->text.token.data[0] == '-') {
        return hed_usda_fail(&r->text, "a width that is not negative");
    }
    HedStatus status = hed_usda_number(&r->text, &width);
    return status != HED_OK || HED_APPEND(&prim->widths, width) ? status : no_memory(r);
}

// "{ 0: [...], 1: [...], }": the first is taken if there is no value without a time.
static HedStatus read_samples(UsdaReader* r, CurvePrim* prim) {
    HedStatus status = HED_OK;
    double time = 0.0;
    HED_TRY(hed_usda_take(&r->text, '{'));
    for (bool is_first = true; !hed_usda_is_sign(&r->text, '}'); is_first = false) {
        HED_TRY(hed_usda_number(&r->text, &time));
        HED_TRY(hed_usda_take(&r->text, ':'));
        HED_TRY(is_first && !prim->has_points ? read_array(r, prim, read_point)
                                              : hed_usda_skip(&r->text));
        if (!hed_usda_is_sign(&r->text, '}')) {
            HED_TRY(hed_usda_take(&r->text, ','));
        }
    }
    hed_usda_next(&r->text);
done:
    return status;
}

static HedStatus read_token(UsdaReader* r, HedSpan* token) {
    if (r->text.kind != HED_USDA_TEXT) {
        return hed_usda_fail(&r->text, "a word in quotes");
    }
    *token = r->text.token;
    hed_usda_next(&r->text);
    return HED_OK;
}

// The value of a property, behind its '='.
static HedStatus read_property(UsdaReader* r, CurvePrim* prim, HedSpan name) {
    if (hed_span_equal(name, "points")) {
        prim->has_points = true;
        prim->points.count = 0;
        return read_array(r, prim, read_point);
    }
    if (hed_span_equal(name, "points.timeSamples")) {
        return read_samples(r, prim);
    }
    if (hed_span_equal(name, "curveVertexCounts")) {
        prim->counts.count = 0;
        return read_array(r, prim, read_count);
    }
    if (hed_span_equal(name, "widths")) {
        prim->widths.count = 0;
        return read_array(r, prim, read_width);
    }
    if (hed_span_equal(name, "primvars:displayColor")) {
        prim->colors.count = 0;
        return read_array(r, prim, read_color);
    }
    HedSpan* token = hed_span_equal(name, "type")    ? &prim->type
                     : hed_span_equal(name, "basis") ? &prim->basis
                     : hed_span_equal(name, "wrap")  ? &prim->wrap
                                                     : NULL;
    return token ? read_token(r, token) : hed_usda_skip(&r->text);
}

// --- From prims to curves --------------------------------------------------------------------

// How the curves of a prim go by their points.
typedef struct WrapRule {
    bool is_closed;
    bool is_near; // of a B-spline: by (a + 4 b + c) / 6
    bool is_cut;  // the first point and the last only give directions
} WrapRule;

static HedStatus find_rule(const UsdaReader* r, const CurvePrim* prim, WrapRule* rule) {
    HedSpan wrap = prim->wrap.size > 0 ? prim->wrap : (HedSpan){"nonperiodic", 11};
    bool is_free = hed_span_equal(wrap, "nonperiodic");
    bool is_closed = hed_span_equal(wrap, "periodic");
    bool is_linear = hed_span_equal(prim->type, "linear");
    bool is_near = hed_span_equal(prim->basis, "bspline");
    bool is_basis = is_linear || is_near || hed_span_equal(prim->basis, "catmullRom");
    if (!is_basis || (!is_free && !is_closed && !hed_span_equal(wrap, "pinned"))) {
        return hed_fail(r->text.error, HED_UNSUPPORTED,
                        "%s:%d: curves must be linear, catmullRom or bspline, got basis '%s' and "
                        "wrap '%s'",
                        r->text.name, prim->line,
                        prim->basis.size > 0 ? hed_quote(prim->basis).text : "bezier",
                        hed_quote(wrap).text);
    }
    *rule = (WrapRule){is_closed, is_near && !is_linear, is_free && !is_linear};
    return HED_OK;
}

// A value of a prim for a curve: one for all, one per curve, or one per point.
static int32_t index_of(const CurvePrim* prim, int32_t count, int32_t curve, int32_t first) {
    return count == 1 ? 0 : count == prim->counts.count ? curve : count > first ? first : -1;
}

// Colours of USD are linear; those of curves have the transfer curve of sRGB (IEC 61966-2-1).
static int32_t encode_color(HedVec3 color) {
    const double parts[3] = {color.x, color.y, color.z};
    int32_t code = 0;
    for (int k = 0; k < 3; ++k) {
        double c = fmin(fmax(parts[k], 0.0), 1.0);
        double s = c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1.0 / 2.4) - 0.055;
        code = code << 8 | (int32_t)lround(255.0 * s);
    }
    return code;
}

static HedVec3 place_of(const HedVec3* x, int32_t count, int32_t i, const WrapRule* rule) {
    bool is_end = !rule->is_closed && (i == 0 || i == count - 1);
    if (!rule->is_near || is_end) {
        return x[i];
    }
    HedVec3 sum = hed_add3(x[(i + count - 1) % count], x[(i + 1) % count]);
    return hed_mul3(1.0 / 6.0, hed_madd3(sum, 4.0, x[i]));
}

static HedStatus add_curve(UsdaReader* r, const CurvePrim* prim, const WrapRule* rule,
                           int32_t curve, int32_t first) {
    HedCurve like = {.is_closed = rule->is_closed, .color = HED_COLOR_NONE};
    int32_t count = prim->counts.data[curve];
    int32_t width = index_of(prim, prim->widths.count, curve, first);
    int32_t color = index_of(prim, prim->colors.count, curve, first);
    if (width >= 0) {
        like.radius = 0.5 * prim->widths.data[width];
    }
    if (color >= 0) {
        like.color = encode_color(prim->colors.data[color]);
    }
    int32_t cut = rule->is_cut ? 1 : 0;
    for (int32_t i = cut; i < count - cut; ++i) {
        HedVec3 x = place_of(prim->points.data + first, count, i, rule);
        if (!hed_curve_list_point(&r->list, x)) {
            return no_memory(r);
        }
    }
    return hed_curve_list_end(&r->list, like) ? HED_OK : no_memory(r);
}

static HedStatus add_curves(UsdaReader* r, const CurvePrim* prim) {
    int64_t total = 0;
    for (int32_t i = 0; i < prim->counts.count; ++i) {
        total += prim->counts.data[i];
    }
    if (total != prim->points.count) {
        return hed_fail(r->text.error, HED_PARSE,
                        "%s:%d: curveVertexCounts add up to %" PRId64 ", but there are %d points",
                        r->text.name, prim->line, total, prim->points.count);
    }
    WrapRule rule = {0};
    HedStatus status = find_rule(r, prim, &rule);
    for (int32_t i = 0, first = 0; i < prim->counts.count && status == HED_OK; ++i) {
        status = add_curve(r, prim, &rule, i, first);
        first += prim->counts.data[i];
    }
    ++r->prim_count;
    return status;
}

// --- The file --------------------------------------------------------------------------------

// What stands in the braces of a prim BasisCurves. Properties are read by the word before '='.
static HedStatus read_body(UsdaReader* r, CurvePrim* prim) {
    HedStatus status = HED_OK;
    HedUsdaText* text = &r->text;
    HedSpan name = {0};
    while (!hed_usda_is_sign(text, '}')) {
        bool is_open = hed_usda_is_sign(text, '{') || hed_usda_is_sign(text, '(') ||
                       hed_usda_is_sign(text, '[');
        if (is_open || text->kind == HED_USDA_END) {
            HED_TRY(hed_usda_skip(text)); // metadata, "[]" of a type, what stands below the prim
        } else if (hed_usda_is_sign(text, '=')) {
            hed_usda_next(text);
            r->has_transforms = r->has_transforms || hed_span_equal(name, "xformOpOrder");
            HED_TRY(read_property(r, prim, name));
        } else {
            name = text->kind == HED_USDA_WORD ? text->token : name;
            hed_usda_next(text);
        }
    }
    hed_usda_next(text);
done:
    return status;
}

// Behind 'def': the type if there is one, the name, metadata.
static HedStatus read_prim(UsdaReader* r) {
    HedStatus status = HED_OK;
    HedUsdaText* text = &r->text;
    CurvePrim prim = {.line = text->line};
    hed_usda_next(text);
    bool is_curves = hed_usda_is_word(text, "BasisCurves");
    if (text->kind == HED_USDA_WORD) {
        hed_usda_next(text);
    }
    if (text->kind != HED_USDA_TEXT) {
        HED_TRY(hed_usda_fail(text, "the name of a prim in quotes"));
    }
    hed_usda_next(text);
    if (hed_usda_is_sign(text, '(')) {
        HED_TRY(hed_usda_skip(text));
    }
    HED_TRY(hed_usda_take(text, '{'));
    if (is_curves) {
        HED_TRY(read_body(r, &prim));
        HED_TRY(add_curves(r, &prim));
    }
done:
    free_prim(&prim);
    return status;
}

// "( ... metersPerUnit = 1 ... )" at the top.
static HedStatus read_layer(UsdaReader* r) {
    HedStatus status = HED_OK;
    HedUsdaText* text = &r->text;
    HedSpan name = {0};
    hed_usda_next(text);
    while (!hed_usda_is_sign(text, ')')) {
        if (!hed_usda_is_sign(text, '=')) {
            name = text->kind == HED_USDA_WORD ? text->token : name;
            HED_TRY(hed_usda_skip(text));
            continue;
        }
        hed_usda_next(text);
        if (hed_span_equal(name, "metersPerUnit")) {
            HED_TRY(hed_usda_number(text, &r->scale));
            if (!(r->scale > 0.0)) {
                HED_TRY(hed_fail(text->error, HED_PARSE,
                                 "%s:%d: metersPerUnit must be positive, got %g", text->name,
                                 text->line, r->scale));
            }
        } else if (hed_span_equal(name, "upAxis")) {
            r->up_axis = text->token.size == 1 && text->token.data[0] == 'Z' ? 2 : 1;
            HED_TRY(hed_usda_skip(text));
        } else {
            HED_TRY(hed_usda_skip(text));
        }
    }
    hed_usda_next(text);
done:
    return status;
}

static HedStatus read_file(UsdaReader* r) {
    HedStatus status = HED_OK;
    HedUsdaText* text = &r->text;
    if (hed_usda_is_sign(text, '(')) {
        HED_TRY(read_layer(r));
    }
    while (text->kind != HED_USDA_END) {
        bool is_prim = hed_usda_is_word(text, "def") || hed_usda_is_word(text, "over") ||
                       hed_usda_is_word(text, "class");
        r->has_transforms = r->has_transforms || hed_usda_is_word(text, "xformOpOrder");
        if (is_prim) {
            HED_TRY(read_prim(r));
        } else {
            hed_usda_next(text);
        }
    }
done:
    return status;
}

// Units of USD are centimetres where nothing is said.
static HedStatus scale_curves(UsdaReader* r) {
    double scale = r->scale > 0.0 ? r->scale : 0.01;
    for (int32_t i = 0; i < r->list.vertices.count; ++i) {
        HedVec3 x = hed_mul3(scale, r->list.vertices.data[i]);
        if (!hed_is_finite3(x)) {
            return hed_fail(r->text.error, HED_PARSE, "%s: point %d is not finite in metres",
                            r->text.name, i);
        }
        r->list.vertices.data[i] = x;
    }
    for (int32_t i = 0; i < r->list.curves.count; ++i) {
        r->list.curves.data[i].radius *= scale;
        if (!isfinite(r->list.curves.data[i].radius)) {
            return hed_fail(r->text.error, HED_PARSE, "%s: the width of curve %d is not finite",
                            r->text.name, i);
        }
    }
    return HED_OK;
}

HedStatus hed_usda_curves_parse(const char* data, size_t size, const char* name, HedCurves* curves,
                                HedError* error) {
    HedStatus status = HED_OK;
    if (size < 5 || memcmp(data, "#usda", 5) != 0) {
        int32_t shown = size < 5 ? (int32_t)size : 5;
        return hed_fail(error, HED_PARSE, "%s:1: must begin with '#usda', got '%s'", name,
                        hed_quote((HedSpan){data, shown}).text);
    }
    UsdaReader r = {.text = hed_usda_begin(data, size, name, error), .up_axis = 1};
    HED_TRY(read_file(&r));
    if (r.prim_count == 0) {
        HED_TRY(hed_fail(error, HED_NOT_FOUND, "%s: holds no BasisCurves", name));
    }
    HED_TRY(scale_curves(&r));
    HED_TRY(hed_curve_list_finish(&r.list, r.up_axis, name, curves, error));
    if (r.has_transforms) {
        hed_log(HED_LOG_WARNING, "%s: its transforms (xformOp) are passed over", name);
    }
done:
    hed_curve_list_free(&r.list);
    return status;
}
