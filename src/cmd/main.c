/* gait: finds the subcommand and calls it. */
#include "base/version.h"
#include "cmd/cmd.h"
#include "cmd/options/view_options.h"

#include <stdio.h>
#include <string.h>

static const struct command {
    const char *name, *help;
    int (*run)(int argc, char **argv);
} commands[] = {
#define COMMAND(name, help) {#name, help, cmd_##name},
#include "cmd/commands.def"
#undef COMMAND
};
enum { COMMANDS_N = sizeof commands / sizeof *commands, NAME_MAX_BYTES = 32 };

static void help(FILE *to)
{
    fputs("usage: gait COMMAND [options]\n\nProfiles a program: which instructions, branches, "
          "calls and paths it executes\nand where its time goes, by sampling within a budget that "
          "you set, or exactly.\n\n",
          to);
    for (int i = 0; i < COMMANDS_N; i++)
        fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].help);
    fputs("\ngait COMMAND --help shows its options. Start with:  gait record -- PROGRAM; gait "
          "report\n",
          to);
}

static int least(int a, int b, int c)
{
    int low = a < b ? a : b;
    return low < c ? low : c;
}

/* Edits that make one word the other. */
static int distance(const char *a, const char *b)
{
    int row[NAME_MAX_BYTES + 1];
    int width = (int)strlen(b);
    if (width > NAME_MAX_BYTES)
        return NAME_MAX_BYTES;
    for (int j = 0; j <= width; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= width; j++) {
            int changed = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = least(row[j] + 1, row[j - 1] + 1, changed);
        }
    }
    return row[width];
}

static int unknown(const char *name)
{
    const struct command *nearest = NULL;
    int best = 3;
    for (int i = 0; i < COMMANDS_N; i++) {
        int edits = distance(name, commands[i].name);
        if (edits < best) {
            best = edits;
            nearest = &commands[i];
        }
    }
    if (nearest)
        say("'%s' is not a command; did you mean '%s'?", name, nearest->name);
    else
        say("'%s' is not a command; see gait --help", name);
    return EXIT_USAGE;
}

static const struct command *command_find(const char *name)
{
    for (int i = 0; i < COMMANDS_N; i++)
        if (!strcmp(name, commands[i].name))
            return &commands[i];
    return NULL;
}

/* gait help COMMAND is gait COMMAND --help. */
static int help_of(char *name)
{
    const struct command *command = command_find(name);
    char *words[] = {name, (char[]){"--help"}, NULL};
    return command ? command->run(2, words) : unknown(name);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        help(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "help") && argc > 2)
        return help_of(argv[2]);
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
        output_wrap();
        help(stdout);
        return EXIT_DONE;
    }
    if (!strcmp(name, "--version")) {
        puts("gait " GAIT_VERSION);
        return EXIT_DONE;
    }
    const struct command *command = command_find(name);
    return command ? command->run(argc - 1, argv + 1) : unknown(name);
}
