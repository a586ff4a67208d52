/* Callgrind's format: lines of positions and costs, in which names and positions may be short for
 * what came before. Of costs the executed instructions (Ir) are read; sums over calls, which follow
 * their calls=, are not. */
#include "import/import.h"
#include "import/straight.h"

#include "base/err.h"
#include "profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { POSITIONS_MAX = 4, NUMBER_MAX = 1 << 24 };

struct reading {
    struct profile *profile;
    struct straight straight;
    struct err *err;
    size_t line;
    struct short_names {
        VEC(const char *);         /* by number */
    } names;                       /* of objects */
    size_t n_positions, instr, ir; /* which position is the address, and which cost Ir */
    bool has_instr, has_ir, has_jumps;
    uint64_t last[POSITIONS_MAX];
    uint32_t object, called; /* of the lines, and of the next call */
    bool has_called, skips;  /* skips: the next line has the cost of a call, or no cost at all */
    struct straight_jump pending; /* a jump or call whose source comes next */
    enum { PENDING_NONE, PENDING_JUMP, PENDING_CALL } what;
};

static bool bad(struct reading *reading, const char *why)
{
    return err_set(reading->err, ERR_FORMAT, "line %zu: %s", reading->line, why);
}

/* "(3) name", "(3)", or a plain name. */
static bool name_read(struct reading *reading, const char *text, uint32_t *ret_object)
{
    const char *name = text;
    if (text[0] == '(') {
        char *end;
        errno = 0;
        unsigned long number = strtoul(text + 1, &end, 10);
        if (errno || *end != ')' || number >= NUMBER_MAX)
            return bad(reading, "not a number of a name");
        name = end + 1 + strspn(end + 1, " ");
        if (number >= reading->names.n) {
            if (!*name)
                return bad(reading, "a name that was never given");
            vec_reserve(&reading->names, number + 1);
            reading->names.n = number + 1;
        }
        if (*name)
            reading->names.at[number] = arena_string(&reading->profile->arena, name);
        name = reading->names.at[number];
        if (!name)
            return bad(reading, "a name that was never given");
    } else {
        name = arena_string(&reading->profile->arena, name);
    }
    *ret_object =
        straight_object(&reading->straight, strcmp(name, "???") == 0 ? "[unknown]" : name);
    return true;
}

/* One position: a number, or "+N", "-N", "*" from the one before. */
static bool position_read(struct reading *reading, const char **at, uint64_t before,
                          uint64_t *ret_position)
{
    const char *text = *at + strspn(*at, " ");
    char *end;
    if (*text == '*') {
        *ret_position = before;
        *at = text + 1;
        return true;
    }
    bool more = *text == '+', less = *text == '-';
    errno = 0;
    unsigned long long number = strtoull(text + (more || less), &end, 0);
    if (errno || end == text + (more || less))
        return bad(reading, "not a position");
    *ret_position = more ? before + number : less ? before - number : number;
    *at = end;
    return true;
}

static bool positions_read(struct reading *reading, const char **at,
                           uint64_t positions[POSITIONS_MAX])
{
    for (size_t i = 0; i < reading->n_positions; i++)
        if (!position_read(reading, at, reading->last[i], &positions[i]))
            return false;
    return true;
}

/* ---- lines */

static bool cost_read(struct reading *reading, const char *text)
{
    uint64_t positions[POSITIONS_MAX] = {0};
    if (!reading->has_instr)
        return bad(reading, "no addresses: callgrind --dump-instr=yes writes them");
    if (!positions_read(reading, &text, positions))
        return false;
    memcpy(reading->last, positions, sizeof positions);
    uint64_t at = positions[reading->instr];
    if (reading->what != PENDING_NONE) {
        struct straight_object *object = &reading->straight.at[reading->object];
        struct straight_jumps *into =
            reading->what == PENDING_CALL ? &object->calls : &object->jumps;
        reading->pending.from = at;
        *vec_push(into) = reading->pending;
        reading->what = PENDING_NONE;
        return true;
    }
    uint64_t count = 0;
    for (size_t i = 0; i <= reading->ir; i++) {
        char *end;
        count = strtoull(text, &end, 10);
        if (end == text)
            count = 0; /* costs that are left out are zero */
        text = end;
    }
    if (count)
        straight_count(&reading->straight, reading->object, at, count);
    return true;
}

