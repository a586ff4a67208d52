#include "wire/stack_words.h"

/* No kernel maps anything below the first, by default, nor hands out addresses beyond the second.
 */
#define ADDRESS_FIRST (UINT64_C(1) << 16)
#define ADDRESS_END (UINT64_C(1) << 47)

uint32_t stack_words_encode(uint64_t *to, const uint64_t *from, uint32_t n)
{
    uint64_t *at = to;
    for (uint32_t block = 0; block < n; block += STACK_WORDS_BLOCK) {
        uint32_t words = n - block < STACK_WORDS_BLOCK ? n - block : (uint32_t)STACK_WORDS_BLOCK;
        uint64_t addresses = 0, zeros = 0, *masks = at;
        /* The masks may lie where the first words are still to be read: they are written last. */
        uint64_t kept[STACK_WORDS_BLOCK];
        uint32_t n_kept = 0;
        for (uint32_t i = 0; i < words; i++) {
            uint64_t word = from[block + i];
            uint64_t is_address = word - ADDRESS_FIRST < ADDRESS_END - ADDRESS_FIRST;
            kept[n_kept] = word;
            n_kept += (uint32_t)is_address;
            addresses |= is_address << i;
            zeros |= (uint64_t)(word == 0) << i;
        }
        masks[0] = addresses;
        masks[1] = zeros;
        at += STACK_WORDS_MASKS;
        for (uint32_t i = 0; i < n_kept; i++)
            *at++ = kept[i];
    }
    return (uint32_t)(at - to);
}

/* Most words are "other": all are set to that, then each bit that is set is looked at alone. */
bool stack_words_decode(const uint64_t *from, size_t room, uint64_t *to, uint32_t n)
{
    size_t at = 0;
    for (uint32_t i = 0; i < n; i += STACK_WORDS_BLOCK) {
        uint32_t words = n - i < STACK_WORDS_BLOCK ? n - i : (uint32_t)STACK_WORDS_BLOCK;
        uint64_t there = UINT64_MAX >> (STACK_WORDS_BLOCK - words);
        if (room - at < STACK_WORDS_MASKS)
            return false;
        uint64_t addresses = from[at] & there, zeros = from[at + 1] & there & ~addresses;
        at += STACK_WORDS_MASKS;
        for (uint32_t k = 0; k < words; k++)
            to[i + k] = STACK_WORD_OTHER;
        for (; zeros; zeros &= zeros - 1)
            to[i + (uint32_t)__builtin_ctzll(zeros)] = 0;
        for (; addresses && at < room; addresses &= addresses - 1)
            to[i + (uint32_t)__builtin_ctzll(addresses)] = from[at++];
        if (addresses)
            return false;
    }
    return true;
}
