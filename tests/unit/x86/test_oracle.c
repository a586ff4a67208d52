/* Our decoder against Zydis: on the code of this machine and on random bytes.
 *
 * Without GAIT_LONG a part of everything, in under a second; with it all of it, and the speed. */
#include "oracle.h"
#include "text.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

enum { FAILURES_SHOWN = 12 };

/* Instructions on which we and Zydis need not agree, and why that is harmless. */
enum excuse {
    EXCUSE_NONE,
    /* We do not look at the fields of VEX, EVEX and XOP that only choose registers, sizes and
     * masks. A wrong one is an invalid instruction, but of the same length, and traps in a copy as
     * well. */
    EXCUSE_FIELDS,
    /* 0F 1A and 0F 1B with register numbers that MPX has not: nops where MPX is off. */
    EXCUSE_MPX,
    EXCUSE_NEWER,   /* aadd, aand, aor, axor: not in this Zydis */
    EXCUSE_KNC,     /* Zydis knows the Knights Corner coprocessor, on which no Linux program runs */
    EXCUSE_PADLOCK, /* VIA's, refused as not known */
    N_EXCUSES,
};
static const char *const excuse_names[N_EXCUSES] = {[EXCUSE_FIELDS] =
                                                        "accepted, fields of VEX, EVEX, XOP",
                                                    [EXCUSE_MPX] = "accepted, MPX",
                                                    [EXCUSE_NEWER] = "accepted, newer",
                                                    [EXCUSE_KNC] = "not accepted, KNC",
                                                    [EXCUSE_PADLOCK] = "not accepted, PadLock"};

struct tally {
    uint64_t insns, failures, excused[N_EXCUSES];
    uint64_t flags_equal, flags_close, read_more, killed_less;
};

static struct oracle oracle;

static bool is_long(void)
{
    return getenv("GAIT_LONG") != NULL;
}

static void complain(struct tally *tally, const uint8_t *bytes, const char *what, int64_t ours,
                     int64_t theirs)
{
    if (tally->failures++ >= FAILURES_SHOWN)
        return;
    print_error("%s: ours %" PRId64 ", Zydis %" PRId64 ", %s, bytes", what, ours, theirs,
                ZydisMnemonicGetString(oracle.insn.mnemonic));
    for (int i = 0; i < 15; i++)
        print_error(" %02x", bytes[i]);
    print_error("\n");
}

#define COMPARE(what, ours, theirs)                                                                \
    do {                                                                                           \
        if ((int64_t)(ours) != (int64_t)(theirs))                                                  \
            complain(tally, bytes, what, (int64_t)(ours), (int64_t)(theirs));                      \
    } while (0)

/* The absolute address of mov moffs is a displacement to Zydis and an immediate to us. */
static bool has_absolute_address(const struct insn *ours)
{
    return ours->space == SPACE_LEGACY && ours->map == 0 && (ours->opcode & 0xFC) == 0xA0;
}

static void compare_numbers(struct tally *tally, const uint8_t *bytes, const struct insn *ours)
{
    const ZydisDecodedInstructionRaw *raw = &oracle.insn.raw;
    if (oracle.insn.encoding == ZYDIS_INSTRUCTION_ENCODING_3DNOW)
        return; /* what we call its immediate is the opcode to Zydis */
    if (has_absolute_address(ours)) {
        COMPARE("address bytes", ours->imm_bytes, raw->disp.size / 8);
        COMPARE("address at", ours->imm_at, raw->disp.offset);
        COMPARE("address", ours->imm, raw->disp.value);
        return;
    }
    COMPARE("disp bytes", ours->disp_bytes, raw->disp.size / 8);
    COMPARE("disp", ours->disp, raw->disp.value);
    COMPARE("imm bytes", ours->imm_bytes, raw->imm[0].size / 8);
    if (ours->disp_bytes)
        COMPARE("disp at", ours->disp_at, raw->disp.offset);
    if (ours->imm_bytes) {
        unsigned spare = 64 - ours->imm_bytes * 8u;
        COMPARE("imm at", ours->imm_at, raw->imm[0].offset);
        COMPARE("imm", ours->imm, (int64_t)(raw->imm[0].value.u << spare) >> spare);
    }
}

