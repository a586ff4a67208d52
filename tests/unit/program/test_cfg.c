#include "program/cfg/cfg_build.h"

#include "base/err.h"
#include "base/map.h"
#include "program/elf/debug_file.h"
#include "program/elf/image.h"

#include "oracle.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

struct opened {
    struct image image;
    struct symbols symbols;
};

static void open_all(struct opened *opened, const char *path)
{
    struct err err;
    if (!image_open(&opened->image, path, &err))
        fail_msg("%s", err.text);
    debug_file_find(&opened->image);
    symbols_build(&opened->symbols, &opened->image);
}

static void close_all(struct opened *opened)
{
    symbols_release(&opened->symbols);
    image_close(&opened->image);
}

/* ---- against objdump */

struct listing {
    struct map map; /* address -> index */
    struct map targets;
    struct {
        VEC(struct listed);
    } lines;
};
struct listed {
    uint64_t at, next, target;
    char kind; /* c conditional, j jump, J indirect jump, k call, K indirect call, r return, . */
};

static bool is_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    return strncmp(text, word, n) == 0 && (text[n] == ' ' || !text[n] || text[n] == ',');
}

static char kind_of(const char *text, const char **operand)
{
    static const char *const prefixes[] = {"bnd",   "notrack", "data16", "repz",
                                           "rex.W", "addr32",  "ds",     "cs"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes;)
        if (is_word(text, prefixes[i])) {
            text += strlen(prefixes[i]);
            text += strspn(text, " ");
            i = 0;
        } else {
            i++;
        }
    *operand = text + strcspn(text, " ");
    *operand += strspn(*operand, " ");
    bool star = **operand == '*';
    if (is_word(text, "jmp"))
        return star ? 'J' : 'j';
    if (is_word(text, "call"))
        return star ? 'K' : 'k';
    if (is_word(text, "ret"))
        return 'r';
    if (*text == 'j' || strncmp(text, "loop", 4) == 0 || is_word(text, "xbegin"))
        return 'c';
    return '.';
}

static void listing_read(struct listing *listing, const char *path)
{
    map_init(&listing->map, sizeof(uint64_t));
    map_init(&listing->targets, sizeof(uint64_t));
    FILE *lines = oracle_open("objdump -d -w --no-show-raw-insn %s", path);
    char line[1024];
    while (fgets(line, sizeof line, lines)) {
        int used = 0;
        struct listed listed = {0};
        if (sscanf(line, " %" SCNx64 ":%n", &listed.at, &used) != 1 || !used || line[used] != '\t')
            continue;
        line[strcspn(line, "\n")] = 0;
        const char *operand;
        listed.kind = kind_of(line + used + 1, &operand);
        if (listed.kind == 'c' || listed.kind == 'j' || listed.kind == 'k') {
            while (*operand == ',' || *operand == ' ')
                operand++;
            listed.target = strtoull(operand, NULL, 16);
            map_add(&listing->targets, &listed.target);
        }
        map_add(&listing->map, &listed.at);
        if (listing->lines.n)
            listing->lines.at[listing->lines.n - 1].next = listed.at;
        *vec_push(&listing->lines) = listed;
    }
    pclose(lines);
}

static char kind_letter(const struct instruction *instruction)
{
    static const char letters[] = {
        [INSTRUCTION_PLAIN] = '.',  [INSTRUCTION_COND] = 'c',    [INSTRUCTION_JUMP] = 'j',
        [INSTRUCTION_IJUMP] = 'J',  [INSTRUCTION_CALL] = 'k',    [INSTRUCTION_ICALL] = 'K',
        [INSTRUCTION_RETURN] = 'r', [INSTRUCTION_SYSCALL] = '.', [INSTRUCTION_TRAP] = '.',
    };
    return letters[instruction->kind];
}

/* glibc jumps behind lock prefixes: objdump lists such code with its prefix, and as a target. */
static void check_instruction(const struct listing *listing, const struct instruction *instruction)
{
    uint32_t i = map_find(&listing->map, &instruction->at.v);
    if (i == MAP_NONE && map_find(&listing->targets, &instruction->at.v) != MAP_NONE)
        return;
    if (i == MAP_NONE)
        fail_msg("objdump has no instruction at 0x%lx", instruction->at.v);
    const struct listed *listed = &listing->lines.at[i];
    char kind = kind_letter(instruction);
    if (kind != listed->kind)
        fail_msg("0x%lx: kind %c, objdump says %c", instruction->at.v, kind, listed->kind);
    if (listed->target && listed->target != instruction->target.v)
        fail_msg("0x%lx: target 0x%lx, objdump says 0x%lx", instruction->at.v,
                 instruction->target.v, listed->target);
}

/* Whether control can go directly from the instruction to `to`: to the target of a direct branch,
 * to the next instruction (also after a call), or anywhere from an indirect branch. */
