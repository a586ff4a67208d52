/* Entries of .eh_frame are those that libdw reads: of whole binaries, and of bytes that were
 * damaged. */
#include "base/err.h"
#include "program/elf/elf_sections.h"
#include "program/elf/image.h"
#include "program/unwind/unwind_entries.h"

#include "oracle.h"

#include <elfutils/libdw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct seen {
    size_t entries, left_out, bad; /* bad: CIEs and FDEs that libdw cannot read */
};

static Elf_Data as_data(const struct unwind_section *section)
{
    union {
        const uint8_t *in;
        void *out;
    } bytes = {section->bytes};
    return (Elf_Data){.d_buf = bytes.out, .d_size = section->n, .d_type = ELF_T_BYTE};
}

static int read_one(const struct unwind_section *section, Dwarf_Off at, Dwarf_Off *ret_next,
                    Dwarf_CFI_Entry *ret_entry)
{
    static const unsigned char ident[EI_NIDENT] = {ELFMAG0, ELFMAG1,    ELFMAG2,
                                                   ELFMAG3, ELFCLASS64, ELFDATA2LSB};
    Elf_Data data = as_data(section);
    *ret_next = (Dwarf_Off)-1;
    return dwarf_next_cfi(ident, &data, true, at, ret_next, ret_entry);
}

static void same_cie(const struct unwind_cie *ours, const struct unwind_section *section,
                     Dwarf_Off at)
{
    Dwarf_CFI_Entry entry;
    Dwarf_Off next;
    assert_int_equal(read_one(section, at, &next, &entry), 0);
    assert_true(dwarf_cfi_cie_p(&entry));
    assert_true(ours->usable);
    assert_int_equal(ours->code_factor, entry.cie.code_alignment_factor);
    assert_int_equal(ours->data_factor, entry.cie.data_alignment_factor);
    assert_ptr_equal(ours->program.at, entry.cie.initial_instructions);
    assert_ptr_equal(ours->program.end, entry.cie.initial_instructions_end);
}

/* Ours are in the order of the section: each is the next of libdw's but for those left out. */
static struct seen compare(const struct unwind_section *section)
{
    struct unwind_entries ours = {0};
    struct seen seen = {0};
    Dwarf_CFI_Entry entry;
    unwind_entries_read(&ours, section);
    for (Dwarf_Off at = 0, next; at + 4 <= section->n; at = next) {
        int status = read_one(section, at, &next, &entry);
        if (status > 0 && memcmp(section->bytes + at, "\0\0\0", 4) == 0)
            next = at + 4;
        if (next == (Dwarf_Off)-1 || next <= at)
            break;
        seen.bad += status < 0;
        if (status != 0 || dwarf_cfi_cie_p(&entry))
            continue;
        const struct unwind_entry *mine = &ours.at[seen.entries];
        if (seen.entries == ours.n || mine->program.end != entry.fde.end) {
            seen.left_out++;
            continue;
        }
        assert_in_range((uintptr_t)mine->program.at, (uintptr_t)entry.fde.start,
                        (uintptr_t)entry.fde.end);
        same_cie(&ours.cies.at[mine->cie], section, entry.fde.CIE_pointer);
        seen.entries++;
    }
    assert_int_equal(seen.entries, ours.n);
    assert_in_range(ours.unreadable, 0, seen.left_out + seen.bad);
    unwind_entries_release(&ours);
    return seen;
}

static void with_section(void (*use)(const struct unwind_section *section))
{
    struct image image;
    struct err err;
    GElf_Shdr header;
    if (!image_open(&image, LIBC, &err))
        fail_msg("%s", err.text);
    Elf_Data *data = elf_getdata(section_named(image.file.elf, ".eh_frame", &header), NULL);
    use(&(struct unwind_section){
        .bytes = data->d_buf, .n = data->d_size, .address = {header.sh_addr}});
    image_close(&image);
}

static void whole(const struct unwind_section *section)
{
    struct seen seen = compare(section);
    assert_int_equal(seen.left_out + seen.bad, 0);
    assert_in_range(seen.entries, 1000, SIZE_MAX);
}

static void damaged(const struct unwind_section *section)
{
    enum { BYTES = 2000, TIMES = 2000, HEAD = 64 };
    static uint8_t bytes[BYTES];
    size_t entries = 0, lost = 0;
    srand(1);
    for (int i = 0; i < TIMES; i++) {
        memcpy(bytes, section->bytes, BYTES);
        for (int n = rand() % 6; n >= 0; n--) /* half of them in the CIE and the first FDE */
            bytes[rand() % (n % 2 ? BYTES : HEAD)] = (uint8_t)(rand() % 3 ? rand() : 0);
        struct unwind_section part = {
            .bytes = bytes, .n = (size_t)(BYTES - rand() % 8), .address = section->address};
        struct seen seen = compare(&part);
        entries += seen.entries;
        lost += seen.left_out + seen.bad;
    }
    assert_true(entries > TIMES && lost > TIMES);
}

static void entries_are_libdws(void **state)
{
    (void)state;
    with_section(whole);
}

static void damaged_entries_are_libdws(void **state)
{
    (void)state;
    with_section(damaged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(entries_are_libdws),
                                       cmocka_unit_test(damaged_entries_are_libdws)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
