/* Microkernels whose times can be derived by hand from cores/zen3.core, or from another core where
 * it is named. */
#include "model/core/core.h"

#include <stddef.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/err.h"
#include "model/core/insn.h"
#include "model/core/model.h"

#include <string.h>

static const char *core_name = "zen3";
static uint8_t quotient_bits; /* of divisions */

struct run {
    struct model model;
    struct core *core;
    struct core_times times;
    uint64_t at;
};

static void run_begin(struct run *run)
{
    struct err err;
    memset(run, 0, sizeof *run);
    assert_true(model_open(core_name, &run->model, &err));
    run->core = core_make(&run->model);
}

static void run_end(struct run *run)
{
    core_free(run->core);
    model_release(&run->model);
}

static void step(struct run *run, const char *bytes, size_t n, uint64_t address)
{
    struct core_insn insn;
    assert_true(core_insn_make(&run->model, (const uint8_t *)bytes, n, &insn));
    assert_int_equal(insn.length, n);
    struct core_fact fact = {
        .at = {run->at}, .next = {run->at + n}, .address = {address}, .value_bits = quotient_bits};
    struct core_times times;
    core_step(run->core, &insn, &fact, &times);
    assert_true(times.fetch <= times.dispatch && times.dispatch <= times.ready);
    assert_true(times.ready <= times.issue && times.issue <= times.complete);
    assert_true(times.complete < times.retire && run->times.retire <= times.retire);
    run->times = times;
    run->at += n;
}

/* Bytes of an instruction, and the address that it uses. */
struct word {
    const char *bytes;
    size_t n;
    uint64_t address;
};
#define WORD(bytes)                                                                                \
    {                                                                                              \
        bytes, sizeof(bytes) - 1, 0x10000                                                          \
    }
#define WORD_AT(bytes, address)                                                                    \
    {                                                                                              \
        bytes, sizeof(bytes) - 1, address                                                          \
    }

enum { TIMES = 600, CODE = 0x1000 };

/* Cycles of the second TIMES of a kernel, when all is under way. */
static uint64_t cycles(const struct word *words, size_t n)
{
    struct run run;
    uint64_t half = 0;
    run_begin(&run);
    for (int i = 0; i < 2 * TIMES; i++) {
        run.at = CODE + (uint64_t)(i % 2) * 64; /* two lines in turn: decoded once, then kept */
        if (i == TIMES)
            half = run.times.retire;
        for (size_t k = 0; k < n; k++)
            step(&run, words[k].bytes, words[k].n, words[k].address);
    }
    run_end(&run);
    return run.times.retire - half;
}
#define CYCLES(...)                                                                                \
    cycles((const struct word[]){__VA_ARGS__},                                                     \
           sizeof((const struct word[]){__VA_ARGS__}) / sizeof(struct word))

static void chains_take_their_latency(void **state)
{
    (void)state;
    assert_int_equal(CYCLES(WORD("\x48\x01\xd8")), TIMES);         /* add rax, rbx */
    assert_int_equal(CYCLES(WORD("\x48\x0f\xaf\xc3")), 3 * TIMES); /* imul rax, rbx */
    assert_int_equal(CYCLES(WORD("\x48\x8b\x00")), 4 * TIMES);     /* mov rax, [rax] */
    assert_int_equal(CYCLES(WORD("\xf2\x0f\x59\xc1")), 3 * TIMES); /* mulsd xmm0, xmm1 */
}

static void ports_limit_what_is_independent(void **state)
{
    (void)state;
    assert_int_equal(CYCLES(WORD("\x39\xd8")), TIMES / 4); /* cmp eax, ebx */
    /* shl of four registers: two ports. */
    assert_int_equal(CYCLES(WORD("\xc1\xe0\x03"), WORD("\xc1\xe1\x03"), WORD("\xc1\xe2\x03"),
                            WORD("\xc1\xe3\x03")),
                     2 * TIMES);
    assert_int_equal(CYCLES(WORD("\x48\x8b\x3e")), TIMES / 3); /* mov rdi, [rsi] */
}

