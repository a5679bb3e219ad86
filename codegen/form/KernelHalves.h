// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a kernel that makes the left operand of its product, as two kernels: one that makes it, and one that reads it.
// Why:   a GPU gains by one launch; whoever has emitters for each half computes the kernel by them, some rows at a time.
// How:   1. where the body divides: at the tensor that only the product reads; 2. what each half needs is copied.

#ifndef NACRE_CODEGEN_FORM_KERNELHALVES_H
#define NACRE_CODEGEN_FORM_KERNELHALVES_H

#include "dialects/plan/PlanDialect.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace nacre::codegen {

struct KernelHalf {
  plan::KernelOp kernel;
  /// For each of its arguments, which of the whole kernel's it is; none for the tensor between, where no storage holds that.
  llvm::SmallVector<std::optional<unsigned>> arguments;
};

struct KernelHalves {
  KernelHalf first, second;
  mlir::RankedTensorType between; ///< Dense, where no storage holds it.
  /// Of the first half's cut axis, the indices that one of the whole's needs: so many from its number times that on. 0 where
  /// every index needs all.
  int64_t cutFactor = 0;
};

/// Whether `kernel` can be divided so.
bool hasHalves(plan::KernelOp kernel);

/// Writes both halves before `kernel`. Fails, with the reason in the debug log, for a kernel that has none.
llvm::FailureOr<KernelHalves> divideKernel(plan::KernelOp kernel);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_KERNELHALVES_H
