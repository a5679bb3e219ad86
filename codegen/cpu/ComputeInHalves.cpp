// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  lets kernels that are no products compute in f16, if that changes no bit of a result.
// Why:   emitters choose as many lanes as the widest values of the bodies need. One f32 value halves the lanes of a
//        whole kernel, so a kernel is narrowed entirely or not at all.
// How:   on a copy of the kernel, 1. store values between two bodies as f16, if they always are numbers of f16;
//        2. narrow the bodies (NarrowBody.h); 3. keep the copy if no wider float is left.

#include "codegen/TargetOptions.h"
#include "codegen/cpu/Passes.h"
#include "codegen/cpu/halves/HalfArithmetic.h"
#include "codegen/cpu/halves/NarrowBody.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/APFloat.h"

namespace nacre::codegen::cpu {
#define GEN_PASS_DEF_COMPUTEINHALVESPASS
#include "codegen/cpu/Passes.h.inc"
} // namespace nacre::codegen::cpu

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::codegen::cpu;

namespace {

class KernelNarrower {
public:
  explicit KernelNarrower(plan::KernelOp kernel) : kernel(kernel), builder(kernel.getContext()) {}

  /// Returns false if the kernel must have floats wider than f16. It is then only partly narrowed.
  bool narrow();

private:
  bool narrowWork(linalg::GenericOp work);

  // 1. Values between bodies
  void narrowWindow(OpOperand &operand, linalg::GenericOp work, BodyNarrower &narrower);
  bool narrowResult(OpResult result, linalg::GenericOp work, BodyNarrower &narrower);
  Value narrowedStart(Value start);
  Value emptyOfHalves(Value like);

  plan::KernelOp kernel;
  OpBuilder builder;
};

bool isSingle(Value tensor) { return getElementTypeOrSelf(tensor).isF32(); }

Type asHalves(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).clone(Float16Type::get(tensor.getContext()));
}

//===----------------------------------------------------------------------===//
// 1. Values between bodies
//===----------------------------------------------------------------------===//

Value KernelNarrower::emptyOfHalves(Value like) {
  builder.setInsertionPointAfterValue(like);
  auto type = cast<RankedTensorType>(asHalves(like));
  return tensor::EmptyOp::create(builder, like.getLoc(), type.getShape(), type.getElementType());
}

/// Narrows an operand that only gives loops their sizes.
void KernelNarrower::narrowWindow(OpOperand &operand, linalg::GenericOp work, BodyNarrower &narrower) {
  if (!isSingle(operand.get()) || !operand.get().getDefiningOp<tensor::EmptyOp>() ||
      work.payloadUsesValueFromOperand(&operand))
    return;
  operand.set(emptyOfHalves(operand.get()));
  narrower.narrowArgument(operand.getOperandNumber());
}

/// Returns the f16 values from which accumulators may start; null if an accumulator starts from another number.
Value KernelNarrower::narrowedStart(Value start) {
  if (start.getDefiningOp<tensor::EmptyOp>())
    return emptyOfHalves(start);
  auto fill = start.getDefiningOp<linalg::FillOp>();
  llvm::APFloat number(0.0f);
  if (!fill || !fill.output().getDefiningOp<tensor::EmptyOp>() || !matchPattern(fill.value(), m_ConstantFloat(&number)))
    return {};
  bool loses = false;
  number.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven, &loses);
  if (loses)
    return {};
  Value halves = emptyOfHalves(fill.output());
  builder.setInsertionPoint(fill);
  Value constant =
      arith::ConstantOp::create(builder, fill.getLoc(), builder.getFloatAttr(builder.getF16Type(), number));
  return linalg::FillOp::create(builder, fill.getLoc(), constant, halves).getResult(0);
}

/// Narrows a result that stays in the kernel. Its value is exact if accumulators that are exact remain so.
bool KernelNarrower::narrowResult(OpResult result, linalg::GenericOp work, BodyNarrower &narrower) {
  auto isRead = [](OpOperand &use) {
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    return reader && reader.isDpsInput(&use);
  };
  OpOperand &init = *work.getDpsInitOperand(result.getResultNumber());
  Value start = narrowedStart(init.get());
  if (!start || !llvm::all_of(result.getUses(), isRead))
    return false;
  init.set(start);
  narrower.narrowArgument(init.getOperandNumber());
  Operation *yield = work.getBody()->getTerminator();
  Value half = narrower.exactHalf(yield->getOperand(result.getResultNumber()));
  if (!half)
    return false;
  yield->setOperand(result.getResultNumber(), half);
  result.setType(asHalves(result));
  for (OpOperand &use : result.getUses())
    BodyNarrower(*cast<linalg::GenericOp>(use.getOwner()).getBody()).narrowArgument(use.getOperandNumber());
  return true;
}

//===----------------------------------------------------------------------===//
// 2. Bodies
//===----------------------------------------------------------------------===//

bool KernelNarrower::narrowWork(linalg::GenericOp work) {
  BodyNarrower narrower(*work.getBody());
  for (OpOperand *operand : work.getDpsInputOperands())
    narrowWindow(*operand, work, narrower);
  for (OpResult result : work->getResults())
    if (isSingle(result) && !narrowResult(result, work, narrower))
      return false;
  narrower.narrow();
  return narrower.computesInHalves();
}

bool KernelNarrower::narrow() {
  Block &body = kernel.getBody().front();
  for (Operation &op : body)
    if (auto work = dyn_cast<linalg::GenericOp>(op); work && !narrowWork(work))
      return false;
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  return true;
}

//===----------------------------------------------------------------------===//
// 3. Kernels
//===----------------------------------------------------------------------===//

/// True if `kernel` widens f16 to f32, and may do without. The tiles of products have machine rows of halves instead.
bool mayNarrow(plan::KernelOp kernel) {
  const plan::KernelKind kind = kernel.getKind();
  if (!llvm::is_contained(
          {plan::KernelKind::Nest, plan::KernelKind::Row, plan::KernelKind::Permute, plan::KernelKind::Indexed}, kind))
    return false;
  return kernel
      .walk([](arith::ExtFOp extend) {
        return extend.getIn().getType().isF16() ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void narrowKernel(plan::KernelOp kernel) {
  if (!mayNarrow(kernel))
    return;
  auto copy = cast<plan::KernelOp>(kernel->clone());
  if (KernelNarrower(copy).narrow())
    kernel.getBody().takeBody(copy.getBody());
  copy->erase();
}

struct ComputeInHalves : codegen::cpu::impl::ComputeInHalvesPassBase<ComputeInHalves> {
  using ComputeInHalvesPassBase::ComputeInHalvesPassBase;

  void runOnOperation() override {
    FailureOr<SmallVector<Target, 1>> targets = readTargetOptions(getOperation(), target, cpu);
    if (failed(targets))
      return signalPassFailure();
    computeInHalves(getOperation(), targets->front());
  }
};

} // namespace

void nacre::codegen::cpu::computeInHalves(ModuleOp module, const Target &target) {
  if (hasHalfArithmetic(target))
    for (auto kernel : module.getOps<plan::KernelOp>())
      narrowKernel(kernel);
}
