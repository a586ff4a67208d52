/* What windows record of instructions, held to Zydis and to the registers before and after each.
 *
 * First in superblocks of one instruction, where both are known, by an oracle that was not written
 * from our tables; then the same functions in whole superblocks, which must record the same words.
 */
#include "walk/run.h"

#include <Zydis/Zydis.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "world.h"

enum { STREAM_MAX = 1 << 20, ALL_EVENTS = EVENTS_PAYLOAD };

static uint32_t events = ALL_EVENTS;
static struct context *context;
static struct regions *regions;
static struct walk walker;
static uint64_t units_bytes, counters;
static uint8_t *units;
static ZydisDecoder decoder;

static int set_up(void **state)
{
    (void)state;
    context = map_zeroed(sizeof *context + CONTEXT_PAYLOAD_BYTES, MAP_PRIVATE);
    cache = map_zeroed(sizeof *cache, MAP_PRIVATE);
    regions = map_zeroed(sizeof *regions, MAP_PRIVATE);
    units = map_zeroed(8 << 20, MAP_PRIVATE);
    context_init(context);
    assert_true(cache_init(cache, regions, map_zeroed(ZONES_ARENA_BYTES, MAP_SHARED)));
    unit_log_open(&cache->units, units, 8 << 20, &units_bytes, &counters, 1000);
    regions->refresh = read_maps;
    walker = (struct walk){.cache = cache, .context = context};
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return 0;
}

/* ---- walking */

extern char payload_home[];
__asm__(".text\npayload_home: int3\n");

static _Alignas(64) uint8_t program_stack[1 << 20];
/* The program's vector registers, while others run. */
static uint8_t vectors[16][32];

static void prepare(void *function, uint64_t a, uint64_t b, uint64_t c)
{
    for (uint32_t i = 0; i < 16; i++)
        context->gpr[i] = UINT64_C(0x1111111111111111) * i;
    uint64_t sp = (uint64_t)program_stack + sizeof program_stack - 264;
    uint64_t back = (uint64_t)payload_home;
    memcpy((void *)sp, &back, 8);
    context->gpr[RSP] = sp;
    context->gpr[RDI] = a;
    context->gpr[RSI] = b;
    context->gpr[RDX] = c;
    context->pc = (uint64_t)function;
    context->flags = 0x202;
    memset(vectors, 0x5a, sizeof vectors);
}

/* Registers as they were before each piece, and what it recorded. */
struct moment {
    uint64_t gpr[16], pc, flags;
    uint8_t vectors[16][32];
};

#define EACH_VECTOR(DO)                                                                            \
    DO(0)                                                                                          \
    DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)
#define VECTOR_STORE(n) __asm__ volatile("vmovdqu %%ymm" #n ", %0" : "=m"(vectors[n]));
#define VECTOR_LOAD(n) __asm__ volatile("vmovdqu %0, %%ymm" #n : : "m"(vectors[n]));

static void moment_take(struct moment *moment)
{
    for (uint32_t i = 0; i < 16; i++)
        moment->gpr[i] = context->gpr[i];
    moment->pc = context->pc;
    moment->flags = context->flags;
    memcpy(moment->vectors, vectors, sizeof vectors);
}

/* One piece of `exits` superblocks; true while there is more to come. */
__attribute__((target("general-regs-only"))) static bool piece(int64_t exits)
{
    context->record_at = -4 * exits;
    context->payload_at = 0;
    EACH_VECTOR(VECTOR_LOAD)
    uint32_t stop = walk_run(&walker, FLAVOUR_RECORD);
    EACH_VECTOR(VECTOR_STORE)
    return stop == LOSS_N;
}

/* ---- the superblock of an exit, from the units section */

static const struct wire_superblock *superblock_of(uint32_t exit)
{
    for (uint64_t at = 0; at < units_bytes;) {
        const struct wire_superblock *unit = (const void *)(units + at);
        if (unit->kind == UNIT_SUPERBLOCK && exit - unit->first_exit < unit->n_exits)
            return unit;
        at += unit->bytes;
    }
    fail_msg("exit %u belongs to nothing", exit);
    return NULL;
}

static const struct wire_payload *items_of(const struct wire_superblock *unit)
{
    const struct wire_segment *segments = (const void *)(unit + 1);
    return (const void *)(segments + unit->n_segments);
}

/* ---- the oracle */

static bool writes(const ZydisDecodedOperand *operand)
{
    return operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
}

static uint8_t number_of(ZydisRegister reg)
{
    return (uint8_t)ZydisRegisterGetId(
        ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg));
}

