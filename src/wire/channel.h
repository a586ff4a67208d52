/* The shared memory between profiled processes and the tool.
 *
 * One memfd: a directory page, then CHANNEL_N channels. A process claims a free channel by
 * compare-and-swap and is its only writer from then on. The tool only reads, except for the fields
 * marked "written by the tool". Everything is plain integers, so either side may die at any moment
 * and the other can still read what was published.
 *
 * To publish, the writer fills bytes and then stores, with release order, the length or head that
 * covers them.
 *
 * Sections are sparse: a page that is never touched costs nothing. */
#pragma once

#include "wire/losses.h"
#include "wire/payload.h"
#include "wire/plan.h"
#include "wire/python.h"

#include <stdint.h>

enum {
    CHANNEL_VERSION = 19,
    CHANNEL_N = 64,
    CHANNEL_THREADS = 1 << 10, /* recorded at one time, per process */
    CHANNEL_HEADER_BYTES = 1 << 16,
    CHANNEL_THREADS_BYTES = 1 << 16,
    CHANNEL_MAPS_BYTES = 1 << 20,
    CHANNEL_UNITS_BYTES = 48 << 20,
    CHANNEL_RING_BYTES = 4 << 20, /* a power of two */
    CHANNEL_PLANS_BYTES = 1 << 20,
    CHANNEL_COUNTERS_BYTES = 32 << 20,

    CHANNEL_THREADS_AT = CHANNEL_HEADER_BYTES,
    CHANNEL_MAPS_AT = CHANNEL_THREADS_AT + CHANNEL_THREADS_BYTES,
    CHANNEL_UNITS_AT = CHANNEL_MAPS_AT + CHANNEL_MAPS_BYTES,
    CHANNEL_RING_AT = CHANNEL_UNITS_AT + CHANNEL_UNITS_BYTES,
    CHANNEL_PLANS_AT = CHANNEL_RING_AT + CHANNEL_RING_BYTES,
    CHANNEL_COUNTERS_AT = CHANNEL_PLANS_AT + CHANNEL_PLANS_BYTES, /* the channel's own bank */

    /* A bank, in bytes from its start. Only plans need what follows the counters. */
    PATHS_AT = CHANNEL_COUNTERS_BYTES,
    PATHS_BYTES = 40 << 20,
    NODES_AT = PATHS_AT + PATHS_BYTES,
    NODES_BYTES = 952 << 20,
    CHANNEL_BANK_BYTES = NODES_AT + NODES_BYTES,

    CHANNEL_BYTES = CHANNEL_COUNTERS_AT + CHANNEL_BANK_BYTES,

    DIRECTORY_BYTES = 1 << 16,
};

/* After all channels: one bank for each thread slot of each channel.
 * Exact counts: the counters of the thread in that slot. When the thread ends, they are added to
 * the channel's own bank, and this one is cleared. After all banks: the library of plans
 * (wire/plan.h). */
#define CHANNEL_BANKS_AT (DIRECTORY_BYTES + (uint64_t)CHANNEL_N * CHANNEL_BYTES)
#define PLAN_LIBRARY_AT                                                                            \
    (CHANNEL_BANKS_AT + (uint64_t)CHANNEL_N * CHANNEL_THREADS * CHANNEL_BANK_BYTES)
#define CHANNEL_FILE_BYTES (PLAN_LIBRARY_AT + PLAN_LIBRARY_BYTES)

static inline uint64_t channel_bank_at(uint32_t channel, uint32_t slot)
{
    return CHANNEL_BANKS_AT +
           ((uint64_t)channel * CHANNEL_THREADS + slot) * (uint64_t)CHANNEL_BANK_BYTES;
}
#define DIRECTORY_MAGIC 0x7261682d74696167u /* "gait-har" */

/* The name of the memfd in lists of mappings. */
#define CHANNEL_NAME "gait"
/* Environment variable with the path that the agent opens. */
#define CHANNEL_ENV "GAIT_CHANNEL"

/* RECORD_EXACT_NONE: the whole run on plain copies, nothing recorded: the cost of walking alone. */
enum record_mode { RECORD_SAMPLED, RECORD_EXACT_COUNTS, RECORD_EXACT_TRACE, RECORD_EXACT_NONE };
enum {
    CONTEXTS_COUNTS = 1,
    CONTEXTS_TICKS = 2,
    CONTEXTS_PATHS = 4,
    CONTEXTS_MERGED = 8,
    CONTEXTS_TICKS_SOME = 16
};
enum record_trigger { TRIGGER_AUTO, TRIGGER_PERF, TRIGGER_CPUTIME, TRIGGERS };

