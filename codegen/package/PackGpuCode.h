// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  SPIR-V to the packed form of nacre_gpu_variant.
// Why:   a model has two or three shaders for each kernel, and each is loops that are written out: as words they may be
//        larger than the weights.
// How:   an instruction of a body that is written out differs from its like in the body before by what all of that body
//        differ by, so differences repeat where words do not; then the shortest tokens.

#ifndef NACRE_CODEGEN_PACKAGE_PACKGPUCODE_H
#define NACRE_CODEGEN_PACKAGE_PACKGPUCODE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nacre::package {

std::vector<uint8_t> packGpuCode(const uint32_t *words, size_t count);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_PACKGPUCODE_H
