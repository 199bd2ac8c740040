#include "text/embed/kernels.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace cadre::text::embed;

namespace {

/// Numbers between -4 and 4 that look like chance and are always the same.
std::vector<float> numbers(std::size_t count, unsigned seed)
{
    std::vector<float> all(count);
    for (float& number : all) {
        seed = seed * 1664525u + 1013904223u;
        number = static_cast<float>(seed >> 8) / (1 << 21) - 4;
    }
    return all;
}

std::vector<const Kernels*> both()
{
    std::vector<const Kernels*> all{&plain_kernels()};
    if (const Kernels* quick = find_avx2_kernels()) all.push_back(quick);
    return all;
}

}  // namespace

TEST_CASE("kernels: halves of every kind become the floats that they stand for")
{
    const struct {
        Half half;
        float is;
    } cases[] = {{0x0000, 0.F},           {0x8000, -0.F},           {0x3C00, 1.F},
                 {0xC000, -2.F},          {0x3555, 0.333251953F},   {0x7BFF, 65504.F},
                 {0x0001, 5.9604645e-8F}, {0x83FF, -6.0975552e-5F}, {0x7C00, INFINITY}};
    for (const Kernels* kernels : both())
        for (const auto& c : cases) {
            CAPTURE(kernels->name);
            CAPTURE(c.is);
            std::vector<float> to(9);
            const std::vector<Half> from(9, c.half);
            kernels->widen(to.data(), from.data(), 9);
            CHECK(to.front() == c.is);
            CHECK(to.back() == c.is);
        }
}

TEST_CASE("kernels: products and sums are those of double precision at every length")
{
    for (const Kernels* kernels : both())
        for (const std::size_t n : {0, 1, 7, 8, 9, 31, 33, 384}) {
            CAPTURE(kernels->name);
            CAPTURE(n);
            const auto a = numbers(n, 1), b = numbers(n, 2);
            double sum = 0;
            for (std::size_t i = 0; i < n; ++i) sum += double(a[i]) * b[i];
            CHECK(kernels->dot(a.data(), b.data(), n) == doctest::Approx(sum).epsilon(1e-4));
            std::vector<std::int8_t> bytes(n);
            double sum_of_bytes = 0;
            for (std::size_t i = 0; i < n; ++i) {
                bytes[i] = static_cast<std::int8_t>(i % 5 == 0 ? -128 : b[i] * 31);
                sum_of_bytes += double(a[i]) * bytes[i];
            }
            CHECK(kernels->dot_bytes(a.data(), bytes.data(), n) == doctest::Approx(sum_of_bytes).epsilon(1e-4));
            auto c = b;
            kernels->add_scaled(c.data(), -1.5F, a.data(), n);
            for (std::size_t i = 0; i < n; ++i) CHECK(c[i] == doctest::Approx(b[i] - 1.5 * a[i]));
        }
}

TEST_CASE("kernels: a linear layer is the same for every number of rows")
{
    constexpr std::size_t kInner = 24, kColumns = 8;
    const std::vector<float> x = numbers(7 * kInner, 3);
    std::vector<Half> weights(kInner * kColumns), bias(kColumns);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = Half(0x3000 + i * 37 % 0xC00 + (i % 3 ? 0x8000 : 0));
    for (std::size_t i = 0; i < bias.size(); ++i) bias[i] = Half(0x3C00 + i);
    const Linear layer{weights.data(), bias.data(), kInner, kColumns};
    std::vector<float> wide(weights.size()), offset(kColumns);
    plain_kernels().widen(wide.data(), weights.data(), wide.size());
    plain_kernels().widen(offset.data(), bias.data(), kColumns);
    for (const Kernels* kernels : both())
        for (std::size_t rows = 0; rows <= 7; ++rows) {
            CAPTURE(kernels->name);
            CAPTURE(rows);
            std::vector<float> out(7 * kColumns, 99), scratch(4 * kInner);
            kernels->linear(out.data(), x.data(), rows, layer, scratch.data());
            for (std::size_t row = 0; row < 7; ++row)
                for (std::size_t column = 0; column < kColumns; ++column) {
                    double sum = offset[column];
                    for (std::size_t k = 0; k < kInner; ++k)
                        sum += double(x[row * kInner + k]) * wide[column * kInner + k];
                    CHECK(out[row * kColumns + column] == doctest::Approx(row < rows ? sum : 99).epsilon(1e-4));
                }
        }
}

TEST_CASE("kernels: gelu and softmax are exact to six digits, also far out")
{
    for (const Kernels* kernels : both()) {
        CAPTURE(kernels->name);
        std::vector<float> x = numbers(53, 4);
        x.insert(x.end(), {0.F, 30.F, -30.F, 9.F, -9.F});
        auto y = x;
        kernels->gelu(y.data(), y.size());
        for (std::size_t i = 0; i < x.size(); ++i)
            CHECK(std::abs(y[i] - 0.5 * x[i] * (1 + std::erf(x[i] / std::sqrt(2.0)))) < 3e-6);
        for (const std::size_t n : {1, 5, 8, 53}) {
            auto p = x;
            p[0] = 200;  // e^200 is no float
            kernels->softmax(p.data(), n);
            double sum = 0, whole = 0;
            for (std::size_t i = 0; i < n; ++i) sum += p[i], whole += std::exp((i ? double(x[i]) : 200) - 200);
            CHECK(sum == doctest::Approx(1));
            CHECK(p[0] == doctest::Approx(1 / whole));
        }
    }
}
