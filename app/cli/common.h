// SPDX-License-Identifier: MIT
// What all verbs share: exit codes, messages, numbers in arguments.
#ifndef CLI_COMMON_H
#define CLI_COMMON_H

#include "heddle/heddle.h"

enum {
    CLI_GO = -1, // not an exit code: go on
    CLI_DONE = 0,
    CLI_GAVE_UP = 1, // the solver, or a claim that does not hold
    CLI_BAD_INPUT = 2,
    CLI_MACHINE = 3, // disk full, no memory
    CLI_STOPPED = 130,
};

/// Exit code of a status.
int cli_exit_code(HedStatus status);

/// Prints the message to stderr and returns the exit code of its status. A message that begins with
/// file, line and column is printed as it is, others after "heddle: ".
int cli_error(const HedError* error);

/// Prints "heddle: <text>" to stderr and returns the exit code given.
int cli_fail(int exit_code, const char* format, ...) HED_PRINTF(2, 3);

int cli_no_memory(void);

/// From now on notes and warnings of the library go to stderr, as "heddle: note: <text>".
void cli_show_notes(void);

/// The word of a list that is nearest to a misspelt one, or NULL if none is near.
const char* cli_nearest(const char* word, const char* const* list, int32_t count);

/// A finite decimal number, and nothing after it.
bool cli_number(const char* text, double* value);

/// A whole number from least to most.
bool cli_integer(const char* text, int64_t least, int64_t most, int64_t* value);

/// A time in s, optionally followed by us, ms, s, min or h ("500ms", "2 s").
bool cli_time(const char* text, double* seconds);

/// A length in m, optionally followed by a unit of scenes ("0.125 mm", "2cm").
bool cli_length(const char* text, double* metres);

/// Shortest text that reads back to the same number.
enum { CLI_NUMBER_TEXT = 32 };
const char* cli_number_text(double value, char buffer[CLI_NUMBER_TEXT]);

/// "850 B", "12.3 kB", "4.0 GB"; returns buffer.
const char* cli_bytes_text(double bytes, char buffer[CLI_NUMBER_TEXT]);

/// "a/b", allocated with malloc; NULL if there is no memory.
char* cli_path_join(const char* directory, const char* name);

/// The part after the last dot of the last component, "" if there is none.
const char* cli_extension(const char* path);
bool cli_exists(const char* path);
bool cli_is_directory(const char* path);

/// Makes a directory and its missing parents; false with errno set.
bool cli_make_directory(const char* path);

/// Seconds of a clock that never goes back.
double cli_now(void);

#endif
