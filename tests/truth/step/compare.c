#include "compare.h"

#include <Zydis/Zydis.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    STATUS = 0xcd5,
    CHUNK = 1 << 16,
    LOOK_AHEAD = 64,
    X87_FOP = 6,
    X87_FCS_END = 24,
    LEGACY_END = 416,
    XSTATE_BV_AT = 512,
};

/* ---- flags */

/* Whether none of these flags is read before it is overwritten, going straight on from the twin's
 * pc. A branch that depends on nothing is followed; one that cannot be followed ends the search in
 * vain. */
static bool flags_unread(struct twin *twin, uint32_t flags)
{
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    uint64_t pc = twin->regs.rip;
    for (int i = 0; i < LOOK_AHEAD; i++) {
        uint8_t bytes[16];
        ZydisDecodedInstruction insn;
        ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
        ssize_t n = pread(twin->memory, bytes, sizeof bytes, (off_t)pc);
        if (n <= 0 ||
            !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, (ZyanUSize)n, &insn, operands)))
            return false;
        if (insn.cpu_flags->tested & flags)
            return false;
        flags &= ~(insn.cpu_flags->modified | insn.cpu_flags->set_0 | insn.cpu_flags->set_1 |
                   insn.cpu_flags->undefined);
        if (!flags)
            return true;
        pc += insn.length;
        if (insn.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
            insn.meta.category == ZYDIS_CATEGORY_CALL) {
            if (operands[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
                return false;
            pc += (uint64_t)operands[0].imm.value.s;
        } else if (insn.meta.category == ZYDIS_CATEGORY_COND_BR ||
                   insn.meta.category == ZYDIS_CATEGORY_RET)
            return false;
    }
    return false;
}

/* ---- registers */

/* Where the processor keeps a component of the vector state: 2 AVX, 5 to 7 AVX-512, 17 and 18
 * tiles. Those that it does not have take no bytes. */
struct component {
    uint32_t number, at, bytes;
};

static const struct component *components(void)
{
    static struct component known[] = {{2, 0, 0}, {5, 0, 0},  {6, 0, 0}, {7, 0, 0},
                                       {9, 0, 0}, {17, 0, 0}, {18, 0, 0}};
    for (size_t i = 0; !known[0].bytes && i < sizeof known / sizeof *known; i++) {
        uint32_t a = 0xd, b, c = known[i].number, d;
        __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
        if (a && b + a <= LOG_XSAVE)
            known[i].at = b, known[i].bytes = a;
    }
    return known;
}
enum { COMPONENTS = 7 };

/* What is not in use has its first value, whatever stands in the area: zeroes. */
static void unused_clear(uint8_t *area, const struct component *component)
{
    uint64_t used;
    memcpy(&used, area + XSTATE_BV_AT, 8);
    if (!(used >> component->number & 1))
        memset(area + component->at, 0, component->bytes);
}

static bool part_equal(const uint8_t *walked, const uint8_t *native, uint32_t from, uint32_t to)
{
    bool equal = true;
    for (uint32_t at = from; at < to; at += 8) {
        if (memcmp(walked + at, native + at, 8) == 0)
            continue;
        equal = false;
        printf("    vector state at byte %u: walked %016lx, native %016lx\n", at,
               *(const uint64_t *)(walked + at), *(const uint64_t *)(native + at));
    }
    return equal;
}

static bool vectors_equal(struct twin *twin, const struct entry *entry)
{
    static uint8_t native[LOG_XSAVE], walked[LOG_XSAVE];
    if (!twin_xsave(twin, native, sizeof native))
        return false;
    memcpy(walked, entry->xsave, sizeof walked);
    /* Where the last x87 instruction stood is a place in the copy: the one thing that copies do not
     * keep. */
    memset(walked + X87_FOP, 0, X87_FCS_END - X87_FOP);
    memset(native + X87_FOP, 0, X87_FCS_END - X87_FOP);
    bool equal = part_equal(walked, native, 0, LEGACY_END);
    for (const struct component *one = components(); one < components() + COMPONENTS; one++) {
        unused_clear(walked, one);
        unused_clear(native, one);
        equal &= part_equal(walked, native, one->at, one->at + one->bytes);
    }
    return equal;
}

