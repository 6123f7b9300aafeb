// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // accept4
#include "server/listen.h"
#include "cli/common.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 64 };

static int refuse(const char* host, int port, int failure) {
    if (failure == EADDRINUSE) {
        return cli_fail(CLI_MACHINE,
                        "port %d of %s is in use; without --port heddle takes a free one", port,
                        host);
    }
    if (failure == EADDRNOTAVAIL) {
        return cli_fail(CLI_BAD_INPUT, "--host %s: is not an address of this machine", host);
    }
    return cli_fail(CLI_MACHINE, "cannot listen on %s, port %d: %s", host, port, strerror(failure));
}

// Address and port that the socket got, and who can reach it.
static bool describe(Listener* listener) {
    union {
        struct sockaddr_storage whole;
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } bound = {0};
    socklen_t size = sizeof bound;
    if (getsockname(listener->fd, &bound.any, &size) != 0) {
        return false;
    }
    char text[INET6_ADDRSTRLEN] = "";
    if (bound.any.sa_family == AF_INET6) {
        inet_ntop(AF_INET6, &bound.six.sin6_addr, text, sizeof text);
        snprintf(listener->address, sizeof listener->address, "[%s]", text);
        listener->port = ntohs(bound.six.sin6_port);
        listener->is_loopback = IN6_IS_ADDR_LOOPBACK(&bound.six.sin6_addr);
        listener->is_wildcard = IN6_IS_ADDR_UNSPECIFIED(&bound.six.sin6_addr);
    } else {
        inet_ntop(AF_INET, &bound.four.sin_addr, text, sizeof text);
        snprintf(listener->address, sizeof listener->address, "%s", text);
        listener->port = ntohs(bound.four.sin_port);
        listener->is_loopback = ntohl(bound.four.sin_addr.s_addr) >> 24 == 127;
        listener->is_wildcard = bound.four.sin_addr.s_addr == htonl(INADDR_ANY);
    }
    return true;
}

static bool bind_and_listen(int fd, const struct addrinfo* address) {
    int on = 1;
    // A viewer that ended a moment ago does not block its port for the next one.
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (address->ai_family == AF_INET6) {
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    }
    return bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0;
}

int listener_open(const char* host, int port, Listener* listener) {
    char service[16];
    snprintf(service, sizeof service, "%d", port);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo* found = NULL;
    int trouble = getaddrinfo(host, service, &hints, &found);
    if (trouble != 0) {
        return cli_fail(CLI_BAD_INPUT, "--host %s: %s", host, gai_strerror(trouble));
    }
    *listener = (Listener){
        .fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP)};
    int code = CLI_GO;
    if (listener->fd < 0 || !bind_and_listen(listener->fd, found) || !describe(listener)) {
        code = refuse(host, port, errno);
        if (listener->fd >= 0) {
            close(listener->fd);
        }
    }
    freeaddrinfo(found);
    return code;
}

int listener_accept(const Listener* listener) {
    int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    int on = 1;
    if (fd >= 0) {
        // Otherwise the last piece of a message waits for an answer to the one before it.
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    return fd;
}
