#include "lab/paths/history.h"

#include "base/err.h"
#include "paths/trail_build.h"
#include "program/insn/disasm.h"
#include "compress/random.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* Farther back than that no pair reaches; nearer to the beginning nothing is asked. */
enum { PAIR_MOST = 50, LEAD = 100 };
enum { ENTRY_BYTES = 64 };

/* ---- the program */

/* The command under our hand, held at its first instruction; -1: it could not be. */
static pid_t child_start(char *const *command, struct err *err)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, STDOUT_FILENO);
        execvp(command[0], command);
        _exit(127);
    }
    if (child > 0 && waitpid(child, &status, 0) == child && WIFSTOPPED(status))
        return child;
    err_set(err, ERR_MISSING, "%s: cannot be run", command[0]);
    return -1;
}

static uint64_t entry_of(pid_t child)
{
    char path[64];
    Elf64_auxv_t entry = {0};
    snprintf(path, sizeof path, "/proc/%d/auxv", child);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && read(fd, &entry, sizeof entry) == sizeof entry && entry.a_type != AT_NULL &&
           entry.a_type != AT_ENTRY)
        ;
    if (fd >= 0)
        close(fd);
    return entry.a_type == AT_ENTRY ? entry.a_un.a_val : 0;
}

/* A signal that is not ours is the program's own. False: it is gone. */
static bool child_go(pid_t child, int how)
{
    int status, deliver = 0;
    do {
        if (ptrace((enum __ptrace_request)how, child, NULL, (void *)(intptr_t)deliver) ||
            waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
            return false;
        deliver = WSTOPSIG(status);
    } while (deliver != SIGTRAP);
    return true;
}

/* On at its own speed, up to an instruction; the text stays as it is, for children have it, too. */
static bool child_reach(pid_t child, uint64_t at)
{
    size_t where = offsetof(struct user, u_debugreg[0]);
    size_t control = offsetof(struct user, u_debugreg[7]);
    if (ptrace(PTRACE_POKEUSER, child, where, at) || ptrace(PTRACE_POKEUSER, child, control, 1))
        return false;
    return child_go(child, PTRACE_CONT) && !ptrace(PTRACE_POKEUSER, child, control, 0);
}

static bool is_own(const struct history *history, uint64_t at)
{
    return image_executable(&history->image, (struct svma){at});
}

/* What is on top of the stack may be any address of ours, that of main for one: nobody returns
 * there. */
static bool is_behind_call(const struct history *history, uint64_t at)
{
    enum { CALL_LEAST = 2, CALL_MOST = 8 };
    struct instruction call;
    for (uint64_t bytes = CALL_LEAST; is_own(history, at) && bytes <= CALL_MOST; bytes++)
        if (at >= bytes && disasm_at(&history->image, (struct svma){at - bytes}, &call) &&
            call.bytes == bytes &&
            (call.kind == INSTRUCTION_CALL || call.kind == INSTRUCTION_ICALL))
            return true;
    return false;
}

/* Elsewhere: back to where the call that led there returns to, if that is our code. What starts a
 * program calls what calls all the rest of it. */
static bool call_pass(const struct history *history, pid_t child, uint64_t stack, uint64_t bias)
{
    errno = 0;
    uint64_t back = (uint64_t)ptrace(PTRACE_PEEKDATA, child, stack, NULL);
    if (errno || !is_behind_call(history, back - bias) ||
        back - bias - history->entry.v < ENTRY_BYTES)
        return child_go(child, PTRACE_SINGLESTEP);
    return child_reach(child, back);
}

static void steps_take(struct history *history, pid_t child, uint64_t bias, uint64_t most)
{
    struct user_regs_struct registers;
    bool on = true;
    for (; on && history->taken < most; history->taken++) {
        if (ptrace(PTRACE_GETREGS, child, NULL, &registers))
            return;
        uint64_t at = registers.rip - bias;
        bool own = is_own(history, at);
        at = own ? at : 0;
        /* A repeated instruction stands still; so does everything elsewhere. */
        if (!history->steps.n || history->steps.at[history->steps.n - 1].v != at)
            *vec_push(&history->steps) = (struct svma){at};
        on = own ? child_go(child, PTRACE_SINGLESTEP)
                 : call_pass(history, child, registers.rsp, bias);
    }
}

/* ---- what it did */

struct seen_list {
    VEC(struct trail_seen);
};

static void graph_make(struct history *history)
{
    struct seen_list seen = {0};
    for (size_t i = 1; i < history->steps.n; i++)
        if (history->steps.at[i].v)
            *vec_push(&seen) =
                (struct trail_seen){history->steps.at[i - 1], history->steps.at[i], 1};
    trail_build(&history->graph, &history->image, &history->symbols, seen.at, seen.n);
    vec_release(&seen);
    trail_course_make(&history->course, &history->graph, &history->image, &history->symbols,
                      history->steps.at, history->steps.n);
}

bool history_take(struct history *history, char *const *command, uint64_t steps_most,
                  struct err *err)
{
    char path[64];
    int status;
    pid_t child = child_start(command, err);
    if (child < 0)
        return false;
    *history = (struct history){0};
    snprintf(path, sizeof path, "/proc/%d/exe", child);
    bool ok = image_open(&history->image, path, err);
    uint64_t entry = entry_of(child);
    Elf64_Ehdr head = {0};
    if (ok && history->image.file.n_bytes >= sizeof head)
        memcpy(&head, history->image.file.bytes, sizeof head);
    if (ok && (!entry || !child_reach(child, entry)))
        ok = err_set(err, ERR_SYSTEM, "%s: cannot be stepped through", command[0]);
    history->entry = (struct svma){head.e_entry};
    if (ok)
        steps_take(history, child, entry - head.e_entry, steps_most);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    if (!ok)
        return false;
    symbols_build(&history->symbols, &history->image);
    graph_make(history);
    if (history->course.n > 2 * (size_t)LEAD)
        return true;
    history_release(history);
    return err_set(err, ERR_MISSING,
                   "%s: next to nothing of its own code ran in %llu steps; --steps goes further",
                   command[0], (unsigned long long)steps_most);
}

void history_release(struct history *history)
{
    trail_course_release(&history->course);
    trail_graph_release(&history->graph);
    symbols_release(&history->symbols);
    image_close(&history->image);
    vec_release(&history->steps);
}

void history_score(const struct history *history, uint32_t bits, bool across, uint32_t places,
                   struct history_pair pair, struct trail_scores *ret_scores)
{
    const struct trail_course *course = &history->course;
    ASSERT(pair.least && pair.least <= pair.most && pair.most <= PAIR_MOST);
    size_t stride = course->n / (places ? places : 1) + 1;
    struct random random = {1};
    *ret_scores = (struct trail_scores){0};
    for (size_t i = LEAD; i < course->n; i += stride) {
        size_t back = pair.least + random_below(&random, pair.most - pair.least + 1);
        /* What ran elsewhere has no place in the code that is asked about. */
        while (back > 1 && !course->steps[course->at[i].step - back].v)
            back--;
        if (course->steps[course->at[i].step - back].v)
            trail_course_ask(course, i, bits, across, back, ret_scores);
    }
}
