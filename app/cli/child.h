// SPDX-License-Identifier: MIT
// Another program that reads what we write: started without a shell.
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

typedef struct ChildDef {
    char* const* arguments; ///< The program's name first, NULL last.
    int output;             ///< File descriptors for its standard output and errors.
    int complaints;
} ChildDef;

typedef struct Child {
    long pid;
    int input; ///< Our end of the pipe to its standard input.
} Child;

/// Starts the program; 0, or the errno of what went wrong (ENOENT: it is not installed). Ctrl-C is
/// for heddle, which then ends the child's input: the child does not see it.
int child_start(const ChildDef* def, Child* child);

#endif
