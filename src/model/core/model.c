#include "model/core/model.h"

#include "base/err.h"
#include "base/scope.h"
#include "model/core/cpu.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The build puts the text of each here: cores/NAME.core, one line a core. */
#define SHIPPED(X)                                                                                 \
    X(zen3, "zen3")                                                                                \
    X(zen4, "zen4")                                                                                \
    X(skylake, "skylake")                                                                          \
    X(golden_cove, "golden-cove")                                                                  \
    X(ev6, "21264")                                                                                \
    X(inorder, "inorder")

#define SHIPPED_TEXT(symbol, name)                                                                 \
    __asm__(".pushsection .rodata\n"                                                               \
            ".globl core_text_" #symbol ", core_text_" #symbol "_end\n"                            \
            "core_text_" #symbol ": .incbin \"cores/" name ".core\"\n"                             \
            "core_text_" #symbol "_end:\n"                                                         \
            ".popsection\n");                                                                      \
    extern const char core_text_##symbol[], core_text_##symbol##_end[];
SHIPPED(SHIPPED_TEXT)

static const struct {
    const char *name, *text, *end;
} shipped[] = {
#define SHIPPED_ROW(symbol, name) {name, core_text_##symbol, core_text_##symbol##_end},
    SHIPPED(SHIPPED_ROW)};

const char *const model_names[] = {
#define SHIPPED_NAME(symbol, name) name,
    SHIPPED(SHIPPED_NAME) NULL};

enum { FILE_MOST = 1 << 20 };

static bool file_open(const char *path, struct model *ret_model, struct err *err)
{
    /* A pipe that nobody writes to would be waited for, only to be refused. */
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0)
        return err_errno(err, "%s", path);
    if (!S_ISREG(status.st_mode) || status.st_size > FILE_MOST)
        return err_set(err, ERR_FORMAT, "%s: not a file of at most %d bytes", path, FILE_MOST);
    char *text = mem_alloc((size_t)status.st_size + 1);
    ssize_t n = read(fd, text, (size_t)status.st_size);
    bool good =
        n >= 0 ? model_read(text, (size_t)n, path, ret_model, err) : err_errno(err, "%s", path);
    mem_free(text);
    return good;
}

static bool is_path(const char *name)
{
    size_t n = strlen(name);
    return strchr(name, '/') || (n > 5 && strcmp(name + n - 5, ".core") == 0);
}

const char *model_text(const char *name, size_t *ret_bytes)
{
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++)
        if (strcmp(name, shipped[i].name) == 0) {
            *ret_bytes = (size_t)(shipped[i].end - shipped[i].text);
            return shipped[i].text;
        }
    return NULL;
}

bool model_open(const char *name, struct model *ret_model, struct err *err)
{
    size_t bytes;
    if (is_path(name))
        return file_open(name, ret_model, err);
    if (strcmp(name, "native") == 0) {
        struct cpu here;
        enum cpu_nearness nearness;
        cpu_here(&here);
        name = cpu_core(&here, &nearness);
    }
    const char *text = model_text(name, &bytes);
    if (text)
        return model_read(text, bytes, name, ret_model, err);
    char known[128] = "";
    for (size_t i = 0; model_names[i]; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s %s", i ? "," : "",
                 model_names[i]);
    return err_set(err, ERR_USAGE, "%s: no such core; gait knows%s, native, and files (NAME.core)",
                   name, known);
}

void model_release(struct model *model)
{
    vec_release(&model->ops);
    vec_release(&model->rules);
    arena_release(&model->arena);
}

static bool name_fits(const char *pattern, const char *name)
{
    for (; *pattern && *pattern != '*'; pattern++, name++)
        if (*pattern != *name)
            return false;
    if (!*pattern)
        return !*name;
    /* What follows the star, if anything, ends the name. */
    size_t tail = strlen(pattern + 1), rest = strlen(name);
    return rest >= tail && strcmp(name + rest - tail, pattern + 1) == 0;
}

bool rule_names(const struct model_rule *rule, const char *mnemonic, bool vex)
{
    for (const char **name = rule->names; *name; name++)
        if (name_fits(*name, mnemonic) ||
            (vex && *mnemonic == 'v' && name_fits(*name, mnemonic + 1)))
            return true;
    return false;
}
