#include "compress/design.h"

#include "compress/associative.h"

enum { RATE_MAX = 1 << 30, THRESHOLD_MAX = 1 << 15 };

struct reader {
    const char *text;
    size_t at;
    const char *wrong; /* the first thing that is */
};

static bool fail(struct reader *reader, const char *wrong)
{
    if (!reader->wrong)
        reader->wrong = wrong;
    return false;
}

static bool accept(struct reader *reader, const char *word)
{
    size_t n = 0;
    while (word[n] && reader->text[reader->at + n] == word[n])
        n++;
    if (word[n])
        return false;
    reader->at += n;
    return true;
}

static bool expect(struct reader *reader, const char *word, const char *wrong)
{
    return accept(reader, word) || fail(reader, wrong);
}

static bool read_number(struct reader *reader, uint32_t least, uint32_t most, const char *wrong,
                        uint32_t *number)
{
    size_t start = reader->at;
    uint64_t value = 0;
    for (char c; c = reader->text[reader->at], c >= '0' && c <= '9' && value <= most; reader->at++)
        value = 10 * value + (uint64_t)(c - '0');
    if (reader->at > start && value >= least && value <= most) {
        *number = (uint32_t)value;
        return true;
    }
    reader->at = start;
    return fail(reader, wrong);
}

static bool read_power(struct reader *reader, const char *wrong, uint32_t *bits)
{
    size_t start = reader->at;
    uint32_t number;
    if (!read_number(reader, 1, 1 << HASH_BITS_MAX, wrong, &number))
        return false;
    *bits = (uint32_t)__builtin_ctz(number);
    if (number == UINT32_C(1) << *bits)
        return true;
    reader->at = start;
    return fail(reader, wrong);
}

static bool read_sampler(struct reader *reader, struct sampling *sampling)
{
    sampling->counted = accept(reader, "C");
    if (accept(reader, "P"))
        sampling->kind = SAMPLER_PERIODIC;
    else if (accept(reader, "R"))
        sampling->kind = SAMPLER_RANDOM;
    else if (accept(reader, "D"))
        sampling->kind = SAMPLER_COUNTDOWN;
    else
        return fail(reader, "a sampler is P, R or D, or one of them behind C");
    if (!read_number(reader, 1, RATE_MAX, "a rate is a number from 1 to 2^30", &sampling->rate))
        return false;
    sampling->failure = random_failure(1, sampling->rate);
    return true;
}

static bool read_splitter(struct reader *reader, struct design *design)
{
    return expect(reader, "[", "H is followed by a sampler in brackets, as in H[P256]2048") &&
           read_sampler(reader, &design->sampling) && expect(reader, "]", "a ] is missing") &&
           read_power(reader, "a stream is split into a power of two of them, at most 65536",
                      &design->bits);
}

static bool read_tagged(struct reader *reader, struct design *design)
{
    uint32_t ways;
    design->tagged = true;
    if (!read_number(reader, 1, TAGGED_TAG_BITS_MAX, "tags have 1 to 8 bits", &design->tag_bits) ||
        !expect(reader, "[", "tags are followed by a threshold in brackets, as in T2[256]2048x2") ||
        !read_number(reader, 4, THRESHOLD_MAX, "a threshold is a number from 4 to 32768",
                     &design->threshold) ||
        !expect(reader, "]", "a ] is missing") ||
        !read_power(reader, "a table has a power of two of entries, at most 65536",
                    &design->bits) ||
        !expect(reader, "x",
                "entries are followed by x and how many make a set, as in T2[256]2048x2") ||
        !read_power(reader, "a set has 1, 2, 4 or 8 entries", &ways))
        return false;
    design->ways = UINT32_C(1) << ways;
    if (design->ways > TAGGED_WAYS_MAX || ways > design->bits)
        return fail(reader, "a set has 1, 2, 4 or 8 entries, and no more than the table");
    design->bits -= ways;
    return true;
}

static bool read_option(struct reader *reader, struct design *design)
{
    struct tagged_choices *choices = &design->choices;
    const struct {
        const char *name;
        bool *flag;
    } options[] = {{"paper", &design->paper},
                   {"phase", &design->phase},
                   {"converge", &design->converge},
                   {"begins-at-0", &choices->begins_at_0},
                   {"told-without", &choices->told_without},
                   {"taken-without", &choices->taken_without},
                   {"real-quotient", &choices->real_quotient}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (accept(reader, options[i].name)) {
            *options[i].flag = true;
            return true;
        }
    return fail(reader, "not an option: paper, phase, converge, begins-at-0, told-without, "
                        "taken-without, real-quotient");
}

static bool read_design(struct reader *reader, struct design *design)
{
    bool front = accept(reader, "H")   ? read_splitter(reader, design)
                 : accept(reader, "T") ? read_tagged(reader, design)
                                       : read_sampler(reader, &design->sampling);
    if (!front ||
        (accept(reader, "+A") &&
         !read_number(reader, 1, ASSOCIATIVE_MAX, "A has 1 to 64 counters", &design->associative)))
        return false;
    while (accept(reader, ","))
        if (!read_option(reader, design))
            return false;
    return !reader->text[reader->at] || fail(reader, "what follows here is not part of a design");
}

const char *design_parse(struct design *design, const char *text, size_t *at)
{
    struct reader reader = {.text = text};
    *design = (struct design){0};
    if (read_design(&reader, design))
        return NULL;
    *at = reader.at;
    return reader.wrong;
}
