// SPDX-License-Identifier: MIT
// A mass that is set off at a right angle to its spring (Sanchez-Banderas 2021, section 3.2.6).
// With damping by the rate of strain the spring's swing dies and the mass goes on in a circle that
// follows from its angular momentum; with Rayleigh damping it comes to a stop.
#include "experiment/list.h"
#include "experiment/sheet_lab.h"
#include "experiment/spring_circle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const HedParameter PARAMETERS[] = {
    {.name = "beta",
     .unit = "s",
     .number = 0.03,
     .least = 1e-7,
     .most = 1e4,
     .help = "damping over stiffness"},
    {.name = "stiffness",
     .unit = "N",
     .number = 100.0,
     .least = 1e-6,
     .most = 1e9,
     .help = "k_e: the energy is L k_e / 2 (l/L - 1)^2"},
    {.name = "rest_length",
     .unit = "m",
     .number = 2.0,
     .least = 1e-3,
     .most = 1e3,
     .help = "of the spring"},
    {.name = "mass",
     .unit = "kg",
     .number = 1.0,
     .least = 1e-6,
     .most = 1e6,
     .help = "at the end of the spring"},
    {.name = "velocity",
     .unit = "m/s",
     .number = 20.0,
     .least = 1e-4,
     .most = 1e4,
     .help = "of the mass at the start, at a right angle to the spring"},
    {.name = "step",
     .unit = "s",
     .number = 0.01,
     .least = 1e-7,
     .most = 10.0,
     .help = "of time; cut into equal parts where it is unstable or its circle is off by 0.35 %"},
    {.name = "integrator",
     .unit = "",
     .text = "symplectic-euler",
     .choices = "symplectic-euler newmark bdf2 implicit-euler",
     .help = "the last two lose energy by themselves"},
    {.name = "damping",
     .unit = "",
     .text = "potential",
     .choices = "potential rayleigh",
     .help = "of the rate of strain, or by the stiffness matrix"},
};

// The thesis does not print the three values of its figure; these are ours.
static const double BETAS[] = {0.01, 0.03, 0.1}; // s
enum { BETA_COUNT = sizeof BETAS / sizeof BETAS[0] };

static const double CLOSE = 0.0035;      // of radius and kinetic energy: what steps may cost
static const double TOLERANCE = 0.005;   // of the claims
static const double SHOWN = 8.0;         // s, of the plot
static const double MOST_STEPS = 5e7;    // explicit; some minutes
static const double MOST_IMPLICIT = 3e6; // the same

typedef struct Case {
    Spring spring;
    HedIntegrator integrator;
    bool rayleigh;
    double step;     // s, as asked for
    int32_t parts;   // that each is cut into
    double time;     // s, to the end
    const char* csv; // NULL: none is written
} Case;

// Means over the last turn; the last step alone for Rayleigh damping.
typedef struct Outcome {
    double kinetic, radius, speed;
    double swing; // of the radius: largest less smallest over the mean
    bool gave_up;
} Outcome;

static HedIntegrator integrator_of(const char* name) {
    int k = 0;
    while (k < HED_INTEGRATOR_COUNT && strcmp(hed_integrator_name((HedIntegrator)k), name) != 0) {
        ++k;
    }
    return (HedIntegrator)k;
}

static void set_scene(Trial* trial, const Case* c) {
    const Spring* s = &c->spring;
    double h = c->step / c->parts;
    double rate = s->stiffness / s->length;
    // Forces are rounded at 1e-16 of the stiffness times the radius: no more can be asked.
    double rounding = 1e-14 * rate * spring_circle(s).radius * h / s->mass;
    trial_set(trial, "step.integrator=%s", hed_integrator_name(c->integrator));
    trial_set(trial, "step.size=%.17g s", h);
    trial_set(trial, "step.newton_tolerance=%.17g m/s", fmax(1e-11 * s->velocity, rounding));
    trial_set(trial, "step.linear_tolerance=1e-12");
    trial_set(trial, "output.frame_interval=%.17g s", 1000.0 * h);
    trial_set(trial, "duration=%.17g s", 1e6 * h);
    trial_set(trial, "sheets.spring.mesh.scale=%.17g", s->length);
    trial_set(trial, "sheets.spring.density=%.17g kg/m^2", 6.0 * s->mass / (s->length * s->length));
    trial_set(trial, "sheets.spring.stretch=%.17g N/m", rate);
    trial_set(trial, "sheets.spring.damping=%.17g s", s->beta);
    trial_set(trial, "sheets.spring.damping_model=%s", c->rayleigh ? "rayleigh" : "potential");
    trial_set(trial, "sheets.spring.velocity=[0, 0, %.17g m/s]", s->velocity);
}

