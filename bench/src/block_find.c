/* Straight blocks of instructions out of programs and libraries, to be measured.
 *
 *     block_find [-n N] [-s SEED] [-i] FILE... >CLASS HEX
 *
 * All of .text is decoded from its start, and cut at branches and at their targets. Of every class of blocks N are drawn
 * by chance among those that differ; of a large file a part is looked at, so that no file is most of all. A block is of the rarest
 * class that one of its instructions has, in the order of `classes`; "any" draws from all, as they come. What cannot be run alone is left out: control flow, the
 * system, addresses relative to the code, and rep.
 *
 * With -i the blocks are single instructions: the N forms (name, kinds and widths of operands) that are most frequent, each as it was
 * first found, class "form"; and once more behind an instruction that makes its first register new, class "fresh": as they are most
 * wait for themselves, and their time is that of a result; so they wait for nothing, and it is that of ports. */
#include "base/map.h"
#include "base/vec.h"

#include <Zydis/Zydis.h>

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_MOST = 200, BLOCK_INSTRUCTIONS = 60, FILE_BYTES = 4 << 20 };

#define CLASSES(X)                                                                                 \
    X(AVX512, "avx512")                                                                            \
    X(X87, "x87")                                                                                  \
    X(CRYPTO, "crypto")                                                                            \
    X(GATHER, "gather")                                                                            \
    X(LOCK, "lock")                                                                                \
    X(STRING, "string")                                                                            \
    X(DIVIDE, "divide")                                                                            \
    X(FP_DIVIDE, "fp-divide")                                                                      \
    X(SHUFFLE, "shuffle")                                                                          \
    X(AVX, "avx")                                                                                  \
    X(FP, "fp")                                                                                    \
    X(VECTOR, "vector")                                                                            \
    X(HIGH, "high-byte")                                                                           \
    X(BMI, "bmi")                                                                                  \
    X(BITS, "bits")                                                                                \
    X(CARRY, "carry")                                                                              \
    X(MULTIPLY, "multiply")                                                                        \
    X(CMOV, "cmov")                                                                                \
    X(PUSH, "push-pop")                                                                            \
    X(STORE, "store")                                                                              \
    X(LOAD, "load")                                                                                \
    X(LEA, "lea")                                                                                  \
    X(PLAIN, "plain")                                                                              \
    X(ANY, "any") /* all, as they come */
#define ENUM(id, name) CLASS_##id,
#define NAME(id, name) name,
enum class { CLASSES(ENUM) CLASS_N };
static const char *const classes[] = {CLASSES(NAME)};

struct drawn {
    uint8_t n, bytes[BLOCK_MOST];
};
static struct {
    uint64_t seen;
    struct drawn *drawn;
} draws[CLASS_N];
static uint32_t wanted = 100;
static uint64_t chance = 1;
static struct map known;

static uint64_t chance_next(void)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    return chance ^= chance << 17;
}

/* ---- what an instruction is */

