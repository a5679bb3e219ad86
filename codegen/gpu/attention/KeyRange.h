// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  loops over the steps of a product, of which only a range is computed.
// Why:   with bounds, the first and the last step depend on the workgroup's rows. A step keeps its place in its
//        iteration, so that the order of sums stays the same.

#ifndef NACRE_CODEGEN_GPU_ATTENTION_KEYRANGE_H
#define NACRE_CODEGEN_GPU_ATTENTION_KEYRANGE_H

#include "codegen/gpu/points/PointBuilder.h"

namespace nacre::codegen::gpu {

/// Range of keys, or of the steps of a product. Both are null for all of them.
struct KeyRange {
  mlir::Value low, high;
};

/// Returns a - b, or 0 if it is negative.
mlir::Value excess(PointBuilder &build, mlir::Value a, mlir::Value b);

using Steps =
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value from, int64_t count, mlir::ValueRange carried)>;

/// Emits `body` for `count` steps: in a loop, `together` steps per iteration, and once more for the remaining steps.
/// Leaves out iterations without any step of `range`, which may end beyond `count`.
llvm::SmallVector<mlir::Value> forSteps(PointBuilder &build, int64_t count, int64_t together, const KeyRange &range,
                                        mlir::ValueRange carried, Steps body);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_ATTENTION_KEYRANGE_H
