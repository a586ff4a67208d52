/* Everything that gait can fail to record, by name. A loss is a fact, not an error: it is counted
 * where it happens, sent in the channel, stored in the profile and shown at the end of every
 * report. Append only: the order is part of the file format. at_writable and signal_native occur in
 * older recordings only. */
#pragma once

#define LOSSES(LOSS)                                                                               \
    LOSS(dropped, "walk dropped: the ring to the tool was full")                                   \
    LOSS(in_agent, "interrupt landed inside the agent or the code cache")                          \
    LOSS(in_loader, "interrupt landed while the loader was changing the modules")                  \
    LOSS(kernel, "interrupt landed in the kernel: not user time, not walked")                      \
    LOSS(unwalked, "walk ended before its window began")                                           \
    LOSS(cut, "window cut short")                                                                  \
    LOSS(untimed, "trail without a usable time: its window got the rate of others")                \
    LOSS(at_syscall, "walk ended at a system call")                                                \
    LOSS(at_anonymous, "walk ended at code that is not readable, or just changed")                 \
    LOSS(at_writable, "walk ended at writable code")                                               \
    LOSS(at_undecoded, "walk ended at bytes that do not decode")                                   \
    LOSS(at_gs, "walk ended at a use of %gs")                                                      \
    LOSS(at_trap, "walk ended at int3, ud2, hlt or another trap")                                  \
    LOSS(at_far, "walk ended at a far branch or segment load")                                     \
    LOSS(at_transaction, "walk ended at a memory transaction")                                     \
    LOSS(at_fsbase, "walk ended at a write of the thread pointer")                                 \
    LOSS(at_shadow_stack, "shadow stack instructions, or a process with one: not walked")          \
    LOSS(at_rseq, "walk ended at a restartable sequence")                                          \
    LOSS(at_reach, "walk ended at an operand out of reach of the code cache")                      \
    LOSS(at_fault, "walk ended at a fault of the program's own")                                   \
    LOSS(cache_full, "walk ended because the code cache was full")                                 \
    LOSS(flushed, "code cache flushed: modules changed or it was full")                            \
    LOSS(thread_native,                                                                            \
         "thread ran natively: too many of them, or it blocks the signal of samples")              \
    LOSS(child_native, "forked child ran natively until it called exec")                           \
    LOSS(exact_left, "exact run left the code cache; the rest ran natively and is not counted")    \
    LOSS(signal_native, "signal handler installed: whenever it ran, it ran natively, uncounted")   \
    LOSS(trigger_lost, "trigger stopped: the program closed or replaced it")                       \
    LOSS(no_channel, "process was not recorded: no free channel, or no memory for the agent")      \
    LOSS(no_agent,                                                                                 \
         "program started without the agent (static, setuid, no environment, not x86-64)")         \
    LOSS(unmapped, "observation outside every known module")                                       \
    LOSS(garbled, "bytes from the program's side that make no sense: left out")                    \
    LOSS(killed, "exact run was killed or outlived the recording: its last counts are not whole")  \
    LOSS(sample_lost, "record of the kernel lost: its ring buffer was full")                       \
    LOSS(stack_truncated, "stack not followed to its end: it went on beyond what was copied")      \
    LOSS(stack_no_rule, "stack not followed to its end: code without unwind information")          \
    LOSS(stack_astray, "stack not followed to its end: unwind information led nowhere")            \
    LOSS(throttled, "kernel held sampling back: it took too much of the CPU")                      \
    LOSS(unfollowed, "thread not followed: too many open files, or it ended meanwhile")            \
    LOSS(stack_gone, "stack not there: the process was ending or becoming another program")        \
    LOSS(unsampled, "thread without a sample, and none of its name had one: in no stack")          \
    LOSS(unsampled_us, "microseconds of CPU time of such threads")                                 \
    LOSS(jit_reused, "place in code made at run time anew: has the last name, may be of another")  \
    LOSS(busy, "walk ended, or was not begun: another thread was changing the code cache")         \
    LOSS(outside,                                                                                  \
         "interrupt outside of what is kept (--only): not walked, as seven of eight are not")      \
    LOSS(astray, "superblock of a trace that cannot follow the one before it: gait is wrong")      \
    LOSS(plan_late, "code was walked without its plan: the tool was gone")                         \
    LOSS(traced, "process ran natively: a debugger holds it, which would see samples")             \
    LOSS(path_lost, "path not counted: the table of paths was full")                               \
    LOSS(path_wrong, "path not counted: it came to a number that no path has")                     \
    LOSS(interrupted,                                                                              \
         "measured, but too long to stand for others: something else ran, or was waited for")      \
    LOSS(context_lost, "call counted among others: there were too many calling contexts")          \
    LOSS(uncounted, "function entered whose inside BOLT did not count: it is missing but for "     \
                    "that")                                                                        \
    LOSS(conflicts_crowded, "conflict not counted: there were too many pairs of places")           \
    LOSS(conflicts_unread, "looking for conflicts ended early: code without a file")               \
    LOSS(module_silent, "window without an answer of the module: it had failed")                   \
    LOSS(module_full, "captured for the module, or made by it, beyond what one window has room "   \
                      "for")                                                                       \
    LOSS(path_begun, "path not counted: its function was under way before paths were followed")    \
    LOSS(unread, "byte of a trace not read: a signal ended that after the program had ended")      \
    LOSS(path_large,                                                                               \
         "module not read for its paths: it has more code than the budget allows for; "            \
         "record for longer, or with more --overhead")                                             \
    LOSS(stepped,                                                                                  \
         "instruction without a copy, executed by a single step: counted, nothing is missing")     \
    LOSS(stepped_uncounted,                                                                        \
         "instruction that has no copy: executed alone by a single step, not counted")             \
    LOSS(no_room,                                                                                  \
         "thread not sampled any more: its alternate signal stack has no room for a sample")       \
    LOSS(fact_lost, "file that ran and is gone or another now not listed: there were too many")    \
    LOSS(clock_forbidden, "no more samples: the program gave up the time stamp counter")           \
    LOSS(aborted, "place that begins a memory transaction: aborted at once, as hardware may; the " \
                  "program took its other way")

enum loss {
#define LOSS_ENUM(name, text) LOSS_##name,
    LOSSES(LOSS_ENUM)
#undef LOSS_ENUM
        LOSS_N
};
