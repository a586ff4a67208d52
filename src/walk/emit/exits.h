/* The code of exits, and of landings, where indirect branches arrive.
 *
 * Plain code counts instructions by debts. The debt of a superblock is the number of instructions
 * that were executed on the way to its entry and are not charged to a budget yet. A branch that
 * arrives with the same debt pays nothing and goes straight to the entry; others pay the
 * difference, which may be negative. So most branches are free, every cycle pays once, and the sum
 * is exact. A negative debt is paid in advance: landings pay for all of the code behind them.
 *
 * Every walk ends. Direct exits test the budget that they charge, and all budgets together count
 * what was executed, so in a cycle of direct exits one reaches its end. Only landings charge the
 * second half of the budgets, always more than zero, and they test them. What indirect branches owe
 * is paid without a test. */
#pragma once

#include "walk/base/context.h"
#include "walk/emit/emit.h"
#include "walk/emit/contexts_code.h"
#include "walk/emit/plan_code.h"
#include "walk/base/region.h"
#include "walk/emit/tables.h"

#include <stdbool.h>

/* What the dispatcher must know of an exit. */
struct exit {
    uint64_t target; /* avma of its target; SEGMENT_IJUMP/ICALL of a count flavour: of the branch
                      * itself; 0 for other indirect branches */
    /* SEGMENT_IJUMP/ICALL of a count flavour: the site. Stepped instruction: its pc. Others: the
     * displacement field to patch (writable alias), 0 if it cannot be linked; `far`: the address.
     */
    uint64_t link;
    uint32_t counter;      /* count: its counter; 0: none */
    plan_place plan;       /* count: operations on its edge */
    uint16_t instructions; /* executed from the entry to here */
    uint8_t flavour : 2;   /* enum flavour */
    uint8_t visits : 3;    /* times that it found no copy with the right guess (cache_get) */
    bool guessed : 1;      /* of a branch that was guessed: cache_forget unlinks it */
    bool far : 1;          /* its target's code may be anywhere: it jumps through an address */
    bool linked : 1;       /* it goes straight to its target's code */
    uint8_t budget : 7;    /* plain: the budget it charges */
    bool path_known : 1;   /* count: as `path` */
    union {
        struct {
            int16_t owed;     /* plain: instructions executed but not charged when it is reached */
            uint16_t payload; /* record: bytes of payload written when it is reached */
        };
        uint32_t transfer; /* count: from function to function (contexts.h), or 0 */
    };
    union {
        uint64_t path; /* count: what is known of the register there (plan_path.h); `guessed`: where
                        * it leads until it is linked */
        struct {
            uint32_t superblock; /* record: its superblock's number, ... */
            uint32_t words_at;   /* ... and where the kinds of its words are: cache->words */
        };
    };
};
_Static_assert(sizeof(struct exit) == 40, "programs have hundreds of thousands");

static inline struct plan_path exit_path(const struct exit *exit)
{
    return (struct plan_path){exit->path, exit->path_known};
}

/* Larger debts are charged at once, so that every difference fits an immediate operand. */
enum { DEBT_MAX = 900 };

/* So many instructions and one payment, in the format of budgets. */
static inline int64_t budget_charge(int32_t instructions)
{
    return (int64_t)instructions * (INT64_C(1) << BUDGET_BITS) + 1;
}

/* Increments the counter of a superblock's entry. */
void emit_counter(const struct regions *regions, struct code_cursor *c, uint32_t counter,
                  uint64_t at_pc, bool rcx_free);

/* The same where it is known whether flags other than the carry flag are live. */
void emit_counter_where(struct code_cursor *c, uint32_t counter, bool flags_free, bool rcx_free);

/* The same, of plain code: 32 bits, so that they take few cache lines, which are cold when a walk
 * begins. Whoever reads them adds up differences. */
void emit_tally(const struct regions *regions, struct code_cursor *c, uint32_t counter,
                uint64_t at_pc, bool rcx_free);
void emit_tally_where(struct code_cursor *c, uint32_t counter, bool flags_free, bool rcx_free);

/* Leaves to the dispatcher at the exit `id`. */
void emit_leave(struct code_cursor *c, uint32_t id, size_t to);

/* A superblock as seen by a branch to it. */
struct entry_point {
    uint64_t entry;
    int32_t debt;
    bool flags_free; /* count: no flag is live there but the carry flag */
};

/* The work of a direct exit that leads to code with that debt. Returns a branch that emit_work_out
 * must complete after the jump that follows, or NULL. */
uint8_t *emit_work(const struct regions *regions, struct code_cursor *hot, struct code_cursor *cold,
                   const struct exit *exit, uint32_t id, int32_t debt);
void emit_work_out(struct code_cursor *hot, struct code_cursor *cold, uint8_t *up,
                   const struct exit *exit, uint32_t id, int32_t debt);

/* Plain: the payment of one loop iteration, in front of the superblock; returns its address. */
uint64_t emit_turn(const struct regions *regions, struct code_cursor *hot, struct code_cursor *cold,
                   const struct exit *exit, uint32_t id, int32_t debt);

/* Writes the work of a direct exit that was taken for the first time, and a jump to the target.
 * Until then it leads to the dispatcher, which does the work itself: most branches always go the
 * same way, and pay nothing for the other. */
void translate_exit(const struct regions *regions, const struct exit *exit, uint32_t id,
                    const struct entry_point *to, struct code_cursor *hot,
                    struct code_cursor *cold);

/* Pays for an indirect end, where no flag is live. */
void emit_prepay(struct code_cursor *c, uint32_t id, int32_t owed);

/* The end of an indirect branch: target in %r11, the program's %rcx and %r11 in their slots.
 * `table`: the one that its flavour shares, or the slot of a counted jump or call (`site`). */
struct indirect {
    const uint64_t *table;
    bool site;
    bool rotates; /* the CPU has rorx */
};
void emit_indirect(struct code_cursor *c, const struct exit *exit, uint32_t id,
                   const struct indirect *indirect);

/* Code of a fan (tables.h) with so many above it. */
void emit_fan(struct code_cursor *c, const uint64_t *fan, uint32_t level);

/* Where indirect branches to `pc` arrive with the target in %r11; other targets go on to `next`. It
 * increments `counter` unless that is 0, or makes the debt of the code behind it, and carries out
 * what is planned. */
struct landing {
    uint64_t pc, next;
    uint32_t counter;
    bool flags_free; /* for the counter: no flag is live but the carry flag */
    bool tally;      /* it has 32 bits */
    int32_t debt;
    const struct plan *plan;
    plan_place place;
    struct plan_path before, entry; /* what is known of the register at the branch, and what the
                                     * code behind expects */
    const struct contexts *contexts;
    uint32_t transfer;
    bool rotates;
};
void emit_landing(const struct regions *regions, struct code_cursor *hot, struct code_cursor *cold,
                  const struct landing *landing);

/* The same, and a jump to the entry. */
void translate_landing(const struct regions *regions, const struct landing *landing, uint64_t entry,
                       struct code_cursor *hot, struct code_cursor *cold);