struct decoded {
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static bool is_branch(const ZydisDecodedInstruction *instruction)
{
    switch (instruction->meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_INTERRUPT: return true;
    default: return false;
    }
}

static bool is_refused(const struct decoded *decoded)
{
    const ZydisDecodedInstruction *instruction = &decoded->instruction;
    switch (instruction->meta.category) {
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSTEM:
    case ZYDIS_CATEGORY_SYSRET:
    case ZYDIS_CATEGORY_IO:
    case ZYDIS_CATEGORY_IOSTRINGOP:
    case ZYDIS_CATEGORY_SEGOP:
    case ZYDIS_CATEGORY_VTX:
    case ZYDIS_CATEGORY_XSAVE:
    case ZYDIS_CATEGORY_XSAVEOPT:
    case ZYDIS_CATEGORY_RDRAND:
    case ZYDIS_CATEGORY_RDSEED:
    case ZYDIS_CATEGORY_RDWRFSGS:
    case ZYDIS_CATEGORY_INVALID: return true;
    default: break;
    }
    switch (instruction->mnemonic) {
    case ZYDIS_MNEMONIC_CPUID:
    case ZYDIS_MNEMONIC_RDTSC:
    case ZYDIS_MNEMONIC_RDTSCP:
    case ZYDIS_MNEMONIC_POPFQ:
    case ZYDIS_MNEMONIC_STD:
    case ZYDIS_MNEMONIC_PAUSE:
    case ZYDIS_MNEMONIC_CLFLUSH:
    case ZYDIS_MNEMONIC_HLT: return true;
    default: break;
    }
    if (instruction->attributes &
        (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE |
         ZYDIS_ATTRIB_IS_RELATIVE | ZYDIS_ATTRIB_HAS_SEGMENT_GS | ZYDIS_ATTRIB_HAS_SEGMENT_FS))
        return true;
    for (uint8_t i = 0; i < instruction->operand_count; i++)
        if (decoded->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            decoded->operands[i].mem.base == ZYDIS_REGISTER_RIP)
            return true;
    return false;
}

static bool name_has(const struct decoded *decoded, const char *part)
{
    return strstr(ZydisMnemonicGetString(decoded->instruction.mnemonic), part) != NULL;
}

static enum class class_of_vector(const struct decoded *decoded) {
    const ZydisDecodedInstruction *instruction = &decoded->instruction;
    if (name_has(decoded, "div") || name_has(decoded, "sqrt")) return CLASS_FP_DIVIDE;
    if (name_has(decoded, "gather")) return CLASS_GATHER;
    if (name_has(decoded, "shuf") || name_has(decoded, "unpck") || name_has(decoded, "perm") ||
        name_has(decoded, "pack") || name_has(decoded, "align") || name_has(decoded, "insert") ||
        name_has(decoded, "extract") || name_has(decoded, "pmov") ||
        name_has(decoded, "broadcast")) return CLASS_SHUFFLE;
    if (instruction->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX) return CLASS_AVX;
    if (name_has(decoded, "add") || name_has(decoded, "mul") || name_has(decoded, "sub") ||
        name_has(decoded, "cvt") || name_has(decoded, "com") ||
        name_has(decoded, "cmp")) return CLASS_FP;
    return CLASS_VECTOR;
}

static enum class class_of_integer(const struct decoded *decoded) {
    const ZydisDecodedInstruction *instruction = &decoded->instruction;
    switch (instruction->mnemonic){
        case ZYDIS_MNEMONIC_DIV : case ZYDIS_MNEMONIC_IDIV : return CLASS_DIVIDE;
        case ZYDIS_MNEMONIC_MUL : case ZYDIS_MNEMONIC_IMUL : return CLASS_MULTIPLY;
        case ZYDIS_MNEMONIC_ADC : case ZYDIS_MNEMONIC_SBB : case ZYDIS_MNEMONIC_RCL : case
        ZYDIS_MNEMONIC_RCR : return CLASS_CARRY;
        case ZYDIS_MNEMONIC_LEA : return CLASS_LEA;
        default : break;
    }
switch (instruction->meta.category)
{
case ZYDIS_CATEGORY_STRINGOP: return CLASS_STRING;
case ZYDIS_CATEGORY_CMOV:
case ZYDIS_CATEGORY_SETCC: return CLASS_CMOV;
case ZYDIS_CATEGORY_PUSH:
case ZYDIS_CATEGORY_POP: return CLASS_PUSH;
case ZYDIS_CATEGORY_BMI1:
case ZYDIS_CATEGORY_BMI2:
case ZYDIS_CATEGORY_LZCNT: return CLASS_BMI;
case ZYDIS_CATEGORY_BITBYTE:
case ZYDIS_CATEGORY_ROTATE: return CLASS_BITS;
default: break;
}
enum class class = CLASS_PLAIN;
for (uint8_t i = 0; i < instruction->operand_count; i++) {
    const ZydisDecodedOperand *operand = &decoded->operands[i];
    if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->reg.value >= ZYDIS_REGISTER_AH &&
        operand->reg.value <= ZYDIS_REGISTER_BH)
        return CLASS_HIGH;
    if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
        instruction->meta.category != ZYDIS_CATEGORY_WIDENOP)
        class = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ? CLASS_STORE : CLASS_LOAD;
}
return class;
}

static enum class class_of(const struct decoded *decoded) {
    const ZydisDecodedInstruction *instruction = &decoded->instruction;
    if (instruction->attributes & ZYDIS_ATTRIB_HAS_LOCK ||
        (instruction->mnemonic == ZYDIS_MNEMONIC_XCHG &&
         decoded->operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY)) return CLASS_LOCK;
    if (instruction->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX) return CLASS_AVX512;
    for (uint8_t i = 0; i < instruction->operand_count; i++) if (
        decoded->operands[i].type ==
        ZYDIS_OPERAND_TYPE_REGISTER) switch (ZydisRegisterGetClass(decoded->operands[i].reg.value)){
        case ZYDIS_REGCLASS_X87 : case ZYDIS_REGCLASS_MMX : return CLASS_X87;
        case ZYDIS_REGCLASS_MASK : return CLASS_AVX512;
        case ZYDIS_REGCLASS_XMM : case ZYDIS_REGCLASS_YMM : return name_has(decoded, "aes") ||
                name_has(decoded, "sha2") || name_has(decoded, "sha1") || name_has(decoded, "clmul")
            ? CLASS_CRYPTO
            : class_of_vector(decoded);
        default : break;
    }
return class_of_integer(decoded);
}

