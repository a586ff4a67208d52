#include "view/brief.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Bytes of an operator's name that look like brackets: "operator<<", "operator()", "operator->". */
static size_t operator_bytes(const char *at)
{
    static const char word[] = "operator";
    size_t bytes = sizeof word - 1;
    if (strncmp(at, word, bytes) != 0)
        return 0;
    if (strncmp(at + bytes, "()", 2) == 0 || strncmp(at + bytes, "[]", 2) == 0)
        return bytes + 2;
    size_t marks = strspn(at + bytes, "<>=-!+*/%^&|~,");
    return marks ? bytes + marks : 0;
}

/* Bytes that are part of a name whatever is in them; 0: none. */
static size_t name_bytes(const char *at)
{
    static const char anonymous[] = "(anonymous namespace)";
    if (strncmp(at, anonymous, sizeof anonymous - 1) == 0)
        return sizeof anonymous - 1;
    return operator_bytes(at);
}

/* "operator new", "operator bool". */
static bool ends_in_operator(const char *text, size_t bytes)
{
    return bytes >= 8 && strncmp(text + bytes - 8, "operator", 8) == 0;
}

void name_bare(const char *readable, char *bare, size_t room)
{
    size_t begin = 0, end = strlen(readable);
    int depth = 0;
    for (size_t i = 0; readable[i]; i++) {
        char now = readable[i];
        size_t whole = name_bytes(readable + i);
        if (whole) {
            i += whole - 1;
            i += readable[i + 1] == ' ' && readable[i + 2] == '<'; /* "operator< <int>" */
        } else if (now == '(' && !depth) {
            end = i;
            break;
        } else if (now == '<' || now == '(' || now == '[') {
            depth++;
        } else if ((now == '>' && i && readable[i - 1] != '-') || now == ')' || now == ']') {
            depth -= depth > 0;
        } else if (now == ' ' && !depth && !ends_in_operator(readable, i)) {
            begin = i + 1;
        }
    }
    size_t length = end > begin ? end - begin : 0;
    if (length >= room)
        length = room - 1;
    memmove(bare, readable + begin, length);
    bare[length] = 0;
}

void name_untemplated(char *name)
{
    int depth = 0;
    char *to = name;
    for (const char *at = name; *at; at++) {
        size_t whole = name_bytes(at);
        if (whole && !depth) {
            memmove(to, at, whole);
            to += whole;
            at += whole - 1;
            continue;
        }
        if (*at == '<')
            depth++;
        if (!depth)
            *to++ = *at;
        if (*at == '>' && depth && at[-1] != '-')
            depth--;
    }
    while (to > name && to[-1] == ' ')
        to--;
    *to = 0;
}

/* Characters, not bytes; cuts between them. */
static void cut(char *text, size_t width)
{
    size_t characters = 0, at = 0;
    for (; text[at] && characters < width; at++)
        characters += (text[at + 1] & 0xC0) != 0x80;
    if (!text[at] || width < 4)
        return;
    for (size_t back = 0; back < 3; back++)
        do
            at--;
        while (at && (text[at] & 0xC0) == 0x80);
    strcpy(text + at, "...");
}

void name_brief(const char *readable, char *brief, size_t room, size_t width)
{
    snprintf(brief, room, "%s", readable);
    if (strlen(readable) <= width)
        return;
    name_bare(readable, brief, room);
    if (strlen(brief) > width)
        name_untemplated(brief);
    cut(brief, width);
}
