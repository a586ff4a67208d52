#include "cmd/options/flags.h"

#include "base/err.h"

#include <getopt.h>
#include <stddef.h>

enum { FLAGS_MAX = 15, HELP = 'h', BY_NAME = 256 };

/* As getopt wants them: those with a name only are known by BY_NAME and their place. */
struct flag_list {
    struct option names[FLAGS_MAX + 2];
    char letters[2 * FLAGS_MAX + 4];
};

static void flag_list_make(struct flag_list *list, const struct flag *flags, bool before)
{
    char *letter = list->letters;
    int n = 0;
    if (before)
        *letter++ = '+';
    *letter++ = ':';
    *letter++ = HELP;
    for (; flags[n].name; n++) {
        bool has_value = flags[n].value;
        ASSERT(n < FLAGS_MAX);
        list->names[n] = (struct option){flags[n].name, has_value ? required_argument : no_argument,
                                         NULL, BY_NAME + n};
        if (!flags[n].letter)
            continue;
        *letter++ = flags[n].letter;
        if (has_value)
            *letter++ = ':';
    }
    *letter = 0;
    list->names[n] = (struct option){"help", no_argument, NULL, HELP};
    list->names[n + 1] = (struct option){0};
}

static const struct flag *flag_of(const struct flag *flags, int option)
{
    if (option >= BY_NAME)
        return &flags[option - BY_NAME];
    while (flags->letter != option)
        flags++;
    return flags;
}

static bool flags_take(const struct flag *flags, bool before, bool *help, int argc, char **argv,
                       struct err *err)
{
    struct flag_list list;
    int option;
    flag_list_make(&list, flags, before);
    opterr = 0;
    while ((option = getopt_long(argc, argv, list.letters, list.names, NULL)) != -1) {
        if (option == HELP)
            return *help = true;
        if (option == ':')
            return err_set(err, ERR_USAGE, "%s lacks its value", argv[optind - 1]);
        if (option == '?')
            return err_set(err, ERR_USAGE, "%s: unknown option; see gait %s --help",
                           argv[optind - 1], argv[0]);
        const struct flag *flag = flag_of(flags, option);
        if (flag->is_set)
            *flag->is_set = true;
        if (flag->value)
            *flag->value = optarg;
    }
    return true;
}

bool flags_parse(const struct flag *flags, bool *help, int argc, char **argv, struct err *err)
{
    return flags_take(flags, false, help, argc, argv, err);
}

bool flags_parse_before(const struct flag *flags, bool *help, int argc, char **argv,
                        struct err *err)
{
    return flags_take(flags, true, help, argc, argv, err);
}
