#include "agent/base/frame.h"

#include "agent/base/process.h"

void frame_load(struct context *context, const struct kernel_ucontext *frame)
{
    uint64_t *gpr = context->gpr;
    gpr[RAX] = frame->rax, gpr[RCX] = frame->rcx, gpr[RDX] = frame->rdx, gpr[RBX] = frame->rbx;
    gpr[RSP] = frame->rsp, gpr[RBP] = frame->rbp, gpr[RSI] = frame->rsi, gpr[RDI] = frame->rdi;
    gpr[R8] = frame->r8, gpr[R9] = frame->r9, gpr[R10] = frame->r10, gpr[R11] = frame->r11;
    gpr[R12] = frame->r12, gpr[R13] = frame->r13, gpr[R14] = frame->r14, gpr[R15] = frame->r15;
    context->pc = frame->rip;
    context->flags = frame->rflags;
}

void frame_store(const struct context *context, struct kernel_ucontext *frame)
{
    const uint64_t *gpr = context->gpr;
    frame->rax = gpr[RAX], frame->rcx = gpr[RCX], frame->rdx = gpr[RDX], frame->rbx = gpr[RBX];
    frame->rsp = gpr[RSP], frame->rbp = gpr[RBP], frame->rsi = gpr[RSI], frame->rdi = gpr[RDI];
    frame->r8 = gpr[R8], frame->r9 = gpr[R9], frame->r10 = gpr[R10], frame->r11 = gpr[R11];
    frame->r12 = gpr[R12], frame->r13 = gpr[R13], frame->r14 = gpr[R14], frame->r15 = gpr[R15];
    frame->rip = context->pc;
    frame->rflags = context->flags;
}

/* The vector state of a signal frame says itself what it holds. */
static uint64_t vector_features(const uint8_t *state)
{
    uint64_t features;
    __builtin_memcpy(&features, state + FPSTATE_FEATURES_AT, 8);
    return features;
}

void frame_vectors_load(const uint8_t *state)
{
    uint64_t features = vector_features(state);
    __asm__ volatile("xrstor64 (%0)"
                     :
                     : "r"(state), "a"((uint32_t)features), "d"((uint32_t)(features >> 32))
                     : "memory");
}

void frame_vectors_save(uint8_t *state)
{
    uint64_t features = vector_features(state);
    __asm__ volatile("xsave64 (%0)"
                     :
                     : "r"(state), "a"((uint32_t)features), "d"((uint32_t)(features >> 32))
                     : "memory");
}
