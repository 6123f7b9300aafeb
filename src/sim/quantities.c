// SPDX-License-Identifier: MIT
// What can be seen on a sheet beside its shape. Each quantity is a sum over the elements at a
// vertex, in their fixed order, so that its bits do not depend on the number of threads.
#include "base/alloc.h"
#include "geom/curvature.h"
#include "model/sheet/kernel_spring.h"
#include "sim/internal.h"

#include <string.h>

typedef struct QuantityKind {
    const char* name;
    const char* unit;
} QuantityKind;

static const QuantityKind KINDS[HED_QUANTITY_COUNT] = {
    [HED_QUANTITY_STRAIN] = {"strain", ""},          [HED_QUANTITY_TENSION] = {"tension", "N/m"},
    [HED_QUANTITY_CURVATURE] = {"curvature", "1/m"}, [HED_QUANTITY_CONTACT] = {"contact", "Pa"},
    [HED_QUANTITY_DAMPING] = {"damping", "W/m^2"},   [HED_QUANTITY_SPEED] = {"speed", "m/s"},
};

const char* hed_quantity_name(HedQuantity quantity) {
    return (unsigned)quantity < HED_QUANTITY_COUNT ? KINDS[quantity].name : "unknown";
}

const char* hed_quantity_unit(HedQuantity quantity) {
    return (unsigned)quantity < HED_QUANTITY_COUNT ? KINDS[quantity].unit : "";
}

void hed_sim_note_contacts(HedSim* sim) {
    if (sim->contact_force) {
        memset(sim->contact_force, 0, sizeof(double) * (size_t)sim->x.count);
        hed_contacts_add_push(&sim->contacts, 1.0, sim->contact_force);
    }
}

// A membrane as it is now.
typedef struct Stretched {
    const HedMembrane* membrane;
    HedMembraneRest rest;
    HedFrame2 frame;
} Stretched;

static Stretched stretched(const HedSim* sim, const HedCloth* sheet, int32_t k) {
    const HedMembrane* m = &sim->membranes.list.data[sheet->first_membrane + k];
    Stretched s = {.membrane = m, .rest = hed_membrane_rest(m, sheet->material)};
    const HedVec3* x = sim->x.data;
    s.frame = hed_membrane_frame(x[m->point[0]], x[m->point[1]], x[m->point[2]], &s.rest);
    return s;
}

// Elements of a sheet stand together in the lists, in the order of the sheets: the first one whose
// first point is not below `point`.
static int32_t first_spring(const HedSim* sim, int32_t point) {
    int32_t low = 0;
    int32_t high = sim->springs.list.count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        bool is_below = sim->springs.list.data[middle].a < point;
        low = is_below ? middle + 1 : low;
        high = is_below ? high : middle;
    }
    return low;
}

static int32_t first_bend(const HedSim* sim, int32_t point) {
    int32_t low = 0;
    int32_t high = sim->curves.list.count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        bool is_below = sim->curves.list.data[middle].point[0] < point;
        low = is_below ? middle + 1 : low;
        high = is_below ? high : middle;
    }
    return low;
}

// (sum of changes of length) / (sum of rest lengths) of the structural springs at each point, or
// the mean strain along warp and weft of its triangles.
static HedStatus find_strain(const HedSim* sim, const HedCloth* sheet, double* at,
                             HedError* error) {
    double* rest = HED_NEW_ARRAY(double, sheet->point_count);
    if (!rest) {
        return hed_fail_memory(error, "strain");
    }
    int32_t end = first_spring(sim, sheet->first_point + sheet->point_count);
    for (int32_t k = first_spring(sim, sheet->first_point); k < end; ++k) {
        const HedSpring* s = &sim->springs.list.data[k];
        if (s->kind == HED_SPRING_STRETCH) {
            double change = hed_distance3(sim->x.data[s->a], sim->x.data[s->b]) - s->length;
            int32_t a = s->a - sheet->first_point;
            int32_t b = s->b - sheet->first_point;
            at[a] += change;
            at[b] += change;
            rest[a] += s->length;
            rest[b] += s->length;
        }
    }
    for (int32_t k = 0; k < sheet->membrane_count; ++k) {
        Stretched s = stretched(sim, sheet, k);
        double strain = 0.5 * (hed_norm3(s.frame.u) + hed_norm3(s.frame.v)) - 1.0;
        for (int m = 0; m < 3; ++m) {
            at[s.membrane->point[m] - sheet->first_point] += strain * s.rest.area;
            rest[s.membrane->point[m] - sheet->first_point] += s.rest.area;
        }
    }
    for (int32_t i = 0; i < sheet->point_count; ++i) {
        at[i] = rest[i] > 0.0 ? at[i] / rest[i] : 0.0;
    }
    hed_free(rest);
    return HED_OK;
}

