// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys of compiled kernels: a hash of all that a kernel's code depends on.
//
// A key covers the kernel's text, the target or the options of the GPU, and the compiler. Names of kernels do not
// count, so equal kernels of several models have one key.

#ifndef NACRE_COMPILER_DRIVER_CACHE_KERNELKEY_H
#define NACRE_COMPILER_DRIVER_CACHE_KERNELKEY_H

#include "codegen/Backend.h"
#include <string>

namespace nacre {

/// Returns the names and build IDs of this program and its shared libraries, as one text. If an object has no build
/// ID, a hash of its file replaces it.
std::string describeCompiler();

/// Returns the key of a kernel's code in hexadecimal. `compiler` is the result of describeCompiler(), `kernel` that of
/// plan::printUnnamed().
std::string keyOf(llvm::StringRef compiler, llvm::StringRef kernel, const codegen::Target &target);
std::string keyOf(llvm::StringRef compiler, llvm::StringRef kernel, const codegen::GpuOptions &options);

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_CACHE_KERNELKEY_H
