#include "cmd/lab_blocks.h"

#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/view_options.h"
#include "model/core/model.h"
#include "model/core/cpu.h"
#include "lab/pipeline/blocks.h"
#include "text/json.h"
#include "text/sheet.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *key;
} groups[BLOCK_GROUPS] = {{"without memory", "memory_free"},
                          {"loads only", "loads"},
                          {"with stores", "stores"},
                          {"all", "all"}},
  parts[] = {{"odd lines", "odd"}, {"even lines", "even"}, {"all lines", "both"}};

static void errors_print(const struct blocks *blocks)
{
    struct sheet sheet;
    sheet_begin(&sheet, "llrrrr", NULL);
    for (const char *const *cell = (const char *const[]){"blocks", "of", "number", "error",
                                                         "median", "without clock", NULL};
         *cell; cell++)
        sheet_cell(&sheet, "%s", *cell);
    for (enum block_part part = BLOCKS_ODD; part <= BLOCKS_BOTH; part++)
        for (enum block_group group = 0; group < BLOCK_GROUPS; group++) {
            struct block_errors errors;
            blocks_errors(blocks, group, part, &errors);
            sheet_cell(&sheet, "%s", groups[group].name);
            sheet_cell(&sheet, "%s", parts[part].name);
            sheet_cell(&sheet, "%zu", errors.n);
            sheet_cell(&sheet, "%.1f%%", errors.reading * 100);
            sheet_cell(&sheet, "%.1f%%", errors.median * 100);
            sheet_cell(&sheet, "%.1f%%", errors.cycles * 100);
        }
    sheet_end(&sheet, stdout);
}

static void blocks_print(const struct blocks *blocks, const struct model *model)
{
    printf("blocks: mean error of the model of %s, |said - measured| / measured\n\n", model->name);
    errors_print(blocks);
    if (blocks->clock_step > 1)
        printf("\nThe clock of this file has steps of %u cycles: the error is that of what it "
               "would have\n"
               "shown of the model's cycles; without clock, that of these cycles themselves.\n",
               blocks->clock_step);
    if (blocks->unread)
        printf("\n%zu blocks are no instructions.\n", blocks->unread);
}

static void errors_json(struct json *json, const struct blocks *blocks)
{
    json_object(json, "errors");
    for (enum block_part part = BLOCKS_ODD; part <= BLOCKS_BOTH; part++) {
        json_object(json, parts[part].key);
        for (enum block_group group = 0; group < BLOCK_GROUPS; group++) {
            struct block_errors errors;
            blocks_errors(blocks, group, part, &errors);
            json_object(json, groups[group].key);
            json_integer(json, "blocks", errors.n);
            json_number(json, "mape", errors.reading);
            json_number(json, "median", errors.median);
            json_number(json, "mape_without_clock", errors.cycles);
            json_object_end(json);
        }
        json_object_end(json);
    }
    json_object_end(json);
}

static void row_json(struct json *json, const struct block *block)
{
    json_object(json, NULL);
    json_integer(json, "line", block->line);
    json_integer(json, "bytes", block->n);
    json_integer(json, "instructions", block->instructions);
    json_bool(json, "loads", block->loads);
    json_bool(json, "stores", block->stores);
    json_number(json, "measured", block->measured);
    if (block->instructions) {
        json_number(json, "cycles", block->cycles);
        json_number(json, "reading", block->reading);
    } else {
        json_null(json, "cycles");
        json_null(json, "reading");
    }
    json_object_end(json);
}

static void blocks_json(const struct blocks *blocks, const struct model *model)
{
    struct json json;
    json_begin(&json, stdout);
    json_object(&json, NULL);
    json_string(&json, "schema", "gait/blocks/1");
    json_string(&json, "command", "lab blocks");
    json_string(&json, "core", model->name);
    json_integer(&json, "clock_step", blocks->clock_step);
    json_object(&json, "losses");
    json_integer(&json, "undecodable", blocks->unread);
    json_object_end(&json);
    errors_json(&json, blocks);
    json_array(&json, "rows");
    for (size_t i = 0; i < blocks->n; i++)
        row_json(&json, &blocks->at[i]);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}

int lab_blocks(int n, char **files, const char *core, bool json)
{
    struct model model;
    struct blocks blocks;
    struct err err;
    if (n != 1) {
        err_set(&err, ERR_USAGE, "blocks: expected one file of lines HEX,CYCLES");
        return say_err(&err);
    }
    if (!model_open(core, &model, &err))
        return say_err(&err);
    if (strcmp(core, "native") == 0) {
        char why[128];
        struct cpu here;
        cpu_here(&here);
        cpu_why(&here, why, sizeof why);
        say("--core native is %s", why);
    }
    if (!blocks_read(files[0], &blocks, &err)) {
        model_release(&model);
        return say_err(&err);
    }
    blocks_foretell(&blocks, &model);
    if (json)
        blocks_json(&blocks, &model);
    else
        blocks_print(&blocks, &model);
    blocks_release(&blocks);
    model_release(&model);
    return output_status();
}