/* The options of the recording. The tool writes them before the program starts. */
enum { RECORD_COMPRESS_BYTES = 96 };

struct record_options {
    uint32_t mode;          /* enum record_mode */
    uint32_t trigger;       /* enum record_trigger */
    uint32_t overhead_ppm;  /* budget: 10000 is 1 % */
    uint32_t fixed_hz;      /* -F: a fixed rate; 0: the budget sets it */
    uint32_t window, trail; /* instructions; 0: the agent chooses */
    uint64_t seed;          /* of the agent's random numbers */
    uint64_t delay_ns;      /* CPU time before the first sample */
    uint32_t single;        /* superblocks of one instruction: for tests */
    uint32_t events;        /* EVENTS_: what windows record */
    uint32_t tally;         /* samples: trails count what they execute */
    uint32_t copies_q8;     /* what copies cost here: `scale_q8` of wire/plain.h */
    /* Exact counts. */
    uint32_t plan_counters; /* counters 1 to this belong to plans (wire/plan.h); 0: no plans */
    uint32_t covered;       /* code that is PLAN_COVERED has no other counters */
    uint32_t contexts;      /* CONTEXTS_: calling contexts of functions that are PLAN_FUNCTION */
    uint32_t contexts_max;  /* nodes per thread; 0: as many as fit */
    /* What is counted along paths in place of ticks: enum event_clock_kind; of a perf event its
     * numbers. */
    uint32_t event_clock, event_type;
    uint64_t event_config, event_config1, event_config2;
    /* Samples: the design of the compressor (compress/design.h) that the process passes its windows
     * through; "": none. */
    char compress[RECORD_COMPRESS_BYTES];
};

/* What a process measures of the machine before its first sample. */
struct wire_calibration {
    uint64_t tsc_hz; /* 0: not known yet */
    /* Ticks of one interrupt without a walk, by enum record_trigger; `cold`: with caches that the
     * program has used meanwhile, written last; 0: not known yet. */
    struct {
        uint64_t warm, cold;
    } entry[TRIGGERS];
    uint64_t fault_ticks; /* of one page fault */
};

enum {
    DIRECTORY_PROGRAMS = 256,
    DIRECTORY_PIDS_AT = 1 << 15, /* one bit for each, by its lowest bits */
    DIRECTORY_PIDS = (DIRECTORY_BYTES - DIRECTORY_PIDS_AT) * 8,
};

struct directory {
    uint64_t magic;
    uint32_t version, n_channels;
    struct record_options options;
    /* The pid of the process that claimed each channel, set by compare-and-swap from 0. The tool
     * resets it to 0 when the process is gone and the channel is zeroed. */
    int32_t claimed_by[CHANNEL_N];
    uint64_t not_claimed; /* processes that found no free channel */
    /* Exact runs: children that were forked, and how many of them have asked for a channel. If the
     * recording ends before a child has asked, only these two show it. */
    uint64_t forked, joined;
    /* The tool's thread id; 0 when it has stopped reading. If the tool dies, the kernel adds
     * FUTEX_OWNER_DIED (a robust futex): a waiting process then knows that no answer will come. */
    uint32_t tool, reserved;
    /* What the first process has measured serves those that come after it, which may be over at
     * once. */
    struct wire_calibration calibration;
    uint64_t programs[DIRECTORY_PROGRAMS]; /* that were begun, by their files; 0: free */
    int32_t first_pid, reserved_pid;       /* the process that began first; samples only */
    /* Processes that began or were forked, samples only: most are over before their first sample,
     * and have no channel. At DIRECTORY_PIDS_AT are the pids of those that are counted: a process
     * is one, however many programs it executes. */
    uint64_t processes;
    uint64_t losses[LOSS_N]; /* of processes without a channel */
};
_Static_assert(sizeof(struct directory) <= DIRECTORY_PIDS_AT, "the directory has its place");

static inline uint64_t *directory_pids(struct directory *directory)
{
    return (uint64_t *)(void *)((unsigned char *)directory + DIRECTORY_PIDS_AT);
}
#define DIRECTORY_TOOL_DIED (UINT32_C(1) << 30) /* FUTEX_OWNER_DIED */

enum channel_state {
    CHANNEL_EMPTY,
    CHANNEL_LIVE,   /* everything below is valid */
    CHANNEL_DONE,   /* the process has ended its recording */
    CHANNEL_ENDING, /* done as soon as the process is gone: its other threads still count */
};

