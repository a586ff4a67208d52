#include "records/named.h"

#include <string.h>

/* The other issues while this one is in progress, fetched and not yet ready to retire, and is not
 * in vain. */
#define USEFUL "(other.retired && other.issue >= self.fetch && other.issue < self.done)"
/* Sides of pairs are twice as many as what they stand for, and see one of `window` others each. */
#define SEEN "2 * window * "

const struct metric metrics_alone[] = {
    {"fetched", "records times what each stands for", "1", NULL, false},
    {"retired", "of them, retired", "retired", NULL, false},
    {"aborted", "of them, in vain", "!retired", NULL, false},
    {"l1_misses", "loads and stores that missed the first cache", "l1_miss", NULL, false},
    {"l2_misses", "and the second", "l2_miss", NULL, false},
    {"l3_misses", "and the third", "l3_miss", NULL, false},
    {"tlb_walks", "addresses of data that no TLB had", "tlb_walk", NULL, false},
    {"mispredicts", "branches that were predicted wrongly", "mispredicted", NULL, false},
    {"l1i_misses", "fetches that missed the first cache", "l1i_miss", NULL, false},
    {"fetch_to_map", "waiting for registers or a place in a queue", "map - fetch", NULL, true},
    {"map_to_ready", "waiting for operands", "ready - map", NULL, true},
    {"ready_to_issue", "waiting for a unit", "issue - ready", NULL, true},
    {"issue_to_done", "execution", "done - issue", NULL, true},
    {"map_to_issue", "waiting, whatever for", "issue - map", NULL, true},
    {"map_to_done", "waiting and execution", "done - map", NULL, true},
    {"done_to_retire", "waiting for earlier instructions", "retire - done", NULL, true},
    {"in_progress", "from fetch until ready to retire", "done - fetch", NULL, true},
    {"memory", "loads: from issue to data", "memory", NULL, true},
    {"miss", "misses of the first data cache", "miss", NULL, true},
    {"translate", "translation of addresses of data", "translate", NULL, true},
    {"fetching", "fetches", "fetching", NULL, true},
    {"retire_gap", "since the instruction before it retired", "retire_gap", NULL, true},
    {NULL, NULL, NULL, NULL, false},
};

const struct metric metrics_pairs[] = {
    {"wasted_slots", "slots of issue that nothing useful had while it was in progress",
     "(self.done - self.fetch) * width / 2 - window * " USEFUL, NULL, false},
    {"overlap", "useful instructions issued while it was in progress", "window * " USEFUL, NULL,
     false},
    {"concurrency", "the same, each time", SEEN USEFUL, NULL, true},
    {"concurrency_hit", "when it hit the first cache", SEEN USEFUL, "!l1_miss", true},
    {"concurrency_miss", "when it missed", SEEN USEFUL, "l1_miss", true},
    {"concurrency_mispredicted", "when it was a branch predicted wrongly", SEEN USEFUL,
     "mispredicted", true},
    {"concurrency_dependent", "when it waited for operands", SEEN USEFUL, "self.ready > self.map",
     true},
    {"issued_while_waiting", "instructions issued while it waited for operands or a unit",
     SEEN "(other.issue >= self.map && other.issue < self.issue)", NULL, true},
    {"followed", "the other retired right behind it", "window", METRIC_NEXT, false},
    {"ipc_near", "instructions a cycle that retire near it",
     "(retired + " SEEN
     "(retired && other.retired && abs(self.retire - other.retire) < cycles)) / (2 * cycles - 1)",
     "retired", true},
    {NULL, NULL, NULL, NULL, false},
};

const char *const *metric_keys(const char *name)
{
    static const struct {
        const char *name;
        const char *by[LEDGER_KEYS + 1];
    } list[] = {
        {"place", {"module", "pc", "origin"}},
        {"page", {"floor(data / 4096)"}},
        {"line", {"floor(data / 64)"}},
        {"object", {"data_module", "data_linked"}},
        {"source", {"module", "pc", "source"}},
        {"unit", {"self.module", "self.pc", "self.origin", "other.unit"}},
        {"edge", {"self.module", "self.pc", "other.module", "other.pc"}},
        {"all", {NULL}},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strcmp(name, list[i].name) == 0)
            return list[i].by;
    return NULL;
}
