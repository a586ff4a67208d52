#include "program/cfg/jump_tables.h"

#include "base/err.h"
#include "program/binary.h"
#include "program/cfg/cfg_build.h"

#include "oracle.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* Every function f has cases f_0, f_1 ... and the one jump at f_jump. */
#define BEGIN(f) ".text\n.globl " #f "\n.type " #f ",@function\n" #f ":\n"
#define CASE(f, n) #f "_" #n ": mov $" #n ",%eax\n  ret\n"
#define END(f) CASE(f, 0) CASE(f, 1) CASE(f, 2) CASE(f, 3) "  nop\n.size " #f ",.-" #f "\n"
#define RELATIVE(f)                                                                                \
    ".section .rodata\n.align 4\n" #f "_table: .long " #f "_0-" #f "_table," #f "_2-" #f           \
    "_table," #f "_1-" #f "_table\n"
#define ABSOLUTE(f) ".section .rodata\n.align 8\n" #f "_table: .quad " #f "_0," #f "_2," #f "_1\n"
#define DISPATCH(f, index)                                                                         \
    "  movslq (%rdx,%" index ",4),%rax\n  add %rdx,%rax\n" #f "_jump: notrack jmp *%rax\n"

static const char *const tables_s[] = {
    /* position-independent, as GCC does it */
    BEGIN(plain) "  cmp $2,%edi\n  ja plain_3\n  mov %edi,%edi\n"
                 "  lea plain_table(%rip),%rdx\n" DISPATCH(plain, "rdi") END(plain) RELATIVE(plain),
    /* the check is of another register, the jump in another block */
    BEGIN(copied) "  mov %edi,%eax\n  cmp $2,%edi\n  jbe 1f\n  jmp copied_3\n  nop\n"
                  "1: lea copied_table(%rip),%rdx\n" DISPATCH(copied, "rax") END(copied)
                      RELATIVE(copied),
    /* characters: a bias, and eight bits of it */
    BEGIN(biased) "  movzbl (%rdi),%eax\n  sub $0x41,%eax\n  cmp $2,%al\n  ja biased_3\n"
                  "  movzbl %al,%eax\n  lea biased_table(%rip),%rdx\n" DISPATCH(biased, "rax")
                      END(biased) RELATIVE(biased),
    /* a mask is a bound as well: only two of the three entries can be meant */
    BEGIN(masked) "  and $1,%edi\n  lea masked_table(%rip),%rdx\n" DISPATCH(masked, "rdi")
        END(masked) RELATIVE(masked),
    /* the index waits in memory while a function is called */
    BEGIN(spilled) "  sub $24,%rsp\n  cmp $2,%edi\n  ja spilled_3\n  mov %edi,12(%rsp)\n"
                   "  call other\n  mov 12(%rsp),%ecx\n"
                   "  lea spilled_table(%rip),%rdx\n" DISPATCH(spilled, "rcx") END(spilled)
                       RELATIVE(spilled),
    /* the same, and that function was told where it is: still a compiler's switch */
    BEGIN(leaked) "  sub $24,%rsp\n  cmp $2,%edi\n  ja leaked_3\n  mov %edi,12(%rsp)\n"
                  "  lea 12(%rsp),%rdi\n  call other\n  mov 12(%rsp),%ecx\n"
                  "  lea leaked_table(%rip),%rdx\n" DISPATCH(leaked, "rcx") END(leaked)
                      RELATIVE(leaked),
    /* compared in memory, loaded again */
    BEGIN(field) "  cmpl $2,16(%rdi)\n  ja field_3\n  mov 16(%rdi),%eax\n"
                 "  lea field_table(%rip),%rdx\n" DISPATCH(field, "rax") END(field) RELATIVE(field),
    /* something was stored between, perhaps there */
    BEGIN(stored) "  cmpl $2,16(%rdi)\n  ja stored_3\n  movl $9,(%rsi)\n  mov 16(%rdi),%eax\n"
                  "  lea stored_table(%rip),%rdx\n" DISPATCH(stored, "rax") END(stored)
                      RELATIVE(stored),
    /* a loop around it; the table's address is taken before */
    BEGIN(looped) "  lea looped_table(%rip),%rdx\n"
                  "1: movzbl (%rdi),%ecx\n  inc %rdi\n  cmp $2,%cl\n  ja looped_3\n" DISPATCH(
                      looped, "rcx") "looped_0: jmp 1b\nlooped_1: nop\n  jmp 1b\nlooped_2: jmp 1b\n"
                                     "looped_3: ret\n.size looped,.-looped\n" RELATIVE(looped),
    /* the check is of what the index was one round earlier */
    BEGIN(stale) "  lea stale_table(%rip),%rdx\n  xor %ecx,%ecx\n"
                 "1: mov %ecx,%esi\n  mov (%rdi),%ecx\n  cmp $2,%esi\n  ja stale_3\n" DISPATCH(
                     stale, "rcx") "stale_0: jmp 1b\nstale_1: nop\n  jmp 1b\nstale_2: jmp 1b\n"
                                   "stale_3: ret\n.size stale,.-stale\n" RELATIVE(stale),
    /* no check at all */
    BEGIN(open) "  mov %edi,%edi\n  lea open_table(%rip),%rdx\n" DISPATCH(open, "rdi") END(open)
        RELATIVE(open),
    /* no check, but the object has a size */
    BEGIN(sized) "  mov %edi,%edi\n  lea sized_table(%rip),%rdx\n" DISPATCH(sized, "rdi") END(sized)
        RELATIVE(sized) ".type sized_table,@object\n.size sized_table,12\n",
    /* fixed addresses, all in one */
    BEGIN(fixed) "  cmp $2,%rdi\n  ja fixed_3\nfixed_jump: jmp *fixed_table(,%rdi,8)\n" END(fixed)
        ABSOLUTE(fixed),
    /* what the kernel answers is not what it was asked */
    BEGIN(asked) "  mov $1,%eax\n  syscall\n  cmp $2,%rax\n  ja asked_3\n"
                 "asked_jump: jmp *asked_table(,%rax,8)\n" END(asked) ABSOLUTE(asked),
    /* fixed addresses, loaded first; smaller or equal in the other direction */
    BEGIN(loaded) "  mov $2,%eax\n  cmp %edi,%eax\n  jb loaded_3\n  mov %edi,%edi\n"
                  "  mov loaded_table(,%rdi,8),%rcx\nloaded_jump: jmp *%rcx\n" END(loaded)
                      ABSOLUTE(loaded),
    /* without optimisation: the index is scaled by itself */
    BEGIN(naive) "  push %rbp\n  mov %rsp,%rbp\n  mov %edi,-4(%rbp)\n  cmpl $2,-4(%rbp)\n  ja "
                 "naive_3\n"
                 "  mov -4(%rbp),%eax\n  lea 0(,%rax,4),%rdx\n  lea naive_table(%rip),%rax\n"
                 "  mov (%rdx,%rax,1),%eax\n  cltq\n  lea naive_table(%rip),%rdx\n  add %rdx,%rax\n"
                 "naive_jump: jmp *%rax\n" END(naive) RELATIVE(naive),
    /* fixed addresses, no check, and the index has a bias that is in the table's address */
    BEGIN(folded) "  movzbl (%rdi),%eax\nfolded_jump: jmp *folded_table-40(,%rax,8)\n" END(folded)
        ABSOLUTE(folded) "  .quad 0\n",
    /* a table of the program's own, which it may change */
    BEGIN(mutable) "  cmp $2,%rdi\n  ja mutable_3\nmutable_jump: jmp *mutable_table(,%rdi,8)\n" END(
        mutable) ".data\nmutable_table: .quad mutable_0,mutable_1,mutable_2\n",
    /* through a pointer, with the caller's stack */
    BEGIN(pointer) "  mov (%rdi),%rax\npointer_jump: jmp *16(%rax)\n" END(pointer),
    /* through something that nobody can follow */
    BEGIN(lost) "  push %rax\n  imul %rdi,%rsi\nlost_jump: jmp *%rsi\n" END(lost),
    /* an entry that cannot happen names the end of the function */
    BEGIN(ended) "  cmp $2,%edi\n  ja ended_3\n  mov %edi,%edi\n"
                 "  lea ended_table(%rip),%rdx\n" DISPATCH(ended, "rdi")
                     END(ended) "ended_end:\n.section .rodata\n.align 4\nended_table: .long "
                                "ended_0-ended_table,"
                                "ended_end-ended_table,ended_1-ended_table\n"
                                ".text\n.globl other\n.type other,@function\nother: ret\n.size "
                                "other,.-other\n",
    NULL};

