#include "model/core/model.h"

#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_WORDS = 64 };

struct reader {
    struct model *model;
    const char *from;
    unsigned line;
    char *words[LINE_WORDS]; /* of this line, which is a copy */
    uint32_t n;
    uint64_t seen[4]; /* which of numbers.def were given */
};

static const struct {
    const char *name;
    size_t offset;
    uint32_t least, most;
} numbers[] = {
#define NUMBER(name, least, most) {#name, offsetof(struct model, name), least, most},
#include "model/core/numbers.def"
#undef NUMBER
};

enum { N_NUMBERS = sizeof numbers / sizeof *numbers };
_Static_assert(N_NUMBERS <= 256, "struct reader.seen");

static const struct {
    const char *name;
    uint32_t bit;
} words[] = {
    {"load", RULE_LOAD},     {"store", RULE_STORE},       {"reg", RULE_REG},
    {"w8", RULE_W8},         {"w16", RULE_W16},           {"w32", RULE_W32},
    {"w64", RULE_W64},       {"w128", RULE_W128},         {"w256", RULE_W256},
    {"same", RULE_SAME},     {"gpr", RULE_GPR},           {"vec", RULE_VEC},
    {"index", RULE_INDEX},   {"ops1", RULE_OPS1},         {"ops2", RULE_OPS2},
    {"ops3", RULE_OPS3},     {"one", RULE_ONE},           {"cl", RULE_CL},
    {"imm", RULE_IMM},       {"from_gpr", RULE_FROM_GPR}, {"from_vec", RULE_FROM_VEC},
    {"lock", RULE_LOCK},     {"rep", RULE_REP},           {"high", RULE_HIGH},
    {"w512", RULE_W512},     {"small", RULE_SMALL},       {"offset", RULE_OFFSET},
    {"scaled", RULE_SCALED}, {"self", RULE_SELF},
};

static const struct {
    const char *name;
    uint16_t bit;
} effects[] = {
    {"move", EFFECT_MOVE}, {"zero", EFFECT_ZERO}, {"merge", EFFECT_MERGE}, {"fresh", EFFECT_FRESH},
    {"new", EFFECT_NEW},   {"free", EFFECT_FREE}, {"alone", EFFECT_ALONE}, {"chain", EFFECT_CHAIN},
};

__attribute__((format(printf, 3, 4))) static bool line_bad(const struct reader *reader,
                                                           struct err *err, const char *format, ...)
{
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return err_set(err, ERR_FORMAT, "%s:%u: %s", reader->from, reader->line, text);
}

static bool number_parse(const struct reader *reader, const char *text, uint32_t least,
                         uint32_t most, uint32_t *ret, struct err *err)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (end == text || *end || *text == '-' || value < least || value > most)
        return line_bad(reader, err, "%s: not a number from %u to %u", text, least, most);
    *ret = (uint32_t)value;
    return true;
}

static bool byte_parse(const struct reader *reader, const char *text, uint8_t *ret, struct err *err)
{
    uint32_t value = 0;
    if (!number_parse(reader, text, 0, UINT8_MAX, &value, err))
        return false;
    *ret = (uint8_t)value;
    return true;
}

static bool number_take(struct reader *reader, struct err *err)
{
    for (size_t i = 0; i < N_NUMBERS; i++)
        if (strcmp(reader->words[0], numbers[i].name) == 0) {
            if (reader->n != 2)
                return line_bad(reader, err, "%s wants one number", reader->words[0]);
            reader->seen[i / 64] |= 1ull << i % 64;
            return number_parse(reader, reader->words[1], numbers[i].least, numbers[i].most,
                                (uint32_t *)(void *)((char *)reader->model + numbers[i].offset),
                                err);
        }
    return line_bad(reader, err, "%s: what is that?", reader->words[0]);
}

static bool ports_take(struct reader *reader, struct err *err)
{
    struct model *model = reader->model;
    for (uint32_t i = 1; i < reader->n; i++) {
        if (model->n_ports == MODEL_PORTS)
            return line_bad(reader, err, "more than %d ports", MODEL_PORTS);
        model->ports[model->n_ports++] = arena_string(&model->arena, reader->words[i]);
    }
    return true;
}

static bool port_mask(const struct reader *reader, char *text, uint32_t *ret, struct err *err)
{
    uint32_t mask = 0;
    char *rest = text;
    for (char *name; (name = strsep(&rest, "|"));) {
        uint32_t i = 0;
        while (i < reader->model->n_ports && strcmp(reader->model->ports[i], name) != 0)
            i++;
        if (i == reader->model->n_ports)
            return line_bad(reader, err, "%s: no such port", name);
        mask |= 1u << i;
    }
    *ret = mask;
    return true;
}

/* "NAME=VALUE": VALUE, or NULL. */
static char *value_of(char *word, const char *name)
{
    size_t n = strlen(name);
    return strncmp(word, name, n) == 0 && word[n] == '=' ? word + n + 1 : NULL;
}

