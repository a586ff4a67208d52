#include "analysis/values/value_registers.h"

#include "profile/system_calls.h"
#include "program/insn/decoded.h"
#include "wire/payload.h"

/* Of arguments and results on x86-64 (System V). */
enum {
    REG_AX = 0,
    REG_CX = 1,
    REG_DX = 2,
    REG_SI = 6,
    REG_DI = 7,
    REG_8 = 8,
    REG_9 = 9,
    REG_10 = 10
};

const char *value_register_name(uint32_t reg)
{
    static const char *const names[USED_REGISTERS] = {
        "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi",  "rdi",  "r8",   "r9",
        "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3"};
    return reg < USED_REGISTERS && names[reg] ? names[reg] : "";
}

uint32_t value_register_argument(uint32_t reg)
{
    static const uint8_t order[] = {REG_DI, REG_SI, REG_DX, REG_CX, REG_8, REG_9};
    for (uint32_t i = 0; i < sizeof order; i++)
        if (order[i] == reg)
            return i + 1;
    return reg >= PAYLOAD_XMM ? reg - PAYLOAD_XMM + 1 : 0;
}

void value_registers_init(struct value_registers *registers, struct scene *scene)
{
    *registers = (struct value_registers){.scene = scene};
    map_init(&registers->entries, 2 * sizeof(uint64_t));
    map_init(&registers->results, 2 * sizeof(uint64_t));
    map_init(&registers->jumps, 2 * sizeof(uint64_t));
    map_init(&registers->syscalls, 2 * sizeof(uint64_t));
}

void value_registers_release(struct value_registers *registers)
{
    map_release(&registers->entries);
    map_release(&registers->results);
    map_release(&registers->jumps);
    map_release(&registers->syscalls);
    vec_release(&registers->syscall_arguments);
    vec_release(&registers->uses);
    vec_release(&registers->result_uses);
    vec_release(&registers->jumped);
}

static const struct value_form unused = {VALUE_INTEGER, 0}, whole = {VALUE_INTEGER, 8};

struct value_form value_registers_argument(struct value_registers *registers, uint32_t module,
                                           uint64_t entry, uint32_t reg)
{
    const struct binary *binary = scene_binary(registers->scene, module);
    if (reg >= USED_REGISTERS || !value_register_argument(reg))
        return unused;
    if (!binary)
        return reg < PAYLOAD_XMM ? whole : unused;
    const uint64_t key[] = {module, entry};
    uint32_t n = registers->entries.n, index = map_add(&registers->entries, key);
    if (index == n)
        register_uses_find(vec_push(&registers->uses), &binary->image, (struct svma){entry});
    return registers->uses.at[index].forms[reg];
}

/* ---- system calls */

uint32_t value_register_syscall(uint32_t reg)
{
    static const uint8_t order[] = {REG_DI, REG_SI, REG_DX, REG_10, REG_8, REG_9};
    for (uint32_t i = 0; i < sizeof order; i++)
        if (order[i] == reg)
            return i + 1;
    return 0;
}

void value_registers_meet(struct value_registers *registers, uint32_t module, uint64_t at,
                          uint64_t number)
{
    const uint64_t key[] = {module, at};
    uint32_t arguments = system_call_arguments(number);
    uint32_t n = registers->syscalls.n, index = map_add(&registers->syscalls, key);
    if (index == n)
        *vec_push(&registers->syscall_arguments) = 0;
    if (registers->syscall_arguments.at[index] < arguments)
        registers->syscall_arguments.at[index] = arguments;
}

struct value_form value_registers_syscall(const struct value_registers *registers, uint32_t module,
                                          uint64_t at, uint32_t reg)
{
    const uint64_t key[] = {module, at};
    uint32_t index = map_find(&registers->syscalls, key);
    uint32_t takes =
        index == MAP_NONE ? SYSTEM_CALL_ARGUMENTS : registers->syscall_arguments.at[index];
    return value_register_syscall(reg) <= takes ? whole : unused;
}

/* ---- results: what callers do with them */

