// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a serial kernel as emitters see it: loops over points, and the tensors that each point writes.
// Why:   docs/phases/kernels.md allows one form. It is recognized once for all engines.

#ifndef NACRE_CODEGEN_FORM_SERIAL_SERIALFORM_H
#define NACRE_CODEGEN_FORM_SERIAL_SERIALFORM_H

#include "codegen/form/WrittenTensor.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nacre::codegen {

struct SerialForm {
  mlir::scf::ForallOp points;
  /// The target of each result of `points`. `cutAxes` has the axis of each target that the first loop walks; 0 if the
  /// kernel is not divided.
  llvm::SmallVector<WrittenTensor, 1> written;
  llvm::SmallVector<unsigned, 1> cutAxes;
  int64_t cutExtent = 1, grain = 1;

  unsigned loops() const { return mlir::scf::ForallOp(points).getRank(); }
  /// Returns the upper bound of the loop with index `loop`. The first loop steps by the grain, the others step by one.
  int64_t extentOf(unsigned loop) const { return mlir::scf::ForallOp(points).getStaticUpperBound()[loop]; }
  bool isDivided() const { return grain < cutExtent; }
};

/// Reads the body of `kernel`. Fails, with the reason in the debug log, if it is not a loop over points.
llvm::FailureOr<SerialForm> parseSerial(plan::KernelOp kernel);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_SERIAL_SERIALFORM_H
