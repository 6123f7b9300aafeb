// SPDX-License-Identifier: MIT
// The door to libwebsockets. Nothing here knows what a message means.
#include "server/socket.h"
#include "cli/common.h"

#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OPEN_LIMIT = 16,      // WebSockets
    WAITING_LIMIT = 32,   // other connections; the oldest stranger makes room for the next
    QUEUE_LIMIT = 16,     // requests of one client that wait for their answers
    HEADER_LIMIT = 16384, // bytes of a request's head; browsers send cookies of other ports, too
    CHUNK = 65536,        // bytes given to a socket at once
    STRANGER_SECONDS = 5, // to say what one wants
    PING_SECONDS = 60,    // of silence, then the browser is asked for a sign of life
    HANGUP_SECONDS = 90,  // of silence
    LOOK_MICROSECONDS = 250000, // between two looks at growing runs
    LOG_LIMIT = 5,              // messages of the library; a bad client must not fill a log
};

typedef struct Server Server;

// One connection, from its first byte to its end.
typedef struct Client {
    Server* server;
    struct lws* wsi;
    struct Client* next; // newer
    double since;        // clock when it came
    bool is_trusted;     // has shown the token
    bool is_open;        // is a WebSocket

    // HTTP: what is left of the page
    const char* rest;
    size_t rest_size;

    // WebSocket: the message that comes in, requests in order, the message that goes out
    char incoming[REQUEST_LIMIT + 1];
    size_t incoming_size;
    char queue[QUEUE_LIMIT][REQUEST_LIMIT + 1];
    int32_t queue_first, queue_count;
    uint32_t grown; // runs the client must hear of
    Message message;
    size_t sent;
    bool is_answer; // to the first request of the queue
} Client;

struct Server {
    const ServerDef* def;
    struct lws_context* context;
    struct lws_vhost* vhost;
    Client* clients; // oldest first
    lws_sorted_usec_list_t timer;
    uint8_t chunk[LWS_PRE + CHUNK];
};

bool server_is_there(void) {
    return true;
}

const char* server_library(void) {
    return "libwebsockets (MIT)";
}

// --- connections ---

static int32_t count_clients(const Server* server, bool open) {
    int32_t count = 0;
    for (const Client* client = server->clients; client; client = client->next) {
        count += client->is_open == open;
    }
    return count;
}

static void forget(Server* server, const Client* gone) {
    for (Client** link = &server->clients; *link; link = &(*link)->next) {
        if (*link == gone) {
            *link = gone->next;
            return;
        }
    }
}

// Ends the oldest connection that has not shown the token and came before some time; false if
// there is none.
static bool end_stranger(Server* server, double before) {
    for (Client* client = server->clients; client; client = client->next) {
        if (!client->is_trusted && client->since <= before) {
            lws_set_timeout(client->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC);
            return true;
        }
    }
    return false;
}

static void accept_next(Server* server) {
    int fd = listener_accept(&server->def->guard->listener);
    if (fd < 0) {
        return;
    }
    bool has_room = count_clients(server, false) < WAITING_LIMIT || end_stranger(server, cli_now());
    Client* client = has_room ? calloc(1, sizeof *client) : NULL;
    if (!client) {
        close(fd);
        return;
    }
    client->server = server;
    client->since = cli_now();
    Client** last = &server->clients;
    while (*last) {
        last = &(*last)->next;
    }
    *last = client;
    lws_adopt_desc_t adoption = {.vh = server->vhost,
                                 .type = LWS_ADOPT_HTTP | LWS_ADOPT_SOCKET,
                                 .fd.sockfd = fd,
                                 .opaque = client};
    client->wsi = lws_adopt_descriptor_vhost_via_info(&adoption);
}

// --- HTTP ---

// "" if the header is missing, does not fit or hides something behind a zero byte.
static const char* header(struct lws* wsi, enum lws_token_indexes token, char* text, int size) {
    int length = lws_hdr_copy(wsi, text, size, token);
    return length > 0 && strlen(text) == (size_t)length ? text : "";
}

