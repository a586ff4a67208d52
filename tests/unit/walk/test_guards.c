/* Code that changes under its copies is noticed: another byte, or gone altogether. */
#include "walk/emit/guard_code.h"

#include "walk/base/probe.h"
#include "walk/emit/exits.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <asm/prctl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

static struct guards *guards;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    ucontext_t *state = context;
    uint64_t resume = probe_fault((uint64_t)state->uc_mcontext.gregs[REG_RIP]);
    if (!resume)
        abort();
    state->uc_mcontext.gregs[REG_RIP] = (greg_t)resume;
}

static int set_up(void **state)
{
    (void)state;
    guards = mmap(NULL, sizeof *guards, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return guards == MAP_FAILED;
}

static uint8_t *page_of_code(void)
{
    uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(code, MAP_FAILED);
    for (int i = 0; i < 4096; i++)
        code[i] = (uint8_t)(i * 7);
    return code;
}

/* Two segments, neither of whose lengths is a multiple of eight. */
static struct shape shape_of(const uint8_t *code)
{
    struct shape shape = {.n_segments = 2};
    shape.segments[0] = (struct wire_segment){.start = (uint64_t)code + 3, .bytes = 21};
    shape.segments[1] = (struct wire_segment){.start = (uint64_t)code + 100, .bytes = 5};
    return shape;
}

static void every_byte_counts(void **state)
{
    (void)state;
    uint8_t *code = page_of_code();
    struct shape shape = shape_of(code);
    uint32_t guard = guards_add(guards, &shape);
    assert_true(guard && guards_hold(guards, guard));
    for (int i = 0; i < 200; i++) {
        bool inside = (i >= 3 && i < 24) || (i >= 100 && i < 105);
        code[i] ^= 1;
        assert_int_equal(guards_hold(guards, guard), !inside);
        code[i] ^= 1;
    }
    assert_true(guards_hold(guards, guard));
    munmap(code, 4096);
}

static void what_is_gone_is_another(void **state)
{
    (void)state;
    uint8_t *code = page_of_code();
    struct shape shape = shape_of(code);
    uint32_t guard = guards_add(guards, &shape);
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL); /* here: the test's runner has set one of its own */
    munmap(code, 4096);
    assert_false(guards_hold(guards, guard));
    assert_int_equal(guards_add(guards, &shape), 0);
}

static void each_has_its_own(void **state)
{
    (void)state;
    uint8_t *first = page_of_code(), *second = page_of_code();
    struct shape one = shape_of(first), two = shape_of(second);
    uint32_t a = guards_add(guards, &one), b = guards_add(guards, &two);
    second[5] ^= 1;
    assert_true(guards_hold(guards, a));
    assert_false(guards_hold(guards, b));
    munmap(first, 4096);
    munmap(second, 4096);
}

/* ---- guards in code */

enum { SAME, OTHER, NEWER };

static struct context *context_make(void)
{
    struct context *context = mmap(NULL, sizeof *context, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_ptr_not_equal(context, MAP_FAILED);
    context_init(context);
    assert_int_equal(syscall(SYS_arch_prctl, ARCH_SET_GS, context), 0);
    return context;
}

/* Runs the guard; no register and no flag has changed, whichever way it goes. */
static int guard_asks(struct context *context, uint64_t guard_code)
{
    const uint64_t flags = 0x246 | 0x801; /* carry, parity, zero, overflow */
    for (uint64_t i = 0; i < 16; i++)
        if (i != RSP)
            context->gpr[i] = i * 0x1111111111111111;
    context->flags = flags;
    context_enter(context, guard_code);
    for (uint64_t i = 0; i < 16; i++)
        if (i != RSP)
            assert_int_equal(context->gpr[i], i * 0x1111111111111111);
    assert_int_equal(context->flags & 0x8d5, flags & 0x8d5);
    return context->leave == LEAVE_STOP ? SAME : context->leave == LEAVE_DIRECT ? NEWER : OTHER;
}

static void code_asks_for_every_byte(void **state)
{
    (void)state;
    struct context *context = context_make();
    uint8_t *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    uint8_t *code = pages + 2 * 4096;
    for (uint32_t bytes = 1; bytes < 24; bytes++) {
        for (int i = 0; i < 200; i++)
            code[i] = (uint8_t)(i * 37 + (int)bytes);
        struct shape shape = {.n_segments = 2};
        shape.segments[0] = (struct wire_segment){.start = (uint64_t)code + 3, .bytes = bytes};
        shape.segments[1] = (struct wire_segment){.start = (uint64_t)code + 100, .bytes = 5};
        uint32_t guard = guards_add(guards, &shape);
        struct code_cursor hot = {.at = pages}, cold = {.at = pages + 4096};
        emit_guard(&hot, &cold, guards, guard, 77);
        uint64_t body = cursor_runs_at(&hot);
        emit_leave(&hot, 1, offsetof(struct context, to_stop));
        assert_true(hot.at - pages <= GUARD_CODE_BYTES + 32);
        assert_int_equal(guard_asks(context, (uint64_t)pages), SAME);
        for (uint32_t i = 0; i < 200; i++) {
            bool inside = (i >= 3 && i < 3 + bytes) || (i >= 100 && i < 105);
            code[i] ^= (uint8_t)(1u << i % 8);
            assert_int_equal(guard_asks(context, (uint64_t)pages), inside ? OTHER : SAME);
            if (inside)
                assert_int_equal(context->exit, 77);
            code[i] ^= (uint8_t)(1u << i % 8);
        }
        /* A newer copy is found without the dispatcher. */
        struct code_cursor newer = {.at = pages + 4096 + 1024};
        uint8_t *field = (uint8_t *)guard_field(body);
        emit_leave(&newer, 2, offsetof(struct context, to_direct));
        emit_displacement(&hot, field, (uint64_t)pages + 4096 + 1024);
        code[3] ^= 1;
        assert_int_equal(guard_asks(context, (uint64_t)pages), NEWER);
        code[3] ^= 1;
        assert_int_equal(guard_asks(context, (uint64_t)pages), SAME);
        /* Switched off, it finds a difference where there is none. */
        *(uint8_t *)guard_switch(body) = 0;
        assert_int_equal(guard_asks(context, (uint64_t)pages), NEWER);
    }
    munmap(pages, 3 * 4096);
    munmap(context, sizeof *context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_counts),
        cmocka_unit_test(what_is_gone_is_another),
        cmocka_unit_test(each_has_its_own),
        cmocka_unit_test(code_asks_for_every_byte),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