struct channel {
    uint32_t state; /* enum channel_state */
    int32_t pid;
    uint32_t mode, trigger;   /* as chosen, never TRIGGER_AUTO */
    int32_t perf_errno;       /* why perf_event_open was refused, 0 if it was not */
    uint32_t window, trail;   /* as chosen; the budget may change them */
    uint32_t becoming;        /* 1: in exec, or since then a program without the agent */
    uint64_t tsc_hz;          /* 0 until known */
    uint64_t start_tsc;       /* when recording began */
    uint64_t end_tsc;         /* updated at each walk and at the end */
    uint64_t gone_ns;         /* CPU time of threads that have ended, while they were recorded */
    uint64_t delivery_ticks;  /* calibrated cost of one interrupt without a walk */
    uint64_t interrupt_ticks; /* of all interrupts so far, without the time in the handler */

    uint64_t interrupts;   /* triggers that reached the handler */
    uint64_t walks;        /* complete windows */
    uint64_t instructions; /* recorded in windows */
    uint64_t
        handler_ticks; /* spent in the handler, walks included; exact runs: before the run began */
    uint64_t window_ticks, trail_ticks, translate_ticks;
    uint64_t walked_instructions; /* lead, window and trail: work done for the program */
    uint64_t period_ns;           /* current mean period */
    /* Running means of costs, beyond the program's own work: of a sample without its walk, and what
     * a trail and a recorded window add. */
    uint64_t rest_ns, trail_ns, window_ns;
    uint64_t superblocks, code_bytes;
    uint64_t memory_bytes; /* resident memory of the agent; 0: not known */
    uint64_t losses[LOSS_N];
    /* Compressors: tuples that arrived, tuples left out because their place had converged, and
     * messages sent. */
    uint64_t stream_taken, stream_settled, stream_told;

    uint64_t maps_bytes, units_bytes; /* published lengths of the append-only sections */
    uint64_t counters;                /* published number of counters */

    _Alignas(64) uint64_t ring_head; /* bytes ever written; written by the agent */
    _Alignas(64) uint64_t ring_tail; /* bytes ever read; written by the tool */
    uint64_t tool_cpu_ns;            /* CPU time of the tool; written by the tool */
    uint64_t variety; /* different exits in a recorded window, on average; written by the tool */
    uint64_t plans_bytes; /* published length of the plans section; written by the tool */
    uint64_t plans_for;   /* maps_bytes up to which plans are complete; written by the tool */
    /* Of a Python that the agent could not find itself: avma of _PyRuntime (stored last) and of
     * PyCode_Type, and Py_Version; written by the tool. */
    uint64_t python_runtime, python_code_type, python_version;
    /* Functions whose plans threads wait for: offset in the library + 1; 0: free. Threads add
     * them, the tool removes them. */
    uint64_t plan_asks[PLAN_ASKS];

    /* Exact counts: odd while a bank is being added to the counters. A reader of counters and banks
     * reads this before and after, and reads again if it changed. */
    _Alignas(64) uint64_t merges;
    uint64_t n_threads; /* slots that have ever been in use are below this */
};

/* ---- threads section: one slot for each recorded thread. `tid` is written last when a thread
 * gets a slot, and first when it leaves it. */
struct wire_thread {
    int32_t tid; /* 0: the slot is free */
    uint32_t reserved;
    uint64_t start_tsc, start_cpu_ns; /* when its recording began, and its CPU time then */
    uint64_t end_tsc, end_cpu_ns;     /* updated at each sample and at its end */
    char name[16];                    /* zero-terminated */
    /* The address of its outermost frame; 0: not known. Nothing above needs to be copied.
     * Written by the tool. */
    uint64_t stack_begin;
};
_Static_assert(sizeof(struct wire_thread) * CHANNEL_THREADS == CHANNEL_THREADS_BYTES, "a section");

static inline struct wire_thread *channel_threads(struct channel *channel)
{
    return (struct wire_thread *)(void *)((unsigned char *)channel + CHANNEL_THREADS_AT);
}

/* ---- maps section: executable mappings with a file, append-only. The newest entry that covers
 * an address is valid. */
struct wire_map {
    uint32_t bytes; /* of this entry, a multiple of 8 */
    uint32_t path_bytes;
    uint64_t start, end; /* avma */
    uint64_t offset;     /* foff of start */
    uint64_t device, inode;
    uint64_t after_walk; /* channel.interrupts when the agent found it */
    /* char path[path_bytes], zero padded; "[vdso]" for the vDSO */
};