// The head of an answer, and its body if it is short. The connection ends after it.
static int respond(Client* client, const char* status, const char* more, const char* type,
                   size_t size) {
    char* text = (char*)client->server->chunk + LWS_PRE;
    int length = snprintf(text, CHUNK,
                          "HTTP/1.1 %s\r\n"
                          "Content-Type: %s; charset=utf-8\r\n"
                          "Content-Length: %zu\r\n"
                          "Connection: close\r\n"
                          "Cache-Control: no-store\r\n"
                          "X-Content-Type-Options: nosniff\r\n"
                          "X-Frame-Options: DENY\r\n"
                          "Referrer-Policy: no-referrer\r\n"
                          "Cross-Origin-Opener-Policy: same-origin\r\n"
                          "Cross-Origin-Resource-Policy: same-origin\r\n"
                          "%s\r\n",
                          status, type, size, more);
    return lws_write(client->wsi, (uint8_t*)text, (size_t)length, LWS_WRITE_HTTP_HEADERS);
}

// -1, which makes the library end the connection once the answer is out.
static int refuse(Client* client, const char* status, const char* more) {
    char text[128];
    int length = snprintf(text, sizeof text, "%s\n", status);
    if (respond(client, status, more, "text/plain", (size_t)length) >= 0) {
        uint8_t* body = client->server->chunk + LWS_PRE;
        memcpy(body, text, (size_t)length);
        lws_write(client->wsi, body, (size_t)length, LWS_WRITE_HTTP_FINAL);
    }
    return -1;
}

static int begin_page(Client* client, const char* host) {
    char more[512];
    // Scripts and styles stand in the page itself. It may talk to where it came from and to nobody
    // else.
    snprintf(more, sizeof more,
             "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; "
             "style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self' ws://%s; "
             "worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n",
             host);
    const Page* page = &client->server->def->page;
    client->rest = page->text;
    client->rest_size = page->size;
    if (respond(client, "200 OK", more, "text/html", page->size) < 0) {
        return -1;
    }
    lws_callback_on_writable(client->wsi);
    return 0;
}

