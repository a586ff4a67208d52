#include "fleet/watch/config.h"

#include "base/err.h"
#include "base/scope.h"
#include "store/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

static char *trimmed(char *text)
{
    text += strspn(text, " \t\r");
    size_t n = strlen(text);
    while (n && strchr(" \t\r", text[n - 1]))
        text[--n] = 0;
    return text;
}

static bool number_take(const char *value, double low, double high, double *ret_number)
{
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end || !(number >= low && number <= high))
        return false;
    *ret_number = number;
    return true;
}

/* "0.1", "0.1 %", "5m", "64M": a number with an optional unit. */
static bool scaled_take(char *value, const char *units, const double *factors, double high,
                        double *ret_number)
{
    size_t n = strlen(value);
    const char *unit = n ? strchr(units, value[n - 1]) : NULL;
    double factor = unit && *unit ? factors[unit - units] : 1;
    if (unit && *unit)
        value[n - 1] = 0;
    if (!number_take(trimmed(value), 1e-6, high, ret_number))
        return false;
    *ret_number *= factor;
    return true;
}

static const double LEAST_S = 0.01;

static bool setting_take(struct watch_config *config, const char *key, char *value, struct err *err)
{
    static const double times[] = {1, 60, 3600}, sizes[] = {1024, 1048576, 1073741824};
    static const double percent[] = {1};
    double bytes = 0;
    if (strcmp(key, "store") == 0) {
        config->store = value;
        return store_named(value) ||
               err_set(err, ERR_USAGE, "store = %s: expected sqlite:PATH or postgresql://...",
                       value);
    }
    if (strcmp(key, "spool") == 0 || strcmp(key, "machine") == 0) {
        *(*key == 's' ? &config->spool : &config->machine) = value;
        return *value || err_set(err, ERR_USAGE, "%s = : expected a name", key);
    }
    if (strcmp(key, "mode") == 0) {
        config->mode = value;
        return strcmp(value, "sampled") == 0 || strcmp(value, "plain") == 0 ||
               err_set(err, ERR_USAGE, "mode = %s: expected sampled or plain", value);
    }
    if (strcmp(key, "budget") == 0)
        return scaled_take(value, "%", percent, 100, &config->budget) ||
               err_set(err, ERR_USAGE, "budget: expected per cent of all CPU time, as in 0.1");
    if (strcmp(key, "every") == 0 || strcmp(key, "seconds") == 0) {
        double *to = *key == 'e' ? &config->every_s : &config->seconds;
        return (scaled_take(value, "smh", times, 1e6, to) && *to >= LEAST_S) ||
               err_set(err, ERR_USAGE, "%s: expected a time, as in 30s or 5m", key);
    }
    if (strcmp(key, "send") == 0) {
        config->send_s = 0;
        return strcmp(value, "each") == 0 ||
               scaled_take(value, "smh", times, 24 * 3600, &config->send_s) ||
               err_set(err, ERR_USAGE, "send: expected a time, as in 1h, or each");
    }
    if (strcmp(key, "spool-size") == 0 || strcmp(key, "send-size") == 0 ||
        strcmp(key, "store-size") == 0) {
        if (!scaled_take(value, "KMG", sizes, 1e9, &bytes) || bytes < 1)
            return err_set(err, ERR_USAGE, "%s: expected a size, as in 64M", key);
        if (strcmp(key, "send-size") == 0)
            config->send_bytes = bytes;
        else
            *(key[1] == 'p' ? &config->spool_bytes : &config->store_bytes) = (uint64_t)bytes;
        return true;
    }
    if (strcmp(key, "values") == 0 || strcmp(key, "whole") == 0) {
        bool yes = *(*key == 'v' ? &config->values : &config->whole) = strcmp(value, "yes") == 0;
        return yes || strcmp(value, "no") == 0 ||
               err_set(err, ERR_USAGE, "%s = %s: expected yes or no", key, value);
    }
    return err_set(
        err, ERR_USAGE,
        "%s: expected store, spool, spool-size, store-size, machine, mode, budget, every, seconds, "
        "send, send-size, whole or values",
        key);
}

