#include "cmd/symbol_answers.h"

#include "program/binary.h"

#include <string.h>

enum { BLOCK_ADDRESSES = 128 };

struct answerer *answers_answerer(struct answers *answers, unsigned worker)
{
    if (!answers->answerers[worker]) {
        struct answerer *answerer = mem_alloc(sizeof *answerer);
        source_memory_init(&answerer->memory);
        map_init(&answerer->readable_known, sizeof(uint64_t));
        answers->answerers[worker] = answerer;
    }
    return answers->answerers[worker];
}

void answers_init(struct answers *answers, const struct binary *binary, bool linkage,
                  bool no_inlines)
{
    *answers = (struct answers){.binary = binary, .linkage = linkage, .no_inlines = no_inlines};
    for (unsigned i = 0; i < DEMANGLERS; i++) {
        pthread_mutex_init(&answers->demanglers[i].lock, NULL);
        demangler_init(&answers->demanglers[i].demangler);
    }
}

void answers_release(struct answers *answers)
{
    for (unsigned i = 0; i < PARALLEL_MAX; i++) {
        struct answerer *answerer = answers->answerers[i];
        if (!answerer)
            continue;
        source_memory_release(&answerer->memory);
        map_release(&answerer->readable_known);
        vec_release(&answerer->readable);
        mem_free(answerer);
    }
    for (unsigned i = 0; i < DEMANGLERS; i++) {
        demangler_release(&answers->demanglers[i].demangler);
        pthread_mutex_destroy(&answers->demanglers[i].lock);
    }
    for (size_t i = 0; i < answers->blocks.room; i++)
        vec_release(&answers->blocks.at[i]);
    vec_release(&answers->blocks);
}

/* ---- one address */

size_t answers_frames(struct answers *answers, struct answerer *answerer, uint64_t address)
{
    struct source_frame *frames = answerer->frames;
    size_t n = source_frames_of(answers->binary, &answerer->memory, (struct svma){address}, frames,
                                ANSWER_FRAMES_MAX);
    n = n < ANSWER_FRAMES_MAX ? n : ANSWER_FRAMES_MAX;
    if (answers->no_inlines && n > 1) {
        frames[0].linkage = frames[n - 1].linkage;
        answerer->memory.node = NULL; /* what it remembers is no longer there */
        n = 1;
    }
    return n;
}

static const char *readable_name(struct answers *answers, const char *linkage)
{
    uint32_t sum = 0;
    for (const char *at = linkage; *at; at++)
        sum = sum * 31 + (unsigned char)*at;
    struct shared_demangler *shared = &answers->demanglers[sum % DEMANGLERS];
    pthread_mutex_lock(&shared->lock);
    const char *text = demangle(&shared->demangler, linkage);
    pthread_mutex_unlock(&shared->lock);
    return text;
}

/* Linkage names stay where they are as long as the binary, so a pointer stands for its text. */
const char *answers_name(struct answers *answers, struct answerer *answerer,
                         const struct source_frame *frame, size_t *ret_bytes)
{
    const char *linkage = frame->linkage ? frame->linkage : "??";
    uint64_t key = (uintptr_t)linkage;
    uint32_t i = map_add(&answerer->readable_known, &key);
    if (i == answerer->readable.n) {
        const char *text = answers->linkage ? linkage : readable_name(answers, linkage);
        *vec_push(&answerer->readable) = (struct readable){text, strlen(text)};
    }
    *ret_bytes = answerer->readable.at[i].bytes;
    return answerer->readable.at[i].text;
}

static char *put(char *to, const char *text, size_t bytes)
{
    memcpy(to, text, bytes);
    return to + bytes;
}

static char *put_number(char *to, uint32_t value)
{
    char digits[10];
    unsigned n = 0;
    do
        digits[n++] = (char)('0' + value % 10);
    while (value /= 10);
    while (n)
        *to++ = digits[--n];
    return to;
}

static void frame_write(struct answers *answers, struct answerer *answerer,
                        struct answer_text *text, const struct source_frame *frame)
{
    size_t name_bytes;
    const char *name = answers_name(answers, answerer, frame, &name_bytes);
    const char *file = frame->file ? frame->file : "??";
    size_t file_bytes = strlen(file);
    vec_reserve(text, text->n + name_bytes + file_bytes + 32);
    char *to = text->at + text->n;
    to = put(to, name, name_bytes);
    *to++ = '\n';
    to = put(to, file, file_bytes);
    *to++ = ':';
    to = put_number(to, frame->line);
    *to++ = ':';
    to = put_number(to, frame->column);
    *to++ = '\n';
    text->n = (size_t)(to - text->at);
}

/* ---- all of them */

struct job {
    struct answers *answers;
    const uint64_t *addresses;
    size_t n;
};

/* Outer frames that are those of the address before are copied from there. */
struct outer {
    size_t start, bytes;
};

static void answer_write(struct answers *answers, struct answerer *answerer,
                         struct answer_text *text, uint64_t address, struct outer *outer)
{
    static const struct source_frame unknown = {0};
    size_t n = answers_frames(answers, answerer, address);
    frame_write(answers, answerer, text, n ? &answerer->frames[0] : &unknown);
    size_t start = text->n;
    if (answerer->memory.repeated && outer->bytes) {
        vec_reserve(text, text->n + outer->bytes);
        memcpy(text->at + start, text->at + outer->start, outer->bytes);
        text->n += outer->bytes;
    } else {
        for (size_t f = 1; f < n; f++)
            frame_write(answers, answerer, text, &answerer->frames[f]);
    }
    *outer = (struct outer){start, text->n - start};
    *vec_push(text) = '\n';
}

static void block_make(void *context, size_t i, unsigned worker)
{
    const struct job *job = context;
    struct answerer *answerer = answers_answerer(job->answers, worker);
    struct answer_text *text = &job->answers->blocks.at[i];
    size_t end = (i + 1) * BLOCK_ADDRESSES < job->n ? (i + 1) * BLOCK_ADDRESSES : job->n;
    struct outer outer = {0};
    text->n = 0;
    for (size_t a = i * BLOCK_ADDRESSES; a < end; a++)
        answer_write(job->answers, answerer, text, job->addresses[a], &outer);
}

void answers_write(struct answers *answers, const uint64_t *addresses, size_t n, FILE *to)
{
    struct job job = {answers, addresses, n};
    size_t blocks = (n + BLOCK_ADDRESSES - 1) / BLOCK_ADDRESSES;
    vec_reserve(&answers->blocks, blocks);
    parallel_for(blocks, block_make, &job);
    for (size_t i = 0; i < blocks; i++)
        fwrite(answers->blocks.at[i].at, 1, answers->blocks.at[i].n, to);
}
