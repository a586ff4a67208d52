#include "view/views.h"

#include "analysis/paths/history_paths.h"

#include "analysis/counts/labels.h"
#include "base/memory.h"
#include "view/head.h"
#include "view/paths/fold.h"
#include "text/sheet.h"

#include <inttypes.h>
#include <string.h>

static double share_of(const struct history_paths *paths, const struct history_path *path)
{
    return paths->weight > 0 ? path->weight / paths->weight : 0;
}

/* ---- text */

/* A piece of a list: " a b", or " (a b) x 3". */
static void piece_begin(FILE *to, const struct fold *fold)
{
    fputs(fold->times > 1 && fold->n > 1 ? " (" : " ", to);
}

static void piece_end(FILE *to, const struct fold *fold)
{
    if (fold->times > 1)
        fprintf(to, "%s x %u", fold->n > 1 ? ")" : "", fold->times);
}

static void blocks_print(FILE *to, const uint64_t *blocks, uint32_t n)
{
    struct fold fold;
    fprintf(to, "      blocks");
    for (uint32_t i = 0; i < n; i += fold.n * fold.times) {
        fold = fold_next(blocks + i, n - i);
        piece_begin(to, &fold);
        for (uint32_t k = 0; k < fold.n; k++)
            fprintf(to, "%s0x%" PRIx64, k ? " " : "", blocks[i + k]);
        piece_end(to, &fold);
    }
    fputc('\n', to);
}

/* Lines of one turn of each loop; each once in a row. */
static void lines_print(FILE *to, const struct history_paths *paths,
                        const struct history_path *path, const uint64_t *blocks)
{
    const char *before = "";
    struct fold fold;
    for (uint32_t i = 0; i < path->n_blocks; i += fold.n * fold.times) {
        fold = fold_next(blocks + i, path->n_blocks - i);
        for (uint32_t k = 0; k < fold.n; k++) {
            const char *line = line_text(paths->scene, path->module, blocks[i + k]);
            if (*line && strcmp(line, before) != 0)
                fprintf(to, "%s %s", *before ? "" : "      lines", line);
            before = *line ? line : before;
        }
    }
    if (*before)
        fputc('\n', to);
}

static void path_print(FILE *to, const struct history_paths *paths, const struct history_path *path,
                       const struct ink *ink)
{
    double share = share_of(paths, path);
    enum ink_tone tone = ink_of_share(share);
    fprintf(to,
            "%s%6.2f%%%s  %6" PRIu64
            " records, %3.0f %% of them fit no other path, in %s%s%s [%s]\n",
            ink_begin(ink, tone), 100 * share, ink_end(ink, tone), path->records,
            100 * (double)path->alone / (double)path->records, ink_begin(ink, INK_NAME),
            name_text(paths->scene, path->linkage), ink_end(ink, INK_NAME),
            paths->scene->modules.at[path->module].name);
    uint64_t *blocks = mem_alloc(path->n_blocks * sizeof *blocks);
    for (uint32_t i = 0; i < path->n_blocks; i++)
        blocks[i] = path->blocks[i].v;
    blocks_print(to, blocks, path->n_blocks);
    lines_print(to, paths, path, blocks);
    mem_free(blocks);
}

void history_paths_text(FILE *to, const struct history_paths *paths, const struct ink *ink,
                        struct hot_paths_cut cut)
{
    size_t shown = 0;
    uint64_t alone = 0;
    double share = 0;
    head_text(to, paths->scene, 0);
    fprintf(to, "paths that led to %s, by the directions of the last %u branches\n\n",
            paths->scene->sides[0]->samples.n ? "followed instructions"
                                              : "the newest branch of each sample",
            paths->bits);
    for (; shown < paths->n && shown < cut.limit; shown++) {
        if (share_of(paths, &paths->at[shown]) < cut.share)
            break;
        share += share_of(paths, &paths->at[shown]);
        path_print(to, paths, &paths->at[shown], ink);
    }
    for (size_t i = 0; i < paths->n; i++)
        alone += paths->at[i].alone;
    fprintf(to, "\n%zu of %zu paths, %.2f%% of all; --limit and --hot show others\n", shown,
            paths->n, 100 * share);
    fprintf(to,
            "%" PRIu64 " records; %.1f %% of them fit one path alone, others show the likeliest by "
            "the edges of this recording\n",
            paths->records, paths->records ? 100.0 * (double)alone / (double)paths->records : 0);
    if (paths->untold)
        fprintf(to,
                "without a path: %" PRIu64 " records, whose code is not there, or of which too "
                "many paths fit or none\n",
                paths->untold);
}

/* ---- JSON */

static void path_json(struct json *json, const struct history_paths *paths,
                      const struct history_path *path)
{
    struct scene *scene = paths->scene;
    json_object(json, NULL);
    json_string(json, "function", scene_readable(scene, path->linkage));
    json_string(json, "linkage", path->linkage);
    json_string(json, "address", address_text(scene, path->module, path->function));
    json_array(json, "blocks");
    for (uint32_t i = 0; i < path->n_blocks; i++)
        json_string(json, NULL, address_text(scene, path->module, path->blocks[i].v));
    json_array_end(json);
    json_array(json, "lines");
    for (uint32_t i = 0; i < path->n_blocks; i++)
        json_string(json, NULL, line_text(scene, path->module, path->blocks[i].v));
    json_array_end(json);
    json_integer(json, "records", path->records);
    json_integer(json, "alone", path->alone);
    json_number(json, "instructions", path->weight);
    json_number(json, "share", share_of(paths, path));
    json_object_end(json);
}

void history_paths_json(FILE *to, const struct history_paths *paths, struct hot_paths_cut cut)
{
    struct json json;
    json_begin(&json, to);
    head_json(&json, "history-paths", paths->scene, 0, BY_PATH, WEIGHT_COUNT, 0);
    json_integer(&json, "bits", paths->bits);
    json_integer(&json, "records", paths->records);
    json_integer(&json, "untold", paths->untold);
    json_array(&json, "rows");
    for (size_t i = 0; i < paths->n && i < cut.limit; i++)
        if (share_of(paths, &paths->at[i]) >= cut.share)
            path_json(&json, paths, &paths->at[i]);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