/* ---- forms of instructions */

struct form {
    uint16_t mnemonic;
    struct {
        uint8_t kind; /* a class of registers, or memory or constant behind those */
        uint8_t words;
    } operands[4];
    uint8_t high, same, prefixes, spare;
};

struct found {
    uint64_t count;
    uint8_t n, bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
    ZydisRegister first;
};

static struct map forms;
static struct {
    VEC(struct found);
} founds;
static bool by_form;

static void form_note(const struct decoded *decoded, const uint8_t *bytes)
{
    const ZydisDecodedInstruction *instruction = &decoded->instruction;
    struct form form = {.mnemonic = (uint16_t)instruction->mnemonic};
    ZydisRegister first = ZYDIS_REGISTER_NONE;
    enum { KIND_MEMORY = 100, KIND_INDEXED, KIND_OTHER };
    for (uint8_t i = 0; i < instruction->operand_count_visible && i < 4; i++) {
        const ZydisDecodedOperand *operand = &decoded->operands[i];
        bool is_register = operand->type == ZYDIS_OPERAND_TYPE_REGISTER;
        if (is_register && !first && operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            first = operand->reg.value;
        form.operands[i].words = (uint8_t)(operand->size / 8);
        form.operands[i].kind = is_register ? (uint8_t)ZydisRegisterGetClass(operand->reg.value)
                                : operand->type != ZYDIS_OPERAND_TYPE_MEMORY ? KIND_OTHER
                                : operand->mem.index                         ? KIND_INDEXED
                                                                             : KIND_MEMORY;
        form.high |= is_register && operand->reg.value >= ZYDIS_REGISTER_AH &&
                     operand->reg.value <= ZYDIS_REGISTER_BH;
        form.same |= i && is_register && operand->reg.value == decoded->operands[i - 1].reg.value;
    }
    form.prefixes = (instruction->attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0;
    uint32_t before = forms.n, index = map_add(&forms, &form);
    if (index == before) {
        struct found *found = vec_push(&founds);
        *found = (struct found){.n = instruction->length, .first = first};
        memcpy(found->bytes, bytes, found->n);
    }
    founds.at[index].count++;
}

static int found_order(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count ? 1 : -1) : memcmp(x->bytes, y->bytes, 15);
}

/* xor of a general register with itself, vpxor of a vector; 0: neither. */
static size_t register_renew(ZydisRegister reg, uint8_t bytes[5])
{
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    if (whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15) {
        uint8_t id = (uint8_t)(whole - ZYDIS_REGISTER_RAX), low = id & 7;
        memcpy(bytes,
               (const uint8_t[]){id > 7 ? 0x45 : 0x40, 0x31, (uint8_t)(0xc0 | low << 3 | low)}, 3);
        return 3;
    }
    if (whole < ZYDIS_REGISTER_ZMM0 || whole > ZYDIS_REGISTER_ZMM15)
        return 0;
    uint8_t id = (uint8_t)(whole - ZYDIS_REGISTER_ZMM0), low = id & 7;
    memcpy(bytes,
           (const uint8_t[]){0xc4, id > 7 ? 0x41 : 0xe1, (uint8_t)((~id & 15) << 3 | 1), 0xef,
                             (uint8_t)(0xc0 | low << 3 | low)},
           5);
    return 5;
}

static void bytes_print(const char *class, const uint8_t *renew, size_t n_renew,
                        const uint8_t *bytes, size_t n)
{
    printf("%s ", class);
    for (size_t i = 0; i < n_renew; i++)
        printf("%02x", renew[i]);
    for (size_t i = 0; i < n; i++)
        printf("%02x", bytes[i]);
    putchar('\n');
}

static void forms_print(void)
{
    qsort(founds.at, founds.n, sizeof *founds.at, found_order);
    size_t n = founds.n < wanted ? founds.n : wanted;
    for (size_t i = 0; i < n; i++)
        bytes_print("form", NULL, 0, founds.at[i].bytes, founds.at[i].n);
    for (size_t i = 0; i < n; i++) {
        uint8_t renew[5];
        size_t n_renew = register_renew(founds.at[i].first, renew);
        if (n_renew)
            bytes_print("fresh", renew, n_renew, founds.at[i].bytes, founds.at[i].n);
    }
}

/* ---- blocks */

/* Among all that were offered each is drawn as likely as any other. */
static void class_offer(enum class class, const uint8_t *bytes, size_t n)
{
    uint64_t at = draws[class].seen++;
    if (at >= wanted)
        at = chance_next() % draws[class].seen;
    if (at >= wanted)
        return;
    struct drawn *to = &draws[class].drawn[at];
    to->n = (uint8_t)n;
    memcpy(to->bytes, bytes, n);
}

/* Once, however often it is found. */
static void block_offer(enum class class, const uint8_t *bytes, size_t n)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    uint32_t before = known.n;
    if (map_add(&known, &hash) < before)
        return;
    class_offer(class, bytes, n);
    class_offer(CLASS_ANY, bytes, n);
}

