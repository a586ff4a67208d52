/* A compressor written down:
 *
 *     R256            takes each tuple with probability 1/256
 *     P256            takes every 256th
 *     D256            takes one after 1 .. 511, evenly
 *     CR10            ... and tells how many have passed: also CP, CD
 *     H[P256]2048     a hash splits the stream into 2048, each with a sampler
 *     T2[256]2048x2   a table of 2048 entries in sets of 2, with tags of 2 bits; tells of 256 at
 * once
 *     ...+A16         16 counters behind it
 *
 * and after commas: paper (the paper's hash instead of the fast one), phase (periods begin
 * anywhere), and the choices of tagged.h: begins-at-0, told-without, taken-without, real-quotient;
 * converge, for whoever feeds it: places whose profile does not change any more are left out before
 * it. */
#pragma once

#include "compress/sampler.h"
#include "compress/tagged.h"

struct design {
    bool tagged; /* else a splitter */
    struct sampling sampling;
    uint32_t bits; /* parts or sets: 2^bits */
    uint32_t ways, tag_bits, threshold;
    struct tagged_choices choices;
    uint32_t associative; /* 0: none */
    bool paper, phase, converge;
};

/* NULL, or what is wrong, and in *at where in the text. */
const char *design_parse(struct design *design, const char *text, size_t *at);
