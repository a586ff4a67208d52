/* How many instructions a second the model of a core does, alone, on a decoded trace.
 *
 *     core TRACE [CORE]             models the trace, several times, and tells the fastest
 *     core -r N TRACE MS CMD...     records one: runs CMD natively for MS milliseconds, then N instructions by single steps
 *
 * A trace is made of bytes of instructions (each address once) and of what each execution did. It is read and decoded before
 * the clock starts. */
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "model/core/core.h"
#include "model/core/insn.h"
#include "model/core/model.h"

#include <Zydis/Zydis.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { INSN_BYTES = 16, RUNS = 5 };

struct place {
    uint64_t at;
    uint8_t bytes[INSN_BYTES];
    uint8_t n;
};
struct step {
    uint32_t place;
    uint32_t unused;
    uint64_t address;
};

static void die(const char *what)
{
    perror(what);
    exit(1);
}

/* ---- recording */

static uint64_t register_value(const struct user_regs_struct *r, ZydisRegister reg)
{
    switch (ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg)) {
    case ZYDIS_REGISTER_RAX: return r->rax;
    case ZYDIS_REGISTER_RCX: return r->rcx;
    case ZYDIS_REGISTER_RDX: return r->rdx;
    case ZYDIS_REGISTER_RBX: return r->rbx;
    case ZYDIS_REGISTER_RSP: return r->rsp;
    case ZYDIS_REGISTER_RBP: return r->rbp;
    case ZYDIS_REGISTER_RSI: return r->rsi;
    case ZYDIS_REGISTER_RDI: return r->rdi;
    case ZYDIS_REGISTER_R8: return r->r8;
    case ZYDIS_REGISTER_R9: return r->r9;
    case ZYDIS_REGISTER_R10: return r->r10;
    case ZYDIS_REGISTER_R11: return r->r11;
    case ZYDIS_REGISTER_R12: return r->r12;
    case ZYDIS_REGISTER_R13: return r->r13;
    case ZYDIS_REGISTER_R14: return r->r14;
    case ZYDIS_REGISTER_R15: return r->r15;
    case ZYDIS_REGISTER_RIP: return r->rip;
    default: return 0;
    }
}

struct seen {
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};
struct recording {
    struct map map;
    struct {
        VEC(struct place);
    } places;
    struct {
        VEC(struct seen);
    } seen;
    struct {
        VEC(struct step);
    } steps;
};

static uint32_t place_of(struct recording *recording, pid_t pid, uint64_t at)
{
    uint32_t before = recording->map.n, index = map_add(&recording->map, &at);
    if (index < before)
        return index;
    struct place *place = vec_push(&recording->places);
    struct seen *seen = vec_push(&recording->seen);
    ZydisDecoder decoder;
    place->at = at;
    struct iovec to = {place->bytes, INSN_BYTES - 1};
    struct iovec from = {(void *)(uintptr_t)at, INSN_BYTES - 1};
    ssize_t n = process_vm_readv(pid, &to, 1, &from, 1, 0);
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (n > 0 && ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, place->bytes, (size_t)n,
                                                     &seen->instruction, seen->operands)))
        place->n = seen->instruction.length;
    return index;
}

static uint64_t address_of(const struct seen *seen, const struct user_regs_struct *regs)
{
    for (uint8_t i = 0; i < seen->instruction.operand_count; i++) {
        const ZydisDecodedOperand *operand = &seen->operands[i];
        if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY)
            continue;
        uint64_t address = (uint64_t)operand->mem.disp.value +
                           register_value(regs, operand->mem.base) +
                           register_value(regs, operand->mem.index) * operand->mem.scale;
        if (operand->mem.base == ZYDIS_REGISTER_RIP)
            address += seen->instruction.length;
        if (operand->mem.base == ZYDIS_REGISTER_RSP &&
            seen->instruction.meta.category == ZYDIS_CATEGORY_PUSH)
            address -= 8;
        return address;
    }
    return 0;
}

static bool is_rep(const struct seen *seen)
{
    return seen->instruction.attributes &
           (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
}

static void steps_take(struct recording *recording, pid_t pid, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct user_regs_struct regs;
        int status;
        if (ptrace(PTRACE_GETREGS, pid, NULL, &regs) != 0)
            die("registers");
        uint32_t place = place_of(recording, pid, regs.rip);
        /* A step is one turn of a rep instruction; all of them together are one instruction. */
        size_t n_steps = recording->steps.n;
        if (!n_steps || recording->steps.at[n_steps - 1].place != place || !is_rep(&recording->seen.at[place]))
            *vec_push(&recording->steps) =
                (struct step){place, 0, address_of(&recording->seen.at[place], &regs)};
        if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) != 0 || waitpid(pid, &status, 0) != pid)
            die("step");
        if (!WIFSTOPPED(status))
            return;
    }
}