static uint64_t value_of(const struct moment *moment, ZydisRegister reg)
{
    if (reg == ZYDIS_REGISTER_NONE)
        return 0;
    uint64_t whole = moment->gpr[number_of(reg)];
    return ZydisRegisterGetClass(reg) == ZYDIS_REGCLASS_GPR32 ? (uint32_t)whole : whole;
}

/* The address of an operand that is not a gather's, segment included. */
static uint64_t address_of(const struct moment *moment, const ZydisDecodedInstruction *insn,
                           const ZydisDecodedOperand *operand)
{
    uint64_t at = (uint64_t)operand->mem.disp.value, fs = 0;
    if (operand->mem.base == ZYDIS_REGISTER_RIP)
        at += moment->pc + insn->length;
    else
        at += value_of(moment, operand->mem.base);
    at += value_of(moment, operand->mem.index) * operand->mem.scale;
    if (insn->address_width == 32)
        at = (uint32_t)at;
    if (operand->mem.segment == ZYDIS_REGISTER_FS)
        __asm__ volatile("rdfsbase %0" : "=r"(fs));
    bool popped = insn->mnemonic == ZYDIS_MNEMONIC_POP && operand->mem.base == ZYDIS_REGISTER_RSP &&
                  operand->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT;
    if (operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN && writes(operand))
        at -= operand->size / 8;
    return at + fs + (popped ? 8 : 0);
}

struct checked {
    uint64_t arguments, returned;
    uint64_t instructions, addresses, results, vectors, operands, latencies, stack, strings,
        gathers, exchanges;
};
static struct checked checked;

struct reading {
    const ZydisDecodedInstruction *insn;
    const ZydisDecodedOperand *operands;
    const struct moment *before, *after;
    const struct wire_payload *items;
    const uint64_t *words;
    uint32_t n_items;
};

/* The words of the k-th item of that kind, or NULL. */
static const uint64_t *find(const struct reading *r, enum payload_kind kind, int detail)
{
    const uint64_t *at = r->words;
    for (uint32_t i = 0; i < r->n_items; at += r->items[i++].words)
        if (r->items[i].kind == kind && (detail < 0 || r->items[i].detail == detail))
            return at;
    return NULL;
}

static void check_word(const struct reading *r, const char *what, const uint64_t *word,
                       uint64_t expected)
{
    if (word && *word == expected)
        return;
    char text[128];
    ZydisFormatter formatter;
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT);
    ZydisFormatterFormatInstruction(&formatter, r->insn, r->operands,
                                    r->insn->operand_count_visible, text, sizeof text,
                                    r->before->pc, NULL);
    fail_msg("%s at %lx: %s: expected %lx, got %lx%s", text, r->before->pc, what, expected,
             word ? *word : 0, word ? "" : " (none)");
}

static void check_memory(const struct reading *r, const ZydisDecodedOperand *operand)
{
    bool string = r->insn->meta.category == ZYDIS_CATEGORY_STRINGOP;
    bool hidden = operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
    if (operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN ||
        r->insn->meta.category == ZYDIS_CATEGORY_NOP ||
        r->insn->meta.category == ZYDIS_CATEGORY_WIDENOP)
        return;
    if (operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
        checked.gathers++;
        uint64_t base = value_of(r->before, operand->mem.base) + (uint64_t)operand->mem.disp.value;
        check_word(r, "gather base", find(r, PAYLOAD_GATHER_BASE, -1), base);
        const uint64_t *index = find(r, PAYLOAD_GATHER_INDEX, -1);
        const uint64_t *mask = find(r, PAYLOAD_GATHER_MASK, -1);
        assert_non_null(index);
        assert_non_null(mask);
        assert_memory_equal(index, r->before->vectors[number_of(operand->mem.index)], 16);
        assert_memory_equal(mask, r->before->vectors[number_of(r->operands[2].reg.value)], 16);
    } else if (string) {
        bool source = operand->mem.base == ZYDIS_REGISTER_RSI;
        checked.strings++;
        check_word(r, "string", find(r, source ? PAYLOAD_SOURCE : PAYLOAD_DESTINATION, -1),
                   r->before->gpr[source ? RSI : RDI]);
    } else if (hidden) {
        checked.stack++;
        check_word(r, "stack", find(r, writes(operand) ? PAYLOAD_PUSH : PAYLOAD_POP, -1),
                   address_of(r->before, r->insn, operand));
    } else {
        checked.addresses++;
        check_word(r, "address", find(r, PAYLOAD_ADDRESS, -1),
                   address_of(r->before, r->insn, operand));
    }
}

