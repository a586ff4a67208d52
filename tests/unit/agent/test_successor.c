/* Which programs will load the agent when a process becomes them. */
#include "agent/exact/successor.h"

#include "wire/channel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char at[64];
#define PRELOAD "LD_PRELOAD=/usr/lib/liblibgait.so:/lib/other.so"
static const char *with_us[] = {PRELOAD, "PATH=/bin", CHANNEL_ENV "=/x", NULL};
static const char *linked[] = {"LD_PRELOAD=/proc/12/fd/3", CHANNEL_ENV "=/x", NULL};
static const char *without[] = {"PATH=/bin", NULL};
static const char *with_another[] = {"LD_PRELOAD=/lib/libgai.so", "PATH=/bin", CHANNEL_ENV "=/x",
                                     NULL};
static const char *without_channel[] = {PRELOAD, NULL};

static bool follows(const char *path, const char **environment)
{
    return successor_follows(AT_FDCWD, (uint64_t)path, (uint64_t)environment);
}

/* Writes an ELF file of one segment. */
static const char *elf(uint8_t class, uint32_t segment_type)
{
    Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', class, ELFDATA2LSB, EV_CURRENT},
                       .e_type = ET_EXEC,
                       .e_machine = EM_X86_64,
                       .e_phoff = sizeof head,
                       .e_phentsize = sizeof(Elf64_Phdr),
                       .e_phnum = 1};
    Elf64_Phdr segment = {.p_type = segment_type};
    int fd = open(at, O_WRONLY | O_CREAT | O_TRUNC, 0755);
    assert_int_equal(write(fd, &head, sizeof head), sizeof head);
    assert_int_equal(write(fd, &segment, sizeof segment), sizeof segment);
    close(fd);
    return at;
}

static void what_a_loader_starts_follows(void **state)
{
    (void)state;
    assert_true(follows(elf(ELFCLASS64, PT_INTERP), with_us));
    assert_true(follows("/proc/self/exe", with_us));
}

static void static_and_32_bit_programs_do_not(void **state)
{
    (void)state;
    assert_false(follows(elf(ELFCLASS64, PT_LOAD), with_us));
    assert_false(follows(elf(ELFCLASS32, PT_INTERP), with_us));
}

static void an_environment_without_us_does_not(void **state)
{
    (void)state;
    assert_true(follows("/proc/self/exe", linked));
    assert_false(follows("/proc/self/exe", without));
    assert_false(follows("/proc/self/exe", with_another));
    assert_false(follows("/proc/self/exe", without_channel));
    assert_false(follows("/proc/self/exe", NULL));
}

static void what_cannot_be_read_is_left_to_the_kernel(void **state)
{
    (void)state;
    assert_true(follows("/nonexistent/program", with_us));
    assert_true(successor_follows(AT_FDCWD, 8, (uint64_t)with_us)); /* a bad address */
}

static void a_script_follows(void **state)
{
    (void)state;
    int fd = open(at, O_WRONLY | O_CREAT | O_TRUNC, 0755);
    assert_int_equal(write(fd, "#!/bin/sh\n", 10), 10);
    close(fd);
    assert_true(follows(at, with_us));
}

static void other_rights_do_not(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        print_message("not root: cannot make a program of another user, not tested\n");
        skip();
    }
    elf(ELFCLASS64, PT_INTERP);
    assert_int_equal(chown(at, 1, 1), 0);
    assert_int_equal(chmod(at, 04755), 0);
    assert_false(follows(at, with_us));
}

static int begin(void **state)
{
    (void)state;
    snprintf(at, sizeof at, "/tmp/test_successor.%d", (int)getpid());
    return 0;
}

static int end(void **state)
{
    (void)state;
    unlink(at);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_loader_starts_follows),
        cmocka_unit_test(static_and_32_bit_programs_do_not),
        cmocka_unit_test(an_environment_without_us_does_not),
        cmocka_unit_test(what_cannot_be_read_is_left_to_the_kernel),
        cmocka_unit_test(a_script_follows),
        cmocka_unit_test(other_rights_do_not),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
