// SPDX-License-Identifier: MIT
// The listening socket of the viewer's server.
#ifndef SERVER_LISTEN_H
#define SERVER_LISTEN_H

#include <stdbool.h>

enum { LISTENER_TEXT = 64 };

typedef struct Listener {
    int fd; // non-blocking
    int port;
    char address[LISTENER_TEXT]; // numeric, as it stands in a URL: "127.0.0.1", "[::1]"
    bool is_loopback;            // reached from this machine only
    bool is_wildcard;            // all addresses of this machine
} Listener;

/// Listens on an address of this machine, port 0 for any free one. CLI_GO, or the exit code with
/// everything said.
int listener_open(const char* host, int port, Listener* listener);

/// The socket of the next connection that waits, non-blocking; -1 if there is none.
int listener_accept(const Listener* listener);

#endif
