/* A key as a row of integers, in the order in which the file sorts and codes them:
 *
 *     EDGES   from_module, from, to_module, to, kind
 *     RANGES  module, start, last, instructions
 *     TRIPS   module, head, n, how
 *     PATHS   module, function, path, kind
 *     VALUES  module, address, kind, value, to, caller_module, caller
 *     LATENCIES  module, address, bin, data
 *     MODELLED  module, address, kind, detail
 *     CONFLICTS  from_module, from, to_module, to, kind
 *     WASTE   first_module, first, second_module, second, first_caller_module, first_caller,
 *             second_caller_module, second_caller, kind
 *     CALLED  from_module, from, to_module, to, from_caller_module, from_caller, to_caller_module,
 *             to_caller, kind
 *
 * A module is written as its number in the file plus one; 0 is MODULE_NONE, which only the from of
 * an edge, the to and the caller of a value, and callers of waste and conflicts may be. */
#pragma once

#include "profile/file/chunk.h"
#include "profile/profile.h"

enum { ROW_FIELDS_MAX = 9 };

struct row {
    uint64_t fields[ROW_FIELDS_MAX];
};

/* Modules by number: in the file for those of a profile, or the other way round. */
struct numbering {
    VEC(uint32_t);
};

union any_key {
    struct edge_key edge;
    struct range_key range;
    struct trip_key trip;
    struct path_key path;
    struct value_key value;
    struct latency_key latency;
    struct modelled_key modelled;
    struct conflict_key conflict;
    struct waste_key waste;
    struct turns_key turns;
    struct called_key called;
    struct first_key first;
};

/* The chunk type of a table, and the table of a chunk type: TABLES if none. */
enum chunk_type row_chunk(enum profile_table table);
enum profile_table row_table(uint32_t type);

/* Number of integers in a row of this chunk type. */
size_t row_fields(enum chunk_type type);

struct row row_of_key(enum chunk_type type, const void *key, const struct numbering *in_file);
/* False, with a reason: the row is not a valid key. */
bool row_to_key(enum chunk_type type, const struct row *row, const struct numbering *in_profile,
                union any_key *ret_key, struct err *err);
