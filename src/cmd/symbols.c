/* gait symbols: where addresses of a binary come from. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/flags.h"
#include "cmd/symbol_answers.h"
#include "cmd/options/view_options.h"
#include "program/binary.h"
#include "program/source.h"
#include "text/json.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct options {
    const char *binary;
    char **addresses;
    bool linkage, no_inlines, json, quiet;
};

static const struct flag flags[] = {
    {"linkage", 0, NULL, NULL, "names as the linker knows them",
     TAKE(set, struct options, linkage)},
    {"no-inlines", 0, NULL, NULL, "only the innermost line and the real function",
     TAKE(set, struct options, no_inlines)},
    {"json", 0, NULL, NULL, "as JSON, schema gait/symbols/1", TAKE(set, struct options, json)},
    {"quiet", 'q', NULL, NULL, "do not mention missing debug information",
     TAKE(set, struct options, quiet)},
    {0},
};

static const struct command_line this_command = {
    .usage =
        "usage: gait symbols [options] BINARY [ADDRESS...]\n\nPrints function and FILE:LINE:COLUMN "
        "of each address, innermost inlined function first, then an\nempty line. Addresses are "
        "hexadecimal, as linked; without any, they are read from standard input.\n",
    .flags = flags,
};

static bool parse(struct options *options, int argc, char **argv, struct err *err)
{
    *options = (struct options){0};
    if (!flags_parse(&this_command, options, argc, argv, err))
        return false;
    if (optind == argc)
        return err_set(err, ERR_USAGE, "no binary: gait symbols BINARY [ADDRESS...]");
    options->binary = argv[optind];
    options->addresses = argv + optind + 1;
    return true;
}

/* ---- answers */

struct asking {
    const struct options *options;
    struct binary binary;
    struct answers answers;
    struct json json;
    struct addresses {
        VEC(uint64_t);
    } addresses;
};

static void frame_json(struct asking *asking, struct answerer *answerer,
                       const struct source_frame *frame)
{
    struct json *json = &asking->json;
    size_t bytes;
    json_object(json, NULL);
    json_string(json, "name", answers_name(&asking->answers, answerer, frame, &bytes));
    if (frame->linkage)
        json_string(json, "linkage", frame->linkage);
    if (frame->file)
        json_string(json, "file", frame->file);
    json_integer(json, "line", frame->line);
    json_integer(json, "column", frame->column);
    json_integer(json, "discriminator", frame->discriminator);
    json_object_end(json);
}

static void answer_json(struct asking *asking, uint64_t address)
{
    struct answerer *answerer = answers_answerer(&asking->answers, 0);
    size_t n = answers_frames(&asking->answers, answerer, address);
    char text[32];
    snprintf(text, sizeof text, "0x%lx", address);
    json_object(&asking->json, NULL);
    json_string(&asking->json, "address", text);
    json_array(&asking->json, "frames");
    for (size_t i = 0; i < n; i++)
        frame_json(asking, answerer, &answerer->frames[i]);
    json_array_end(&asking->json);
    json_object_end(&asking->json);
}

static void answer(struct asking *asking)
{
    struct addresses *addresses = &asking->addresses;
    if (asking->options->json)
        for (size_t i = 0; i < addresses->n; i++)
            answer_json(asking, addresses->at[i]);
    else
        answers_write(&asking->answers, addresses->at, addresses->n, stdout);
    addresses->n = 0;
}

/* ---- questions */

static bool ask(struct asking *asking, const char *word, size_t bytes, struct err *err)
{
    uint64_t address = 0;
    size_t i = bytes > 2 && word[0] == '0' && (word[1] | 32) == 'x' ? 2 : 0;
    bool good = i < bytes && bytes - i <= 16;
    for (; good && i < bytes; i++) {
        unsigned char c = (unsigned char)word[i];
        good = isxdigit(c);
        address = address << 4 | (uint64_t)(isdigit(c) ? c - '0' : (c | 32) - 'a' + 10);
    }
    if (!good)
        return err_set(err, ERR_FORMAT, "'%.*s' is not a hexadecimal address",
                       bytes < 64 ? (int)bytes : 64, word);
    *vec_push(&asking->addresses) = address;
    return true;
}

static bool ask_line(struct asking *asking, const char *line, size_t bytes, size_t number,
                     struct err *err)
{
    while (bytes && isspace((unsigned char)line[bytes - 1]))
        bytes--;
    while (bytes && isspace((unsigned char)*line))
        line++, bytes--;
    return !bytes || ask(asking, line, bytes, err) || err_in(err, "line %zu of the input", number);
}

enum { INPUT_BYTES = 1 << 15 };

/* Whatever is there is answered at once, so that another program can ask line by line. */
static bool ask_input(struct asking *asking, struct err *err)
{
    char *input = mem_alloc(INPUT_BYTES);
    size_t held = 0, number = 0;
    bool good = true;
    for (ssize_t got = 1; good && got > 0;) {
        got = read(STDIN_FILENO, input + held, INPUT_BYTES - held);
        if (got < 0)
            good = err_errno(err, "cannot read the input");
        held += got > 0 ? (size_t)got : 0;
        size_t at = 0;
        for (const char *end; good && (end = memchr(input + at, '\n', held - at));) {
            size_t bytes = (size_t)(end - input) - at;
            good = ask_line(asking, input + at, bytes, ++number, err);
            at += bytes + 1;
        }
        if (good && (got == 0 || held - at == INPUT_BYTES)) {
            good = ask_line(asking, input + at, held - at, ++number, err);
            at = held;
        }
        memmove(input, input + at, held - at);
        held -= at;
        answer(asking);
        fflush(stdout);
    }
    mem_free(input);
    return good;
}

static bool ask_all(struct asking *asking, struct err *err)
{
    if (asking->options->json) {
        json_begin(&asking->json, stdout);
        json_object(&asking->json, NULL);
        json_string(&asking->json, "schema", "gait/symbols/1");
        json_string(&asking->json, "binary", asking->options->binary);
        json_array(&asking->json, "rows");
    }
    bool good = true;
    if (!*asking->options->addresses)
        good = ask_input(asking, err);
    for (char **word = asking->options->addresses; good && *word; word++)
        good = ask(asking, *word, strlen(*word), err);
    answer(asking);
    if (asking->options->json) {
        json_array_end(&asking->json);
        json_object_end(&asking->json);
        json_end(&asking->json);
    }
    return good;
}

/* Said once, after what is known. */
static int what_is_wrong(struct asking *asking)
{
    struct err err;
    const char *missing = binary_debug_missing(&asking->binary);
    if (missing && !asking->options->quiet)
        say("%s: %s", asking->options->binary, missing);
    return binary_debug_whole(&asking->binary, &err) ? EXIT_DONE : say_err(&err);
}

int cmd_symbols(int argc, char **argv)
{
    struct options options;
    struct err err;
    if (!parse(&options, argc, argv, &err))
        return say_err(&err);
    struct asking asking = {.options = &options};
    if (!binary_open_whole(&asking.binary, options.binary, &err))
        return say_err(&err);
    answers_init(&asking.answers, &asking.binary, options.linkage, options.no_inlines);
    int status = ask_all(&asking, &err) ? output_status() : say_err(&err);
    if (status == EXIT_DONE)
        status = what_is_wrong(&asking);
    answers_release(&asking.answers);
    vec_release(&asking.addresses);
    binary_close(&asking.binary);
    return status;
}
