/* Stacks at every new instruction of a single-stepped program: prologues, epilogues, stubs, the
 * loader, signal handlers, threads.
 *
 * The oracle is a list of all calls that were stepped over and have not returned yet. Rules of
 * longjmp describe where it goes before it is there: in such places elfutils' unwinder must agree
 * with us. In its last instructions, what throws has given up all frames up to the catching one,
 * whose call seems to be its caller: the rest of the calls must follow. elfutils is mistaken there.
 *
 *     test_stack_steps [--visits N] [--steps N] [--loader 1] PROGRAM ARGUMENT...
 *
 * compares each instruction at its first N visits, stops after N steps, and starts in the loader.
 */
#include "base/map.h"
#include "libdw_frames.h"
#include "stopped.h"

#include <elf.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static struct {
    char **command;
    unsigned long visits, steps, loader;
} options = {.visits = 1, .steps = 3000000};

/* Where the return address is, and what it is; or what a signal interrupted. */
struct shadow_entry {
    uint64_t slot;
    struct oracle_frame frame;
};
struct thread {
    pid_t tid;
    uint64_t pc, rsp; /* before the last step */
    bool signalled;   /* the last step began with a signal */
    VEC(struct shadow_entry);
};

struct run {
    struct stopped stopped;
    bool stale; /* maps have changed */
    struct map seen;
    struct {
        VEC(uint32_t);
    } visits;
    struct {
        VEC(struct thread);
    } threads;
    struct frame_list libdw, shadow;
    struct stack stack;
    unsigned long steps, compared, guessed, no_rule, by_libdw, thrown, differ;
};

static struct thread *thread_of(struct run *run, pid_t tid)
{
    for (size_t i = 0; i < run->threads.n; i++)
        if (run->threads.at[i].tid == tid)
            return &run->threads.at[i];
    struct thread *thread = vec_push(&run->threads);
    thread->tid = tid;
    return thread;
}

/* ---- the shadow */

static uint64_t peek(pid_t tid, uint64_t at)
{
    return (uint64_t)ptrace(PTRACE_PEEKTEXT, tid, (void *)(uintptr_t)at, NULL);
}

static void shadow_step(struct thread *thread, const struct user_regs_struct *regs)
{
    while (thread->n && thread->at[thread->n - 1].slot < regs->rsp)
        thread->n--;
    bool pushes = regs->rsp == thread->rsp - 8;
    uint64_t top = pushes || thread->signalled ? peek(thread->tid, regs->rsp) : 0;
    if (thread->signalled)
        *vec_push(thread) = (struct shadow_entry){regs->rsp + 8, {thread->pc, true}};
    if (thread->signalled || (pushes && top - thread->pc >= 2 && top - thread->pc <= 8))
        *vec_push(thread) = (struct shadow_entry){regs->rsp, {top, false}};
    thread->pc = regs->rip;
    thread->rsp = regs->rsp;
    thread->signalled = false;
}

static void shadow_list(struct run *run, const struct thread *thread)
{
    run->shadow.n = 0;
    *vec_push(&run->shadow) = (struct oracle_frame){thread->pc, true};
    for (size_t i = thread->n; i-- > 0;)
        *vec_push(&run->shadow) = thread->at[i].frame;
}

/* ---- comparison */

static const char *module_of(struct run *run, uint64_t at, uint64_t *ret_inside)
{
    for (size_t i = 0; i < run->stopped.maps.n; i++) {
        const struct stopped_map *map = &run->stopped.maps.at[i];
        if (at >= map->start && at < map->end) {
            *ret_inside = at - map->start + map->offset;
            return run->stopped.modules.at[map->module].path;
        }
    }
    *ret_inside = at;
    return "nowhere";
}

static void print_difference(struct run *run)
{
    if (run->differ++ >= 12)
        return;
    printf("our stack ends: %s; the calls; libdw's\n", stack_end_text[run->stack.end]);
    for (size_t i = 0; i < run->stack.n || i < run->shadow.n; i++) {
        uint64_t ours = i < run->stack.n ? run->stack.at[i].pc.v : 0, inside;
        uint64_t calls = i < run->shadow.n ? run->shadow.at[i].pc : 0;
        uint64_t libdws = i < run->libdw.n ? run->libdw.at[i].pc : 0;
        const char *module = module_of(run, ours ? ours : calls, &inside);
        printf("  %2zu %#18" PRIx64 " %#18" PRIx64 " %#18" PRIx64 " %s+%#" PRIx64 "\n", i, ours,
               calls, libdws, module, inside);
    }
}

