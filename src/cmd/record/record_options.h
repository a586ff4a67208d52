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
    bool is_plain; /* use `plain`; else `walks` */
    struct recording_options walks;
    struct plain_options plain;
    int pids[RECORD_PIDS_MAX];
    struct selection only;
    struct plans plans;
    struct design design; /* of a compressor */
    struct model core;    /* valid if walks.core points here */
    bool events;          /* --events was given */
    char for_walks[64];   /* a given option that only walks have; or "" */
    bool merges_sites;    /* of calling contexts */
    bool quiet, verbose, view;
};

/* Pointers in `options` lead into argv and into `options`. */
bool record_parse(struct record_command *options, int argc, char **argv, struct err *err);
