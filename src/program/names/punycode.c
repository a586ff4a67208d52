#include "program/names/punycode.h"

#include <ctype.h>
#include <string.h>

bool punycode_read(const char *text, size_t bytes, uint32_t *letters, size_t *ret_n)
{
    size_t n = 0, at = 0, plain = 0;
    for (size_t i = 0; i < bytes; i++)
        if (text[i] == '_')
            plain = i;
    if (plain >= PUNYCODE_LETTERS_MAX)
        return false;
    for (; n < plain; n++)
        letters[n] = (unsigned char)text[n];
    at = plain ? plain + 1 : 0;
    uint64_t letter = 128, place = 0, bias = 72, damp = 700;
    while (at < bytes) {
        uint64_t delta = 0, weight = 1;
        for (uint64_t k = 36;; k += 36) {
            char c = at < bytes ? text[at++] : 0;
            if (!islower((unsigned char)c) && !isdigit((unsigned char)c))
                return false;
            uint64_t digit = (uint64_t)(islower((unsigned char)c) ? c - 'a' : c - '0' + 26);
            uint64_t least = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
            delta += digit * weight;
            if (delta > UINT32_MAX)
                return false;
            if (digit < least)
                break;
            weight *= 36 - least;
            if (weight > UINT32_MAX)
                return false;
        }
        if (n >= PUNYCODE_LETTERS_MAX)
            return false;
        place += delta;
        letter += place / (n + 1);
        place %= n + 1;
        memmove(letters + place + 1, letters + place, (n - place) * sizeof *letters);
        if (letter > 0x10FFFF)
            return false;
        letters[place++] = (uint32_t)letter;
        n++;
        delta = delta / damp + delta / damp / n;
        damp = 2;
        for (bias = 0; delta > 455; bias += 36)
            delta /= 35;
        bias += 36 * delta / (delta + 38);
    }
    *ret_n = n;
    return true;
}
