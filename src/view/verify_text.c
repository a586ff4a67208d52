#include "view/views.h"

#include "analysis/verify/verification.h"
#include "view/head.h"

#include <inttypes.h>

void verify_text(FILE *to, const struct scene *scene, const struct verification *verdict)
{
    head_text(to, scene, 0);
    if (scene->sides[0]->mode == PROFILE_PLAIN)
        fprintf(to, "checked %" PRIu64 " nodes of stacks", verdict->nodes);
    else
        fprintf(to,
                "checked %" PRIu64 " edges, %" PRIu64 " ranges, %" PRIu64 " places, %" PRIu64
                " lengths of loops",
                verdict->edges, verdict->ranges, verdict->places, verdict->trips);
    if (scene->sides[0]->mode == PROFILE_SAMPLED)
        fprintf(to, ", %" PRIu64 " nodes of stacks", verdict->nodes);
    fprintf(to, "; skipped %" PRIu64 " records without a binary\n", verdict->skipped);
    if (scene->sides[0]->mode == PROFILE_EXACT)
        fprintf(to, "%" PRIu64 " returns, %" PRIu64 " passages out of what is recorded\n",
                verdict->returns, verdict->open);
    for (int check = 0; check < CHECK_N; check++) {
        if (!verdict->found[check])
            continue;
        fprintf(to, "%" PRIu64 " x %s\n", verdict->found[check],
                verify_check_text((enum verify_check)check));
        for (size_t i = 0; i < verdict->n; i++)
            if (verdict->at[i].check == (enum verify_check)check)
                fprintf(to, "    %s\n", verdict->at[i].text);
    }
    losses_text(to, scene, 0, 0);
    bool empty = !verdict->edges && !verdict->ranges && !verdict->places && !verdict->nodes;
    fputs(!verification_good(verdict) ? "BAD\n"
          : empty                     ? "nothing to check: no record of code that has a binary\n"
                                      : "good\n",
          to);
}

void verify_json(FILE *to, const struct scene *scene, const struct verification *verdict)
{
    struct json json;
    json_begin(&json, to);
    head_json(&json, "verify", scene, 0, BY_EDGE, WEIGHT_COUNT, 0);
    json_bool(&json, "good", verification_good(verdict));
    json_object(&json, "checked");
    json_integer(&json, "edges", verdict->edges);
    json_integer(&json, "ranges", verdict->ranges);
    json_integer(&json, "places", verdict->places);
    json_integer(&json, "trips", verdict->trips);
    json_integer(&json, "nodes", verdict->nodes);
    json_integer(&json, "skipped", verdict->skipped);
    json_integer(&json, "returns", verdict->returns);
    json_integer(&json, "open", verdict->open);
    json_object_end(&json);
    json_array(&json, "rows");
    for (int check = 0; check < CHECK_N; check++) {
        json_object(&json, NULL);
        json_string(&json, "check", verify_check_name((enum verify_check)check));
        json_integer(&json, "count", verdict->found[check]);
        json_array(&json, "examples");
        for (size_t i = 0; i < verdict->n; i++)
            if (verdict->at[i].check == (enum verify_check)check)
                json_string(&json, NULL, verdict->at[i].text);
        json_array_end(&json);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
