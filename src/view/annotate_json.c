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

static void line_json(struct json *json, const struct annotation *annotation,
                      const struct annotated *line)
{
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
    for (size_t i = 0; i < line->n_inlined; i++)
        json_string(json, NULL,
                    scene_readable(scene, annotation->inlined.at[line->first_inlined + i]));
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
    json_object_end(json);
}

void annotation_json(struct json *json, const struct annotation *annotation)
{
    for (size_t i = 0; i < annotation->n; i++)
        line_json(json, annotation, &annotation->at[i]);
}
