// SPDX-License-Identifier: MIT
#include "cli/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The words being read, and where we are.
typedef struct Words {
    const CliCommand* command;
    int argc;
    char** argv;
    int next;
} Words;

static const char* verb_of(const CliCommand* command, char buffer[64]) {
    snprintf(buffer, 64, "%.*s", (int)strcspn(command->usage, " "), command->usage);
    return buffer;
}

static int see_help(const CliCommand* command) {
    char verb[64];
    fprintf(stderr, "see: heddle %s --help\n", verb_of(command, verb));
    return CLI_BAD_INPUT;
}

void cli_help(const CliCommand* command) {
    printf("usage: heddle %s\n\n%s\n\noptions:\n", command->usage, command->about);
    for (int32_t i = 0; i < command->option_count; ++i) {
        const CliOption* option = &command->options[i];
        char left[64];
        char letter[8] = "    ";
        if (option->letter) {
            snprintf(letter, sizeof letter, "-%c, ", option->letter);
        }
        snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name, option->argument ? " " : "",
                 option->argument ? option->argument : "");
        printf("  %-26s  %s\n", left, option->help);
    }
    printf("  %-26s  %s\n", "-h, --help", "this text");
    if (command->more) {
        printf("\n%s\n", command->more);
    }
}

static int unknown_option(const CliCommand* command, const char* word, const char* name) {
    const char* names[CLI_LIST_LIMIT];
    int32_t count = 0;
    for (int32_t i = 0; i < command->option_count && count < CLI_LIST_LIMIT - 1; ++i) {
        names[count++] = command->options[i].name;
    }
    names[count++] = "help";
    const char* nearest = cli_nearest(name, names, count);
    if (nearest) {
        cli_fail(CLI_BAD_INPUT, "unknown option '%s'; did you mean '--%s'?", word, nearest);
    } else {
        cli_fail(CLI_BAD_INPUT, "unknown option '%s'", word);
    }
    return see_help(command);
}

static int store_pair(const CliOption* option, const char* value) {
    int32_t* pair = option->target;
    int64_t numbers[2] = {0, 0};
    char first[16] = "";
    const char* second = strchr(value, 'x');
    size_t size = second ? (size_t)(second - value) : sizeof first;
    if (size < sizeof first) {
        memcpy(first, value, size);
    }
    if (!cli_integer(first, 1, 1000, &numbers[0]) ||
        !cli_integer(second + 1, 1, 1000, &numbers[1])) {
        return cli_fail(CLI_BAD_INPUT, "--%s needs %s, whole numbers from 1 to 1000, got '%s'",
                        option->name, option->argument, value);
    }
    pair[0] = (int32_t)numbers[0];
    pair[1] = (int32_t)numbers[1];
    return CLI_GO;
}

static int store(const CliOption* option, const char* value) {
    int64_t integer = 0;
    double number = 0.0;
    CliList* list = option->target;
    switch (option->kind) {
    case CLI_FLAG:
        *(bool*)option->target = true;
        return CLI_GO;
    case CLI_TEXT:
        if (!value[0]) {
            return cli_fail(CLI_BAD_INPUT, "--%s needs %s, got nothing", option->name,
                            option->argument);
        }
        *(const char**)option->target = value;
        return CLI_GO;
    case CLI_LIST:
        if (list->count == CLI_LIST_LIMIT) {
            return cli_fail(CLI_BAD_INPUT, "more than %d times --%s", CLI_LIST_LIMIT, option->name);
        }
        list->items[list->count++] = value;
        return CLI_GO;
    case CLI_COUNT:
        if (!cli_integer(value, 1, 1024, &integer)) {
            return cli_fail(CLI_BAD_INPUT, "--%s needs a whole number from 1 to 1024, got '%s'",
                            option->name, value);
        }
        *(int32_t*)option->target = (int32_t)integer;
        return CLI_GO;
    case CLI_TIME:
        if (!cli_time(value, &number) || number < 0.0) {
            return cli_fail(CLI_BAD_INPUT, "--%s needs a time such as 2, 2s or 500ms, got '%s'",
                            option->name, value);
        }
        *(double*)option->target = number;
        return CLI_GO;
    case CLI_LENGTH:
        if (!cli_length(value, &number) || !(number > 0.0) || isinf(number)) {
            return cli_fail(CLI_BAD_INPUT,
                            "--%s needs a length above 0 such as 0.01 or 2mm, got '%s'",
                            option->name, value);
        }
        *(double*)option->target = number;
        return CLI_GO;
    case CLI_PAIR:
        return store_pair(option, value);
    }
    return CLI_BAD_INPUT;
}

static const CliOption* find_long(const CliCommand* command, const char* name, size_t size) {
    for (int32_t i = 0; i < command->option_count; ++i) {
        const CliOption* option = &command->options[i];
        if (strlen(option->name) == size && strncmp(option->name, name, size) == 0) {
            return option;
        }
    }
    return NULL;
}

static const CliOption* find_letter(const CliCommand* command, char letter) {
    for (int32_t i = 0; i < command->option_count; ++i) {
        if (command->options[i].letter == letter) {
            return &command->options[i];
        }
    }
    return NULL;
}

// attached: the value in the same word, or NULL.
static int use_option(Words* words, const CliOption* option, const char* attached) {
    if (option->kind == CLI_FLAG) {
        if (attached) {
            cli_fail(CLI_BAD_INPUT, "--%s takes no value, got '%s'", option->name, attached);
            return see_help(words->command);
        }
        return store(option, "");
    }
    if (!attached) {
        if (words->next >= words->argc) {
            cli_fail(CLI_BAD_INPUT, "--%s needs %s", option->name, option->argument);
            return see_help(words->command);
        }
        attached = words->argv[words->next++];
    }
    return store(option, attached);
}

static int read_option(Words* words, const char* word) {
    const CliCommand* command = words->command;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        cli_help(command);
        return CLI_DONE;
    }
    if (word[1] != '-') {
        const CliOption* option = find_letter(command, word[1]);
        if (!option) {
            return unknown_option(command, word, word + 1);
        }
        return use_option(words, option, word[2] ? word + 2 : NULL);
    }
    char name[64];
    size_t size = strcspn(word + 2, "=");
    snprintf(name, sizeof name, "%.*s", (int)(size < 63 ? size : 63), word + 2);
    const CliOption* option = find_long(command, word + 2, size);
    if (!option) {
        return unknown_option(command, word, name);
    }
    return use_option(words, option, word[2 + size] == '=' ? word + 3 + size : NULL);
}

int cli_parse(const CliCommand* command, int argc, char** argv, CliList* arguments) {
    Words words = {command, argc, argv, 0};
    bool only_arguments = false;
    arguments->count = 0;
    while (words.next < argc) {
        const char* word = argv[words.next++];
        if (!only_arguments && strcmp(word, "--") == 0) {
            only_arguments = true;
        } else if (!only_arguments && word[0] == '-' && word[1]) {
            int code = read_option(&words, word);
            if (code != CLI_GO) {
                return code;
            }
        } else if (arguments->count >= command->most || arguments->count == CLI_LIST_LIMIT) {
            cli_fail(CLI_BAD_INPUT, "unexpected argument '%s'", word);
            return see_help(command);
        } else {
            arguments->items[arguments->count++] = word;
        }
    }
    if (arguments->count < command->least) {
        cli_fail(CLI_BAD_INPUT, "missing argument: %s", command->missing);
        return see_help(command);
    }
    return CLI_GO;
}