static bool reaches(const struct instruction *instruction, struct svma to)
{
    bool is_next = to.v == instruction_next(instruction).v;
    bool is_target = to.v == instruction->target.v;
    switch ((enum instruction_kind)instruction->kind) {
    case INSTRUCTION_PLAIN:
    case INSTRUCTION_SYSCALL: return is_next;
    case INSTRUCTION_COND:
    case INSTRUCTION_CALL: return is_next || is_target;
    case INSTRUCTION_JUMP: return is_target;
    case INSTRUCTION_IJUMP:
    case INSTRUCTION_ICALL:
    case INSTRUCTION_RETURN: return true;
    case INSTRUCTION_TRAP: return false;
    }
    return false;
}

static bool allows(const struct cfg *cfg, struct svma from, struct svma to)
{
    uint32_t i = cfg_find(cfg, from);
    return i != INSTRUCTION_NONE && reaches(&cfg->instructions.at[i], to);
}

/* Blocks partition the instructions, edges start and end at blocks, and every edge is possible. */
static void check_shape(const struct cfg *cfg)
{
    size_t n = 0;
    for (size_t b = 0; b < cfg->blocks.n; b++) {
        const struct cfg_block *block = &cfg->blocks.at[b];
        n += block->instructions;
        assert_int_equal(cfg->instructions.at[block->first].at.v, block->start.v);
        const struct instruction *last =
            &cfg->instructions.at[block->first + block->instructions - 1];
        assert_int_equal(last->at.v, block->last.v);
        assert_int_equal(instruction_next(last).v, block->start.v + block->bytes);
        for (uint32_t i = 0; i + 1 < block->instructions; i++)
            assert_false(instruction_ends_block(&cfg->instructions.at[block->first + i]));
        assert_true(b == 0 || cfg->blocks.at[b - 1].start.v < block->start.v);
    }
    assert_int_equal(n, cfg->instructions.n);
    for (size_t e = 0; e < cfg->edges.n; e++) {
        const struct cfg_edge *edge = &cfg->edges.at[e];
        assert_int_equal(cfg->blocks.at[edge->from_block].last.v, edge->from.v);
        assert_int_equal(cfg->blocks.at[edge->to_block].start.v, edge->to.v);
        assert_true(allows(cfg, edge->from, edge->to));
    }
}

static void check_program(const char *path, size_t at_least)
{
    struct opened opened;
    struct listing listing = {0};
    open_all(&opened, path);
    listing_read(&listing, path);
    size_t instructions = 0;
    for (function_id f = 0; f < opened.symbols.functions.n; f++) {
        struct cfg cfg;
        cfg_build(&cfg, &opened.image, &opened.symbols, f, NULL, 0);
        for (size_t i = 0; i < cfg.instructions.n; i++)
            check_instruction(&listing, &cfg.instructions.at[i]);
        check_shape(&cfg);
        instructions += cfg.instructions.n;
        cfg_release(&cfg);
    }
    printf("%s: %zu instructions, objdump has %zu\n", path, instructions, listing.lines.n);
    assert_true(instructions >= at_least);
    assert_in_range(instructions, listing.lines.n * 999 / 1000, listing.lines.n * 1001 / 1000);
    vec_release(&listing.lines);
    map_release(&listing.map);
    map_release(&listing.targets);
    close_all(&opened);
}

static void instructions_are_those_of_objdump(void **state)
{
    (void)state;
    check_program(LIBC, 300000);
    check_program("/bin/bash", 100000);
}

/* ---- shapes that compilers seldom make */

static const char odd_s[] = ".text\n"
                            ".globl odd\n.type odd,@function\n"
                            "odd:\n"
                            "  cmp $1,%edi\n"
                            "  je behind+1\n" /* behind the lock prefix */
                            "behind: lock incl (%rsi)\n"
                            "  call other\n"
                            "after: nop\n"
                            "middle: nop\n"
                            "  syscall\n"
                            "  jmp *%rax\n"
                            "case0: nop\n  jmp other\n" /* a tail call */
                            "case1: ud2\n"
                            ".size odd,.-odd\n"
                            ".globl other\n.type other,@function\n"
                            "other: ret\n"
                            "  .byte 0x06\n" /* no instruction in 64-bit code */
                            "hidden: ret\n"
                            ".size other,.-other\n";

static uint64_t label_of(const char *folder, const char *name)
{
    FILE *lines = oracle_open("nm %s/odd.so", folder);
    char line[256], found[128];
    uint64_t at, result = 0;
    while (fgets(line, sizeof line, lines))
        if (sscanf(line, "%" SCNx64 " %*c %127s", &at, found) == 2 && strcmp(found, name) == 0)
            result = at;
    pclose(lines);
    assert_true(result != 0);
    return result;
}

/* The edge's kind, or -1. */
static int edge_kind(const struct cfg *cfg, uint64_t from, uint64_t to)
{
    for (size_t e = 0; e < cfg->edges.n; e++)
        if (cfg->edges.at[e].from.v == from && cfg->edges.at[e].to.v == to)
            return cfg->edges.at[e].kind;
    return -1;
}

static bool is_block(const struct cfg *cfg, uint64_t start)
{
    for (size_t b = 0; b < cfg->blocks.n; b++)
        if (cfg->blocks.at[b].start.v == start)
            return true;
    return false;
}

