/* gait lab: tables of the papers that gait grew from, of one's own recordings. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/lab_blocks.h"
#include "cmd/lab_show.h"
#include "cmd/options/view_options.h"
#include "consumers/path_settle.h"
#include "lab/pipeline/modelled_run.h"
#include "lab/lab.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DESIGNS_MOST = 16, RUNS_MOST = 100 };
#define USUAL_CORE "zen3"

struct options {
    struct view_options view;
    struct lab_outputs outputs;
    struct lab_request request;
    const char *designs[DESIGNS_MOST];
    const char *core;  /* NULL: the usual one */
    const char *steps; /* NULL: as many as usual */
};

static bool take_csv(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct options *options = to;
    (void)flag, (void)err;
    options->outputs.csv = !value;
    options->outputs.csv_file = value;
    return true;
}

static bool take_design(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct options *options = to;
    (void)flag;
    if (options->request.n_designs == DESIGNS_MOST)
        return err_set(err, ERR_USAGE, "--design: at most %d", DESIGNS_MOST);
    options->designs[options->request.n_designs++] = value;
    return true;
}

static const struct flag flags[] = {
    {"csv", 0, "[=FILE]", NULL, "comma-separated values; with FILE, there, and text as well",
     .take = take_csv},
    {"plot", 0, "FILE", NULL, "also draw it, as SVG", TAKE(text, struct options, outputs.plot)},
    {"points", 0, "FILE", NULL, "pipeline-3, pipeline-7: a line for each instruction, as CSV",
     TAKE(text, struct options, outputs.points)},
    {"core", 0, "NAME", NULL,
     "blocks and commands: the core to model, or a file that describes one (zen3)",
     TAKE(text, struct options, core)},
    {"design", 0, "DESIGN", NULL,
     "streams: a compressor, as record --compress has it; several times: several",
     .take = take_design},
    {"runs", 0, "N", NULL, "streams-N: the mean of so many runs of each compressor (1)",
     TAKE(u32, struct options, request.runs), .low = 1, .high = RUNS_MOST},
    {"hot", 0, "PCT", NULL, "paths-4, paths-5: what is hot has at least PCT % of all (1)",
     TAKE(number, struct options, request.hot), .low = 0.001, .high = 100,
     .expected = "a percentage"},
    VIEW_JSON("blocks: as JSON, schema gait/blocks/1"),
    {"steps", 0, "N", NULL,
     "commands: number of instructions (history: 30000000, pipeline-N: 20000000)",
     TAKE(text, struct options, steps)},
    VIEW_QUIET("do not mention damage"),
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait lab [options] TABLE FILE...\n       gait lab blocks [options] FILE.csv\n "
             "      gait lab history [options] -- COMMAND\n       gait lab pipeline-N [options] "
             "[-- COMMAND]\n       gait lab streams[-N] [options] TUPLES...\n\nMakes a table of a "
             "paper from recordings, one row each. Without a table, lists all tables.\n",
    .flags = flags,
    .also = view_flags,
};

static int tables_list(void)
{
    for (size_t i = 0; lab_tables[i]; i++)
        printf("%-17s %s\n", lab_tables[i]->name, lab_tables[i]->title);
    printf("%-17s %s\n", "blocks", LAB_BLOCKS_TITLE);
    return output_status();
}

