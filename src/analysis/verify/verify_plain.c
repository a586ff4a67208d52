#include "analysis/verify/verify_plain.h"

#include "profile/sums.h"
#include "analysis/counts/labels.h"

#include <inttypes.h>
#include <string.h>

/* ---- calls */

static bool ends_a_call(const struct image *image, uint64_t last)
{
    enum { LONGEST = 15 };
    struct instruction instruction;
    for (uint64_t bytes = 2; bytes <= LONGEST && bytes <= last + 1; bytes++)
        if (disasm_at(image, (struct svma){last + 1 - bytes}, &instruction) &&
            instruction.bytes == bytes &&
            (instruction.kind == INSTRUCTION_CALL || instruction.kind == INSTRUCTION_ICALL))
            return true;
    return false;
}

/* Whether a signal handler returns to the byte behind the address. Code there is mov
 * $SYS_rt_sigreturn,%rax; syscall. The agent's (agent/signals/handover.c) has a jump to the next
 * instruction in place of the system call, and then does more. */
static bool is_trampoline(const struct image *image, uint64_t address)
{
    static const uint8_t code[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0};
    static const uint8_t call[] = {0x0f, 0x05}, jump[] = {0xeb, 0};
    size_t room;
    const uint8_t *bytes = image_bytes(image, (struct svma){address + 1}, &room);
    return bytes && room >= sizeof code + sizeof call && memcmp(bytes, code, sizeof code) == 0 &&
           (memcmp(bytes + sizeof code, call, sizeof call) == 0 ||
            memcmp(bytes + sizeof code, jump, sizeof jump) == 0);
}

/* Or whether it is there already, at one of its two instructions. */
static bool in_trampoline(const struct image *image, uint64_t address)
{
    enum { FIRST = 1, SECOND = 8 };
    return is_trampoline(image, address) ||
           (address > FIRST && is_trampoline(image, address - FIRST)) ||
           (address > SECOND && is_trampoline(image, address - SECOND));
}

/* ---- nodes */

enum node_flags { NODE_CALLS = 1, NODE_INTERRUPTED = 2 };

/* Functions that are not called from where they return to. Go's handler of signals lets a goroutine
 * go on in asyncPreempt, as if it had called it wherever it was. Those that throw end by returning
 * to the landing pad: for the last instructions of theirs, it is their caller. */
static bool returns_elsewhere(const struct scene *scene, struct stack_key key)
{
    static const char *const names[] = {"runtime.asyncPreempt",   "runtime.asyncPreempt.abi0",
                                        "_Unwind_RaiseException", "_Unwind_Resume",
                                        "_Unwind_ForcedUnwind",   "_Unwind_Resume_or_Rethrow"};
    uint32_t module = scene_module(scene, 0, key.module);
    function_id function = scene_function_at(scene, module, key.address);
    if (function == FUNCTION_NONE)
        return false;
    const char *found = scene_function_name(scene, module, function);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(found, names[i]) == 0)
            return true;
    return false;
}

/* What the node says of the one that called it. */
static unsigned caller_flags(const struct scene *scene, struct stack_key key)
{
    const struct image *image = scene_image(scene, 0, key.module);
    if (image && (in_trampoline(image, key.address) || returns_elsewhere(scene, key)))
        return NODE_INTERRUPTED;
    return profile_module_is_kernel(scene->sides[0], key.module) ? 0 : NODE_CALLS;
}

/* Who lays out a stack by hand, as makecontext does, puts there where its first function is to
 * return to: the start of another, which nobody called; or, as Go does, the byte behind a nop that
 * this other function begins with. */
static bool begins_by_hand(const struct image *image, const struct stacks *stacks,
                           struct stack_key key)
{
    enum { ALIGNED = 16, NOP = 0x90 };
    size_t room;
    const uint8_t *bytes = image_bytes(image, (struct svma){key.address}, &room);
    if (stacks_key(stacks, key.parent).parent != STACK_NONE)
        return false;
    return (key.address + 1) % ALIGNED == 0 ||
           (key.address % ALIGNED == 0 && bytes && room && *bytes == NOP);
}

static void node_check(struct verification *verdict, struct scene *scene, struct stack_key key,
                       unsigned flags)
{
    const struct image *image = scene_image(scene, 0, key.module);
    if (!image || profile_module_is_python(scene->sides[0], key.module)) {
        verdict->skipped++;
        return;
    }
    verdict->nodes++;
    uint32_t module = scene_module(scene, 0, key.module);
    if (!image_executable(image, (struct svma){key.address}))
        verification_problem(verdict, CHECK_node, "%s", address_text(scene, module, key.address));
    else if (flags == NODE_CALLS && !is_trampoline(image, key.address) &&
             !begins_by_hand(image, &scene->sides[0]->stacks, key) &&
             !ends_a_call(image, key.address))
        verification_problem(verdict, CHECK_call, "%s", address_text(scene, module, key.address));
}

static void weights_check(struct verification *verdict, const struct profile *profile)
{
    uint64_t user = 0, kernel = 0;
    for (uint32_t i = 0; i < profile->stacks.cells.n; i++) {
        const struct stack_cell *cell = map_key(&profile->stacks.cells, i);
        uint32_t module = stacks_key(&profile->stacks, cell->node).module;
        sum_add(profile_module_is_kernel(profile, module) ? &kernel : &user,
                profile->stacks.weights.at[i]);
    }
    /* Walks: what is not kept (--only) is sampled all the same. */
    bool sampled = profile->mode == PROFILE_SAMPLED;
    uint64_t all = sampled ? profile->totals.sampled_ns : profile->totals.time;
    if (sampled ? user > all : user != all)
        verification_problem(verdict, CHECK_sums, "stacks weigh %" PRIu64 ", the totals %" PRIu64,
                             user, all);
    const struct totals *totals = &profile->totals;
    if (sampled && (totals->kernel_samples ? kernel + totals->bare_ns == 0 : kernel > 0))
        verification_problem(verdict, CHECK_sums,
                             "%" PRIu64 " samples of the kernel, whose stacks weigh %" PRIu64
                             " in the kernel and %" PRIu64 " in user mode",
                             totals->kernel_samples, kernel, totals->bare_ns);
    if (sampled && (totals->bare_ns > totals->sampled_ns || totals->bare_xx > totals->sampled_xx))
        verification_problem(verdict, CHECK_sums,
                             "processes without agent weigh %" PRIu64 ", all of them %" PRIu64,
                             totals->bare_ns, totals->sampled_ns);
}

void stacks_check(struct verification *verdict, struct scene *scene)
{
    const struct stacks *stacks = &scene->sides[0]->stacks;
    uint8_t *flags = mem_alloc(stacks->nodes.n + (size_t)1);
    for (uint32_t node = 0; node < stacks->nodes.n; node++) {
        struct stack_key key = stacks_key(stacks, node);
        if (key.parent != STACK_NONE)
            flags[key.parent] |= (uint8_t)caller_flags(scene, key);
    }
    for (uint32_t node = 0; node < stacks->nodes.n; node++) {
        struct stack_key key = stacks_key(stacks, node);
        if (key.parent != STACK_NONE)
            node_check(verdict, scene, key, flags[node]);
    }
    mem_free(flags);
    weights_check(verdict, scene->sides[0]);
}
