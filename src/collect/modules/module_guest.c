/* The process of a module: loads it and answers questions until there are no more. */
#include "base/clock.h"
#include "base/memory.h"
#include "collect/modules/module_wire.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static int64_t now_ms(void)
{
    return (int64_t)(clock_ns(CLOCK_MONOTONIC) / 1000000);
}

/* As far as it goes at once; then waits, but not beyond `until`. */
static bool wait_for(int fd, short events, int64_t until)
{
    struct pollfd poll_fd = {.fd = fd, .events = events};
    int64_t left = until < 0 ? -1 : until - now_ms();
    if (until >= 0 && left < 0)
        return false;
    return poll(&poll_fd, 1, (int)left) > 0;
}

bool module_send(int fd, const void *data, size_t n, int ms)
{
    int64_t until = ms < 0 ? -1 : now_ms() + ms;
    for (const char *at = data; n;) {
        if (!wait_for(fd, POLLOUT, until))
            return false;
        ssize_t sent = send(fd, at, n, MSG_NOSIGNAL | (ms < 0 ? 0 : MSG_DONTWAIT));
        if (sent <= 0)
            return false;
        at += sent;
        n -= (size_t)sent;
    }
    return true;
}

bool module_receive(int fd, void *data, size_t n, int ms)
{
    int64_t until = ms < 0 ? -1 : now_ms() + ms;
    for (char *at = data; n;) {
        if (!wait_for(fd, POLLIN, until))
            return false;
        ssize_t got = recv(fd, at, n, 0);
        if (got <= 0)
            return false;
        at += got;
        n -= (size_t)got;
    }
    return true;
}

/* ---- answers */

struct guest {
    int fd;
    const struct gait_module *module;
    struct gait_scale scale;
    struct gait_tuple tuples[MODULE_TUPLES];
    uint32_t n_pairs;
    uint64_t dropped;
    struct module_pair pairs[MODULE_PAIRS];
};

static void emit(void *to, uint32_t place, uint64_t value)
{
    struct guest *guest = to;
    if (guest->n_pairs < MODULE_PAIRS)
        guest->pairs[guest->n_pairs++] = (struct module_pair){.place = place, .value = value};
    else
        guest->dropped++;
}

static bool wants_answer(struct guest *guest)
{
    struct module_instruction asked;
    if (!module_receive(guest->fd, &asked, sizeof asked, -1))
        return false;
    struct gait_instruction instruction = {.address = asked.address,
                                           .file = asked.file,
                                           .mnemonic = asked.mnemonic,
                                           .bytes = asked.bytes,
                                           .n_bytes = asked.n_bytes,
                                           .loads = asked.loads,
                                           .stores = asked.stores,
                                           .locked = asked.locked};
    uint32_t kinds = guest->module->wants(&instruction);
    return module_send(guest->fd, &kinds, sizeof kinds, -1);
}

static bool take_answer(struct guest *guest, uint32_t n)
{
    if (n > MODULE_TUPLES ||
        !module_receive(guest->fd, guest->tuples, n * sizeof *guest->tuples, -1))
        return false;
    guest->n_pairs = 0;
    guest->dropped = 0;
    guest->module->take(&guest->scale, guest->tuples, n, emit, guest);
    struct module_head head = {MODULE_TAKE, guest->n_pairs, guest->dropped};
    return module_send(guest->fd, &head, sizeof head, -1) &&
           module_send(guest->fd, guest->pairs, guest->n_pairs * sizeof *guest->pairs, -1);
}

static bool format_answer(struct guest *guest)
{
    uint64_t value;
    char text[MODULE_TEXT] = "";
    if (!module_receive(guest->fd, &value, sizeof value, -1))
        return false;
    if (guest->module->format)
        guest->module->format(value, text, sizeof text);
    text[sizeof text - 1] = 0;
    return module_send(guest->fd, text, sizeof text, -1);
}

static bool answer(struct guest *guest)
{
    struct module_head head;
    if (!module_receive(guest->fd, &head, sizeof head, -1))
        return false;
    switch ((enum module_question)head.question) {
    case MODULE_SCALE: return module_receive(guest->fd, &guest->scale, sizeof guest->scale, -1);
    case MODULE_WANTS: return wants_answer(guest);
    case MODULE_TAKE: return take_answer(guest, head.n);
    case MODULE_FORMAT: return format_answer(guest);
    }
    return false;
}

static const struct gait_module *module_load(const char *path, struct module_hello *hello)
{
    /* A name without a folder is a file of this one, as of any other option: not what the linker
     * would look for. */
    char here[PATH_MAX];
    snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *library = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    const struct gait_module *module = library ? dlsym(library, "gait_module") : NULL;
    const char *error = module ? NULL : dlerror();
    if (!module)
        snprintf(hello->error, sizeof hello->error, "%s", error ? error : "no gait_module in it");
    else if (module->version != GAIT_MODULE_VERSION || !module->wants || !module->take ||
             !module->name)
        snprintf(hello->error, sizeof hello->error,
                 "its gait_module is of version %u (wanted: %d), or lacks a name or a function",
                 module->version, GAIT_MODULE_VERSION);
    else
        return module;
    return NULL;
}

/* What the program reads is not for it, nor may it write where the program writes; memory has an
 * end. */
static void confine(void)
{
    struct rlimit bytes = {MODULE_BYTES, MODULE_BYTES}, none_of_core = {0, 0};
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    setpgid(0, 0);
    setrlimit(RLIMIT_DATA, &bytes);
    setrlimit(RLIMIT_CORE, &none_of_core);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
}

_Noreturn void module_guest_run(const char *path, int fd)
{
    struct module_hello hello = {.version = GAIT_MODULE_VERSION};
    struct guest *guest = mem_alloc(sizeof *guest);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGINT, SIG_IGN); /* a terminal's, which are for the program */
    signal(SIGQUIT, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    confine();
    guest->fd = fd;
    guest->module = module_load(path, &hello);
    if (guest->module) {
        hello.kinds = guest->module->kinds;
        snprintf(hello.name, sizeof hello.name, "%s", guest->module->name);
    }
    if (module_send(fd, &hello, sizeof hello, -1) && guest->module)
        while (answer(guest))
            ;
    _exit(0);
}
