#include "program/symbols/symbols.h"

#include "base/err.h"
#include "base/map.h"
#include "program/unwind/frames.h"
#include "program/elf/debug_file.h"
#include "program/elf/image.h"

#include "oracle.h"

#include <inttypes.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

struct opened {
    struct image image;
    struct symbols symbols;
};

static void open_all(struct opened *opened, const char *path)
{
    struct err err;
    if (!image_open(&opened->image, path, &err))
        fail_msg("%s", err.text);
    debug_file_find(&opened->image);
    symbols_build(&opened->symbols, &opened->image);
}

static void close_all(struct opened *opened)
{
    symbols_release(&opened->symbols);
    image_close(&opened->image);
}

static const struct function *function_at(const struct opened *opened, uint64_t at)
{
    function_id f = symbols_find(&opened->symbols, (struct svma){at});
    static const struct function none = {.name = "(none)", .start = {UINT64_MAX}};
    return f == FUNCTION_NONE ? &none : &opened->symbols.functions.at[f];
}

static void ranges_are_sorted_and_cover_all_code(void **state)
{
    (void)state;
    struct opened opened;
    open_all(&opened, LIBC);
    const struct code_ranges *ranges = &opened.symbols.ranges;
    for (size_t i = 0; i < ranges->n; i++) {
        assert_true(ranges->at[i].bytes > 0);
        if (i + 1 < ranges->n)
            assert_true(ranges->at[i].start.v + ranges->at[i].bytes <= ranges->at[i + 1].start.v);
    }
    FILE *lines = oracle_open("readelf -SW " LIBC " | sed 's/^ *\\[[ 0-9]*\\]//'");
    char line[512], name[128], flags[16];
    uint64_t start, bytes;
    int sections = 0;
    while (fgets(line, sizeof line, lines)) {
        if (sscanf(line, "%127s PROGBITS %" SCNx64 " %*x %" SCNx64 " %*x %15s", name, &start,
                   &bytes, flags) != 4 ||
            strcmp(flags, "AX") != 0)
            continue;
        sections++;
        for (uint64_t at = start; at < start + bytes; at++)
            assert_int_not_equal(function_at(&opened, at)->start.v, UINT64_MAX);
    }
    pclose(lines);
    assert_true(sections >= 3);
    close_all(&opened);
}

/* ---- against readelf */

struct listed {
    uint64_t address, bytes;
    char name[160], bind[16];
};

static bool listed_read(const char *line, struct listed *listed)
{
    char type[16], section[16];
    if (sscanf(line, " %*d: %" SCNx64 " %" SCNu64 " %15s %15s %*s %15s %159[^ @\n]",
               &listed->address, &listed->bytes, type, listed->bind, section, listed->name) != 6)
        return false;
    return strcmp(section, "UND") != 0 && (!strcmp(type, "FUNC") || !strcmp(type, "IFUNC"));
}

static int rank(const char *bind)
{
    return !strcmp(bind, "LOCAL") ? 2 : !strcmp(bind, "WEAK") ? 1 : 0;
}

/* The rule of symbols.h, written once more. */
static bool better(const struct listed *a, const struct listed *b)
{
    if (rank(a->bind) != rank(b->bind))
        return rank(a->bind) < rank(b->bind);
    if (strlen(a->name) != strlen(b->name))
        return strlen(a->name) < strlen(b->name);
    return strcmp(a->name, b->name) < 0;
}

