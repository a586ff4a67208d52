#include "cmd/options/flags.h"

#include "base/err.h"

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLAGS_MAX = 64, HELP = 'h', BY_NAME = 256 };

/* A table as getopt wants it. An option is known by BY_NAME and its place. */
struct flag_list {
    const struct flag *flags[FLAGS_MAX];
    struct option names[FLAGS_MAX + 2];
    char letters[2 * FLAGS_MAX + 4];
    int n;
    char *letter;
};

static bool list_has(const struct flag_list *list, const char *name)
{
    for (int i = 0; i < list->n; i++)
        if (!strcmp(list->flags[i]->name, name))
            return true;
    return false;
}

static void list_add(struct flag_list *list, const struct flag *flags)
{
    for (const struct flag *flag = flags; flag && flag->name; flag++) {
        int has_value = !flag->value                 ? no_argument
                        : strchr("[=", *flag->value) ? optional_argument
                                                     : required_argument;
        if (!*flag->name || list_has(list, flag->name))
            continue;
        ASSERT(list->n < FLAGS_MAX);
        list->names[list->n] = (struct option){flag->name, has_value, NULL, BY_NAME + list->n};
        list->flags[list->n++] = flag;
        if (!flag->letter)
            continue;
        *list->letter++ = flag->letter;
        if (flag->value)
            *list->letter++ = ':';
    }
}

static void list_make(struct flag_list *list, const struct command_line *line)
{
    *list = (struct flag_list){.letter = list->letters};
    if (line->before)
        *list->letter++ = '+';
    *list->letter++ = ':';
    *list->letter++ = HELP;
    list_add(list, line->flags);
    list_add(list, line->also);
    list->names[list->n] = (struct option){"help", optional_argument, NULL, HELP};
}

static const struct flag *flag_of(const struct flag_list *list, int option)
{
    if (option >= BY_NAME)
        return list->flags[option - BY_NAME];
    for (int i = 0;; i++)
        if (list->flags[i]->letter == option)
            return list->flags[i];
}

static bool unexpected(const struct flag *flag, const char *value, struct err *err)
{
    char room[64];
    const char *name = flag_shown(flag, room), *sign = strchr("[=", *flag->value) ? "=" : " ";
    if (flag->expected || flag->words)
        return err_set(err, ERR_USAGE, "%s%s%s: expected %s", name, sign, value,
                       flag->expected ? flag->expected : flag->words);
    if (flag->high > 0)
        return err_set(err, ERR_USAGE, "%s%s%s: expected a number from %.12g to %.12g", name, sign,
                       value, flag->low, flag->high);
    return err_set(err, ERR_USAGE, "%s%s%s: expected a number from %.12g on", name, sign, value,
                   flag->low);
}

_Noreturn static void help(const struct command_line *line, const char *kind)
{
    if (kind && !strcmp(kind, "options"))
        flags_list(line);
    else
        flags_help(line);
    exit(EXIT_SUCCESS);
}

bool flags_parse(const struct command_line *line, void *to, int argc, char **argv, struct err *err)
{
    struct flag_list list;
    int option;
    list_make(&list, line);
    opterr = 0;
    err->kind = ERR_NONE;
    while ((option = getopt_long(argc, argv, list.letters, list.names, NULL)) != -1) {
        if (option == HELP)
            help(line, optarg);
        if (option == ':')
            return err_set(err, ERR_USAGE, "%s: expected a value", argv[optind - 1]);
        if (option == '?')
            return err_set(err, ERR_USAGE, "%s: unknown option; see gait %s --help",
                           argv[optind - 1], argv[0]);
        const struct flag *flag = flag_of(&list, option);
        if (!flag->take(to, flag, optarg, err))
            return err->kind != ERR_NONE ? false : unexpected(flag, optarg, err);
    }
    return true;
}

/* ---- values */

static void *target(void *to, const struct flag *flag)
{
    return (char *)to + flag->at;
}

bool take_set(void *to, const struct flag *flag, const char *value, struct err *err)
{
    (void)value, (void)err;
    *(bool *)target(to, flag) = true;
    return true;
}

bool take_nothing(void *to, const struct flag *flag, const char *value, struct err *err)
{
    (void)to, (void)flag, (void)value, (void)err;
    return true;
}

bool take_text(void *to, const struct flag *flag, const char *value, struct err *err)
{
    (void)err;
    *(const char **)target(to, flag) = value;
    return true;
}

bool flag_number(const struct flag *flag, const char *value, double *ret_number)
{
    char *end;
    double number = strtod(value, &end);
    bool percent = *end == '%' && !strcmp(flag->value, "PCT");
    if (end == value || end[percent])
        return false;
    *ret_number = number;
    return number >= flag->low && number <= (flag->high > 0 ? flag->high : 1e300);
}

bool take_number(void *to, const struct flag *flag, const char *value, struct err *err)
{
    (void)err;
    return flag_number(flag, value, target(to, flag));
}

bool take_u32(void *to, const struct flag *flag, const char *value, struct err *err)
{
    double number;
    (void)err;
    if (!flag_number(flag, value, &number) || number > UINT32_MAX)
        return false;
    *(uint32_t *)target(to, flag) = (uint32_t)number;
    return true;
}

const char *word_next(const char *at, size_t *ret_bytes)
{
    at += strspn(at, ", ");
    size_t n = strcspn(at, ", ");
    if (n == 2 && !strncmp(at, "or", 2))
        return word_next(at + n, ret_bytes);
    *ret_bytes = n;
    return n ? at : NULL;
}

int flag_word(const struct flag *flag, const char *value)
{
    int place = 0;
    size_t n;
    for (const char *word = flag->words; (word = word_next(word, &n)); word += n, place++)
        if (strlen(value) == n && !strncmp(word, value, n))
            return place;
    return -1;
}

bool take_word(void *to, const struct flag *flag, const char *value, struct err *err)
{
    int place = flag_word(flag, value);
    (void)err;
    if (place >= 0)
        *(int *)target(to, flag) = place;
    return place >= 0;
}