static uint64_t bytes_of(const char *file)
{
    struct stat status;
    return stat(file, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static void row_fill(struct lab_rows *rows, const char *file, const struct profile *profile,
                     const struct profile *base)
{
    struct scene scene;
    struct lab_row *row = lab_row_add(rows);
    struct lab_recording recording = {file, profile, &scene, bytes_of(file)};
    struct lab_recording first = {file, base, NULL, 0};
    scene_open(&scene, &profile, 1, NULL);
    lab_text(row, lab_file_name(file));
    rows->table->fill(row, &recording, &first);
    scene_close(&scene);
}

static bool row_load(struct lab_rows *rows, const char *file, const struct profile *base,
                     bool quiet, int *ret_status)
{
    struct profile profile;
    *ret_status = profile_load(file, quiet, &profile);
    if (*ret_status != EXIT_DONE)
        return false;
    path_settle(&profile);
    struct err err;
    if (rows->table->has && !rows->table->has(&profile, file, &err))
        *ret_status = say_err(&err);
    else
        row_fill(rows, file, &profile, base);
    profile_release(&profile);
    return *ret_status == EXIT_DONE;
}

static int rows_load(struct lab_rows *rows, char **files, int n, bool quiet)
{
    struct profile base;
    int status = profile_load(files[0], quiet, &base);
    if (status != EXIT_DONE)
        return status;
    path_settle(&base);
    for (int i = 0; i < n && row_load(rows, files[i], &base, quiet, &status); i++)
        ;
    profile_release(&base);
    return status;
}

/* Recordings that a table sees all at once. */
struct shelf {
    struct profile *profiles;
    struct scene *scenes;
    struct lab_recording *recordings;
    size_t n;
};

static void shelf_open(struct shelf *shelf, size_t n)
{
    *shelf =
        (struct shelf){mem_alloc(n * sizeof *shelf->profiles), mem_alloc(n * sizeof *shelf->scenes),
                       mem_alloc(n * sizeof *shelf->recordings), 0};
}

static int shelf_add(struct shelf *shelf, const char *file, bool quiet)
{
    struct profile *profile = &shelf->profiles[shelf->n];
    int status = profile_load(file, quiet, profile);
    if (status != EXIT_DONE)
        return status;
    path_settle(profile);
    const struct profile *sides[] = {profile};
    scene_open(&shelf->scenes[shelf->n], sides, 1, NULL);
    shelf->recordings[shelf->n] =
        (struct lab_recording){file, profile, &shelf->scenes[shelf->n], bytes_of(file)};
    shelf->n++;
    return EXIT_DONE;
}

static void shelf_close(struct shelf *shelf)
{
    for (size_t i = 0; i < shelf->n; i++) {
        scene_close(&shelf->scenes[i]);
        profile_release(&shelf->profiles[i]);
    }
    mem_free(shelf->profiles);
    mem_free(shelf->scenes);
    mem_free(shelf->recordings);
}

static int recordings_load(struct lab_rows *rows, char **files, int n, bool quiet)
{
    struct shelf shelf;
    int status = EXIT_DONE;
    shelf_open(&shelf, (size_t)n);
    for (int i = 0; i < n && status == EXIT_DONE; i++)
        status = shelf_add(&shelf, files[i], quiet);
    struct err err;
    if (status == EXIT_DONE && !rows->table->recordings(rows, shelf.recordings, shelf.n, &err))
        status = say_err(&err);
    shelf_close(&shelf);
    return status;
}

static int streams_load(struct lab_rows *rows, char **files, int n)
{
    struct err err;
    return rows->table->streams(rows, files, (size_t)n, &err) ? EXIT_DONE : say_err(&err);
}

static int modelled_take(struct lab_rows *rows, char **command, const struct options *options)
{
    struct err err;
    char *end = NULL;
    struct modelled_run run = {options->core ? options->core : USUAL_CORE, rows->table->steps,
                               command};
    if (options->steps)
        run.steps_most = strtoull(options->steps, &end, 10);
    if (options->steps && (*end || !run.steps_most)) {
        err_set(&err, ERR_USAGE, "--steps %s: not a number", options->steps);
        return say_err(&err);
    }
    return rows->table->modelled(rows, &run, &err) ? EXIT_DONE : say_err(&err);
}

static int table_make(const struct lab_table *table, char **files, int n,
                      const struct options *options)
{
    struct lab_rows rows = {.table = table, .request = options->request};
    rows.request.designs = options->designs;
    bool quiet = options->view.quiet;
    int status = table->modelled     ? modelled_take(&rows, files, options)
                 : table->streams    ? streams_load(&rows, files, n)
                 : table->recordings ? recordings_load(&rows, files, n, quiet)
                                     : rows_load(&rows, files, n, quiet);
    if (status == EXIT_DONE)
        status = lab_show(&rows, &options->outputs);
    for (size_t i = 0; i < rows.n; i++)
        vec_release(&rows.at[i].cells);
    vec_release(&rows.claims);
    vec_release(&rows.points);
    vec_release(&rows);
    arena_release(&rows.arena);
    return status;
}

/* Options and words that a table would not look at. */
static bool options_fit(const struct options *options, const struct lab_table *table, int words,
                        struct err *err)
{
    bool command = table->modelled && !table->alone;
    if (words && table->alone)
        return err_set(err, ERR_USAGE, "%s takes no files and no command", table->name);
    if (options->steps && !command)
        return err_set(err, ERR_USAGE, "--steps goes with tables of a command, not with %s",
                       table->name);
    if (options->core && !command)
        return err_set(err, ERR_USAGE,
                       "--core goes with blocks and tables of a command, not with %s", table->name);
    return !options->view.json ||
           err_set(err, ERR_USAGE, "--json goes with blocks, not with %s; %s", table->name,
                   "--csv is for tables");
}

int cmd_lab(int argc, char **argv)
{
    struct options options = {0};
    struct err err;
    if (!flags_parse(&this_command, &options, argc, argv, &err))
        return say_err(&err);
    if (optind == argc)
        return tables_list();
    if (strcmp(argv[optind], "blocks") == 0)
        return lab_blocks(argc - optind - 1, argv + optind + 1,
                          options.core ? options.core : USUAL_CORE, options.view.json);
    const struct lab_table *table = lab_table_find(argv[optind]);
    if (!table) {
        err_set(&err, ERR_USAGE, "%s: no such table; gait lab lists them", argv[optind]);
        return say_err(&err);
    }
    if (options.outputs.points && !table->scatter) {
        err_set(&err, ERR_USAGE, "--points: %s has none; pipeline-3 and pipeline-7 have them",
                table->name);
        return say_err(&err);
    }
    if ((options.request.n_designs && !table->designs) || (options.request.runs && !table->runs)) {
        err_set(&err, ERR_USAGE, "%s goes with %s, not with %s",
                options.request.n_designs ? "--design" : "--runs",
                options.request.n_designs ? "streams" : "tables of streams", table->name);
        return say_err(&err);
    }
    if (options.request.hot > 0 && !table->hot) {
        err_set(&err, ERR_USAGE, "--hot goes with paths-4 and paths-5, not with %s", table->name);
        return say_err(&err);
    }
    if (!options_fit(&options, table, argc - optind - 1, &err))
        return say_err(&err);
    if (optind + 1 == argc && !table->alone) {
        err_set(&err, ERR_USAGE,
                table->modelled  ? "%s: of what? gait lab %s -- COMMAND"
                : table->streams ? "%s: of which files of tuples? gait lab %s TUPLES..."
                                 : "%s: of which recordings? gait lab %s FILE...",
                argv[optind], argv[optind]);
        return say_err(&err);
    }
    return table_make(table, argv + optind + 1, argc - optind - 1, &options);
}