static void check_names(const char *path, const char *symbols_path, size_t at_least)
{
    struct opened opened;
    open_all(&opened, path);
    struct map map;
    map_init(&map, sizeof(uint64_t));
    struct {
        VEC(struct listed);
    } best = {0};
    FILE *lines = oracle_open("readelf -sW %s 2>/dev/null", symbols_path);
    char line[1024];
    struct listed listed;
    while (fgets(line, sizeof line, lines)) {
        if (!listed_read(line, &listed))
            continue;
        uint32_t i = map_add(&map, &listed.address);
        if (i == best.n)
            *vec_push(&best) = listed;
        if (listed.bytes > best.at[i].bytes)
            best.at[i].bytes = listed.bytes;
        if (better(&listed, &best.at[i])) {
            listed.bytes = best.at[i].bytes;
            best.at[i] = listed;
        }
    }
    pclose(lines);
    size_t whole = 0, parts = 0;
    for (size_t i = 0; i < best.n; i++) {
        const struct function *function = function_at(&opened, best.at[i].address);
        if (function->start.v != best.at[i].address) {
            parts++; /* cold, or inside another symbol */
            continue;
        }
        whole++;
        assert_string_equal(function->name, best.at[i].name);
        const struct code_range *range = &opened.symbols.ranges.at[function->first_range];
        if (best.at[i].bytes && range->bytes > best.at[i].bytes)
            fail_msg("%s has %lu bytes, readelf says %lu", function->name, range->bytes,
                     best.at[i].bytes);
    }
    assert_true(whole >= at_least);
    if (parts * 10 > whole)
        fail_msg("%s: %zu of %zu are parts", path, parts, whole + parts);
    vec_release(&best);
    map_release(&map);
    close_all(&opened);
}

static void names_are_those_of_readelf(void **state)
{
    (void)state;
    char self[64];
    snprintf(self, sizeof self, "/proc/%d/exe", getpid());
    check_names("/proc/self/exe", self, 50);
    check_names("/bin/bash", "/bin/bash", 1000);
    struct image image;
    struct err err;
    assert_true(image_open(&image, LIBC, &err));
    debug_file_find(&image);
    char both[256] = LIBC;
    if (image.debug.elf) {
        strcat(both, " /usr/lib/debug/.build-id/");
        for (uint32_t i = 0; i < image.build_id_bytes; i++)
            sprintf(both + strlen(both), i ? "%02x" : "%02x/", image.build_id[i]);
        strcat(both, ".debug");
    }
    image_close(&image);
    check_names(LIBC, both, 1500);
}

static void stubs_are_those_of_objdump(void **state)
{
    (void)state;
    struct opened opened;
    open_all(&opened, "/bin/bash");
    FILE *lines = oracle_open("objdump -d -j .plt -j .plt.got -j .plt.sec /bin/bash 2>/dev/null");
    char line[512], name[160];
    uint64_t at;
    int n = 0;
    while (fgets(line, sizeof line, lines)) {
        char *end;
        if (sscanf(line, "%" SCNx64 " <%159[^>]>:", &at, name) != 2 ||
            !(end = strstr(name, "@plt")) || strstr(end, "-0x")) /* the head of the table */
            continue;
        const struct function *function = function_at(&opened, at);
        assert_int_equal(function->start.v, at);
        assert_string_equal(function->name, name);
        n++;
    }
    pclose(lines);
    assert_true(n > 100);
    close_all(&opened);
}

static void frames_are_those_of_readelf(void **state)
{
    (void)state;
    struct image image;
    struct err err;
    assert_true(image_open(&image, LIBC, &err));
    debug_file_find(&image);
    struct frames frames;
    frames_read(&frames, &image);
    struct map map;
    map_init(&map, 2 * sizeof(uint64_t));
    for (size_t i = 0; i < frames.n; i++)
        map_add(&map, (uint64_t[]){frames.at[i].start.v, frames.at[i].bytes});
    FILE *lines = oracle_open("readelf -wF " LIBC " 2>/dev/null | grep FDE");
    char line[512];
    size_t n = 0;
    while (fgets(line, sizeof line, lines)) {
        uint64_t start, end;
        const char *pc = strstr(line, "pc=");
        assert_non_null(pc);
        assert_int_equal(sscanf(pc, "pc=%" SCNx64 "..%" SCNx64, &start, &end), 2);
        assert_int_not_equal(map_find(&map, (uint64_t[]){start, end - start}), MAP_NONE);
        n++;
    }
    pclose(lines);
    assert_int_equal(n, frames.n);
    map_release(&map);
    frames_release(&frames);
    image_close(&image);
}

/* The entry of libc's way back from signal handlers begins a byte ahead of it, and nobody enters
 * there. */
