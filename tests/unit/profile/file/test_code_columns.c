/* Code in columns is the same code, takes less room, and damage to it is noticed or harmless. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/memory.h"
#include "profile/file/code_reader.h"
#include "profile/file/code_writer.h"
#include "profile/file/kept_chunk.h"
#include "profile/file/kept_pack.h"
#include "profile/profile.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { PIECE = 1500, AT = 0x401000 };

static void columns_copy(struct code_reader *reader, const struct code_writer *writer)
{
    *reader = (struct code_reader){0};
    for (size_t i = 0; i < CODE_COLUMNS; i++) {
        const struct bytes *column = &writer->columns[i];
        if (column->n)
            reader->columns[i] = (struct cursor){column->at, column->at + column->n, false};
    }
}

static void pieces_add(struct code_writer *writer, const uint8_t *code, size_t n)
{
    for (size_t i = 0; i < n; i += PIECE)
        code_writer_add(writer,
                        (struct code_piece){AT + i, code + i, n - i < PIECE ? n - i : PIECE});
}

static bool pieces_read(struct code_reader *reader, uint8_t *to, size_t n, struct err *err)
{
    if (!code_reader_open(reader, err))
        return false;
    for (size_t i = 0; i < n; i += PIECE) {
        size_t bytes = n - i < PIECE ? n - i : PIECE;
        if (bytes >= code_reader_left(reader) ||
            !code_reader_take(reader, AT + i, to + i, bytes, err))
            return false;
    }
    return true;
}

static void same_again(const uint8_t *code, size_t n)
{
    struct code_writer *writer = mem_alloc(sizeof *writer);
    struct code_reader *reader = mem_alloc(sizeof *reader);
    uint8_t *read = mem_alloc(n + 1);
    struct err err = {0};
    code_writer_init(writer);
    pieces_add(writer, code, n);
    code_writer_fill(writer);
    columns_copy(reader, writer);
    assert_true(pieces_read(reader, read, n, &err));
    assert_memory_equal(read, code, n);
    for (size_t i = 0; i < CODE_COLUMNS; i++)
        assert_int_equal(
            cursor_room(i == COLUMN_FIELDS ? &reader->fields.from : &reader->columns[i]), 0);
    code_reader_release(reader);
    code_writer_release(writer);
    mem_free(reader);
    mem_free(writer);
    mem_free(read);
}

/* The code of this very program. */
static const uint8_t *own_code(size_t *ret_n)
{
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status;
    assert_true(fd >= 0 && fstat(fd, &status) == 0);
    const uint8_t *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    assert_ptr_not_equal(file, MAP_FAILED);
    close(fd);
    const Elf64_Ehdr *head = (const void *)file;
    const Elf64_Phdr *programs = (const void *)(file + head->e_phoff);
    for (unsigned i = 0; i < head->e_phnum; i++)
        if (programs[i].p_type == PT_LOAD && programs[i].p_flags & PF_X) {
            *ret_n = programs[i].p_filesz;
            return file + programs[i].p_offset;
        }
    fail_msg("no code");
    return NULL;
}

static void own_code_returns(void **state)
{
    size_t n;
    const uint8_t *code = own_code(&n);
    (void)state;
    same_again(code, n);
    for (size_t i = 1; i < 1000; i++) /* beginning and ending inside of instructions */
        same_again(code + i, i);
}

static void any_bytes_return(void **state)
{
    enum { BYTES = 40000 };
    uint8_t *bytes = mem_alloc(BYTES);
    (void)state;
    srand(1);
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)(rand() >> 7);
    same_again(bytes, BYTES);
    memset(bytes, 0xeb, BYTES); /* jumps out of everything */
    same_again(bytes, BYTES);
    memset(bytes, 0x66, BYTES);
    same_again(bytes, BYTES);
    mem_free(bytes);
}