// The symmetric tensor of forces over widths at a point: xx, yy, zz, xy, yz, zx.
typedef struct Tensor {
    double m[6];
} Tensor;

static void add_pull(Tensor* tensor, HedVec3 t, double size) {
    const double product[6] = {t.x * t.x, t.y * t.y, t.z * t.z, t.x * t.y, t.y * t.z, t.z * t.x};
    for (int k = 0; k < 6; ++k) {
        tensor->m[k] += size * product[k];
    }
}

// The larger in size of the two principal values of a tensor that acts in a plane: they are p +- q
// with 2 p the trace and 2 (p^2 + q^2) the sum of the squares of all components.
static double principal(const Tensor* tensor) {
    const double* m = tensor->m;
    double p = 0.5 * (m[0] + m[1] + m[2]);
    double squares =
        m[0] * m[0] + m[1] * m[1] + m[2] * m[2] + 2.0 * (m[3] * m[3] + m[4] * m[4] + m[5] * m[5]);
    double q = sqrt(fmax(0.0, 0.5 * squares - p * p));
    return p < 0.0 ? p - q : p + q;
}

// The forces f of all springs as a membrane tension, by their virial: at a point that stands for
// the rest area A, N = 1/A sum of 1/2 f L t t', L the rest length and t the direction. Across a cut
// through the sheet it carries what the springs carry. Membranes add their stress per area at rest,
// F S F'.
static HedStatus find_tension(const HedSim* sim, const HedCloth* sheet, double* at,
                              HedError* error) {
    Tensor* tensors = HED_NEW_ARRAY(Tensor, sheet->point_count);
    if (!tensors) {
        return hed_fail_memory(error, "tension");
    }
    int32_t end = first_spring(sim, sheet->first_point + sheet->point_count);
    for (int32_t k = first_spring(sim, sheet->first_point); k < end; ++k) {
        const HedSpring* s = &sim->springs.list.data[k];
        HedVec3 d = hed_sub3(sim->x.data[s->b], sim->x.data[s->a]);
        double l = hed_norm3(d);
        if (l > 0.0) {
            HedVec3 t = hed_mul3(1.0 / l, d);
            double half = 0.5 * s->stiffness * (l - s->length) * s->length;
            add_pull(&tensors[s->a - sheet->first_point], t, half / sim->area.data[s->a]);
            add_pull(&tensors[s->b - sheet->first_point], t, half / sim->area.data[s->b]);
        }
    }
    for (int32_t k = 0; k < sheet->membrane_count; ++k) {
        Stretched s = stretched(sim, sheet, k);
        HedPlane stress = hed_modulus_apply(s.rest.elastic, hed_membrane_strain(s.frame));
        for (int m = 0; m < 3; ++m) {
            int32_t i = s.membrane->point[m];
            double share = s.rest.area / 3.0 / sim->area.data[i];
            Tensor* tensor = &tensors[i - sheet->first_point];
            HedVec3 sum = hed_add3(s.frame.u, s.frame.v); // u v' + v u' from squares of the sum
            add_pull(tensor, s.frame.u, share * (stress.uu - stress.shear));
            add_pull(tensor, s.frame.v, share * (stress.vv - stress.shear));
            add_pull(tensor, sum, share * stress.shear);
        }
    }
    for (int32_t i = 0; i < sheet->point_count; ++i) {
        at[i] = principal(&tensors[i]);
    }
    hed_free(tensors);
    return HED_OK;
}

