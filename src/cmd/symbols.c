/* gait symbols: where addresses of a binary come from. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/view_options.h"
#include "program/binary.h"
#include "program/demangle.h"
#include "program/source.h"
#include "view/json.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: gait symbols [options] BINARY [ADDRESS...]\n"
    "\n"
    "For each address as linked (hexadecimal; without any, one a line from standard input): "
    "function\n"
    "and FILE:LINE:COLUMN, innermost inlined function first, and an empty line.\n"
    "\n"
    "  --linkage          names as the linker knows them\n"
    "  --no-inlines       only the innermost line and the real function\n"
    "  --json             as JSON, schema gait/symbols/1\n"
    "  -q                 do not mention what is missing from the binary\n";

struct options {
    const char *binary;
    char **addresses;
    bool linkage, no_inlines, json, quiet, help;
};

static bool parse(struct options *options, int argc, char **argv, struct err *err)
{
    enum { OPT_LINKAGE = 256, OPT_NO_INLINES, OPT_JSON };
    static const struct option long_options[] = {
        {"linkage", no_argument, NULL, OPT_LINKAGE},
        {"no-inlines", no_argument, NULL, OPT_NO_INLINES},
        {"json", no_argument, NULL, OPT_JSON},
        {"quiet", no_argument, NULL, 'q'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;
    *options = (struct options){0};
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":qh", long_options, NULL)) != -1) {
        switch (option) {
        case OPT_LINKAGE: options->linkage = true; break;
        case OPT_NO_INLINES: options->no_inlines = true; break;
        case OPT_JSON: options->json = true; break;
        case 'q': options->quiet = true; break;
        case 'h': options->help = true; return true;
        default:
            return err_set(err, ERR_USAGE, "%s: unknown option; see gait symbols --help",
                           argv[optind - 1]);
        }
    }
    if (optind == argc)
        return err_set(err, ERR_USAGE, "which binary? gait symbols BINARY [ADDRESS...]");
    options->binary = argv[optind];
    options->addresses = argv + optind + 1;
    return true;
}

/* ---- one address */

enum { FRAMES_MAX = 512 };

struct asking {
    const struct options *options;
    struct binary binary;
    struct demangler demangler;
    struct json json;
    struct source_frame frames[FRAMES_MAX];
};

static size_t frames_get(struct asking *asking, uint64_t address)
{
    size_t n = source_frames(&asking->binary, (struct svma){address}, asking->frames, FRAMES_MAX);
    n = n < FRAMES_MAX ? n : FRAMES_MAX;
    if (asking->options->no_inlines && n > 1) {
        asking->frames[0].linkage = asking->frames[n - 1].linkage;
        n = 1;
    }
    return n;
}

static const char *name_of(struct asking *asking, const struct source_frame *frame)
{
    if (!frame->linkage)
        return "??";
    return asking->options->linkage ? frame->linkage : demangle(&asking->demangler, frame->linkage);
}

static void answer_text(struct asking *asking, uint64_t address)
{
    size_t n = frames_get(asking, address);
    for (size_t i = 0; i < n; i++) {
        const struct source_frame *frame = &asking->frames[i];
        printf("%s\n%s:%u:%u\n", name_of(asking, frame), frame->file ? frame->file : "??",
               frame->line, frame->column);
    }
    fputs(n ? "\n" : "??\n??:0:0\n\n", stdout);
}

static void answer_json(struct asking *asking, uint64_t address)
{
    char text[32];
    size_t n = frames_get(asking, address);
    snprintf(text, sizeof text, "0x%lx", address);
    json_object(&asking->json, NULL);
    json_string(&asking->json, "address", text);
    json_array(&asking->json, "frames");
    for (size_t i = 0; i < n; i++) {
        const struct source_frame *frame = &asking->frames[i];
        json_object(&asking->json, NULL);
        json_string(&asking->json, "name", name_of(asking, frame));
        if (frame->linkage)
            json_string(&asking->json, "linkage", frame->linkage);
        if (frame->file)
            json_string(&asking->json, "file", frame->file);
        json_integer(&asking->json, "line", frame->line);
        json_integer(&asking->json, "column", frame->column);
        json_integer(&asking->json, "discriminator", frame->discriminator);
        json_object_end(&asking->json);
    }
    json_array_end(&asking->json);
    json_object_end(&asking->json);
}

/* ---- all addresses */

static bool answer(struct asking *asking, const char *word, struct err *err)
{
    char *end;
    uint64_t address = strtoull(word, &end, 16);
    if (end == word || *end)
        return err_set(err, ERR_USAGE, "'%s' is not a hexadecimal address", word);
    if (asking->options->json)
        answer_json(asking, address);
    else
        answer_text(asking, address);
    return true;
}

static bool answer_input(struct asking *asking, struct err *err)
{
    char *line = NULL;
    size_t room = 0, number = 0;
    bool good = true;
    while (good && getline(&line, &room, stdin) > 0) {
        number++;
        line[strcspn(line, " \t\r\n")] = 0;
        if (*line && !answer(asking, line, err))
            good = err_in(err, "line %zu of the input", number);
    }
    free(line);
    return good;
}

static bool answer_all(struct asking *asking, struct err *err)
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
        good = answer_input(asking, err);
    for (char **word = asking->options->addresses; good && *word; word++)
        good = answer(asking, *word, err);
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
    if (options.help) {
        fputs(usage, stdout);
        return EXIT_DONE;
    }
    struct asking *asking = mem_alloc(sizeof *asking);
    asking->options = &options;
    if (!binary_open(&asking->binary, options.binary, &err)) {
        mem_free(asking);
        return say_err(&err);
    }
    demangler_init(&asking->demangler);
    int status = answer_all(asking, &err) ? output_status() : say_err(&err);
    if (status == EXIT_DONE)
        status = what_is_wrong(asking);
    demangler_release(&asking->demangler);
    binary_close(&asking->binary);
    mem_free(asking);
    return status;
}
