// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels phase, in order.

#include "compiler/kernels/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

namespace nacre::kernels {

void buildPipeline(mlir::OpPassManager &pm, const Options &options) {
  // What an app holds as bytes is unpacked by operators like any other.
  pm.nest<mlir::func::FuncOp>().addPass(createPackPortsPass());
  // What could be a view is made to stand alone, so that forming kernels does not swallow it.
  pm.nest<mlir::func::FuncOp>().addPass(createExposeMovementPass());
  // What turns of loops count and start with becomes operators, which form kernels.
  pm.nest<mlir::func::FuncOp>().addPass(createPrepareLoopsPass());
  if (options.isCpuAlone) {
    // Behind movement: what is read in parts is read so by elementwise operators.
    pm.nest<mlir::func::FuncOp>().addPass(createPartProductsPass());
    pm.nest<mlir::func::FuncOp>().addPass(createPartHeadsPass());
    // Last, when it is settled what shares a product's kernel.
    pm.nest<mlir::func::FuncOp>().addPass(createBlockRowsPass());
  }
  pm.addPass(createFormKernelsPass({/*parts=*/options.isCpuAlone, /*updates=*/options.isCpuAlone,
                                    /*separables=*/options.isGpuAsked,
                                    /*prologues=*/options.isGpuAsked}));
  pm.addPass(createAssignStoragesPass({/*overwrites=*/options.isCpuAlone}));
  // Only now are storages part of a kernel: what is equal here is the same code.
  pm.addPass(createMergeKernelsPass());
  pm.addPass(createVerifyKernelsPass());
}

} // namespace nacre::kernels
