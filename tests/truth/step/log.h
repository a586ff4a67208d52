/* What passes between a program that is walked (walker.c) and the driver that steps a native twin
 * of it along (driver.c): a file that both map.
 *
 * The walker appends an entry whenever its program stands at an instruction boundary where the two
 * are to be compared. Entries that change the world, or whose memory is to be compared, are waited
 * for: until the driver has taken them (tail == head) the walker does nothing. */
#pragma once

#include <stdint.h>

/* LOG_XSAVE: tiles of AMX are 8 KiB, and end at 11,008. */
enum { LOG_ENTRIES = 1024, LOG_XSAVE = 12288, LOG_OWN = 16 };

enum entry_kind {
    ENTRY_START,   /* a twin has just been forked; this is the state it shall have. Waited for */
    ENTRY_STATE,   /* so many instructions later */
    ENTRY_SYSCALL, /* so many later, in front of a system call; its memory is compared. Waited for
                    */
    ENTRY_RESULT,  /* behind it: the twin gets what the kernel gave. Waited for */
    ENTRY_MEMORY,  /* nothing happened since: memory is compared. Waited for */
    ENTRY_END,     /* the same, and the twin is no longer needed. Waited for */
    ENTRY_GONE,    /* the program is about to end. Waited for */
    ENTRY_REFUSED, /* the walk cannot go on at pc: enum loss in `instructions`. Waited for */
};

struct entry {
    uint32_t kind;         /* enum entry_kind */
    uint32_t instructions; /* since the entry before; LOG_UNTIL_SYSCALL: as many as it takes */
    uint64_t gpr[16], pc, flags;
    uint64_t number, argument[6]; /* ENTRY_RESULT: of the system call, as it was called */
    _Alignas(64) uint8_t xsave[LOG_XSAVE];
};
#define LOG_UNTIL_SYSCALL UINT32_MAX

enum disturbance {
    DISTURB_NOTHING,
    DISTURB_REGISTER,
    DISTURB_FLAGS,
    DISTURB_VECTOR,
    DISTURB_MEMORY
};

struct own_range {
    uint64_t start, end;
};

struct log {
    /* Asked for by the driver. */
    uint32_t flavour; /* enum flavour */
    uint32_t single;  /* superblocks of one instruction */
    uint32_t events;  /* EVENTS_: what record code records besides exits */
    uint32_t piece;   /* record: exits between two comparisons; plain: instructions */
    uint32_t windows; /* how many twins */
    uint64_t skip;    /* instructions before each window, about */
    uint64_t window;  /* instructions compared in each */
    uint64_t memory;  /* instructions between comparisons of memory */
    uint32_t
        disturb; /* enum disturbance: made once, in the middle of the first window, to be noticed */

    /* Written by the walker. */
    int32_t twin;
    uint32_t n_own; /* memory that is the walker's, not the program's */
    struct own_range own[LOG_OWN];
    struct own_range vdso;
    _Alignas(64) uint32_t head;
    _Alignas(64) uint32_t tail; /* written by the driver */
    struct entry entries[LOG_ENTRIES];
};
