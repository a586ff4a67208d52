/* Everything that gait can fail to record, by name. A loss is a fact, not an error: it is counted
 * where it happens, sent in the channel, stored in the profile and shown at the end of every
 * report. Append only: the order is part of the file format. at_writable and signal_native occur in
 * older recordings only. */
#pragma once

#define LOSSES(LOSS)                                                                               \
    LOSS(dropped, "walk dropped: the ring buffer to the tool was full")                            \
    LOSS(in_agent, "interrupt inside gait's own code: not walked")                                 \
    LOSS(in_loader, "interrupt while the loader changed the modules: not walked")                  \
    LOSS(kernel, "interrupt in the kernel: not user time, not walked")                             \
    LOSS(unwalked, "walk ended before its window began")                                           \
    LOSS(cut, "window cut short")                                                                  \
    LOSS(untimed, "window not timed: it uses the rate of similar windows")                         \
    LOSS(at_syscall, "walk ended at a system call")                                                \
    LOSS(at_anonymous, "walk ended at code that is unreadable or was just changed")                \
    LOSS(at_writable, "walk ended at writable code")                                               \
    LOSS(at_undecoded, "walk ended at bytes that are no known instruction")                        \
    LOSS(at_gs, "walk ended at a use of %gs")                                                      \
    LOSS(at_trap, "walk ended at int3, ud2, hlt or another trap")                                  \
    LOSS(at_far, "walk ended at a far branch or segment load")                                     \
    LOSS(at_transaction, "walk ended at a memory transaction")                                     \
    LOSS(at_fsbase, "walk ended at a write of the thread pointer")                                 \
    LOSS(at_shadow_stack,                                                                          \
         "walk refused: shadow stack instructions, or a process with a shadow stack")              \
    LOSS(at_rseq, "walk ended at a restartable sequence")                                          \
    LOSS(at_reach, "walk ended at an operand out of reach of the code cache")                      \
    LOSS(at_fault, "walk ended at a fault of the program")                                         \
    LOSS(cache_full, "walk ended because the code cache was full")                                 \
    LOSS(flushed, "code cache flushed: it was full, or modules changed")                           \
    LOSS(thread_native, "thread not recorded: too many threads, or it blocks the sampling signal") \
    LOSS(child_native, "forked child not recorded until it called exec")                           \
    LOSS(exact_left, "exact run left the code cache: the rest ran natively and is not counted")    \
    LOSS(signal_native, "signal handler not counted: it ran natively")                             \
    LOSS(trigger_lost, "sampling stopped: the program closed or replaced the trigger")             \
    LOSS(no_channel,                                                                               \
         "process not recorded: too many processes at once, or no memory for the agent")           \
    LOSS(no_agent, "program not recorded: it did not load the agent (static, setuid, LD_PRELOAD "  \
                   "cleared or of its own, not x86-64)")                                           \
    LOSS(unmapped, "observation outside every known module")                                       \
    LOSS(garbled, "damaged data from the program: left out")                                       \
    LOSS(killed, "exact run was killed or outlived the recording: its last counts are incomplete") \
    LOSS(sample_lost, "kernel sample lost: its ring buffer was full")                              \
    LOSS(stack_truncated, "stack incomplete: longer than the copied part")                         \
    LOSS(stack_no_rule, "stack incomplete: code without unwind information")                       \
    LOSS(stack_astray, "stack incomplete: wrong unwind information")                               \
    LOSS(throttled, "kernel throttled sampling: it used too much CPU time")                        \
    LOSS(unfollowed, "thread not followed: too many open files, or it had already ended")          \
    LOSS(stack_gone, "stack missing: the process was ending or calling exec")                      \
    LOSS(unsampled, "thread without a sample, and without one of a thread of the same name")       \
    LOSS(unsampled_us, "microseconds of CPU time of threads without a sample")                     \
    LOSS(jit_reused,                                                                               \
         "sample in reused JIT code: shown under the last name, may belong to an earlier one")     \
    LOSS(busy, "walk ended or not started: another thread was changing the code cache")            \
    LOSS(counting, "trail not walked: another thread was counting")                                \
    LOSS(outside, "interrupt outside the selected code (--only): not walked, like seven of eight") \
    LOSS(astray, "superblock of a trace that cannot follow the one before it: an error in gait")   \
    LOSS(plan_late, "code ran without its plan: the tool had ended")                               \
    LOSS(traced, "process not recorded: a debugger traces it and would see the samples")           \
    LOSS(path_lost, "path not counted: the table of paths was full")                               \
    LOSS(path_wrong, "path not counted: no path has its number")                                   \
    LOSS(interrupted, "measurement left out or counted alone: interrupted, or waited")             \
    LOSS(context_lost, "call counted without its context: too many calling contexts")              \
    LOSS(uncounted, "function entered that BOLT did not count inside")                             \
    LOSS(conflicts_crowded, "conflict not counted: too many pairs of places")                      \
    LOSS(conflicts_unread, "search for conflicts ended early: code without a file")                \
    LOSS(module_silent, "window without an answer of the module: it had failed")                   \
    LOSS(module_full, "data for the module, or from it, beyond the room of one window")            \
    LOSS(path_begun, "path not counted: its function had started before the recording")            \
    LOSS(unread, "byte of a trace not read: a signal stopped the reading")                         \
    LOSS(path_large, "part of the recording without paths: too much code")                         \
    LOSS(stepped,                                                                                  \
         "instruction without a copy, executed in a single step: counted, nothing is missing")     \
    LOSS(stepped_uncounted, "instruction without a copy, executed in a single step: not counted")  \
    LOSS(no_room, "thread no longer sampled: its alternate signal stack is too small")             \
    LOSS(fact_lost, "executed file not listed although it is missing or changed now: too many")    \
    LOSS(clock_forbidden, "sampling stopped: the program disabled the time stamp counter")         \
    LOSS(                                                                                          \
        aborted,                                                                                   \
        "memory transaction aborted at its start, as hardware may: the program took its fallback") \
    LOSS(patched, "code of a file made writable: disassembly shows the file, not what ran")        \
    LOSS(cut_off, "thread ran or waited when its process ended: its last branch may be missing")   \
    LOSS(python_unread, "Python frames incomplete: interrupted while they changed")                \
    LOSS(python_deep, "Python frames incomplete: more than are kept")                              \
    LOSS(young, "sample without a walk: its process, not the first, has run for less than 1 s")    \
    LOSS(branch_broken, "straight run between two branch records left out: no code goes that way") \
    LOSS(branch_astray, "branch record left out: its instruction cannot lead there")               \
    LOSS(branch_wrong_path, "branch record left out: on a wrong path of the processor")            \
    LOSS(branch_chosen, "sample with records of chosen branches: perf record -b keeps all")        \
    LOSS(abandoned,                                                                                \
         "place reached, but not executed: a signal came, and its handler did not return")         \
    LOSS(waste_crowded, "waste not counted: too many pairs of places")                             \
    LOSS(waste_unread, "search for waste began anew: code without a file")                         \
    LOSS(page_unknown,                                                                             \
         "access without its physical page: not in memory when gait looked, or the process ended") \
    LOSS(event_unread,                                                                             \
         "event not counted along paths: on no counter of the processor when it was to be read")

enum loss {
#define LOSS_ENUM(name, text) LOSS_##name,
    LOSSES(LOSS_ENUM)
#undef LOSS_ENUM
        LOSS_N
};
