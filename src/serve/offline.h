/* The page as one file that needs no server: the front end, and answers to what its pages ask.
 *
 * Answers are deflated and written as base64, so that no name of a profile stands in the HTML, and
 * the page inflates what it shows (ui/ask.js). A Content-Security-Policy permits the file's own
 * script and style, by their hashes, and no request. */
#pragma once

#include "base/bytes.h"

#include <stdbool.h>
#include <stdio.h>

struct offline_answer {
    const char *key;     /* as ui/ask.js makes it: question_key */
    struct bytes packed; /* deflated, in base64; of JSON: the answer, or {"error": "sentence"} */
};

struct offline {
    struct {
        VEC(struct offline_answer);
    } answers;
    struct {
        VEC(const char *);
    } notes; /* sentences about what the file does not hold */
};

void offline_pack(struct bytes *ret_packed, const void *text, size_t n);
/* Whoever opened the stream sees whether writing worked. */
void offline_write(FILE *to, const struct offline *offline);
void offline_release(struct offline *offline);
