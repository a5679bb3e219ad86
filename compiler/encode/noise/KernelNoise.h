// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the moments of a kernel's results from those of its inputs.
// How: 1. a sum of products is computed from moments (ProductNoise.h);
//      2. other operations are computed for samples (Lanes.h). Samples stay aligned within a kernel, so the numerator
//         and the denominator of a softmax have the same errors. A reduction along an axis with shared moments draws
//         other samples for each element;
//      3. results in f16 get the noise of rounding;
//      4. operations that are not known keep the noise, relative to the signal, of the kernel's noisiest input.

#ifndef NACRE_COMPILER_ENCODE_NOISE_KERNELNOISE_H
#define NACRE_COMPILER_ENCODE_NOISE_KERNELNOISE_H

#include "compiler/encode/noise/Lanes.h"
#include "compiler/encode/noise/ProductNoise.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <memory>

namespace nacre::encode {

/// Samples of a tensor, with axes as in TensorMoments.
struct TensorLanes {
  llvm::SmallVector<int64_t, 4> shape, kept;
  std::vector<Lanes> numbers;
};

/// Tensor that a kernel reads: a weight, moments or samples. Moments and samples may both be known.
struct TensorNoise {
  llvm::SmallVector<int64_t, 4> shape;
  std::shared_ptr<const WeightNumbers> weight;
  std::shared_ptr<const TensorMoments> moments;
  std::shared_ptr<const TensorLanes> lanes;

  static TensorNoise get(TensorMoments moments);
};

/// Returns how `kernel` adds up terms in fp16 if its sums have the extents `loops`, innermost last.
HalfSum halfSumOf(plan::KernelOp kernel, llvm::ArrayRef<int64_t> loops, bool hasSingleRow, bool isDepthwise);

class KernelNoise {
public:
  KernelNoise(plan::KernelOp kernel, Draws &draws) : kernel(kernel), draws(draws) {}

  /// `arguments` are the inputs and the previous contents of the outputs. Returns the new contents.
  std::vector<TensorMoments> run(llvm::ArrayRef<TensorNoise> arguments);

private:
  struct Operand;
  void run(mlir::Operation &op);
  void runGeneric(mlir::linalg::GenericOp op);
  bool runCopy(mlir::linalg::GenericOp op, const LaneProgram &program);
  bool runProduct(mlir::linalg::GenericOp op);
  bool runLanes(mlir::linalg::GenericOp op, LaneProgram program);
  void setUnknown(mlir::Operation &op);
  void set(mlir::Value value, TensorMoments moments) { values[value] = TensorNoise::get(std::move(moments)); }

  /// Returns the moments of a tensor. Large weights share them.
  const TensorMoments &momentsOf(mlir::Value value);
  const TensorLanes &lanesOf(mlir::Value value);
  std::optional<Operand> operandOf(mlir::OpOperand &use, mlir::linalg::GenericOp op, llvm::ArrayRef<int64_t> kept);
  /// Returns the number of iterations of `op` over different moments.
  double countIterations(mlir::linalg::GenericOp op);
  /// Makes operands share their moments along all axes but the last, or along all, if a loop over them would take too
  /// long.
  void limit(mlir::linalg::GenericOp op, int64_t mostIterations);

  plan::KernelOp kernel;
  Draws &draws;
  llvm::DenseMap<mlir::Value, TensorNoise> values;
  double unknownNoise = 0; ///< Noise of unknown operations, relative to their power.
};

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_NOISE_KERNELNOISE_H
