// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a kernel's body as emitters see it: what is computed in which order, read from where, written where, with
//        which halo.
// Why:   docs/phases/kernels.md allows few forms; they are recognized once, and emitters never walk tensor operations.
// How:   1. what is written (WrittenTensor.h) by results of linalg operations;
//        2. the work: each linalg.generic's loops, and for each operand where it comes from.

#ifndef NACRE_CODEGEN_FORM_KERNELFORM_H
#define NACRE_CODEGEN_FORM_KERNELFORM_H

#include "codegen/form/WrittenTensor.h"
#include "mlir/IR/Block.h"
#include <optional>

namespace nacre::codegen {

struct Input {
  enum class Source {
    Storage, ///< `access` says where.
    Work,    ///< Result `result` of the former operation `work`, in registers or scratch.
    Unread   ///< Gives loops their sizes only (a window's shape).
  };
  Source source = Source::Unread;
  Access access;
  unsigned work = 0, result = 0;
  mlir::AffineMap map; ///< Loops to the tensor's indices.
  mlir::Type elementType;
};

struct Result {
  std::optional<unsigned> written; ///< Index in KernelForm::written; none: it stays inside the kernel.
  mlir::TypedAttr start;           ///< What accumulators start with; null where the body does not read them.
  mlir::AffineMap map;             ///< Loops to the tensor's indices.
  llvm::SmallVector<int64_t> shape;
  mlir::Type elementType;
};

/// One linalg.generic.
struct Work {
  mlir::Operation *op = nullptr;
  mlir::Block *body = nullptr; ///< Its arguments: the inputs, then the results' accumulators.
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<bool> parallel; ///< Per loop; the others reduce.
  llvm::SmallVector<Input, 0> inputs;
  llvm::SmallVector<Result, 1> results;

  unsigned loops() const { return sizes.size(); }
  bool allParallel() const {
    return llvm::all_of(parallel, [](bool is) { return is; });
  }
};

struct KernelForm {
  llvm::SmallVector<Work, 0> work; ///< In order.
  llvm::SmallVector<WrittenTensor, 1> written;
  unsigned cutAxis = 0; ///< Of written[0].
  int64_t cutExtent = 1, grain = 1;
};

/// Reads the body of `kernel`. Fails, with the reason in the debug log, where it is none of linalg.generics and
/// linalg.fills over slices.
llvm::FailureOr<KernelForm> parseKernel(plan::KernelOp kernel);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_KERNELFORM_H
