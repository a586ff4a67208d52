/* From a profile to chunks. Same profile, same bytes: rows are sorted, names are sorted, and
 * nothing depends on where things are in memory. */
#pragma once

#include "profile/file/encoder.h"

/* Everything: start, header, modules by path and build-id, tables, losses, totals, and END if the
 * profile is complete. ret_in_file gets the numbers of the profile's modules, if wanted. */
void encode_whole(struct encoder *encoder, const struct profile *profile,
                  struct numbering *ret_in_file);

/* The parts of an append. A HEADER with the facts alone: command and start do not change. */
void encode_facts(struct encoder *encoder, const struct profile *profile);
void encode_module(struct encoder *encoder, const struct module *module);
void encode_modules_end(struct encoder *encoder);
void encode_counts(struct encoder *encoder, const struct profile *profile,
                   const struct numbering *in_file);
void encode_end(struct encoder *encoder);
