/* Questions that a server was asked: those that wait, those that run, and answers that are kept. */
#pragma once

#include "serve/answer.h"

struct asked {
    struct question question; /* a copy; its texts are in `texts` */
    char *texts;
    struct answer answer;
    bool started, done;
    size_t waiting; /* connections that wait for it */
};

struct questions {
    answer_function *make;
    void *data;
    struct {
        VEC(struct asked *);
    } all; /* oldest first */
    size_t running;
};

/* The question as it is kept; a new one is started as soon as fewer than a few run. */
struct asked *questions_ask(struct questions *questions, const struct question *question);
/* Adds descriptors to wait for. */
void questions_polls(const struct questions *questions, struct pollfd *polls, size_t *n,
                     size_t most);
/* Takes what children wrote, starts others, forgets old answers. */
void questions_step(struct questions *questions);
void questions_release(struct questions *questions);
