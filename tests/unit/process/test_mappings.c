#include "process/mappings.h"

#include "fake.h"
#include "profile/profile.h"
#include "program/elf/image.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

static void add(struct mappings *mappings, uint64_t start, uint64_t end, uint64_t offset,
                const char *path)
{
    struct wire_map map = {.start = start, .end = end, .offset = offset};
    mappings_add(mappings, &map, path);
}

static void expect(struct mappings *mappings, uint64_t at, const char *path, uint64_t svma)
{
    struct place place = mappings_place(mappings, (struct avma){at});
    assert_string_equal(mappings->profile->modules.at[place.module].path, path);
    assert_int_equal(place.address.v, svma);
}

static void newest_mapping_wins(void **state)
{
    (void)state;
    struct profile profile;
    struct mappings mappings;
    profile_init(&profile);
    mappings_init(&mappings, &profile, getpid());
    add(&mappings, 0x1000, 0x9000, 0, "/no/a");
    add(&mappings, 0x20000, 0x30000, 0x5000, "/no/b");
    expect(&mappings, 0x1000, "/no/a", 0);
    expect(&mappings, 0x8fff, "/no/a", 0x7fff);
    expect(&mappings, 0x9000, "[unknown]", 0x9000);
    expect(&mappings, 0x0fff, "[unknown]", 0x0fff);
    expect(&mappings, 0x20010, "/no/b", 0x5010);
    add(&mappings, 0x3000, 0x4000, 0x100, "/no/c");
    expect(&mappings, 0x2fff, "/no/a", 0x1fff);
    expect(&mappings, 0x3000, "/no/c", 0x100);
    expect(&mappings, 0x3fff, "/no/c", 0x10ff);
    expect(&mappings, 0x4000, "/no/a", 0x3000);
    add(&mappings, 0x2000, 0x28000, 0, "/no/d");
    expect(&mappings, 0x1fff, "/no/a", 0xfff);
    expect(&mappings, 0x3000, "/no/d", 0x1000);
    expect(&mappings, 0x27fff, "/no/d", 0x25fff);
    expect(&mappings, 0x28000, "/no/b", 0xd000);
    assert_true(mappings_missed(&mappings, mappings_place(&mappings, (struct avma){UINT64_MAX})));
    assert_false(mappings_missed(&mappings, mappings_place(&mappings, (struct avma){0x28000})));
    mappings_release(&mappings);
    profile_release(&profile);
}

/* Feeds this process's own mappings. */
static void add_own(struct mappings *mappings)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[5000];
    while (fgets(line, sizeof line, maps)) {
        unsigned long start, end, offset;
        char access[8], path[4100] = "";
        if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4099[^\n]", &start, &end, access, &offset,
                   path) >= 5 &&
            access[2] == 'x')
            add(mappings, start, end, offset, path);
    }
    fclose(maps);
}

struct seen {
    struct mappings *mappings;
    int modules;
};

/* The loader knows the truth: avma = svma + dlpi_addr. */
static int check_module(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct seen *seen = context;
    if (info->dlpi_name[0] && info->dlpi_name[0] != '/')
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X))
            continue;
        uint64_t middle = header->p_vaddr + header->p_filesz / 2;
        struct place place =
            mappings_place(seen->mappings, (struct avma){info->dlpi_addr + middle});
        assert_false(mappings_missed(seen->mappings, place));
        assert_int_equal(place.address.v, middle);
        assert_int_not_equal(seen->mappings->profile->modules.at[place.module].build_id_bytes, 0);
        seen->modules++;
    }
    return 0;
}

static void addresses_are_as_linked(void **state)
{
    (void)state;
    struct profile profile;
    struct mappings mappings;
    profile_init(&profile);
    mappings_init(&mappings, &profile, getpid());
    add_own(&mappings);
    struct seen seen = {.mappings = &mappings};
    dl_iterate_phdr(check_module, &seen);
    assert_true(seen.modules >= 3);
    uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
    if (vdso)
        expect(&mappings, vdso + 0x123, "[vdso]", 0x123);
    mappings_release(&mappings);
    profile_release(&profile);
}

/* As lld lays it out: three segments in one page of the file, each mapped on a page of its own. */
static void code_that_shares_a_page_of_the_file_is_found(void **state)
{
    (void)state;
    struct segment segments[] = {
        {.start = {0}, .offset = {0}, .file_bytes = 0x694},
        {.start = {0x16a0}, .offset = {0x6a0}, .file_bytes = 0x1b0, .executable = true},
        {.start = {0x2850}, .offset = {0x850}, .file_bytes = 0x1e8, .writable = true},
    };
    struct image image = {.segments = {.at = segments, .n = 3}};
    assert_int_equal(mappings_link_shift(&image, (struct foff){0}, 0x1000), 0x1000);
    struct segment reversed[] = {segments[2], segments[1], segments[0]};
    image.segments.at = reversed;
    assert_int_equal(mappings_link_shift(&image, (struct foff){0}, 0x1000), 0x1000);
    image.segments.n = 1;
    assert_int_equal(mappings_link_shift(&image, (struct foff){0}, 0x1000), 0x2000);
}

static void senseless_mappings_are_ignored(void **state)
{
    (void)state;
    struct profile profile;
    struct mappings mappings;
    profile_init(&profile);
    mappings_init(&mappings, &profile, getpid());
    add(&mappings, 0x2000, 0x1000, 0, "/no/a");
    add(&mappings, 0x1000, 0x1000, 0, "/no/a");
    add(&mappings, 0x1000, 0x2000, UINT64_MAX - 5, "/no/a");
    assert_int_equal(mappings.n, 0);
    add(&mappings, 1, UINT64_MAX, 0, "relative/../../path");
    assert_int_equal(mappings.n, 1);
    expect(&mappings, UINT64_MAX - 1, "relative/../../path", UINT64_MAX - 2);
    mappings_release(&mappings);
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newest_mapping_wins),
        cmocka_unit_test(addresses_are_as_linked),
        cmocka_unit_test(code_that_shares_a_page_of_the_file_is_found),
        cmocka_unit_test(senseless_mappings_are_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
