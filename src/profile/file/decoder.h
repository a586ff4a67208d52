/* A profile that is being read: what one chunk leaves for those after it. */
#pragma once

#include "profile/file/row.h"

struct decoder {
    struct profile *profile;
    struct numbering in_profile; /* of the file's modules so far */
    struct decoder_numbers {
        VEC(uint32_t);    /* index in the profile's table */
    } numbers[TABLES];    /* index of each key that batches introduced */
    struct bytes command; /* lines so far */
    struct bytes name;    /* scratch */
    struct stacks *tree;  /* tree that is being read */
    struct decoder_path {
        VEC(uint32_t);
    } path;                                /* scratch: the nodes above the one being read */
    struct threads new_threads;            /* not in the profile yet, in file order */
    struct names new_names;                /* likewise */
    struct decoder_numbers logged[TABLES]; /* index of each key that LOGGED introduced */
    bool logging;                          /* a batch of the log is open */
    bool has_mode, has_command, ended;
    uint64_t skipped; /* chunks of unknown type */
};

void decoder_init(struct decoder *decoder, struct profile *profile);
void decoder_release(struct decoder *decoder);
/* Adds threads and names to the profile. They are kept apart until then, so that their order in the
 * file costs nothing. */
void decoder_settle(struct decoder *decoder);
/* A module of the profile by its number in the file plus one. */
bool decoder_module(const struct decoder *decoder, uint64_t number, uint32_t *ret_module,
                    struct err *err);
