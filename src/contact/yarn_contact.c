// SPDX-License-Identifier: MIT
#include "contact/yarn_inner.h"

#include "base/alloc.h"

#include <string.h>

HedYarnContactDef hed_yarn_contact_def_default(void) {
    return (HedYarnContactDef){
        .quadrature = 11,
        .contact_free = 3.14159265358979323846,
        .presliding = 0.02,
        .slip_speed = 1e-3,
    };
}

// Two parallel yarns at the distance (1 - e) 2r store, per length, k times the integral of
// f = 4 (e - s^2/(8 r^2))^2 over |s| < 2r sqrt(2e), which is (128 sqrt(2)/15) k r e^2.5. Two
// elastic cylinders whose axes approach by 2re store about (pi/16) E (2re)^2. Equal at e = 0.1 for
// k = 0.206 E r.
double hed_yarn_stiffness(double radius, double transverse_modulus) {
    return 0.206 * transverse_modulus * radius;
}

double hed_yarn_transverse_modulus(double modulus) {
    return 0.1 * modulus;
}

// At e = 0.1 the line of contact is about 0.9 R wide and has the stiffness 7 k/R per length; half
// the mass per length moves against it.
double hed_yarn_damping(double stiffness, double radius, double density, double ratio) {
    double reach = 2.0 * radius;
    return 2.0 * ratio * sqrt(stiffness * density / reach) / reach;
}

static HedStatus check_number(double value, const char* name, bool may_be_zero, HedError* error) {
    bool ok = isfinite(value) && (may_be_zero ? value >= 0.0 : value > 0.0);
    return ok ? HED_OK
              : hed_fail(error, HED_INVALID, "%s must be %s and finite, got %g", name,
                         may_be_zero ? "at least 0" : "positive", value);
}

static HedStatus check_settings(const HedYarnContactDef* def, HedError* error) {
    HedStatus status = HED_OK;
    if (def->quadrature < 3 || def->quadrature > HED_YARN_POINTS_MOST || def->quadrature % 2 == 0) {
        return hed_fail(error, HED_INVALID,
                        "quadrature points per segment must be odd and in 3..%d, got %d",
                        HED_YARN_POINTS_MOST, def->quadrature);
    }
    HED_TRY(check_number(def->damping_along, "damping along the normal", true, error));
    HED_TRY(check_number(def->damping_across, "damping across the normal", true, error));
    HED_TRY(check_number(def->contact_free, "contact-free length in radii", true, error));
    HED_TRY(check_number(def->friction, "friction between yarns", true, error));
    HED_TRY(check_number(def->presliding, "presliding", false, error));
    HED_TRY(check_number(def->slip_speed, "slip speed", false, error));
done:
    return status;
}

static HedStatus check_curve(const HedYarnContactDef* def, int32_t c, int32_t next,
                             HedError* error) {
    const HedYarnCurve* curve = &def->curves[c];
    HedStatus status = HED_OK;
    if (curve->first_segment != next || curve->segment_count < 1 ||
        curve->segment_count > def->segment_count - next) {
        return hed_fail(error, HED_INVALID,
                        "yarn %d: segments must be %d to at most %d, got %d of them from %d on", c,
                        next, def->segment_count - 1, curve->segment_count, curve->first_segment);
    }
    if (curve->basis < 0 || curve->basis >= HED_CUBIC_BASES) {
        return hed_fail(error, HED_INVALID, "yarn %d: unknown basis %d", c, (int)curve->basis);
    }
    HED_TRY(check_number(curve->radius, "radius", false, error));
    HED_TRY(check_number(curve->stiffness, "contact stiffness", false, error));
    if (def->leads && (def->leads[c].of < 0 || def->leads[c].of > c)) {
        HED_TRY(hed_fail(error, HED_INVALID, "it is a piece of curve %d, which must be in 0..%d",
                         def->leads[c].of, c));
    }
done:
    return hed_fail_prefix(error, status, "yarn %d: ", c);
}

static HedStatus check_segment(const HedYarnContactDef* def, int32_t s, HedError* error) {
    const HedCubicSegment* segment = &def->segments[s];
    for (int k = 0; k < 4; ++k) {
        if (segment->point[k] < 0 || segment->point[k] >= def->point_count) {
            return hed_fail(error, HED_INVALID, "segment %d: point must be in 0..%d, got %d", s,
                            def->point_count - 1, segment->point[k]);
        }
    }
    if (segment->place < 0 || segment->place >= HED_CUBIC_PLACES) {
        return hed_fail(error, HED_INVALID, "segment %d: unknown place %d", s, (int)segment->place);
    }
    HedStatus status = check_number(def->rest_length[s], "rest length", false, error);
    return hed_fail_prefix(error, status, "segment %d: ", s);
}

