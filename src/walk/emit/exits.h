/* What leaving a superblock does: the work of exits, and landings, where indirect branches arrive.
 *
 * Plain code counts instructions by debts. A superblock has a debt: what was executed on the way to
 * its entry and is not charged to a budget yet. Whoever goes there with as much to pay pays
 * nothing, and its branch leads straight to the entry; others pay the difference, which may be less
 * than nothing. So most branches are free, every cycle pays once, and the sum is exact. A debt
 * below zero is paid in advance: landings do so, for the whole of the code behind them.
 *
 * Every walk ends: direct exits test the budget that they charge, and all budgets together count
 * what was executed, so in a cycle of direct exits one comes up; landings alone charge the second
 * half of the budgets, always more than nothing, and test them. What indirect branches owe is paid
 * without a test. */
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
    uint64_t target; /* avma the exit leads to; SEGMENT_IJUMP/ICALL of a count flavour: of the
                        branch itself; 0 of other indirect ones */
    /* SEGMENT_IJUMP/ICALL of a count flavour: the site. Of a stepped instruction: its pc. Others:
     * the displacement field to patch (writable alias), 0 if it cannot be linked. */
    uint64_t link;
    uint32_t counter;      /* count flavour: what this exit adds one to; 0: nothing */
    plan_place plan;       /* count: operations on its edge */
    uint16_t instructions; /* executed from the entry to here */
    uint8_t flavour : 7;   /* enum flavour */
    bool linked : 1;       /* it goes straight on to its target's own code */
    uint8_t budget : 7;    /* plain: which of the budgets it charges */
    bool path_known : 1;   /* count: as `path` */
    union {
        struct {
            int16_t owed;     /* plain: instructions executed and not charged when it is reached */
            uint16_t payload; /* record: bytes of payload written when it is reached */
        };
        uint32_t transfer; /* count: from function to function (contexts.h), or 0 */
    };
    union {
        uint64_t
            path; /* count: what the code that leads to it knows of the register (plan_path.h) */
        struct {
            uint32_t superblock; /* record: its number, */
            uint32_t words_at;   /* and what its words are: cache->words */
        };
    };
};
_Static_assert(sizeof(struct exit) == 40, "programs have hundreds of thousands");

static inline struct plan_path exit_path(const struct exit *exit)
{
    return (struct plan_path){exit->path, exit->path_known};
}

/* Debts beyond this are charged at once, so that every difference fits an immediate operand. */
enum { DEBT_MAX = 900 };

/* So many instructions and one payment, as budgets hold them. */
static inline int64_t budget_charge(int32_t instructions)
{
    return (int64_t)instructions * (INT64_C(1) << BUDGET_BITS) + 1;
}

/* The counter of a superblock's entry. */
void emit_counter(const struct regions *regions, struct code_cursor *c, uint32_t counter,
                  uint64_t at_pc, bool rcx_free);

/* Leaves to the dispatcher at the exit `id`. */
void emit_leave(struct code_cursor *c, uint32_t id, size_t to);

/* What a superblock is to those who go there. */
struct entry_point {
    uint64_t entry;
    int32_t debt;
};

/* The work of a direct exit that goes on at code with that debt. Returns a branch that must still
 * be led out, by emit_work_out after the jump that follows, or NULL. */
uint8_t *emit_work(const struct regions *regions, struct code_cursor *hot, struct code_cursor *cold,
                   const struct exit *exit, uint32_t id, int32_t debt);
void emit_work_out(struct code_cursor *hot, struct code_cursor *cold, uint8_t *up,
                   const struct exit *exit, uint32_t id, int32_t debt);

/* Plain: the payment of a loop's turn, in front of the superblock that it leads back to; returns
 * where it runs from. */
uint64_t emit_turn(const struct regions *regions, struct code_cursor *hot, struct code_cursor *cold,
                   const struct exit *exit, uint32_t id, int32_t debt);

/* A direct exit has been taken for the first time: writes what it does, then a jump to the
 * target. Until then it leads to the dispatcher, which does the work itself: most branches never go
 * one of their ways, and pay nothing for it. */
void translate_exit(const struct regions *regions, const struct exit *exit, uint32_t id,
                    const struct entry_point *to, struct code_cursor *hot,
                    struct code_cursor *cold);

/* What an indirect end owes, paid where no flag is in use. */
void emit_prepay(struct code_cursor *c, uint32_t id, int32_t owed);

/* The end of an indirect branch: target in %r11, the program's %r11 in its slot. `table`: the one
 * that its flavour shares, or the slot of a counted jump or call (`site`). */
struct indirect {
    const uint64_t *table;
    bool site;
    bool rotates; /* the CPU has rorx */
};
void emit_indirect(struct code_cursor *c, const struct exit *exit, uint32_t id,
                   const struct indirect *indirect);

/* Where a site leads that has a fan. */
void emit_fan(struct code_cursor *c, const uint64_t *fan);

/* Where indirect branches to `pc` arrive with the target in %r11; on another one they go to `next`.
 * It adds one to `counter` unless that is 0, or makes the debt of the code behind it, and carries
 * out what is planned. */
struct landing {
    uint64_t pc, next;
    uint32_t counter;
    int32_t debt;
    const struct plan *plan;
    plan_place place;
    struct plan_path before, entry; /* what is known of the register where it comes from; and what
                                       the code behind it knows */
    const struct contexts *contexts;
    uint32_t transfer;
    bool rotates;
};
void emit_landing(const struct regions *regions, struct code_cursor *hot, struct code_cursor *cold,
                  const struct landing *landing);

/* The same, and a jump to the entry. */
void translate_landing(const struct regions *regions, const struct landing *landing, uint64_t entry,
                       struct code_cursor *hot, struct code_cursor *cold);
