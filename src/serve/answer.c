#include "serve/answer.h"

#include "base/clock.h"
#include "base/err.h"
#include "text/json.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct answer_limits answer_limits_usual(void)
{
    const size_t least = (size_t)1 << 30;
    size_t quarter = (size_t)sysconf(_SC_PHYS_PAGES) / 4 * (size_t)sysconf(_SC_PAGESIZE);
    return (struct answer_limits){
        .ns = 60000000000u, .bytes = 256u << 20, .memory = quarter < least ? least : quarter};
}

/* Pages of data that this process has mapped; 0: not known. */
static size_t data_pages(void)
{
    unsigned long size, resident, shared, text, library, data = 0;
    FILE *from = fopen("/proc/self/statm", "re");
    if (!from)
        return 0;
    if (fscanf(from, "%lu %lu %lu %lu %lu %lu", &size, &resident, &shared, &text, &library,
               &data) != 6)
        data = 0;
    fclose(from);
    return data;
}

static void memory_limit(size_t memory)
{
#ifndef __SANITIZE_ADDRESS__ /* which maps terabytes */
    size_t pages = data_pages();
    struct rlimit limit = {pages * (size_t)sysconf(_SC_PAGESIZE) + memory, RLIM_INFINITY};
    limit.rlim_max = limit.rlim_cur;
    if (pages && memory)
        setrlimit(RLIMIT_DATA, &limit);
#else
    (void)memory, (void)data_pages;
#endif
}

/* The exit status of wrong usage, as commands have it (cmd/cmd.h). */
enum { STATUS_USAGE = 129, COMPLAINT_MOST = 65536 };

static _Noreturn void child_run(int out, int complain, answer_function *make, void *data,
                                const struct question *question, size_t memory)
{
    sigset_t none;
    struct rlimit no_core = {0, 0};
    int nothing = open("/dev/null", O_RDONLY);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &no_core);
    memory_limit(memory);
    dup2(nothing, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(complain, STDERR_FILENO);
    /* A connection of the server that stayed open here would not end when the server ends it. */
    syscall(SYS_close_range, 3u, ~0u, 0u);
    signal(SIGPIPE, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int status = make(data, question);
    if (fflush(stdout) != 0)
        status = status ? status : 1;
    fflush(stderr);
    _exit(status);
}

bool answer_start(struct answer *answer, answer_function *make, void *data,
                  const struct question *question, struct answer_limits limits)
{
    int out[2], complain[2];
    *answer = (struct answer){.fds = {-1, -1}, .limits = limits, .state = ANSWER_FAILED};
    if (pipe2(out, O_CLOEXEC) < 0)
        return false;
    if (pipe2(complain, O_CLOEXEC) < 0) {
        close(out[0]), close(out[1]);
        return false;
    }
    fflush(NULL); /* else the child would write it again */
    pid_t child = fork();
    if (child == 0)
        child_run(out[1], complain[1], make, data, question, limits.memory);
    close(out[1]), close(complain[1]);
    if (child < 0) {
        close(out[0]), close(complain[0]);
        return false;
    }
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    fcntl(complain[0], F_SETFL, O_NONBLOCK);
    answer->child = child;
    answer->fds[0] = out[0];
    answer->fds[1] = complain[0];
    answer->end_ns = clock_ns(CLOCK_MONOTONIC) + limits.ns;
    answer->state = ANSWER_RUNS;
    return true;
}

/* False: at its end. What is more than `most` stays unread, and is at most one piece. */
static bool drain(int fd, struct bytes *to, size_t most)
{
    enum { PIECE = 65536 };
    while (to->n < most) {
        bytes_reserve(to, to->n + PIECE);
        ssize_t n = read(fd, to->at + to->n, PIECE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN;
        if (n == 0)
            return false;
        to->n += (size_t)n;
    }
    return true;
}

static void complain(struct answer *answer, const char *text)
{
    answer->complaint.n = 0;
    bytes_add(&answer->complaint, text, strlen(text));
}

static void end(struct answer *answer, bool kill_it)
{
    int status = 0;
    ASSERT(answer->child > 0); /* 0 would be all of our process group, -1 everybody */
    for (int i = 0; i < 2; i++)
        if (answer->fds[i] >= 0)
            close(answer->fds[i]);
    answer->fds[0] = answer->fds[1] = -1;
    if (kill_it)
        kill(answer->child, SIGKILL);
    while (waitpid(answer->child, &status, 0) < 0 && errno == EINTR)
        ;
    answer->child = 0;
    bool good = !kill_it && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    answer->state = good ? ANSWER_GOOD : ANSWER_FAILED;
    answer->bad_question = WIFEXITED(status) && WEXITSTATUS(status) == STATUS_USAGE;
    if (kill_it || !WIFSIGNALED(status))
        return;
    static const char memory[] = "out of memory"; /* base/memory.c, before it aborts */
    if (memmem(answer->complaint.at, answer->complaint.n, memory, sizeof memory - 1))
        complain(answer, "the analysis needs more memory than a page may take; the command line "
                         "has no such limit");
    else
        complain(answer, "the analysis crashed; this is a bug in gait, or the profile is damaged: "
                         "gait verify checks it");
}

void answer_poll(struct answer *answer)
{
    struct bytes *to[2] = {&answer->text, &answer->complaint};
    size_t most[2] = {answer->limits.bytes + 1, COMPLAINT_MOST};
    if (answer->state != ANSWER_RUNS)
        return;
    for (int i = 0; i < 2; i++)
        if (answer->fds[i] >= 0 && !drain(answer->fds[i], to[i], most[i])) {
            close(answer->fds[i]);
            answer->fds[i] = -1;
        }
    if (answer->text.n > answer->limits.bytes) {
        end(answer, true);
        complain(answer, "the answer is too large for a page; ask for fewer rows with a limit");
    } else if (answer->complaint.n >= COMPLAINT_MOST) {
        end(answer, true);
    } else if (answer->fds[0] < 0 && answer->fds[1] < 0) {
        end(answer, false);
    } else if (clock_ns(CLOCK_MONOTONIC) > answer->end_ns) {
        end(answer, true);
        complain(answer, "the analysis took too long and was stopped; the command line has no such "
                         "limit");
    }
}

void answer_wait(struct answer *answer)
{
    while (answer->state == ANSWER_RUNS) {
        struct pollfd polls[2] = {{answer->fds[0], POLLIN, 0}, {answer->fds[1], POLLIN, 0}};
        poll(polls, 2, 100);
        answer_poll(answer);
    }
}

/* Commands say "gait: what happened", perhaps on several lines, of which the first is the reason.
 */
const char *answer_complaint(struct answer *answer)
{
    static const char begins[] = "gait: ";
    char *text;
    bytes_add(&answer->complaint, "", 1);
    text = (char *)answer->complaint.at;
    text[strcspn(text, "\n")] = 0;
    if (!*text)
        return "the analysis failed without saying why";
    return strncmp(text, begins, sizeof begins - 1) == 0 ? text + sizeof begins - 1 : text;
}

void error_json(FILE *to, const char *sentence)
{
    struct json json;
    json_begin(&json, to);
    json_object(&json, NULL);
    json_string(&json, "error", sentence);
    json_object_end(&json);
    json_end(&json);
}

void answer_release(struct answer *answer)
{
    if (answer->state == ANSWER_RUNS)
        end(answer, true);
    vec_release(&answer->text);
    vec_release(&answer->complaint);
}