/* ---- units section: what the agent translated, append-only. */
enum unit_kind {
    UNIT_SUPERBLOCK = 1,
    UNIT_PAIR = 2,
    UNIT_CUT = 3,
    UNIT_MAPS = 4,
    UNIT_FUNCTION = 5,
    UNIT_PATH = 6,
    UNIT_ABANDONED = 7,
};

enum segment_end {
    SEGMENT_COND,   /* conditional branch; target is where it goes when taken */
    SEGMENT_JUMP,   /* direct jump */
    SEGMENT_CALL,   /* direct call */
    SEGMENT_IJUMP,  /* indirect jump: no target */
    SEGMENT_ICALL,  /* indirect call: no target */
    SEGMENT_RETURN, /* no target */
    SEGMENT_SPLIT,  /* no branch: the superblock had its full length; target is the next instruction
                     */
    SEGMENT_SYSCALL, /* the last instruction is a system call; target is the next one */
    SEGMENT_STOP,    /* the instruction at target is refused and not part of the segment */
};

/* A straight run of instructions. The last one is that of its end kind. */
struct wire_segment {
    uint64_t start;  /* avma */
    uint64_t target; /* avma, or 0 */
    uint32_t bytes;
    uint16_t instructions;
    uint8_t end;        /* enum segment_end */
    uint8_t last_bytes; /* length of the last instruction */
};

/* A run of segments with one entry and several exits. Segment i is followed by segment i + 1 if
 * its conditional branch falls through (SEGMENT_COND) or its jump is followed (SEGMENT_JUMP).
 *
 * Exit ids begin with 1. Exit j < n_segments leaves after segment j, by its end (taken). If the
 * last segment is a SEGMENT_COND there is one more: exit n_segments, the fall-through. So exit j
 * has executed segments 0 .. min(j, n_segments - 1). Followed jumps have no exit: that id never
 * occurs.
 *
 * Exact counts: counters have 64 bits; `counter` counts entries, counter + 1 + j counts exit j for
 * every SEGMENT_COND j; the rest follows by subtraction. Entries are counted before exits, so a
 * reader reads entries first.
 *
 * Samples with `tally`: the same for superblocks of plain code, whose counters have 32 bits and lie
 * at the start of the channel's own bank; others have no counter. */
struct wire_superblock {
    uint32_t kind, bytes; /* UNIT_SUPERBLOCK; of this entry, a multiple of 8 */
    uint32_t first_exit;  /* exit j has the id first_exit + j */
    uint32_t counter;     /* exact counts only, else 0 */
    uint16_t n_segments, n_exits;
    uint16_t n_payload;
    uint16_t left_out; /* instructions that had no room for all that was asked for */
    /* struct wire_segment segments[n_segments]; struct wire_payload payload[n_payload] */
};

/* Exact counts: how often the indirect jump or call at this exit went to target. */
struct wire_pair {
    uint32_t kind, bytes;
    uint32_t exit, counter;
    uint64_t target; /* avma */
};

/* Exact counts: one entry of a superblock that was left in the middle (a fault, the end of the
 * exact run). Segments before `segment` ran whole; of that one, `instructions` instructions. */
struct wire_cut {
    uint32_t kind, bytes;
    uint32_t first_exit;
    uint16_t segment, instructions;
};

/* Exact counts: control had arrived at pc when a signal came, and was never there again: its
 * handler went elsewhere (siglongjmp, another pc in its frame). */
struct wire_abandoned {
    uint32_t kind, bytes;
    uint64_t pc; /* avma */
};

/* The length of the maps section when the units that follow were translated: at other times other
 * modules may lie at the same addresses. The first unit, if the process writes these at all. */
struct wire_maps_mark {
    uint32_t kind, bytes;
    uint64_t maps_bytes;
};

/* A path that is counted by its number (PLAN_COUNT_PATH) and also has a counter of its own. Its
 * count is the sum of the counter and of the threads' tables. */
struct wire_known_path {
    uint32_t kind, bytes;
    uint32_t function, counter;
    uint64_t path;
    uint32_t ticks;   /* 1: the next counter has its ticks */
    uint32_t in_node; /* 1: `counter` is one of each node of the function (wire/node.h) */
};

/* A function that has calling contexts (wire/node.h). */
struct wire_function {
    uint32_t kind, bytes;
    uint32_t number, reserved;
    uint64_t start; /* avma */
};

