/* This program's own code as a run, and a replay of it that counts what it hears. */
#pragma once

#include "model/replay/replay.h"

#include <stddef.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/err.h"
#include "program/elf/image.h"

#include <link.h>
#include <string.h>

/* Never called: it is only read. */
void loop_code(void);
__asm__(".text\n"
        ".globl loop_code\n"
        "loop_code:\n"
        "  push %rbx\n"         /* 1 */
        "  mov %rdi, 8(%rsp)\n" /* 5 */
        "  mov 8(%rsp), %rax\n" /* 5 */
        "  mov (%rax), %rcx\n"  /* 3 */
        "  mov %rcx, (%rdx)\n"  /* 3 */
        "  pop %rbx\n"          /* 1 */
        "  test %rdx, %rdx\n"   /* 3 */
        "  jne loop_code\n"     /* 2, with it as one */
        "  imul %rcx, %rcx\n"   /* 4 */
        "  ret\n");
enum { LOOP_INSTRUCTIONS = 8, LOOP_BYTES = 23, STORE = 1, LOAD = 2, POINTER = 3, POP = 5 };

struct fixture {
    struct replay_listener listener;
    struct image image;
    struct model model;
    struct core_code code;
    struct replay replay;
    struct svma loop;
    uint32_t steps, aborted, warming, gaps, addressed;
    uint32_t events[64]; /* of the last steps, by number */
};

static const struct image *image_of(void *context, uint32_t module)
{
    struct fixture *fixture = context;
    return module == 3 ? &fixture->image : NULL;
}

static void step(struct replay_listener *listener, const struct replay_step *step)
{
    struct fixture *fixture = (struct fixture *)listener;
    fixture->steps += !step->aborted;
    fixture->aborted += step->aborted;
    fixture->warming += step->warming && !step->aborted;
    fixture->addressed += step->addressed;
    if (!step->aborted && step->insn->id < 64)
        fixture->events[step->insn->id] = step->times->events;
}

static void gap(struct replay_listener *listener)
{
    ((struct fixture *)listener)->gaps++;
}

static int base_find(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    *(uint64_t *)context = info->dlpi_addr;
    return 1; /* the program is the first */
}

static void fixture_begin(struct fixture *fixture)
{
    struct err err;
    uint64_t base = 0;
    memset(fixture, 0, sizeof *fixture);
    fixture->listener = (struct replay_listener){step, gap};
    assert_true(image_open(&fixture->image, "/proc/self/exe", &err));
    assert_true(model_open("zen3", &fixture->model, &err));
    dl_iterate_phdr(base_find, &base);
    fixture->loop.v = (uint64_t)(uintptr_t)loop_code - base;
    code_init(&fixture->code, &fixture->model, (struct code_source){image_of, fixture});
    replay_init(&fixture->replay, &fixture->code);
    replay_listen(&fixture->replay, &fixture->listener);
}

static void fixture_end(struct fixture *fixture)
{
    replay_release(&fixture->replay);
    code_release(&fixture->code);
    model_release(&fixture->model);
    image_close(&fixture->image);
}
