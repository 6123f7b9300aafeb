// SPDX-License-Identifier: MIT
// Command lines from a table: one description gives parsing, messages and --help.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/common.h"

/// What render, view and export take, at the end of their help.
#define CLI_SHOWN                                                                                  \
    "A FILE holds yarns (.bcc, .yarns, .pyp, .usda, .vtp, .obj, .ply), a mesh (.obj, .ply,\n"      \
    ".vtp), a weave draft (.wif), a knitting chart (.knit, .ks), a knitout program (.k,\n"         \
    ".knitout), or a scene (.yaml, .yml, .json) or a garment (.json), which are shown as they\n"   \
    "start."

enum { CLI_LIST_LIMIT = 256 };

typedef struct CliList {
    const char* items[CLI_LIST_LIMIT];
    int32_t count;
} CliList;

typedef enum CliKind {
    CLI_FLAG,   // bool
    CLI_TEXT,   // const char*
    CLI_LIST,   // CliList, each use adds one
    CLI_COUNT,  // int32_t, at least 1
    CLI_TIME,   // double, s, not negative
    CLI_LENGTH, // double, m, above 0
    CLI_PAIR,   // int32_t[2], each at least 1: "4x3"
} CliKind;

typedef struct CliOption {
    const char* name; // without the dashes
    char letter;      // 0 for none
    CliKind kind;
    void* target;
    const char* argument; // its name in --help; NULL for a flag
    const char* help;
} CliOption;

typedef struct CliCommand {
    const char* usage; // after "heddle "
    const char* about;
    const CliOption* options;
    int32_t option_count;
    int32_t least; // arguments that are not options
    int32_t most;
    const char* missing; // what an argument that is missing would be: "SCENE"
    const char* more;    // text after the options in --help, or NULL
} CliCommand;

/// Reads the words after the verb. CLI_GO: go on; otherwise the exit code, with everything said.
int cli_parse(const CliCommand* command, int argc, char** argv, CliList* arguments);

void cli_help(const CliCommand* command);

#endif