static void targets_find(const uint8_t *text, size_t n, uint8_t *cut)
{
    ZydisDecoder decoder;
    struct decoded decoded;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (size_t at = 0; at < n;) {
        if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, text + at, n - at, &decoded.instruction,
                                               decoded.operands))) {
            cut[at++] = 1;
            continue;
        }
        ZyanU64 target;
        if (is_branch(&decoded.instruction) && decoded.instruction.operand_count &&
            decoded.operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
            ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&decoded.instruction, &decoded.operands[0], at,
                                                  &target)) &&
            target < n)
            cut[target] = 1;
        at += decoded.instruction.length;
    }
}

static void blocks_find(const uint8_t *text, size_t n)
{
    ZydisDecoder decoder;
    uint8_t *cut = mem_alloc(n + 1);
    struct decoded decoded;
    size_t from = 0, instructions = 0;
    enum class class = CLASS_PLAIN;
    uint64_t share = n > FILE_BYTES ? n / FILE_BYTES : 1;
    targets_find(text, n, cut);
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (size_t at = 0; at < n;) {
        bool good = ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, text + at, n - at,
                                                        &decoded.instruction, decoded.operands)) &&
                    !is_branch(&decoded.instruction) && !is_refused(&decoded);
        size_t length = decoded.instruction.length ? decoded.instruction.length : 1;
        if (!good || cut[at]) {
            if (instructions && instructions <= BLOCK_INSTRUCTIONS && at - from <= BLOCK_MOST &&
                chance_next() % share == 0)
                block_offer(class, text + from, at - from);
            from = good ? at : at + length;
            class = CLASS_PLAIN;
            instructions = 0;
        }
        if (good) {
            if (by_form)
                form_note(&decoded, text + at);
            enum class other = class_of(&decoded);
            class = other < class ? other : class;
            instructions++;
        }
        at += length;
    }
    mem_free(cut);
}

static void file_find(const uint8_t *bytes, size_t n)
{
    const Elf64_Ehdr *head = (const void *)bytes;
    if (n < sizeof *head || memcmp(bytes, ELFMAG, SELFMAG) || head->e_machine != EM_X86_64 ||
        head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shoff > n ||
        (n - head->e_shoff) / sizeof(Elf64_Shdr) < head->e_shnum)
        return;
    const Elf64_Shdr *sections = (const void *)(bytes + head->e_shoff);
    for (uint16_t i = 0; i < head->e_shnum; i++)
        if (sections[i].sh_flags & SHF_EXECINSTR && sections[i].sh_type == SHT_PROGBITS &&
            sections[i].sh_offset <= n && sections[i].sh_size <= n - sections[i].sh_offset &&
            sections[i].sh_size > 256)
            blocks_find(bytes + sections[i].sh_offset, sections[i].sh_size);
}

int main(int argc, char **argv)
{
    for (int option; (option = getopt(argc, argv, "n:s:i")) != -1;)
        if (option == 'n')
            wanted = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 's')
            chance = strtoull(optarg, NULL, 10) * 0x9e3779b97f4a7c15 | 1;
        else if (option == 'i')
            by_form = true;
        else
            return 129;
    map_init(&forms, sizeof(struct form));
    map_init(&known, sizeof(uint64_t));
    for (int i = 0; i < CLASS_N; i++)
        draws[i].drawn = mem_alloc((wanted + 1) * sizeof *draws[i].drawn);
    for (int i = optind; i < argc; i++) {
        struct stat stat;
        int fd = open(argv[i], O_RDONLY | O_CLOEXEC);
        if (fd < 0 || fstat(fd, &stat) != 0 || !S_ISREG(stat.st_mode)) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            continue;
        }
        size_t n = (size_t)stat.st_size;
        void *bytes = n ? mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
        close(fd);
        if (bytes == MAP_FAILED)
            continue;
        file_find(bytes, n);
        munmap(bytes, n);
    }
    if (by_form)
        forms_print();
    for (int i = 0; !by_form && i < CLASS_N; i++)
        for (uint64_t j = 0; j < draws[i].seen && j < wanted; j++)
            bytes_print(classes[i], NULL, 0, draws[i].drawn[j].bytes, draws[i].drawn[j].n);
    return 0;
}