static void sigreturn_begins_with_its_code(void **state)
{
    (void)state;
    struct image image;
    struct symbols symbols;
    struct frames frames;
    struct err err;
    size_t n = 0;
    assert_true(image_open(&image, LIBC, &err));
    frames_read(&frames, &image);
    symbols_build(&symbols, &image);
    for (size_t i = 0; i < frames.n; i++) {
        if (!frames.at[i].ahead)
            continue;
        struct svma code = {frames.at[i].start.v + 1};
        function_id f = symbols_find(&symbols, code);
        assert_true(f != FUNCTION_NONE);
        assert_int_equal(symbols.functions.at[f].start.v, code.v);
        n++;
    }
    assert_int_equal(n, 1);
    symbols_release(&symbols);
    frames_release(&frames);
    image_close(&image);
}

/* ---- cold parts, stripped files, fixed-address programs */

static const char cold_c[] =
    "#include <stdlib.h>\n"
    "__attribute__((noinline)) int hot(int x) { if (x > 100) abort(); return x * 3; }\n"
    "__attribute__((noinline)) static int twin(int x) { if (x > 7) abort(); return x ^ 3; }\n"
    "int use(int x) { return twin(x) + hot(x); }\n";
static const char main_c[] =
    "#include <stdlib.h>\nint use(int);\n"
    "__attribute__((noinline)) static int twin(int x) { if (x > 9) abort(); return x + 30; }\n"
    "int main(int n, char **v) { (void)v; return twin(n) + use(n); }\n";

static void build(const char *folder, const char *flags)
{
    char path[256];
    snprintf(path, sizeof path, "%s/cold.c", folder);
    FILE *file = fopen(path, "w");
    fputs(cold_c, file);
    fclose(file);
    snprintf(path, sizeof path, "%s/main.c", folder);
    file = fopen(path, "w");
    fputs(main_c, file);
    fclose(file);
    oracle_run("cd %s && gcc -O2 %s -o program cold.c main.c", folder, flags);
}

static uint64_t address_of(const char *folder, const char *name, int which)
{
    FILE *lines = oracle_open("nm -p %s/program", folder);
    char line[512], found[160];
    uint64_t at, result = 0;
    while (fgets(line, sizeof line, lines))
        if (sscanf(line, "%" SCNx64 " %*c %159s", &at, found) == 2 && !strcmp(found, name) &&
            !which--)
            result = at;
    pclose(lines);
    return result;
}

static void check_cold(const char *folder, const char *flags)
{
    build(folder, flags);
    char path[256];
    snprintf(path, sizeof path, "%s/program", folder);
    struct opened opened;
    open_all(&opened, path);
    uint64_t hot = address_of(folder, "hot", 0), cold = address_of(folder, "hot.cold", 0);
    assert_true(hot && cold);
    assert_ptr_equal(function_at(&opened, hot), function_at(&opened, cold));
    assert_string_equal(function_at(&opened, cold)->name, "hot");
    assert_int_equal(function_at(&opened, cold)->start.v, hot);
    /* Two static functions of one name: each has its own part. nm -p keeps the order of files. */
    for (int i = 0; i < 2; i++) {
        uint64_t twin = address_of(folder, "twin", i), part = address_of(folder, "twin.cold", i);
        assert_true(twin && part);
        assert_int_equal(function_at(&opened, part)->start.v, twin);
    }
    close_all(&opened);
}

static void cold_parts_belong_to_their_function(void **state)
{
    (void)state;
    const char *folder = oracle_folder();
    check_cold(folder, "-fPIE -pie");
    check_cold(folder, "-fno-pie -no-pie");
    char path[256];
    snprintf(path, sizeof path, "%s/program", folder);
    uint64_t hot = address_of(folder, "hot", 0);
    oracle_run("cd %s && strip program", folder);
    struct opened opened;
    open_all(&opened, path);
    char name[32];
    snprintf(name, sizeof name, "[0x%lx]", hot);
    assert_string_equal(function_at(&opened, hot)->name, name);
    assert_int_equal(function_at(&opened, hot)->source, FUNCTION_FRAME);
    close_all(&opened);
    oracle_folder_remove(folder);
}

int main(void)
{
    oracle_need("readelf");
    oracle_need("objdump");
    oracle_need("gcc");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_sorted_and_cover_all_code),
        cmocka_unit_test(names_are_those_of_readelf),
        cmocka_unit_test(stubs_are_those_of_objdump),
        cmocka_unit_test(frames_are_those_of_readelf),
        cmocka_unit_test(sigreturn_begins_with_its_code),
        cmocka_unit_test(cold_parts_belong_to_their_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
