#include "serve/answer.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static const struct answer_limits limits = {
    .ns = 10000000000u, .bytes = 100000, .memory = 64u << 20};

/* Does what the route says. */
static int child(void *data, const struct question *question)
{
    const char *what = question->route;
    (void)data;
    if (strcmp(what, "good") == 0)
        return printf("{}\n") < 0;
    if (strcmp(what, "large") == 0)
        for (;;)
            printf("0123456789\n");
    if (strcmp(what, "loud") == 0)
        for (;;)
            fprintf(stderr, "0123456789\n");
    if (strcmp(what, "slow") == 0)
        for (;;)
            pause();
    if (strcmp(what, "crash") == 0)
        raise(SIGKILL);       /* cmocka catches the usual ones */
    signal(SIGABRT, SIG_DFL); /* cmocka's */
    if (strcmp(what, "memory") == 0)
        return mem_alloc((size_t)1 << 30) == NULL;
    if (strcmp(what, "usage") == 0)
        return fprintf(stderr, "gait: --by x: expected y\nmore\n") < 0 ? 1 : 129;
    return 1; /* silent */
}

static struct answer run(const char *what, struct answer_limits within)
{
    struct question question = {.route = what};
    struct answer answer;
    assert_true(answer_start(&answer, child, NULL, &question, within));
    answer_wait(&answer);
    assert_int_equal(answer.child, 0);
    return answer;
}

static void expect(const char *what, struct answer_limits within, const char *complaint)
{
    struct answer answer = run(what, within);
    assert_int_equal(answer.state, ANSWER_FAILED);
    assert_non_null(strstr(answer_complaint(&answer), complaint));
    answer_release(&answer);
}

static void good(void **state)
{
    struct answer answer = run("good", limits);
    (void)state;
    assert_int_equal(answer.state, ANSWER_GOOD);
    assert_int_equal(answer.text.n, 3);
    answer_release(&answer);
}

static void bad_question(void **state)
{
    struct answer answer = run("usage", limits);
    (void)state;
    assert_true(answer.bad_question);
    assert_string_equal(answer_complaint(&answer), "--by x: expected y");
    answer_release(&answer);
    expect("silent", limits, "without saying why");
}

static void too_much(void **state)
{
    struct answer_limits hasty = limits;
    hasty.ns = 50000000;
    (void)state;
    expect("large", limits, "too large");
    expect("loud", limits, "0123456789");
    expect("slow", hasty, "too long");
    expect("crash", limits, "crashed");
#ifndef __SANITIZE_ADDRESS__
    expect("memory", limits, "memory");
#endif
}

/* An answer that nobody waits for any more. */
static void given_up(void **state)
{
    struct question question = {.route = "slow"};
    struct answer answer;
    (void)state;
    assert_true(answer_start(&answer, child, NULL, &question, limits));
    pid_t process = answer.child;
    answer_release(&answer);
    assert_int_equal(kill(process, 0), -1);
}

/* One that was never started has no child: nobody is stopped, least of all our process group. */
static void never_started(void **state)
{
    int status = 0;
    (void)state;
    pid_t process = fork();
    if (process == 0) {
        struct answer answer = {0};
        setpgid(0, 0); /* what is stopped by mistake is this process alone */
        answer_release(&answer);
        _exit(0);
    }
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good),     cmocka_unit_test(bad_question),  cmocka_unit_test(too_much),
        cmocka_unit_test(given_up), cmocka_unit_test(never_started),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
