/* The profile file: written whole, or appended to during a recording; read by every command.
 * docs/FORMAT.md describes every byte.
 *
 * The file on disk is always readable. It holds everything up to the last whole append, even if the
 * writer is killed during one. */
#pragma once

#include "profile/profile.h"

struct bytes;
struct err;
struct kept_packs;
struct places;

/* Reads a profile, "-" from standard input; the caller releases it. A truncated or damaged file
 * gives everything up to the last whole append before the damage; a closed file gives everything
 * but the damaged chunks. Then complete is false and `warning` set. A file that contradicts itself
 * is an error (ERR_FORMAT) with file, offset and reason. Memory use is proportional to the file's
 * size, whatever the file claims. */
bool profile_read(const char *path, struct profile *ret_profile, struct err *err);
/* The same from memory; `name` is for messages. */
bool profile_read_bytes(const char *name, const void *bytes, size_t n, struct profile *ret_profile,
                        struct err *err);

/* Writes a whole profile to a temporary file, which then replaces the file; the old one becomes
 * PATH.old. On failure the old file stays. Equal profiles give equal bytes. */
bool profile_write(const char *path, const struct profile *profile, struct err *err);
/* The bytes of that file, compressed or not, added to `to`. */
void profile_write_bytes(struct bytes *to, const struct profile *profile, bool compressed);

/* A file that grows with a recording. The writer keeps the sum of all appends. It rewrites the file
 * when that is more than twice as large as needed (plus 8 MiB). */
struct profile_writer;

/* Creates the file (mode 0600); an old one becomes PATH.old. Writes mode, command, start and facts
 * of `head`; anything else in it counts as a first append. */
bool profile_writer_open(const char *path, const struct profile *head,
                         struct profile_writer **ret_writer, struct err *err);
/* Appends a delta: modules, facts, tables, totals and losses. After a failure the delta is kept and
 * written with the next append that works. */
bool profile_writer_append(struct profile_writer *writer, const struct profile *delta,
                           struct err *err);
/* The same for the last append. If it is also the first, closing writes it, and its tables are
 * taken out of `delta`. */
bool profile_writer_append_last(struct profile_writer *writer, struct profile *delta,
                                struct err *err);
/* Batches closed into `delta` now go directly to the writer, which writes them unsummed with the
 * next append. Everything but the tables still goes into `delta`, which must be appended next. A
 * batch must stay with one writer. Closing or abandoning the writer detaches. */
void profile_writer_attach(struct profile_writer *writer, struct profile *delta);
/* The sum of all appends. */
const struct profile *profile_writer_total(struct profile_writer *writer);
/* Closing tells here how many rows of each table the file has. */
void profile_writer_tell_rows(struct profile_writer *writer, uint64_t ret_rows[TABLES]);
/* From the first append on: notes the code that the recording has anything to say about. */
void profile_writer_note_places(struct profile_writer *writer);
/* That code, by modules of profile_writer_total; valid until the writer is closed. Needs no sums:
 * it takes a millisecond where adding up takes ten. */
const struct places *profile_writer_places(struct profile_writer *writer,
                                           const struct profile **ret_modules);
/* The numbers of its modules in the file so far: an append may add some, a rewrite changes all. */
const struct numbering *profile_writer_numbers(const struct profile_writer *writer);
/* Adds what is kept of modules' files, numbered like those places, to the file when it is closed,
 * which may take about so much CPU time. `packs`: what is packed of it; it is used up. NULL:
 * nothing is. */
void profile_writer_keep(struct profile_writer *writer, struct kept_parts *kept,
                         struct arena *arena, struct kept_packs *packs, uint64_t cpu_ns);
/* Rewrites the file and marks it complete. Frees the writer, also on failure. */
bool profile_writer_close(struct profile_writer *writer, struct err *err);
/* The same without rewriting it: readers add the appends up. Takes next to no time. */
bool profile_writer_end(struct profile_writer *writer, struct err *err);
/* Frees the writer; the file stays incomplete. */
void profile_writer_abandon(struct profile_writer *writer);
