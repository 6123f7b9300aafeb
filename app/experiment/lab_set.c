// SPDX-License-Identifier: MIT
// Parameters of experiments: --set and --help.
#include "experiment/lab.h"

#include <math.h>
#include <string.h>

static int unknown_parameter(const HedLab* lab, const char* name) {
    const char* names[LAB_LIMIT];
    for (int32_t i = 0; i < lab->experiment.parameter_count; ++i) {
        names[i] = lab->experiment.parameters[i].name;
    }
    const char* nearest = cli_nearest(name, names, lab->experiment.parameter_count);
    if (nearest) {
        return cli_fail(CLI_BAD_INPUT, "%s has no parameter '%s'; did you mean '%s'?",
                        lab->experiment.name, name, nearest);
    }
    return cli_fail(CLI_BAD_INPUT, "%s has no parameter '%s'; see: heddle experiment %s --help",
                    lab->experiment.name, name, lab->experiment.name);
}

static bool has_word(const char* list, const char* word) {
    size_t size = strlen(word);
    for (const char* c = list; *c;) {
        size_t length = strcspn(c, " ");
        if (length == size && strncmp(c, word, size) == 0) {
            return true;
        }
        c += length + strspn(c + length, " ");
    }
    return false;
}

// "0.3" or "0.3 m" for a parameter in m.
static bool read_number(const HedParameter* parameter, const char* value, double* number) {
    char text[128];
    size_t size = strlen(value);
    size_t unit = strlen(parameter->unit);
    if (size >= sizeof text) {
        return false;
    }
    memcpy(text, value, size + 1);
    if (unit > 0 && size > unit && strcmp(text + size - unit, parameter->unit) == 0) {
        text[size - unit] = '\0';
        for (size_t i = size - unit; i > 0 && text[i - 1] == ' '; --i) {
            text[i - 1] = '\0';
        }
    }
    return cli_number(text, number);
}

static int set_number(HedLab* lab, int32_t index, const char* value) {
    const HedParameter* p = &lab->experiment.parameters[index];
    double number = 0.0;
    if (!read_number(p, value, &number)) {
        return cli_fail(CLI_BAD_INPUT, "%s must be a number%s%s, got '%s'", p->name,
                        p->unit[0] ? " in " : "", p->unit, value);
    }
    if (p->whole && number != floor(number)) {
        return cli_fail(CLI_BAD_INPUT, "%s must be a whole number, got '%s'", p->name, value);
    }
    bool bounded = p->least != 0.0 || p->most != 0.0;
    if (bounded && (number < p->least || number > p->most)) {
        return cli_fail(CLI_BAD_INPUT, "%s must be %g to %g%s%s, got '%s'", p->name, p->least,
                        p->most, p->unit[0] ? " " : "", p->unit, value);
    }
    lab->numbers[index] = number;
    return CLI_GO;
}

int lab_set(HedLab* lab, const char* assignment) {
    char name[64];
    size_t size = strcspn(assignment, "=");
    if (assignment[size] != '=' || size == 0 || size >= sizeof name) {
        return cli_fail(CLI_BAD_INPUT, "--set needs NAME=VALUE, got '%s'", assignment);
    }
    memcpy(name, assignment, size);
    name[size] = '\0';
    const char* value = assignment + size + 1;
    for (int32_t i = 0; i < lab->experiment.parameter_count; ++i) {
        const HedParameter* p = &lab->experiment.parameters[i];
        if (strcmp(p->name, name) != 0) {
            continue;
        }
        if (!p->text) {
            return set_number(lab, i, value);
        }
        if (!value[0] || (p->choices && !has_word(p->choices, value))) {
            return cli_fail(CLI_BAD_INPUT, "%s must be one of: %s; got '%s'", name,
                            p->choices ? p->choices : "any word", value);
        }
        lab->texts[i] = value;
        return CLI_GO;
    }
    return unknown_parameter(lab, name);
}

void lab_print_parameters(const HedExperiment* experiment) {
    printf("\nparameters of %s (--set NAME=VALUE):\n", experiment->name);
    for (int32_t i = 0; i < experiment->parameter_count; ++i) {
        const HedParameter* p = &experiment->parameters[i];
        char value[96];
        if (p->text) {
            snprintf(value, sizeof value, "%s", p->text);
        } else {
            snprintf(value, sizeof value, "%g%s%s", p->number, p->unit[0] ? " " : "", p->unit);
        }
        printf("  %-18s %-14s %s", p->name, value, p->help ? p->help : "");
        if (p->choices) {
            printf(" (%s)", p->choices);
        } else if (p->least != 0.0 || p->most != 0.0) {
            printf(" (%g to %g)", p->least, p->most);
        }
        printf("\n");
    }
    if (experiment->parameter_count == 0) {
        printf("  none\n");
    }
}