/* Whatever a byte is changed to, reading ends, within what it was given. */
static void damage_is_harmless(void **state)
{
    size_t n, refused = 0;
    const uint8_t *code = own_code(&n);
    struct code_writer *writer = mem_alloc(sizeof *writer);
    struct code_reader *reader = mem_alloc(sizeof *reader);
    (void)state;
    n = n < 6000 ? n : 6000;
    uint8_t *read = mem_alloc(n);
    code_writer_init(writer);
    pieces_add(writer, code + 64, n);
    code_writer_fill(writer);
    for (size_t i = 0; i < CODE_COLUMNS; i++)
        for (size_t k = 0; k < writer->columns[i].n; k += 7) {
            struct err err = {0};
            writer->columns[i].at[k] ^= (uint8_t)(0x11 << (k & 3));
            columns_copy(reader, writer);
            refused += !pieces_read(reader, read, n, &err);
            code_reader_release(reader);
            writer->columns[i].at[k] ^= (uint8_t)(0x11 << (k & 3));
            columns_copy(reader, writer);
            reader->columns[i].end = reader->columns[i].at + k;
            assert_false(pieces_read(reader, read, n, &err));
            code_reader_release(reader);
        }
    assert_true(refused > 100);
    code_writer_release(writer);
    mem_free(reader);
    mem_free(writer);
    mem_free(read);
}

/* ---- chunks */

static size_t kept_encode_for(struct encoder *encoder, const uint8_t *code, size_t n, bool told,
                              bool quick, bool waited_for)
{
    struct kept_parts kept = {0};
    struct numbering in_file = {0};
    *vec_push(&in_file) = 0;
    *encoder = (struct encoder){
        .zstd = ZSTD_createCCtx(), .hasty_code = quick ? UINT64_MAX : 0, .waited_for = waited_for};
    for (size_t i = 0; i < n; i += PIECE) {
        size_t bytes = n - i < PIECE ? n - i : PIECE;
        *vec_push(&kept) = (struct kept_part){.kind = KEPT_FUNCTION,
                                              .at = AT + i,
                                              .n = bytes,
                                              .bytes = code + i,
                                              .code_at = told && bytes > 40 ? 20 : 0,
                                              .code_n = told && bytes > 40 ? bytes - 40 : 0};
    }
    encode_kept(encoder, &kept, &in_file);
    ZSTD_freeCCtx(encoder->zstd);
    vec_release(&kept);
    vec_release(&in_file);
    return encoder->out.n;
}

static size_t kept_encode(struct encoder *encoder, const uint8_t *code, size_t n, bool told,
                          bool quick)
{
    return kept_encode_for(encoder, code, n, told, quick, true);
}

static void decode(const struct bytes *file, struct decoder *decoder)
{
    struct chunk chunk = {0};
    struct chunk_source source = {.fd = -1, .memory = file->at, .size = file->n};
    struct err err = {0};
    for (uint64_t at = 0; chunk_read(&source, at, &chunk, &err) == CHUNK_WHOLE; at = chunk.next) {
        const uint8_t *payload;
        size_t n;
        assert_true(chunk_payload(&chunk, &payload, &n, &err));
        struct cursor cursor = {payload, payload + n, false};
        assert_true(decode_kept(decoder, chunk.version, &cursor, &err));
    }
    chunk_release(&chunk);
}

static void chunks_are_smaller_and_the_same(void **state)
{
    struct encoder plain, columns, quick;
    struct profile profile;
    struct decoder decoder;
    size_t n, at = 0;
    const uint8_t *code = own_code(&n);
    (void)state;
    size_t before = kept_encode(&plain, code, n, false, false);
    size_t now = kept_encode_for(&columns, code, n, true, false, false);
    size_t at_once = kept_encode(&quick, code, n, true, true);
    print_message("%zu bytes of code: %zu, in columns %zu\n", n, before, now);
    assert_true(now < before - before / 8);
    assert_true(at_once > now && at_once < before + before / 8);
    profile_init(&profile);
    profile_module(&profile, "/no/such", NULL, 0);
    decoder_init(&decoder, &profile);
    *vec_push(&decoder.in_profile) = 0;
    decode(&quick.out, &decoder); /* it says where code is, too, and is written in columns below */
    for (size_t i = 0; i < profile.kept.n; i++) {
        assert_memory_equal(profile.kept.at[i].bytes, code + at, profile.kept.at[i].n);
        at += profile.kept.at[i].n;
    }
    assert_int_equal(at, n);
    /* What was read is written as it was, also when it was read from memory, uncompressed. */
    struct encoder whole = {0};
    encode_kept(&whole, &profile.kept, &decoder.in_profile);
    profile.kept.n = 0;
    decode(&whole.out, &decoder);
    encoder_release(&whole);
    struct encoder again = {.zstd = ZSTD_createCCtx()};
    encode_kept(&again, &profile.kept, &decoder.in_profile);
    assert_int_equal(again.out.n, columns.out.n);
    assert_memory_equal(again.out.at, columns.out.at, again.out.n);
    ZSTD_freeCCtx(again.zstd);
    encoder_release(&again);
    encoder_release(&plain);
    encoder_release(&quick);
    encoder_release(&columns);
    decoder_release(&decoder);
    profile_release(&profile);
}

