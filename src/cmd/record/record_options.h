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
    struct arena texts;   /* of options that were given several times */
    char for_walks[64];   /* a given option that only walks have; or "" */
    bool merges_sites;    /* of calling contexts */
    bool quiet, verbose, view;
    enum record_branches_how {
        BRANCHES_WALKS,
        BRANCHES_LBR,
        BRANCHES_AUTO,
        BRANCHES_BARE, /* what LBR does, but for the records: for tests on any machine */
    } branches;
};

/* Shows the profile, if that was asked for, and ends as the program did. */
int record_show_and_end(const struct record_command *options, int status);

/* Pointers in `options` lead into argv and into `options`. */
bool record_parse(struct record_command *options, int argc, char **argv, struct err *err);
