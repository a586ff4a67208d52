#include "cmd/optimize/optimize.h"

#include "base/err.h"
#include "cmd/optimize/trial.h"
#include "gcov/find.h"
#include "gcov/valued.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that was there before, by what it is: moved away it has another name. */
struct mark {
    const char *path;
    ino_t inode;
};
struct marks {
    VEC(struct mark); /* by path */
};

static int mark_order(const void *a, const void *b)
{
    return strcmp(((const struct mark *)a)->path, ((const struct mark *)b)->path);
}

/* gcc's notes, and counts for them. */
static bool marks_take(struct marks *marks, struct arena *arena, struct err *err)
{
    struct file_list paths = {0};
    struct stat at;
    bool ok = file_list_find(&paths, arena, ".", ".gcno", err) &&
              file_list_find(&paths, arena, ".", ".gcda", err);
    for (size_t i = 0; ok && i < paths.n; i++)
        if (stat(paths.at[i], &at) == 0)
            *vec_push(marks) = (struct mark){paths.at[i], at.st_ino};
    vec_release(&paths);
    if (marks->n)
        qsort(marks->at, marks->n, sizeof *marks->at, mark_order);
    return ok;
}

/* What was not there is an output; and so is what was and has been moved to FILE.old. */
static void marks_compare(struct optimize *optimize, const struct marks *before,
                          const struct marks *after, size_t *ret_files)
{
    struct stat moved;
    *ret_files = 0;
    for (size_t i = 0; i < after->n; i++) {
        const struct mark *mark = &after->at[i], *was = NULL;
        const char *old = arena_format(&optimize->arena, "%s.old", mark->path);
        if (before->n)
            was = bsearch(mark, before->at, before->n, sizeof *mark, mark_order);
        bool ours = !was || (was->inode != mark->inode && stat(old, &moved) == 0 &&
                             moved.st_ino == was->inode);
        if (ours)
            outputs_made(&optimize->outputs, &optimize->arena, mark->path, was ? old : NULL);
        *ret_files += ours && path_ends_in(mark->path, ".gcda");
    }
}

/* Counts of gcc's own graphs, which it leaves in notes when it compiles the program as if there was
 * a profile; dumps of the same compilation have columns, and list counters of values. What was
 * recorded is put back meanwhile: counts are set against it. */
static bool counts_make(struct optimize *optimize, struct err *err)
{
    static const char flags[] =
        "-g -fprofile-use -ftest-coverage -Wno-missing-profile " VALUED_FLAGS;
    const char *recorded = arena_format(&optimize->arena, "%s/recorded", optimize->folder);
    return file_copy(optimize->program, recorded, err) &&
           optimize_build_run(optimize, flags, err) && unlink(optimize->program) == 0 &&
           file_copy(recorded, optimize->program, err) && optimize_export_gcda(optimize, err);
}

/* The dumps beside the notes are ours and have been read, except those that were there. */
static void dumps_remove(struct optimize *optimize, const struct file_list *before)
{
    struct file_list dumps = {0};
    struct err none;
    if (!valued_dumps_find(&dumps, &optimize->arena, ".", &none))
        dumps.n = 0;
    for (size_t i = 0, k = 0; i < dumps.n; i++) {
        while (k < before->n && strcmp(before->at[k], dumps.at[i]) < 0)
            k++;
        if (k == before->n || strcmp(before->at[k], dumps.at[i]) != 0)
            unlink(dumps.at[i]);
    }
    vec_release(&dumps);
}

bool optimize_gcda(struct optimize *optimize, size_t *ret_files, struct err *err)
{
    struct marks before = {0}, after = {0};
    struct file_list dumps = {0};
    struct err none;
    size_t first = optimize->outputs.n;
    bool ok = marks_take(&before, &optimize->arena, err) &&
              valued_dumps_find(&dumps, &optimize->arena, ".", err) && counts_make(optimize, err);
    dumps_remove(optimize, &dumps);
    vec_release(&dumps);
    if (marks_take(&after, &optimize->arena, ok ? err : &none))
        marks_compare(optimize, &before, &after, ret_files);
    else
        ok = false;
    if (!ok)
        outputs_undo_after(&optimize->outputs, first);
    vec_release(&before);
    vec_release(&after);
    return ok;
}
