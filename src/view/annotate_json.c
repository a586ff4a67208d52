#include "view/views.h"

#include "analysis/report/annotate.h"

#include "view/head.h"

#include <math.h>

static struct estimate rounded(struct estimate estimate)
{
    return (struct estimate){round(estimate.value), round(estimate.lo), round(estimate.hi)};
}

static void branch_json(struct json *json, const struct annotation *annotation,
                        const struct annotated *line)
{
    struct scene *scene = annotation->report->scene;
    uint8_t kind = line->instruction.kind;
    bool direct = kind == INSTRUCTION_COND || kind == INSTRUCTION_JUMP || kind == INSTRUCTION_CALL;
    if (direct)
        json_string(json, "target",
                    address_text(scene, annotation->row->module, line->instruction.target.v));
    if (kind == INSTRUCTION_COND)
        estimate_json(json, "taken", "taken_lo", "taken_hi", line->taken);
    if (kind != INSTRUCTION_IJUMP && kind != INSTRUCTION_ICALL)
        return;
    json_array(json, "targets");
    for (size_t i = 0; i < line->n_targets; i++) {
        const struct annotated_target *target = &annotation->targets.at[line->first_target + i];
        json_object(json, NULL);
        json_string(json, "to", address_text(scene, target->module, target->at));
        estimate_json(json, "count", "lo", "hi", rounded(target->count));
        json_object_end(json);
    }
    json_array_end(json);
}

/* Whether the instruction is the first of a block. */
static bool leads(const struct annotation *annotation, size_t i)
{
    const struct cfg *cfg = &annotation->counted.cfg;
    return cfg->blocks.at[cfg->block_of[i]].first == i;
}

static void sites_json(struct json *json, const struct annotation *annotation,
                       const struct annotated *line)
{
    json_array(json, "sites");
    for (size_t i = 0; i < line->n_sites; i++) {
        const struct annotated_site *site = &annotation->sites.at[line->first_site + i];
        json_integer(json, NULL, site->file);
        json_integer(json, NULL, site->line);
    }
    json_array_end(json);
}

static void line_json(struct json *json, const struct annotation *annotation, size_t i, bool source)
{
    const struct annotated *line = &annotation->at[i];
    struct scene *scene = annotation->report->scene;
    const struct report_row *row = annotation->row;
    json_object(json, NULL);
    json_string(json, "function", scene_readable(scene, row->name));
    json_string(json, "address", address_text(scene, row->module, line->instruction.at.v));
    json_integer(json, "size", line->instruction.bytes);
    json_string(json, "assembly", line->assembly);
    json_string(json, "file", line->file ? line->file : "[unknown]");
    json_integer(json, "line", line->line);
    json_array(json, "inlined");
    for (size_t k = 0; k < line->n_inlined; k++)
        json_string(json, NULL,
                    scene_readable(scene, annotation->inlined.at[line->first_inlined + k]));
    json_array_end(json);
    estimate_json(json, "count", "lo", "hi", rounded(line->count));
    estimate_json(json, "share", "share_lo", "share_hi", line->share);
    /* A plain recording that counted events has their numbers where others have seconds. */
    bool events = annotation->report->has_plain && annotation->report->weight == WEIGHT_COUNT;
    const struct estimate none = {NAN, NAN, NAN};
    estimate_json(json, "time", "time_lo", "time_hi", events ? none : line->time);
    if (events)
        estimate_json(json, "events", "events_lo", "events_hi", line->time);
    estimate_json(json, "total", "total_lo", "total_hi", line->total);
    estimate_json(json, "cpi", "cpi_lo", "cpi_hi", line->cpi);
    branch_json(json, annotation, line);
    if (line->label)
        json_string(json, "label", arena_format(&scene->arena, ".L%u", line->label));
    if (leads(annotation, i))
        json_bool(json, "leader", true);
    if (source)
        sites_json(json, annotation, line);
    json_object_end(json);
}

void annotation_json(struct json *json, const struct annotation *annotation, bool source)
{
    for (size_t i = 0; i < annotation->n; i++)
        line_json(json, annotation, i, source);
}

void annotation_function_json(struct json *json, const struct annotation *annotation)
{
    const struct report *report = annotation->report;
    const struct report_row *row = annotation->row;
    const struct cfg *cfg = &annotation->counted.cfg;
    bool events = report->has_plain && report->weight == WEIGHT_COUNT;
    const struct estimate none = {NAN, NAN, NAN};
    json_object(json, NULL);
    json_string(json, "name", scene_readable(report->scene, row->name));
    json_string(json, "linkage", row->name);
    json_string(json, "address", address_text(report->scene, row->module, row->at));
    json_integer(json, "instructions", cfg->instructions.n);
    json_integer(json, "blocks", cfg->blocks.n);
    json_integer(json, "undecoded", cfg->undecoded);
    estimate_json(json, "count", "lo", "hi", rounded(report_count(report, row)));
    estimate_json(json, "share", "share_lo", "share_hi", report_share(report, row));
    estimate_json(json, "time", "time_lo", "time_hi", events ? none : report_time(report, row));
    json_object_end(json);
}
