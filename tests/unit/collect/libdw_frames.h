/* The frames of a stopped thread as elfutils' unwinder sees them. */
#pragma once

#include "base/vec.h"
#include "collect/stacks/stack.h"

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

struct oracle_frame {
    uint64_t pc;
    bool interrupted;
};
struct frame_list {
    VEC(struct oracle_frame);
};

/* NULL if the process cannot be looked at; good until its maps change. */
static inline Dwfl *libdw_attach(pid_t pid)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo};
    Dwfl *dwfl = dwfl_begin(&callbacks);
    if (dwfl && dwfl_linux_proc_report(dwfl, pid) == 0 && dwfl_report_end(dwfl, NULL, NULL) == 0 &&
        dwfl_linux_proc_attach(dwfl, pid, true) == 0)
        return dwfl;
    dwfl_end(dwfl);
    return NULL;
}

static inline int libdw_add(Dwfl_Frame *frame, void *closure)
{
    struct frame_list *list = closure;
    struct oracle_frame *got = vec_push(list);
    return dwfl_frame_pc(frame, &got->pc, &got->interrupted) ? DWARF_CB_OK : DWARF_CB_ABORT;
}

static inline void libdw_list(struct frame_list *list, Dwfl *dwfl, pid_t tid)
{
    list->n = 0;
    dwfl_getthread_frames(dwfl, tid, libdw_add, list);
}

/* How many frames both begin with. */
static inline size_t frames_equal(const struct stack *stack, const struct frame_list *list)
{
    size_t i = 0;
    while (i < stack->n && i < list->n && stack->at[i].pc.v == list->at[i].pc &&
           (stack->at[i].how != STACK_CALLED) == list->at[i].interrupted)
        i++;
    return i;
}
