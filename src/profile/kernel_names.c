#include "profile/kernel_names.h"

#include "base/scope.h"
#include "profile/kernel_table.h"
#include "profile/profile.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* A seen address, the nearest symbol at or below it, and the next one above. */
struct sight {
    uint64_t address, start, end;
    char *name; /* in the arena; NULL: the one before has the same symbol */
};
struct sights {
    VEC(struct sight); /* by address */
};

void kernel_names_init(struct kernel_names *names)
{
    *names = (struct kernel_names){0};
    map_init(&names->addresses, sizeof(uint64_t));
}

void kernel_names_release(struct kernel_names *names)
{
    map_release(&names->addresses);
}

static int sight_order(const void *a, const void *b)
{
    const struct sight *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static void sights_fill(struct sights *sights, struct kernel_names *names)
{
    for (; names->named < names->addresses.n; names->named++) {
        struct sight *sight = vec_push(sights);
        memcpy(&sight->address, map_key(&names->addresses, (uint32_t)names->named),
               sizeof sight->address);
        sight->end = UINT64_MAX;
    }
    qsort(sights->at, sights->n, sizeof *sights->at, sight_order);
}

/* The first sight at or above the address. */
static size_t sights_above(const struct sights *sights, uint64_t address)
{
    size_t low = 0, high = sights->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sights->at[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A symbol may matter to the sight just above its start, and ends whatever covers the one just
 * below; all others learn of it from their neighbours, see sights_spread. So 100,000 symbols need
 * no memory. */
static void symbol_show(struct sights *sights, struct arena *arena, uint64_t start,
                        const char *name)
{
    size_t above = sights_above(sights, start);
    if (above < sights->n && (!sights->at[above].name || start > sights->at[above].start)) {
        sights->at[above].start = start;
        sights->at[above].name = arena_string(arena, name);
    }
    if (above && start < sights->at[above - 1].end)
        sights->at[above - 1].end = start;
}

/* "ffffffff81000000 T _stext\t[module]", a line. */
static void line_show(struct sights *sights, struct arena *arena, char *line)
{
    char *end;
    uint64_t start = strtoull(line, &end, 16);
    if (!start || end[0] != ' ' || !end[1] || end[2] != ' ' || !strchr("tw", tolower(end[1])))
        return;
    char *name = end + 3, *module = strchr(name, '\t');
    if (module)
        *module = ' ';
    symbol_show(sights, arena, start, name);
}

static void sights_spread(struct sights *sights)
{
    for (size_t i = 1; i < sights->n; i++) {
        struct sight *sight = &sights->at[i], *before = sight - 1;
        if (!sight->name) {
            sight->start = before->start;
            sight->name = before->name;
        }
    }
    for (size_t i = sights->n - 1; i-- > 0;)
        if (sights->at[i + 1].end < sights->at[i].end &&
            sights->at[i + 1].start == sights->at[i].start)
            sights->at[i].end = sights->at[i + 1].end;
}

/* The file is generated as it is read, so large reads and no stdio: it is all this costs. */
static void file_show(struct sights *sights, struct arena *arena, int fd)
{
    enum { ROOM = 1 << 16 };
    char *text = mem_alloc(ROOM + 1);
    size_t kept = 0;
    ssize_t n;
    while ((n = read(fd, text + kept, ROOM - kept)) > 0) {
        char *line = text, *end = text + kept + (size_t)n, *newline;
        while ((newline = memchr(line, '\n', (size_t)(end - line)))) {
            *newline = 0;
            line_show(sights, arena, line);
            line = newline + 1;
        }
        kept = (size_t)(end - line);
        if (kept == ROOM) /* no line is so long: not the file it should be */
            break;
        memmove(text, line, kept);
    }
    mem_free(text);
}

void kernel_names_tell_from(struct kernel_names *names, struct profile *profile, uint32_t module,
                            const char *path)
{
    struct sights sights = {0};
    struct arena arena = {0};
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || names->named == names->addresses.n)
        return;
    sights_fill(&sights, names);
    file_show(&sights, &arena, fd);
    sights_spread(&sights);
    for (size_t i = 0; i < sights.n; i++) {
        const struct sight *sight = &sights.at[i];
        if (sight->name && sight->end > sight->address)
            names_add(&profile->names, &profile->arena, module, sight->start,
                      sight->end - sight->start, sight->name);
    }
    arena_release(&arena);
    vec_release(&sights);
}

void kernel_names_tell(struct kernel_names *names, struct profile *profile, uint32_t module)
{
    kernel_names_tell_from(names, profile, module, "/proc/kallsyms");
}

/* ---- when it is shown */

const char *kernel_names_boot(char *text, size_t room)
{
    AUTO(fd_close) int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, room - 1);
    text[n > 0 ? n : 0] = 0;
    text[strcspn(text, "\n")] = 0;
    return text;
}

/* One boot: merged recordings may be of several. */
static bool this_boot(const struct profile *profile)
{
    char boot[64];
    bool same = false;
    kernel_names_boot(boot, sizeof boot);
    for (size_t i = 0; i < profile->facts.n; i++)
        if (strcmp(profile->facts.at[i].key, "boot_id") == 0) {
            same = strcmp(profile->facts.at[i].value, boot) == 0;
            if (!same)
                return false;
        }
    return same;
}

/* Returns the module of the kernel, or what it was before. */
static uint32_t see_unnamed(struct kernel_names *names, const struct profile *profile,
                            const struct stacks *stacks, uint32_t kernel)
{
    for (uint32_t node = 0; node < stacks->nodes.n; node++) {
        struct stack_key key = stacks_key(stacks, node);
        if (!profile_module_is_kernel(profile, key.module))
            continue;
        kernel = key.module;
        if (!names_find(&profile->names, key.module, key.address))
            kernel_names_see(names, key.address);
    }
    return kernel;
}

/* Adds the function of each address, and how long it is. */
void kernel_names_tell_table(struct kernel_names *names, struct profile *profile, uint32_t module,
                             const struct kernel_table *table)
{
    for (; names->named < names->addresses.n; names->named++) {
        uint64_t address, start, end;
        memcpy(&address, map_key(&names->addresses, (uint32_t)names->named), sizeof address);
        const char *name = kernel_table_find(table, address, &start);
        if (name && (end = kernel_table_end(table, start)) > address)
            names_add(&profile->names, &profile->arena, module, start, end - start, name);
    }
}

static void complete(struct profile *profile, struct kernel_table *table)
{
    struct kernel_names names;
    if (!this_boot(profile))
        return;
    kernel_names_init(&names);
    uint32_t kernel = see_unnamed(&names, profile, &profile->stacks, MODULE_NONE);
    kernel = see_unnamed(&names, profile, &profile->waits, kernel);
    if (names.addresses.n && table) {
        if (!table->n)
            kernel_table_read(table, "/proc/kallsyms");
        kernel_names_tell_table(&names, profile, kernel, table);
    } else if (names.addresses.n) {
        kernel_names_tell(&names, profile, kernel);
    }
    kernel_names_release(&names);
}

void kernel_names_complete(struct profile *profile)
{
    complete(profile, NULL);
}

void kernel_names_complete_many(struct profile *profile, struct kernel_table *table)
{
    complete(profile, table);
}
