// Calls of every kind, which the program counts by itself: each function tells when it is entered, and whoever calls puts back where it was. At the end each process
// writes a line for every context: the functions from the outermost on, and how often. A function that is called again from further down is the context above.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

namespace {

enum { CONTEXTS = 4096 };
struct Context {
    const char *name;
    int parent;
    long count;
} contexts[CONTEXTS] = {{"", -1, 0}};
int n_contexts = 1;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__thread int now;

__attribute__((always_inline)) inline int context_find(int from, const char *name)
{
    for (int i = from; i > 0; i = contexts[i].parent)
        if (contexts[i].name == name)
            return i;
    for (int i = 1; i < n_contexts; i++)
        if (contexts[i].parent == from && contexts[i].name == name)
            return i;
    contexts[n_contexts] = {name, from, 0};
    return n_contexts++;
}

__attribute__((always_inline)) inline void entered(const char *name)
{
    pthread_mutex_lock(&lock);
    now = context_find(now, name);
    contexts[now].count++;
    pthread_mutex_unlock(&lock);
}

int path_write(char *to, size_t room, int i)
{
    int n = contexts[i].parent > 0 ? path_write(to, room, contexts[i].parent) : 0;
    return n + snprintf(to + n, room - (size_t)n, "%s%s", n ? ";" : "", contexts[i].name);
}

int line_order(const void *a, const void *b)
{
    return strcmp(static_cast<const char *>(a), static_cast<const char *>(b));
}

// In the order of their names: which thread comes first to a context is chance.
void tell()
{
    static char lines[CONTEXTS][512];
    int n = 0;
    for (int i = 1; i < n_contexts; i++)
        if (contexts[i].count) {
            int at = path_write(lines[n], sizeof lines[n], i);
            snprintf(lines[n] + at, sizeof lines[n] - (size_t)at, " %ld", contexts[i].count);
            n++;
        }
    qsort(lines, (size_t)n, sizeof *lines, line_order);
    for (int i = 0; i < n; i++)
        puts(lines[i]);
    fflush(stdout);
}

}

#define ENTERED entered(__func__)
// A call, after which we are where we were.
#define CALL(call)                                                                                 \
    do {                                                                                           \
        int before = now;                                                                          \
        call;                                                                                      \
        now = before;                                                                              \
    } while (0)
#define FUNCTION extern "C" __attribute__((noinline, noclone)) 

static volatile long sum;
static jmp_buf far_back;

