#include "collect/target/roster.h"

#include "collect/perf/proc.h"
#include "collect/target/thread_state.h"
#include "wire/attach.h"

#include <stdlib.h>
#include <string.h>

struct tids {
    VEC(int);
};

static void tid_add(void *closure, int tid)
{
    struct tids *tids = closure;
    *vec_push(tids) = tid;
}

static int compare(const void *a, const void *b)
{
    int of_a = *(const int *)a, of_b = *(const int *)b;
    return (of_a > of_b) - (of_a < of_b);
}

void roster_release(struct roster *roster)
{
    vec_release(roster);
}

/* False: it has ended meanwhile. */
static bool entry_update(struct roster_entry *entry, int pid)
{
    struct thread_state state;
    if (!thread_state_read(pid, entry->tid, &state) || strchr("ZX", state.doing))
        return false;
    entry->inner_tid = state.inner_tid;
    bool blocked = state.blocked >> (TRIGGER_SIGNAL_UNTOLD - 1) & 1;
    entry->hearing = !blocked ? HEARS : entry->hearing == HEARS ? NEW_OR_DEAF : DEAF;
    return true;
}

/* The entry of a thread, if there was one; *at moves on. */
static const struct roster_entry *entry_before(const struct roster *roster, size_t *at, int tid)
{
    while (*at < roster->n && roster->at[*at].tid < tid)
        ++*at;
    return *at < roster->n && roster->at[*at].tid == tid ? &roster->at[*at] : NULL;
}

bool roster_refresh(struct roster *roster, int pid)
{
    struct roster now = {0};
    struct tids tids = {0};
    size_t at = 0, recorded = 0, stayed = 0, came = 0;
    proc_each_thread(pid, tid_add, &tids);
    if (tids.n)
        qsort(tids.at, tids.n, sizeof *tids.at, compare);
    for (size_t i = 0; i < tids.n; i++) {
        const struct roster_entry *before = entry_before(roster, &at, tids.at[i]);
        struct roster_entry entry = before ? *before : (struct roster_entry){.tid = tids.at[i]};
        bool known = before && before->hearing == HEARS;
        if (!known && !entry_update(&entry, pid))
            continue;
        stayed += known;
        came += !known && entry.hearing == HEARS;
        *vec_push(&now) = entry;
    }
    for (size_t i = 0; i < roster->n; i++)
        recorded += roster->at[i].hearing == HEARS;
    vec_release(&tids);
    vec_release(roster);
    *roster = now;
    return came || stayed < recorded;
}

uint32_t roster_list(const struct roster *roster, int32_t *ret_tids, uint32_t n)
{
    uint32_t listed = 0;
    for (size_t i = 0; i < roster->n && listed < n; i++)
        if (roster->at[i].hearing == HEARS)
            ret_tids[listed++] = roster->at[i].inner_tid;
    return listed;
}

uint64_t roster_deaf(const struct roster *roster)
{
    uint64_t deaf = 0;
    for (size_t i = 0; i < roster->n; i++)
        deaf += roster->at[i].hearing == DEAF;
    return deaf;
}