static bool is_equal(const struct stack *stack, const struct frame_list *list)
{
    return stack->n == list->n && frames_equal(stack, list) == list->n;
}

/* All of it, but for some between the innermost and the rest; there may be the landing pad. */
static bool is_thrown(const struct stack *stack, const struct frame_list *list)
{
    size_t inner = frames_equal(stack, list), outer = 0;
    if (!inner || inner == stack->n)
        return false;
    while (outer < stack->n - inner && outer < list->n - inner &&
           stack->at[stack->n - 1 - outer].pc.v == list->at[list->n - 1 - outer].pc)
        outer++;
    bool lands = stack->at[inner].how == STACK_INTERRUPTED;
    return outer && inner + outer + lands == stack->n;
}

static bool is_libdws(struct run *run, pid_t tid)
{
    Dwfl *dwfl = libdw_attach(run->stopped.pid);
    assert_non_null(dwfl);
    libdw_list(&run->libdw, dwfl, tid);
    dwfl_end(dwfl);
    return is_equal(&run->stack, &run->libdw);
}

static void run_compare(struct run *run, const struct thread *thread)
{
    if (run->stale)
        stopped_read_maps(&run->stopped);
    run->stale = false;
    struct stopped_sample sample;
    assert_true(stopped_sample(&run->stopped, thread->tid, &sample));
    stack_walk(&run->stack, &sample.space, &sample.sample);
    run->compared++;
    for (size_t i = 0; i < STACK_N_FALLBACKS; i++)
        run->guessed += run->stack.fallbacks[i] != 0;
    if (run->stack.n == 1 && run->stack.end == STACK_NO_RULE) {
        run->no_rule++;
        return;
    }
    shadow_list(run, thread);
    bool ok = is_equal(&run->stack, &run->shadow);
    if (!ok && is_thrown(&run->stack, &run->shadow)) {
        ok = true;
        run->thrown++;
    }
    if (!ok) {
        ok = is_libdws(run, thread->tid);
        run->by_libdw += ok;
    }
    if (!ok || run->stack.end != STACK_OUTERMOST)
        print_difference(run);
}

/* ---- stepping */

static bool is_new(struct run *run, uint64_t pc)
{
    uint32_t index = map_add(&run->seen, &pc);
    if (index == run->visits.n)
        *vec_push(&run->visits) = 0;
    return run->visits.at[index]++ < options.visits;
}

static void step_stop(struct run *run, struct thread *thread)
{
    struct user_regs_struct regs;
    if (ptrace(PTRACE_GETREGS, thread->tid, NULL, &regs) != 0)
        return;
    shadow_step(thread, &regs);
    run->steps++;
    if (regs.rcx == regs.rip) /* as a syscall leaves it, perhaps one that maps */
        run->stale = true;
    if (is_new(run, regs.rip))
        run_compare(run, thread);
}

static void run_steps(struct run *run)
{
    pid_t tid;
    int status;
    while ((tid = waitpid(-1, &status, __WALL)) > 0) {
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (tid == run->stopped.pid)
                return;
            continue;
        }
        if (run->steps >= options.steps)
            kill(run->stopped.pid, SIGKILL);
        int signal = WSTOPSIG(status), event = status >> 16;
        struct thread *thread = thread_of(run, tid);
        if (event || signal == SIGSTOP)
            signal = 0;
        if (signal == SIGTRAP) {
            step_stop(run, thread);
            signal = 0;
        }
        thread->signalled = signal != 0;
        ptrace(PTRACE_SINGLESTEP, tid, NULL, signal);
    }
}

