/* Single steps by hand-made rules; sections that are not as they should be. */
#include "program/unwind/unwind.h"

#include "base/err.h"
#include "program/elf/image.h"
#include "program/unwind/unwind_build.h"
#include "program/unwind/unwind_entries.h"

#include "oracle.h"

#include <dwarf.h>
#include <elf.h>
#include <setjmp.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- a section with one CIE and some FDEs, all of 16 bytes of code */

enum { SECTION = 0x5000, CODE = 0x1000, CODE_BYTES = 0x100 };

struct section {
    uint8_t bytes[1024];
    size_t n;
};

static void put(struct section *section, const void *bytes, size_t n)
{
    assert_true(section->n + n <= sizeof section->bytes);
    memcpy(section->bytes + section->n, bytes, n);
    section->n += n;
}

static void put4(struct section *section, uint32_t value)
{
    put(section, &value, 4);
}

static void put_entry(struct section *section, uint32_t id, const void *body, size_t n)
{
    size_t padded = (n + 4 + 3) / 4 * 4;
    put4(section, (uint32_t)padded);
    put4(section, id);
    put(section, body, n);
    while (padded-- > n + 4)
        put(section, "", 1);
}

/* CFA = rsp + 8, rip at CFA - 8. */
static void put_cie(struct section *section, bool signal)
{
    static const uint8_t plain[] = {
        1, 'z', 'R', 0, 1, 0x78, 16, 1, DW_EH_PE_absptr, DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16,
        1};
    static const uint8_t signals[] = {1,
                                      'z',
                                      'R',
                                      'S',
                                      0,
                                      1,
                                      0x78,
                                      16,
                                      1,
                                      DW_EH_PE_absptr,
                                      DW_CFA_def_cfa,
                                      7,
                                      8,
                                      DW_CFA_offset | 16,
                                      1};
    put_entry(section, 0, signal ? signals : plain, signal ? sizeof signals : sizeof plain);
}

static void put_fde(struct section *section, uint64_t start, uint64_t bytes, const void *program,
                    size_t n)
{
    uint8_t body[256] = {0};
    memcpy(body, &start, 8);
    memcpy(body + 8, &bytes, 8);
    memcpy(body + 17, program, n);
    put_entry(section, (uint32_t)section->n + 4, body, 17 + n);
}

static void build(struct unwind *unwind, const struct section *section)
{
    struct unwind_entries entries = {0};
    unwind_entries_read(
        &entries,
        &(struct unwind_section){.bytes = section->bytes, .n = section->n, .address = {SECTION}});
    unwind_build_entries(unwind, &entries, (struct svma){0});
    unwind_entries_release(&entries);
}

