/* Unwind tables, row by row, against readelf's reading of the same sections. Given files as
 * arguments it checks those; alone, this machine's libc and loader. */
#include "program/unwind/unwind.h"

#include "base/err.h"
#include "program/elf/image.h"

#include "oracle.h"

#include <inttypes.h>
#include <setjmp.h>
#include <cmocka.h>

enum { COLUMNS_MAX = 40, LINE_MAX_BYTES = 4096 };

static const char *const names[UNWIND_REGISTERS] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi",
                                                    "rbp", "rsp", "r8",  "r9",  "r10", "r11",
                                                    "r12", "r13", "r14", "r15", "ra"};

static int register_of(const char *name)
{
    for (int i = 0; i < UNWIND_REGISTERS; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1; /* vector registers and the like: not kept */
}

/* readelf's word for a column: u, s, c-16, v+8, exp, vexp, or a register. An unspecified column and
 * an undefined one look the same there. */
static void column_word(const struct unwind_rule *rule, int number, char *word, size_t room)
{
    int32_t column = rule->column[number];
    if (!(rule->columns >> number & 1)) {
        snprintf(word, room, "u");
        return;
    }
    switch (column_kind(column)) {
    case COLUMN_UNDEFINED: snprintf(word, room, "u"); return;
    case COLUMN_AT: snprintf(word, room, "c%+d", column_number(column)); return;
    case COLUMN_IS: snprintf(word, room, "v%+d", column_number(column)); return;
    case COLUMN_REGISTER: snprintf(word, room, "r%d", column_number(column)); return;
    case COLUMN_AT_EXPRESSION: snprintf(word, room, "exp"); return;
    default: snprintf(word, room, "vexp"); return;
    }
}

static void cfa_word(const struct unwind_rule *rule, char *word, size_t room)
{
    if (rule->cfa == CFA_REGISTER)
        snprintf(word, room, "%s%+d", names[rule->cfa_register], rule->number);
    else
        snprintf(word, room, rule->cfa == CFA_NONE ? "none" : "exp");
}

struct table {
    const char *path;
    const struct unwind *unwind;
    uint64_t end; /* of the entry */
    char header[COLUMNS_MAX][16];
    int n_header;
    char row[COLUMNS_MAX][32]; /* the last one read: it lasts until the next is known */
    int n_row;
    uint64_t at;
    size_t checked;
};

/* "r8 (r8)" is one word. */
static int words(char *line, char *into, size_t stride, int most)
{
    int n = 0;
    for (char *word = strtok(line, " \t\n"); word && n < most; word = strtok(NULL, " \t\n"))
        if (*word != '(')
            snprintf(into + (size_t)n++ * stride, stride, "%s", word);
    return n;
}

static void check_at(struct table *table, uint64_t at)
{
    const struct unwind_rule *rule = unwind_find(table->unwind, (struct svma){at});
    char word[64];
    if (!rule)
        fail_msg("%s: no rule at %#" PRIx64, table->path, at);
    cfa_word(rule, word, sizeof word);
    if (strcmp(word, table->row[1]) != 0)
        fail_msg("%s: at %#" PRIx64 " CFA is %s, readelf: %s", table->path, at, word,
                 table->row[1]);
    uint32_t seen = 0;
    for (int i = 2; i < table->n_row; i++) {
        int number = register_of(table->header[i]);
        if (number < 0)
            continue;
        seen |= 1u << number;
        column_word(rule, number, word, sizeof word);
        if (strcmp(word, strcmp(table->row[i], "s") == 0 ? "u" : table->row[i]) != 0)
            fail_msg("%s: at %#" PRIx64 " %s is %s, readelf: %s", table->path, at, table->header[i],
                     word, table->row[i]);
    }
    assert_int_equal(rule->columns & ~seen, 0);
    table->checked++;
}

/* The row that was read last ends here: it must hold at its first byte and at its last. */
static void close_row(struct table *table, uint64_t end)
{
    if (!table->n_row || end <= table->at)
        return;
    check_at(table, table->at);
    check_at(table, end - 1);
}

static void read_line(struct table *table, char *line)
{
    uint64_t low, high;
    char *fde = strstr(line, " FDE "), *range = fde ? strstr(fde, " pc=") : NULL;
    if (range && sscanf(range, " pc=%" SCNx64 "..%" SCNx64, &low, &high) == 2) {
        close_row(table, table->end);
        table->n_row = 0;
        table->end = high;
    } else if (strstr(line, " CIE ") || *line == '\n') {
        close_row(table, table->end);
        table->n_row = 0;
        if (strstr(line, " CIE "))
            table->end = 0;
    } else if (strstr(line, "   LOC ")) {
        table->n_header = words(line, table->header[0], sizeof table->header[0], COLUMNS_MAX);
    } else if (table->end && sscanf(line, "%16" SCNx64 " ", &low) == 1 && line[16] == ' ') {
        close_row(table, low);
        table->n_row = words(line, table->row[0], sizeof table->row[0], COLUMNS_MAX);
        table->at = low;
    }
}

static size_t check_file(const char *path)
{
    struct err err;
    struct image image;
    struct unwind unwind;
    if (!image_open(&image, path, &err))
        fail_msg("%s", err.text);
    unwind_build(&unwind, &image);
    struct table table = {.path = path, .unwind = &unwind};
    FILE *lines = oracle_open("readelf --debug-dump=frames-interp '%s' 2>/dev/null", path);
    static char line[LINE_MAX_BYTES];
    while (fgets(line, sizeof line, lines))
        read_line(&table, line);
    close_row(&table, table.end);
    pclose(lines);
    assert_int_equal(unwind.unreadable, 0);
    /* The rule's own size is small beside that of the rows, and both are what they are said to be.
     */
    size_t bytes = unwind.rows.n * sizeof *unwind.rows.at +
                   unwind.rules.n * sizeof *unwind.rules.at +
                   unwind.index.n * sizeof *unwind.index.at;
    printf("%s: %" PRIu64 " entries, %zu rows, %zu rules, %zu bytes; %zu places equal\n", path,
           unwind.entries, unwind.rows.n, unwind.rules.n, bytes, table.checked);
    unwind_release(&unwind);
    image_close(&image);
    return table.checked;
}

static int n_files;
static char **files;

static void rows_are_readelfs(void **state)
{
    (void)state;
    for (int i = 0; i < n_files; i++)
        check_file(files[i]);
    if (n_files)
        return;
    assert_true(check_file(LIBC) > 20000);
    assert_true(check_file("/lib64/ld-linux-x86-64.so.2") > 2000);
}

int main(int argc, char **argv)
{
    oracle_need("readelf");
    n_files = argc - 1;
    files = argv + 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_readelfs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