static void check_register(const struct reading *r, const ZydisDecodedOperand *operand)
{
    ZydisRegisterClass class = ZydisRegisterGetClass(operand->reg.value);
    uint8_t number = number_of(operand->reg.value);
    bool string = r->insn->meta.category == ZYDIS_CATEGORY_STRINGOP;
    bool hidden = operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
    if (class >= ZYDIS_REGCLASS_GPR8 && class <= ZYDIS_REGCLASS_GPR64) {
        if ((hidden && number == RSP) || (string && number != RAX))
            return;
        checked.results++;
        check_word(r, "result", find(r, PAYLOAD_RESULT, number), r->after->gpr[number]);
    } else if (class == ZYDIS_REGCLASS_XMM || class == ZYDIS_REGCLASS_YMM) {
        if (r->operands[0].reg.value != operand->reg.value)
            return; /* the mask of a gather */
        const uint64_t *words = find(r, PAYLOAD_VECTOR, number);
        assert_non_null(words);
        checked.vectors++;
        for (uint32_t i = 0; i < (class == ZYDIS_REGCLASS_XMM ? 2u : 4u); i++) {
            uint64_t expected;
            memcpy(&expected, r->after->vectors[number] + 8 * i, 8);
            check_word(r, "vector", &words[i], expected);
        }
    }
}

