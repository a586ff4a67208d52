/* The source of an annotated function: text, and what each line costs. */
#include "view/views.h"

#include "analysis/report/annotate_lines.h"
#include "text/listing.h"
#include "view/head.h"

#include <math.h>

/* Lines around one that has code, and the most that a gap may have to be shown. */
enum { AROUND = 3, GAP_MOST = 12 };

static struct estimate rounded(struct estimate estimate)
{
    return (struct estimate){round(estimate.value), round(estimate.lo), round(estimate.hi)};
}

static void text_json(struct json *json, struct listing *listing, const char *file, uint32_t line)
{
    const char *text = listing_line(listing, file, line);
    json_integer(json, "line", line);
    if (text)
        json_string(json, "text", text);
    else
        json_null(json, "text");
}

static void line_json(struct json *json, struct listing *listing, const char *file,
                      const struct annotated_line *line)
{
    json_object(json, NULL);
    text_json(json, listing, file, line->line);
    json_integer(json, "instructions", line->instructions);
    estimate_json(json, "count", "lo", "hi", rounded(line->count));
    estimate_json(json, "share", "share_lo", "share_hi", line->share);
    estimate_json(json, "time", "time_lo", "time_hi", line->time);
    estimate_json(json, "total", "total_lo", "total_hi", line->total);
    json_object_end(json);
}

/* Lines without code, from the one to before the other. */
static void between_json(struct json *json, struct listing *listing, const char *file,
                         uint32_t from, uint32_t to)
{
    for (uint32_t line = from; line < to; line++) {
        if (!listing_line(listing, file, line))
            continue;
        json_object(json, NULL);
        text_json(json, listing, file, line);
        json_object_end(json);
    }
}

/* The lines that the function itself reaches over, which are shown without gaps. What is inlined
 * may come from anywhere in the same file. */
struct body {
    uint32_t file, first, last;
};

static struct body body_of(const struct annotation *annotation)
{
    struct body body = {0};
    for (size_t i = 0; i < annotation->n; i++) {
        const struct annotated *line = &annotation->at[i];
        const struct annotated_site *outer =
            line->n_sites ? &annotation->sites.at[line->first_site + line->n_sites - 1] : NULL;
        if (!outer || !outer->line || (body.first && outer->file != body.file))
            continue;
        body.file = outer->file;
        if (!body.first || outer->line < body.first)
            body.first = outer->line;
        if (outer->line > body.last)
            body.last = outer->line;
    }
    return body;
}

/* Whether the lines between these two are shown. */
static bool is_near(const struct body *body, uint32_t file, uint32_t before, uint32_t line)
{
    if (line - before <= GAP_MOST)
        return true;
    return file == body->file && before >= body->first && line <= body->last;
}

/* The lines of one file, and those between and around them. */
static void lines_json(struct json *json, struct listing *listing, const char *file,
                       const struct annotated_line *lines, size_t n, const struct body *body)
{
    uint32_t next = 1; /* the first line that was not written */
    json_array(json, "lines");
    for (size_t i = 0; i < n; i++) {
        uint32_t line = lines[i].line, first = line > AROUND ? line - AROUND : 1;
        bool near = i && is_near(body, lines[i].file, lines[i - 1].line, line);
        between_json(json, listing, file, near || first < next ? next : first, line);
        line_json(json, listing, file, &lines[i]);
        next = line + 1;
        if (i + 1 == n || !is_near(body, lines[i].file, line, lines[i + 1].line)) {
            between_json(json, listing, file, next, next + AROUND);
            next += AROUND;
        }
    }
    json_array_end(json);
}

void annotation_source_json(struct json *json, const struct annotation *annotation,
                            struct listing *listing)
{
    struct annotated_lines lines;
    struct body body = body_of(annotation);
    annotated_lines_make(&lines, annotation);
    for (size_t i = 0, n; i < lines.n; i += n) {
        uint32_t file = lines.at[i].file;
        const char *path = annotation->files.at[file];
        for (n = 1; i + n < lines.n && lines.at[i + n].file == file; n++)
            ;
        const struct listing_file *known = listing_file_find(listing, path);
        json_object(json, NULL);
        json_string(
            json, "function",
            address_text(annotation->report->scene, annotation->row->module, annotation->row->at));
        json_string(json, "file", path);
        json_integer(json, "id", file);
        json_bool(json, "own", file == body.file);
        json_bool(json, "there", known->there);
        json_bool(json, "newer", known->newer);
        lines_json(json, listing, path, &lines.at[i], n, &body);
        json_object_end(json);
    }
    vec_release(&lines);
}