static size_t chunks_of(const struct bytes *file)
{
    struct chunk chunk = {0};
    struct chunk_source source = {.fd = -1, .memory = file->at, .size = file->n};
    struct err err = {0};
    size_t n = 0;
    for (uint64_t at = 0; chunk_read(&source, at, &chunk, &err) == CHUNK_WHOLE; at = chunk.next)
        n++;
    chunk_release(&chunk);
    return n;
}

/* They take long: if somebody waits, all CPUs have some of them. In haste it is one piece, and
 * where nobody waits as few as chunks allow. */
static void columns_are_cut_for_all_cpus(void **state)
{
    enum { BYTES = 600000 };
    struct encoder columns, quick, calm;
    size_t own;
    const uint8_t *code = own_code(&own);
    uint8_t *much = mem_alloc(BYTES);
    (void)state;
    for (size_t i = 0; i < BYTES; i++)
        much[i] = code[i % own];
    (void)kept_encode(&columns, much, BYTES, true, false);
    (void)kept_encode(&quick, much, BYTES, true, true);
    assert_in_range(chunks_of(&columns.out), 2, 3);
    assert_int_equal(chunks_of(&quick.out), 1);
    assert_true(kept_encode_for(&calm, much, BYTES, true, false, false) < columns.out.n);
    assert_int_equal(chunks_of(&calm.out), 1);
    encoder_release(&calm);
    encoder_release(&columns);
    encoder_release(&quick);
    mem_free(much);
}

/* A file of version 2, as an earlier gait wrote them: columns of bytes. */
static void old_columns_are_read(void **state)
{
    enum { MOV64, MOV, CALL, JNE, JMP, ADD, SHAPES };
    static const uint8_t code[] = {
        0x48, 0x89, 0xe5,             /* mov %rsp, %rbp */
        0x8b, 0x45, 0xfc,             /* mov -4(%rbp), %eax */
        0x8b, 0x84, 0x24, 4, 3, 2, 1, /* mov 0x1020304(%rsp), %eax */
        0x8b, 0x05, 0,    1, 0, 0,    /* mov 0x100(%rip), %eax */
        0xe8, 0,    2,    0, 0,       /* call */
        0x75, 0xe9,                   /* jne, to the second one */
        0xeb, 0x10,                   /* jmp, out of it */
        0x83, 0xc0, 0x07,             /* add $7, %eax */
    };
    static const struct {
        unsigned column;
        uint8_t n, bytes[24];
    } columns[] = {
        {COLUMN_SHAPES,
         19,
         {0x12, 0, 0x48, 0x89, 0x11, 0, 0x8b, 0x21, 4, 0xe8, 0x41, 1, 0x75, 0x41, 1, 0xeb, 0x11, 1,
          0x83}},
        {COLUMN_SHAPE, 8, {MOV64, MOV, MOV, MOV, CALL, JNE, JMP, ADD}},
        {OLD_SIB, 1, {0x24}},
        {OLD_DISP8_RBP, 1, {0xfc}},
        {OLD_DISP32_LOW, 1, {4}},
        {OLD_DISP32_NEXT, 1, {3}},
        {OLD_DISP32_HIGH, 2, {2, 1}},
        {OLD_DATA, 4, {0, 0x40, 0x11, 0x13}},
        {OLD_CALLS, 4, {0, 0x40, 0x12, 0x18}},
        {OLD_JUMPS_OUT, 4, {0, 0x40, 0x10, 0x2c}},
        {OLD_TARGETS, 2, {1, 6}},
        {OLD_OF_SHAPES + 2 * MOV64, 1, {0xe5}},
        {OLD_OF_SHAPES + 2 * MOV, 3, {0x45, 0x84, 0x05}},
        {OLD_OF_SHAPES + 2 * JNE + 1, 1, {2}}, /* the target before it */
        {OLD_OF_SHAPES + 2 * JMP + 1, 1, {0}},
        {OLD_OF_SHAPES + 2 * ADD, 1, {0xc0}},
        {OLD_OF_SHAPES + 2 * ADD + 1, 1, {7}},
    };
    struct code_reader *reader = mem_alloc(sizeof *reader);
    struct err err = {0};
    uint8_t read[sizeof code];
    (void)state;
    reader->old = true;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        reader->columns[columns[i].column] =
            (struct cursor){columns[i].bytes, columns[i].bytes + columns[i].n, false};
    assert_true(code_reader_open(reader, &err));
    assert_int_equal(reader->shapes.n, SHAPES);
    if (!code_reader_take(reader, 0x401000, read, sizeof read, &err))
        fail_msg("%s", err.text);
    assert_memory_equal(read, code, sizeof code);
    code_reader_release(reader);
    mem_free(reader);
}

