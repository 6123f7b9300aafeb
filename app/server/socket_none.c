// SPDX-License-Identifier: MIT
// In place of socket.c in a build without libwebsockets.
#include "cli/common.h"
#include "server/socket.h"

bool server_is_there(void) {
    return false;
}

const char* server_library(void) {
    return "";
}

int server_run(const ServerDef* def) {
    (void)def;
    return cli_fail(CLI_BAD_INPUT, "this build has no server");
}
