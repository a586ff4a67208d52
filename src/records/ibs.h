/* AMD's instruction-based sampling, as Linux hands it on: a word of capabilities and the registers
 * of one sample.
 *
 * A fetch sample tells of a fetch, whatever became of its instructions; an op sample of one
 * operation from its tag to its retirement, and only of those that retired. There is no issue time,
 * and one operation is in flight at a time. */
#pragma once

#include "records/bits.h"
#include "records/sample.h"

#include <stdbool.h>

struct err;

/* Of the processor: some have registers that lie. 0: not known, none are doubted. */
struct ibs_machine {
    uint32_t family, model;
};

/* The raw part of a perf sample. False, with a reason: it does not hold the registers that its
 * capabilities promise. */
bool ibs_op_decode(const void *raw, size_t n, const struct ibs_machine *machine,
                   struct sample *sample, struct err *err);
bool ibs_fetch_decode(const void *raw, size_t n, const struct ibs_machine *machine,
                      struct sample *sample, struct err *err);
/* Tells every part by AMD's name for it. */
bool ibs_op_tell(const void *raw, size_t n, const struct bits_listener *listener, struct err *err);
bool ibs_fetch_tell(const void *raw, size_t n, const struct bits_listener *listener,
                    struct err *err);