static void moves_and_zeros_need_no_port(void **state)
{
    (void)state;
    /* Six a cycle is what dispatch can do: mov rax, rbx; xor eax, eax. */
    assert_int_equal(CYCLES(WORD("\x48\x89\xd8")), TIMES / 6);
    assert_int_equal(CYCLES(WORD("\x31\xc0")), TIMES / 6);
    /* A chain through a move takes as long as one without; a zero cuts it. */
    assert_int_equal(CYCLES(WORD("\x48\x89\xd8"), WORD("\x48\x01\xc3")), TIMES);
    assert_int_equal(CYCLES(WORD("\x48\x0f\xaf\xc3"), WORD("\x31\xc0")), TIMES);
}

static void parts_of_registers_are_merged(void **state)
{
    (void)state;
    /* mov al, 1 needs the rest of rax; mov eax, 1 does not. */
    assert_int_equal(CYCLES(WORD("\xb0\x01")), TIMES);
    assert_int_equal(CYCLES(WORD("\xb8\x01\x00\x00\x00")), TIMES / 4);
}

/* mov [rbx], rax; mov rax, [rbx]: the value goes through the store queue; by way of the stack
 * pointer it is renamed. */
static void stores_are_forwarded(void **state)
{
    (void)state;
    struct model model;
    struct err err;
    assert_true(model_open("zen3", &model, &err));
    /* The value is stored a cycle after it is there. */
    uint64_t way = 1 + model.forward;
    model_release(&model);
    assert_int_equal(CYCLES(WORD("\x48\x89\x03"), WORD("\x48\x8b\x03")), way * TIMES);
    /* add [rbx], rax needs one cycle more for the sum. */
    assert_int_equal(CYCLES(WORD("\x48\x01\x03")), (way + 1) * TIMES);
    assert_int_equal(CYCLES(WORD("\x48\x01\x44\x24\x08")), TIMES); /* add [rsp+8], rax */
}

/* Stores to one window leave two at a time, others one by one. */
static void stores_leave_in_pairs(void **state)
{
    (void)state;
    assert_int_equal(CYCLES(WORD_AT("\x48\x89\x03", 0x10000), WORD_AT("\x48\x89\x43\x08", 0x10008)),
                     TIMES);
    assert_int_equal(CYCLES(WORD_AT("\x48\x89\x03", 0x10000), WORD_AT("\x48\x89\x43\x20", 0x10020)),
                     2 * TIMES);
}

/* Misses that do not depend on each other overlap, as far as there is room for lines on their way.
 */
static void misses_overlap(void **state)
{
    (void)state;
    struct run run;
    struct core_insn insn;
    run_begin(&run);
    assert_true(core_insn_make(&run.model, (const uint8_t *)"\x48\x8b\x03", 3, &insn));
    uint64_t first = 0, last = 0;
    uint32_t n = run.model.misses;
    for (uint32_t i = 0; i < 2 * n; i++) {
        /* Lines of one page in no order: none is fetched ahead, and the page is looked up once. */
        struct core_fact fact = {
            .at = {CODE}, .next = {CODE}, .address = {0x100000 + i * 37 % 64 * 64}};
        core_step(run.core, &insn, &fact, &run.times);
        assert_true(run.times.events & CORE_L3_MISS);
        if (i == 0)
            first = run.times.load_complete;
        if (i == n - 1)
            assert_true(run.times.load_complete <= first + n);
        last = run.times.load_complete;
    }
    assert_true(last >= first + run.model.memory_cycles - n);
    assert_true(last <= first + run.model.memory_cycles + n);
    run_end(&run);
}