/* ---- ring: walks, oldest first for each thread. Entries never wrap: EVENT_PAD fills the end of
 * the ring.
 *
 * Threads write side by side. Each moves ring_head past its entry, fills it, and stores the kind
 * last. A kind of zero is an entry that is still being written; the reader waits for it. The reader
 * zeroes entries before it moves ring_tail. */
enum event_kind {
    EVENT_PAD = 1,
    EVENT_WALK = 2,
    EVENT_THREAD = 3,
    EVENT_TRACE = 4,
    EVENT_MESSAGES = 5,
    EVENT_PYTHON = 6, /* wire/python.h */
};

/* What passed a thread's compressor, up to the walk that follows. */
struct event_messages {
    uint32_t kind, bytes;
    int32_t tid;
    uint32_t n;
    /* struct message messages[n] (compress/tuple.h). The place of a value or latency: the first
     * exit of its superblock << MESSAGE_WORD_BITS, plus the index of its word. The place of an
     * exit: its id; its value is the first exit of the superblock that it went to, or 0 if that is
     * known from its own superblock, or not known. */
};
enum { MESSAGE_WORD_BITS = 8 };

/* A recorded thread has ended. */
struct event_thread {
    uint32_t kind, bytes;
    struct wire_thread thread;
};

/* WALK_OUTSIDE: began outside of what is kept (--only); stands for ONLY_OUTSIDE_EVERY such. */
/* WALK_COMPRESSED: its exits and payload went through a compressor. */
/* WALK_SHORT: its window ended early, for example at a system call. */
/* WALK_FURTHER: a further window of the walk before: no interrupt, no sample of time. */
/* WALK_NONE: a sample of time and place alone; nothing was to be walked. */
enum {
    WALK_COMPLETE = 1,
    WALK_TIMED = 2,
    WALK_OUTSIDE = 4,
    WALK_COMPRESSED = 16,
    WALK_FURTHER = 32,
    WALK_SHORT = 64,
    WALK_NONE = 128
};

/* The stack as the interrupt found it. */
enum {
    STACK_COPY_REGISTERS = 17,   /* rax rbx rcx rdx rsi rdi rbp rsp rip, r8 to r15: as in perf */
    STACK_COPY_BYTES = 16 << 10, /* from rsp upwards, of a stack that is deeper than the next */
    STACK_COPY_DEEP = 64 << 10,  /* at most: whole stacks, and those of interpreters */
    STACK_BEGIN_BYTES = 64,      /* above the outermost frame: data of the start code */
};

enum { CPU_BITS = 12, CPU_MASK = (1 << CPU_BITS) - 1 };

struct event_walk {
    uint32_t kind, bytes; /* EVENT_WALK; of this entry, a multiple of 8 */
    uint64_t tsc;         /* of the interrupt, or of the start of a further window */
    uint64_t cpu_ns;      /* CPU time of the thread then */
    uint64_t pc;     /* avma of the interrupted instruction: the time sample; 0: not user time */
    uint64_t end_pc; /* avma where the last exit went */
    /* Instructions in each part; of the trail those of its last pieces, when caches are warm, which
     * give the rate. */
    uint32_t lead, instructions, trail;
    uint32_t trail_ticks;
    /* WALK_COMPLETE: the window is whole, or reached a system call. WALK_TIMED: trail_ticks is
     * valid. */
    uint32_t flags;
    uint32_t stop;                         /* enum loss: why the walk ended early, or LOSS_N */
    uint32_t n_exits;                      /* 0: an interrupt that could not be walked */
    uint32_t trail_direct, trail_indirect; /* exits of the trail; each adds a little time */
    int32_t tid;
    /* The mean CPU time between triggers: what the sample stands for. 0: the time since the
     * thread's last sample instead, which contains kernel time if the trigger skips that. */
    uint32_t period_ns;
    uint32_t n_payload;   /* words */
    uint32_t stack_bytes; /* a multiple of 8; 0: no stack was copied */
    uint32_t slot;        /* of the thread */
    uint32_t n_lead;      /* exits of the lead, needed to follow calls from the interrupt on */
    uint32_t cpu_node; /* CPU and node of the interrupt, or of a further window, plus one; the CPU
                          in the low CPU_BITS; 0: not known */
    /* A walk may have several windows, each in an entry of its own. Together they stand for the
     * sample: this one for `share` of `shares`. 0: it is the only one. */
    uint16_t share, shares;
    /* CPU time that neither recording nor cold caches explain: a lower bound of the window's own
     * time. */
    uint32_t slow_ns;
    /* The window stands for the CPU time between samples that have one: so many periods of samples,
     * in 2^-8. 0: every sample has one. */
    uint32_t periods_q8;
    /* All instructions that the trail executed, and counted, and the ticks that they would have
     * taken natively (wire/plain.h). 0: there was no trail, or it does not count. */
    uint32_t counted, counted_ticks;
    /* The same by the pace that the code had further on, when its copies were warm. 0: the trail
     * is not one of the few that went so far. */
    uint32_t warm_ticks;
    uint32_t n_python; /* Python frames; 0 without a stack */
    /* Like counted_ticks, by the pace of copies alone, without the dispatcher. 0: not known. */
    uint32_t copies_ticks;
    /* With values: sets of signals as the kernel has them (bit N - 1 is signal N), and the
     * effective user plus one; 0: not known. */
    uint64_t blocked, pending, user;
    /* uint32_t exits[n_lead + n_exits], oldest first; exit i's superblock starts where exit i - 1
     * went. At the next multiple of 8: uint64_t payload[n_payload], exit by exit (wire/payload.h).
     * If there is a stack: struct python_frame python[n_python], innermost first;
     * uint64_t registers[STACK_COPY_REGISTERS]; the rest is its words (wire/stack_words.h). */
};

