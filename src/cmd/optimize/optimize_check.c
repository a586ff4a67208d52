#include "cmd/optimize/optimize_check.h"

#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/optimize/optimize.h"

#include <math.h>
#include <unistd.h>

/* ---- what it does */

/* One run of the program at the path, as the command that was given. */
static bool run_once(struct optimize *optimize, const char *path, const char *name,
                     struct run_files *ret_files, struct err *err)
{
    struct trial trial = {path, optimize->argv, optimize->input, environ, false};
    *ret_files = (struct run_files){
        .output = arena_format(&optimize->arena, "%s/%s.out", optimize->folder, name),
        .errors = arena_format(&optimize->arena, "%s/%s.err", optimize->folder, name)};
    return trial_run(&trial, ret_files->output, ret_files->errors, &ret_files->result, err);
}

/* The same, and what it wrote is kept. */
static bool run_keep(struct optimize *optimize, const char *path, const char *name,
                     struct run_files *ret_files, struct err *err)
{
    if (!run_once(optimize, path, name, ret_files, err))
        return false;
    if (!optimize->writes)
        return true;
    ret_files->written = arena_format(&optimize->arena, "%s/%s.written", optimize->folder, name);
    return file_copy(optimize->writes, ret_files->written, err) ||
           err_in(err, "--writes: after a run of the command");
}

/* NULL: nothing. */
static const char *difference(struct arena *arena, const struct run_files *a,
                              const struct run_files *b)
{
    if (a->result.status != b->result.status)
        return arena_format(arena, "%s, was %s", status_text(arena, b->result.status),
                            status_text(arena, a->result.status));
    if (!files_equal(a->output, b->output))
        return "what it writes to standard output differs";
    if (!files_equal(a->errors, b->errors))
        return "what it writes to standard error differs";
    if (a->written && !files_equal(a->written, b->written))
        return "the file that it writes differs";
    return NULL;
}

bool reference_take(struct reference_run *reference, struct optimize *optimize, struct err *err)
{
    struct run_files second;
    if (!run_keep(optimize, optimize->program, "first", &reference->first, err) ||
        !run_keep(optimize, optimize->program, "second", &second, err))
        return false;
    reference->steady = !difference(&optimize->arena, &reference->first, &second);
    optimize->alone = fmin(reference->first.result.cpu, second.result.cpu);
    return true;
}

bool reference_compare(const struct reference_run *reference, struct optimize *optimize,
                       struct err *err)
{
    struct run_files again;
    if (!run_keep(optimize, optimize->result, "again", &again, err))
        return false;
    const char *how = difference(&optimize->arena, &reference->first, &again);
    return !reference->steady || !how ||
           err_set(err, ERR_SYSTEM,
                   "%s does not do the same: %s; it was removed, and all is as before",
                   optimize->result, how);
}

/* ---- how fast it is */

enum { PAIRS_LEAST = 5, PAIRS_MOST = 30 };
static const double measure_s = 30;

/* So many pairs there will be, as far as that can be said after n of them; 0: not at all. */
static unsigned pairs_expected(const struct optimize *optimize, unsigned n, double spent)
{
    if (optimize->runs || !n)
        return optimize->runs;
    double pairs = ceil(measure_s * n / fmax(spent, 1e-3));
    return (unsigned)fmin(fmax(pairs, PAIRS_LEAST), PAIRS_MOST);
}

/* Whether another pair is to be run. */
static bool pair_wanted(struct optimize *optimize, const char *what, unsigned n, double spent)
{
    optimize_phase(optimize, arena_format(&optimize->arena, "measuring %s, pair", what), n,
                   pairs_expected(optimize, n, spent));
    return optimize->runs ? n < optimize->runs
                          : n < PAIRS_LEAST || (n < PAIRS_MOST && spent < measure_s);
}

bool gain_measure(struct gain *ret_gain, struct optimize *optimize, const char *before,
                  const char *what, struct err *err)
{
    double times[2][OPTIMIZE_RUNS_MAX], spent = 0;
    const char *paths[2] = {before, optimize->result};
    unsigned n = 0;
    if (!optimize->quiet)
        say("measuring %s in turn", what);
    while (pair_wanted(optimize, what, n, spent)) {
        for (unsigned i = 0; i < 2; i++) {
            unsigned side = (i + n) % 2; /* none is always the first */
            struct run_files files;
            if (!run_once(optimize, paths[side], "measured", &files, err))
                return false;
            times[side][n] = fmax(files.result.cpu, 1e-6);
            spent += files.result.wall;
        }
        n++;
    }
    *ret_gain = gain_of(times[0], times[1], n);
    return true;
}
