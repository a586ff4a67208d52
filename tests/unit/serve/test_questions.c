#include "serve/questions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

/* How often an answer was computed: children count in memory that they share with us. */
static int make(void *data, const struct question *question)
{
    int *made = data;
    __atomic_add_fetch(made, 1, __ATOMIC_SEQ_CST);
    if (strcmp(question->route, "bad") == 0)
        return 1;
    return printf("{}\n") < 0;
}

static void finish(struct questions *questions, const struct asked *asked)
{
    while (!asked->done) {
        struct pollfd polls[8];
        size_t n = 0;
        questions_polls(questions, polls, &n, 8);
        poll(polls, n, 100);
        questions_step(questions);
    }
}

/* Asked twice, while it runs and when it is done: computed once. What differs is computed. */
static void kept(void **state)
{
    int *made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct questions questions = {.make = make, .data = made};
    struct question_param all[] = {{"limit", "2000"}}, one[] = {{"function", "f"}};
    struct question table = {"pipeline", all, 1}, other = {"pipeline", one, 1};
    (void)state;
    assert_ptr_not_equal(made, MAP_FAILED);
    struct asked *asked = questions_ask(&questions, &table);
    assert_ptr_equal(questions_ask(&questions, &table), asked);
    finish(&questions, asked);
    assert_ptr_equal(questions_ask(&questions, &table), asked);
    assert_int_equal(*made, 1);
    assert_int_equal(asked->answer.state, ANSWER_GOOD);
    finish(&questions, questions_ask(&questions, &other));
    assert_int_equal(*made, 2);
    questions_release(&questions);
    munmap(made, sizeof *made);
}

/* What failed may work the next time. */
static void failed(void **state)
{
    int *made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct questions questions = {.make = make, .data = made};
    struct question bad = {"bad", NULL, 0};
    (void)state;
    assert_ptr_not_equal(made, MAP_FAILED);
    for (int i = 1; i <= 2; i++) {
        struct asked *asked = questions_ask(&questions, &bad);
        asked->waiting++; /* else it would be forgotten while we look at it */
        finish(&questions, asked);
        assert_int_equal(asked->answer.state, ANSWER_FAILED);
        assert_int_equal(*made, i);
        asked->waiting--;
        questions_step(&questions);
    }
    questions_release(&questions);
    munmap(made, sizeof *made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept),
        cmocka_unit_test(failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