/* A branch that is always taken is learned; the first time costs what the model says. */
static void wrong_guesses_redirect_fetch(void **state)
{
    (void)state;
    struct run run;
    struct core_insn insn;
    struct core_times times;
    run_begin(&run);
    assert_true(core_insn_make(&run.model, (const uint8_t *)"\x75\xfe", 2, &insn)); /* jnz self */
    assert_int_equal(insn.kind, INSN_COND);
    struct core_fact fact = {.at = {CODE}, .next = {CODE}, .taken = true};
    int wrong = 0;
    for (int i = 0; i < 100; i++) {
        core_step(run.core, &insn, &fact, &times);
        wrong += (times.events & CORE_MISPREDICT) != 0;
        assert_int_equal(times.redirect, times.events & CORE_MISPREDICT
                                             ? times.complete + run.model.mispredict
                                             : 0);
    }
    assert_int_equal(wrong, 1); /* what is not known is taken to go straight on */
    fact.taken = false;
    fact.next.v = CODE + 2;
    core_step(run.core, &insn, &fact, &times);
    assert_true(times.events & CORE_MISPREDICT);
    uint64_t redirect = times.redirect, done = times.complete, fetched = times.fetch;
    /* Eight a cycle go the wrong way, and none retires. */
    struct core_insn add;
    assert_true(core_insn_make(&run.model, (const uint8_t *)"\x48\x01\xd8", 3, &add));
    uint64_t wrong_way = 0;
    while (core_wrong(run.core, &add, &fact, &times)) {
        assert_true(times.fetch < done && !times.retire && times.redirect == done);
        wrong_way++;
    }
    assert_int_equal(wrong_way, (done - fetched - 1) * run.model.opcache_width);
    core_step(run.core, &insn, &fact, &times);
    assert_int_equal(times.fetch, redirect);
    run_end(&run);
}

/* A second window knows the caches of the first, and waits for nothing of it. */
static void windows_are_apart(void **state)
{
    (void)state;
    struct run run;
    run_begin(&run);
    run.at = CODE;
    step(&run, "\x48\x8b\x03", 3, 0x10000); /* mov rax, [rbx] */
    assert_true(run.times.events & CORE_L3_MISS);
    uint64_t retired = run.times.retire;
    core_gap(run.core, 1000);
    run.at = CODE + 64;
    step(&run, "\x48\x8b\x00", 3, 0x10000); /* mov rax, [rax] */
    run.at = CODE;
    step(&run, "\x75\x02", 2, 0);
    assert_int_equal(core_history(run.core) & 1, 0);
    core_gap(run.core, 1000);
    run.at = CODE + 64;
    step(&run, "\x48\x8b\x00", 3, 0x10000);
    assert_true(run.times.fetch >= retired + 2000);
    assert_false(run.times.events & (CORE_L1D_MISS | CORE_L1I_MISS));
    assert_int_equal(run.times.ready, run.times.dispatch + 1 + run.model.load_int);
    run_end(&run);
}

/* xor eax, eax; mul rcx; and what of it goes on: 3 cycles to the lower half, 4 to the upper. */
static void upper_halves_of_products_are_late(void **state)
{
    (void)state;
    assert_int_equal(CYCLES(WORD("\x48\xf7\xe1")), 3 * TIMES); /* mul rcx */
    /* mul rcx; mov rax, rdx */
    assert_int_equal(CYCLES(WORD("\x48\xf7\xe1"), WORD("\x48\x89\xd0")), 4 * TIMES);
}

/* sbb eax, eax is what carry is: one behind the other take a cycle each, but cmp cuts the chain. */
static void what_needs_no_register_waits_for_none(void **state)
{
    (void)state;
    assert_int_equal(CYCLES(WORD("\x19\xc0")), TIMES);
    /* cmp ecx, edx; sbb eax, eax; and eax, 5: three of four ports. */
    assert_int_equal(CYCLES(WORD("\x39\xd1"), WORD("\x19\xc0"), WORD("\x83\xe0\x05")),
                     3 * TIMES / 4);
    /* pcmpeqd xmm0, xmm0: two ports. xor cl, cl is no zero of ecx. */
    assert_int_equal(CYCLES(WORD("\x66\x0f\x76\xc0")), TIMES / 2);
    assert_int_equal(CYCLES(WORD("\x30\xc9")), TIMES);
}

/* Of 8 bytes at 28 in a window of 32 both parts leave by themselves; of 4092 they are in two pages.
 */