static struct kept_parts some_parts(const uint8_t *code, size_t n)
{
    struct kept_parts parts = {0};
    for (size_t i = 0; i + PIECE <= n; i += PIECE)
        *vec_push(&parts) = (struct kept_part){.kind = KEPT_FUNCTION,
                                               .at = AT + i,
                                               .n = PIECE,
                                               .bytes = code + i,
                                               .code_at = 5,
                                               .code_n = PIECE - 9};
    return parts;
}

/* What is packed ahead is read as it was. A pack that is not wanted any more is none. */
static void packs_are_the_same(void **state)
{
    size_t n;
    const uint8_t *code = own_code(&n);
    struct kept_parts parts = some_parts(code, n);
    struct kept_picked picked = {0};
    struct kept_packs packs = {0};
    struct numbering in_file = {0}, other = {0};
    struct profile profile;
    struct decoder decoder;
    atomic_bool waits = true;
    (void)state;
    kept_pick(&picked, &parts, UINT64_MAX, &in_file); /* the module has no number yet */
    assert_int_equal(picked.n, 0);
    *vec_push(&in_file) = 0;
    *vec_push(&other) = 1;
    kept_pick(&picked, &parts, n / 2, &in_file);
    assert_in_range(picked.n, parts.n / 2, parts.n / 2 + 1);
    kept_pack_make(&packs, &picked, &in_file, &waits);
    assert_int_equal(packs.n, 0);
    assert_false(parts.at[0].packed);
    waits = false;
    kept_pack_make(&packs, &picked, &in_file, &waits);
    assert_int_equal(packs.n, 1);
    assert_true(kept_packs_fit(&packs, &in_file));
    assert_false(kept_packs_fit(&packs, &other));
    profile_init(&profile);
    profile_module(&profile, "/no/such", NULL, 0);
    decoder_init(&decoder, &profile);
    *vec_push(&decoder.in_profile) = 0;
    decode(&packs.at[0].chunks, &decoder);
    assert_int_equal(profile.kept.n, picked.n);
    for (size_t i = 0; i < picked.n; i++) {
        assert_true(parts.at[i].packed);
        assert_int_equal(profile.kept.at[i].code_at, 5);
        assert_memory_equal(profile.kept.at[i].bytes, parts.at[i].bytes, PIECE);
    }
    size_t before = picked.n;
    kept_pick(&picked, &parts, UINT64_MAX, &in_file); /* what is left */
    assert_int_equal(picked.n - before, parts.n - before);
    decoder_release(&decoder);
    profile_release(&profile);
    kept_packs_release(&packs);
    vec_release(&picked);
    vec_release(&in_file);
    vec_release(&other);
    vec_release(&parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_cut_for_all_cpus),
        cmocka_unit_test(old_columns_are_read),
        cmocka_unit_test(packs_are_the_same),
        cmocka_unit_test(own_code_returns),
        cmocka_unit_test(any_bytes_return),
        cmocka_unit_test(damage_is_harmless),
        cmocka_unit_test(chunks_are_smaller_and_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
