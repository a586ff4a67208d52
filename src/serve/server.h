/* A server on 127.0.0.1 for one page and the data that it asks for.
 *
 * One thread: libmicrohttpd reads and writes, and each question of the page is answered by a child
 * (answer.h). Answers are kept, so that what was asked for once comes at once. */
#pragma once

#include "serve/access.h"
#include "serve/answer.h"

struct err;
struct server;

struct server_options {
    uint16_t port; /* 0: any that is free */
    answer_function *make;
    void *data;
    /* Whether there is a route of this name; asked before a child is started. */
    bool (*has_route)(const char *route);
    /* Asked before the page asks, so that it need not wait; ends with a route that is NULL. */
    const struct question *first;
};

bool server_open(struct server **ret_server, const struct server_options *options, struct err *err);
/* "http://127.0.0.1:PORT/TOKEN/" */
const char *server_url(const struct server *server);
/* Serves until SIGINT, SIGTERM or SIGHUP arrives. */
bool server_run(struct server *server, struct err *err);
void server_close(struct server *server);
