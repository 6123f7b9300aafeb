// SPDX-License-Identifier: MIT
#include "experiment/shear_lab.h"

#include <stdio.h>

static const double DEGREES = 57.29577951308232;
static const double FLAT = 1.5;   // width of yarns over their thickness
static const double UP_TO = 30.0; // deg: where cloth still follows its yarns

HedSimDef shear_sim(double speed) {
    HedSimDef def = hed_sim_def_default();
    def.gravity = (HedVec3){0};
    def.time_step = 2e-3;
    def.drag = 20.0; // slow: nothing swings
    def.newton_tolerance = 5e-3 * speed;
    return def;
}

// Cotton of about 40 tex in a soft cloth that is pressed together well enough for its yarns not to
// slide before they lock.
HedSlidingDef shear_material(void) {
    HedSlidingDef def = hed_sliding_def_default();
    def.stretch = 30.0;
    def.bend = 1e-8;
    def.shear = 1e-3;
    def.jam_margin = 0.0;
    def.friction = 0.3;
    def.crossing_preload = 50e-3;
    return def;
}

SlideCloth shear_cloth(int32_t ends, int32_t picks) {
    return (SlideCloth){.ends = ends,
                        .picks = picks,
                        .spacing = SHEAR_SPACING,
                        .diameter = SHEAR_COVER / FLAT * SHEAR_SPACING,
                        .flat = FLAT,
                        .density = 4e-5};
}

double shear_lock_deg(void) {
    return acos(SHEAR_COVER) * DEGREES;
}

// The way of a yarn at a crossing, upwards.
static HedVec3 way_of(const SlideTrial* s, int32_t visit) {
    HedVec3 a = s->x[s->net.visits[visit - 1].node];
    HedVec3 b = s->x[s->net.visits[visit + 1].node];
    double up = s->net.nodes[s->net.visits[visit + 1].node].position.y >=
                        s->net.nodes[s->net.visits[visit - 1].node].position.y
                    ? 1.0
                    : -1.0;
    return (HedVec3){up * (b.x - a.x), up * (b.y - a.y), up * (b.z - a.z)};
}

static double angle_at(const SlideTrial* s, const HedNetNode* node) {
    HedVec3 a = way_of(s, node->visit[0]);
    HedVec3 b = way_of(s, node->visit[1]);
    double dot = a.x * b.x + a.y * b.y + a.z * b.z;
    HedVec3 c = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return 90.0 - DEGREES * atan2(sqrt(c.x * c.x + c.y * c.y + c.z * c.z), dot);
}

double shear_angle_deg(const SlideTrial* s, double half_width, double reach) {
    double sum = 0.0;
    int32_t count = 0;
    for (int32_t k = 0; s->trial.status == HED_OK && k < s->net.node_count; ++k) {
        const HedNetNode* node = &s->net.nodes[k];
        if (node->sign != 0 && fabs(node->position.x) < half_width &&
            fabs(node->position.x) + fabs(node->position.y) < reach) {
            sum += angle_at(s, node);
            count += 1;
        }
    }
    return count > 0 ? sum / count : 0.0;
}

double shear_force_at(const ShearLook* looks, int32_t count, double angle_deg) {
    double before = 0.0, force = 0.0;
    for (int32_t k = 0; k < count; ++k) {
        if (looks[k].angle >= angle_deg) {
            double part = (angle_deg - before) / (looks[k].angle - before);
            return force + part * (looks[k].force - force);
        }
        before = looks[k].angle;
        force = looks[k].force;
    }
    return (double)NAN;
}

static void draw(HedLab* lab, const ShearLook* looks, int32_t count, const char* part) {
    char column[32];
    bool has_sheet = looks[count - 1].isotropic > 0.0;
    snprintf(column, sizeof column, "%s", part);
    const LabCurve angles[] = {
        {"shear.csv", column, "shear (deg)", "woven, yarns slide", true},
        {"shear.csv", column, "kinematic (deg)", "yarns as rigid, jointed lines", false},
        {"shear.csv", column, "isotropic (deg)", "isotropic sheet", false},
    };
    lab_plot(lab, &(LabPlot){.picture = "angle.svg",
                             .title = "Shear angle",
                             .x_label = part,
                             .y_label = "shear angle (deg)",
                             .curves = angles,
                             .curve_count = has_sheet ? 3 : 2});
    const LabCurve force[] = {{"shear.csv", "shear (deg)", "force (N)", "force", true}};
    lab_plot(lab, &(LabPlot){.picture = "force.svg",
                             .title = "Force",
                             .x_label = "shear angle (deg)",
                             .y_label = "force (N)",
                             .curves = force,
                             .curve_count = 1});
}

// How much steeper the force grows from the locking angle on than from 15 to 30 degrees.
static double find_jam(const ShearLook* looks, int32_t count) {
    const ShearLook* last = &looks[count - 1];
    double lock = shear_lock_deg();
    double before =
        (shear_force_at(looks, count, UP_TO) - shear_force_at(looks, count, 15.0)) / (UP_TO - 15.0);
    double from = shear_force_at(looks, count, lock);
    return (last->force - from) / (last->angle - lock) / before;
}

void shear_report(HedLab* lab, const ShearLook* looks, int32_t count, const char* part) {
    char columns[160];
    const ShearLook* last = &looks[count - 1];
    double worst = 0.0, centre = 0.0, sheet = 0.0;
    snprintf(columns, sizeof columns, "%s,kinematic (deg),shear (deg),centre (deg),force (N)%s",
             part, last->isotropic > 0.0 ? ",isotropic (deg)" : "");
    lab_table_begin(lab, "shear.csv", columns);
    for (int32_t k = 0; k < count; ++k) {
        const ShearLook* l = &looks[k];
        const double row[6] = {l->part, l->kinematic, l->angle, l->centre, l->force, l->isotropic};
        lab_table_row(lab, last->isotropic > 0.0 ? 6 : 5, row);
        if (l->kinematic <= UP_TO) {
            worst = lab_worse(worst, l->angle - l->kinematic);
            centre = lab_worse(centre, l->centre - l->kinematic);
            sheet = fmax(sheet, l->kinematic - l->isotropic);
        }
    }
    lab_table_end(lab);
    lab_result(lab, "shear_angle_deg", last->angle);
    lab_result(lab, "force", last->force);
    lab_result(lab, "kinematic_deg", last->kinematic);
    lab_result(lab, "locking_deg", shear_lock_deg());
    lab_result(lab, "worst_deg", worst);
    lab_result(lab, "worst_centre_deg", centre);
    lab_claim_below(lab, "shear angle against the kinematic one up to 30 deg, worst (deg)", worst,
                    2.0);
    if (last->isotropic > 0.0 && last->kinematic > 20.0) {
        lab_result(lab, "isotropic_deg", last->isotropic);
        lab_claim_above(lab, "isotropic sheet: behind the kinematic angle up to 30 deg (deg)",
                        sheet, 5.0);
    }
    if (last->angle > shear_lock_deg() + 1.0) {
        double jam = find_jam(looks, count);
        lab_result(lab, "jam", jam);
        lab_claim_above(lab, "beyond the locking angle the force grows so much more steeply", jam,
                        5.0);
    }
    draw(lab, looks, count, part);
}
