// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  compresses SPIR-V to the packed form of nacre_gpu_variant.
// Why:   a model has two or three shaders per kernel, with unrolled loops. Uncompressed, they may be larger than the
//        weights.
// How:   in unrolled loops, corresponding instructions of successive iterations differ by constant offsets. Differences
//        therefore repeat even if words do not. They are encoded as the shortest sequence of tokens.

#ifndef NACRE_CODEGEN_PACKAGE_PACKGPUCODE_H
#define NACRE_CODEGEN_PACKAGE_PACKGPUCODE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nacre::package {

/// Returns the packed form of `count` words of SPIR-V.
std::vector<uint8_t> packGpuCode(const uint32_t *words, size_t count);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_PACKGPUCODE_H
