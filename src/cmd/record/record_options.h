/* The options of record. */
#pragma once

#include "collect/plain/plain.h"
#include "collect/exact/plans.h"
#include "collect/recording.h"
#include "compress/design.h"
#include "process/selection.h"
#include "model/core/model.h"

struct err;

enum { RECORD_PIDS_MAX = 256 };

struct record_command {
    bool is_plain; /* then `plain` says what to do, else `walks` */
    struct recording_options walks;
    struct plain_options plain;
    int pids[RECORD_PIDS_MAX];
    struct selection only;
    struct plans plans;
    struct design design; /* of a compressor */
    struct model core;    /* if walks.core is this */
    bool events;          /* --events was given */
    char for_walks[64];   /* an option that was given and means walks only; or "" */
    bool merges_sites;    /* of calling contexts */
    bool quiet, verbose;
};

/* Pointers lead into argv and into `options` itself. */
bool record_parse(struct record_command *options, int argc, char **argv, struct err *err);
