#include "serve/questions.h"

#include <string.h>

/* A page asks for a few things at once; more children than processors gain nothing. */
enum { RUNNING_MOST = 4, KEPT_MOST = 256 };
static const size_t KEPT_BYTES_MOST = 512u << 20;

static size_t question_bytes(const struct question *question)
{
    size_t bytes = strlen(question->route) + 1;
    for (size_t i = 0; i < question->params_n; i++)
        bytes += strlen(question->params[i].name) + strlen(question->params[i].value) + 2;
    return bytes;
}

static char *text_copy(char **to, const char *text)
{
    size_t n = strlen(text) + 1;
    char *at = memcpy(*to, text, n);
    *to += n;
    return at;
}

/* Texts one after the other with their NULs: no two questions have the same bytes. */
static struct asked *asked_make(const struct question *question)
{
    struct asked *asked = mem_alloc(sizeof *asked);
    char *to = asked->texts = mem_alloc(question_bytes(question));
    asked->question.params = mem_alloc((question->params_n + 1) * sizeof *question->params);
    asked->question.params_n = question->params_n;
    asked->question.route = text_copy(&to, question->route);
    for (size_t i = 0; i < question->params_n; i++) {
        asked->question.params[i].name = text_copy(&to, question->params[i].name);
        asked->question.params[i].value = text_copy(&to, question->params[i].value);
    }
    return asked;
}

static void asked_free(struct asked *asked)
{
    if (asked->started)
        answer_release(&asked->answer);
    mem_free(asked->question.params);
    mem_free(asked->texts);
    mem_free(asked);
}

static bool question_equals(const struct question *a, const struct question *b)
{
    if (strcmp(a->route, b->route) != 0 || a->params_n != b->params_n)
        return false;
    for (size_t i = 0; i < a->params_n; i++)
        if (strcmp(a->params[i].name, b->params[i].name) != 0 ||
            strcmp(a->params[i].value, b->params[i].value) != 0)
            return false;
    return true;
}

static void asked_start(struct questions *questions, struct asked *asked)
{
    asked->started = true;
    if (answer_start(&asked->answer, questions->make, questions->data, &asked->question,
                     answer_limits_usual()))
        questions->running++;
    else
        asked->done = true; /* failed, without a complaint */
}

struct asked *questions_ask(struct questions *questions, const struct question *question)
{
    for (size_t i = 0; i < questions->all.n; i++)
        if (question_equals(&questions->all.at[i]->question, question))
            return questions->all.at[i];
    struct asked *asked = asked_make(question);
    *vec_push(&questions->all) = asked;
    if (questions->running < RUNNING_MOST)
        asked_start(questions, asked);
    return asked;
}

void questions_polls(const struct questions *questions, struct pollfd *polls, size_t *n,
                     size_t most)
{
    for (size_t i = 0; i < questions->all.n; i++) {
        const struct asked *asked = questions->all.at[i];
        if (!asked->started || asked->done)
            continue;
        for (int f = 0; f < 2 && *n < most; f++)
            polls[(*n)++] = (struct pollfd){asked->answer.fds[f], POLLIN, 0};
    }
}

/* Failures are not kept: what failed once, of memory or time, may work the next time. */
static void forget(struct questions *questions)
{
    size_t bytes = 0, kept = 0, to = 0;
    for (size_t i = questions->all.n; i-- > 0;) {
        struct asked *asked = questions->all.at[i];
        bool bad = asked->done && asked->answer.state != ANSWER_GOOD;
        bytes += asked->answer.text.n;
        if (asked->done && !asked->waiting &&
            (bad || bytes > KEPT_BYTES_MOST || kept >= KEPT_MOST)) {
            bytes -= asked->answer.text.n;
            asked_free(asked);
            questions->all.at[i] = NULL;
        } else {
            kept++;
        }
    }
    for (size_t i = 0; i < questions->all.n; i++)
        if (questions->all.at[i])
            questions->all.at[to++] = questions->all.at[i];
    questions->all.n = to;
}

void questions_step(struct questions *questions)
{
    for (size_t i = 0; i < questions->all.n; i++) {
        struct asked *asked = questions->all.at[i];
        if (asked->started && !asked->done) {
            answer_poll(&asked->answer);
            asked->done = asked->answer.state != ANSWER_RUNS;
            questions->running -= asked->done;
        }
    }
    for (size_t i = 0; i < questions->all.n && questions->running < RUNNING_MOST; i++)
        if (!questions->all.at[i]->started)
            asked_start(questions, questions->all.at[i]);
    forget(questions);
}

void questions_release(struct questions *questions)
{
    for (size_t i = 0; i < questions->all.n; i++)
        asked_free(questions->all.at[i]);
    vec_release(&questions->all);
}