static void check_rest(const struct reading *r, bool plain)
{
    const uint64_t *latency = find(r, PAYLOAD_LATENCY, -1);
    if (latency && *latency)
        checked.latencies++;
    if (latency)
        assert_true(*latency < 100000000);
    bool divides =
        r->insn->mnemonic == ZYDIS_MNEMONIC_DIV || r->insn->mnemonic == ZYDIS_MNEMONIC_IDIV;
    if (divides && r->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER) {
        checked.operands++;
        uint8_t number = number_of(r->operands[0].reg.value);
        check_word(r, "divisor", find(r, PAYLOAD_OPERAND, number), r->before->gpr[number]);
    }
    if (r->insn->mnemonic == ZYDIS_MNEMONIC_MOV && plain &&
        r->operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
        r->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER) {
        checked.operands++;
        uint8_t number = number_of(r->operands[1].reg.value);
        check_word(r, "stored", find(r, PAYLOAD_OPERAND, number), r->before->gpr[number]);
    }
    if (r->operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
        (r->insn->mnemonic == ZYDIS_MNEMONIC_XCHG || r->insn->mnemonic == ZYDIS_MNEMONIC_CMPXCHG)) {
        bool expects = r->insn->mnemonic == ZYDIS_MNEMONIC_CMPXCHG;
        uint8_t number = expects ? RAX : number_of(r->operands[1].reg.value);
        checked.exchanges++;
        check_word(r, "exchanged", find(r, PAYLOAD_OPERAND, number), r->before->gpr[number]);
    }
    if (r->insn->attributes &
        (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
        check_word(r, "count", find(r, PAYLOAD_COUNT, -1), r->before->gpr[RCX]);
}

/* What may be arguments before a call, and results before a return. */
static void check_call(const struct reading *r)
{
    static const uint8_t arguments[] = {RDI, RSI, RDX, RCX, R8, R9};
    uint64_t low;
    if (r->insn->meta.category == ZYDIS_CATEGORY_CALL) {
        for (size_t i = 0; i < sizeof arguments; i++)
            check_word(r, "argument", find(r, PAYLOAD_ARGUMENT, arguments[i]),
                       r->before->gpr[arguments[i]]);
        for (int i = 0; i < 4; i++) {
            memcpy(&low, r->before->vectors[i], sizeof low);
            check_word(r, "argument", find(r, PAYLOAD_ARGUMENT, PAYLOAD_XMM + i), low);
        }
        checked.arguments++;
    } else if (r->insn->meta.category == ZYDIS_CATEGORY_RET) {
        memcpy(&low, r->before->vectors[0], sizeof low);
        check_word(r, "returned", find(r, PAYLOAD_RETURNED, RAX), r->before->gpr[RAX]);
        check_word(r, "returned", find(r, PAYLOAD_RETURNED, PAYLOAD_XMM), low);
        checked.returned++;
    }
}

/* One instruction ran between the moments. */
static void check_one(const struct moment *before, const struct moment *after)
{
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    assert_true(ZYAN_SUCCESS(
        ZydisDecoderDecodeFull(&decoder, (const void *)before->pc, 15, &insn, operands)));
    const struct wire_superblock *unit = superblock_of(context->records[CONTEXT_RECORDS - 1]);
    struct reading r = {.insn = &insn,
                        .operands = operands,
                        .before = before,
                        .after = after,
                        .items = items_of(unit),
                        .n_items = unit->n_payload,
                        .words = context->counters};
    checked.instructions++;
    assert_int_equal(unit->left_out, 0);
    bool branch = insn.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE;
    for (uint32_t i = 0; i < insn.operand_count; i++)
        if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            check_memory(&r, &operands[i]);
        else if (operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER && writes(&operands[i]) &&
                 !branch && (events & EVENTS_VALUE))
            check_register(&r, &operands[i]);
    if (events & EVENTS_VALUE)
        check_rest(&r, !branch);
    if (events & EVENTS_ARGUMENT)
        check_call(&r);
}

/* ---- functions walked both ways */

typedef uint64_t function3(uint64_t, uint64_t, uint64_t);

static uint64_t stream[STREAM_MAX];

/* Latencies are never the same; nor is a vector register of a function that has set none, since the
 * test itself runs between steps. */
static bool repeats(const struct wire_payload *item)
{
    bool vector = item->kind >= PAYLOAD_ARGUMENT && item->detail >= PAYLOAD_XMM;
    return item->kind != PAYLOAD_LATENCY && !vector;
}

/* All words that repeat, in single steps; each is checked. */
static uint64_t stream_of_steps(void)
{
    uint64_t n = 0;
    static struct moment before, after;
    uint64_t gs = gs_swap((uint64_t)context);
    walker.single = true;
    moment_take(&before);
    while (piece(1)) {
        moment_take(&after);
        check_one(&before, &after);
        const struct wire_superblock *unit = superblock_of(context->records[CONTEXT_RECORDS - 1]);
        const uint64_t *word = context->counters;
        for (uint32_t i = 0; i < unit->n_payload; i++)
            for (uint32_t k = 0; k < items_of(unit)[i].words; k++, word++)
                if (repeats(&items_of(unit)[i]) && n < STREAM_MAX)
                    stream[n++] = *word;
        assert_ptr_equal(word, context->counters + context->payload_at / 8);
        before = after;
    }
    gs_swap(gs);
    return n;
}

static uint64_t words_until(const struct wire_superblock *unit, uint32_t exit, uint64_t at,
                            uint64_t n, uint64_t *ret_used)
{
    const struct wire_segment *segments = (const void *)(unit + 1);
    uint32_t j = exit - unit->first_exit, instructions = 0, used = 0;
    for (uint32_t s = 0; s <= j && s < unit->n_segments; s++)
        instructions += segments[s].instructions;
    for (uint32_t i = 0; i < unit->n_payload && items_of(unit)[i].instruction < instructions; i++)
        for (uint32_t k = 0; k < items_of(unit)[i].words; k++, used++) {
            if (!repeats(&items_of(unit)[i]))
                continue;
            assert_true(n < STREAM_MAX);
            if (stream[n] != context->counters[at + used])
                fail_msg(
                    "word %lu: kind %u of instruction %u at %lx: %lx alone, %lx in a superblock", n,
                    items_of(unit)[i].kind, items_of(unit)[i].instruction, segments[0].start,
                    stream[n], context->counters[at + used]);
            n++;
        }
    *ret_used = used;
    return n;
}

static void check_whole(uint64_t n_words, int64_t exits)
{
    uint64_t n = 0;
    uint64_t gs = gs_swap((uint64_t)context);
    walker.single = false;
    bool more;
    do {
        more = piece(exits);
        uint64_t at = 0;
        for (int64_t i = -exits; i < context->record_at / 4; i++) {
            uint32_t exit = context->records[CONTEXT_RECORDS + i];
            uint64_t used;
            n = words_until(superblock_of(exit), exit, at, n, &used);
            at += used;
        }
        assert_int_equal(at, context->payload_at / 8);
    } while (more);
    gs_swap(gs);
    assert_int_equal(n, n_words);
}

static void memory_reset(void);

static void check(function3 *function, uint64_t a, uint64_t b, uint64_t c)
{
    void *at;
    memory_reset();
    uint64_t expected = function(a, b, c);
    memcpy(&at, &function, sizeof at);
    memory_reset();
    prepare(at, a, b, c);
    cache_flush(cache);
    cache->events = events;
    uint64_t n = stream_of_steps();
    assert_int_equal(context->gpr[RAX], expected);
    assert_int_equal(context->pc, (uint64_t)payload_home);
    for (int64_t exits = 1; exits < 1000; exits *= 13) {
        memory_reset();
        prepare(at, a, b, c);
        check_whole(n, exits);
        assert_int_equal(context->gpr[RAX], expected);
    }
}

#include "payload_functions.h"

int main(void)
{
    if (!__builtin_cpu_supports("avx2")) {
        puts("skipped: this CPU has no AVX2");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_code),
        cmocka_unit_test(odd_code),
        cmocka_unit_test(wide_code),
        cmocka_unit_test(all_seen),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
