#include "text/listing.h"

#include "text/clean.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MAX = 64 << 20, LINE_MAX_BYTES = 400, TAB = 4 };

void listing_begin(struct listing *listing)
{
    *listing = (struct listing){0};
    map_init(&listing->keys, sizeof(uint64_t));
}

void listing_end(struct listing *listing)
{
    for (size_t i = 0; i < listing->files.n; i++)
        vec_release(&listing->files.at[i].lines);
    vec_release(&listing->files);
    map_release(&listing->keys);
    arena_release(&listing->arena);
}

static char *line_clean(struct arena *arena, const char *from, size_t bytes)
{
    if (bytes > LINE_MAX_BYTES)
        bytes = LINE_MAX_BYTES;
    char *text = arena_alloc(arena, TAB * bytes + 1);
    size_t to = 0;
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)from[i];
        if (c == '\t')
            do
                text[to++] = ' ';
            while (to % TAB);
        else if (c != '\r')
            text[to++] = c < ' ' || c == 0x7F ? '?' : (char)c;
    }
    return text;
}

static void text_take(struct listing *listing, struct listing_file *file, const char *bytes,
                      size_t n)
{
    for (size_t at = 0; at < n;) {
        const char *end = memchr(bytes + at, '\n', n - at);
        size_t length = end ? (size_t)(end - bytes) - at : n - at;
        *vec_push(&file->lines) = line_clean(&listing->arena, bytes + at, length);
        at += length + 1;
    }
    file->there = true;
}

static void file_read(struct listing *listing, struct listing_file *file)
{
    size_t kept_n = 0;
    const char *kept = listing->kept ? listing->kept(listing->from, file->path, &kept_n) : NULL;
    if (kept) {
        text_take(listing, file, kept, kept_n);
        return;
    }
    struct stat info;
    /* Whoever made the profile chose the name: a pipe must not make anybody wait. */
    int fd = open(file->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    FILE *from = fd < 0 ? NULL : fdopen(fd, "r");
    if (!from)
        return;
    if (fstat(fileno(from), &info) == 0 && S_ISREG(info.st_mode) && info.st_size < FILE_MAX) {
        size_t room = (size_t)info.st_size;
        char *bytes = mem_alloc(room + 1);
        size_t n = fread(bytes, 1, room, from);
        text_take(listing, file, bytes, n);
        file->newer = listing->built && info.st_mtime > listing->built;
        mem_free(bytes);
    }
    fclose(from);
}

const struct listing_file *listing_file_find(struct listing *listing, const char *path)
{
    uint64_t key = (uintptr_t)path;
    uint32_t i = map_add(&listing->keys, &key);
    if (i == listing->files.n) {
        vec_push(&listing->files)->path = path;
        file_read(listing, &listing->files.at[i]);
    }
    return &listing->files.at[i];
}

const char *listing_line(struct listing *listing, const char *path, uint32_t line)
{
    const struct listing_file *file = listing_file_find(listing, path);
    return line && line <= file->lines.n ? file->lines.at[line - 1] : NULL;
}

void listing_text(FILE *to, struct listing *listing)
{
    bool any = false;
    for (size_t i = 0; i < listing->files.n; i++) {
        const struct listing_file *file = &listing->files.at[i];
        if (file->there && !file->newer)
            continue;
        fprintf(to, "%s%s: %s\n", any ? "" : "\n", text_clean(&listing->arena, file->path),
                file->there ? "changed after the program was built: its lines may be others"
                            : "is not there: no source to show, lines have their numbers");
        any = true;
    }
}
