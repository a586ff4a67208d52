/* Writes a profile as chunks. Equal profiles give equal bytes: rows and names are sorted, and
 * nothing depends on memory addresses. */
#pragma once

#include "profile/file/encoder.h"

/* The whole file: start, header, modules by path and build-id, tables, losses, totals, and END if
 * the profile is complete. ret_in_file, if not NULL, gets the module numbers. */
void encode_whole(struct encoder *encoder, const struct profile *profile,
                  struct numbering *ret_in_file);

/* Parts of an append. A HEADER with facts only: command and start do not change. */
void encode_facts(struct encoder *encoder, const struct profile *profile);
void encode_module(struct encoder *encoder, const struct module *module);
void encode_modules_end(struct encoder *encoder);
void encode_counts(struct encoder *encoder, const struct profile *profile,
                   const struct numbering *in_file);
void encode_end(struct encoder *encoder);