/* Runs on to the program's own first instruction: the loader's work is most of a short run. */
static void run_to_entry(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/auxv", (int)pid);
    FILE *file = fopen(path, "re");
    Elf64_auxv_t aux = {0};
    while (file && fread(&aux, sizeof aux, 1, file) == 1 && aux.a_type != AT_ENTRY)
        continue;
    if (file)
        fclose(file);
    assert_int_equal(aux.a_type, AT_ENTRY);
    uint64_t entry = aux.a_un.a_val, code = peek(pid, entry);
    int status;
    struct user_regs_struct regs;
    ptrace(PTRACE_POKETEXT, pid, (void *)(uintptr_t)entry, (void *)((code & ~0xFFull) | 0xCC));
    ptrace(PTRACE_CONT, pid, NULL, NULL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
    ptrace(PTRACE_POKETEXT, pid, (void *)(uintptr_t)entry, (void *)code);
    ptrace(PTRACE_GETREGS, pid, NULL, &regs);
    regs.rip = entry;
    ptrace(PTRACE_SETREGS, pid, NULL, &regs);
}

static void stacks_are_the_calls(void **state)
{
    (void)state;
    static struct run run;
    run = (struct run){.stale = true};
    map_init(&run.seen, sizeof(uint64_t));
    run.stopped.pid = fork();
    if (run.stopped.pid == 0) {
        freopen("/dev/null", "w", stdout);
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execv(options.command[0], options.command);
        _exit(127);
    }
    int status;
    assert_int_equal(waitpid(run.stopped.pid, &status, 0), run.stopped.pid);
    if (!WIFSTOPPED(status))
        fail_msg("cannot run %s", options.command[0]);
    ptrace(PTRACE_SETOPTIONS, run.stopped.pid, NULL, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
    if (!options.loader)
        run_to_entry(run.stopped.pid);
    ptrace(PTRACE_SINGLESTEP, run.stopped.pid, NULL, NULL);
    run_steps(&run);
    printf(
        "%s: %lu steps, %u instructions; %lu stacks, %lu with guesses, %lu in code without rules, "
        "%lu of what throws, %lu not the calls but libdw's, %lu neither\n",
        options.command[0], run.steps, run.seen.n, run.compared, run.guessed, run.no_rule,
        run.thrown, run.by_libdw, run.differ);
    assert_int_equal(run.differ, 0);
    assert_true(run.compared > 100);
    /* crti's _init and _fini and the loader's start; setjmp's and longjmp's last instructions. */
    assert_true(run.no_rule <= 32 && run.by_libdw <= 32 && run.thrown <= 64);
    stopped_release(&run.stopped);
    stack_release(&run.stack);
    map_release(&run.seen);
    vec_release(&run.visits);
    vec_release(&run.libdw);
    vec_release(&run.shadow);
    for (size_t i = 0; i < run.threads.n; i++)
        vec_release(&run.threads.at[i]);
    vec_release(&run.threads);
}

/* The program of that name, where the tests' programs are. */
static char *program(char *path, size_t bytes, const char *name)
{
    const char *out = getenv("GAIT_OUT");
    snprintf(path, bytes, "%s/programs/%s", out ? out : "o/rel", name);
    if (access(path, X_OK) != 0)
        snprintf(path, bytes, "o/rel/programs/%s", name);
    return path;
}

static int test_command(char **command, const char *name)
{
    if (access(command[0], X_OK) != 0) {
        printf("%s is not built\n", command[0]);
        return 77;
    }
    options.command = command;
    const struct CMUnitTest tests[] = {{name, stacks_are_the_calls, NULL, NULL, NULL}};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    static char path[512];
    int at = 1;
    for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
        unsigned long value = strtoul(argv[at + 1], NULL, 10);
        if (strcmp(argv[at], "--visits") == 0)
            options.visits = value;
        else if (strcmp(argv[at], "--loader") == 0)
            options.loader = value;
        else
            options.steps = value;
    }
    if (at < argc)
        return test_command(argv + at, "stacks_are_the_calls");
    char *command[2] = {program(path, sizeof path, "frames"), NULL};
    int status = test_command(command, "stacks_are_the_calls");
    if (status)
        return status;
    (void)program(path, sizeof path, "thrown");
    return test_command(command, "stacks_of_what_throws");
}
