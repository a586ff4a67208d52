#include "store/origin.h"

#include "base/called.h"
#include "base/utf8.h"
#include "profile/events.h"
#include "profile/times.h"

#include <stdio.h>
#include <string.h>

void build_text(const struct module *module, char ret_text[BUILD_HEX])
{
    for (uint32_t i = 0; i < module->build_id_bytes; i++)
        snprintf(ret_text + 2 * (size_t)i, 3, "%02x", module->build_id[i]);
    ret_text[2 * (size_t)module->build_id_bytes] = 0;
}

/* The program that the first command starts, without its folder. */
static char *command_program(struct profile *profile)
{
    const char *command = profile->command ? profile->command : "";
    size_t length = strcspn(command, " \n");
    return arena_string(&profile->arena,
                        called_name(arena_string_n(&profile->arena, command, length)));
}

/* Of a recording of a running process the command is gait's own: its threads say what it is. */
static const char *thread_program(const struct profile *profile)
{
    const struct thread_times *most = NULL;
    for (size_t i = 0; i < profile->threads.n; i++) {
        const struct thread_times *row = &profile->threads.at[i];
        if (row->pid == row->tid && (!most || row->user_ns > most->user_ns))
            most = row;
    }
    return most && most->name ? most->name : "";
}

static bool is_program(const struct module *module)
{
    return module->path[0] == '/' && !strstr(called_name(module->path), ".so");
}

/* The kernel's name of a thread is cut. */
static const struct module *program_find(const struct profile *profile, const char *name)
{
    enum { KERNEL_NAME_MAX = 15 };
    const struct module *any = NULL;
    size_t length = strlen(name);
    for (size_t i = 0; i < profile->modules.n; i++) {
        const struct module *module = &profile->modules.at[i];
        if (!is_program(module))
            continue;
        const char *base = called_name(module->path);
        if (length && (strcmp(base, name) == 0 ||
                       (length >= KERNEL_NAME_MAX && strncmp(base, name, length) == 0)))
            return module;
        any = any ? any : module;
    }
    return any;
}

/* What profile_merge refuses to add has another kind. */
static const char *kind_of(struct profile *profile)
{
    const char *only = profile_fact_find(profile, "only");
    const char *event = profile->stacks.cells.n ? event_first(profile) : "";
    return arena_format(&profile->arena, "%s%s%s%s%s", profile_mode_name(profile->mode),
                        *event ? " " : "", event, only ? " only " : "", only ? only : "");
}

/* Databases refuse text that is no UTF-8, and people read it on terminals. */
static const char *name_clean(struct arena *arena, const char *text)
{
    enum { LONGEST = 200 };
    char *name = arena_alloc(arena, NAME_BYTES), *to = name;
    while (*text && to - name < LONGEST) {
        size_t n = utf8_bytes((const unsigned char *)text);
        bool good = n && (unsigned char)*text >= ' ' && *text != 0x7f;
        if (good)
            to = mempcpy(to, text, n);
        else
            *to++ = '?';
        text += good ? n : 1;
    }
    return *name ? name : "unknown";
}

/* Of an attached process: "BUILD NAME" of the first, as it was then. Processes that it starts may
 * use more CPU time, and have the name of another program's thread. */
static bool attached_find(struct profile *profile, const char **ret_name, char ret_build[BUILD_HEX])
{
    const char *fact = profile_fact_find(profile, FACT_ATTACHED);
    size_t digits = fact ? strspn(fact, "0123456789abcdef") : 0;
    if (!fact || digits >= BUILD_HEX)
        return false;
    const char *name = fact + digits + (!digits && *fact == '-');
    if (name[0] != ' ' || !name[1])
        return false;
    memcpy(ret_build, fact, digits);
    ret_build[digits] = 0;
    *ret_name = name + 1;
    return true;
}

static void program_of_module(struct profile *profile, const char **ret_name,
                              char ret_build[BUILD_HEX])
{
    const char *program = command_program(profile);
    if (!*program || strcmp(program, "gait") == 0)
        program = thread_program(profile);
    const struct module *module = program_find(profile, program);
    *ret_name = module ? called_name(module->path) : program;
    *ret_build = 0;
    if (module)
        build_text(module, ret_build);
}

void origin_find(struct profile *profile, const char *machine, const char *service,
                 struct origin *ret_origin)
{
    struct arena *arena = &profile->arena;
    uint64_t end = times_span(&profile->times).end_ns;
    const char *host = profile_fact_find(profile, "host");
    const char *program;
    char build[BUILD_HEX];
    if (!attached_find(profile, &program, build))
        program_of_module(profile, &program, build);
    *ret_origin = (struct origin){
        .machine = name_clean(arena, machine ? machine
                                     : host  ? host
                                             : ""),
        .service = name_clean(arena, service ? service : program),
        .kind = kind_of(profile),
        .begin_ns = profile->start_unix_ns,
        .end_ns = end > profile->start_unix_ns ? end : profile->start_unix_ns,
    };
    snprintf(ret_origin->build, sizeof ret_origin->build, "%s", build);
}
