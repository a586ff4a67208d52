#include "cmd/optimize/optimize.h"

#include "base/err.h"
#include "base/vec.h"
#include "cmd/cmd.h"
#include "cmd/interrupt.h"
#include "cmd/optimize/optimize_check.h"
#include "cmd/optimize/optimize_left.h"
#include "cmd/tools.h"
#include "program/elf/elf_sections.h"
#include "program/elf/image.h"

#include <string.h>
#include <stdio.h>

/* Relocations of code, which the linker leaves in if asked to. */
static bool has_relocations(const char *path, struct err *err, bool *ret_relocations)
{
    struct image image;
    GElf_Shdr header;
    if (!image_open(&image, path, err))
        return false;
    *ret_relocations = section_named(image.file.elf, ".rela.text", &header) != NULL;
    image_close(&image);
    return true;
}

struct words {
    VEC(char *);
};

static void word_add(struct words *words, const char *word)
{
    *vec_push(words) = (char *)(uintptr_t)word;
}

/* "... in function NAME. Consider adding this function to --skip-funcs": the name; NULL: it did not
 * say so. */
static const char *function_to_skip(struct optimize *optimize, const char *log)
{
    static const char before[] = "in function ", behind[] = ". Consider adding this function to";
    const char *found = NULL;
    char line[4096];
    FILE *file = fopen(log, "re");
    while (file && fgets(line, sizeof line, file)) {
        char *end = strstr(line, behind), *start = strstr(line, before);
        if (!start || !end || start > end)
            continue;
        *end = 0;
        start += strlen(before);
        start[strcspn(start, "(")] = 0; /* "name(*2)": it has another name as well */
        found = arena_string(&optimize->arena, start);
    }
    if (file)
        fclose(file);
    return found;
}

/* "1234 : taken branches (-56.7%)" of what the new layout changes: "-56.7 %"; NULL: it was not
 * said. */
static const char *taken_branches(struct optimize *optimize, const char *log)
{
    static const char key[] = " : taken branches (";
    const char *found = NULL;
    char line[4096];
    FILE *file = fopen(log, "re");
    while (file && fgets(line, sizeof line, file)) {
        char *at = strstr(line, key);
        if (!at || (at > line && strstr(line, "non-taken")))
            continue;
        at += strlen(key);
        found = arena_format(&optimize->arena, "%.*s %%", (int)strcspn(at, "%)"), at);
    }
    if (file)
        fclose(file);
    return found;
}

/* Whether the words between commas have it. */
static bool list_has(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; at; at = strchr(at, ','), at += at != NULL)
        if (strcspn(at, ",") == n && strncmp(at, word, n) == 0)
            return true;
    return false;
}

enum { SKIP_MAX = 32 };

/* With its output in the log. */
static bool bolt_run(struct optimize *optimize, const char *result, bool aligned, struct err *err)
{
    struct arena *arena = &optimize->arena;
    const struct bolt_call *call = &optimize->bolt;
    struct words words = {0};
    word_add(&words, call->path);
    word_add(&words, optimize->program);
    word_add(&words, "-o");
    word_add(&words, result);
    word_add(&words, arena_format(arena, "-data=%s", call->fdata));
    word_add(&words, "-reorder-blocks=ext-tsp");
    word_add(&words, "-split-functions");
    word_add(&words, "-split-all-cold");
    word_add(&words, "-icf=1");
    word_add(&words, "-dyno-stats");
    word_add(&words, "-v=1");
    if (call->relocations)
        word_add(&words, "-reorder-functions=cdsort");
    if (aligned) {
        word_add(&words, "-align-blocks");
        word_add(&words, "-block-alignment=32");
        word_add(&words, "-align-blocks-min-size=0");
    }
    if (call->skipped)
        word_add(&words, arena_format(arena, "-skip-funcs=%s", call->skipped));
    word_add(&words, NULL);
    optimize_phase(optimize, "llvm-bolt", 0, 0);
    bool ok = optimize_tool(optimize, words.at, call->log, err);
    vec_release(&words);
    return ok;
}

/* Some functions are more than BOLT understands: it says which, and does without. */
static bool bolt_run_patiently(struct optimize *optimize, const char *result, struct err *err)
{
    struct bolt_call *call = &optimize->bolt;
    for (int tries = 0; !bolt_run(optimize, result, false, err); tries++) {
        const char *skip = tries < SKIP_MAX ? function_to_skip(optimize, call->log) : NULL;
        if (!skip || (call->skipped && list_has(call->skipped, skip)))
            return err_in(err, "llvm-bolt");
        call->skipped =
            call->skipped ? arena_format(&optimize->arena, "%s,%s", call->skipped, skip) : skip;
    }
    return true;
}

static void bolt_notes(struct optimize *optimize)
{
    struct arena *arena = &optimize->arena;
    const struct bolt_call *call = &optimize->bolt;
    if (!call->relocations)
        optimize_note(optimize,
                      "functions stay where they were, only their blocks moved: link with "
                      "-Wl,--emit-relocs for more");
    if (call->skipped)
        optimize_note(optimize, arena_format(arena, "BOLT cannot move %s", call->skipped));
    const char *left = optimize_left(arena, call->log, call->fdata);
    if (left)
        optimize_note(optimize, left);
    const char *taken = taken_branches(optimize, call->log);
    if (taken)
        optimize_note(optimize, arena_format(arena, "taken branches%s %s",
                                             left || call->skipped ? " of the others" : "", taken));
}

bool optimize_bolt(struct optimize *optimize, struct err *err)
{
    struct arena *arena = &optimize->arena;
    struct bolt_call *call = &optimize->bolt;
    call->path = tool_find(arena, "llvm-bolt", err);
    if (!call->path || !has_relocations(optimize->program, err, &call->relocations))
        return false;
    call->fdata = arena_format(arena, "%s/fdata", optimize->folder);
    call->log = arena_format(arena, "%s/bolt.log", optimize->folder);
    if (!optimize_record(optimize, err) || !optimize_export(optimize, "bolt", call->fdata, err))
        return false;
    const char *result =
        optimize->output ? optimize->output : arena_format(arena, "%s.bolt", optimize->program);
    if (!outputs_begin(&optimize->outputs, arena, result, err) ||
        !bolt_run_patiently(optimize, result, err))
        return false;
    bolt_notes(optimize);
    optimize->result = result;
    return true;
}

/* ---- aligned blocks */

/* What BOLT moves loses the alignment that the compiler gave it; more bytes lose time as well. */
bool optimize_bolt_align(struct optimize *optimize, const struct reference_run *reference,
                         struct err *err)
{
    struct arena *arena = &optimize->arena;
    struct gain gain;
    struct err ignored; /* the other one is there */
    const char *plain = optimize->result;
    const char *aligned = arena_format(arena, "%s/aligned", optimize->folder);
    if (!bolt_run(optimize, aligned, true, &ignored))
        return interrupt_none(err);
    optimize->result = aligned;
    bool alike =
        reference_compare(reference, optimize, &ignored) &&
        gain_measure(&gain, optimize, plain, "blocks without and with alignment", &ignored);
    optimize->result = plain;
    if (!alike)
        return interrupt_none(err);
    bool pays = gain.lo > 0;
    if (pays && !file_copy(aligned, plain, err))
        return false;
    optimize_note(optimize, arena_format(arena, "%s: gain %.4f (%.4f to %.4f)",
                                         pays ? "with blocks aligned to 32 bytes"
                                              : "blocks not aligned, which does not pay",
                                         gain.value, gain.lo, gain.hi));
    return true;
}
