#include "program/elf/image.h"

#include "base/err.h"
#include "program/cfg/cfg_build.h"
#include "program/symbols/symbols.h"

#include "oracle.h"

#include <elf.h>
#include <inttypes.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const char *const files[] = {LIBC, "/bin/bash", "/usr/bin/git", "/proc/self/exe"};

static void segments_are_those_of_readelf(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        struct image image;
        struct err err;
        assert_true(image_open(&image, files[f], &err));
        char self[64];
        snprintf(self, sizeof self, "/proc/%d/exe", getpid());
        FILE *lines = oracle_open("readelf -lW %s", f == 3 ? self : files[f]);
        char line[512];
        size_t n = 0;
        uint64_t offset, address, physical, in_file, in_memory;
        while (fgets(line, sizeof line, lines)) {
            if (sscanf(line, " LOAD %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64,
                       &offset, &address, &physical, &in_file, &in_memory) != 5)
                continue;
            const struct segment *segment = &image.segments.at[n++];
            assert_int_equal(segment->start.v, address);
            assert_int_equal(segment->offset.v, offset);
            assert_int_equal(segment->file_bytes, in_file);
            assert_int_equal(segment->memory_bytes, in_memory);
        }
        pclose(lines);
        assert_int_equal(n, image.segments.n);
        image_close(&image);
    }
}

static void build_id_is_that_of_readelf(void **state)
{
    (void)state;
    struct image image;
    struct err err;
    assert_true(image_open(&image, LIBC, &err));
    char text[2 * BUILD_ID_MAX + 1] = "", expected[256] = "", line[512];
    for (uint32_t i = 0; i < image.build_id_bytes; i++)
        sprintf(text + strlen(text), "%02x", image.build_id[i]);
    FILE *lines = oracle_open("readelf -n " LIBC);
    while (fgets(line, sizeof line, lines))
        sscanf(line, " Build ID: %255s", expected);
    pclose(lines);
    assert_string_equal(text, expected);
    image_close(&image);
}

static void addresses_and_offsets_are_inverse(void **state)
{
    (void)state;
    struct image image;
    struct err err;
    assert_true(image_open(&image, "/bin/bash", &err));
    for (size_t i = 0; i < image.segments.n; i++)
        for (uint64_t at = 0; at < image.segments.at[i].file_bytes; at += 4093) {
            struct svma address = {image.segments.at[i].start.v + at}, back;
            struct foff offset;
            size_t room;
            assert_true(image_to_foff(&image, address, &offset));
            assert_int_equal(offset.v, image.segments.at[i].offset.v + at);
            if (image.segments.at[i].executable) {
                assert_true(image_to_svma(&image, offset, &back));
                assert_int_equal(back.v, address.v);
            }
            assert_ptr_equal(image_bytes(&image, address, &room), image.file.bytes + offset.v);
            assert_int_equal(room, image.segments.at[i].file_bytes - at);
        }
    struct foff none;
    assert_false(image_to_foff(&image, (struct svma){UINT64_MAX}, &none));
    image_close(&image);
}

static void vdso_opens(void **state)
{
    (void)state;
    struct image image;
    struct err err;
    assert_true(image_open(&image, "[vdso]", &err));
    struct symbols symbols;
    symbols_build(&symbols, &image);
    bool found = false;
    for (size_t i = 0; i < symbols.functions.n; i++)
        found |= strstr(symbols.functions.at[i].name, "clock_gettime") != NULL;
    assert_true(found);
    symbols_release(&symbols);
    image_close(&image);
}

static void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    fclose(file);
}

static void open_fails(const char *path, const char *reason)
{
    struct image image;
    struct err err;
    assert_false(image_open(&image, path, &err));
    if (!strstr(err.text, reason))
        fail_msg("'%s' does not say '%s'", err.text, reason);
    assert_non_null(strstr(err.text, path));
}

static void what_is_no_program_is_refused_in_words(void **state)
{
    (void)state;
    const char *folder = oracle_folder();
    char path[256];
    open_fails("/etc/passwd", "not an ELF file");
    open_fails("/nowhere/at/all", "No such file");
    open_fails("/", "not a regular file");
    snprintf(path, sizeof path, "%s/x", folder);
    write_file(path, "", 0);
    open_fails(path, "too short");

    struct image image;
    struct err err;
    assert_true(image_open(&image, "/bin/true", &err));
    size_t n = image.file.n_bytes;
    uint8_t *copy = malloc(n);
    memcpy(copy, image.file.bytes, n);
    image_close(&image);
    write_file(path, copy, n / 4);
    open_fails(path, "truncated");
    Elf64_Ehdr *header = (void *)copy;
    header->e_machine = EM_AARCH64;
    write_file(path, copy, n);
    open_fails(path, "not for x86-64");
    header->e_machine = EM_X86_64;
    header->e_type = ET_REL;
    write_file(path, copy, n);
    open_fails(path, "neither a program nor a shared object");
    free(copy);
    oracle_folder_remove(folder);
}

/* Everything that reads a file, over one that may be damaged: any answer will do. */
static bool use_all(const char *path)
{
    struct image image;
    struct err err;
    if (!image_open(&image, path, &err))
        return false;
    struct symbols symbols;
    symbols_build(&symbols, &image);
    for (function_id f = 0; f < symbols.functions.n; f += 1 + (uint32_t)symbols.functions.n / 20) {
        struct cfg cfg;
        cfg_build(&cfg, &image, &symbols, f, NULL, 0);
        cfg_release(&cfg);
    }
    symbols_release(&symbols);
    image_close(&image);
    return true;
}

static void damaged_files_do_no_harm(void **state)
{
    (void)state;
    char path[] = "/tmp/gait-image-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct image image;
    struct err err;
    assert_true(image_open(&image, "/bin/true", &err));
    size_t n = image.file.n_bytes;
    uint8_t *whole = malloc(n), *copy = malloc(n);
    memcpy(whole, image.file.bytes, n);
    image_close(&image);
    uint64_t random = 1;
    int opened = 0;
    for (int round = 0; round < 400; round++) {
        memcpy(copy, whole, n);
        /* Headers at both ends of the file are where damage hurts most. */
        for (int k = round % 2; k < 8; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            size_t at = (size_t)(random >> 33);
            at = k % 4 == 0 ? at % 1024 : k % 4 == 1 ? n - 1 - at % 2048 : at % n;
            copy[at] = (uint8_t)(random >> 24);
        }
        memcpy(copy, whole, 20);
        write_file(path, copy, round % 4 ? n : (size_t)(random >> 33) % n);
        opened += use_all(path);
    }
    assert_in_range(opened, 50, 399); /* else the damage is too great to reach anything */
    free(whole);
    free(copy);
    unlink(path);
}

int main(void)
{
    oracle_need("readelf");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_are_those_of_readelf),
        cmocka_unit_test(build_id_is_that_of_readelf),
        cmocka_unit_test(addresses_and_offsets_are_inverse),
        cmocka_unit_test(vdso_opens),
        cmocka_unit_test(what_is_no_program_is_refused_in_words),
        cmocka_unit_test(damaged_files_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
