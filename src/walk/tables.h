/* Where indirect branches look up the code to go to: one set of tables for all threads of a process.
 *
 * They lie below 2 GiB, so that emitted code addresses them by a constant and an index, without a
 * register and without %gs. An entry is the address of a chain of landings, each of which compares the whole
 * target, or of the way out to the dispatcher. */
#pragma once

#include "walk/context.h"

#include <stdbool.h>

enum {
    TABLES_LANDINGS = 1 << 16,  /* indexed by 16 bits of the target */
    TABLES_SITE_SLOTS = 1 << 8, /* indexed by the low 8 bits of the target */
    TABLES_SITES = 1 << 16,
};

struct tables {
    uint64_t landings[FLAVOURS][TABLES_LANDINGS];
    /* The same for one counted indirect jump or call each. */
    uint64_t sites[TABLES_SITES][TABLES_SITE_SLOTS];
};

/* Maps them, untouched; NULL: no room below 2 GiB. */
struct tables *tables_map(void);
/* All landings of a flavour lead to the dispatcher, whatever they did before. Only touched tables are
 * written: one that no walk has used costs nothing. */
void tables_forget(struct tables *tables);
/* Must be called before the first code of a flavour is made. */
void tables_prepare(struct tables *tables, enum flavour flavour);
void tables_prepare_site(struct tables *tables, uint32_t site);

/* Which landing an indirect branch to pc looks at. */
static inline uint32_t tables_landing(uint64_t pc, bool rotates)
{
    return (uint32_t)(rotates ? pc >> 4 : pc) & (TABLES_LANDINGS - 1);
}
