// SPDX-License-Identifier: MIT
// heddle view: serves the viewer's page for runs and files.
#define _GNU_SOURCE
#include "cli/options.h"
#include "cli/verbs.h"
#include "server/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MILLISECONDS = 200 };

typedef struct ViewArguments {
    CliList paths;
    const char* host;
    int port;
    bool no_open;
    HedShowOptions show;
} ViewArguments;

static volatile sig_atomic_t ended = 0;

static void end(int number) {
    (void)number;
    ended = 1;
}

// Without SA_RESTART, so that sleeps and polls notice at once.
static void catch_signals(void) {
    struct sigaction action = {.sa_handler = end};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    // A browser that goes away in the middle of an answer is none of our trouble.
    signal(SIGPIPE, SIG_IGN);
}

static void wait_a_little(void) {
    struct timespec time = {.tv_nsec = WAIT_MILLISECONDS * 1000000L};
    nanosleep(&time, NULL);
}

// Opens one thing to show; a run that has no frame yet is waited for.
static int open_one(const char* path, const HedShowOptions* options, HedShow** show) {
    bool said = false;
    for (;;) {
        HedError error = {0};
        HedStatus status = *show ? HED_OK : hed_show_open(path, options, show, &error);
        if (status == HED_OK && hed_show_frame_count(*show) > 0) {
            return CLI_GO;
        }
        // The run's directory is made before its first files.
        if (status != HED_OK && (status != HED_NOT_FOUND || !hed_run_is_directory(path))) {
            return cli_error(&error);
        }
        if (!said) {
            fprintf(stderr, "heddle: %s: no frames yet; waiting for the first (Ctrl-C ends)\n",
                    path);
            said = true;
        }
        wait_a_little();
        if (ended) {
            return CLI_DONE;
        }
    }
}

static bool wants_browser(const ViewArguments* arguments) {
    return !arguments->no_open && isatty(STDOUT_FILENO) &&
           (getenv("DISPLAY") || getenv("WAYLAND_DISPLAY"));
}

// Asks the desktop to open the page. The child of a child, so that nobody has to wait for it.
static void open_browser(const char* address) {
    pid_t child = fork();
    if (child == 0) {
        int nowhere = open("/dev/null", O_RDWR);
        if (nowhere >= 0) {
            dup2(nowhere, STDIN_FILENO);
            dup2(nowhere, STDOUT_FILENO);
            dup2(nowhere, STDERR_FILENO);
        }
        if (fork() == 0) {
            execlp("xdg-open", "xdg-open", address, (char*)NULL);
        }
        _exit(0);
    }
    if (child > 0) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
        }
    }
}

static void announce(const ViewArguments* arguments, const Guard* guard, const ShowList* list) {
    const Listener* listener = &guard->listener;
    char address[256];
    snprintf(address, sizeof address, "http://%s:%d/%s/", listener->address, listener->port,
             guard->token);
    printf("%s\n", address);
    fflush(stdout);
    for (int32_t i = 0; i < list->count; ++i) {
        fprintf(stderr, "heddle: showing %s: %d frame%s%s\n", hed_show_path(list->shows[i]),
                (int)list->frames[i], list->frames[i] == 1 ? "" : "s",
                list->growing[i] ? ", growing" : "");
    }
    if (!listener->is_loopback) {
        fprintf(stderr,
                "heddle: warning: everybody who can reach %s and has the address can see %s, "
                "and it travels unencrypted\n",
                listener->is_wildcard ? "this machine" : listener->address,
                list->count > 1 ? "these" : "this");
    }
    fputs("heddle: open the address in a browser; Ctrl-C ends\n", stderr);
    if (wants_browser(arguments)) {
        open_browser(address);
    }
}

static int serve(const ViewArguments* arguments, ShowList* list) {
    Listener listener;
    Guard guard;
    int code = listener_open(arguments->host, arguments->port, &listener);
    if (code != CLI_GO) {
        return code;
    }
    if (!guard_init(&guard, &listener, arguments->host)) {
        close(listener.fd);
        return cli_fail(CLI_MACHINE, "no random numbers for the address: %s", strerror(errno));
    }
    // A simulation on the same machine goes first; if that is refused, nothing is lost.
    (void)setpriority(PRIO_PROCESS, 0, 5);
    show_list_look(list);
    announce(arguments, &guard, list);
    ServerDef def = {.guard = &guard, .page = page_get(), .list = list, .stop = &ended};
    return server_run(&def);
}

static int view(const ViewArguments* arguments) {
    ShowList list = {0};
    int code = CLI_GO;
    catch_signals();
    for (int32_t i = 0; i < arguments->paths.count && code == CLI_GO; ++i) {
        code = open_one(arguments->paths.items[i], &arguments->show, &list.shows[i]);
        list.count = i + 1;
    }
    if (code == CLI_GO) {
        code = serve(arguments, &list);
    }
    for (int32_t i = 0; i < list.count; ++i) {
        hed_show_close(list.shows[i]);
    }
    return code;
}

int cli_view(int argc, char** argv) {
    ViewArguments a = {.host = "127.0.0.1", .show = hed_show_options_default()};
    const char* port = "0";
    CliList set = {.count = 0};
    const CliOption options[] = {
        {"port", 0, CLI_TEXT, &port, "N", "port to listen on (default: any that is free)"},
        {"host", 0, CLI_TEXT, &a.host, "ADDRESS",
         "address to listen on (default: 127.0.0.1, this machine alone)"},
        {"no-open", 0, CLI_FLAG, &a.no_open, NULL, "do not start a browser"},
        {"scale", 0, CLI_LENGTH, &a.show.scale, "LENGTH",
         "what a unit of a yarn or mesh file is long: 0.01 or 1cm (default: 1 m)"},
        {"radius", 0, CLI_LENGTH, &a.show.radius, "LENGTH",
         "of yarns whose file gives none (default: from their distances)"},
        {"set", 0, CLI_LIST, &set, "KEY=VALUE", "change a value of a scene by its dotted path"},
        {"tiles", 0, CLI_PAIR, a.show.tiles, "NxM",
         "cells of yarns that repeat (.pyp) side by side (default: 1x1)"},
    };
    const CliCommand command = {
        .usage = "view RUN|FILE [RUN|FILE] [--port N] [--host ADDRESS] [--no-open]",
        .about = "Serves a page that shows a run directory or a FILE in the browser; two side by "
                 "side. A\n"
                 "run that is being computed is followed. Prints the address of the page and "
                 "serves until\n"
                 "Ctrl-C.\n" CLI_SHOWN,
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .least = 1,
        .most = SHOW_LIST_LIMIT,
        .missing = "RUN or FILE",
        .more = "Only this machine can reach the page, and only who has its address, which is\n"
                "another one at each start. With --host 0.0.0.0 other machines can, too.\n",
    };
    int code = cli_parse(&command, argc, argv, &a.paths);
    if (code != CLI_GO) {
        return code;
    }
    int64_t number = 0;
    if (!cli_integer(port, 0, 65535, &number)) {
        return cli_fail(CLI_BAD_INPUT, "--port needs a whole number from 0 to 65535, got '%s'",
                        port);
    }
    a.port = (int)number;
    a.show.overrides = set.items;
    a.show.override_count = set.count;
    cli_show_notes();
    if (!server_is_there()) {
        return cli_fail(CLI_BAD_INPUT, "this build has no server (it was built without "
                                       "libwebsockets); 'heddle export' writes a page instead");
    }
    return view(&a);
}