static int send_page(Client* client) {
    size_t size = client->rest_size < CHUNK ? client->rest_size : CHUNK;
    uint8_t* chunk = client->server->chunk + LWS_PRE;
    if (size == 0) {
        return -1;
    }
    memcpy(chunk, client->rest, size);
    client->rest += size;
    client->rest_size -= size;
    bool is_last = client->rest_size == 0;
    if (lws_write(client->wsi, chunk, size, is_last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0 ||
        is_last) {
        return -1;
    }
    lws_set_timeout(client->wsi, PENDING_TIMEOUT_HTTP_CONTENT, STRANGER_SECONDS);
    lws_callback_on_writable(client->wsi);
    return 0;
}

// The checks that page and socket share. 0, or -1 after a refusal.
static int check_request(Client* client, GuardTarget wanted, char* host, int host_size) {
    const Guard* guard = client->server->def->guard;
    char path[GUARD_TOKEN + 16];
    if (!guard_host(guard, header(client->wsi, WSI_TOKEN_HOST, host, host_size))) {
        return refuse(client, "403 Forbidden", "");
    }
    if (lws_hdr_total_length(client->wsi, WSI_TOKEN_GET_URI) <= 0) {
        return refuse(client, "405 Method Not Allowed", "Allow: GET\r\n");
    }
    if (guard_target(guard, header(client->wsi, WSI_TOKEN_GET_URI, path, sizeof path)) != wanted) {
        return refuse(client, "404 Not Found", "");
    }
    client->is_trusted = true;
    return 0;
}

static int answer_http(Client* client) {
    char host[256];
    return check_request(client, GUARD_PAGE, host, sizeof host) == 0 ? begin_page(client, host)
                                                                     : -1;
}

static int confirm_upgrade(Client* client, const char* to) {
    char host[256];
    char origin[320];
    char protocol[32];
    if (check_request(client, GUARD_SOCKET, host, sizeof host) != 0) {
        return -1;
    }
    if (strcmp(to, "websocket") != 0 ||
        strcmp(header(client->wsi, WSI_TOKEN_PROTOCOL, protocol, sizeof protocol), "heddle-1") !=
            0) {
        return refuse(client, "400 Bad Request", "");
    }
    if (!guard_origin(header(client->wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin), host)) {
        return refuse(client, "403 Forbidden", "");
    }
    if (count_clients(client->server, true) >= OPEN_LIMIT) {
        return refuse(client, "503 Service Unavailable", "");
    }
    return 0;
}

// --- WebSocket ---

static int hang_up(Client* client, enum lws_close_status status, const char* reason) {
    unsigned char text[64];
    int length = snprintf((char*)text, sizeof text, "%s", reason);
    lws_close_reason(client->wsi, status, text, (size_t)length);
    return -1;
}

static int receive(Client* client, const void* data, size_t size) {
    if (lws_frame_is_binary(client->wsi)) {
        return hang_up(client, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "requests are text");
    }
    if (size > REQUEST_LIMIT - client->incoming_size ||
        lws_remaining_packet_payload(client->wsi) > REQUEST_LIMIT) {
        return hang_up(client, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "more than 256 bytes");
    }
    memcpy(client->incoming + client->incoming_size, data, size);
    client->incoming_size += size;
    if (!lws_is_final_fragment(client->wsi)) {
        return 0;
    }
    if (client->queue_count == QUEUE_LIMIT) {
        return hang_up(client, LWS_CLOSE_STATUS_POLICY_VIOLATION, "more than 16 requests wait");
    }
    if (memchr(client->incoming, 0, client->incoming_size)) {
        return hang_up(client, LWS_CLOSE_STATUS_POLICY_VIOLATION, "not a request");
    }
    client->incoming[client->incoming_size] = '\0';
    int32_t slot = (client->queue_first + client->queue_count++) % QUEUE_LIMIT;
    memcpy(client->queue[slot], client->incoming, client->incoming_size + 1);
    client->incoming_size = 0;
    lws_callback_on_writable(client->wsi);
    return 0;
}

// Chooses the next message; false if the first request is none.
static bool next_message(Client* client) {
    const ShowList* list = client->server->def->list;
    client->sent = 0;
    client->is_answer = client->grown == 0;
    for (int32_t run = 0; run < list->count && !client->is_answer; ++run) {
        if (client->grown & 1u << run) {
            client->grown &= ~(1u << run);
            message_grown(list, run, &client->message);
            return true;
        }
    }
    return answer_request(list, client->queue[client->queue_first], &client->message);
}

static void end_message(Client* client) {
    message_free(&client->message);
    if (client->is_answer) {
        client->queue_first = (client->queue_first + 1) % QUEUE_LIMIT;
        client->queue_count -= 1;
    }
}

// Sends a piece of the message that goes out.
static bool send_piece(Client* client) {
    const Message* message = &client->message;
    size_t left = message->size - client->sent;
    size_t size = left < CHUNK ? left : CHUNK;
    uint8_t* chunk = client->server->chunk + LWS_PRE;
    memcpy(chunk, (const uint8_t*)message->data + client->sent, size);
    int flags = lws_write_ws_flags(message->is_text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY,
                                   client->sent == 0, size == left);
    if (lws_write(client->wsi, chunk, size, (enum lws_write_protocol)flags) < 0) {
        return false;
    }
    client->sent += size;
    if (size == left) {
        end_message(client);
    }
    return true;
}

// Sends as much of one message as the socket takes; then it is another client's turn. A client that
// does not read is not writable, and costs nothing but the message that it does not take.
static int send_some(Client* client) {
    if (!client->message.data) {
        if (client->grown == 0 && client->queue_count == 0) {
            return 0;
        }
        if (!next_message(client)) {
            return hang_up(client, LWS_CLOSE_STATUS_POLICY_VIOLATION, "not a request");
        }
    }
    do {
        if (!send_piece(client)) {
            return -1;
        }
    } while (client->message.data && !lws_send_pipe_choked(client->wsi));
    if (client->message.data || client->grown != 0 || client->queue_count > 0) {
        lws_callback_on_writable(client->wsi);
    }
    return 0;
}

static void look(lws_sorted_usec_list_t* timer) {
    Server* server = lws_container_of(timer, Server, timer);
    uint32_t changed = show_list_look(server->def->list);
    for (Client* client = server->clients; client && changed != 0; client = client->next) {
        if (client->is_open) {
            client->grown |= changed;
            lws_callback_on_writable(client->wsi);
        }
    }
    while (end_stranger(server, cli_now() - STRANGER_SECONDS)) {
    }
    lws_sul_schedule(server->context, 0, timer, look, LOOK_MICROSECONDS);
}

// --- the library's face ---

static void destroy_client(Client* client) {
    forget(client->server, client);
    message_free(&client->message);
    free(client);
}

static int on_event(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in,
                    size_t size) {
    (void)user;
    Client* client = wsi ? lws_get_opaque_user_data(wsi) : NULL;
    if (reason == LWS_CALLBACK_RAW_RX_FILE) {
        accept_next(lws_context_user(lws_get_context(wsi)));
        return 0;
    }
    if (!client) {
        return 0;
    }
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return answer_http(client);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return send_page(client);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return confirm_upgrade(client, in);
    case LWS_CALLBACK_ESTABLISHED:
        client->is_open = true;
        return 0;
    case LWS_CALLBACK_RECEIVE:
        return receive(client, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return send_some(client);
    case LWS_CALLBACK_WSI_DESTROY:
        destroy_client(client);
        return 0;
    default:
        return 0;
    }
}

static void on_log(int level, const char* line) {
    static int said = 0;
    (void)level;
    if (said++ < LOG_LIMIT) {
        fprintf(stderr, "heddle: libwebsockets: %s", line);
    }
}

static bool start(Server* server) {
    // Without a size of its own the library sends in pieces of the receive buffer's size.
    static const struct lws_protocols PROTOCOLS[] = {
        {.name = "http", .callback = on_event, .tx_packet_size = LWS_PRE + CHUNK},
        {.name = "heddle-1",
         .callback = on_event,
         .rx_buffer_size = REQUEST_LIMIT + 1,
         .tx_packet_size = LWS_PRE + CHUNK},
        {0},
    };
    static const lws_retry_bo_t SILENCE = {.secs_since_valid_ping = PING_SECONDS,
                                           .secs_since_valid_hangup = HANGUP_SECONDS};
    lws_set_log_level(LLL_ERR, on_log);
    struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN_SERVER,
        .protocols = PROTOCOLS,
        .user = server,
        .max_http_header_data = HEADER_LIMIT,
        .max_http_header_pool = WAITING_LIMIT + 1,
        .fd_limit_per_thread = 2 * (WAITING_LIMIT + OPEN_LIMIT),
        .timeout_secs = STRANGER_SECONDS,
        .keepalive_timeout = STRANGER_SECONDS,
        .retry_and_idle_policy = &SILENCE,
    };
    server->context = lws_create_context(&info);
    server->vhost = server->context ? lws_get_vhost_by_name(server->context, "default") : NULL;
    lws_sock_file_fd_type fd = {.filefd = server->def->guard->listener.fd};
    if (!server->vhost ||
        !lws_adopt_descriptor_vhost(server->vhost, LWS_ADOPT_RAW_FILE_DESC, fd, "http", NULL)) {
        return false;
    }
    look(&server->timer);
    return true;
}

int server_run(const ServerDef* def) {
    Server* server = calloc(1, sizeof *server);
    if (!server) {
        return cli_no_memory();
    }
    server->def = def;
    int code = CLI_DONE;
    if (!start(server)) {
        code = cli_fail(CLI_MACHINE, "the server did not start");
    }
    while (code == CLI_DONE && !*def->stop) {
        if (lws_service(server->context, 0) < 0) {
            code = cli_fail(CLI_MACHINE, "the server's event loop failed");
        }
    }
    lws_context_destroy(server->context);
    free(server);
    return code;
}