static int record(size_t n, const char *path, long ms, char **command)
{
    struct recording recording = {0};
    map_init(&recording.map, sizeof(uint64_t));
    pid_t pid = fork();
    if (pid == 0) {
        execvp(command[0], command);
        die(command[0]);
    }
    struct timespec wait = {ms / 1000, ms % 1000 * 1000000};
    int status;
    nanosleep(&wait, NULL);
    if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) != 0 || ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) != 0 ||
        waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
        die("trace");
    steps_take(&recording, pid, n);
    kill(pid, SIGKILL);
    FILE *to = fopen(path, "we");
    uint64_t head[2] = {recording.places.n, recording.steps.n};
    if (!to || fwrite(head, sizeof head, 1, to) != 1 ||
        fwrite(recording.places.at, sizeof(struct place), recording.places.n, to) !=
            recording.places.n ||
        fwrite(recording.steps.at, sizeof(struct step), recording.steps.n, to) !=
            recording.steps.n ||
        fclose(to) != 0)
        die(path);
    return 0;
}

/* ---- modelling */

struct trace {
    uint64_t n_places, n_steps;
    struct core_insn *insns;
    struct place *places;
    struct step *steps;
    struct core_fact *facts;
};

static void trace_read(struct trace *trace, const char *path, const struct model *model)
{
    FILE *from = fopen(path, "re");
    if (!from || fread(&trace->n_places, 16, 1, from) != 1)
        die(path);
    trace->places = mem_alloc(trace->n_places * sizeof *trace->places);
    trace->insns = mem_alloc(trace->n_places * sizeof *trace->insns);
    trace->steps = mem_alloc(trace->n_steps * sizeof *trace->steps);
    trace->facts = mem_alloc(trace->n_steps * sizeof *trace->facts);
    if (fread(trace->places, sizeof(struct place), trace->n_places, from) != trace->n_places ||
        fread(trace->steps, sizeof(struct step), trace->n_steps, from) != trace->n_steps)
        die(path);
    fclose(from);
    for (uint64_t i = 0; i < trace->n_places; i++)
        core_insn_make(model, trace->places[i].bytes, trace->places[i].n, &trace->insns[i]);
    for (uint64_t i = 0; i + 1 < trace->n_steps; i++) {
        const struct place *here = &trace->places[trace->steps[i].place];
        uint64_t next = trace->places[trace->steps[i + 1].place].at;
        trace->facts[i] = (struct core_fact){.at = {here->at},
                                             .next = {next},
                                             .address = {trace->steps[i].address},
                                             .taken = next != here->at + here->n};
    }
    trace->n_steps--;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct tally {
    uint64_t cycles, missed, wrong, until;
};

static void trace_run(const struct trace *trace, struct core *core, struct tally *tally)
{
    struct core_times times = {0};
    *tally = (struct tally){.until = tally->until};
    for (uint64_t i = 0; i < trace->n_steps; i++) {
        core_step(core, &trace->insns[trace->steps[i].place], &trace->facts[i], &times);
        tally->missed += times.events & CORE_L1D_MISS ? 1 : 0;
        tally->wrong += times.events & CORE_MISPREDICT ? 1 : 0;
    }
    tally->cycles = times.retire - tally->until;
    tally->until = times.retire;
}

int main(int argc, char **argv)
{
    struct model model;
    struct err err;
    struct trace trace;
    if (argc > 5 && strcmp(argv[1], "-r") == 0)
        return record(strtoul(argv[2], NULL, 10), argv[3], strtol(argv[4], NULL, 10), argv + 5);
    if (argc < 2)
        return 129;
    if (!model_open(argc > 2 ? argv[2] : "zen3", &model, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    trace_read(&trace, argv[1], &model);
    double best = 1e9;
    struct tally tally = {0};
    for (int run = 0; run < RUNS; run++) {
        struct core *core = core_make(&model);
        tally.until = 0;
        for (int pass = 0; pass < 2; pass++) {
            double start = seconds();
            trace_run(&trace, core, &tally);
            double took = seconds() - start;
            best = took < best ? took : best;
        }
        core_free(core);
    }
    double n = (double)trace.n_steps;
    printf("%.2f M instructions/s of %.0f; the second time %.2f instructions a cycle, %.2f L1 misses and %.2f wrong "
           "guesses in 1000\n",
           n / best * 1e-6, n, n / (double)tally.cycles, (double)tally.missed * 1e3 / n,
           (double)tally.wrong * 1e3 / n);
    return 0;
}
