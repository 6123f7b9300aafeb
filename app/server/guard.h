// SPDX-License-Identifier: MIT
// Who may see the viewer's page and open its socket (docs/security.md). Decides on texts alone.
#ifndef SERVER_GUARD_H
#define SERVER_GUARD_H

#include "server/listen.h"

enum { GUARD_TOKEN = 32 }; // hexadecimal digits: 128 bits

typedef struct Guard {
    char token[GUARD_TOKEN + 1];
    const char* name; // how the user called the host; borrowed
    Listener listener;
} Guard;

/// A new token from the system's random numbers; false if there are none.
bool guard_init(Guard* guard, const Listener* listener, const char* name);

/// Whether a Host header means this server. A page of another site whose name was made to point at
/// this address (DNS rebinding) sends its own name here.
bool guard_host(const Guard* guard, const char* host);

/// Whether an Origin header is that of a page that came from this host.
bool guard_origin(const char* origin, const char* host);

typedef enum GuardTarget { GUARD_NOTHING, GUARD_PAGE, GUARD_SOCKET } GuardTarget;

/// What a path leads to. A wrong token takes as long to refuse as an almost right one.
GuardTarget guard_target(const Guard* guard, const char* path);

#endif
