/* gait store: shows, checks, rolls up, prunes, copies and updates a store. */
#include "base/clock.h"
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/flags.h"
#include "fleet/roll_up.h"
#include "store/check.h"
#include "store/copy.h"
#include "store/listing.h"
#include "store/prune.h"
#include "text/clean.h"
#include "text/json.h"
#include "text/sheet.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct options {
    const char *store, *to;
    double after_s, older_s; /* older_s 0: not given */
    double size_bytes;
    bool json, quiet;
};

/* A number and a unit. */
static bool scaled(const char *value, const char *units, const double *factors, double *ret_number)
{
    char *end;
    double number = strtod(value, &end);
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (end == value || !unit || end[1] || !(number >= 0) || number > 1e12)
        return false;
    *ret_number = number * factors[unit - units];
    return true;
}

static bool take_age(void *to, const struct flag *flag, const char *value, struct err *err)
{
    static const double factors[] = {1, 60, 3600, 86400, 7 * 86400};
    (void)err;
    return scaled(value, "smhdw", factors, (double *)((char *)to + flag->at));
}

static bool take_size(void *to, const struct flag *flag, const char *value, struct err *err)
{
    static const double factors[] = {1024, 1048576, 1073741824, 1099511627776};
    (void)err;
    return scaled(value, "KMGT", factors, (double *)((char *)to + flag->at));
}

static const struct flag flags[] = {
    {"store", 's', "STORE", NULL, "sqlite:PATH or postgresql://HOST/BASE",
     TAKE(text, struct options, store)},
    {"after", 0, "AGE", NULL,
     "roll-up: of hours that were over so long ago (2h); 0s: of this hour, too",
     TAKE(age, struct options, after_s), .expected = "an age: 90m, 2h, 1d"},
    {"older", 0, "AGE", NULL, "prune: recordings of days that are older",
     TAKE(age, struct options, older_s), .expected = "an age: 24h, 30d, 8w"},
    {"size", 0, "SIZE", NULL, "prune: the oldest days, until the rest is no larger",
     TAKE(size, struct options, size_bytes), .expected = "a size: 500M, 20G"},
    {"to", 0, "STORE", NULL, "copy: into this store", TAKE(text, struct options, to)},
    {"json", 0, NULL, NULL, "show: as JSON, schema gait/store/1", TAKE(set, struct options, json)},
    {"quiet", 'q', NULL, NULL, "say nothing but errors", TAKE(set, struct options, quiet)},
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait store show|check|roll-up|prune|copy|update -s STORE [options]\n\n"
             "show     lists services, builds, their recordings and sizes\n"
             "check    reads everything and reports damage\n"
             "roll-up  adds recordings up to hours, and hours to days\n"
             "prune    forgets the oldest days, by --older or --size\n"
             "copy     copies everything into the store --to\n"
             "update   brings the tables of an older gait up to date\n",
    .flags = flags,
};

/* ---- show */

static const char *date(int64_t ns, char text[32])
{
    time_t seconds = (time_t)(ns / 1000000000);
    struct tm tm;
    if (!ns || !gmtime_r(&seconds, &tm) || !strftime(text, 32, "%Y-%m-%d %H:%M", &tm))
        return "-";
    return text;
}