static void build_one(struct unwind *unwind, bool signal, const void *program, size_t n)
{
    struct section section = {0};
    put_cie(&section, signal);
    put_fde(&section, CODE, CODE_BYTES, program, n);
    build(unwind, &section);
}
#define BUILD(unwind, ...)                                                                         \
    build_one(unwind, false, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* ---- a stack of 16 words; word i holds 0x7000 + i */

enum { STACK = 0x100000, WORDS = 16 };
static uint64_t words[WORDS];

static struct unwind_memory stack_memory(void)
{
    for (uint64_t i = 0; i < WORDS; i++)
        words[i] = 0x7000 + i;
    return (struct unwind_memory){
        .bytes = (const uint8_t *)words, .start = {STACK}, .n = sizeof words};
}

static struct unwind_frame top_frame(void)
{
    struct unwind_frame frame = {.known = (1u << UNWIND_REGISTERS) - 1, .interrupted = true};
    for (uint64_t i = 0; i < UNWIND_REGISTERS; i++)
        frame.value[i] = 0x100 + i;
    frame.value[UNWIND_RSP] = STACK;
    frame.value[UNWIND_RIP] = CODE;
    return frame;
}

static enum unwind_step step(struct unwind *unwind, struct unwind_frame *frame)
{
    struct unwind_memory memory = stack_memory();
    enum unwind_step got = unwind_step(unwind, (struct svma){CODE}, frame, &memory);
    unwind_release(unwind);
    return got;
}

static void plain_frames(void **state)
{
    (void)state;
    struct unwind unwind;
    struct unwind_frame frame = top_frame();
    BUILD(&unwind, DW_CFA_def_cfa_offset, 32, DW_CFA_offset | 3, 2, DW_CFA_offset | 6, 3);
    assert_int_equal(step(&unwind, &frame), UNWIND_CALLER);
    assert_int_equal(frame.value[UNWIND_RIP], 0x7003);
    assert_int_equal(frame.value[UNWIND_RSP], STACK + 32);
    assert_int_equal(frame.value[UNWIND_RBX], 0x7002);
    assert_int_equal(frame.value[UNWIND_RBP], 0x7001);
    assert_int_equal(frame.value[12], 0x10C);
    assert_false(frame.interrupted);
}

/* In epilogues rules still name places that have been popped: the registers have them already. */
static void popped_registers(void **state)
{
    (void)state;
    struct unwind unwind;
    struct unwind_frame frame = top_frame();
    BUILD(&unwind, DW_CFA_offset | 3, 2, DW_CFA_offset | 6, 3);
    assert_int_equal(step(&unwind, &frame), UNWIND_CALLER);
    assert_int_equal(frame.value[UNWIND_RBX], 0x103);
    assert_int_equal(frame.value[UNWIND_RBP], 0x106);
}

static void stub_frames(void **state)
{
    (void)state;
    for (uint64_t low = 0; low < 16; low++) {
        struct unwind unwind;
        struct unwind_frame frame = top_frame();
        frame.value[UNWIND_RIP] = CODE + low;
        BUILD(&unwind, DW_CFA_def_cfa_expression, 11, DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15,
              DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus);
        assert_int_equal(unwind.expressions.n, 0); /* known, not interpreted */
        assert_int_equal(step(&unwind, &frame), UNWIND_CALLER);
        assert_int_equal(frame.value[UNWIND_RIP], low >= 11 ? 0x7001 : 0x7000);
        /* The same with a different shape goes through the interpreter. */
        frame = top_frame();
        frame.value[UNWIND_RIP] = CODE + low;
        BUILD(&unwind, DW_CFA_def_cfa_expression, 12, DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15,
              DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus, DW_OP_nop);
        assert_int_equal(unwind.expressions.n, 1);
        assert_int_equal(step(&unwind, &frame), UNWIND_CALLER);
        assert_int_equal(frame.value[UNWIND_RIP], low >= 11 ? 0x7001 : 0x7000);
    }
}

/* As gcc saves what an aligned frame needs: rbp where rbp points, the CFA beside it. */
static void expressions(void **state)
{
    (void)state;
    struct unwind unwind;
    struct unwind_frame frame = top_frame();
    frame.value[UNWIND_RBP] = STACK + 16;
    words[1] = 0;
    BUILD(&unwind, DW_CFA_def_cfa_expression, 5, DW_OP_breg7, 0, DW_OP_plus_uconst, 64, DW_OP_nop,
          DW_CFA_expression, 6, 2, DW_OP_breg6, 0, DW_CFA_val_expression, 3, 2, DW_OP_lit8,
          DW_OP_plus, DW_CFA_register, 12, 13, DW_CFA_val_offset, 14, 2, DW_CFA_undefined, 15);
    assert_int_equal(step(&unwind, &frame), UNWIND_CALLER);
    assert_int_equal(frame.value[UNWIND_RSP], STACK + 64);
    assert_int_equal(frame.value[UNWIND_RIP], 0x7007);
    assert_int_equal(frame.value[UNWIND_RBP], 0x7002);
    assert_int_equal(frame.value[UNWIND_RBX], STACK + 72);
    assert_int_equal(frame.value[12], 0x10D);
    assert_int_equal(frame.value[14], STACK + 48);
    assert_int_equal(frame.known >> 15 & 1, 0);
}

static void arithmetic(void **state)
{
    (void)state;
    struct unwind unwind;
    struct unwind_frame frame = top_frame();
    /* ((7 - 2) * 3 % 8 << 4) >> 3 = 14; skipped; -20 / 3 = -6; 14 - 6 = 8: the CFA is rsp + 8 + 8
     */
    BUILD(&unwind, DW_CFA_def_cfa_expression, 28, DW_OP_lit7, DW_OP_lit2, DW_OP_minus, DW_OP_lit3,
          DW_OP_mul, DW_OP_lit8, DW_OP_mod, DW_OP_lit4, DW_OP_shl, DW_OP_lit3, DW_OP_shr,
          DW_OP_skip, 1, 0, DW_OP_drop, DW_OP_const1s, (uint8_t)-20, DW_OP_lit3, DW_OP_div,
          DW_OP_plus, DW_OP_breg7, 8, DW_OP_plus, DW_OP_dup, DW_OP_swap, DW_OP_drop, DW_OP_nop,
          DW_OP_nop);
    assert_int_equal(step(&unwind, &frame), UNWIND_CALLER);
    assert_int_equal(frame.value[UNWIND_RSP], STACK + 16);
}

static void ends(void **state)
{
    (void)state;
    struct unwind unwind;
    struct unwind_frame frame = top_frame();
    BUILD(&unwind, DW_CFA_undefined, 16);
    assert_int_equal(step(&unwind, &frame), UNWIND_DONE);
    BUILD(&unwind, DW_CFA_def_cfa_offset, 0x88, 1); /* one word above the copy */
    assert_int_equal(step(&unwind, &frame), UNWIND_NO_MEMORY);
    BUILD(&unwind, DW_CFA_def_cfa, 3, 8); /* rbx is far below rsp */
    assert_int_equal(step(&unwind, &frame), UNWIND_NO_MEMORY);
    BUILD(&unwind, DW_CFA_same_value, 16);
    assert_int_equal(step(&unwind, &frame), UNWIND_BAD);
    /* The caller is the frame itself. */
    BUILD(&unwind, DW_CFA_def_cfa, 7, 0, DW_CFA_register, 16, 16);
    assert_int_equal(step(&unwind, &frame), UNWIND_BAD);
    BUILD(&unwind, DW_CFA_def_cfa_expression, 1, DW_OP_drop);
    assert_int_equal(step(&unwind, &frame), UNWIND_BAD);
    /* For ever. */
    BUILD(&unwind, DW_CFA_def_cfa_expression, 3, DW_OP_skip, 0xFD, 0xFF);
    assert_int_equal(step(&unwind, &frame), UNWIND_BAD);
    struct unwind_frame same = top_frame();
    assert_memory_equal(&frame, &same, sizeof frame);
}

static void signal_frames(void **state)
{
    (void)state;
    struct unwind unwind;
    struct unwind_frame frame = top_frame();
    build_one(&unwind, true, "", 1);
    assert_int_equal(step(&unwind, &frame), UNWIND_CALLER);
    assert_true(frame.interrupted);
}

/* ---- tables */

static int32_t cfa_at(const struct unwind *unwind, uint64_t at)
{
    const struct unwind_rule *rule = unwind_find(unwind, (struct svma){at});
    return rule ? rule->number : -1;
}

static void remembered_states(void **state)
{
    (void)state;
    struct unwind unwind;
    BUILD(&unwind, DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_advance_loc | 4,
          DW_CFA_remember_state, DW_CFA_def_cfa_offset, 8, DW_CFA_advance_loc | 1,
          DW_CFA_restore_state);
    assert_int_equal(cfa_at(&unwind, CODE - 1), -1);
    assert_int_equal(cfa_at(&unwind, CODE), 8);
    assert_int_equal(cfa_at(&unwind, CODE + 1), 16);
    assert_int_equal(cfa_at(&unwind, CODE + 4), 16);
    assert_int_equal(cfa_at(&unwind, CODE + 5), 8);
    assert_int_equal(cfa_at(&unwind, CODE + 6), 16);
    assert_int_equal(cfa_at(&unwind, CODE + CODE_BYTES - 1), 16);
    assert_int_equal(cfa_at(&unwind, CODE + CODE_BYTES), -1);
    assert_int_equal(unwind.rules.n, 2);
    unwind_release(&unwind);
}

static void broken_programs(void **state)
{
    (void)state;
    struct unwind unwind;
    struct section section = {0};
    put_cie(&section, false);
    put_fde(&section, CODE, 16, (const uint8_t[]){DW_CFA_advance_loc | 4, DW_CFA_restore_state}, 2);
    build(&unwind, &section);
    assert_int_equal(unwind.unreadable, 1);
    assert_int_equal(cfa_at(&unwind, CODE + 3), 8);
    assert_int_equal(cfa_at(&unwind, CODE + 4), -1);
    unwind_release(&unwind);
}

/* Of two about one place the first found counts; one that starts inside another ends that. */
static void overlaps(void **state)
{
    (void)state;
    struct unwind unwind;
    struct section section = {0};
    put_cie(&section, false);
    put_fde(&section, CODE, 32, (const uint8_t[]){DW_CFA_def_cfa_offset, 24}, 2);
    put4(&section, 0); /* a terminator: start files may come behind others */
    put_fde(&section, CODE, 64, (const uint8_t[]){DW_CFA_def_cfa_offset, 32}, 2);
    put_fde(&section, CODE + 16, 8, (const uint8_t[]){DW_CFA_def_cfa_offset, 40}, 2);
    build(&unwind, &section);
    assert_int_equal(unwind.unreadable, 0);
    assert_int_equal(cfa_at(&unwind, CODE), 24);
    assert_int_equal(cfa_at(&unwind, CODE + 15), 24);
    assert_int_equal(cfa_at(&unwind, CODE + 16), 40);
    assert_int_equal(cfa_at(&unwind, CODE + 24), -1);
    unwind_release(&unwind);
}

/* ---- files */

/* The vDSO has no file, and its entries are all there is for the code that reads clocks. */
static void vdso(void **state)
{
    (void)state;
    struct err err;
    struct image image;
    struct unwind unwind;
    if (!image_open(&image, "[vdso]", &err))
        skip();
    unwind_build(&unwind, &image);
    assert_true(unwind.entries > 3);
    assert_int_equal(unwind.unreadable, 0);
    unwind_release(&unwind);
    image_close(&image);
}

/* Without section headers the program headers lead to the same table. */
static void no_sections(void **state)
{
    (void)state;
    char path[] = "/tmp/gait-unwind-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    oracle_run("cp %s %s", LIBC, path);
    Elf64_Ehdr header;
    assert_int_equal(pread(fd, &header, sizeof header, 0), sizeof header);
    header.e_shoff = 0;
    header.e_shnum = header.e_shstrndx = 0;
    assert_int_equal(pwrite(fd, &header, sizeof header, 0), sizeof header);
    struct err err;
    struct image with, without;
    struct unwind there, here;
    assert_true(image_open(&with, LIBC, &err) && image_open(&without, path, &err));
    unwind_build(&there, &with);
    unwind_build(&here, &without);
    assert_int_equal(here.rows.n, there.rows.n);
    assert_memory_equal(here.rows.at, there.rows.at, here.rows.n * sizeof *here.rows.at);
    assert_int_equal(here.unreadable, 0);
    unwind_release(&there);
    unwind_release(&here);
    image_close(&with);
    image_close(&without);
    close(fd);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_frames),
        cmocka_unit_test(popped_registers),
        cmocka_unit_test(stub_frames),
        cmocka_unit_test(expressions),
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(ends),
        cmocka_unit_test(signal_frames),
        cmocka_unit_test(remembered_states),
        cmocka_unit_test(broken_programs),
        cmocka_unit_test(overlaps),
        cmocka_unit_test(vdso),
        cmocka_unit_test(no_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
