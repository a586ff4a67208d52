#include "profile/file/code_shapes.h"

struct shape_layout shape_layout(uint8_t modrm, uint8_t sib)
{
    enum { RSP = 4, RBP = 5 };
    struct shape_layout layout = {.has_sib = shape_has_sib(modrm)};
    unsigned mod = modrm >> 6, base = layout.has_sib ? sib & 7 : modrm & 7;
    if (mod == 1) {
        layout.disp_bytes = 1;
        layout.disp_column = base == RSP ? OLD_DISP8_RSP : base == RBP ? OLD_DISP8_RBP : OLD_DISP8;
    } else if (mod == 2 || (mod == 0 && base == RBP)) {
        layout.disp_bytes = 4;
        layout.disp_column = mod == 0 && !layout.has_sib ? OLD_DATA : OLD_DISP32_LOW;
    }
    return layout;
}