static void stores_in_two_windows_leave_twice(void **state)
{
    (void)state;
    assert_int_equal(CYCLES(WORD_AT("\x48\x89\x03", 0x10018)), TIMES / 2);
    assert_int_equal(CYCLES(WORD_AT("\x48\x89\x03", 0x1001c)), 2 * TIMES);
    assert_int_equal(CYCLES(WORD_AT("\x48\x89\x03", 0x10ffc)), 34 * TIMES);
    /* A load of two lines takes its port twice: two turns of three ports. */
    assert_int_equal(CYCLES(WORD_AT("\x48\x8b\x3b", 0x1003c)), 2 * TIMES / 3);
}

/* add [rbx], rax goes through memory, but Zen 4 sees that nothing of its address has changed; not
 * so behind lea rbx, [rbx]. */
static void memory_is_renamed_by_its_registers(void **state)
{
    (void)state;
    assert_int_equal(CYCLES(WORD("\x48\x01\x03")), 8 * TIMES);
    core_name = "zen4";
    assert_int_equal(CYCLES(WORD("\x48\x01\x03")), TIMES);
    assert_int_equal(CYCLES(WORD("\x48\x01\x03"), WORD("\x48\x8d\x1b")), 7 * TIMES);
    /* Nor of a byte. */
    assert_int_equal(CYCLES(WORD("\x00\x03")), 7 * TIMES);
    core_name = "zen3";
}

/* vpaddd zmm0, zmm1, zmm2 takes two of four ports' cycles on Zen 4; a nop behind mov eax, ebx is
 * free there. */
static void what_zen_4_does_else(void **state)
{
    (void)state;
    assert_int_equal(CYCLES(WORD("\x89\xd8"), WORD("\x90")), TIMES / 3);
    core_name = "zen4";
    assert_int_equal(CYCLES(WORD("\x62\xf1\x75\x48\xfe\xc2")), TIMES / 2);
    assert_int_equal(CYCLES(WORD("\x62\xf1\x75\x28\xfe\xc2")), TIMES / 4);
    assert_int_equal(CYCLES(WORD("\x89\xd8"), WORD("\x90")), TIMES / 6);
    core_name = "zen3";
}

/* div rcx, one behind the other: 9 cycles on Zen 4, and one more for each ten bits of the quotient.
 */
static void divisions_depend_on_their_quotients(void **state)
{
    (void)state;
    core_name = "zen4";
    quotient_bits = 1;
    assert_int_equal(CYCLES(WORD("\x48\xf7\xf1")), 9 * TIMES);
    quotient_bits = 62;
    assert_int_equal(CYCLES(WORD("\x48\xf7\xf1")), 15 * TIMES);
    quotient_bits = 0;
    core_name = "zen3";
}

/* Lines of 64 KiB, one after the other, the third time: all in the second cache, from which one
 * comes in two cycles. */
static void lines_come_one_after_the_other(void **state)
{
    (void)state;
    enum { LINES = 1024 };
    struct run run;
    uint64_t half = 0;
    core_name = "zen4";
    run_begin(&run);
    for (int i = 0; i < 3 * LINES; i++) {
        run.at = CODE;
        if (i == 2 * LINES)
            half = run.times.retire;
        step(&run, "\x48\x8b\x3e", 3, 0x100000 + (uint64_t)(i % LINES) * 64);
    }
    uint64_t taken = run.times.retire - half;
    assert_in_range(taken, 2 * LINES - 64, 2 * LINES + LINES / 4);
    run_end(&run);
    core_name = "zen3";
}

/* What golden-cove has and the others have not; the same blocks take as long on an Emerald Rapids.
 */