FUNCTION void ctx_leaf() { ENTERED; sum = sum + 1; }
FUNCTION void ctx_twice() { ENTERED; CALL(ctx_leaf()); CALL(ctx_leaf()); sum = sum + 1; }
FUNCTION void ctx_recursive(int n) { ENTERED; if (n) CALL(ctx_recursive(n - 1)); else CALL(ctx_leaf()); sum = sum + 1; }
FUNCTION void ctx_odd(int n);
FUNCTION void ctx_even(int n) { ENTERED; if (n) CALL(ctx_odd(n - 1)); sum = sum + 1; }
FUNCTION void ctx_odd(int n) { ENTERED; if (n) CALL(ctx_even(n - 1)); CALL(ctx_leaf()); sum = sum + 1; }
FUNCTION void ctx_jump(int n) { ENTERED; if (n) CALL(ctx_jump(n - 1)); else longjmp(far_back, 1); sum = sum + 1; }
FUNCTION void ctx_setjmp() {
    ENTERED;
    int here = now;
    for (volatile int i = 0; i < 5; i = i + 1) {
        if (!setjmp(far_back))
            ctx_jump(i);
        now = here;
        CALL(ctx_leaf());
    }
}
struct Tidy { ~Tidy(); };
FUNCTION void ctx_tidy() { ENTERED; sum = sum + 1; }
Tidy::~Tidy() { CALL(ctx_tidy()); }
FUNCTION void ctx_throw(int n) { ENTERED; Tidy tidy; int here = now; try { if (n) { CALL(ctx_throw(n - 1)); } else throw 1; } catch (long) { } now = here; sum = sum + 1; }
FUNCTION void ctx_rethrow(int n) { ENTERED; int here = now; try { CALL(ctx_throw(n)); } catch (int) { now = here; CALL(ctx_leaf()); throw; } }
FUNCTION void ctx_catch() { ENTERED; int here = now; for (int i = 0; i < 4; i++) { try { CALL(ctx_rethrow(i)); } catch (int) { now = here; CALL(ctx_leaf()); } } }
FUNCTION void ctx_last(int n) { ENTERED; sum = sum + n; }
FUNCTION void ctx_tail(int n) { ENTERED; ctx_last(n); }
FUNCTION void ctx_tails() { ENTERED; for (int i = 0; i < 3; i++) { CALL(ctx_tail(i)); CALL(ctx_last(i)); } sum = sum + 1; }
FUNCTION int ctx_compare(const void *a, const void *b) { int before = now; ENTERED; now = before; return *(const int *)a - *(const int *)b; }
FUNCTION void ctx_sort() { ENTERED; int some[64]; for (int i = 0; i < 64; i++) some[i] = i * 37 % 64; int before = now; qsort(some, 64, sizeof *some, ctx_compare); now = before; }
static void (*const many[])() = {ctx_leaf, ctx_twice, ctx_sort, ctx_tails, ctx_leaf, ctx_setjmp, ctx_catch};
FUNCTION void ctx_many() { ENTERED; for (int i = 0; i < 70; i++) CALL(many[i % 7]()); sum = sum + 1; }
FUNCTION void ctx_handled() { ENTERED; sum = sum + 1; }
FUNCTION void ctx_handler(int) { int before = now; now = 0; ENTERED; CALL(ctx_handled()); now = before; }
FUNCTION void ctx_signals() { ENTERED; for (int i = 0; i < 7; i++) { CALL(ctx_leaf()); raise(SIGUSR1); CALL(ctx_leaf()); } }
FUNCTION void *ctx_thread(void *n) { ENTERED; for (long i = 0; i < (long)n; i++) CALL(ctx_twice()); return NULL; }
FUNCTION void *ctx_ends(void *) { ENTERED; CALL(ctx_leaf()); pthread_exit(NULL); }
FUNCTION void ctx_threads() {
    ENTERED;
    pthread_t threads[6];
    for (long i = 0; i < 6; i++)
        pthread_create(&threads[i], NULL, ctx_thread, (void *)(10 * i));
    for (pthread_t thread : threads)
        pthread_join(thread, NULL);
    for (int i = 0; i < 2; i++) { /* one by one: which of two loads the library that ends them is chance */
        pthread_create(threads, NULL, ctx_ends, NULL);
        pthread_join(*threads, NULL);
    }
}
FUNCTION void ctx_exits(int n) { ENTERED; if (n) CALL(ctx_exits(n - 1)); else { tell(); exit(0); } sum = sum + 1; }
FUNCTION void ctx_child() { ENTERED; CALL(ctx_twice()); ctx_exits(3); }
FUNCTION void ctx_fork() {
    ENTERED;
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (!child) {
            for (Context &context : contexts)
                context.count = 0;
            ctx_child();
        }
        waitpid(child, NULL, 0);
        CALL(ctx_leaf());
    }
}

int main()
{
    static char stack[1 << 16];
    stack_t alternate = {};
    alternate.ss_sp = stack;
    alternate.ss_size = sizeof stack;
    sigaltstack(&alternate, NULL);
    struct sigaction action = {};
    action.sa_handler = ctx_handler;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, NULL);
    void (*const parts[])() = {ctx_twice, ctx_setjmp, ctx_catch, ctx_tails, ctx_sort, ctx_many, ctx_signals, ctx_threads, ctx_fork};
    for (int round = 0; round < 3; round++)
        for (auto part : parts)
            CALL(part());
    CALL(ctx_recursive(20));
    CALL(ctx_even(13));
    ctx_exits(5);
}