/* ---- exact traces: the bank of a thread slot is a ring of all exits of the thread, in order.
 * One writer, one reader. The program waits for the reader: when `waiting` is set, the reader moves
 * `tail` and wakes it by a futex on `tail_word`. A thread that gets the slot of another waits until
 * everything has been read, and then sets `tid` and `closed`; head and tail go on. */
enum {
    TRACE_HEADER_BYTES = 4096,
    TRACE_BYTES = 4 << 20,
    TRACE_RECORDS = 1 << 14,
    TRACE_RECORDS_AT = TRACE_HEADER_BYTES + TRACE_BYTES,
    /* With a payload: so many exits at a time. Their words lie after the records until they are in
     * the ring. */
    TRACE_PAYLOAD_RECORDS = 1 << 10,
    TRACE_PAYLOAD_AT = TRACE_RECORDS_AT + 4 * TRACE_RECORDS,
    TRACE_PAYLOAD_BYTES = 8 * PAYLOAD_WORDS_MAX * TRACE_PAYLOAD_RECORDS,
};
_Static_assert(TRACE_PAYLOAD_AT + TRACE_PAYLOAD_BYTES <= CHANNEL_COUNTERS_BYTES,
               "a trace lies where counters would");
_Static_assert(TRACE_PAYLOAD_BYTES < TRACE_BYTES / 2 + 1, "an entry fits into the ring");

struct wire_trace {
    uint64_t head;   /* bytes ever written */
    uint32_t closed; /* 1: the thread has ended or left; nothing more will come */
    int32_t tid;
    /* Exits that are not in the ring yet: at TRACE_RECORDS_AT (with a payload, the last
     * TRACE_PAYLOAD_RECORDS there) up to the first zero. The first starts at `fresh_pc`. If the
     * process is gone and `fresh` is not head, they are in the ring already. */
    uint64_t fresh, fresh_pc;
    _Alignas(64) uint64_t tail; /* bytes ever read; written by the tool */
    uint32_t tail_word;         /* its futex: changes whenever tail does; written by the tool */
    uint32_t waiting;           /* the writer sleeps */
    /* at TRACE_HEADER_BYTES: TRACE_BYTES of entries; they never wrap, EVENT_PAD fills the end */
    /* at TRACE_RECORDS_AT: uint32_t records[TRACE_RECORDS] */
    /* at TRACE_PAYLOAD_AT: uint64_t payload[], of those records (wire/payload.h) */
};

struct event_trace {
    uint32_t kind, bytes; /* EVENT_TRACE; of this entry, a multiple of 8 */
    uint64_t tsc;         /* when it was written */
    uint64_t start_pc;    /* avma of the first superblock's start */
    uint64_t
        end_pc; /* avma where the last exit went; after a signal the next entry begins elsewhere */
    uint32_t n_exits;
    uint32_t stop;      /* enum loss: why this thread's trace ends here, or LOSS_N: it goes on */
    uint64_t n_payload; /* words */
    /* uint32_t exits[n_exits], oldest first
     * At the next multiple of 8: uint64_t payload[n_payload], exit by exit (wire/payload.h) */
};