static bool op_take(struct reader *reader, struct err *err)
{
    struct model_op op = {.cycles = 1, .every = 1};
    if (reader->n < 3 || reader->model->ops.n == UINT8_MAX)
        return line_bad(reader, err, "an op has a name and ports, and there are at most 255");
    op.name = arena_string(&reader->model->arena, reader->words[1]);
    for (uint32_t i = 2; i < reader->n; i++) {
        char *value;
        bool good;
        if ((value = value_of(reader->words[i], "ports")))
            good = port_mask(reader, value, &op.ports, err);
        else if ((value = value_of(reader->words[i], "lat")))
            good = byte_parse(reader, value, &op.cycles, err);
        else if ((value = value_of(reader->words[i], "every")))
            good = byte_parse(reader, value, &op.every, err);
        else
            good = line_bad(reader, err, "%s: what is that?", reader->words[i]);
        if (!good)
            return false;
    }
    if (!op.ports || !op.every)
        return line_bad(reader, err, "%s has no ports, or no time", op.name);
    *vec_push(&reader->model->ops) = op;
    return true;
}

static bool op_find(const struct model *model, const char *name, size_t length, uint8_t *ret)
{
    for (size_t i = 0; i < model->ops.n; i++)
        if (strlen(model->ops.at[i].name) == length &&
            memcmp(model->ops.at[i].name, name, length) == 0) {
            *ret = (uint8_t)i;
            return true;
        }
    return false;
}

/* "OP" or "OP*3". */
static bool rule_op(const struct reader *reader, struct model_rule *rule, const char *word,
                    struct err *err)
{
    const char *star = strchr(word, '*');
    uint32_t times = 1;
    uint8_t op;
    if (!op_find(reader->model, word, star ? (size_t)(star - word) : strlen(word), &op))
        return line_bad(reader, err, "%s: no such op", word);
    if (star && !number_parse(reader, star + 1, 1, UINT8_MAX, &times, err))
        return false;
    if (times > (uint32_t)(RULE_OPS - rule->n_ops)) {
        /* Ports of the first few stand for all; all take slots. */
        if (!rule->slots)
            rule->slots = (uint8_t)(rule->n_ops + times);
        times = (uint32_t)(RULE_OPS - rule->n_ops);
    }
    for (; times; times--)
        rule->ops[rule->n_ops++] = op;
    return true;
}

static bool rule_effect(const struct reader *reader, struct model_rule *rule, char *word,
                        struct err *err)
{
    char *value;
    if ((value = value_of(word, "lat")))
        return byte_parse(reader, value, &rule->cycles, err);
    if ((value = value_of(word, "slots")))
        return byte_parse(reader, value, &rule->slots, err);
    if ((value = value_of(word, "every")))
        return byte_parse(reader, value, &rule->every, err);
    if ((value = value_of(word, "late")))
        return byte_parse(reader, value, &rule->late, err);
    if ((value = value_of(word, "value"))) {
        rule->effects |= EFFECT_VALUE;
        return byte_parse(reader, value, &rule->value_bits, err);
    }
    for (size_t i = 0; i < sizeof effects / sizeof *effects; i++)
        if (strcmp(word, effects[i].name) == 0) {
            rule->effects |= effects[i].bit;
            return true;
        }
    return rule_op(reader, rule, word, err);
}

static bool word_bit(const char *name, size_t length, uint32_t *ret)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].name) == length && memcmp(words[i].name, name, length) == 0) {
            *ret = words[i].bit;
            return true;
        }
    return false;
}

/* Words between the names and '='. "w32,w64" is either: a rule each. */
static bool rule_add(struct reader *reader, struct model_rule rule, uint32_t at, uint32_t end,
                     struct err *err)
{
    enum { RULES_MOST = 4096 };
    if (at == end) {
        if (reader->model->rules.n == RULES_MOST)
            return line_bad(reader, err, "more than %d rules", RULES_MOST);
        *vec_push(&reader->model->rules) = rule;
        return true;
    }
    const char *word = reader->words[at];
    for (;;) {
        size_t length = strcspn(word, ",");
        struct model_rule one = rule;
        uint32_t bit;
        if (!word_bit(word, length, &bit))
            return line_bad(reader, err, "%s: what is that?", word);
        one.words |= bit;
        if (!rule_add(reader, one, at + 1, end, err))
            return false;
        if (!word[length])
            return true;
        word += length + 1;
    }
}

static const char **names_split(struct arena *arena, const char *text)
{
    size_t n = 1;
    for (const char *c = text; *c; c++)
        n += *c == ',';
    const char **names = arena_alloc(arena, (n + 1) * sizeof *names);
    for (size_t i = 0; i < n; i++) {
        size_t length = strcspn(text, ",");
        names[i] = arena_string_n(arena, text, length);
        text += length + 1;
    }
    return names;
}