static bool word_take(struct watch_rule *rule, char *word, struct err *err)
{
    char *value = strchr(word, '=');
    double n;
    if (!value || !value[1])
        return err_set(err, ERR_USAGE, "%s: expected a word like name=nginx*", word);
    *value++ = 0;
    if (strcmp(word, "name") == 0)
        rule->name = value;
    else if (strcmp(word, "cgroup") == 0)
        rule->cgroup = value;
    else if (strcmp(word, "user") == 0)
        rule->user = value;
    else if (strcmp(word, "service") == 0 && !rule->leave)
        rule->service = value;
    else if (strcmp(word, "hottest") == 0 && !rule->leave) {
        if (!number_take(value, 1, 1000, &n))
            return err_set(err, ERR_USAGE, "hottest=%s: expected a number", value);
        rule->hottest = (uint32_t)n;
    } else {
        return err_set(err, ERR_USAGE, "%s: expected name, cgroup or user%s", word,
                       rule->leave ? "" : ", hottest or service");
    }
    return true;
}

static bool rule_take(struct watch_config *config, char *words, bool leave, struct err *err)
{
    struct watch_rule rule = {.leave = leave};
    char *rest = NULL;
    unsigned n = 0;
    for (char *word = strtok_r(words, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest), n++)
        if (!word_take(&rule, word, err))
            return false;
    if (!n)
        return err_set(err, ERR_USAGE, "which processes? for example: watch name=nginx*");
    *vec_push(&config->rules) = rule;
    return true;
}

static bool line_take(struct watch_config *config, char *line, struct err *err)
{
    size_t word = strcspn(line, " \t=");
    bool leave = strncmp(line, "leave", 5) == 0 && word == 5;
    if (!*line || *line == '#')
        return true;
    if (leave || (word == 5 && strncmp(line, "watch", 5) == 0))
        return rule_take(config, line + word, leave, err);
    char *equals = strchr(line, '=');
    if (!equals)
        return err_set(err, ERR_USAGE, "%s: expected KEY = VALUE, watch ... or leave ...", line);
    *equals = 0;
    return setting_take(config, trimmed(line), trimmed(equals + 1), err);
}

bool watch_config_parse(const char *name, char *text, struct watch_config *ret_config,
                        struct err *err)
{
    struct watch_config config = {.mode = "sampled",
                                  .budget = 0.1,
                                  .every_s = 300,
                                  .seconds = 5,
                                  .send_s = 3600,
                                  .send_bytes = 1 << 20,
                                  .spool_bytes = 64 << 20,
                                  .spool = "/var/lib/gait/spool"};
    unsigned number = 1;
    for (char *line = text, *next; line; line = next, number++) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        if (!line_take(&config, trimmed(line), err)) {
            vec_release(&config.rules);
            return err_in(err, "%s:%u", name, number);
        }
    }
    bool ok = true, any = false;
    for (size_t i = 0; i < config.rules.n; i++)
        any |= !config.rules.at[i].leave;
    if (!config.store)
        ok = err_set(err, ERR_USAGE, "%s: a line is missing: store = sqlite:PATH", name);
    else if (!any)
        ok = err_set(err, ERR_USAGE, "%s: a line is missing: watch hottest=3", name);
    else if (config.seconds > config.every_s)
        ok = err_set(err, ERR_USAGE, "%s: seconds is longer than every", name);
    if (ok)
        *ret_config = config;
    else
        vec_release(&config.rules);
    return ok;
}

bool watch_config_read(struct arena *arena, const char *path, struct watch_config *ret_config,
                       struct err *err)
{
    enum { BYTES_MAX = 1 << 16 };
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, ERR_MISSING, "%s: %s", path,
                       errno == ENOENT ? "no such file; gait-watch(1) shows one" : strerror(errno));
    char *text = arena_alloc(arena, BYTES_MAX + 1);
    ssize_t n = read(fd, text, BYTES_MAX + 1);
    if (n < 0)
        return err_errno(err, "%s", path);
    if (n > BYTES_MAX || memchr(text, 0, (size_t)n))
        return err_set(err, ERR_FORMAT, "%s: not a configuration: it %s", path,
                       n > BYTES_MAX ? "is longer than 64 KiB" : "has a zero byte");
    text[n] = 0;
    return watch_config_parse(path, text, ret_config, err);
}
