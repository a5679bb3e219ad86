// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  writes the compiled model as a shared library and its C header.
// How:   1. place the weights; 2. create tables; 3. link; 4. pack the weights, in parallel, into the linked file or a
//        separate file; 5. rename all files at the end, so that a failure leaves no incomplete files.

#ifndef NACRE_CODEGEN_PACKAGE_PACKAGE_H
#define NACRE_CODEGEN_PACKAGE_PACKAGE_H

#include "codegen/package/TableObject.h"

namespace nacre::package {

struct PackageOptions {
  std::string outputPath; ///< Path of the library; the header has the same stem with `.h`, without a leading `lib`
  std::string modelName;
  std::string compiler; ///< Name and version of the compiler
  unsigned jobs = 1;
  bool weightsApart = false; ///< True if the weights are in a separate file (WeightsFile.h)
  bool relocatable = false;  ///< True for an object that is later linked with the runtime, instead of a shared library
};

/// Sizes of the package in bytes, and its names.
struct PackageSizes {
  uint64_t weightBytes = 0;
  uint64_t codeBytes = 0;      ///< Size of the code sections of the kernels' objects
  uint64_t gpuCodeBytes = 0;   ///< Size of the SPIR-V before packing
  uint64_t gpuPackedBytes = 0; ///< Size of the SPIR-V as stored in the file
  uint64_t tableBytes = 0;     ///< Size of the runtime's tables, without GPU code
  uint64_t runtimeBytes = 0;   ///< Size of all other code: the runtime, and stubs to call the C library
  uint64_t fileBytes = 0;      ///< Size of the library or the object
  std::string buildId;         ///< Build ID of the library, in hexadecimal; empty for an object
  std::string weightsPath;     ///< Path of the weights file; empty if the library has the weights
};

/// Returns the stem of `outputPath` without a leading `lib`, as a C identifier.
std::string modelNameOf(llvm::StringRef outputPath);

/// Returns the path of the C header of a library or an object.
std::string headerPathOf(llvm::StringRef outputPath);

/// Returns the size of a module's weights in bytes, as stored. `areApart`: they are stored in a separate file.
uint64_t weightBytes(mlir::ModuleOp module, bool areApart);

/// Writes the package of a scheduled module. `kernels` has every kernel of the module, in order, with one variant per
/// target. Errors name the file and say how to proceed.
llvm::Expected<PackageSizes> writePackage(mlir::ModuleOp module, llvm::ArrayRef<CompiledKernel> kernels,
                                          llvm::ArrayRef<codegen::Target> targets, const PackageOptions &options);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_PACKAGE_H
