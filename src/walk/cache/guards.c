#include "walk/cache/guards.h"

/* guards_compare: %rdi the program's bytes, %rsi ours, %rdx how many: 1 if they are the same.
 * guards_copy: %rdi ours, %rsi the program's: 1 if they could be read. Without a stack frame, so
 * that a fault inside can be led to the end. */
__asm__(".pushsection .text\n"
        "guards_compare:\n"
        "1: cmp $8,%rdx\n  jb 2f\n"
        "  mov (%rdi),%rax\n  cmp (%rsi),%rax\n  jne guards_gone\n"
        "  add $8,%rdi\n  add $8,%rsi\n  sub $8,%rdx\n  jmp 1b\n"
        "2: test %rdx,%rdx\n  jz 3f\n"
        "  movzbl (%rdi),%eax\n  cmp (%rsi),%al\n  jne guards_gone\n"
        "  inc %rdi\n  inc %rsi\n  dec %rdx\n  jmp 2b\n"
        "guards_copy:\n"
        "  mov %rdx,%rcx\n  rep movsb\n"
        "3: mov $1,%eax\n  ret\n"
        "guards_gone:\n"
        "  xor %eax,%eax\n  ret\n"
        ".popsection\n");
uint32_t guards_compare(uint64_t program, const uint8_t *ours, uint64_t bytes)
    __attribute__((visibility("hidden")));
uint32_t guards_copy(uint8_t *ours, uint64_t program, uint64_t bytes)
    __attribute__((visibility("hidden")));
extern const char guards_gone[] __attribute__((visibility("hidden")));

uint64_t guards_fault(uint64_t pc)
{
    uint64_t start = (uint64_t)guards_compare, gone = (uint64_t)guards_gone;
    return pc >= start && pc < gone ? gone : 0;
}

bool guards_read(uint8_t *to, uint64_t from, uint64_t bytes)
{
    return guards_copy(to, from, bytes);
}

/* What is kept: runs of bytes, the last followed by one of none. */
struct run {
    uint64_t start; /* avma */
    uint64_t bytes;
};

static uint32_t run_room(uint64_t bytes)
{
    return (uint32_t)(sizeof(struct run) + ((bytes + 7) & ~UINT64_C(7)));
}

/* The segments from i on that lie one behind the other; the number of the next. */
static uint32_t run_gather(const struct shape *shape, uint32_t i, struct run *ret)
{
    *ret = (struct run){shape->segments[i].start, shape->segments[i].bytes};
    while (++i < shape->n_segments && shape->segments[i].start == ret->start + ret->bytes)
        ret->bytes += shape->segments[i].bytes;
    return i;
}

uint32_t guards_add(struct guards *guards, const struct shape *shape)
{
    uint32_t at = guards->used, first = at;
    for (uint32_t i = 0; i < shape->n_segments;) {
        struct run run;
        i = run_gather(shape, i, &run);
        if (GUARDS_BYTES - at < run_room(run.bytes) + sizeof(struct run))
            return 0;
        *(struct run *)(void *)&guards->bytes[at] = run;
        if (!guards_copy(&guards->bytes[at + sizeof(struct run)], run.start, run.bytes))
            return 0;
        at += run_room(run.bytes);
    }
    *(struct run *)(void *)&guards->bytes[at] = (struct run){0};
    guards->used = at + (uint32_t)sizeof(struct run);
    return first + 1;
}

bool guards_hold(const struct guards *guards, uint32_t guard)
{
    const uint8_t *at = &guards->bytes[guard - 1];
    for (;;) {
        const struct run *run = (const struct run *)(const void *)at;
        if (!run->start)
            return true;
        if (!guards_compare(run->start, at + sizeof *run, run->bytes))
            return false;
        at += run_room(run->bytes);
    }
}

bool guards_next(const struct guards *guards, uint32_t guard, struct guards_run *run)
{
    const uint8_t *at = run->ours ? run->ours - sizeof(struct run) + run_room(run->bytes)
                                  : &guards->bytes[guard - 1];
    const struct run *kept = (const struct run *)(const void *)at;
    *run = (struct guards_run){kept->start, kept->bytes, at + sizeof *kept};
    return kept->start;
}

void guards_forget(struct guards *guards)
{
    guards->used = 0;
}
