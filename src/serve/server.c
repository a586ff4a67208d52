#include "serve/server.h"

#include "base/err.h"
#include "base/scope.h"
#include "serve/assets.h"
#include "serve/http_library.h"
#include "serve/questions.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CONNECTIONS_MOST = 64,
    CONNECTION_BYTES = 32768, /* a request's line and headers */
    REQUEST_SECONDS = 4,      /* until a request with the token is there: all others share the
                                 connections with it */
    CONNECTION_SECONDS = 30,
    VALUE_MOST = 4096,
    POLLS_MOST = 64,
};

/* A request that waits for an answer. */
struct waiting {
    struct server *server;
    struct MHD_Connection *connection;
    struct asked *asked; /* NULL: was not yet looked at */
    bool suspended;
    struct waiting *next, **back; /* among those that wait */
};

struct server {
    struct http_library http;
    struct MHD_Daemon *daemon;
    int socket, signals, epoll;
    uint16_t port;
    char token[TOKEN_CHARS + 1];
    char url[64 + TOKEN_CHARS];
    bool (*has_route)(const char *route);
    struct questions questions;
    struct waiting *waiting;
};

/* ---- answers */

/* No script but ours, none inline, nothing from elsewhere, in nobody's frame. */
static const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

static enum MHD_Result send_bytes(struct server *server, struct MHD_Connection *connection,
                                  unsigned status, const char *type, const void *bytes, size_t n,
                                  enum MHD_ResponseMemoryMode mode)
{
    const struct http_library *http = &server->http;
    struct MHD_Response *response =
        http->MHD_create_response_from_buffer(n, (void *)(uintptr_t)bytes, mode);
    if (!response)
        return MHD_NO;
    static const char *const headers[][2] = {{"Content-Security-Policy", policy},
                                             {"X-Content-Type-Options", "nosniff"},
                                             {"Referrer-Policy", "no-referrer"},
                                             {"Cross-Origin-Resource-Policy", "same-origin"},
                                             {"Cross-Origin-Opener-Policy", "same-origin"},
                                             {"Cache-Control", "no-store"}};
    http->MHD_add_response_header(response, "Content-Type", type);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        http->MHD_add_response_header(response, headers[i][0], headers[i][1]);
    if (status == 405)
        http->MHD_add_response_header(response, "Allow", "GET");
    enum MHD_Result result = http->MHD_queue_response(connection, status, response);
    http->MHD_destroy_response(response);
    return result;
}

static enum MHD_Result send_error(struct server *server, struct MHD_Connection *connection,
                                  unsigned status, const char *sentence)
{
    char *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&text, &n);
    if (!to)
        return MHD_NO;
    error_json(to, sentence);
    if (fclose(to) != 0)
        return MHD_NO;
    return send_bytes(server, connection, status, "application/json", text, n,
                      MHD_RESPMEM_MUST_FREE);
}

/* The answer stays in the cache, from which it could go while it is sent: so it is copied. */
static enum MHD_Result send_answer(struct server *server, struct MHD_Connection *connection,
                                   struct asked *asked)
{
    struct answer *answer = &asked->answer;
    if (answer->state == ANSWER_GOOD)
        return send_bytes(server, connection, 200, "application/json", answer->text.at,
                          answer->text.n, MHD_RESPMEM_MUST_COPY);
    return send_error(server, connection, answer->bad_question ? 400 : 422,
                      answer_complaint(answer));
}

/* ---- questions */

struct params {
    struct question_param at[QUESTION_PARAMS_MOST];
    size_t n;
    bool bad;
};

static enum MHD_Result take_param(void *to, enum MHD_ValueKind kind, const char *name,
                                  size_t name_bytes, const char *value, size_t value_bytes)
{
    struct params *params = to;
    (void)kind;
    bool whole = strlen(name) == name_bytes && (value ? strlen(value) : 0) == value_bytes;
    if (!whole || value_bytes > VALUE_MOST || params->n == QUESTION_PARAMS_MOST) {
        params->bad = true;
        return MHD_NO;
    }
    params->at[params->n++] = (struct question_param){name, value ? value : ""};
    return MHD_YES;
}

