// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "server/guard.h"

#include <arpa/inet.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

bool guard_init(Guard* guard, const Listener* listener, const char* name) {
    uint8_t bytes[GUARD_TOKEN / 2];
    // Requests of up to 256 bytes are never cut short.
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        return false;
    }
    *guard = (Guard){.name = name, .listener = *listener};
    for (size_t i = 0; i < sizeof bytes; ++i) {
        snprintf(guard->token + 2 * i, 3, "%02x", bytes[i]);
    }
    return true;
}

static bool is_address(const char* name) {
    unsigned char parsed[sizeof(struct in6_addr)];
    size_t size = strlen(name);
    char inner[LISTENER_TEXT];
    if (name[0] == '[' && size > 2 && size < sizeof inner && name[size - 1] == ']') {
        snprintf(inner, sizeof inner, "%.*s", (int)size - 2, name + 1);
        return inet_pton(AF_INET6, inner, parsed) == 1;
    }
    return inet_pton(AF_INET, name, parsed) == 1;
}

static bool is_own_name(const char* name) {
    char own[HOST_NAME_MAX + 1] = "";
    return gethostname(own, sizeof own - 1) == 0 && own[0] && strcasecmp(name, own) == 0;
}

static bool is_known_name(const Guard* guard, const char* name) {
    const Listener* listener = &guard->listener;
    if (strcasecmp(name, listener->address) == 0 || strcasecmp(name, guard->name) == 0) {
        return true;
    }
    if (listener->is_loopback) {
        return strcasecmp(name, "localhost") == 0;
    }
    // No other site can be called by a number, or by the name of this machine.
    return listener->is_wildcard &&
           (is_address(name) || strcasecmp(name, "localhost") == 0 || is_own_name(name));
}

bool guard_host(const Guard* guard, const char* host) {
    enum { HTTP_PORT = 80 };
    char name[256];
    const char* bracket = strchr(host, ']');
    const char* colon = strchr(bracket ? bracket : host, ':');
    size_t size = colon ? (size_t)(colon - host) : strlen(host);
    if (size == 0 || size >= sizeof name) {
        return false;
    }
    memcpy(name, host, size);
    name[size] = '\0';
    char port[16];
    snprintf(port, sizeof port, "%d", guard->listener.port);
    bool right_port = colon ? strcmp(colon + 1, port) == 0 : guard->listener.port == HTTP_PORT;
    return right_port && is_known_name(guard, name);
}

bool guard_origin(const char* origin, const char* host) {
    static const char SCHEME[] = "http://";
    size_t size = sizeof SCHEME - 1;
    return strncmp(origin, SCHEME, size) == 0 && strcasecmp(origin + size, host) == 0;
}

GuardTarget guard_target(const Guard* guard, const char* path) {
    if (path[0] != '/' || strnlen(path + 1, GUARD_TOKEN) < GUARD_TOKEN) {
        return GUARD_NOTHING;
    }
    unsigned difference = 0;
    for (int i = 0; i < GUARD_TOKEN; ++i) {
        difference |= (unsigned)(path[1 + i] ^ guard->token[i]);
    }
    const char* rest = path + 1 + GUARD_TOKEN;
    if (difference != 0) {
        return GUARD_NOTHING;
    }
    return strcmp(rest, "/") == 0         ? GUARD_PAGE
           : strcmp(rest, "/socket") == 0 ? GUARD_SOCKET
                                          : GUARD_NOTHING;
}