struct opened {
    struct binary binary;
    char path[256];
};

static uint64_t label_of(const struct opened *opened, const char *name, const char *suffix)
{
    FILE *lines = oracle_open("nm %s", opened->path);
    char line[256], found[128], wanted[128];
    uint64_t at, result = 0;
    snprintf(wanted, sizeof wanted, "%s%s", name, suffix);
    while (fgets(line, sizeof line, lines))
        if (sscanf(line, "%" SCNx64 " %*c %127s", &at, found) == 2 && strcmp(found, wanted) == 0)
            result = at;
    pclose(lines);
    if (!result)
        fail_msg("no label %s", wanted);
    return result;
}

static void build(struct opened *opened, const char *folder, const char *const *source,
                  const char *flags)
{
    struct err err;
    snprintf(opened->path, sizeof opened->path, "%s/tables.s", folder);
    FILE *file = fopen(opened->path, "w");
    for (; *source; source++)
        fputs(*source, file);
    fclose(file);
    oracle_run("cd %s && gcc -nostdlib %s -o tables tables.s", folder, flags);
    snprintf(opened->path, sizeof opened->path, "%s/tables", folder);
    if (!binary_open(&opened->binary, opened->path, &err))
        fail_msg("%s", err.text);
}

static void build_graph(const struct opened *opened, const char *name, struct cfg *cfg)
{
    struct svma start = {label_of(opened, name, "")};
    const struct symbols *symbols = &opened->binary.symbols;
    cfg_build(cfg, &opened->binary.image, symbols, symbols_find(symbols, start), NULL, 0);
}

