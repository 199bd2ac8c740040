// For x86-64 processors of the last ten years; whether this one is such is asked when the program runs.
#include "text/embed/kernels.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <limits>

#define CADRE_AVX2 __attribute__((target("avx2,fma,f16c")))

namespace cadre::text::embed {
namespace {

CADRE_AVX2 inline float avx2_sum(__m256 v)
{
    __m128 sum = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
    return _mm_cvtss_f32(_mm_add_ss(sum, _mm_movehdup_ps(sum)));
}

CADRE_AVX2 float avx2_dot(const float* a, const float* b, std::size_t n)
{
    __m256 sums[4] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps()};
    std::size_t i = 0;
    for (; i + 32 <= n; i += 32)
        for (std::size_t part = 0; part < 4; ++part)
            sums[part] =
                _mm256_fmadd_ps(_mm256_loadu_ps(a + i + part * 8), _mm256_loadu_ps(b + i + part * 8), sums[part]);
    for (; i + 8 <= n; i += 8) sums[0] = _mm256_fmadd_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), sums[0]);
    float rest = 0;
    for (; i < n; ++i) rest += a[i] * b[i];
    return rest + avx2_sum(_mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), _mm256_add_ps(sums[2], sums[3])));
}

CADRE_AVX2 inline __m256 avx2_bytes(const std::int8_t* from)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
}

CADRE_AVX2 float avx2_dot_bytes(const float* a, const std::int8_t* b, std::size_t n)
{
    __m256 sums[4] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps()};
    std::size_t i = 0;
    for (; i + 32 <= n; i += 32)
        for (std::size_t part = 0; part < 4; ++part)
            sums[part] = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + part * 8), avx2_bytes(b + i + part * 8), sums[part]);
    for (; i + 8 <= n; i += 8) sums[0] = _mm256_fmadd_ps(_mm256_loadu_ps(a + i), avx2_bytes(b + i), sums[0]);
    float rest = 0;
    for (; i < n; ++i) rest += a[i] * b[i];
    return rest + avx2_sum(_mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), _mm256_add_ps(sums[2], sums[3])));
}

CADRE_AVX2 void avx2_add_scaled(float* to, float factor, const float* from, std::size_t n)
{
    const __m256 factors = _mm256_set1_ps(factor);
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(to + i, _mm256_fmadd_ps(factors, _mm256_loadu_ps(from + i), _mm256_loadu_ps(to + i)));
    for (; i < n; ++i) to[i] += factor * from[i];
}

CADRE_AVX2 void avx2_widen(float* to, const Half* from, std::size_t n)
{
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
    if (i < n) plain_kernels().widen(to + i, from + i, n - i);
}

/// Rows of x by four rows of weights: as many sums as fit into registers.
template <int Rows>
CADRE_AVX2 inline void avx2_tile(float* out, const float* x, const float* weights, const float* bias, std::size_t inner,
                                 std::size_t columns)
{
    __m256 sums[Rows][4];
    for (auto& row : sums)
        for (__m256& sum : row) sum = _mm256_setzero_ps();
    for (std::size_t k = 0; k < inner; k += 8) {
        __m256 w[4];
        for (int column = 0; column < 4; ++column)
            w[column] = _mm256_loadu_ps(weights + static_cast<std::size_t>(column) * inner + k);
        for (int row = 0; row < Rows; ++row) {
            const __m256 value = _mm256_loadu_ps(x + static_cast<std::size_t>(row) * inner + k);
            for (int column = 0; column < 4; ++column)
                sums[row][column] = _mm256_fmadd_ps(value, w[column], sums[row][column]);
        }
    }
    for (int row = 0; row < Rows; ++row)
        for (int column = 0; column < 4; ++column)
            out[static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(column)] =
                bias[column] + avx2_sum(sums[row][column]);
}

CADRE_AVX2 void avx2_linear(float* out, const float* x, std::size_t rows, const Linear& layer, float* scratch)
{
    const std::size_t inner = layer.inner, columns = layer.columns;
    for (std::size_t column = 0; column < columns; column += 4) {
        avx2_widen(scratch, layer.weights + column * inner, 4 * inner);
        float bias[4];
        avx2_widen(bias, layer.bias + column, 4);
        std::size_t row = 0;
        for (; row + 3 <= rows; row += 3)
            avx2_tile<3>(out + row * columns + column, x + row * inner, scratch, bias, inner, columns);
        if (rows - row == 2) avx2_tile<2>(out + row * columns + column, x + row * inner, scratch, bias, inner, columns);
        if (rows - row == 1) avx2_tile<1>(out + row * columns + column, x + row * inner, scratch, bias, inner, columns);
    }
}