static const struct cfg_exit *exit_find(const struct cfg *cfg, uint64_t from)
{
    static const struct cfg_exit none = {0};
    for (size_t e = 0; e < cfg->exits.n; e++)
        if (cfg->exits.at[e].from.v == from)
            return &cfg->exits.at[e];
    return &none;
}

static void check_unseen(const struct opened *opened, const char *folder)
{
    uint64_t odd = label_of(folder, "odd"), behind = label_of(folder, "behind");
    uint64_t after = label_of(folder, "after"), middle = label_of(folder, "middle");
    uint64_t case0 = label_of(folder, "case0"), case1 = label_of(folder, "case1");
    struct cfg cfg;
    function_id f = symbols_find(&opened->symbols, (struct svma){odd});
    cfg_build(&cfg, &opened->image, &opened->symbols, f, NULL, 0);
    check_shape(&cfg);
    /* Behind the prefix stands a run of its own, which joins the sweep at the call. */
    assert_true(is_block(&cfg, behind) && is_block(&cfg, behind + 1) && is_block(&cfg, behind + 3));
    assert_int_equal(edge_kind(&cfg, odd + 3, behind + 1), CFG_TAKEN);
    assert_int_equal(edge_kind(&cfg, odd + 3, behind), CFG_FALL);
    assert_int_equal(edge_kind(&cfg, behind + 1, behind + 3), CFG_NEXT);
    assert_int_equal(edge_kind(&cfg, behind, behind + 3), CFG_NEXT);
    assert_false(is_block(&cfg, after) || is_block(&cfg, middle));
    assert_true(is_block(&cfg, case0) && is_block(&cfg, case1));
    assert_int_equal(exit_find(&cfg, middle + 3)->kind, INSTRUCTION_IJUMP);
    assert_true(exit_find(&cfg, middle + 3)->unresolved);
    assert_int_equal(exit_find(&cfg, case0 + 1)->kind, INSTRUCTION_JUMP);
    assert_int_equal(exit_find(&cfg, case0 + 1)->to.v, label_of(folder, "other"));
    assert_true(allows(&cfg, (struct svma){middle + 3}, (struct svma){case1}));
    assert_false(allows(&cfg, (struct svma){odd + 3}, (struct svma){after}));
    assert_false(allows(&cfg, (struct svma){odd + 1}, (struct svma){odd + 3}));
    cfg_release(&cfg);
}

static void check_seen(const struct opened *opened, const char *folder)
{
    uint64_t odd = label_of(folder, "odd"), after = label_of(folder, "after");
    uint64_t middle = label_of(folder, "middle"), case1 = label_of(folder, "case1");
    struct cfg_seen seen[] = {
        {.from = {middle + 3}, .to = {case1}},
        {.from = {middle + 3}, .to = {case1}},
        {.to = {after}, .returned = true},
        {.to = {middle}, .returned = true},
    };
    struct cfg cfg;
    function_id f = symbols_find(&opened->symbols, (struct svma){odd});
    cfg_build(&cfg, &opened->image, &opened->symbols, f, seen, 4);
    check_shape(&cfg);
    assert_int_equal(edge_kind(&cfg, middle + 3, case1), CFG_INDIRECT);
    assert_false(is_block(&cfg, after)); /* a call stands before it */
    assert_true(is_block(&cfg, middle));
    assert_int_equal(edge_kind(&cfg, after, middle), CFG_NEXT);
    assert_int_equal(exit_find(&cfg, middle + 3)->kind, 0);
    cfg_release(&cfg);
}

static void check_undecodable(const struct opened *opened, const char *folder)
{
    uint64_t other = label_of(folder, "other"), hidden = label_of(folder, "hidden");
    struct cfg_seen seen = {.to = {hidden}};
    struct cfg cfg;
    function_id f = symbols_find(&opened->symbols, (struct svma){other});
    cfg_build(&cfg, &opened->image, &opened->symbols, f, NULL, 0);
    assert_int_equal(cfg.instructions.n, 1);
    assert_int_equal(cfg.undecoded, 1);
    cfg_release(&cfg);
    cfg_build(&cfg, &opened->image, &opened->symbols, f, &seen, 1);
    assert_true(is_block(&cfg, hidden));
    assert_int_equal(cfg.blocks.n, 2);
    cfg_release(&cfg);
}

static void odd_code_is_understood(void **state)
{
    (void)state;
    const char *folder = oracle_folder();
    char path[256];
    snprintf(path, sizeof path, "%s/odd.s", folder);
    FILE *file = fopen(path, "w");
    fputs(odd_s, file);
    fclose(file);
    oracle_run("cd %s && gcc -shared -nostdlib -Wl,-Bsymbolic -o odd.so odd.s", folder);
    snprintf(path, sizeof path, "%s/odd.so", folder);
    struct opened opened;
    open_all(&opened, path);
    check_unseen(&opened, folder);
    check_seen(&opened, folder);
    check_undecodable(&opened, folder);
    close_all(&opened);
    oracle_folder_remove(folder);
}

int main(void)
{
    oracle_need("objdump");
    oracle_need("nm");
    oracle_need("gcc");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_code_is_understood),
        cmocka_unit_test(instructions_are_those_of_objdump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
