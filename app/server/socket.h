// SPDX-License-Identifier: MIT
// The viewer's server: one event loop for the page and its sockets.
#ifndef SERVER_SOCKET_H
#define SERVER_SOCKET_H

#include "server/answer.h"
#include "server/guard.h"
#include "server/page.h"

#include <signal.h>

typedef struct ServerDef {
    const Guard* guard;
    Page page;
    ShowList* list;
    const volatile sig_atomic_t* stop; // not 0: end
} ServerDef;

/// Whether this build has a server; server_run of one that has none says so and fails.
bool server_is_there(void);

/// The library that serves, for --version; "" if there is none.
const char* server_library(void);

/// Serves until *stop. Takes over the listening socket. The exit code, with everything said.
int server_run(const ServerDef* def);

#endif