static enum MHD_Result suspend(struct server *server, struct waiting *waiting)
{
    waiting->asked->waiting++;
    waiting->suspended = true;
    waiting->next = server->waiting;
    waiting->back = &server->waiting;
    if (waiting->next)
        waiting->next->back = &waiting->next;
    server->waiting = waiting;
    server->http.MHD_suspend_connection(waiting->connection);
    return MHD_YES;
}

static void unlist(struct waiting *waiting)
{
    if (!waiting->back)
        return;
    *waiting->back = waiting->next;
    if (waiting->next)
        waiting->next->back = waiting->back;
    waiting->back = NULL;
    waiting->next = NULL;
}

static enum MHD_Result ask(struct server *server, struct waiting *waiting, const char *route)
{
    struct MHD_Connection *connection = waiting->connection;
    struct params params = {.n = 0};
    if (!server->has_route(route))
        return send_error(server, connection, 404, "there is no such route");
    server->http.MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, take_param,
                                             &params);
    if (params.bad)
        return send_error(server, connection, 400,
                          "the address has too many parameters, or one that is too long");
    struct question question = {route, params.at, params.n};
    waiting->asked = questions_ask(&server->questions, &question);
    return waiting->asked->done ? send_answer(server, connection, waiting->asked)
                                : suspend(server, waiting);
}

static enum MHD_Result answer_request(struct server *server, struct waiting *waiting,
                                      const char *method, const char *url)
{
    static const char api[] = "api/";
    struct MHD_Connection *connection = waiting->connection;
    const struct http_library *http = &server->http;
    struct access_request request = {
        method, url, http->MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host"),
        http->MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin")};
    unsigned status;
    const char *path,
        *refused = access_refuses(&request, server->token, server->port, &status, &path);
    if (refused)
        return send_error(server, connection, status, refused);
    http->MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT,
                                    (unsigned)CONNECTION_SECONDS);
    if (strncmp(path, api, sizeof api - 1) == 0)
        return ask(server, waiting, path + sizeof api - 1);
    const struct asset *asset = asset_find(path);
    if (!asset)
        return send_error(server, connection, 404, "there is no such page");
    return send_bytes(server, connection, 200, asset->type, asset->begin, asset_bytes(asset),
                      MHD_RESPMEM_PERSISTENT);
}

/* Called once when the headers are there, again when the request is complete, and again when it was
 * suspended and goes on. */
static enum MHD_Result on_request(void *data, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_bytes, void **state)
{
    struct server *server = data;
    struct waiting *waiting = *state;
    (void)version, (void)upload;
    if (!waiting) {
        waiting = *state = mem_alloc(sizeof *waiting);
        waiting->server = server;
        waiting->connection = connection;
        return MHD_YES;
    }
    if (*upload_bytes) { /* nobody reads it */
        *upload_bytes = 0;
        return MHD_YES;
    }
    if (waiting->asked)
        return send_answer(server, connection, waiting->asked);
    return answer_request(server, waiting, method, url);
}

static void on_completed(void *data, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode why)
{
    struct waiting *waiting = *state;
    (void)data, (void)connection, (void)why;
    if (!waiting)
        return;
    unlist(waiting);
    if (waiting->suspended)
        waiting->asked->waiting--;
    mem_free(waiting);
    *state = NULL;
}

static void resume_answered(struct server *server)
{
    for (struct waiting *waiting = server->waiting, *next; waiting; waiting = next) {
        next = waiting->next;
        if (!waiting->asked->done)
            continue;
        unlist(waiting);
        server->http.MHD_resume_connection(waiting->connection);
    }
}

/* ---- life */

