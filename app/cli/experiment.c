// SPDX-License-Identifier: MIT
// heddle experiment: lists experiments, or repeats one and checks its claims.
#include "experiment/experiment.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "experiment/lab.h"

#include <stdio.h>
#include <string.h>

static int list_all(bool as_json) {
    for (int32_t k = 0; EXPERIMENTS[k]; ++k) {
        const HedExperiment* e = EXPERIMENTS[k];
        if (as_json) {
            Json json = json_begin(stdout);
            json_text(&json, "experiment", e->name);
            json_text(&json, "title", e->title);
            json_finish(&json);
        } else {
            printf("%-20s %s\n", e->name, e->title);
        }
    }
    return CLI_DONE;
}

static const HedExperiment* find(const char* name) {
    for (int32_t k = 0; EXPERIMENTS[k]; ++k) {
        const HedExperiment* e = EXPERIMENTS[k];
        if (strcmp(e->name, name) == 0) {
            return e;
        }
    }
    return NULL;
}

static int unknown(const char* name) {
    const char* names[CLI_LIST_LIMIT];
    int32_t count = 0;
    while (count < CLI_LIST_LIMIT && EXPERIMENTS[count]) {
        names[count] = EXPERIMENTS[count]->name;
        ++count;
    }
    const char* nearest = cli_nearest(name, names, count);
    if (nearest) {
        return cli_fail(CLI_BAD_INPUT, "unknown experiment '%s'; did you mean '%s'?", name,
                        nearest);
    }
    return cli_fail(CLI_BAD_INPUT, "unknown experiment '%s'; 'heddle experiment' lists them", name);
}

static const HedExperiment* help_wanted(int argc, char** argv) {
    const HedExperiment* named = NULL;
    bool help = false;
    for (int i = 0; i < argc; ++i) {
        help = help || strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
        named = named ? named : find(argv[i]);
    }
    return help ? named : NULL;
}

int cli_experiment(int argc, char** argv) {
    CliList set = {.count = 0};
    LabRequest request = {.kind = "experiment", .set = &set};
    const CliOption options[] = {
        {"output", 'o', CLI_TEXT, &request.out, "DIR", "where results go (out/experiment/NAME)"},
        {"set", 0, CLI_LIST, &set, "NAME=VALUE", "change a parameter"},
        {"quick", 0, CLI_FLAG, &request.quick, NULL, "a coarse version, for tests"},
        {"threads", 0, CLI_COUNT, &request.threads, "N", "threads; results do not depend on them"},
        {"json", 0, CLI_FLAG, &request.json, NULL, "print the results as one JSON object"},
    };
    const CliCommand command = {
        .usage = "experiment [NAME] [--set NAME=VALUE]... [--quick] [--json] [-o DIR]",
        .about = "Repeats an experiment and checks its claims; without NAME lists all.\n"
                 "Exit code 0 if all claims hold, 1 if one does not.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .most = 1,
    };
    const HedExperiment* described = help_wanted(argc, argv);
    CliList arguments;
    int code = cli_parse(&command, argc, argv, &arguments);
    if (code == CLI_DONE && described) {
        lab_print_parameters(described);
    }
    if (code != CLI_GO) {
        return code;
    }
    if (arguments.count == 0) {
        return list_all(request.json);
    }
    const HedExperiment* experiment = find(arguments.items[0]);
    return experiment ? lab_run(experiment, &request) : unknown(arguments.items[0]);
}