static HedStatus check_def(const HedYarnContactDef* def, HedError* error) {
    HedStatus status = HED_OK;
    int32_t next = 0;
    HED_TRY(check_settings(def, error));
    for (int32_t c = 0; c < def->curve_count; ++c) {
        HED_TRY(check_curve(def, c, next, error));
        next += def->curves[c].segment_count;
    }
    if (def->own_count < 0 || def->own_count > def->segment_count) {
        return hed_fail(error, HED_INVALID, "segments that are no copies must be 0 to %d, got %d",
                        def->segment_count, def->own_count);
    }
    if (next != def->segment_count) {
        return hed_fail(error, HED_INVALID, "yarns have %d segments, but there are %d", next,
                        def->segment_count);
    }
    for (int32_t s = 0; s < def->segment_count; ++s) {
        HED_TRY(check_segment(def, s, error));
    }
done:
    return status;
}

static int32_t round_up(int32_t n, int32_t to) {
    return (n + to - 1) / to * to;
}

static HedStatus allocate(HedYarnContact* y, HedError* error) {
    int64_t n = y->def.segment_count;
    int64_t points = y->def.point_count;
    y->segments = HED_NEW_ARRAY(HedCubicSegment, n);
    y->rest_length = HED_NEW_ARRAY(double, n);
    y->curves = HED_NEW_ARRAY(HedYarnCurve, y->def.curve_count);
    y->curve_of = HED_NEW_ARRAY(int32_t, n);
    y->yarn_of = HED_NEW_ARRAY(int32_t, n);
    y->arc = HED_NEW_ARRAY(double, n);
    y->curve_length = HED_NEW_ARRAY(double, y->def.curve_count);
    y->weight = HED_NEW_ARRAY(double, n * y->row);
    y->table = HED_NEW_ARRAY(double, (int64_t)HED_CUBIC_BASES* HED_CUBIC_PLACES * y->row * 8);
    y->point_first = HED_NEW_ARRAY(int32_t, points + 1);
    y->point_use = HED_NEW_ARRAY(int32_t, 4 * n);
    y->sample = HED_NEW_ARRAY(double, n * y->record);
    y->ball = HED_NEW_ARRAY(double, 4 * n);
    y->boxes = HED_NEW_ARRAY(HedBox, n);
    y->half_step = HED_NEW_ARRAY(double, n);
    y->turn = HED_NEW_ARRAY(double, HED_YARN_TURN* n);
    y->spin = HED_NEW_ARRAY(HedVec3, n);
    y->moved = HED_NEW_ARRAY(double, points / HED_YARN_STRIP + 1);
    y->own = HED_NEW_ARRAY(double, HED_YARN_SLOT* n);
    y->own_bound = HED_NEW_ARRAY(double, HED_YARN_LIMIT* n);
    y->rated = HED_NEW_ARRAY(HedYarnRate, points / HED_YARN_STRIP + 1);
    y->partial = HED_NEW_ARRAY(double, (int64_t)y->block_count* HED_YARN_PARTIALS);
    y->list.first = HED_NEW_ARRAY(int32_t, n + 1);
    y->list.in_first = HED_NEW_ARRAY(int32_t, n + 1);
    y->list.built_at = HED_NEW_ARRAY(HedVec3, points);
    bool ok = y->segments && y->rest_length && y->curves && y->curve_of && y->yarn_of && y->arc &&
              y->curve_length && y->weight && y->table && y->point_first && y->point_use &&
              y->sample && y->ball && y->boxes && y->half_step && y->turn && y->spin && y->moved &&
              y->own && y->own_bound && y->rated && y->partial && y->list.first &&
              y->list.in_first && y->list.built_at;
    return ok ? HED_OK : hed_fail_memory(error, "contact between yarns");
}

static void copy_def(HedYarnContact* y, const HedYarnContactDef* def) {
    if (def->segment_count > 0) {
        size_t n = (size_t)def->segment_count;
        memcpy(y->segments, def->segments, n * sizeof(HedCubicSegment));
        memcpy(y->rest_length, def->rest_length, n * sizeof(double));
        memcpy(y->curves, def->curves, (size_t)def->curve_count * sizeof(HedYarnCurve));
    }
    y->def.segments = y->segments;
    y->def.rest_length = y->rest_length;
    y->def.curves = y->curves;
}