/* Where a stub of a procedure linkage table jumps from; 0: it is no stub. */
static uint64_t stub_jump(const struct binary *binary, uint64_t at)
{
    struct decoded decoded;
    if (decoded_read(&binary->image, (struct svma){at}, &decoded) &&
        decoded.instruction.mnemonic == ZYDIS_MNEMONIC_ENDBR64)
        at += decoded.instruction.length;
    return decoded_read(&binary->image, (struct svma){at}, &decoded) &&
                   decoded.instruction.mnemonic == ZYDIS_MNEMONIC_JMP &&
                   decoded.operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
                   decoded.operands[0].mem.base == ZYDIS_REGISTER_RIP
               ? at
               : 0;
}

static const struct edge_key *edge_at(const struct table *edges, uint32_t i)
{
    return map_key(&edges->keys, i);
}

/* The function that a call edge leads to, behind a stub if there is one. */
static void called_find(const struct value_registers *registers, const struct edge_key *call,
                        uint32_t *ret_module, uint64_t *ret_entry)
{
    const struct table *edges = &registers->scene->sides[0]->edges;
    uint32_t module = scene_module(registers->scene, 0, call->to_module);
    const struct binary *binary = scene_binary(registers->scene, module);
    *ret_module = module;
    *ret_entry = call->to.v;
    const uint64_t jump[] = {call->to_module, binary ? stub_jump(binary, call->to.v) : 0};
    uint32_t found = jump[1] ? map_find(&registers->jumps, jump) : MAP_NONE;
    if (found == MAP_NONE)
        return;
    const struct edge_key *through = edge_at(edges, registers->jumped.at[found]);
    *ret_module = scene_module(registers->scene, 0, through->to_module);
    *ret_entry = through->to.v;
}

static void call_take(struct value_registers *registers, const struct edge_key *call)
{
    struct scene *scene = registers->scene;
    const struct binary *binary = scene_binary(scene, scene_module(scene, 0, call->from_module));
    uint32_t module;
    uint64_t entry;
    struct decoded decoded;
    called_find(registers, call, &module, &entry);
    if (module == MODULE_NONE)
        return;
    const uint64_t key[] = {module, scene_function_at(scene, module, entry)};
    uint32_t n = registers->results.n, index = map_add(&registers->results, key);
    if (index == n)
        *vec_push(&registers->result_uses) = (struct register_uses){0};
    struct value_form *forms = registers->result_uses.at[index].forms;
    if (!binary || !decoded_read(&binary->image, call->from, &decoded)) {
        forms[REG_AX] = whole;
        return;
    }
    struct register_uses uses;
    register_uses_find(&uses, &binary->image,
                       (struct svma){call->from.v + decoded.instruction.length});
    if (uses.forms[REG_AX].bytes > forms[REG_AX].bytes)
        forms[REG_AX] = uses.forms[REG_AX];
    if (uses.forms[PAYLOAD_XMM].bytes)
        forms[PAYLOAD_XMM] = uses.forms[PAYLOAD_XMM];
}

static void callers_read(struct value_registers *registers)
{
    const struct table *edges = &registers->scene->sides[0]->edges;
    registers->callers = true;
    for (uint32_t i = 0; i < edges->n; i++) {
        const struct edge_key *edge = edge_at(edges, i);
        const uint64_t jump[] = {edge->from_module, edge->from.v};
        uint32_t n = registers->jumps.n;
        if (edge->kind == EDGE_IJUMP && map_add(&registers->jumps, jump) == n)
            *vec_push(&registers->jumped) = i;
    }
    for (uint32_t i = 0; i < edges->n; i++)
        if (edge_at(edges, i)->kind == EDGE_CALL || edge_at(edges, i)->kind == EDGE_ICALL)
            call_take(registers, edge_at(edges, i));
}

struct value_form value_registers_result(struct value_registers *registers, uint32_t module,
                                         uint64_t at, uint32_t reg)
{
    if (!registers->callers)
        callers_read(registers);
    const uint64_t key[] = {module, scene_function_at(registers->scene, module, at)};
    uint32_t index = map_find(&registers->results, key);
    if (index == MAP_NONE) /* nobody calls it: it is jumped to */
        return reg == REG_AX ? whole : unused;
    return reg < USED_REGISTERS ? registers->result_uses.at[index].forms[reg] : unused;
}
