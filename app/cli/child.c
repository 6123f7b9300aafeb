// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // pipe2
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Pipes {
    int input[2];
    int failure[2]; // carries errno if exec fails; closed by exec otherwise
} Pipes;

static void become(const ChildDef* def, const Pipes* pipes) {
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    if (dup2(pipes->input[0], STDIN_FILENO) >= 0 && dup2(def->output, STDOUT_FILENO) >= 0 &&
        dup2(def->complaints, STDERR_FILENO) >= 0) {
        execvp(def->arguments[0], def->arguments);
    }
    int failure = errno;
    ssize_t ignored = write(pipes->failure[1], &failure, sizeof failure);
    (void)ignored;
    _exit(127);
}

static int open_pipes(Pipes* pipes) {
    if (pipe2(pipes->input, O_CLOEXEC) != 0) {
        return errno;
    }
    if (pipe2(pipes->failure, O_CLOEXEC) != 0) {
        int failure = errno;
        close(pipes->input[0]);
        close(pipes->input[1]);
        return failure;
    }
    return 0;
}

int child_start(const ChildDef* def, Child* child) {
    Pipes pipes;
    int failure = open_pipes(&pipes);
    if (failure) {
        return failure;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        become(def, &pipes);
    }
    failure = pid < 0 ? errno : 0;
    close(pipes.input[0]);
    close(pipes.failure[1]);
    if (pid > 0) {
        ssize_t got = read(pipes.failure[0], &failure, sizeof failure);
        failure = got == (ssize_t)sizeof failure ? failure : 0;
        if (failure) {
            waitpid(pid, NULL, 0);
        }
    }
    close(pipes.failure[0]);
    if (failure) {
        close(pipes.input[1]);
        return failure;
    }
    *child = (Child){(long)pid, pipes.input[1]};
    return 0;
}