static bool listen_on(struct server *server, uint16_t port, struct err *err)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof at;
    int one = 1;
    server->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (server->socket < 0)
        return err_errno(err, "cannot make a socket");
    setsockopt(server->socket, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(server->socket, (struct sockaddr *)&at, sizeof at) < 0) {
        if (errno == EADDRINUSE)
            return err_set(err, ERR_SYSTEM,
                           "port %u is in use; choose another, or leave out --port for one that "
                           "is free",
                           port);
        if (errno == EACCES)
            return err_set(err, ERR_SYSTEM, "port %u needs root; choose one above 1023", port);
        return err_errno(err, "cannot use port %u of 127.0.0.1", port);
    }
    if (listen(server->socket, CONNECTIONS_MOST) < 0 ||
        getsockname(server->socket, (struct sockaddr *)&at, &bytes) < 0)
        return err_errno(err, "cannot listen on port %u of 127.0.0.1", port);
    server->port = ntohs(at.sin_port);
    return true;
}

static bool daemon_start(struct server *server, struct err *err)
{
    const unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;
    server->daemon = server->http.MHD_start_daemon(
        flags, server->port, NULL, NULL, on_request, server, MHD_OPTION_LISTEN_SOCKET,
        server->socket, MHD_OPTION_NOTIFY_COMPLETED, on_completed, server,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MOST, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_BYTES, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)REQUEST_SECONDS,
        MHD_OPTION_END);
    if (!server->daemon)
        return err_set(err, ERR_SYSTEM, "libmicrohttpd cannot start a server");
    server->socket = -1; /* the daemon's from now on */
    const union MHD_DaemonInfo *info =
        server->http.MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    server->epoll = info ? info->epoll_fd : -1;
    return server->epoll >= 0 || err_set(err, ERR_SYSTEM, "libmicrohttpd has no epoll");
}

static bool signals_open(struct server *server, struct err *err)
{
    sigset_t set;
    struct sigaction hangup;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    if (sigaction(SIGHUP, NULL, &hangup) < 0 || hangup.sa_handler != SIG_IGN) /* nohup */
        sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    server->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return server->signals >= 0 || err_errno(err, "cannot wait for signals");
}

bool server_open(struct server **ret_server, const struct server_options *options, struct err *err)
{
    struct server *server = mem_alloc(sizeof *server);
    server->socket = server->signals = -1;
    server->has_route = options->has_route;
    server->questions.make = options->make;
    server->questions.data = options->data;
    if (!http_library_open(&server->http, err) || !listen_on(server, options->port, err) ||
        !signals_open(server, err) || !daemon_start(server, err)) {
        server_close(server);
        return false;
    }
    if (!token_make(server->token)) {
        server_close(server);
        return err_errno(err, "no random numbers");
    }
    snprintf(server->url, sizeof server->url, "http://127.0.0.1:%u/%s/", server->port,
             server->token);
    for (const struct question *first = options->first; first && first->route; first++)
        questions_ask(&server->questions, first);
    *ret_server = server;
    return true;
}

const char *server_url(const struct server *server)
{
    return server->url;
}

/* At most a second: a child is stopped when its time is over. */
static int wait_ms(struct server *server)
{
    MHD_UNSIGNED_LONG_LONG ms;
    if (server->http.MHD_get_timeout(server->daemon, &ms) != MHD_YES || ms > 1000)
        return 1000;
    return (int)ms;
}

bool server_run(struct server *server, struct err *err)
{
    for (;;) {
        struct pollfd polls[POLLS_MOST] = {{server->signals, POLLIN, 0},
                                           {server->epoll, POLLIN, 0}};
        size_t n = 2;
        questions_polls(&server->questions, polls, &n, POLLS_MOST);
        if (poll(polls, n, wait_ms(server)) < 0 && errno != EINTR)
            return err_errno(err, "cannot wait for requests");
        if (polls[0].revents)
            return true;
        questions_step(&server->questions);
        resume_answered(server);
        server->http.MHD_run(server->daemon);
    }
}

void server_close(struct server *server)
{
    for (struct waiting *waiting = server->waiting, *next; waiting; waiting = next) {
        next = waiting->next;
        unlist(waiting);
        server->http.MHD_resume_connection(waiting->connection);
    }
    if (server->daemon)
        server->http.MHD_stop_daemon(server->daemon);
    if (server->socket >= 0)
        close(server->socket);
    if (server->signals >= 0)
        close(server->signals);
    questions_release(&server->questions);
    mem_free(server);
}
