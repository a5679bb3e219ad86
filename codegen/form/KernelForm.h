// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a kernel's body as emitters see it: the computations in order, their inputs and targets, and the halos.
// Why:   docs/phases/kernels.md allows few forms. They are recognized once, so emitters never read tensor operations.
// How:   1. find the tensors that the results of linalg operations are written to (WrittenTensor.h); 2. read the work:
//        the loops of each linalg.generic, and the source of each operand.

#ifndef NACRE_CODEGEN_FORM_KERNELFORM_H
#define NACRE_CODEGEN_FORM_KERNELFORM_H

#include "codegen/form/WrittenTensor.h"
#include "mlir/IR/Block.h"
#include <optional>

namespace nacre::codegen {

struct Input {
  enum class Source {
    Storage, ///< An element of a storage, at `access`.
    Work,    ///< Result `result` of the earlier operation `work`, in registers or scratch.
    Unread   ///< No source. The operand only gives loops their sizes, like the shape of a window.
  };
  Source source = Source::Unread;
  Access access;
  unsigned work = 0, result = 0;
  mlir::AffineMap map; ///< Map from loops to the tensor's indices.
  mlir::Type elementType;
};

struct Result {
  std::optional<unsigned> written; ///< Index in KernelForm::written; `nullopt` if the result stays inside the kernel.
  mlir::TypedAttr start;           ///< Initial value of the accumulators; null if the body does not read them.
  mlir::AffineMap map;             ///< Map from loops to the tensor's indices.
  llvm::SmallVector<int64_t> shape;
  mlir::Type elementType;
};

/// One linalg.generic operation.
struct Work {
  mlir::Operation *op = nullptr;
  /// Body of the operation. Its arguments are the inputs, then the accumulators of the results.
  mlir::Block *body = nullptr;
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<bool> parallel; ///< True for each parallel loop, false for each loop that reduces.
  llvm::SmallVector<Input, 0> inputs;
  llvm::SmallVector<Result, 1> results;

  unsigned loops() const { return sizes.size(); }
  bool allParallel() const {
    return llvm::all_of(parallel, [](bool is) { return is; });
  }
};

struct KernelForm {
  llvm::SmallVector<Work, 0> work; ///< Operations in order of execution.
  llvm::SmallVector<WrittenTensor, 1> written;
  unsigned cutAxis = 0; ///< Cut axis of written[0].
  int64_t cutExtent = 1, grain = 1;
};

/// Reads the body of `kernel`. Fails, with the reason in the debug log, if the body contains anything but
/// linalg.generics and linalg.fills over slices.
llvm::FailureOr<KernelForm> parseKernel(plan::KernelOp kernel);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_KERNELFORM_H
