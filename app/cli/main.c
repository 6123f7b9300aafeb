// SPDX-License-Identifier: MIT
// heddle VERB ...: finds the verb and hands over.
#define _DEFAULT_SOURCE // sysinfo
#include "cli/common.h"
#include "cli/verbs.h"
#include "server/socket.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

static const struct {
    const char* name;
    int (*run)(int argc, char** argv);
    const char* about;
} VERBS[] = {
    {"run", cli_run, "simulate a scene into a run directory"},
    {"check", cli_check, "read a scene and print what it would simulate"},
    {"info", cli_info, "facts about a scene, a run, yarns or a mesh"},
    {"convert", cli_convert, "yarns, meshes and runs to OBJ, PLY, VTK, USD, BCC"},
    {"view", cli_view, "show runs, yarns and meshes in the browser"},
    {"export", cli_export, "a run as one page that shows it, to mail to somebody"},
    {"render", cli_render, "path-traced pictures and films of runs, yarns and meshes"},
    {"plot", cli_plot, "energies, measurements or the shape of a run as a picture"},
    {"experiment", cli_experiment, "repeat an experiment and check its claims"},
    {"bench", cli_bench, "measure speed, with accuracy beside it"},
};

enum { VERB_COUNT = sizeof VERBS / sizeof VERBS[0] };

static void print_help(FILE* out) {
    fputs("heddle simulates cloth.\n\nusage: heddle VERB ...\n\n", out);
    for (int32_t i = 0; i < VERB_COUNT; ++i) {
        fprintf(out, "  %-11s %s\n", VERBS[i].name, VERBS[i].about);
    }
    fputs("\n  heddle VERB --help   options of a verb\n"
          "  heddle --version     version and linked libraries\n\n"
          "exit codes: 0 done; 1 the solver gave up or a claim does not hold; 2 bad input;\n"
          "            3 the machine (disk full, no memory); 130 stopped by Ctrl-C\n",
          out);
}

// The OpenMP runtime reads how its threads wait once, before main. Threads that spin without end
// make a busy machine a hundred times slower; those that sleep at once make two threads slower than
// one where loops are short. So without a wish of the user they spin for a few ten microseconds.
// Measured, swing of 10,000 vertices with two threads, us per vertex and step, on an idle machine
// and beside two busy loops: asleep at once 4.7 and 4 to 6, this 2.7 and 6 to 8, without end 2.5
// and 10 or more.
static void choose_waiting(char** argv) {
    if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT") || getenv("HEDDLE_REEXEC")) {
        return;
    }
    if (setenv("GOMP_SPINCOUNT", "2000", 1) == 0 && setenv("HEDDLE_REEXEC", "1", 1) == 0) {
        execv("/proc/self/exe", argv); // if it fails, they wait as they would
    }
}

// For tests: the n-th allocation fails.
static void plan_failure(void) {
    const char* text = getenv("HEDDLE_FAIL_ALLOC");
    int64_t n = 0;
    if (text && cli_integer(text, 1, INT64_MAX, &n)) {
        hed_alloc_fail_at(n);
    }
}

// What a control group may use, which can be less than the machine has; 0: no such bound.
static int64_t group_memory(void) {
    char text[32] = "";
    int64_t bytes = 0;
    FILE* file = fopen("/sys/fs/cgroup/memory.max", "r");
    if (file && fgets(text, sizeof text, file)) {
        text[strcspn(text, "\n")] = '\0';
        bytes = cli_integer(text, 1, INT64_MAX, &bytes) ? bytes : 0;
    }
    if (file) {
        fclose(file);
    }
    return bytes;
}

// A system that promises more memory than it has ends whoever uses it. So what cannot fit is
// refused.
static void limit_memory(void) {
    struct sysinfo machine;
    if (sysinfo(&machine) == 0) {
        int64_t all = (int64_t)((machine.totalram + machine.totalswap) * machine.mem_unit);
        int64_t group = group_memory();
        int64_t least = group > 0 && group < all ? group : all;
        hed_alloc_set_limit(least - least / 10);
    }
}

static int unknown_verb(const char* word) {
    const char* names[VERB_COUNT];
    for (int32_t i = 0; i < VERB_COUNT; ++i) {
        names[i] = VERBS[i].name;
    }
    const char* nearest = cli_nearest(word, names, VERB_COUNT);
    if (nearest) {
        cli_fail(CLI_BAD_INPUT, "unknown verb '%s'; did you mean '%s'?", word, nearest);
    } else {
        cli_fail(CLI_BAD_INPUT, "unknown verb '%s'", word);
    }
    fputs("see: heddle --help\n", stderr);
    return CLI_BAD_INPUT;
}

static int dispatch(int argc, char** argv) {
    if (argc < 2) {
        print_help(stderr);
        return CLI_BAD_INPUT;
    }
    const char* word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        print_help(stdout);
        return CLI_DONE;
    }
    if (strcmp(word, "--version") == 0) {
        printf("%s%s%s\n", hed_build_info(), server_is_there() ? ", " : "", server_library());
        return CLI_DONE;
    }
    for (int32_t i = 0; i < VERB_COUNT; ++i) {
        if (strcmp(word, VERBS[i].name) == 0) {
            return VERBS[i].run(argc - 2, argv + 2);
        }
    }
    return unknown_verb(word);
}

int main(int argc, char** argv) {
    choose_waiting(argv);
    // A file-size limit must come back as a failed write, not as a signal.
    signal(SIGXFSZ, SIG_IGN);
    plan_failure();
    limit_memory();
    int code = dispatch(argc, argv);
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == CLI_DONE) {
        return cli_fail(CLI_MACHINE, "standard output: %s", strerror(errno ? errno : EIO));
    }
    return code;
}