/* The jump of the function goes to the cases of these digits, or is not resolved for this reason.
 */
static void check_jump(const struct opened *opened, const char *name, const char *cases,
                       enum cfg_reason reason)
{
    struct cfg cfg;
    build_graph(opened, name, &cfg);
    if (cfg.jumps.n != 1)
        fail_msg("%s: %zu indirect jumps", name, cfg.jumps.n);
    const struct jump *jump = &cfg.jumps.at[0];
    if (jump->reason != reason)
        fail_msg("%s: %s, not %s", name, cfg_reason_name((enum cfg_reason)jump->reason),
                 cfg_reason_name(reason));
    struct svma from = {label_of(opened, name, "_jump")};
    assert_int_equal(cfg.instructions.at[jump->instruction].at.v, from.v);
    size_t edges = 0, exits = 0;
    for (size_t e = 0; e < cfg.edges.n; e++)
        edges += cfg.edges.at[e].from.v == from.v;
    for (size_t e = 0; e < cfg.exits.n; e++)
        if (cfg.exits.at[e].from.v == from.v) {
            exits++;
            assert_true(cfg.exits.at[e].unresolved);
            assert_int_equal(cfg.exits.at[e].reason, reason);
        }
    assert_int_equal(edges, strlen(cases));
    assert_int_equal(exits, reason != REASON_NONE);
    for (const char *digit = cases; *digit; digit++) {
        char suffix[3] = {'_', *digit, 0};
        struct svma to = {label_of(opened, name, suffix)};
        if (cfg_edge_find(&cfg, from, to, CFG_CASE) == EDGE_NONE)
            fail_msg("%s: no edge to case %c", name, *digit);
    }
    cfg_release(&cfg);
}

