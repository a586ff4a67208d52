/* What the tool asks of an agent that it has put into a running process, and what the agent
 * answers.
 *
 * The block lies in the process, behind the agent's image. The tool writes it, starts a thread of
 * the process at the agent's entry with its address, waits until that thread is gone, and reads it
 * back. One command at a time. */
#pragma once

#include <stdint.h>

/* Marks signals of triggers among the program's; the thread's slot follows in the low 16 bits. */
#define TRIGGER_MARK UINT64_C(0x676169746761)

/* Samples come by SIGTRAP where interposers keep it ours. Elsewhere the program may set its action
 * any time, and so it is SIGURG: nobody dies of one that is not expected, and whoever handles it
 * has to expect any. */
enum { TRIGGER_SIGNAL = 5, TRIGGER_SIGNAL_UNTOLD = 23 };

enum attach_command {
    ATTACH_START = 1, /* take the channel, calibrate */
    ATTACH_THREADS,   /* own the signals; the threads are these now: record new ones, forget those
                         that ended */
    ATTACH_STOP,   /* no more samples: triggers are gone when this is done, no walk is under way */
    ATTACH_RETURN, /* signals have the program's own actions again */
    ATTACH_LEAVE,  /* unmap everything but the image itself */
    ATTACH_EXACT,  /* by the program's first thread, before its first instruction: an exact run
                      begins */
};

enum attach_answer {
    ATTACH_DEAF, /* the command was not carried out */
    ATTACH_DONE,
    ATTACH_NO_CHANNEL, /* not sent, not mapped, of another version or none free: see error */
    ATTACH_BUSY,       /* a thread does not come out of the agent */
};

enum { ATTACH_THREADS_MAX = 1024 };

struct attach {
    uint32_t command, answer;
    int32_t error; /* errno, where the answer has one */
    int32_t pid;   /* as the tool knows the process, whose numbers may be of another namespace */
    int32_t sockets[2]; /* ATTACH_START: the memfd comes through the second; both are closed */
    uint64_t loader;    /* its struct r_debug, or 0 */
    uint64_t text_start, text_end; /* of the image's code */
    uint64_t hwcap2;               /* AT_HWCAP2 */
    uint64_t pc, sp;               /* ATTACH_EXACT: where the program begins */
    uint32_t n_threads;
    int32_t threads[ATTACH_THREADS_MAX]; /* as the process itself numbers them, ascending */
};
