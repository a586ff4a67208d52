/* The profile file: written whole, or appended to as a recording goes on; read by every command.
 * docs/FORMAT.md has every byte.
 *
 * At any moment the file on disk is readable and holds everything up to the last whole append, even
 * if the writer is killed in the middle of one. */
#pragma once

#include "profile/profile.h"

struct err;

/* Reads a profile; the caller releases it. A file cut short or damaged somewhere behind its header
 * gives everything up to the last whole append before that place, or, of a closed file, everything
 * but the damaged chunks; with complete = false and `warning` set. A file that contradicts itself
 * is an error: ERR_FORMAT, naming file, offset and reason. Memory is in proportion to the file's
 * size, whatever the file claims. */
bool profile_read(const char *path, struct profile *ret_profile, struct err *err);
/* The same from memory; `name` is for messages. */
bool profile_read_bytes(const char *name, const void *bytes, size_t n, struct profile *ret_profile,
                        struct err *err);

/* Writes a whole profile: to a temporary file beside it that then takes its place; what was there
 * is moved to PATH.old. On failure what was there stays. Equal profiles give equal bytes. */
bool profile_write(const char *path, const struct profile *profile, struct err *err);

/* A file that grows with a recording. It keeps the sum of all that was appended, and rewrites the
 * file from it whenever the file is more than twice as large as that needs (plus 4 MiB). */
struct profile_writer;

/* Creates the file (mode 0600), moving what is there to PATH.old. Of `head` the mode, command,
 * start and facts are written now; anything else in it counts as a first append. */
bool profile_writer_open(const char *path, const struct profile *head,
                         struct profile_writer **ret_writer, struct err *err);
/* Appends what is new since the last time: modules, facts, tables, totals and losses. On failure
 * nothing is lost yet: the delta is kept, and written with the next append that works. */
bool profile_writer_append(struct profile_writer *writer, const struct profile *delta,
                           struct err *err);
/* The same for what nothing follows but the end: what is the first append too is left for closing
 * to write, and its tables are taken out of `delta`. */
bool profile_writer_append_last(struct profile_writer *writer, struct profile *delta,
                                struct err *err);
/* From now on batches that are closed into `delta` go to the writer by a shorter way: they are
 * written with the next append as they were seen, and no sums are made for it. All but the tables
 * still goes into `delta`, which must be what is appended next. A batch must stay with one writer.
 * Closing or abandoning the writer detaches. */
void profile_writer_attach(struct profile_writer *writer, struct profile *delta);
/* Everything appended so far. */
const struct profile *profile_writer_total(struct profile_writer *writer);
/* Rewrites the file whole and marks it complete. The writer is gone afterwards, success or not. */
bool profile_writer_close(struct profile_writer *writer, struct err *err);
/* Ends without marking the file complete. */
void profile_writer_abandon(struct profile_writer *writer);