static void tables_are_resolved_or_named(void **state)
{
    (void)state;
    const char *folder = oracle_folder();
    struct opened opened;
    build(&opened, folder, tables_s, "-static -no-pie -Wl,-e,plain");
    static const struct {
        const char *name, *cases;
        enum cfg_reason reason;
    } expected[] = {
        {"plain", "012", REASON_NONE},    {"copied", "012", REASON_NONE},
        {"biased", "012", REASON_NONE},   {"masked", "02", REASON_NONE},
        {"spilled", "012", REASON_NONE},  {"leaked", "012", REASON_NONE},
        {"field", "012", REASON_NONE},    {"stored", "", REASON_UNBOUNDED},
        {"looped", "012", REASON_NONE},   {"stale", "", REASON_UNTRACKED},
        {"open", "", REASON_UNBOUNDED},   {"sized", "012", REASON_NONE},
        {"asked", "012", REASON_NONE},    {"fixed", "012", REASON_NONE},
        {"loaded", "012", REASON_NONE},   {"naive", "012", REASON_NONE},
        {"mutable", "", REASON_WRITABLE}, {"pointer", "", REASON_POINTER},
        {"lost", "", REASON_UNTRACKED},   {"ended", "01", REASON_NONE},
        {"folded", "", REASON_UNBOUNDED},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        check_jump(&opened, expected[i].name, expected[i].cases, expected[i].reason);
    binary_close(&opened.binary);
    oracle_folder_remove(folder);
}

/* Kept relocations: the linker filled three entries, and code takes the address of what follows. */
static void kept_relocations_are_evidence(void **state)
{
    (void)state;
    const char *folder = oracle_folder();
    struct opened opened;
    build(&opened, folder, tables_s, "-static -no-pie -Wl,-e,plain -Wl,-q");
    check_jump(&opened, "open", "012", REASON_NONE);
    check_jump(&opened, "leaked", "012", REASON_NONE);
    check_jump(&opened, "folded", "012", REASON_NONE);
    check_jump(&opened, "lost", "", REASON_UNTRACKED);
    binary_close(&opened.binary);
    oracle_folder_remove(folder);
}

/* Labels as values, in position-independent code: pointers that the loader fills in, in memory that
 * is read-only once it has done so; the object's symbol says how many, or what they point to. */
static const char *const labels_s[] = {
    BEGIN(labels) "  lea labels_table(%rip),%rdx\n  movzbl (%rdi),%eax\n"
                  "labels_jump: jmp *(%rdx,%rax,8)\n" END(
                      labels) ".section .data.rel.ro.local,\"aw\"\n.align 8\n.type "
                              "labels_table,@object\n"
                              "labels_table: .quad labels_1,labels_3\n.size "
                              "labels_table,.-labels_table\n"
                              "  .quad labels\n",
    NULL};

static void labels_as_values_are_resolved(void **state)
{
    (void)state;
    const char *folder = oracle_folder();
    struct opened opened;
    build(&opened, folder, labels_s, "-shared -Wl,-z,relro,-z,now -Wl,-Bsymbolic");
    check_jump(&opened, "labels", "13", REASON_NONE);
    binary_close(&opened.binary);
    oracle_run("strip %s/tables", folder);
    struct err err;
    if (!binary_open(&opened.binary, opened.path, &err))
        fail_msg("%s", err.text);
    struct cfg cfg;
    function_id last = (function_id)opened.binary.symbols.functions.n - 1;
    cfg_build(&cfg, &opened.binary.image, &opened.binary.symbols, last, NULL, 0);
    assert_int_equal(cfg.jumps.n, 1);
    /* The third pointer there is not to the inside of the function. */
    assert_int_equal(cfg.jumps.at[0].reason, REASON_NONE);
    assert_int_equal(cfg.jumps.at[0].n_targets, 2);
    cfg_release(&cfg);
    binary_close(&opened.binary);
    oracle_folder_remove(folder);
}

/* The index may be negative: the address in the code lies inside of the object, and how far that
 * reaches from there says nothing. */
static const char *const centred_s[] = {
    BEGIN(centred) "  lea centred_table+8(%rip),%rdx\n  movslq (%rdi),%rax\n"
                   "centred_jump: jmp *(%rdx,%rax,8)\n" END(
                       centred) ".section .data.rel.ro.local,\"aw\"\n.align 8\n.type "
                                "centred_table,@object\n"
                                "centred_table: .quad centred_0,centred_1,centred_3\n.size "
                                "centred_table,.-centred_table\n",
    NULL};

static void tables_used_from_their_middle_are_not_guessed(void **state)
{
    (void)state;
    const char *folder = oracle_folder();
    struct opened opened;
    build(&opened, folder, centred_s, "-shared -Wl,-z,relro,-z,now -Wl,-Bsymbolic");
    check_jump(&opened, "centred", "", REASON_UNBOUNDED);
    binary_close(&opened.binary);
    oracle_folder_remove(folder);
}

int main(void)
{
    oracle_need("gcc");
    oracle_need("nm");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_resolved_or_named),
        cmocka_unit_test(kept_relocations_are_evidence),
        cmocka_unit_test(labels_as_values_are_resolved),
        cmocka_unit_test(tables_used_from_their_middle_are_not_guessed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
