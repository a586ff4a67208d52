#include "collect/modules/module_host.h"

#include "base/err.h"
#include "collect/target/cpu_times.h"
#include "values/latency_scale.h"
#include "collect/modules/module_wire.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ANSWER_MS = 500, START_MS = 5000 };

/* Ends it with all that it started, and has what it used. */
static int reap(struct module_host *host)
{
    int status = 0;
    struct rusage usage = {0};
    kill(-host->pid, SIGKILL);
    kill(host->pid, SIGKILL); /* it may not have a group of its own yet */
    while (wait4(host->pid, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    host->cpu_ns = cpu_times_usage_ns(&usage);
    close(host->fd);
    host->fd = -1;
    return status;
}

uint64_t module_host_cpu_ns(const struct module_host *host)
{
    clockid_t clock;
    struct timespec now;
    if (host->fd < 0 || clock_getcpuclockid(host->pid, &clock) || clock_gettime(clock, &now))
        return host->cpu_ns;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void gone(struct module_host *host, const char *what)
{
    int status = reap(host);
    /* Killed for taking too long, or dead before. */
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
        snprintf(host->failed, sizeof host->failed, "%s: it was ended by signal %d (%s)", what,
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WIFEXITED(status))
        snprintf(host->failed, sizeof host->failed, "%s: it left with status %d", what,
                 WEXITSTATUS(status));
    else
        snprintf(host->failed, sizeof host->failed, "%s: no answer in %d ms, or one that is none",
                 what, ANSWER_MS);
}

static bool hello_read(struct module_host *host, const char *path, struct err *err)
{
    struct module_hello hello;
    if (!module_receive(host->fd, &hello, sizeof hello, START_MS)) {
        gone(host, "loading");
        return err_set(err, ERR_FORMAT, "%s: %s", path, host->failed);
    }
    hello.name[sizeof hello.name - 1] = hello.error[sizeof hello.error - 1] = 0;
    if (*hello.error) {
        gone(host, "loading");
        return err_set(err, ERR_FORMAT, "%s", hello.error);
    }
    host->kinds = hello.kinds;
    memcpy(host->name, hello.name, sizeof host->name);
    return true;
}

bool module_host_open(struct module_host *host, const char *path, struct err *err)
{
    int ends[2];
    *host = (struct module_host){.fd = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
    host->pid = fork();
    if (host->pid == 0) {
        close(ends[0]);
        module_guest_run(path, ends[1]);
    }
    close(ends[1]);
    if (host->pid < 0) {
        close(ends[0]);
        return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
    }
    host->fd = ends[0];
    return hello_read(host, path, err);
}

void module_host_close(struct module_host *host)
{
    if (host->fd >= 0)
        reap(host);
}

static bool ask(struct module_host *host, enum module_question question, uint32_t n,
                const void *data, size_t bytes)
{
    struct module_head head = {.question = question, .n = n};
    return host->fd >= 0 && module_send(host->fd, &head, sizeof head, ANSWER_MS) &&
           module_send(host->fd, data, bytes, ANSWER_MS);
}

/* What went wrong is known by what it was at; false. */
static bool failed(struct module_host *host, const char *what)
{
    if (host->fd >= 0)
        gone(host, what);
    return false;
}

void module_host_scale(struct module_host *host, const struct latency_scale *scale)
{
    struct gait_scale told = {scale->floor, scale->near_max, scale->l3_max, scale->memory_max};
    if (!ask(host, MODULE_SCALE, 0, &told, sizeof told))
        failed(host, "starting");
}

uint32_t module_host_wants(struct module_host *host, const struct gait_instruction *instruction)
{
    struct module_instruction asked = {.address = instruction->address,
                                       .n_bytes = instruction->n_bytes,
                                       .loads = (uint8_t)instruction->loads,
                                       .stores = (uint8_t)instruction->stores,
                                       .locked = (uint8_t)instruction->locked};
    uint32_t kinds = 0;
    if (asked.n_bytes > sizeof asked.bytes)
        return 0;
    memcpy(asked.bytes, instruction->bytes, asked.n_bytes);
    snprintf(asked.mnemonic, sizeof asked.mnemonic, "%s", instruction->mnemonic);
    snprintf(asked.file, sizeof asked.file, "%s", instruction->file);
    if (!ask(host, MODULE_WANTS, 1, &asked, sizeof asked) ||
        !module_receive(host->fd, &kinds, sizeof kinds, ANSWER_MS))
        failed(host, "wants");
    return host->fd < 0 ? 0 : kinds & host->kinds;
}

bool module_host_take(struct module_host *host, const struct gait_tuple *tuples, uint32_t n,
                      const struct module_pair **ret_pairs, uint32_t *ret_n)
{
    static struct module_pair pairs[MODULE_PAIRS];
    struct module_head head;
    if (!ask(host, MODULE_TAKE, n, tuples, n * sizeof *tuples) ||
        !module_receive(host->fd, &head, sizeof head, ANSWER_MS) || head.n > MODULE_PAIRS ||
        !module_receive(host->fd, pairs, head.n * sizeof *pairs, ANSWER_MS))
        return failed(host, "take");
    *ret_pairs = pairs;
    *ret_n = head.n;
    host->dropped += head.dropped;
    return true;
}

bool module_host_format(struct module_host *host, uint64_t value, char text[MODULE_TEXT])
{
    char answer[MODULE_TEXT];
    if (!ask(host, MODULE_FORMAT, 1, &value, sizeof value) ||
        !module_receive(host->fd, answer, sizeof answer, ANSWER_MS))
        return failed(host, "format");
    answer[sizeof answer - 1] = 0;
    for (char *at = answer; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = '?';
    memcpy(text, answer, sizeof answer);
    return *text;
}