static void show_text(const struct store_listing *listing)
{
    struct sheet sheet;
    char text[32];
    int64_t bytes = listing->pack_bytes;
    sheet_begin(&sheet, "lllrrrllr", NULL);
    static const char *const heads[] = {"service", "build", "kind", "recordings", "machines",
                                        "waiting", "first", "last", "KiB"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        sheet_cell(&sheet, "%s", heads[i]);
    for (size_t i = 0; i < listing->n; i++) {
        const struct listed *row = &listing->at[i];
        sheet_cell(&sheet, "%s", text_clean(&sheet.arena, row->service));
        sheet_cell(&sheet, "%.12s", text_clean(&sheet.arena, row->build));
        sheet_cell(&sheet, "%s", text_clean(&sheet.arena, row->kind));
        sheet_cell(&sheet, "%lld", (long long)row->recordings);
        sheet_cell(&sheet, "%lld", (long long)row->machines);
        sheet_cell(&sheet, "%lld", (long long)row->waiting);
        sheet_cell(&sheet, "%s", date(row->first_ns, text));
        sheet_cell(&sheet, "%s", date(row->last_ns, text));
        sheet_cell(&sheet, "%lld", (long long)(row->bytes + 1023) / 1024);
        bytes += row->bytes;
    }
    sheet_end(&sheet, stdout);
    printf("\n%lld KiB in all; %lld KiB of it are %lld packs of names and code\n",
           (long long)(bytes + 1023) / 1024, (long long)(listing->pack_bytes + 1023) / 1024,
           (long long)listing->packs);
}

static void show_json(const struct store_listing *listing)
{
    struct json json;
    json_begin(&json, stdout);
    json_object(&json, NULL);
    json_string(&json, "schema", "gait/store/1");
    json_integer(&json, "packs", (uint64_t)listing->packs);
    json_integer(&json, "pack_bytes", (uint64_t)listing->pack_bytes);
    json_array(&json, "rows");
    for (size_t i = 0; i < listing->n; i++) {
        const struct listed *row = &listing->at[i];
        json_object(&json, NULL);
        json_string(&json, "service", row->service);
        json_string(&json, "build", row->build);
        json_string(&json, "kind", row->kind);
        json_integer(&json, "recordings", (uint64_t)row->recordings);
        json_integer(&json, "machines", (uint64_t)row->machines);
        json_integer(&json, "waiting", (uint64_t)row->waiting);
        json_integer(&json, "first_ns", (uint64_t)row->first_ns);
        json_integer(&json, "last_ns", (uint64_t)row->last_ns);
        json_integer(&json, "bytes", (uint64_t)row->bytes);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}

static bool act_show(const struct options *options, struct store *store, struct err *err)
{
    struct store_listing listing;
    if (!store_list(store, &listing, err))
        return false;
    (options->json ? show_json : show_text)(&listing);
    vec_release(&listing);
    return true;
}

/* ---- the others */

static bool act_check(const struct options *options, struct store *store, struct err *err)
{
    struct store_checked checked;
    if (!store_check(store, &checked, err))
        return false;
    if (!options->quiet)
        printf("%llu profiles and %llu packs read: %llu damaged, %llu parts missing\n",
               (unsigned long long)checked.bodies, (unsigned long long)checked.packs,
               (unsigned long long)checked.damaged, (unsigned long long)checked.lost_parts);
    if (checked.damaged)
        return err_set(err, ERR_FORMAT, "%s: %s", store->place.shown, checked.first);
    if (checked.lost_parts)
        return err_set(err, ERR_FORMAT, "%s: names or code of %llu functions are missing",
                       store->place.shown, (unsigned long long)checked.lost_parts);
    return true;
}

static bool act_roll_up(const struct options *options, struct store *store, struct err *err)
{
    struct roll_up roll = roll_up_after(clock_ns(CLOCK_REALTIME), options->after_s);
    if (!roll_up(store, &roll, err))
        return false;
    if (!options->quiet)
        printf("%llu recordings rolled up; %llu sums written\n",
               (unsigned long long)roll.recordings, (unsigned long long)roll.sums);
    return true;
}

static bool act_prune(const struct options *options, struct store *store, struct err *err)
{
    uint64_t now = clock_ns(CLOCK_REALTIME), age = (uint64_t)(options->older_s * 1e9);
    struct prune prune = {.before_ns = options->older_s > 0 && age < now ? now - age : 0,
                          .bytes_max = (uint64_t)options->size_bytes};
    if (!prune.before_ns && !prune.bytes_max)
        return err_set(err, ERR_USAGE, "prune what: gait store prune -s STORE --older 30d");
    if (!store_prune(store, &prune, err))
        return false;
    if (!options->quiet)
        printf("%llu recordings forgotten, and %llu packs of builds that no recording has\n",
               (unsigned long long)prune.recordings, (unsigned long long)prune.packs);
    return true;
}

static bool act_copy(const struct options *options, struct store *store, struct err *err)
{
    struct store to;
    struct copied copied;
    if (!options->to)
        return err_set(err, ERR_USAGE, "copy where: gait store copy -s STORE --to STORE");
    if (!store_open(options->to, SQL_MAKE, &to, err))
        return false;
    bool ok = store_copy(store, &to, &copied, err);
    if (ok && !options->quiet)
        printf("%llu recordings, %llu sums and %llu packs copied\n",
               (unsigned long long)copied.recordings, (unsigned long long)copied.sums,
               (unsigned long long)copied.packs);
    store_close(&to);
    return ok;
}

static bool act_update(const struct options *options, struct store *store, struct err *err)
{
    (void)options, (void)store, (void)err;
    return true; /* opening it did */
}

static const struct action {
    const char *name;
    enum sql_use use;
    bool (*act)(const struct options *options, struct store *store, struct err *err);
} actions[] = {
    {"show", SQL_READ, act_show},        {"check", SQL_READ, act_check},
    {"roll-up", SQL_WRITE, act_roll_up}, {"prune", SQL_WRITE, act_prune},
    {"copy", SQL_READ, act_copy},        {"update", SQL_UPDATE, act_update},
};

static const struct action *action_find(int argc, char **argv, struct err *err)
{
    const char *name = optind < argc ? argv[optind++] : NULL;
    if (optind < argc)
        err_set(err, ERR_USAGE, "%s: one thing at a time", argv[optind]);
    else if (!name)
        err_set(err, ERR_USAGE, "what to do: gait store show -s STORE");
    else
        for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
            if (strcmp(actions[i].name, name) == 0)
                return &actions[i];
            else
                err_set(err, ERR_USAGE, "%s: expected show, check, roll-up, prune, copy or update",
                        name);
    return NULL;
}

int cmd_store(int argc, char **argv)
{
    struct options options = {.after_s = 2 * 3600};
    struct err err;
    struct store store;
    if (!flags_parse(&this_command, &options, argc, argv, &err))
        return say_err(&err);
    const struct action *action = action_find(argc, argv, &err);
    if (!action)
        return say_err(&err);
    if (!options.store) {
        err_set(&err, ERR_USAGE, "no store: gait store %s -s STORE", action->name);
        return say_err(&err);
    }
    if (!store_open(options.store, action->use, &store, &err))
        return say_err(&err);
    bool ok = action->act(&options, &store, &err);
    store_close(&store);
    return ok ? EXIT_DONE : say_err(&err);
}