/* "jump=COUNT TARGET", "jcnd=FOLLOWED/EXECUTED TARGET", "calls=COUNT TARGET". */
static bool target_read(struct reading *reading, const char *text, bool call)
{
    char *end;
    uint64_t positions[POSITIONS_MAX] = {0};
    uint64_t count = strtoull(text, &end, 10);
    if (end == text)
        return bad(reading, "not a count");
    if (*end == '/')
        strtoull(end + 1, &end, 10);
    const char *at = end;
    if (!positions_read(reading, &at, positions))
        return false;
    reading->pending = (struct straight_jump){
        .to = positions[reading->instr],
        .to_object = call && reading->has_called ? reading->called : reading->object,
        .count = count};
    reading->what = call ? PENDING_CALL : PENDING_JUMP;
    reading->has_jumps |= !call;
    reading->has_called = call ? false : reading->has_called;
    return true;
}

/* Where a word stands in a list; `n` is set to the number of words. */
static bool word_find(const char *list, const char *word, size_t *ret_at, size_t *ret_n)
{
    bool found = false;
    size_t i = 0;
    for (list += strspn(list, " "); *list; list += strcspn(list, " "), list += strspn(list, " ")) {
        size_t bytes = strcspn(list, " ");
        if (!found && bytes == strlen(word) && strncmp(list, word, bytes) == 0) {
            found = true;
            *ret_at = i;
        }
        i++;
    }
    if (ret_n)
        *ret_n = i;
    return found;
}

static bool head_read(struct reading *reading, const char *line)
{
    size_t n = 0;
    if (strncmp(line, "positions:", 10) == 0) {
        reading->has_instr = word_find(line + 10, "instr", &reading->instr, &n);
        if (n > POSITIONS_MAX)
            return bad(reading, "too many positions");
        reading->n_positions = n;
    } else if (strncmp(line, "events:", 7) == 0) {
        reading->has_ir = word_find(line + 7, "Ir", &reading->ir, NULL);
        if (!reading->has_ir)
            return bad(reading, "no event Ir: executed instructions");
    } else if (strncmp(line, "cmd:", 4) == 0) {
        reading->profile->command =
            arena_string(&reading->profile->arena, line + 4 + strspn(line + 4, " "));
    }
    return true;
}

static bool line_read(struct reading *reading, const char *line)
{
    if (!*line || *line == '#')
        return true;
    if ((*line >= '0' && *line <= '9') || *line == '+' || *line == '-' || *line == '*')
        return cost_read(reading, line);
    if (strncmp(line, "ob=", 3) == 0)
        return name_read(reading, line + 3, &reading->object);
    if (strncmp(line, "cob=", 4) == 0) {
        reading->has_called = true;
        return name_read(reading, line + 4, &reading->called);
    }
    if (strncmp(line, "calls=", 6) == 0)
        return target_read(reading, line + 6, true);
    if (strncmp(line, "jump=", 5) == 0 || strncmp(line, "jcnd=", 5) == 0)
        return target_read(reading, line + 5, false);
    return head_read(reading, line);
}

bool import_callgrind(struct profile *profile, FILE *from, struct err *err)
{
    struct reading reading = {.profile = profile, .err = err, .n_positions = 1};
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    bool ok = true;
    reading.object = straight_object(&reading.straight, "[unknown]");
    while (ok && (n = getline(&line, &room, from)) > 0) {
        reading.line++;
        line[strcspn(line, "\r\n")] = 0;
        ok = line_read(&reading, line);
    }
    free(line);
    if (ok && !reading.has_jumps)
        ok = err_set(err, ERR_FORMAT, "no jumps: callgrind --collect-jumps=yes writes them");
    if (ok)
        straight_write(&reading.straight, profile);
    straight_release(&reading.straight);
    vec_release(&reading.names);
    return ok;
}
