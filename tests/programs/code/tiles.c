/* AMX: products of tiles, with their state kept over handlers that use tiles themselves. The state
 * is large: 8 KiB more in each signal frame. A processor or kernel without it says so. */
#include <immintrin.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18, ROWS = 16, BYTES = 64 };

struct config {
    uint8_t palette, start_row, reserved[14];
    uint16_t columns[16];
    uint8_t rows[16];
} __attribute__((aligned(64)));

static int8_t left[ROWS][BYTES], right[ROWS][BYTES];
static int32_t product[ROWS][BYTES / 4];
static volatile unsigned handled;

#define TILES __attribute__((target("amx-tile,amx-int8,amx-bf16")))

TILES static void configure(void)
{
    struct config config = {.palette = 1};
    for (int i = 0; i < 8; i++) {
        config.columns[i] = BYTES;
        config.rows[i] = ROWS;
    }
    _tile_loadconfig(&config);
}

TILES static void on_signal(int signal)
{
    (void)signal;
    static int8_t other[ROWS][BYTES];
    configure();
    _tile_loadd(0, other, BYTES);
    _tile_zero(2);
    _tile_stored(2, other, BYTES);
    _tile_release();
    handled++;
}

TILES static uint64_t multiply(int turns)
{
    uint64_t sum = 0;
    configure();
    _tile_zero(2);
    _tile_loadd(0, left, BYTES);
    _tile_loadd(1, right, BYTES);
    for (int i = 0; i < turns; i++) {
        _tile_dpbssd(2, 0, 1);
        if (i % 16 == 0) {
            _tile_stored(2, product, BYTES);
            for (int j = 0; j < ROWS; j++)
                sum = sum * 31 + (uint32_t)product[j][j];
        }
    }
    _tile_dpbf16ps(3, 0, 1);
    _tile_release();
    return sum;
}

/* The kernel grants what the processor has. */
static int there(void)
{
    unsigned a = 7, b, c = 0, d;
    __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    return (d >> 24 & 3) == 3 && syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}

/* With an argument: no signals, which would not come at the same places twice. */
int main(int argc, char **argv)
{
    (void)argv;
    if (!there()) {
        puts("no tiles here");
        return 0;
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < BYTES; j++) {
            left[i][j] = (int8_t)(i * 7 + j * 3);
            right[i][j] = (int8_t)(i * 5 - j);
        }
    printf("%lx\n", multiply(argc > 1 ? 1000000 : 20000));
    if (argc > 1)
        return 0;
    struct itimerval every = {{0, 2000}, {0, 2000}};
    signal(SIGVTALRM, on_signal);
    setitimer(ITIMER_VIRTUAL, &every, NULL);
    uint64_t sum = multiply(1000);
    while (handled < 20)
        if (multiply(1000) != sum) {
            puts("tiles changed");
            return 1;
        }
    printf("%lx\n", sum);
    return 0;
}
