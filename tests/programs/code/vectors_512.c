/* Vectors of 512 bits, masks, gathers and scatters, rounding modes, and the newer instructions on
 * them: a checksum of each. A processor without them says so. */
/* link: -lm */
#include <fenv.h>
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>

static uint64_t seed = 88172645463325252;
static __m512i at[32];
static uint32_t table[65536];

static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

#define WIDE                                                                                       \
    __attribute__((                                                                                \
        target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vbmi,avx512vbmi2,"               \
               "avx512ifma,avx512vnni,avx512bitalg,vaes,gfni,vpclmulqdq,sha,bmi2,adx")))

WIDE static uint64_t masks(void)
{
    uint64_t sum = 0;
    for (unsigned turn = 0; turn < 4000; turn++) {
        __mmask8 k1 = (uint8_t)turn;
        __mmask16 k2 = (uint16_t)(turn * 7919);
        __mmask32 k3 = turn * 2654435761u;
        __mmask64 k4 = (uint64_t)turn * 11400714819323198485u;
        for (unsigned i = 0; i < 31; i++) {
            __m512i x = _mm512_mask_add_epi64(at[i], k1, at[i], at[i + 1]);
            x = _mm512_mask_xor_epi32(x, k2, x, at[(i * 5 + turn) & 31]);
            x = _mm512_mask_shuffle_epi8(x, k4, x, at[(i * 3 + turn) & 31]);
            x = _mm512_mask_sub_epi16(x, k3, x, at[(i + 7) & 31]);
            x = _mm512_rol_epi64(x, 13);
            k1 = _mm512_cmpgt_epi64_mask(x, at[i + 1]);
            k2 = _mm512_cmplt_epu32_mask(x, at[(i + 2) & 31]);
            k3 ^= _mm512_cmpeq_epi16_mask(x, at[i]);
            k4 = _kadd_mask64(k4, _mm512_movepi8_mask(x));
            at[i] = x;
        }
        at[31] = _mm512_permutexvar_epi64(at[0], at[31]);
        sum += k1 + k2 + k3 + k4;
    }
    return sum;
}

WIDE static uint64_t scattered(void)
{
    __m512i index = _mm512_loadu_si512(table);
    for (int turn = 0; turn < 20000; turn++) {
        index = _mm512_and_epi32(index, _mm512_set1_epi32(65535));
        __m512i got = _mm512_i32gather_epi32(index, table, 4);
        __mmask16 some = (__mmask16)_mm512_reduce_add_epi32(_mm512_conflict_epi32(index));
        _mm512_mask_i32scatter_epi32(table, some, index,
                                     _mm512_add_epi32(got, _mm512_set1_epi32(turn)), 4);
        index = _mm512_xor_epi32(got, _mm512_srli_epi32(index, 3));
        uint32_t packed[16] = {0};
        _mm512_mask_compressstoreu_epi32(packed, some, got);
        index = _mm512_mask_expandloadu_epi32(index, (__mmask16)~some, packed);
    }
    uint64_t sum = 0;
    for (int i = 0; i < 65536; i++)
        sum = sum * 33 + table[i];
    return sum;
}

WIDE static uint64_t newer(void)
{
    __m512i z = at[3], y = at[5];
    for (int turn = 0; turn < 30000; turn++) {
        z = _mm512_aesenc_epi128(z, y);
        y = _mm512_gf2p8affineinv_epi64_epi8(y, z, 0x63);
        z = _mm512_clmulepi64_epi128(z, y, 0x10);
        z = _mm512_dpbusd_epi32(z, y, at[1]);
        y = _mm512_shrdv_epi32(y, z, at[2]);
        y = _mm512_permutex2var_epi8(y, z, at[7]);
        z = _mm512_madd52lo_epu64(z, y, at[9]);
        z = _mm512_add_epi64(_mm512_popcnt_epi8(z), y);
    }
    uint64_t words[8], sum = 0;
    _mm512_storeu_si512(words, z);
    for (int i = 0; i < 8; i++)
        sum = sum * 31 + words[i];
    return sum;
}

static void rounded(void)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    long double a = 1;
    double b = 1;
    float c = 1;
    for (int i = 0; i < 30000; i++) {
        fesetround(modes[i & 3]);
        a = a * 1.0000001L + 1e-9L / (i + 1);
        b = b * 1.0000001 + 1e-9 / (i + 1);
        c = c * 1.000001f + 1e-7f / (float)(i + 1);
    }
    fesetround(FE_TONEAREST);
    printf("%.20Lg %.17g %.9g\n", a, b, (double)c);
}

int main(void)
{
    rounded();
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx512bitalg") || !__builtin_cpu_supports("avx512vbmi2") ||
        !__builtin_cpu_supports("avx512ifma") || !__builtin_cpu_supports("gfni") ||
        !__builtin_cpu_supports("vpclmulqdq")) {
        puts("not all of AVX-512 here");
        return 0;
    }
    for (int i = 0; i < 32; i++)
        for (int j = 0; j < 8; j++)
            ((uint64_t *)&at[i])[j] = next();
    for (int i = 0; i < 65536; i++)
        table[i] = (uint32_t)next();
    printf("%lx\n", masks());
    printf("%lx\n", scattered());
    printf("%lx\n", newer());
    return 0;
}
