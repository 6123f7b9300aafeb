// SPDX-License-Identifier: MIT
// The program with another beginning: it waits for commands and carries out each in a process that
// is forked from this one, so that nobody pays for starting a sanitized program thousands of times,
// and a crash is that of its own command.
//
// A line on stdin, with tabs between: seconds of processor time that it may take, directory, words
// of the command. The command's output goes into the files `out` and `err` of that directory. A
// line on stdout answers: `exit CODE`, `signal NUMBER` or `timeout`.
#define _GNU_SOURCE // getline, pipe2
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    WORDS = 64,
    ASKED = 100, // exit code: a command that cannot be understood
    WAIT = 10    // a busy machine gives a process a tenth of a processor
};

int __real_main(int argc, char** argv); // of the program, by -Wl,--wrap=main
int __wrap_main(int argc, char** argv);

static bool redirect(const char* path, int flags, int to) {
    int fd = open(path, flags, 0644);
    bool is_done = fd >= 0 && dup2(fd, to) >= 0;
    if (fd > STDERR_FILENO) {
        close(fd);
    }
    return is_done;
}

// In the child: never returns.
static void carry_out(const char* directory, int seconds, int argc, char** argv) {
    struct rlimit limit = {(rlim_t)seconds, (rlim_t)seconds + 1};
    if (setrlimit(RLIMIT_CPU, &limit) != 0 || chdir(directory) != 0 ||
        !redirect("/dev/null", O_RDONLY, STDIN_FILENO) ||
        !redirect("out", O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO) ||
        !redirect("err", O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO)) {
        _exit(ASKED);
    }
    exit(__real_main(argc, argv));
}

// How a child came to its end, which is when the other end of its pipe closes.
static void await(pid_t child, int pipe_end, int seconds) {
    struct pollfd end = {.fd = pipe_end, .events = POLLIN};
    bool is_late = poll(&end, 1, 1000 * WAIT * seconds) == 0;
    int status = 0;
    if (is_late) {
        kill(child, SIGKILL);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (is_late || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)) {
        puts("timeout");
    } else if (WIFSIGNALED(status)) {
        printf("signal %d\n", WTERMSIG(status));
    } else {
        printf("exit %d\n", WEXITSTATUS(status));
    }
    fflush(stdout);
}

static bool serve(char* line, char* program) {
    char* words[WORDS + 1] = {0};
    int count = 0;
    line[strcspn(line, "\n")] = '\0';
    for (char* word = strtok(line, "\t"); word && count < WORDS; word = strtok(NULL, "\t")) {
        words[count++] = word;
    }
    int ends[2];
    if (count < 3 || pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    int seconds = atoi(words[0]);
    char* directory = words[1];
    words[1] = program; // the first word of the command line
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        carry_out(directory, seconds, count - 1, words + 1);
    }
    close(ends[1]);
    if (child > 0) {
        await(child, ends[0], seconds);
    }
    close(ends[0]);
    return child > 0;
}

int __wrap_main(int argc, char** argv) {
    char* line = NULL;
    size_t size = 0;
    bool is_good = argc == 1;
    setenv("HEDDLE_REEXEC", "1", 1); // a forked process goes on as it is
    while (is_good && getline(&line, &size, stdin) > 0) {
        is_good = serve(line, argv[0]);
    }
    free(line);
    return is_good ? 0 : ASKED;
}
