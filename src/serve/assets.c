#include "serve/assets.h"

#include <string.h>

/* UI_FOLDER is where the build has put them. */
#define ASSET_TEXT(symbol, file)                                                                   \
    __asm__(".pushsection .rodata\n"                                                               \
            ".globl asset_" #symbol ", asset_" #symbol "_end\n"                                    \
            "asset_" #symbol ": .incbin \"" file "\"\n"                                            \
            "asset_" #symbol "_end:\n"                                                             \
            ".popsection\n");                                                                      \
    extern const char asset_##symbol[], asset_##symbol##_end[];
ASSET_TEXT(page, "ui/index.html")
ASSET_TEXT(style, "ui/style.css")
ASSET_TEXT(script, UI_SCRIPT)
ASSET_TEXT(questions, "ui/questions.txt")

const struct asset assets[ASSETS_N] = {
    [ASSET_PAGE] = {"", "text/html; charset=utf-8", asset_page, asset_page_end},
    [ASSET_STYLE] = {"style.css", "text/css; charset=utf-8", asset_style, asset_style_end},
    [ASSET_SCRIPT] = {"app.js", "text/javascript; charset=utf-8", asset_script, asset_script_end},
};

const struct asset asset_wanted = {NULL, NULL, asset_questions, asset_questions_end};

const struct asset *asset_find(const char *name)
{
    for (size_t i = 0; i < ASSETS_N; i++)
        if (strcmp(assets[i].name, name) == 0)
            return &assets[i];
    return NULL;
}