static double size_of(HedVec3 v) {
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

// Where the mass is now.
static Circle look(const Trial* trial, double mass) {
    HedVec3 x[3], v[3];
    hed_sheet_positions(trial->sim, trial->sheet, x);
    hed_sheet_velocities(trial->sim, trial->sheet, v);
    double speed = size_of(v[0]);
    return (Circle){size_of(x[0]), speed, 0.5 * mass * speed * speed};
}

// Steps whose mean counts: one turn of the circle, an even number, for Newmark's method lets the
// acceleration of a stiff spring change from step to step.
static int64_t window_of(const Case* c, int64_t steps) {
    Circle end = spring_circle(&c->spring);
    double turn = 6.283185307179586 * end.radius / end.speed;
    double count = c->rayleigh ? 1.0 : fmin(turn * c->parts / c->step, 0.2 * (double)steps);
    int64_t even = 2 * (int64_t)(0.5 * count);
    return even < 2 ? 1 : even;
}

static void go(Trial* trial, const Case* c, FILE* csv, Outcome* out) {
    double h = c->step / c->parts;
    int64_t steps = (int64_t)ceil(c->time / h);
    int64_t window = window_of(c, steps);
    int64_t every = (int64_t)fmax(1.0, 0.005 / h); // rows of the curve: 5 ms apart or more
    double low = HUGE_VAL;
    double high = 0.0;
    for (int64_t k = 0; k <= steps && !out->gave_up; ++k) {
        bool shown = csv && k % every == 0 && (double)k * h <= SHOWN;
        Circle now = shown || k > steps - window ? look(trial, c->spring.mass) : (Circle){0};
        if (shown) {
            fprintf(csv, "%.9g,%.9g,%.9g\n", (double)k * h, now.kinetic, now.radius);
        }
        if (k > steps - window) {
            out->kinetic += now.kinetic / (double)window;
            out->radius += now.radius / (double)window;
            out->speed += now.speed / (double)window;
            low = fmin(low, now.radius);
            high = fmax(high, now.radius);
        }
        HedStepReport report;
        out->gave_up = k < steps && (hed_sim_step(trial->sim, &report, NULL) != HED_OK ||
                                     report.reason != HED_REASON_CONVERGED);
    }
    out->swing = (high - low) / out->radius;
}

// 0, or the exit code with everything said.
static int run_case(HedLab* lab, const Case* c, Outcome* out) {
    Trial trial = {0};
    FILE* csv = NULL;
    *out = (Outcome){0};
    set_scene(&trial, c);
    int code = trial_start(lab, &trial, "spring.yaml");
    if (code == 0 && c->csv) {
        csv = fopen(lab_path(lab, c->csv), "w");
        code = csv ? 0 : lab_fail_text(lab, "cannot write %s", c->csv);
    }
    if (code == 0) {
        if (csv) {
            fprintf(csv, "time (s),kinetic (J),radius (m)\n");
        }
        go(&trial, c, csv, out);
    }
    if (csv && fclose(csv) != 0 && code == 0) {
        code = lab_fail_text(lab, "cannot write %s", c->csv);
    }
    trial_end(&trial);
    return code;
}

// Chooses parts and time; refuses what would take too long. 0 or the exit code.
static int plan(HedLab* lab, Case* c) {
    const Spring* s = &c->spring;
    bool judged = c->integrator == HED_SYMPLECTIC_EULER || c->integrator == HED_NEWMARK;
    c->time = spring_settling(s) + (c->rayleigh ? spring_stopping(s) : 0.0);
    c->parts = judged ? spring_parts(s, c->integrator, c->step, CLOSE) : 1;
    double most = c->integrator == HED_SYMPLECTIC_EULER ? MOST_STEPS : MOST_IMPLICIT;
    double steps = c->time / c->step * c->parts;
    HedError error = {.status = HED_INVALID};
    if (c->parts == 0) {
        snprintf(error.message, sizeof error.message,
                 "step must be smaller: %g s cut into a million parts is still too large for %s",
                 c->step, hed_integrator_name(c->integrator));
        return lab_fail(lab, &error);
    }
    if (!(steps <= most)) {
        snprintf(
            error.message, sizeof error.message,
            "beta %g s at a step of %g s: the motion needs %.3g s to %s, %.2g steps of %s, and "
            "the most is %g; %s",
            s->beta, c->step, c->time, c->rayleigh ? "stop" : "settle", steps,
            hed_integrator_name(c->integrator), most,
            c->parts > 1 ? "take newmark, or another beta" : "take a larger step or another beta");
        return lab_fail(lab, &error);
    }
    return 0;
}

static void claim_circle(HedLab* lab, const Case* c, const Outcome* o, Circle expected) {
    const char* name = hed_integrator_name(c->integrator);
    char text[120];
    snprintf(text, sizeof text, "%s, beta %g s: radius of the circle (m)", name, c->spring.beta);
    lab_claim(lab, text, expected.radius, o->radius, TOLERANCE * expected.radius);
    snprintf(text, sizeof text, "%s, beta %g s: speed (m/s)", name, c->spring.beta);
    lab_claim(lab, text, expected.speed, o->speed, TOLERANCE * expected.speed);
    snprintf(text, sizeof text, "%s, beta %g s: kinetic energy (J)", name, c->spring.beta);
    lab_claim(lab, text, expected.kinetic, o->kinetic, TOLERANCE * expected.kinetic);
    snprintf(text, sizeof text, "%s, beta %g s: swing of the radius that is left", name,
             c->spring.beta);
    lab_claim_below(lab, text, o->swing, 2.0 * CLOSE);
}

static void claim(HedLab* lab, const Case* c, const Outcome* o) {
    const char* name = hed_integrator_name(c->integrator);
    double start = 0.5 * c->spring.mass * c->spring.velocity * c->spring.velocity;
    char text[120];
    if (o->gave_up) {
        snprintf(text, sizeof text, "%s, beta %g s: every step is solved", name, c->spring.beta);
        lab_claim_true(lab, text, false);
        return;
    }
    bool keeps = c->integrator == HED_SYMPLECTIC_EULER || c->integrator == HED_NEWMARK;
    if (!c->rayleigh && keeps) {
        claim_circle(lab, c, o, spring_circle(&c->spring));
    } else if (!c->rayleigh) {
        snprintf(text, sizeof text, "%s, beta %g s: no more kinetic energy (J) than the circle's",
                 name, c->spring.beta);
        lab_claim_below(lab, text, o->kinetic,
                        (1.0 + TOLERANCE) * spring_circle(&c->spring).kinetic);
    } else {
        snprintf(text, sizeof text, "%s, beta %g s, rayleigh: part of the kinetic energy left",
                 name, c->spring.beta);
        lab_claim_below(lab, text, o->kinetic / start, 0.002);
    }
}

static void row(HedLab* lab, const Case* c, const Outcome* o) {
    Circle e = spring_circle(&c->spring);
    bool stops = c->rayleigh;
    const double values[] = {
        c->rayleigh,    c->integrator,
        c->spring.beta, c->step,
        c->parts,       c->time,
        o->kinetic,     stops ? spring_remains(&c->spring, c->time) : e.kinetic,
        o->radius,      stops ? c->spring.length : e.radius,
        o->speed,       stops ? 0.0 : e.speed};
    lab_table_row(lab, sizeof values / sizeof values[0], values);
}

static void table(HedLab* lab, const char* csv) {
    lab_note(lab, "damping 0: potential, 1: rayleigh; integrator 1: symplectic-euler, "
                  "4: implicit-euler, 7: newmark, 8: bdf2");
    lab_table_begin(lab, csv,
                    "damping,integrator,beta (s),step (s),parts,time (s),kinetic (J),expected (J),"
                    "radius (m),expected (m),speed (m/s),expected (m/s)");
}

// How Rayleigh damping slows a mass that circles. The law leaves out the swing of the start, less
// than a tenth of the time.
static void claim_law(HedLab* lab, const Case* c, const Outcome* o) {
    if (c->rayleigh) {
        double expected = spring_remains(&c->spring, c->time);
        char text[120];
        snprintf(text, sizeof text, "%s, beta %g s, rayleigh: kinetic energy (J) after %.4g s",
                 hed_integrator_name(c->integrator), c->spring.beta, c->time);
        lab_claim(lab, text, expected, o->kinetic, 0.03 * expected);
    }
}

// Every value of beta, both kinds of damping, both integrators; curves of symplectic Euler.
static int report_betas(HedLab* lab, const Case* base) {
    static const char* const CSV[2][BETA_COUNT] = {
        {"potential-1.csv", "potential-2.csv", "potential-3.csv"},
        {"rayleigh-1.csv", "rayleigh-2.csv", "rayleigh-3.csv"}};
    int code = 0;
    table(lab, "betas.csv");
    for (int k = 0; k < 4 * BETA_COUNT && code == 0; ++k) {
        Case c = *base;
        Outcome o;
        c.spring.beta = BETAS[k % BETA_COUNT];
        c.rayleigh = k / BETA_COUNT % 2 == 1;
        c.integrator = k < 2 * BETA_COUNT ? HED_SYMPLECTIC_EULER : HED_NEWMARK;
        c.csv = k < 2 * BETA_COUNT ? CSV[c.rayleigh][k % BETA_COUNT] : NULL;
        code = plan(lab, &c);
        code = code ? code : run_case(lab, &c, &o);
        if (code == 0) {
            row(lab, &c, &o);
            claim(lab, &c, &o);
            claim_law(lab, &c, &o);
        }
    }
    lab_table_end(lab);
    return code;
}

// Newmark's method at a step of 0.1 s, whole and in parts. Whole, its circle is another one: second
// order costs (h v / 2 r)^2 = 4 % of the moment. It must be the one that theory says.
static int report_long_step(HedLab* lab, const Case* base) {
    Case c = *base;
    Outcome o;
    c.integrator = HED_NEWMARK;
    c.step = 0.1;
    int code = plan(lab, &c);
    table(lab, "long-step.csv");
    code = code ? code : run_case(lab, &c, &o);
    if (code != 0) {
        return code;
    }
    row(lab, &c, &o);
    claim(lab, &c, &o);
    c.parts = 1;
    code = run_case(lab, &c, &o);
    if (code == 0) {
        row(lab, &c, &o);
        Circle own = spring_circle_of(&c.spring, HED_NEWMARK, c.step);
        Circle exact = spring_circle(&c.spring);
        lab_result(lab, "newmark_0.1_radius", o.radius);
        lab_result(lab, "newmark_0.1_speed", o.speed);
        lab_claim(lab, "newmark, step 0.1 s whole: radius (m) of the scheme's own circle",
                  own.radius, o.radius, 1e-4 * own.radius);
        lab_claim(lab, "newmark, step 0.1 s whole: radius (m) to the order of the step",
                  exact.radius, o.radius, 0.02 * exact.radius);
    }
    lab_table_end(lab);
    return code;
}

// The same motion by backward Euler with either damping, at the same time.
static int report_loss(HedLab* lab, const Case* base, const Outcome* kept) {
    double kinetic[2];
    for (int k = 0; k < 2; ++k) {
        Case c = *base;
        Outcome o;
        c.rayleigh = k == 1;
        c.integrator = k == 1 ? base->integrator : HED_IMPLICIT_EULER;
        c.parts = k == 1 ? base->parts : 1;
        int code = run_case(lab, &c, &o);
        if (code != 0) {
            return code;
        }
        kinetic[k] = o.kinetic;
    }
    lab_note(
        lab,
        "after %.4g s: %.5g J; by backward Euler %.5g J, its own loss is %.3g %%; with rayleigh "
        "%.5g J",
        base->time, kept->kinetic, kinetic[0], 100.0 * (1.0 - kinetic[0] / kept->kinetic),
        kinetic[1]);
    lab_result(lab, "implicit_euler_kinetic", kinetic[0]);
    lab_result(lab, "rayleigh_kinetic", kinetic[1]);
    return 0;
}

static void draw(HedLab* lab) {
    static const char* const CSV[] = {"potential-1.csv", "potential-2.csv", "potential-3.csv",
                                      "rayleigh-1.csv",  "rayleigh-2.csv",  "rayleigh-3.csv"};
    char title[6][64];
    LabCurve curves[6];
    for (int k = 0; k < 6; ++k) {
        snprintf(title[k], sizeof title[k], "%s, beta %g s", k < 3 ? "potential" : "Rayleigh",
                 BETAS[k % BETA_COUNT]);
        curves[k] = (LabCurve){CSV[k], "time (s)", "kinetic (J)", title[k], false};
    }
    LabPlot plot = {.picture = "kinetic.svg",
                    .title = "A mass on a spring, set off at a right angle",
                    .x_label = "time (s)",
                    .y_label = "kinetic energy (J)",
                    .curves = curves,
                    .curve_count = 6};
    lab_plot(lab, &plot);
}

// Whether nothing was set: then the whole of the section is repeated.
static bool is_plain(HedLab* lab) {
    for (size_t k = 0; k < sizeof PARAMETERS / sizeof PARAMETERS[0]; ++k) {
        const HedParameter* p = &PARAMETERS[k];
        if (p->text ? strcmp(lab_text(lab, p->name), p->text) != 0
                    : lab_number(lab, p->name) != p->number) {
            return false;
        }
    }
    return true;
}

static int run(HedLab* lab) {
    Case c = {.spring = {.beta = lab_number(lab, "beta"),
                         .stiffness = lab_number(lab, "stiffness"),
                         .length = lab_number(lab, "rest_length"),
                         .mass = lab_number(lab, "mass"),
                         .velocity = lab_number(lab, "velocity")},
              .integrator = integrator_of(lab_text(lab, "integrator")),
              .rayleigh = strcmp(lab_text(lab, "damping"), "rayleigh") == 0,
              .step = lab_number(lab, "step")};
    Outcome o;
    int code = plan(lab, &c);
    if (code == 0 && c.parts > 1) {
        lab_note(lab,
                 "each step of %g s is cut into %d parts: %s would be unstable, or its circle "
                 "off by more than %g %%",
                 c.step, c.parts, hed_integrator_name(c.integrator), 100.0 * CLOSE);
    }
    code = code ? code : run_case(lab, &c, &o);
    if (code != 0) {
        return code;
    }
    table(lab, "spring.csv");
    row(lab, &c, &o);
    lab_table_end(lab);
    Circle expected = spring_circle(&c.spring);
    lab_result(lab, "kinetic_end", o.kinetic);
    lab_result(lab, "radius_end", o.radius);
    lab_result(lab, "speed_end", o.speed);
    lab_result(lab, "kinetic_expected", c.rayleigh ? 0.0 : expected.kinetic);
    lab_result(lab, "radius_expected", c.rayleigh ? c.spring.length : expected.radius);
    lab_result(lab, "speed_expected", c.rayleigh ? 0.0 : expected.speed);
    lab_result(lab, "time_end", c.time);
    lab_result(lab, "parts", c.parts);
    claim(lab, &c, &o);
    if (is_plain(lab)) {
        code = report_loss(lab, &c, &o);
        code = code ? code : report_betas(lab, &c);
        code = code ? code : report_long_step(lab, &c);
        draw(lab);
    }
    return code;
}

const HedExperiment EXPERIMENT_SPRING_DAMPING = {
    .name = "spring-damping",
    .title = "a mass on a damped spring: circles on, or with Rayleigh damping stops",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