// Of bending by angles, or by those of the quadratic model.
static void add_shell_damping(const HedSim* sim, const HedShellTerm* shells, const HedCloth* sheet,
                              double* at) {
    int32_t end = sheet->first_point + sheet->point_count;
    for (int32_t k = 0; k < shells->list.count; ++k) {
        const HedShellElement* element = &shells->list.data[k];
        if (element->point[0] < sheet->first_point || element->point[0] >= end) {
            continue;
        }
        HedVec3 x[HED_SHELL_POINTS], v[HED_SHELL_POINTS];
        for (int m = 0; m < HED_SHELL_POINTS; ++m) {
            x[m] = sim->x.data[element->point[m]];
            v[m] = sim->v.data[element->point[m]];
        }
        HedShell shell;
        double rate[3], drag[3];
        if (shells == &sim->flats) {
            hed_shell_flat_turns(x, &element->rest, element->weight, &shell);
        } else {
            hed_shell_eval(x, &element->rest, &shell);
        }
        hed_shell_rates(&shell, v, rate);
        hed_shell_moments(element->rest.q, rate, drag);
        double power = 2.0 * sheet->bend_damping * hed_shell_half_product(rate, drag);
        for (int m = 0; m < 3; ++m) {
            int32_t i = element->point[m];
            at[i - sheet->first_point] += power / 3.0 / sim->area.data[i];
        }
    }
}

// Of Rayleigh damping: its force on each point times the point's velocity.
static void add_rayleigh(const HedSim* sim, const HedCloth* sheet, double* at) {
    HedEval eval = hed_sim_eval_at(sim, sim->x.data, sim->v.data, hed_sim_time(sim));
    HedVec3 product[HED_RANGE + 1];
    int32_t end = sheet->first_point + sheet->point_count;
    for (int32_t k = 0; k < sim->term_count * sim->ranges.count; ++k) {
        const HedTerm* term = &sim->terms[k / sim->ranges.count];
        int32_t range = k % sim->ranges.count;
        int32_t first = sim->ranges.first[range];
        if (!term->rayleigh || first < sheet->first_point || first >= end) {
            continue;
        }
        memset(product, 0, sizeof product);
        HedStiffness by = {eval.v, term->is_exact[range]};
        term->add_product(term->self, &eval, range, by, product);
        for (int32_t i = first; i < sim->ranges.first[range + 1]; ++i) {
            double power = term->rayleigh[range] * hed_dot3(eval.v[i], product[i - first]);
            at[i - sheet->first_point] += power / sim->area.data[i];
        }
    }
}

void hed_sim_find_damping(const HedSim* sim, const HedCloth* sheet, double* at) {
    const HedVec3* x = sim->x.data;
    const HedVec3* v = sim->v.data;
    int32_t first = sheet->first_point;
    int32_t end = first_spring(sim, first + sheet->point_count);
    for (int32_t k = first_spring(sim, first); k < end; ++k) {
        const HedSpring* s = &sim->springs.list.data[k];
        HedSpringRest rest = {s->length, s->stiffness, sheet->damping * s->stiffness};
        double power = 2.0 * hed_spring_eval(x[s->a], x[s->b], v[s->a], v[s->b], rest).dissipation;
        at[s->a - first] += 0.5 * power / sim->area.data[s->a];
        at[s->b - first] += 0.5 * power / sim->area.data[s->b];
    }
    for (int32_t k = 0; k < sheet->membrane_count; ++k) {
        Stretched s = stretched(sim, sheet, k);
        const int32_t* p = s.membrane->point;
        HedFrame2 rate = hed_membrane_frame(v[p[0]], v[p[1]], v[p[2]], &s.rest);
        HedPlane change = hed_membrane_rate(s.frame, rate);
        HedPlane drag = hed_modulus_apply(s.rest.damping, change);
        double power = 2.0 * s.rest.area * hed_plane_half_product(change, drag);
        for (int m = 0; m < 3; ++m) {
            at[p[m] - first] += power / 3.0 / sim->area.data[p[m]];
        }
    }
    add_shell_damping(sim, &sim->shells, sheet, at);
    add_shell_damping(sim, &sim->flats, sheet, at);
    end = first_bend(sim, first + sheet->point_count);
    for (int32_t k = first_bend(sim, first); k < end; ++k) {
        const HedBend* bend = &sim->curves.list.data[k];
        const int32_t* p = bend->point;
        HedCurveRest rest = bend->rest;
        rest.damping = sheet->bend_damping * (bend->viscous > 0.0 ? bend->viscous : rest.stiffness);
        HedRadial r = hed_curve_eval((HedCurveLine){x[p[0]], x[p[1]], x[p[2]]},
                                     (HedCurveLine){v[p[0]], v[p[1]], v[p[2]]}, rest);
        for (int m = 0; m < 3; ++m) {
            at[p[m] - first] += 2.0 / 3.0 * r.dissipation / sim->area.data[p[m]];
        }
    }
}

