/* graphs edges|tables|time FILE: the static graphs of all functions of a file, for the scripts that compare
 * them with other tools.
 *   edges:  FROM TO KIND, FROM - REASON for what is not resolved, and range START BYTES FUNCTION
 *   tables: JUMP TABLE BASE ENTRY_BYTES FIRST N REASON FUNCTION TARGET...
 *   time:   one line of JSON: seconds and memory of reading the file and of building all graphs */
#include "base/err.h"
#include "base/parallel.h"
#include "program/binary.h"
#include "program/cfg/cfg_build.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static void edges_print(const struct cfg *cfg)
{
    static const char *const kinds[] = {
        [CFG_TAKEN] = "taken",       [CFG_FALL] = "fall", [CFG_JUMP] = "jump",
        [CFG_INDIRECT] = "indirect", [CFG_NEXT] = "next", [CFG_CASE] = "case"};
    for (size_t i = 0; i < cfg->edges.n; i++)
        printf("%" PRIx64 " %" PRIx64 " %s\n", cfg->edges.at[i].from.v, cfg->edges.at[i].to.v,
               kinds[cfg->edges.at[i].kind]);
    for (size_t i = 0; i < cfg->exits.n; i++) {
        const struct cfg_exit *exit = &cfg->exits.at[i];
        if (exit->unresolved)
            printf("%" PRIx64 " - %s\n", exit->from.v,
                   cfg_reason_name((enum cfg_reason)exit->reason));
        else if (exit->kind != INSTRUCTION_RETURN)
            printf("%" PRIx64 " %" PRIx64 " exit\n", exit->from.v, exit->to.v);
    }
}

static void tables_print(const struct cfg *cfg, const char *name)
{
    for (size_t i = 0; i < cfg->jumps.n; i++) {
        const struct jump *jump = &cfg->jumps.at[i];
        printf("%" PRIx64 " %" PRIx64 " %" PRIx64 " %u %" PRIu64 " %" PRIu64 " %s %s",
               cfg->instructions.at[jump->instruction].at.v, jump->table.v, jump->base.v,
               jump->entry_bytes, jump->first, jump->n,
               cfg_reason_name((enum cfg_reason)jump->reason), name);
        for (uint32_t t = 0; t < jump->n_targets; t++)
            printf(" %" PRIx64, cfg->jumps.targets.at[jump->first_target + t].v);
        printf("\n");
    }
}

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* All functions, as views build those of a module that they infer: on all cores, and kept. */
struct building {
    const struct binary *binary;
    struct cfg *cfgs;
};

static void function_build(void *context, size_t i, unsigned worker)
{
    (void)worker;
    const struct building *building = context;
    cfg_build(&building->cfgs[i], &building->binary->image, &building->binary->symbols,
              (function_id)i, NULL, 0);
}

static void totals_print(const struct building *building)
{
    size_t functions = building->binary->symbols.functions.n;
    uint64_t instructions = 0, blocks = 0, edges = 0, exits = 0, tables = 0;
    for (size_t i = 0; i < functions; i++) {
        const struct cfg *cfg = &building->cfgs[i];
        instructions += cfg->instructions.n;
        blocks += cfg->blocks.n;
        edges += cfg->edges.n;
        exits += cfg->exits.n;
        for (size_t j = 0; j < cfg->jumps.n; j++)
            tables += cfg->jumps.at[j].reason == REASON_NONE;
    }
    printf("\"functions\": %zu, \"instructions\": %" PRIu64 ", \"blocks\": %" PRIu64
           ", \"edges\": %" PRIu64 ", \"exits\": %" PRIu64 ", \"tables\": %" PRIu64 "}\n",
           functions, instructions, blocks, edges, exits, tables);
}

static void time_print(const struct binary *binary, double start)
{
    size_t n = binary->symbols.functions.n;
    struct building building = {binary, mem_alloc(n * sizeof(struct cfg) + 1)};
    struct rusage usage;
    double opened = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    parallel_for(n, function_build, &building);
    double built = seconds(CLOCK_MONOTONIC), done = seconds(CLOCK_PROCESS_CPUTIME_ID);
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"read_seconds\": %.4f, \"read_cpu\": %.4f, \"graph_seconds\": %.4f, \"graph_cpu\": "
           "%.4f, \"rss_kb\": %ld, ",
           opened - start, cpu, built - opened, done - cpu, usage.ru_maxrss);
    totals_print(&building);
    for (size_t i = 0; i < n; i++)
        cfg_release(&building.cfgs[i]);
    mem_free(building.cfgs);
}

int main(int argc, char **argv)
{
    struct binary binary;
    struct err err;
    double start = seconds(CLOCK_MONOTONIC);
    if (argc != 3) {
        fprintf(stderr, "usage: graphs edges|tables|time FILE\n");
        return 129;
    }
    if (!binary_open(&binary, argv[2], &err)) {
        fprintf(stderr, "graphs: %s\n", err.text);
        return 2;
    }
    if (strcmp(argv[1], "time") == 0) {
        time_print(&binary, start);
        binary_close(&binary);
        return 0;
    }
    for (size_t i = 0; strcmp(argv[1], "edges") == 0 && i < binary.symbols.ranges.n; i++)
        printf("range %" PRIx64 " %" PRIu64 " %u\n", binary.symbols.ranges.at[i].start.v,
               binary.symbols.ranges.at[i].bytes, binary.symbols.ranges.at[i].function);
    for (function_id f = 0; f < binary.symbols.functions.n; f++) {
        struct cfg cfg;
        cfg_build(&cfg, &binary.image, &binary.symbols, f, NULL, 0);
        if (strcmp(argv[1], "edges") == 0)
            edges_print(&cfg);
        else
            tables_print(&cfg, binary.symbols.functions.at[f].name);
        cfg_release(&cfg);
    }
    binary_close(&binary);
    return 0;
}
