#include "cmd/view/routes.h"

#include "base/err.h"
#include "base/memory.h"
#include "base/version.h"
#include "cmd/cmd.h"
#include "text/json.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static const struct route {
    const char *name, *params;
    int (*run)(int argc, char **argv);
} routes[] = {
#define ROUTE(name, params) {#name, params, cmd_##name},
#include "cmd/view/routes.def"
#undef ROUTE
};
enum { ROUTES_N = sizeof routes / sizeof *routes, WORDS_MOST = QUESTION_PARAMS_MOST + 8 };

static const struct route *route_find(const char *name)
{
    for (size_t i = 0; i < ROUTES_N; i++)
        if (strcmp(routes[i].name, name) == 0)
            return &routes[i];
    return NULL;
}

/* "about" is the one route without a command: what is looked at, and which routes there are. */
bool route_exists(const char *name)
{
    return strcmp(name, "about") == 0 || route_find(name);
}

/* The next parameter of a list; NULL at its end. */
static const char *param_next(const char *at, size_t *ret_bytes, bool *ret_argument)
{
    at += strspn(at, " ");
    *ret_argument = *at == '!';
    at += *ret_argument;
    *ret_bytes = strcspn(at, " ");
    return *ret_bytes ? at : NULL;
}

static int about(const struct viewed *viewed)
{
    struct json json;
    struct utsname here;
    json_begin(&json, stdout);
    json_object(&json, NULL);
    json_string(&json, "schema", "gait/view/1");
    json_string(&json, "version", GAIT_VERSION);
    json_array(&json, "profiles");
    for (size_t i = 0; i < viewed->n; i++)
        json_string(&json, NULL, viewed->paths[i]);
    json_array_end(&json);
    json_array(&json, "problems");
    for (size_t i = 0; i < viewed->n; i++)
        if (viewed->warnings[i])
            json_string(&json, NULL, viewed->warnings[i]);
    json_array_end(&json);
    json_string(&json, "host", uname(&here) == 0 ? here.nodename : "");
    json_object(&json, "routes");
    for (size_t i = 0; i < ROUTES_N; i++) {
        size_t bytes;
        bool argument;
        json_array(&json, routes[i].name);
        for (const char *at = routes[i].params; (at = param_next(at, &bytes, &argument));
             at += bytes) {
            char name[64];
            snprintf(name, sizeof name, "%s%.*s", argument ? "!" : "", (int)bytes, at);
            json_string(&json, NULL, name);
        }
        json_array_end(&json);
    }
    json_object_end(&json);
    json_object_end(&json);
    json_end(&json);
    return EXIT_DONE;
}

/* 1 or 2 if the route has the parameter, as an option or as the argument. */
static int param_kind(const struct route *route, const char *name)
{
    size_t bytes;
    bool argument;
    for (const char *at = route->params; (at = param_next(at, &bytes, &argument)); at += bytes)
        if (strlen(name) == bytes && memcmp(at, name, bytes) == 0)
            return 1 + argument;
    return 0;
}

/* Which of two profiles a question is about: the later one, unless it says of=before. */
static const char *input_of(const struct viewed *viewed, const struct question *question)
{
    for (size_t i = 0; i < question->params_n; i++)
        if (strcmp(question->params[i].name, "of") == 0)
            return viewed
                ->paths[strcmp(question->params[i].value, "before") == 0 ? 0 : viewed->n - 1];
    return viewed->paths[viewed->n - 1];
}

struct words {
    char *at[WORDS_MOST];
    int n;
};

static bool take_params(struct words *words, const struct route *route,
                        const struct question *question, const char **ret_argument)
{
    struct arena arena = {0}; /* lives as long as this child */
    for (size_t i = 0; i < question->params_n; i++) {
        const char *name = question->params[i].name, *value = question->params[i].value;
        int kind = param_kind(route, name);
        if (strcmp(name, "of") == 0)
            continue;
        if (!kind || i >= QUESTION_PARAMS_MOST) {
            say("route %s has no parameter %s", route->name, name);
            return false;
        }
        if (kind == 2)
            *ret_argument = value;
        else
            words->at[words->n++] = *value ? arena_format(&arena, "--%s=%s", name, value)
                                           : arena_format(&arena, "--%s", name);
    }
    return true;
}

static char *word(const char *text)
{
    return (char *)(uintptr_t)text; /* getopt takes words that it could change, and does not */
}

int route_answer(void *data, const struct question *question)
{
    const struct viewed *viewed = data;
    const struct route *route = route_find(question->route);
    const char *argument = NULL;
    struct words words = {.at = {word(question->route), word("--json")}, .n = 2};
    if (!route)
        return about(viewed);
    if (!take_params(&words, route, question, &argument))
        return EXIT_USAGE;
    bool both = route->run == cmd_diff;
    if (both && viewed->n < 2) {
        say("there is one profile: gait view --diff BEFORE AFTER compares two");
        return EXIT_USAGE;
    }
    if (!both && route->run != cmd_info)
        words.at[words.n++] = word("--quiet");
    if (!both) {
        words.at[words.n++] = word("-i");
        words.at[words.n++] = word(input_of(viewed, question));
    }
    words.at[words.n++] = word("--");
    if (both) {
        words.at[words.n++] = word(viewed->paths[0]);
        words.at[words.n++] = word(viewed->paths[1]);
    } else if (argument) {
        words.at[words.n++] = word(argument);
    }
    words.at[words.n] = NULL;
    optind = 0; /* 0 starts getopt anew */
    return route->run(words.n, words.at);
}
