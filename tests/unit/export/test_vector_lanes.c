#include "export/gcda/vector_lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define LANES(...)                                                                                 \
    vector_lanes((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* As objdump shows them. */
static void packed_arithmetic_tells_its_elements(void **state)
{
    (void)state;
    assert_int_equal(LANES(0x66, 0x0F, 0xD9, 0xC1), 8);       /* psubusw xmm0, xmm1 */
    assert_int_equal(LANES(0x66, 0x41, 0x0F, 0xFE, 0xC0), 4); /* paddd xmm0, xmm8 */
    assert_int_equal(LANES(0x66, 0x0F, 0xD4, 0xC1), 2);       /* paddq xmm0, xmm1 */
    assert_int_equal(LANES(0x0F, 0x58, 0xC1), 4);             /* addps xmm0, xmm1 */
    assert_int_equal(LANES(0x66, 0x0F, 0x59, 0xC1), 2);       /* mulpd xmm0, xmm1 */
    assert_int_equal(LANES(0xC5, 0xFD, 0xFD, 0xC1), 16);      /* vpaddw ymm0, ymm0, ymm1 */
    assert_int_equal(LANES(0xF2, 0x0F, 0x58, 0xC1), 1);       /* addsd xmm0, xmm1 */
    assert_int_equal(LANES(0x66, 0x0F, 0xEF, 0xC0), 1);       /* pxor xmm0, xmm0 */
    assert_int_equal(LANES(0x0F, 0x11, 0x07), 1);             /* movups [rdi], xmm0 */
    assert_int_equal(LANES(0x48, 0x83, 0xC0, 0x10), 1);       /* add rax, 16 */
    assert_int_equal(LANES(0x66), 1);
    assert_int_equal(LANES(0x66, 0x0F), 1);
    assert_int_equal(LANES(0xC5, 0xFD), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(packed_arithmetic_tells_its_elements)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