static void golden_cove_is_not_zen(void **state)
{
    (void)state;
    core_name = "golden-cove";
    /* Small constants are added by renaming, to 64 bits, six a cycle: add rax, 1; lea rax, [rax+1].
     * Not so add eax, 1, nor add rax, 0x12345678. */
    struct word add = WORD("\x48\x83\xc0\x01"), lea = WORD("\x48\x8d\x40\x01");
    assert_int_equal(CYCLES(add, add, add, add, add, add), TIMES);
    assert_int_equal(CYCLES(lea, lea, lea, lea, lea, lea), TIMES);
    assert_int_equal(CYCLES(WORD("\x83\xc0\x01"), WORD("\x83\xc0\x01")), 2 * TIMES);
    assert_int_equal(CYCLES(WORD("\x48\x05\x78\x56\x34\x12"), WORD("\x48\x05\x78\x56\x34\x12")),
                     2 * TIMES);
    /* Three loads a cycle, of one bank two: mov rdi, [rsi]. */
    struct word load = WORD("\x48\x8b\x3e");
    assert_int_equal(CYCLES(WORD_AT("\x48\x8b\x03", 0x10000), WORD_AT("\x48\x8b\x4b\x08", 0x10008),
                            WORD_AT("\x48\x8b\x53\x10", 0x10010)),
                     TIMES);
    assert_int_equal(CYCLES(load, load, load, load, load, load), 3 * TIMES);
    /* A sum has the last one a cycle earlier than a product has it: addsd, mulsd. */
    assert_int_equal(CYCLES(WORD("\xf2\x0f\x58\xc1")), 2 * TIMES);
    assert_int_equal(CYCLES(WORD("\xf2\x0f\x58\xc1"), WORD("\xf2\x0f\x59\xc1")), 7 * TIMES);
    /* What is stored is there at once, whatever registers name the place: mov [r15], rax; mov rax,
     * [rbp]; add rax, rcx. */
    assert_int_equal(CYCLES(WORD("\x49\x89\x07"), WORD("\x48\x8b\x45\x00"), WORD("\x48\x01\xc8")),
                     TIMES);
    /* So is xor qword [rbx], 1, but not add [rbx], rcx. */
    assert_int_equal(CYCLES(WORD("\x48\x83\x33\x01")), TIMES);
    assert_true(CYCLES(WORD("\x48\x01\x0b")) >= 6 * TIMES);
    /* A prefix that shortens a constant stops fetch: test si, 0x7ff8. */
    assert_true(CYCLES(WORD("\x66\xf7\xc6\xf8\x7f")) >= 3 * TIMES);
    core_name = "zen3";
}

/* Operations of one cycle are of one window of 32 bytes: of ten instructions of three bytes eight
 * come first, then two. */
static void kept_operations_come_by_windows(void **state)
{
    (void)state;
    struct run run;
    uint64_t half = 0;
    core_name = "golden-cove";
    run_begin(&run);
    for (int i = 0; i < 2 * TIMES; i++) {
        if (i == TIMES)
            half = run.times.retire;
        run.at = CODE + (uint64_t)(i % 2) * 64;
        for (int k = 0; k < 10; k++)
            step(&run, "\x48\x89\xd8", 3, 0); /* mov rax, rbx */
    }
    assert_int_equal(run.times.retire - half, 2 * TIMES);
    run_end(&run);
    core_name = "zen3";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_take_their_latency),
        cmocka_unit_test(ports_limit_what_is_independent),
        cmocka_unit_test(moves_and_zeros_need_no_port),
        cmocka_unit_test(parts_of_registers_are_merged),
        cmocka_unit_test(stores_are_forwarded),
        cmocka_unit_test(stores_leave_in_pairs),
        cmocka_unit_test(upper_halves_of_products_are_late),
        cmocka_unit_test(what_needs_no_register_waits_for_none),
        cmocka_unit_test(stores_in_two_windows_leave_twice),
        cmocka_unit_test(memory_is_renamed_by_its_registers),
        cmocka_unit_test(what_zen_4_does_else),
        cmocka_unit_test(divisions_depend_on_their_quotients),
        cmocka_unit_test(lines_come_one_after_the_other),
        cmocka_unit_test(misses_overlap),
        cmocka_unit_test(wrong_guesses_redirect_fetch),
        cmocka_unit_test(windows_are_apart),
        cmocka_unit_test(golden_cove_is_not_zen),
        cmocka_unit_test(kept_operations_come_by_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
