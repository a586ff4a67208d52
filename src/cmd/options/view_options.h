/* The options that views share, and what views do with them.
 *
 * A view's own options are a struct that begins with struct view_options; its table lists the
 * shared ones by the macros below, each with its place in the help. Every view takes all of them,
 * shown or not. */
#pragma once

#include "cmd/options/flags.h"
#include "text/ink.h"
#include "view/head.h"

#include <stdbool.h>
#include <stddef.h>

struct err;

struct view_options {
    const char *input;             /* NULL: not given */
    const char *module, *function; /* NULL: all */
    const char *event;             /* NULL: the first */
    uint32_t pid, tid;             /* 0: all */
    enum item_by by;
    enum weight weight;
    size_t limit;
    double from_s, to_s; /* of --time: since the start; to_s 0: the end */
    bool has_time, has_weight, has_limit, json, raw, inferred, quiet, no_pager, verbose;
    enum infer_method method; /* of --inferred=METHOD */
    enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;
};

/* clang-format off */
#define TAKE_VIEW(kind, member) TAKE(kind, struct view_options, member)
#define VIEW_INPUT {"input", 'i', "FILE", NULL, "the profile", TAKE_VIEW(text, input)}
#define VIEW_BY(what) \
    {"by", 0, "KEY", "function, line, inline, block, edge, instruction, call or loop", what, \
     TAKE_VIEW(by, by)}
#define VIEW_WEIGHT(what) {"weight", 0, "WEIGHT", "count or time", what, TAKE_VIEW(weight, weight)}
#define VIEW_MODULE(what) {"module", 0, "NAME", NULL, what, TAKE_VIEW(text, module)}
#define VIEW_FUNCTION(what) {"function", 0, "NAME", NULL, what, TAKE_VIEW(text, function)}
#define VIEW_PID(what) \
    {"pid", 0, "N", NULL, what, TAKE_VIEW(u32, pid), .low = 1, .expected = "a process id"}
#define VIEW_TID(what) \
    {"tid", 0, "N", NULL, what, TAKE_VIEW(u32, tid), .low = 1, .expected = "a thread id"}
#define VIEW_LIMIT(what) \
    {"limit", 0, "N", NULL, what, TAKE_VIEW(limit, limit), .expected = "a number of rows"}
#define VIEW_TIME \
    {"time", 0, "FROM:TO", NULL, "only this part of the run, in seconds since its start", \
     TAKE_VIEW(time, from_s), .expected = "FROM:TO in seconds, of which one may be missing"}
#define VIEW_EVENT \
    {"event", 0, "NAME", NULL, "samples of this event, of a profile with several", \
     TAKE_VIEW(text, event)}
#define VIEW_JSON(what) {"json", 0, NULL, NULL, what, TAKE_VIEW(set, json)}
#define VIEW_RAW(what) {"raw", 0, NULL, NULL, what, TAKE_VIEW(raw, raw)}
#define INFERRED_WORDS "confidence, levin, profi, static, classes or perfect"
#define VIEW_INFERRED(what) \
    {"inferred", 0, "[=HOW]", INFERRED_WORDS, what, TAKE_VIEW(inferred, method)}
#define VIEW_COLOR \
    {"color", 0, "WHEN", "auto, always or never", \
     " (auto: on a terminal, unless NO_COLOR is set)", TAKE_VIEW(word, color)}
#define VIEW_NO_PAGER \
    {"no-pager", 0, NULL, NULL, "do not use a pager", TAKE_VIEW(set, no_pager)}
#define VIEW_VERBOSE \
    {"verbose", 'v', NULL, NULL, "show names in full", TAKE_VIEW(set, verbose)}
/* Where files are that are not where they ran: for all views, in gait(1), and so not in their help;
 * the second two are, for commands whose pages or messages name them. */
#define VIEW_BINARY_SAYS(what) {"binary", 0, "OLD=NEW", NULL, what, .take = take_moved_binary}
#define VIEW_SYMFS_SAYS(what) {"symfs", 0, "FOLDER", NULL, what, .take = take_symfs}
#define VIEW_BINARY VIEW_BINARY_SAYS(NULL)
#define VIEW_SYMFS VIEW_SYMFS_SAYS(NULL)
#define VIEW_BINARY_SHOWN \
    VIEW_BINARY_SAYS("the file or folder OLD is at NEW now; may be given again")
#define VIEW_SYMFS_SHOWN VIEW_SYMFS_SAYS("look for files below FOLDER first")
#define VIEW_QUIET(what) {"quiet", 'q', NULL, NULL, what, TAKE_VIEW(set, quiet)}
/* clang-format on */
/* What views that write text for people have in common. */
#define VIEW_OUTPUT                                                                                \
    VIEW_COLOR, VIEW_NO_PAGER, VIEW_VERBOSE, VIEW_QUIET("do not mention a damaged file")

/* All of these: a view takes them even where they are not in its help. */
extern const struct flag view_flags[];

bool take_moved_binary(void *to, const struct flag *flag, const char *value, struct err *err);
bool take_symfs(void *to, const struct flag *flag, const char *value, struct err *err);
bool take_by(void *to, const struct flag *flag, const char *value, struct err *err);
bool take_weight(void *to, const struct flag *flag, const char *value, struct err *err);
bool take_time(void *to, const struct flag *flag, const char *value, struct err *err);
bool take_limit(void *to, const struct flag *flag, const char *value, struct err *err);
bool take_raw(void *to, const struct flag *flag, const char *value, struct err *err);
bool take_inferred(void *to, const struct flag *flag, const char *value, struct err *err);

/* Takes the file to show from the arguments; gait.data if there is none. */
bool view_input(struct view_options *options, int argc, char **argv, struct err *err);
/* The number of rows: --limit, else `in_text`; all in JSON. */
size_t view_rows(const struct view_options *options, size_t in_text);

/* Reads a profile; reports damage unless quiet. EXIT_DONE, or an exit status after a message.
 * profile_load refuses a profile without readable content; profile_load_any does not. */
int profile_load(const char *path, bool quiet, struct profile *ret_profile);
/* Likewise, of a profile's samples of that event alone; NULL: of the first. */
int profile_load_event(const char *path, bool quiet, const char *event,
                       struct profile *ret_profile);
/* The profile that the options name; with --time only that part of the run (profile/part.h). */
int view_load(const struct view_options *options, struct profile *ret_profile);
/* Likewise, for a view of what windows counted: refuses a part without that. */
int view_load_counts(const struct view_options *options, struct profile *ret_profile);
/* Likewise, for a view of waits alone. */
int view_load_waits(const struct view_options *options, struct profile *ret_profile);
int profile_load_any(const char *path, bool quiet, struct profile *ret_profile);
/* Gives a profile that was read to the next load of this path, which then takes no time. For a
 * process that answers many questions, each in a child of its own (cmd/view). */
void profile_preload(const char *path, const struct profile *profile);

/* Whether the view shows inferred counts: they exist and --raw was not given. */
bool view_infers(const struct view_options *options, const struct profile *profile);
/* Says that this view has no inferred counts; the exit status. */
int say_not_inferred(void);

/* The width of the terminal on stdout; 0: none. Call it before output_begin, which may start a
 * pager. */
int output_columns(void);
/* Call before writing text. Gives the colours and starts the pager, if stdout is a terminal. JSON
 * has neither. */
struct ink output_begin(const struct view_options *options);
/* For text without colours and pager: what is too wide for a terminal goes on below. */
void output_wrap(void);
/* EXIT_DONE if all of stdout was written. Ends the pager, too. */
int output_status(void);
