/* A recording of the processor's branch records, as the kernel of a machine that has them would
 * write it: it is read as any other perf.data. */
#include "collect/plain/branches.h"

#include "../collect/records.h"
#include "base/err.h"
#include "collect/perf/perf_record.h"
#include "import/perf_data.h"
#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <cmocka.h>

/* The code that the records are of; it never runs. */
__asm__(".text\n"
        "probe: nop\n"
        "probe_cond: jne probe_away\n"
        "nop\n"
        "probe_away: nop\n"
        "probe_ret: ret\n");
extern const char probe[], probe_cond[], probe_away[], probe_ret[];

static void self_add(struct branches_file *file)
{
    enum { PROTECTION = 64 }; /* offset in the record */
    const uint32_t executable = PROT_READ | PROT_EXEC;
    unsigned long begin, end, offset;
    char line[512], path[256];
    struct record record;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %255s", &begin, &end, &offset, path) == 4 &&
            begin <= (uintptr_t)probe && (uintptr_t)probe < end) {
            const struct perf_event_header *head =
                record_mapping(&record, 7, begin, end - begin, offset, path, 1);
            memcpy(record.bytes + PROTECTION, &executable, sizeof executable);
            branches_file_add(file, head);
        }
    fclose(maps);
}

/* Newest first, as processors have them. */
static void sample_add(struct branches_file *file, uint64_t time_ns)
{
    const char *const branches[][2] = {
        {probe_ret, probe}, {probe_cond, probe_away}, {probe_ret, probe}};
    struct record record;
    record_begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    record_u64(&record, (uintptr_t)probe);
    record_u32(&record, 7), record_u32(&record, 7);
    record_u64(&record, time_ns);
    record_u64(&record, RECORD_EVENT);
    record_u64(&record, RECORD_CPU);
    record_u64(&record, 300000);
    record_u64(&record, 3);
    for (int i = 0; i < 3; i++) {
        record_u64(&record, (uintptr_t)branches[i][0]);
        record_u64(&record, (uintptr_t)branches[i][1]);
        record_u64(&record, 0);
    }
    assert_true(branches_file_add(file, record_end(&record)));
}

static void records_of_the_processor(void **state)
{
    (void)state;
    const struct perf_event_attr attr = {
        .type = PERF_TYPE_RAW,
        .size = sizeof attr,
        .config = 0x20c4,
        .sample_period = 300000,
        .sample_type = PERF_RECORD_SAMPLED | PERF_SAMPLE_BRANCH_STACK,
        .branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY,
        .sample_id_all = 1};
    struct branches_file file;
    struct profile profile;
    struct err err;
    struct record record;
    branches_file_begin(&file, &attr);
    branches_file_add(&file, record_name(&record, 7, 7, "made", 1, 1));
    self_add(&file);
    for (uint64_t i = 0; i < 50; i++)
        sample_add(&file, 2 + i);
    branches_file_end(&file);
    profile_init(&profile);
    assert_true(perf_data_import(&profile, file.at, file.n, NULL, &err));
    assert_int_equal(profile.mode, PROFILE_SAMPLED);
    assert_int_equal(profile.totals.windows, 50);
    assert_int_equal(profile.totals.instructions, 50 * (2 + 2)); /* nop ret; nop jne */
    for (int i = 0; i < LOSS_N; i++)
        assert_int_equal(profile.totals.losses[i], 0);
    uint64_t taken = 0;
    for (uint32_t i = 0; i < profile.edges.n; i++) {
        const struct edge_key *key = map_key(&profile.edges.keys, i);
        taken += key->kind == EDGE_TAKEN ? profile.edges.at[i].count >> RATE_BITS : 0;
    }
    assert_int_equal(taken, 50);
    profile_release(&profile);
    vec_release(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(records_of_the_processor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
