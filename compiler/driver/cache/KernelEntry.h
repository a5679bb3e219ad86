// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled kernels as bytes, and back: a line of JSON with the figures of the code, then the code.

#ifndef NACRE_COMPILER_DRIVER_CACHE_KERNELENTRY_H
#define NACRE_COMPILER_DRIVER_CACHE_KERNELENTRY_H

#include "codegen/Backend.h"
#include <optional>
#include <string>

namespace nacre {

/// Returns the bytes of a compiled kernel, which has an object or SPIR-V, and no text.
std::string toEntry(const codegen::KernelCode &code);
std::string toEntry(const codegen::GpuKernel &kernel);

/// Reads the result of toEntry(). `nullopt` if it is damaged.
template <typename Code> std::optional<Code> fromEntry(llvm::StringRef entry);
template <> std::optional<codegen::KernelCode> fromEntry(llvm::StringRef entry);
template <> std::optional<codegen::GpuKernel> fromEntry(llvm::StringRef entry);

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_CACHE_KERNELENTRY_H