bool states_equal(struct twin *twin, const struct entry *entry)
{
    static const char *const names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                        "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
    bool equal = true;
    if (entry->pc != twin->regs.rip) {
        printf("    pc: walked %lx, native %llx\n", entry->pc, twin->regs.rip);
        equal = false;
    }
    for (int i = 0; i < 16; i++)
        if (entry->gpr[i] != *twin_gpr(twin, i)) {
            printf("    %s: walked %lx, native %lx\n", names[i], entry->gpr[i], *twin_gpr(twin, i));
            equal = false;
        }
    uint32_t differ = (uint32_t)(entry->flags ^ twin->regs.eflags) & ~0x100u;
    if (differ && ((differ & ~(uint32_t)STATUS) || !flags_unread(twin, differ))) {
        printf("    flags: walked %lx, native %llx\n", entry->flags, twin->regs.eflags);
        equal = false;
    }
    return vectors_equal(twin, entry) && equal;
}

/* ---- memory */

static bool is_own(const struct log *log, uint64_t start)
{
    for (uint32_t i = 0; i < log->n_own; i++)
        if (start >= log->own[i].start && start < log->own[i].end)
            return true;
    return false;
}

/* Visits each piece of private writable memory that is the program's. */
static bool pieces_visit(struct memory_pair *pair, struct twin *twin,
                         bool (*visit)(struct memory_pair *pair, struct twin *twin, uint64_t at,
                                       size_t bytes))
{
    char path[64], *line = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pair->walked);
    FILE *maps = fopen(path, "r");
    uint64_t library_end = 0;
    bool good = maps != NULL;
    while (good && getline(&line, &room, maps) > 0) {
        unsigned long start, end;
        char rights[8];
        if (sscanf(line, "%lx-%lx %7s", &start, &end, rights) != 3)
            continue;
        bool library = strstr(line, "/libstep.so") || start == library_end;
        if (library)
            library_end = end;
        if (library || rights[1] != 'w' || rights[3] != 'p' || is_own(pair->log, start))
            continue;
        for (uint64_t at = start; good && at < end; at += CHUNK)
            good = visit(pair, twin, at, end - at < CHUNK ? end - at : CHUNK);
    }
    free(line);
    if (maps)
        fclose(maps);
    return good;
}

static uint8_t ours[CHUNK], theirs[CHUNK];

static bool chunk_compare(struct memory_pair *pair, struct twin *twin, uint64_t at, size_t bytes)
{
    if (pread(pair->memory, ours, bytes, (off_t)at) != (ssize_t)bytes)
        return true; /* gone or never there: a mapping beyond the end of its file */
    if (!twin_read(twin, at, theirs, bytes)) {
        printf("    memory at %lx is not there in the native twin\n", at);
        return false;
    }
    pair->bytes += bytes;
    if (memcmp(ours, theirs, bytes) == 0)
        return true;
    for (size_t i = 0; i < bytes; i++)
        if (ours[i] != theirs[i]) {
            printf("    memory at %lx: walked %02x, native %02x\n", at + i, ours[i], theirs[i]);
            break;
        }
    return false;
}

static bool chunk_copy(struct memory_pair *pair, struct twin *twin, uint64_t at, size_t bytes)
{
    if (pread(pair->memory, ours, bytes, (off_t)at) != (ssize_t)bytes)
        return true;
    if (twin_read(twin, at, theirs, bytes) && memcmp(ours, theirs, bytes) == 0)
        return true;
    return twin_write(twin, at, ours, bytes);
}

bool memory_equal(struct memory_pair *pair, struct twin *twin)
{
    return pieces_visit(pair, twin, chunk_compare);
}

bool memory_copy(struct memory_pair *pair, struct twin *twin)
{
    return pieces_visit(pair, twin, chunk_copy);
}

void memory_copy_range(struct memory_pair *pair, struct twin *twin, uint64_t start, uint64_t end)
{
    for (uint64_t at = start; at < end; at += 4096)
        chunk_copy(pair, twin, at, 4096);
}
