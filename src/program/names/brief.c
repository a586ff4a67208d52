#include "program/names/brief.h"

#include "base/memory.h"

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

/* Bytes from an opening bracket to behind the one that closes it; to the end if none does. */
static size_t group_bytes(const char *at)
{
    size_t i = 0;
    int depth = 0;
    for (; at[i]; i++) {
        size_t whole = i ? operator_bytes(at + i) : 0;
        if (whole)
            i += whole - 1;
        else if (strchr("<([{", at[i]))
            depth++;
        else if (strchr(")]}", at[i]) || (at[i] == '>' && i && at[i - 1] != '-'))
            depth--;
        if (!depth)
            return i + 1;
    }
    return i;
}

/* Of what follows the parameters of an enclosing function: "f(int) const::{lambda()#1}"; 0: it is
 * not one. */
static size_t enclosed_bytes(const char *at)
{
    size_t qualified = strncmp(at, " const", 6) == 0 ? 6 : 0;
    return strncmp(at + qualified, "::", 2) == 0 ? qualified + 2 : 0;
}

static bool is_return_type(const char *readable, size_t bracket)
{
    return bracket >= 8 && strncmp(readable + bracket - 8, "decltype", 8) == 0;
}

void name_bare(const char *readable, char *bare, size_t room)
{
    size_t begin = 0, i = 0;
    while (readable[i]) {
        size_t whole = name_bytes(readable + i);
        if (whole) {
            i += whole;
            i += readable[i] == ' ' && readable[i + 1] == '<'; /* "operator< <int>" */
        } else if (strchr("<[{", readable[i])) {
            i += group_bytes(readable + i);
        } else if (readable[i] == '(') {
            size_t behind = i + group_bytes(readable + i);
            size_t enclosed = enclosed_bytes(readable + behind);
            if (!enclosed && !is_return_type(readable, i))
                break;
            i = behind + enclosed;
        } else {
            if (readable[i] == ' ' && !ends_in_operator(readable, i))
                begin = i + 1;
            i++;
        }
    }
    size_t length = i > begin ? i - begin : 0;
    if (length >= room)
        length = room - 1;
    memmove(bare, readable + begin, length);
    bare[length] = 0;
    /* A stub is not what it leads to: "f(int)@plt". */
    const char *stub = strrchr(readable + i, '@');
    if (stub && !strpbrk(stub, ")> "))
        snprintf(bare + length, room - length, "%s", stub);
}

/* Where " word " stands outside of brackets; NULL: nowhere. */
static char *word_find(char *text, const char *word)
{
    for (char *at = text; *at; at += strchr("<([{", *at) ? group_bytes(at) : 1)
        if (strncmp(at, word, strlen(word)) == 0)
            return at;
    return NULL;
}

/* The type that "A as Trait", "impl Trait for A" or "impl A" is about: its own name, last of its
 * path if `last`. */
static char *type_name(char *inside, bool last)
{
    char *end, *begin = inside, *implemented = NULL;
    if (strncmp(begin, "impl ", 5) == 0) {
        begin += 5;
        implemented = word_find(begin, " for ");
    } else if ((end = word_find(begin, " as "))) {
        *end = 0;
    }
    begin = implemented ? implemented + 5 : begin;
    begin += strspn(begin, "&*");
    static const char *const marks[] = {"mut ", "const ", "dyn "};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strncmp(begin, marks[i], strlen(marks[i])) == 0)
            begin += strlen(marks[i]);
    char *to = begin, *name = begin;
    for (char *at = begin; *at;) {
        if (*at == '<') {
            at += group_bytes(at);
            continue;
        }
        if (last && to > begin && to[-1] == ':' && *at != ':')
            name = to;
        *to++ = *at++;
    }
    *to = 0;
    return name;
}

/* A bracket of Rust that stands for a type, "<A as B>::f" or "a::<impl B for A>::f": that type. */
static char *type_put(char *name, char *to, const char *at, size_t bytes)
{
    char *inside = mem_alloc(bytes + 1);
    memcpy(inside, at + 1, bytes - 2);
    const char *type = type_name(inside, to > name);
    size_t length = strlen(type);
    if (length && length < bytes) { /* "[T]", "(A, B)" are no names */
        memcpy(to, type, length);
        to += length;
    }
    mem_free(inside);
    return to;
}

void name_untemplated(char *name)
{
    char *to = name;
    const char *at = name;
    while (*at) {
        size_t whole = name_bytes(at), bytes = 1;
        bool behind = to - name >= 2 && to[-1] == ':' && to[-2] == ':';
        if (whole || (*at != '<' && *at != '(')) {
            bytes = whole ? whole : 1;
            memmove(to, at, bytes);
            to += bytes;
            at += bytes;
            continue;
        }
        bytes = group_bytes(at);
        bool type = *at == '<' && bytes > 2 && at[bytes - 1] == '>' &&
                    (at == name || (behind && strncmp(at, "<impl ", 6) == 0));
        if (type)
            to = type_put(name, to, at, bytes);
        else if (*at == '<' && behind)
            to -= 2; /* "f::<T>" */
        at += bytes;
        if (strncmp(at, " const::", 8) == 0)
            at += 6;
    }
    while (to > name && to[-1] == ' ')
        to--;
    *to = 0;
}

/* Where the last but `keep` components of a path begin. */
static const char *path_tail(const char *name, int keep)
{
    const char *starts[2] = {name, name};
    for (const char *at = name; *at; at++)
        if (strncmp(at, "::", 2) == 0 && at[2]) {
            starts[0] = starts[1];
            starts[1] = at + 2;
        }
    return starts[keep > 1 ? 0 : 1];
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

/* Namespaces go first: the last component says what it does, the one before it of what. */
static void shorten(char *name, size_t width)
{
    for (int keep = 2; keep && strlen(name) > width; keep--) {
        const char *tail = path_tail(name, keep);
        memmove(name, tail, strlen(tail) + 1);
    }
}

void name_brief(const char *readable, char *brief, size_t room, size_t width)
{
    size_t bytes = strlen(readable);
    if (bytes <= width) {
        snprintf(brief, room, "%s", readable);
        return;
    }
    char *name = mem_alloc(bytes + 1);
    name_bare(readable, name, bytes + 1);
    if (strlen(name) > width)
        name_untemplated(name);
    if (!*name) /* nothing that we know how to read */
        memcpy(name, readable, bytes);
    shorten(name, width);
    cut(name, width);
    snprintf(brief, room, "%s", name);
    mem_free(name);
}