// Weights of all kinds of segments at the quadrature points; those that fill up the row are copies
// of the last one.
static void fill_table(HedYarnContact* y) {
    int32_t n = y->def.quadrature;
    y->reach_most = 0.0;
    for (int b = 0; b < HED_CUBIC_BASES; ++b) {
        for (int place = 0; place < HED_CUBIC_PLACES; ++place) {
            for (int32_t p = 0; p < y->row; ++p) {
                double* table = hed_yarn_table(y, b, place);
                double* w = table + (size_t)p * 4;
                double s = hed_min_i32(p, n - 1) / (n - 1.0);
                hed_cubic_weights(hed_cubic_matrix((HedCubicBasis)b, (HedCubicPlace)place), s, w);
                double sum = fabs(w[0]) + fabs(w[1]) + fabs(w[2]) + fabs(w[3]);
                y->reach_most = fmax(y->reach_most, sum);
                for (int32_t k = 0; k < 4; ++k) {
                    table[(4 + k) * y->row + p] = w[k];
                }
            }
        }
    }
}

static void fill_segments(HedYarnContact* y) {
    for (int32_t c = 0; c < y->def.curve_count; ++c) {
        const HedYarnCurve* curve = &y->curves[c];
        HedYarnLead lead = y->def.leads ? y->def.leads[c] : (HedYarnLead){c, 0.0};
        double arc = lead.start;
        for (int32_t k = 0; k < curve->segment_count; ++k) {
            int32_t s = curve->first_segment + k;
            y->curve_of[s] = c;
            y->yarn_of[s] = lead.of;
            y->arc[s] = arc;
            arc += y->rest_length[s];
            for (int32_t p = 0; p < y->def.quadrature; ++p) {
                y->weight[(int64_t)s * y->row + p] =
                    y->rest_length[s] * hed_simpson_weight(p, y->def.quadrature);
            }
        }
        y->curve_length[c] = arc - lead.start;
    }
}

// Which segments each point belongs to.
static void fill_uses(HedYarnContact* y) {
    int32_t* first = y->point_first;
    for (int32_t k = 0; k < 4 * y->def.segment_count; ++k) {
        ++first[y->segments[k / 4].point[k % 4] + 1];
    }
    for (int32_t i = 0; i < y->def.point_count; ++i) {
        first[i + 1] += first[i];
    }
    for (int32_t k = 0; k < 4 * y->def.segment_count; ++k) {
        y->point_use[first[y->segments[k / 4].point[k % 4]]++] = k;
    }
    for (int32_t i = y->def.point_count; i > 0; --i) {
        first[i] = first[i - 1];
    }
    first[0] = 0;
}

HedStatus hed_yarn_contact_create(HedYarnContact* contact, const HedYarnContactDef* def,
                                  HedError* error) {
    HedStatus status = HED_OK;
    HedYarnContact* y = contact;
    *y = (HedYarnContact){.def = *def};
    HED_TRY(check_def(def, error));
    if (def->segment_count > INT32_MAX / 8) {
        return hed_fail(error, HED_INVALID, "at most %d segments of yarns, got %d", INT32_MAX / 8,
                        def->segment_count);
    }
    y->own_count = def->own_count > 0 ? def->own_count : def->segment_count;
    y->row = round_up(def->quadrature, HED_YARN_SPAN);
    y->spans = y->row / HED_YARN_SPAN;
    y->ball_row = round_up(y->spans, HED_YARN_SPAN);
    y->record = round_up(4 * y->ball_row + 6 * y->row, 8);
    y->block_count = (def->segment_count + HED_YARN_BLOCK - 1) / HED_YARN_BLOCK;
    HED_TRY(allocate(y, error));
    copy_def(y, def);
    fill_table(y);
    fill_segments(y);
    y->def.leads = NULL; // its arrays are the caller's
    fill_uses(y);
    y->list.margin = -1.0;
done:
    if (status != HED_OK) {
        hed_yarn_contact_free(y);
    }
    return status;
}

void hed_yarn_contact_free(HedYarnContact* contact) {
    if (!contact) {
        return;
    }
    void* const owned[] = {
        contact->segments,    contact->rest_length,   contact->curves,
        contact->curve_of,    contact->arc,           contact->curve_length,
        contact->weight,      contact->table,         contact->point_first,
        contact->point_use,   contact->sample,        contact->ball,
        contact->boxes,       contact->own,           contact->partial,
        contact->list.first,  contact->list.other,    contact->list.is_partial,
        contact->list.slot,   contact->list.in_first, contact->list.in_pair,
        contact->list.patch,  contact->list.slots,    contact->list.built_at,
        contact->found.data,  contact->kept.data,     contact->list.touch,
        contact->ways,        contact->meetings,      contact->safe_at,
        contact->list.limit,  contact->turn,          contact->spin,
        contact->moved,       contact->merged.data,   contact->drift,
        contact->list.bounds, contact->own_bound,     contact->rated,
        contact->yarn_of,     contact->half_step,
    };
    for (size_t k = 0; k < sizeof owned / sizeof owned[0]; ++k) {
        hed_free(owned[k]);
    }
    hed_yarn_blocks_free(&contact->blocks);
    hed_bvh_free(&contact->tree);
    *contact = (HedYarnContact){0};
}