static bool insn_take(struct reader *reader, struct err *err)
{
    struct model_rule rule = {0};
    uint32_t equals = 2;
    while (equals < reader->n && strcmp(reader->words[equals], "=") != 0)
        equals++;
    if (equals + 1 >= reader->n)
        return line_bad(reader, err, "insn NAME,... WORD... = OP...");
    rule.names = names_split(&reader->model->arena, reader->words[1]);
    for (uint32_t i = equals + 1; i < reader->n; i++)
        if (!rule_effect(reader, &rule, reader->words[i], err))
            return false;
    if (!rule.n_ops)
        return line_bad(reader, err, "an instruction is made of at least one op");
    return rule_add(reader, rule, 2, equals, err);
}

static bool line_split(struct reader *reader, char *line, struct err *err)
{
    line[strcspn(line, "#")] = 0;
    reader->n = 0;
    for (char *word; (word = strsep(&line, " \t\r"));)
        if (*word) {
            if (reader->n == LINE_WORDS)
                return line_bad(reader, err, "more than %d words", LINE_WORDS);
            reader->words[reader->n++] = word;
        }
    return true;
}

/* The instructions of another core; their operations are those of this one. */
static bool rules_take(struct reader *reader, struct err *err)
{
    size_t bytes;
    const char *text = reader->n == 2 ? model_text(reader->words[1], &bytes) : NULL;
    if (!text)
        return line_bad(reader, err, "rules of which core that gait knows?");
    struct reader other = {.model = reader->model,
                           .from = arena_string(&reader->model->arena, reader->words[1])};
    char *copy = mem_alloc(bytes + 1), *rest = copy;
    memcpy(copy, text, bytes);
    bool good = true;
    for (char *line; good && (line = strsep(&rest, "\n"));) {
        other.line++;
        good = line_split(&other, line, err) &&
               (!other.n || strcmp(other.words[0], "insn") != 0 || insn_take(&other, err));
    }
    mem_free(copy);
    return good;
}

static bool line_take(struct reader *reader, char *line, struct err *err)
{
    if (!line_split(reader, line, err))
        return false;
    if (!reader->n)
        return true;
    const char *first = reader->words[0];
    if (strcmp(first, "insn") == 0)
        return insn_take(reader, err);
    if (strcmp(first, "rules") == 0)
        return rules_take(reader, err);
    if (strcmp(first, "op") == 0)
        return op_take(reader, err);
    if (strcmp(first, "ports") == 0)
        return ports_take(reader, err);
    if (strcmp(first, "core") == 0 && reader->n == 2) {
        reader->model->name = arena_string(&reader->model->arena, reader->words[1]);
        return true;
    }
    return number_take(reader, err);
}

static bool whole(const struct reader *reader, struct err *err)
{
    struct model *model = reader->model;
    const struct {
        const char *name;
        uint8_t *to;
    } needed[] = {{"load", &model->op_load},
                  {"load_fp", &model->op_load_fp},
                  {"store", &model->op_store},
                  {"store_data", &model->op_store_data},
                  {"store_fp", &model->op_store_fp}};
    for (size_t i = 0; i < N_NUMBERS; i++)
        if (!(reader->seen[i / 64] >> i % 64 & 1) && numbers[i].least)
            return err_set(err, ERR_FORMAT, "%s: no %s", reader->from, numbers[i].name);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!op_find(model, needed[i].name, strlen(needed[i].name), needed[i].to))
            return err_set(err, ERR_FORMAT, "%s: no op %s", reader->from, needed[i].name);
    if (!model->name)
        return err_set(err, ERR_FORMAT, "%s: no name: core NAME", reader->from);
    if (model->line_bytes & (model->line_bytes - 1))
        return err_set(err, ERR_FORMAT, "%s: line_bytes is not a power of two", reader->from);
    if (model->store_window & (model->store_window - 1))
        return err_set(err, ERR_FORMAT, "%s: store_window is not a power of two", reader->from);
    const struct model_rules *rules = &model->rules;
    if (!rules->n || rules->at[rules->n - 1].words ||
        strcmp(rules->at[rules->n - 1].names[0], "*") != 0)
        return err_set(err, ERR_FORMAT, "%s: the last rule is not one for all: insn * = ...",
                       reader->from);
    return true;
}

bool model_read(const char *text, size_t bytes, const char *from, struct model *ret_model,
                struct err *err)
{
    struct model model = {0};
    struct reader reader = {.model = &model, .from = from};
    bool good = memchr(text, 0, bytes) == NULL || err_set(err, ERR_FORMAT, "%s: not text", from);
    char *copy = mem_alloc(bytes + 1), *rest = copy;
    memcpy(copy, text, bytes);
    for (char *line; good && (line = strsep(&rest, "\n"));) {
        reader.line++;
        good = line_take(&reader, line, err);
    }
    mem_free(copy);
    if (good)
        good = whole(&reader, err);
    if (!good) {
        model_release(&model);
        return false;
    }
    *ret_model = model;
    return true;
}
