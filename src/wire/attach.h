/* Commands of the tool to an agent that it injected into a running process, and the answers.
 *
 * The block lies in the process, after the agent's image. The tool writes it, starts a thread of
 * the process at the agent's entry with its address, waits until that thread is gone, and reads it
 * back. One command at a time. */
#pragma once

#include <stdint.h>

/* Marks a trigger's signals among the program's; the low 16 bits are the thread's slot. */
#define TRIGGER_MARK UINT64_C(0x676169746761)

/* Samples use SIGTRAP where interposers protect it. In an injected process the program may change
 * its action at any time, so they use SIGURG there: by default it is ignored, and programs that
 * handle it must expect spurious ones. */
enum { TRIGGER_SIGNAL = 5, TRIGGER_SIGNAL_UNTOLD = 23 };

enum attach_command {
    ATTACH_START = 1, /* take the channel, calibrate */
    ATTACH_THREADS,   /* take the signals; record new threads of this list, forget ended ones */
    ATTACH_STOP,      /* no more samples: when this is done, triggers are closed and no walk runs */
    ATTACH_RETURN,    /* restore the program's signal actions */
    ATTACH_LEAVE,     /* unmap everything but the image itself */
    ATTACH_EXACT,     /* by the first thread, before its first instruction: begin an exact run */
};

enum attach_answer {
    ATTACH_DEAF, /* the command was not carried out */
    ATTACH_DONE,
    ATTACH_NO_CHANNEL, /* not sent, not mapped, another version, or none free: see error */
    ATTACH_BUSY,       /* a thread does not leave the agent */
};

enum { ATTACH_THREADS_MAX = 1024 };

struct attach {
    uint32_t command, answer;
    int32_t error; /* errno, if the answer has one */
    int32_t pid;   /* the pid in the tool's namespace */
    int32_t
        sockets[2];  /* ATTACH_START: the memfd is received from the second; both are then closed */
    uint64_t loader; /* its struct r_debug, or 0 */
    uint64_t text_start, text_end; /* of the image's code */
    uint64_t hwcap2;               /* AT_HWCAP2 */
    uint64_t pc, sp;               /* ATTACH_EXACT: where the program begins */
    uint32_t n_threads;
    int32_t threads[ATTACH_THREADS_MAX]; /* ids in the process's namespace, ascending */
};