static void compare_shape(struct tally *tally, const uint8_t *bytes, const struct insn *ours)
{
    const ZydisDecodedInstruction *theirs = &oracle.insn;
    bool relative = oracle_based_on(&oracle, ZYDIS_REGISTER_RIP) ||
                    oracle_based_on(&oracle, ZYDIS_REGISTER_EIP);
    bool has_modrm = theirs->attributes & ZYDIS_ATTRIB_HAS_MODRM;
    bool suffix = theirs->encoding == ZYDIS_INSTRUCTION_ENCODING_3DNOW;
    COMPARE("length", ours->length, theirs->length);
    COMPARE("rip-relative", ours->rip_relative, relative);
    COMPARE("opcode", suffix ? (uint8_t)ours->imm : ours->opcode, theirs->opcode);
    COMPARE("modrm there", ours->has_modrm, has_modrm);
    if (has_modrm)
        COMPARE("modrm at", ours->modrm_at, theirs->raw.modrm.offset);
    if (theirs->meta.isa_ext == ZYDIS_ISA_EXT_MPX && oracle_has_prefix(&oracle, 0x67))
        return; /* MPX ignores 67, as a nop of older processors it does not matter: refused */
    COMPARE("class", ours->class, oracle_class(&oracle));
    COMPARE("refusal", ours->refusal, oracle_refusal(&oracle));
}

static void compare_flags(struct tally *tally, const uint8_t *bytes, const struct insn *ours)
{
    uint8_t read = insn_flags_read(ours), killed = insn_flags_killed(ours);
    uint8_t their_read = oracle_flags_read(&oracle), written = oracle_flags_written(&oracle);
    if (ours->class == INSN_REFUSED) {
        COMPARE("flags read by what is refused", read, FLAGS_ALL);
        COMPARE("flags killed by what is refused", killed, 0);
        return;
    }
    COMPARE("flags read, but not by us", their_read & ~read, 0);
    if (!oracle_forgets_flags(&oracle))
        COMPARE("flags killed, but only by us", killed & ~written, 0);
    COMPARE("flags killed that may survive", killed & ~oracle_flags_may_kill(&oracle), 0);
    uint8_t defined = oracle_flags_defined(&oracle);
    tally->read_more += read != their_read;
    tally->killed_less += (defined & ~killed) != 0;
    tally->flags_equal += read == their_read && killed == written;
    tally->flags_close += read == their_read && (defined & ~killed) == 0;
}

/* Why Zydis may refuse what we accept. */
static enum excuse excuse_accepted(const struct insn *ours)
{
    if (ours->space != SPACE_LEGACY)
        return EXCUSE_FIELDS;
    if (ours->map == 1 && (ours->opcode == 0x1A || ours->opcode == 0x1B))
        return EXCUSE_MPX;
    return ours->map == 2 && ours->opcode == 0xFC ? EXCUSE_NEWER : EXCUSE_NONE;
}

/* Why we may not know what Zydis does. */
static enum excuse excuse_missed(void)
{
    switch (oracle.insn.meta.isa_ext) {
    case ZYDIS_ISA_EXT_KNC:
    case ZYDIS_ISA_EXT_KNCE:
    case ZYDIS_ISA_EXT_KNCV: return EXCUSE_KNC;
    case ZYDIS_ISA_EXT_PADLOCK: return EXCUSE_PADLOCK;
    default: return EXCUSE_NONE;
    }
}

/* One instruction; 15 bytes are readable. Returns its length, or 1. */
static unsigned compare_one(struct tally *tally, const uint8_t *bytes, size_t room)
{
    struct insn ours;
    bool we = insn_decode(bytes, room, &ours), they = oracle_decode(&oracle, bytes, room);
    enum excuse excuse = EXCUSE_NONE;
    tally->insns += they;
    if (we && they) {
        compare_shape(tally, bytes, &ours);
        compare_numbers(tally, bytes, &ours);
        compare_flags(tally, bytes, &ours);
    } else if (we && ours.class != INSN_REFUSED) {
        excuse = excuse_accepted(&ours);
        if (excuse == EXCUSE_NONE)
            complain(tally, bytes, "accepted only by us", ours.length, 0);
    } else if (they) {
        excuse = excuse_missed();
        if (excuse == EXCUSE_NONE)
            complain(tally, bytes, "not known to us", 0, oracle.insn.length);
    }
    tally->excused[excuse]++;
    return they ? oracle.insn.length : 1;
}

static double percent(uint64_t part, uint64_t whole)
{
    return 100.0 * (double)part / (double)whole;
}

