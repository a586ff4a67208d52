/* From chunks to a profile. Payloads are untrusted: everything is checked before it is used, and a
 * reason given for what is refused. */
#pragma once

#include "profile/row.h"

struct decoder {
    struct profile *profile;
    struct numbering in_profile; /* of the file's modules so far */
    struct decoder_numbers {
        VEC(uint32_t);    /* index in the profile's table */
    } numbers[TABLES];    /* keys that batches introduced, by number */
    struct bytes command; /* lines so far */
    struct bytes name;    /* scratch */
    struct stacks *tree;  /* that is being read */
    struct decoder_path {
        VEC(uint32_t);
    } path;                     /* scratch: the nodes above the one being read */
    struct threads new_threads; /* not in the profile yet, in the order in which they came */
    struct names new_names;     /* likewise */
    bool has_mode, has_command, ended;
    uint64_t skipped; /* chunks of unknown type */
};

void decoder_init(struct decoder *decoder, struct profile *profile);
void decoder_release(struct decoder *decoder);

/* Adds one chunk to the profile. On failure err names the chunk, the place in it and the reason;
 * the profile is then good for nothing but releasing. */
bool decode_chunk(struct decoder *decoder, struct chunk *chunk, struct err *err);
/* Brings threads and names into the profile. They are kept apart until then so that their order in
 * the file costs nothing. */
void decode_settle(struct decoder *decoder);
/* Call once behind the last chunk; settles. */
void decode_finish(struct decoder *decoder);