static HedStatus find_quantity(const HedSim* sim, const HedCloth* sheet, HedQuantity quantity,
                               double* at, HedError* error) {
    int32_t first = sheet->first_point;
    switch (quantity) {
    case HED_QUANTITY_STRAIN:
        return find_strain(sim, sheet, at, error);
    case HED_QUANTITY_TENSION:
        return find_tension(sim, sheet, at, error);
    case HED_QUANTITY_CURVATURE: {
        const int32_t* triangles = sim->triangles.data + 3 * (int64_t)sheet->first_triangle;
        HedSurfacePart part = {sim->x.data, first, sheet->point_count, triangles,
                               sheet->triangle_count};
        return hed_surface_curvature(part, at, error);
    }
    case HED_QUANTITY_CONTACT:
        for (int32_t i = 0; sim->contact_force && i < sheet->point_count; ++i) {
            at[i] = sim->contact_force[first + i] / sim->area.data[first + i];
        }
        return HED_OK;
    case HED_QUANTITY_DAMPING:
        hed_sim_find_damping(sim, sheet, at);
        add_rayleigh(sim, sheet, at);
        return HED_OK;
    default:
        for (int32_t i = 0; i < sheet->point_count; ++i) {
            at[i] = hed_norm3(sim->v.data[first + i]);
        }
        return HED_OK;
    }
}

HedStatus hed_sim_quantity(const HedSim* sim, const HedCloth* sheet, HedQuantity quantity,
                           double* values, HedError* error) {
    if (!sim->is_prepared || (unsigned)quantity >= HED_QUANTITY_COUNT) {
        return hed_fail(error, HED_INVALID, "quantity %d cannot be read: %s", (int)quantity,
                        sim->is_prepared ? "there is no such quantity"
                                         : "the simulation is not prepared yet");
    }
    HedStatus status = HED_OK;
    const HedPart* part = hed_cloth_part(sim, sheet);
    if (part) {
        const double* push = sim->contact_force ? sim->contact_force + part->first_point : NULL;
        part->type->quantity(part->self, quantity, push, values);
        return HED_OK;
    }
    if (sheet->knot) {
        return hed_splines_find_quantity(sim, sheet, quantity, values, error);
    }
    double* at = HED_NEW_ARRAY(double, sheet->point_count); // in the order of points
    if (!at) {
        return hed_fail_memory(error, hed_quantity_name(quantity));
    }
    if (sheet->is_yarns) {
        status = hed_yarns_find_quantity(sim, sheet, quantity, at, error);
    } else {
        status = find_quantity(sim, sheet, quantity, at, error);
    }
    for (int32_t k = 0; status == HED_OK && k < sheet->vertex_count; ++k) {
        values[k] = at[sheet->place[k] - sheet->first_point];
    }
    hed_free(at);
    return status;
}

HedStatus hed_sheet_quantity(const HedSim* sim, HedSheetId id, HedQuantity quantity, double* values,
                             HedError* error) {
    const HedCloth* sheet = hed_sim_find_sheet(sim, id, error);
    return sheet ? hed_sim_quantity(sim, sheet, quantity, values, error) : HED_INVALID;
}

HedStatus hed_yarns_quantity(const HedSim* sim, HedYarnsId id, HedQuantity quantity, double* values,
                             HedError* error) {
    const HedCloth* yarns = hed_sim_find_yarns(sim, id, error);
    return yarns ? hed_sim_quantity(sim, yarns, quantity, values, error) : HED_INVALID;
}
