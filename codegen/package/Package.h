// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: writes the compiled model: a shared library and its C header.
// How:  1. place the weights, 2. tables, 3. link, 4. pack the weights straight into the linked file, in parallel,
//       5. put both files in place under their names at once, so that a failure leaves nothing half written.

#ifndef NACRE_CODEGEN_PACKAGE_PACKAGE_H
#define NACRE_CODEGEN_PACKAGE_PACKAGE_H

#include "codegen/package/TableObject.h"

namespace nacre::package {

struct PackageOptions {
  std::string outputPath; ///< Of the .so; the header gets the same stem with `.h`, without a leading `lib`.
  std::string modelName;
  std::string compiler; ///< Name and version.
  unsigned jobs = 1;
  bool relocatable = false; ///< One object for a later link with the runtime, instead of a shared library.
};

/// What the package came to.
struct PackageSizes {
  uint64_t weightBytes = 0;
  uint64_t codeBytes = 0;      ///< Of the kernels' objects' sections that hold code.
  uint64_t gpuCodeBytes = 0;   ///< SPIR-V, as words.
  uint64_t gpuPackedBytes = 0; ///< The same as it lies in the file.
  uint64_t tableBytes = 0;     ///< Of the rows that the runtime walks, without GPU code.
  uint64_t runtimeBytes = 0;   ///< Of all other code: the runtime, and what the loader needs to call the C library.
  uint64_t fileBytes = 0;
};

/// The stem of `outputPath` without a leading `lib`, made a C identifier.
std::string modelNameOf(llvm::StringRef outputPath);

/// Writes the package of a scheduled module. `kernels` has every kernel of the module, in its order, one variant for
/// each of `targets`. Errors say what to do about the file at fault.
llvm::Expected<PackageSizes> writePackage(mlir::ModuleOp module, llvm::ArrayRef<CompiledKernel> kernels,
                                          llvm::ArrayRef<codegen::Target> targets, const PackageOptions &options);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_PACKAGE_H
