#include "serve/offline.h"

#include "base/err.h"
#include "base/sha256.h"
#include "serve/assets.h"
#include "serve/base64.h"

#include <string.h>
#include <zlib.h>

void offline_pack(struct bytes *ret_packed, const void *text, size_t n)
{
    struct bytes deflated = {0};
    uLongf bytes = compressBound(n);
    bytes_reserve(&deflated, bytes);
    int status = compress2(deflated.at, &bytes, text, n, Z_BEST_COMPRESSION);
    ASSERT(status == Z_OK);
    *ret_packed = (struct bytes){0};
    base64_add(ret_packed, deflated.at, bytes);
    vec_release(&deflated);
}

/* Notes are ours, but name files of the user. What could end the element is written as \u. */
static void write_string(FILE *to, const char *text)
{
    putc('"', to);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20 || strchr("\"\\<>&", c))
            fprintf(to, "\\u%04x", c);
        else
            putc(c, to);
    }
    putc('"', to);
}

static void write_data(FILE *to, const struct offline *offline)
{
    fputs("<script type=\"application/json\" id=\"data\">\n{\"notes\": [", to);
    for (size_t i = 0; i < offline->notes.n; i++) {
        fputs(i ? ", " : "", to);
        write_string(to, offline->notes.at[i]);
    }
    fputs("],\n\"answers\": {\n", to);
    for (size_t i = 0; i < offline->answers.n; i++) {
        const struct offline_answer *answer = &offline->answers.at[i];
        write_string(to, answer->key);
        fputs(": \"", to);
        fwrite(answer->packed.at, 1, answer->packed.n, to);
        fputs(i + 1 < offline->answers.n ? "\",\n" : "\"\n", to);
    }
    fputs("}}\n</script>\n", to);
}

static void write_asset(FILE *to, const struct asset *asset)
{
    fwrite(asset->begin, 1, asset_bytes(asset), to);
}

static void write_hash(FILE *to, const struct asset *asset)
{
    uint8_t hash[SHA256_BYTES];
    struct bytes text = {0};
    sha256(asset->begin, asset_bytes(asset), hash);
    base64_add(&text, hash, sizeof hash);
    fprintf(to, "'sha256-%.*s'", (int)text.n, (const char *)text.at);
    vec_release(&text);
}

static void write_policy(FILE *to)
{
    fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src ",
          to);
    write_hash(to, &assets[ASSET_SCRIPT]);
    fputs("; style-src ", to);
    write_hash(to, &assets[ASSET_STYLE]);
    fputs("; img-src data:; base-uri 'none'; form-action 'none'\">\n", to);
}

/* Writes the page from *at to before the line that has the text, and skips that line. */
static void write_until(FILE *to, const char **at, const char *text)
{
    const struct asset *page = &assets[ASSET_PAGE];
    const char *found = memmem(*at, (size_t)(page->end - *at), text, strlen(text));
    ASSERT(found);
    fwrite(*at, 1, (size_t)(found - *at), to);
    const char *end = memchr(found, '\n', (size_t)(page->end - found));
    *at = end ? end + 1 : page->end;
}

void offline_write(FILE *to, const struct offline *offline)
{
    static const char charset[] = "<meta charset=\"utf-8\">";
    const char *at = assets[ASSET_PAGE].begin;
    write_until(to, &at, charset);
    fprintf(to, "%s\n", charset);
    write_policy(to);
    write_until(to, &at, "<link rel=\"stylesheet\"");
    fputs("<style>", to);
    write_asset(to, &assets[ASSET_STYLE]);
    fputs("</style>\n", to);
    write_until(to, &at, "<script src=\"app.js\"");
    write_until(to, &at, "</body>");
    write_data(to, offline);
    fputs("<script>", to);
    write_asset(to, &assets[ASSET_SCRIPT]);
    fputs("</script>\n</body>\n", to);
    fwrite(at, 1, (size_t)(assets[ASSET_PAGE].end - at), to);
}

void offline_release(struct offline *offline)
{
    for (size_t i = 0; i < offline->answers.n; i++)
        vec_release(&offline->answers.at[i].packed);
    vec_release(&offline->answers);
    vec_release(&offline->notes);
}
