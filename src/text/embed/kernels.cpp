#include "text/embed/kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

namespace cadre::text::embed {
namespace {

float widened(Half half)
{
    const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16;
    const std::uint32_t exponent = half >> 10 & 0x1Fu;
    const std::uint32_t fraction = half & 0x3FFu;
    if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000u | fraction << 13);
    if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
    const float small = static_cast<float>(fraction) * 0x1p-24F;
    return sign ? -small : small;
}

/// Weights lie where their file has them, which may be at an odd address.
Half half_at(const Half* from, std::size_t i)
{
    Half half;
    std::memcpy(&half, reinterpret_cast<const char*>(from) + i * sizeof half, sizeof half);
    return half;
}

float plain_dot(const float* a, const float* b, std::size_t n)
{
    float sums[8] = {};  // as the other kernel adds, so that results hardly differ
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += a[i + lane] * b[i + lane];
    float sum = 0;
    for (; i < n; ++i) sum += a[i] * b[i];
    for (const float lane : sums) sum += lane;
    return sum;
}

float plain_dot_bytes(const float* a, const std::int8_t* b, std::size_t n)
{
    float sums[8] = {};
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += a[i + lane] * b[i + lane];
    float sum = 0;
    for (; i < n; ++i) sum += a[i] * b[i];
    for (const float lane : sums) sum += lane;
    return sum;
}

void plain_add_scaled(float* to, float factor, const float* from, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i) to[i] += factor * from[i];
}

void plain_widen(float* to, const Half* from, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i) to[i] = widened(half_at(from, i));
}

void plain_linear(float* out, const float* x, std::size_t rows, const Linear& layer, float* scratch)
{
    for (std::size_t column = 0; column < layer.columns; ++column) {
        plain_widen(scratch, layer.weights + column * layer.inner, layer.inner);
        const float bias = widened(half_at(layer.bias, column));
        for (std::size_t row = 0; row < rows; ++row)
            out[row * layer.columns + column] = bias + plain_dot(x + row * layer.inner, scratch, layer.inner);
    }
}

void plain_gelu(float* x, std::size_t n)
{
    constexpr float kScale = 1 / std::numbers::sqrt2_v<float>;
    for (std::size_t i = 0; i < n; ++i) x[i] *= 0.5F * (1 + std::erf(x[i] * kScale));
}

void plain_softmax(float* x, std::size_t n)
{
    if (n == 0) return;
    const float most = *std::max_element(x, x + n);
    float sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += x[i] = std::exp(x[i] - most);
    for (std::size_t i = 0; i < n; ++i) x[i] /= sum;
}

}  // namespace

const Kernels& plain_kernels()
{
    static constexpr Kernels plain{"plain",     plain_dot,    plain_dot_bytes, plain_add_scaled,
                                   plain_widen, plain_linear, plain_gelu,      plain_softmax};
    return plain;
}

const Kernels& kernels()
{
    static const Kernels& best = find_avx2_kernels() ? *find_avx2_kernels() : plain_kernels();
    return best;
}

}  // namespace cadre::text::embed
