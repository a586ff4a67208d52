/* Several shell-quoted commands in one text, one per line. A newline inside quotes belongs to its
 * command. */
#pragma once

#include <stdbool.h>

/* Where the first command of the text ends: at its newline, or at the end of the text. */
static inline char *command_end(char *text)
{
    bool quoted = false;
    for (; *text && (quoted || *text != '\n'); text++) {
        if (*text == '\'')
            quoted = !quoted;
        else if (*text == '\\' && !quoted && text[1])
            text++;
    }
    return text;
}
