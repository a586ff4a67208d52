#include "view/views.h"

#include "analysis/windows/window_list.h"
#include "view/head.h"

#include <math.h>

static void usual_json(struct json *json, const struct window_list *list)
{
    json_object(json, "usual");
    for (int m = 0; m < MEASURES; m++) {
        json_object(json, window_measure_name((enum window_measure)m));
        json_number(json, "median", list->usual[m].median);
        json_number(json, "spread", list->usual[m].spread);
        json_object_end(json);
    }
    json_object_end(json);
}

/* The farthest from what is usual first. */
static void unusual_json(struct json *json, const struct window_list *list,
                         const struct window_row *row)
{
    bool told[MEASURES] = {false};
    json_array(json, "unusual");
    for (;;) {
        int next = MEASURES;
        for (int m = 0; m < MEASURES; m++)
            if (!told[m] && row->distances[m] >= WINDOW_ODD &&
                (next == MEASURES || row->distances[m] > row->distances[next]))
                next = m;
        if (next == MEASURES)
            break;
        told[next] = true;
        json_object(json, NULL);
        json_string(json, "measure", window_measure_name((enum window_measure)next));
        json_number(json, "value", row->measures[next]);
        json_number(json, "distance", row->distances[next]);
        json_string(json, "text", window_odd_text(list, row, (enum window_measure)next));
        json_object_end(json);
    }
    json_array_end(json);
}

static void row_json(struct json *json, struct window_list *list, const struct window_row *row)
{
    struct scene *scene = list->scene;
    const char *linkage = row->instructions ? list->code.functions.at[row->function].linkage : "";
    json_object(json, NULL);
    json_integer(json, "window", row->number);
    json_number(json, "unlike", row->unlike);
    unusual_json(json, list, row);
    json_number(json, "time", row->time);
    json_string(json, "thread", row->thread);
    json_integer(json, "tid", row->tid);
    json_number(json, "stands_for", row->stands_for);
    json_string(json, "function", *linkage ? scene_readable(scene, linkage) : "");
    json_string(json, "linkage", linkage);
    json_string(json, "address",
                row->instructions ? address_text(scene, row->module, row->at) : "");
    json_string(json, "line", row->instructions ? line_text(scene, row->module, row->at) : "");
    json_integer(json, "instructions", row->instructions);
    json_integer(json, "calls", row->calls);
    json_integer(json, "levels", row->levels);
    json_integer(json, "loops", row->loops);
    json_integer(json, "breaks", row->breaks);
    json_integer(json, "opaque", row->opaque);
    json_number(json, "cycles", row->cycles);
    json_number(json, "cycles_of", row->counted);
    json_number(json, "cpi", row->measures[MEASURE_CYCLES]);
    json_number(json, "overlap", 1 - row->measures[MEASURE_CODE]);
    json_array(json, "shape");
    for (int i = 0; i < WINDOW_SHAPE; i++)
        json_number(json, NULL, round(100 * row->shape[i]) / 100);
    json_array_end(json);
    json_object_end(json);
}

void window_list_json(FILE *to, struct window_list *list, struct window_choice choice, size_t limit)
{
    struct json json;
    json_begin(&json, to);
    head_json_by(&json, "windows", list->scene, 0, "window", WEIGHT_COUNT);
    json_string(&json, "core", list->model.name);
    json_string(&json, "core_why", list->core_why);
    json_integer(&json, "kept", list->order.n);
    json_string(&json, "since", window_since(list));
    usual_json(&json, list);
    json_array(&json, "rows");
    for (size_t i = 0; i < choice.n && i < limit; i++)
        row_json(&json, list, &list->at[choice.order[i]]);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
