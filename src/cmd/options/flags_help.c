#include "cmd/options/flags.h"
#include "cmd/options/view_options.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TEXT_AT = 21, COLUMNS = 98, COLUMNS_MIN = 40 };

/* A terminal may be narrower; where there is none, help is always the same. */
static size_t columns(void)
{
    struct winsize size;
    bool known = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    return known && size.ws_col >= COLUMNS_MIN && size.ws_col < COLUMNS ? size.ws_col : COLUMNS;
}

const char *flag_shown(const struct flag *flag, char room[64])
{
    if (flag->letter)
        snprintf(room, 64, "-%c", flag->letter);
    else
        snprintf(room, 64, "--%s", flag->name);
    return room;
}

/* A text from a column on, in lines. */
static void print_wrapped(const char *text, size_t column)
{
    const char *gap = "";
    size_t width = columns();
    for (size_t n; *text; text += n, gap = " ") {
        text += strspn(text, " ");
        n = strcspn(text, " ");
        if (*gap && column + 1 + n > width) {
            printf("\n%*s", TEXT_AT, "");
            column = TEXT_AT;
            gap = "";
        }
        column += (size_t)printf("%s%.*s", gap, (int)n, text);
    }
    putchar('\n');
}

static void print_flag(const struct flag *flag)
{
    char room[64], names[128], text[1024];
    const char *value = flag->value ? flag->value : "";
    int n = snprintf(names, sizeof names, "  %s%s%s", flag_shown(flag, room),
                     *value && !strchr("[=", *value) ? " " : "", value);
    snprintf(text, sizeof text, "%s%s", flag->words ? flag->words : "", flag->help);
    printf("%s%*s", names, n + 1 < TEXT_AT ? TEXT_AT - n : 2, "");
    print_wrapped(text, n + 1 < TEXT_AT ? TEXT_AT : (size_t)n + 2);
}

void flags_help(const struct command_line *line)
{
    output_wrap();
    fputs(line->usage, stdout);
    putchar('\n');
    for (const struct flag *flag = line->flags; flag->name; flag++)
        if (!*flag->name)
            printf("%s\n", flag->help);
        else if (flag->help)
            print_flag(flag);
    if (line->below)
        printf("\n%s", line->below);
    if (line->more)
        line->more();
}

void flags_list(const struct command_line *line)
{
    for (const struct flag *flag = line->flags; flag->name; flag++) {
        size_t n;
        if (!*flag->name || !flag->help)
            continue;
        if (flag->letter)
            printf("-%c ", flag->letter);
        printf("--%s\t%s\t", flag->name, flag->value ? flag->value : "");
        for (const char *word = flag->words; word && (word = word_next(word, &n)); word += n)
            printf("%.*s ", (int)n, word);
        printf("\t%s\n", flag->help + strspn(flag->help, ":;, "));
    }
}