/* Flags that are merely undefined are killed for Zydis, and often not for us. */
static void print_tally(const char *name, const struct tally *tally)
{
    print_message("%s: %" PRIu64 " instructions, flags as Zydis' %.2f %%, or less by undefined "
                  "ones %.2f %% (more read %" PRIu64 ", less killed %" PRIu64 ")\n",
                  name, tally->insns, percent(tally->flags_equal, tally->insns),
                  percent(tally->flags_close, tally->insns), tally->read_more, tally->killed_less);
    for (int i = 1; i < N_EXCUSES; i++)
        if (tally->excused[i])
            print_message("    %s: %" PRIu64 "\n", excuse_names[i], tally->excused[i]);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void print_speed(const struct text *text)
{
    struct insn insn;
    uint64_t n = 0;
    double start = now_s(), end;
    do {
        for (size_t at = 0; at < text->size; n++)
            at += insn_decode(text->bytes + at, text->size - at, &insn) ? insn.length : 1;
        end = now_s();
    } while (end - start < 0.5);
    print_message("    %.1f M instructions/s\n", (double)n / (end - start) * 1e-6);
}

static void compare_text(const char *name, const struct text *text, uint64_t limit,
                         struct tally *tally)
{
    *tally = (struct tally){0};
    for (size_t at = 0; at + 15 < text->size && tally->insns < limit;)
        at += compare_one(tally, text->bytes + at, text->size - at);
    print_tally(name, tally);
    if (is_long())
        print_speed(text);
    assert_int_equal(tally->failures, 0);
}

static void code_of_libc(void **state)
{
    (void)state;
    struct text text;
    struct tally tally;
    assert_true(text_open_libc(&text));
    compare_text("libc", &text, UINT64_MAX, &tally);
    text_close(&text);
    assert_true(tally.insns > 100000);
    assert_true(percent(tally.flags_close, tally.insns) >= 99);
    assert_int_equal(tally.read_more, 0);
    for (int i = 1; i < N_EXCUSES; i++)
        assert_int_equal(tally.excused[i], 0);
}

/* Whatever of these the machine has; libm and libcrypto for their vector code. */
static void code_of_others(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "/lib/x86_64-linux-gnu/libm.so.6",
        "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
        "/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
        "/usr/bin/git",
        "/usr/bin/python3",
        "/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1",
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct text text;
        struct tally tally;
        if (!text_open(&text, paths[i])) {
            print_message("%s: not here\n", paths[i]);
            continue;
        }
        compare_text(paths[i], &text, is_long() ? UINT64_MAX : 200000, &tally);
        text_close(&text);
    }
}

static uint64_t random_state = 0x853C49E6748FEA9B;

static uint32_t random_number(uint32_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 32) * below >> 32);
}

static bool random_chance(unsigned percent)
{
    return random_number(100) < percent;
}

/* VEX, EVEX and XOP have fields that only few instructions use: all ones is their usual value. */
static void random_vector_start(uint8_t *start, uint8_t first, unsigned map)
{
    bool usual = random_chance(50);
    start[0] = first;
    start[1] = (uint8_t)((start[1] & 0xE0) | map);
    start[2] |= usual ? 0x78 : 0;
    if (first == 0x8F)
        start[2] &= 0xFC;
    if (first == 0x62) {
        start[1] &= 0xF7;
        start[2] |= 4;
        start[3] |= usual ? 8 : 0;
    }
}

/* Gives each encoding space its share; the bytes behind stay random. */
static void random_start(uint8_t *start)
{
    unsigned kind = random_number(16);
    if (kind < 6)
        start[0] = 0x0F;
    switch (kind) {
    case 4: start[1] = 0x38; break;
    case 5: start[1] = 0x3A; break;
    case 6:
        start[0] = 0xC5;
        start[1] |= random_chance(50) ? 0x78 : 0;
        break;
    case 7: random_vector_start(start, 0xC4, 1 + random_number(3)); break;
    case 8:
    case 9: random_vector_start(start, 0x62, random_number(8)); break;
    case 10: random_vector_start(start, 0x8F, 8 + random_number(3)); break;
    default: break;
    }
}

static void random_fill(uint8_t bytes[32])
{
    static const uint8_t prefixes[11] = {0x66, 0xF2, 0xF3, 0x67, 0x66, 0xF3,
                                         0xF0, 0x64, 0x65, 0x2E, 0x3E};
    for (unsigned i = 0; i < 32; i++)
        bytes[i] = (uint8_t)random_number(256);
    unsigned at = 0;
    while (at < 14 && random_chance(30))
        bytes[at++] = prefixes[random_number(11)];
    if (random_chance(25))
        bytes[at++] = (uint8_t)(0x40 + random_number(16));
    random_start(bytes + at);
}

/* Every encoding must be reached, and what only we accept must stay rare. */
static void random_bytes(void **state)
{
    (void)state;
    struct tally tally = {0};
    uint64_t n = is_long() ? 50000000 : 2000000;
    for (uint64_t i = 0; i < n; i++) {
        uint8_t bytes[32];
        random_fill(bytes);
        compare_one(&tally, bytes, sizeof bytes);
    }
    print_tally("random bytes", &tally);
    assert_int_equal(tally.failures, 0);
    assert_true(tally.insns > n / 3);
    assert_true(tally.excused[EXCUSE_FIELDS] < tally.insns / 25);
    assert_true(tally.excused[EXCUSE_MPX] + tally.excused[EXCUSE_NEWER] < tally.insns / 300);
    assert_true(tally.excused[EXCUSE_KNC] + tally.excused[EXCUSE_PADLOCK] < tally.insns / 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_of_libc),
        cmocka_unit_test(code_of_others),
        cmocka_unit_test(random_bytes),
    };
    oracle_init(&oracle);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
