/* A profile is written and read again, and merged with another in either order: the same bytes come
 * out. */
#pragma once

#include "some_profile.h"

#include "profile/file/encode.h"

/* Releases both. */
static inline void same_bytes(struct encoder bytes[2])
{
    assert_int_equal(bytes[0].out.n, bytes[1].out.n);
    assert_memory_equal(bytes[0].out.at, bytes[1].out.at, bytes[0].out.n);
    encoder_release(&bytes[0]);
    encoder_release(&bytes[1]);
}

/* What is read is written as it was. */
static inline void write_and_read(const struct profile *profile, struct profile *ret_again)
{
    struct encoder bytes[2] = {0};
    struct err err;
    encode_whole(&bytes[0], profile, NULL);
    assert_true(profile_read_bytes("it", bytes[0].out.at, bytes[0].out.n, ret_again, &err));
    encode_whole(&bytes[1], ret_again, NULL);
    same_bytes(bytes);
}

/* sums[0] begins with the first profile, sums[1] with the second. */
static inline void merge_in_any_order(const struct profile profiles[2], struct profile sums[2])
{
    struct encoder bytes[2] = {0};
    struct err err;
    for (int i = 0; i < 2; i++) {
        profile_init(&sums[i]);
        sums[i].mode = profiles[i].mode;
        assert_true(profile_merge(&sums[i], &profiles[i], &err));
        assert_true(profile_merge(&sums[i], &profiles[!i], &err));
        encode_whole(&bytes[i], &sums[i], NULL);
    }
    same_bytes(bytes);
}