/// e^x as Cephes computes it: 2^n times a polynomial; two units in the last place.
CADRE_AVX2 inline __m256 avx2_exp(__m256 x)
{
    x = _mm256_min_ps(_mm256_max_ps(x, _mm256_set1_ps(-87.3F)), _mm256_set1_ps(88.3F));
    const __m256 n =
        _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(1.44269504F)), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0.693359375F), x);
    r = _mm256_fnmadd_ps(n, _mm256_set1_ps(-2.12194440e-4F), r);
    __m256 p = _mm256_set1_ps(1.9875691500e-4F);
    for (const float c : {1.3981999507e-3F, 8.3334519073e-3F, 4.1665795894e-2F, 1.6666665459e-1F, 5.0000001201e-1F})
        p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(c));
    p = _mm256_fmadd_ps(p, _mm256_mul_ps(r, r), _mm256_add_ps(r, _mm256_set1_ps(1)));
    const __m256i power = _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
    return _mm256_mul_ps(p, _mm256_castsi256_ps(power));
}

/// erf by Abramowitz and Stegun 7.1.26: wrong by 1.5e-7 at most.
CADRE_AVX2 inline __m256 avx2_erf(__m256 x)
{
    const __m256 sign_bit = _mm256_set1_ps(-0.0F);
    const __m256 size = _mm256_andnot_ps(sign_bit, x);
    const __m256 one = _mm256_set1_ps(1);
    const __m256 t = _mm256_div_ps(one, _mm256_fmadd_ps(size, _mm256_set1_ps(0.3275911F), one));
    __m256 p = _mm256_set1_ps(1.061405429F);
    for (const float c : {-1.453152027F, 1.421413741F, -0.284496736F, 0.254829592F})
        p = _mm256_fmadd_ps(p, t, _mm256_set1_ps(c));
    const __m256 e = avx2_exp(_mm256_xor_ps(sign_bit, _mm256_mul_ps(size, size)));
    const __m256 value = _mm256_fnmadd_ps(_mm256_mul_ps(p, t), e, one);
    return _mm256_or_ps(value, _mm256_and_ps(sign_bit, x));
}

CADRE_AVX2 void avx2_gelu(float* x, std::size_t n)
{
    const __m256 half = _mm256_set1_ps(0.5F);
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m256 value = _mm256_loadu_ps(x + i);
        const __m256 phi = avx2_erf(_mm256_mul_ps(value, _mm256_set1_ps(0.70710678F)));
        _mm256_storeu_ps(x + i, _mm256_mul_ps(value, _mm256_fmadd_ps(half, phi, half)));
    }
    if (i < n) plain_kernels().gelu(x + i, n - i);
}

CADRE_AVX2 void avx2_softmax(float* x, std::size_t n)
{
    if (n == 0) return;
    const float most = *std::max_element(x, x + n);
    const __m256 shift = _mm256_set1_ps(most);
    __m256 sums = _mm256_setzero_ps();
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m256 value = avx2_exp(_mm256_sub_ps(_mm256_loadu_ps(x + i), shift));
        _mm256_storeu_ps(x + i, value);
        sums = _mm256_add_ps(sums, value);
    }
    float sum = avx2_sum(sums);
    for (; i < n; ++i) sum += x[i] = std::exp(x[i] - most);
    const float factor = 1 / sum;
    for (i = 0; i < n; ++i) x[i] *= factor;
}

}  // namespace

const Kernels* find_avx2_kernels()
{
    static constexpr Kernels avx2{"avx2",     avx2_dot,    avx2_dot_bytes, avx2_add_scaled,
                                  avx2_widen, avx2_linear, avx2_gelu,      avx2_softmax};
    static const bool usable =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
    return usable ? &avx2 : nullptr;
}

}  // namespace cadre::text::embed

#undef CADRE_AVX2

#else

namespace cadre::text::embed {

const Kernels* find_avx2_kernels()
{
    return nullptr;
}

}  // namespace cadre::text::embed

#endif
