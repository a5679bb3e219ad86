// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  divides a kernel that computes the left operand of its product into two kernels. The first computes this
//        operand, the second reads it.
// Why:   one launch is faster on a GPU. A CPU has emitters for the two halves, and alternates between them, on some
//        rows at a time.
// How:   1. find the tensor that only the product reads; 2. copy the operations that each half needs.

#ifndef NACRE_CODEGEN_FORM_FUSED_KERNELHALVES_H
#define NACRE_CODEGEN_FORM_FUSED_KERNELHALVES_H

#include "dialects/plan/PlanDialect.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace nacre::codegen {

struct KernelHalf {
  plan::KernelOp kernel;
  /// Index of the whole kernel's argument, for each argument of this kernel; `nullopt` for an intermediate tensor
  /// without a storage.
  llvm::SmallVector<std::optional<unsigned>> arguments;
};

struct KernelHalves {
  KernelHalf first, second;
  mlir::RankedTensorType between; ///< Type of the intermediate tensor. Dense if the tensor has no storage.
  /// Number of indices of the first half's cut axis that one index of the whole kernel's cut axis needs. Index i needs
  /// `cutFactor` indices from i * cutFactor on. 0 if every index needs all indices.
  int64_t cutFactor = 0;
};

/// True if `divideKernel` can divide `kernel`.
bool hasHalves(plan::KernelOp kernel);

/// Inserts both halves before `kernel`. Fails, with the reason in the debug log, if the kernel cannot be divided.
llvm::FailureOr<KernelHalves> divideKernel(plan::KernelOp kernel);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_FUSED_KERNELHALVES_H
