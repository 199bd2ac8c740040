// The inner loops of encoders, classifiers and searches: once in plain C++, once for processors with AVX2, FMA and F16C.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cadre::text::embed {

/// IEEE 754 binary16, as weights are stored.
using Half = std::uint16_t;

/// One linear layer: `weights` has `columns` rows of `inner` halves. `columns` is a multiple of 4, `inner` of 8.
struct Linear {
    const Half* weights = nullptr;
    const Half* bias = nullptr;
    std::size_t inner = 0;
    std::size_t columns = 0;
};

/// From any thread. Nothing needs to be aligned.
struct Kernels {
    const char* name;
    float (*dot)(const float* a, const float* b, std::size_t n);
    float (*dot_bytes)(const float* a, const std::int8_t* b, std::size_t n);
    /// to += factor * from
    void (*add_scaled)(float* to, float factor, const float* from, std::size_t n);
    void (*widen)(float* to, const Half* from, std::size_t n);
    /// out = x * weights^T + bias, for `rows` rows of x. `scratch` holds 4 * inner floats.
    void (*linear)(float* out, const float* x, std::size_t rows, const Linear& layer, float* scratch);
    /// x * Phi(x), in place
    void (*gelu)(float* x, std::size_t n);
    /// e^x over its sum, in place
    void (*softmax)(float* x, std::size_t n);
};

const Kernels& plain_kernels();
/// Null where this processor does not have what they need.
const Kernels* find_avx2_kernels();
/// The quickest that this processor has.
const Kernels& kernels();

}  // namespace cadre::text::embed
