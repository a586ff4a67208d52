/* Collapsed stacks: "thread;outer;inner N", as flame graphs are made from.
 *
 * N is the last word of a line and ';' stands between frames, so a ';' in a name becomes ':', and
 * what is no printing character a '?'. The kernel's functions end in _[k], those that a JIT made in
 * _[j]. Lines are sorted and no stack comes twice. N is in the unit of the weights: nanoseconds,
 * instructions or events. */
#include "export/viewers/namestacks.h"
#include "export/job/job.h"
#include "base/bytes.h"

#include <inttypes.h>
#include <string.h>

static void text_add(struct bytes *line, const char *text)
{
    for (; *text; text++) {
        char c = *text == ';' ? ':' : (unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text;
        bytes_add(line, &c, 1);
    }
}

static void frame_add(struct bytes *line, const struct place_function *function)
{
    static const char *const suffixes[] = {
        [PLACE_USER] = "", [PLACE_KERNEL] = "_[k]", [PLACE_JIT] = "_[j]"};
    bytes_add(line, ";", 1);
    text_add(line, function->name);
    bytes_add(line, suffixes[function->kind], strlen(suffixes[function->kind]));
}

bool collapsed_write(FILE *to, struct export_job *job, struct err *err)
{
    (void)err;
    struct namestacks namestacks;
    struct namestack_walk walk;
    struct bytes line = {0};
    namestacks_build(&namestacks, &job->tree, &job->places, ROOT_NAMES);
    namestacks_sort(&walk, &namestacks, &job->places);
    size_t *ends = mem_alloc((namestacks.n + 1) * sizeof *ends); /* of each one's text */
    for (size_t i = 0; i < walk.n; i++) {
        const struct namestack *namestack = &namestacks.at[walk.at[i]];
        bool root = namestack->parent == NAMESTACK_NONE;
        line.n = root ? 0 : ends[namestack->parent];
        if (root)
            text_add(&line, job->places.strings.at[namestack->function]);
        else
            frame_add(&line, &job->places.functions.at[namestack->function]);
        ends[walk.at[i]] = line.n;
        if (namestack->weight)
            fprintf(to, "%.*s %" PRIu64 "\n", (int)line.n, (const char *)line.at,
                    namestack->weight);
    }
    mem_free(ends);
    vec_release(&line);
    vec_release(&walk);
    namestacks_release(&namestacks);
    return true;
}
