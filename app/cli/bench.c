// SPDX-License-Identifier: MIT
// heddle bench: measures speed; without a name all of it.
#include "experiment/bench.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "experiment/lab.h"

#include <stdio.h>
#include <string.h>

static int run_one(const HedBench* bench, LabRequest request, char* out, size_t size) {
    HedExperiment experiment = {.name = bench->name, .title = bench->title, .run = bench->run};
    if (request.out) {
        snprintf(out, size, "%s/%s", request.out, bench->name);
        request.out = out;
    }
    if (!request.json) {
        printf("%s: %s\n", bench->name, bench->title);
    }
    return lab_run(&experiment, &request);
}

static int unknown(const char* name) {
    const char* names[CLI_LIST_LIMIT];
    int32_t count = 0;
    for (const HedBench* b = BENCHES; b->name && count < CLI_LIST_LIMIT; ++b) {
        names[count++] = b->name;
    }
    const char* nearest = cli_nearest(name, names, count);
    if (nearest) {
        return cli_fail(CLI_BAD_INPUT, "unknown benchmark '%s'; did you mean '%s'?", name, nearest);
    }
    return cli_fail(CLI_BAD_INPUT, "unknown benchmark '%s'; see: heddle bench --list", name);
}

int cli_bench(int argc, char** argv) {
    bool list = false;
    LabRequest request = {.kind = "bench"};
    const CliOption options[] = {
        {"output", 'o', CLI_TEXT, &request.out, "DIR", "where results go (default: out/bench)"},
        {"list", 0, CLI_FLAG, &list, NULL, "list the benchmarks"},
        {"quick", 0, CLI_FLAG, &request.quick, NULL, "a short version, for tests"},
        {"threads", 0, CLI_COUNT, &request.threads, "N", "threads"},
        {"json", 0, CLI_FLAG, &request.json, NULL, "one JSON object per benchmark"},
    };
    const CliCommand command = {
        .usage = "bench [NAME] [--quick] [--threads N] [--json] [-o DIR]",
        .about = "Measures speed, with accuracy beside it; without NAME runs every benchmark.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .most = 1,
    };
    CliList arguments;
    int code = cli_parse(&command, argc, argv, &arguments);
    if (code != CLI_GO) {
        return code;
    }
    const char* wanted = arguments.count ? arguments.items[0] : NULL;
    bool found = false;
    code = CLI_DONE;
    for (const HedBench* b = BENCHES; b->name; ++b) {
        if (list) {
            printf("%-20s %s\n", b->name, b->title);
            continue;
        }
        if (!wanted || strcmp(wanted, b->name) == 0) {
            char out[1024];
            found = true;
            int one = run_one(b, request, out, sizeof out);
            code = one > code ? one : code;
        }
    }
    return wanted && !found && !list ? unknown(wanted) : code;
}
