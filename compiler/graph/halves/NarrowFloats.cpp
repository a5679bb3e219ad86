// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets an f32 network compute in f16 or bf16 between its inputs and outputs. Memory limits GPUs of phones, and f16 is
// read in half the time. Big cores multiply two or four times as many f16 or bf16 as f32. Weights take half the space.
//
// 1. Find operators that keep f32: conversions from and to integers, training, operators on inputs before the first
//    product, and operators that 16 bits would change (HalfErrors.h).
// 2. Every other value becomes f16 or bf16.
// 3. Add casts between both: after arguments (or their transposes) and constants, before results, and around operators
//    in f32. Casts are also added around recurrences (an operator or a loop), whose state adds up over all steps, and
//    at values that enter or leave regions.
//
// Kernels load 16 bits but compute in f32. A CPU may add up some products of f16 in f16 (compiler/encode/HalfSums.cpp).

#include "compiler/graph/Passes.h"
#include "compiler/graph/halves/ExactValues.h"
#include "compiler/graph/halves/HalfErrors.h"
#include "compiler/graph/halves/Masks.h"
#include "compiler/graph/halves/TrainedValues.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/nn/Variables.h"
#include "dialects/plan/Notes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <cmath>

namespace nacre::graph {
#define GEN_PASS_DEF_NARROWFLOATSPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

bool isWide(Type type) { return getElementTypeOrSelf(type).isF32(); }

Type widened(Type type) { return cast<RankedTensorType>(type).clone(Float32Type::get(type.getContext())); }

/// True if a finite element of the constant is beyond `most`.
bool exceeds(nn::ConstantOp constant, double most) {
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(constant.getValue());
  if (failed(view))
    return false;
  const int64_t count = view->isSplat() ? 1 : view->getType().getNumElements();
  constexpr int64_t chunk = 4096;
  double numbers[chunk];
  for (int64_t begin = 0; begin < count; begin += chunk) {
    const int64_t size = std::min(chunk, count - begin);
    view->read(begin, 1, size, numbers);
    if (llvm::any_of(ArrayRef(numbers, size), [&](double x) { return std::isfinite(x) && std::abs(x) > most; }))
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// 1. Movement and recurrences
//===----------------------------------------------------------------------===//

/// True if the operand must have 32-bit elements, because the result has the same number of bits.
bool isBitcastOfWide(nn::BitcastOp op) {
  return op.getType().getNumElements() * op.getType().getElementTypeBitWidth() ==
         op.getOperand().getType().getNumElements() * 32;
}

bool isTransposedArgument(Operation &op) {
  auto transpose = dyn_cast<nn::TransposeOp>(op);
  return transpose && isa<BlockArgument>(transpose.getOperand());
}

/// True if a reader of `value` without a transpose needs 16 bits. The value is then cast, and the transposes can read
/// the result.
bool isCastAsItLies(Value value, const DenseSet<Operation *> &wide) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return !isa<nn::TransposeOp, func::ReturnOp>(user) && !wide.contains(user);
  });
}

/// Adds transposes of the function's arguments, for example of images. One kernel then transposes and casts. Transposes
/// through which products read are not added.
void addTransposes(Block &body, DenseSet<Operation *> &wide) {
  for (auto transpose : body.getOps<nn::TransposeOp>())
    if (isTransposedArgument(*transpose) && isWide(transpose.getType()) &&
        !llvm::all_of(transpose->getUsers(), llvm::IsaPred<nn::MatMulOp, nn::AttentionOp>) &&
        !isCastAsItLies(transpose.getOperand(), wide))
      wide.insert(transpose);
}

/// True if the loop carries floats, contains products, and contains no convolutions.
bool isRecurrence(nn::ForOp loop) {
  Block &body = loop.getBody().front();
  return llvm::any_of(loop.getInitial().getTypes(), [](Type type) { return isWide(type); }) &&
         !body.getOps<nn::MatMulOp>().empty() && body.getOps<nn::ConvOp>().empty();
}

/// Adds the operators of recurrences, and movement that only recurrences read.
void addRecurrences(func::FuncOp function, DenseSet<Operation *> &wide) {
  function.walk([&](nn::ForOp loop) {
    if (isRecurrence(loop))
      loop.getBody().walk([&](Operation *op) {
        if (!isa<nn::ConstantOp, nn::YieldOp>(op))
          wide.insert(op);
      });
  });
  for (Operation &op : llvm::reverse(function.front()))
    if (isa<nn::TransposeOp, nn::ReshapeOp>(op) && !op.use_empty() &&
        llvm::all_of(op.getUsers(), [&](Operation *user) { return wide.contains(user); }))
      wide.insert(&op);
}

/// Returns the type of the value that `operand` passes into or out of a region: a result of a loop or branch, or an
/// argument of a body. Returns null if it passes no value.
Type getHandedType(OpOperand &operand) {
  Operation *owner = operand.getOwner();
  unsigned index = operand.getOperandNumber();
  if (isa<nn::YieldOp>(owner)) {
    Type type = owner->getParentOp()->getResult(index).getType();
    return type; // Only the element type of the stack matters.
  }
  if (auto loop = dyn_cast<nn::ForOp>(owner)) {
    const unsigned hasCount = loop.getCount() ? 1 : 0;
    return index < hasCount ? Type() : loop.getBody().getArgument(1 + index - hasCount).getType();
  }
  if (auto loop = dyn_cast<nn::WhileOp>(owner))
    return loop.getBody().getArgument(1 + index).getType();
  return {};
}

//===----------------------------------------------------------------------===//
// 2. and 3. The pass
//===----------------------------------------------------------------------===//

struct NarrowFloats : impl::NarrowFloatsPassBase<NarrowFloats> {
  using NarrowFloatsPassBase::NarrowFloatsPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    const bool isOnCpu = plan::isOnCpu(function);
    if (isOnCpu ? cpu == FloatStorage::F32 : !gpu)
      return;
    half = isOnCpu && cpu == FloatStorage::BF16 ? &kBF16 : &kF16;
    wide.clear();
    exact.clear();
    numbers = TypicalNumbers();
    // A block must come before the blocks inside of it.
    SmallVector<Block *> blocks;
    function->walk<WalkOrder::PreOrder>([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      addOfIntegers(*block, wide);
    for (Block *block : llvm::reverse(blocks))
      addPositions(*block, wide);
    trained = findTrainedValues(function);
    wide.insert(trained.begin(), trained.end());
    if (!isTrainingStep(function)) // Training steps have separate rules.
      addExact(function, blocks);
    addTransposes(function.front(), wide);
    addRecurrences(function, wide);
    OpBuilder builder(&getContext());
    for (Block *block : blocks)
      narrowValues(builder, *block);
    for (Block *block : blocks)
      widenUses(builder, *block);
  }

private:
  Type narrowed(Type type) { return cast<RankedTensorType>(type).clone(elementType()); }
  FloatType elementType() {
    return half == &kBF16 ? FloatType(BFloat16Type::get(&getContext())) : FloatType(Float16Type::get(&getContext()));
  }
  bool isNarrow(Type type) { return getElementTypeOrSelf(type) == elementType(); }

  /// Adds operators that 16 bits would change. Warns about products that become slower for this reason.
  void addExact(func::FuncOp function, ArrayRef<Block *> blocks) {
    DenseSet<Operation *> found = findOfInputs(function, blocks, wide);
    const bool addsHalves = plan::isOnCpu(function) && half == &kF16;
    const HalfErrors errors = findHalfErrors(function, *half, addsHalves, numbers);
    found.insert(errors.wide.begin(), errors.wide.end());
    for (Operation *op : found)
      if (wide.insert(op).second)
        exact.insert(op);
    report(errors);
  }

  void report(const HalfErrors &errors) {
    const StringRef option = plan::isOnCpu(getOperation()) ? "--cpu-precision" : "--gpu-precision";
    Builder builder(&getContext());
    SmallVector<Attribute> notes;
    for (const WideProduct &product : errors.products) {
      emitWarning(product.op->getLoc(), "stays fp32 in spite of ")
          << option << "=" << half->word() << ", because " << product.reason << "; it takes longer than "
          << half->word() << ": " << product.remedy;
      notes.push_back(
          builder.getArrayAttr({LocationAttr(product.op->getLoc()), builder.getStringAttr(product.reason)}));
    }
    if (!notes.empty())
      getOperation()->setAttr(kWideProducts, builder.getArrayAttr(notes));
    for (const LostChannels &channels : errors.channels)
      emitWarning(channels.op->getLoc(), "has ")
          << channels.lost << " of " << channels.all << " channels whose weights are too small for " << half->word()
          << ", which rounds them to 0 or nearly: scale them to about 1, or compile with " << option
          << "=fp32, if these channels matter";
  }

  /// Step 2: narrows values. If a value keeps f32, casts it right after its definition.
  void narrowValues(OpBuilder &builder, Block &block) {
    for (BlockArgument argument : block.getArguments()) {
      builder.setInsertionPointToStart(&block);
      if (Operation *reader = isVariable(argument) ? findFirstReader(argument) : nullptr)
        builder.setInsertionPoint(reader);
      castUses(builder, argument);
    }
    for (Operation &op : llvm::make_early_inc_range(block)) {
      builder.setInsertionPointAfter(&op);
      for (OpResult result : op.getResults())
        if (isa<nn::ConstantOp>(op) || getWidth(op) == nn::Width::Full || wide.contains(&op))
          castUses(builder, result);
        else if (isWide(result.getType()))
          narrow(result);
    }
  }

  /// Changes the type of a result to 16 bits. The fill value of a pad must have the same type.
  void narrow(OpResult result) {
    result.setType(narrowed(result.getType()));
    auto pad = dyn_cast<nn::PadOp>(result.getOwner());
    if (!pad)
      return;
    double value = cast<FloatAttr>(pad.getValue()).getValueAsDouble();
    if (std::isfinite(value))
      value = std::clamp<double>(value, -half->most(), half->most());
    pad.setValueAttr(FloatAttr::get(elementType(), value));
  }

  /// Step 3: casts narrow operands to f32 for operators that need f32.
  void widenUses(OpBuilder &builder, Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      builder.setInsertionPoint(&op);
      for (OpOperand &operand : op.getOpOperands())
        if (wantsWide(operand) && isNarrow(operand.get().getType()))
          operand.set(nn::CastOp::create(builder, op.getLoc(), widened(operand.get().getType()), operand.get()));
    }
  }

  /// True if an element of an f32 value may become infinite in 16 bits. It is then clamped to the largest finite value.
  /// Otherwise rows that are masked completely, often with the lowest f32 value, would become NaN. Inputs are only
  /// clamped if they are masks.
  bool mayOverflow(Value value) {
    Operation *from = value.getDefiningOp();
    if (!from)
      return isMask(value);
    if (auto constant = dyn_cast<nn::ConstantOp>(from))
      return exceeds(constant, half->most());
    if (!wide.contains(from) || trained.contains(from) || isBounded(*from) || isTransposedArgument(*from))
      return false;
    return !exact.contains(from) || !fitHalves(numbers.get(value), *half);
  }

  bool wantsWide(OpOperand &operand) {
    if (isa<func::ReturnOp>(operand.getOwner())) // The model may have narrow results.
      return isWide(getOperation().getResultTypes()[operand.getOperandNumber()]);
    if (Type handed = getHandedType(operand))
      return isWide(handed);
    if (wide.contains(operand.getOwner()) || isPosition(operand))
      return true;
    if (operand.getOwner()->getNumRegions() > 0 || operand.getOwner()->hasTrait<OpTrait::IsTerminator>())
      return false; // A condition or a count is never cast.
    if (auto bitcast = dyn_cast<nn::BitcastOp>(operand.getOwner()))
      return isBitcastOfWide(bitcast);
    return getWidth(*operand.getOwner()) == nn::Width::Full && isWide(operand.getOwner()->getResult(0).getType());
  }

  bool isVariable(BlockArgument argument) {
    func::FuncOp function = getOperation();
    return argument.getOwner() == &function.front() && function.getArgAttr(argument.getArgNumber(), nn::variableAttr);
  }

  /// Returns the first operator in the argument's block that reads it as 16 bits, directly or in a region. Weights are
  /// cast there, so that memory holds only one copy until then.
  Operation *findFirstReader(BlockArgument argument) {
    Operation *first = nullptr;
    for (OpOperand &use : argument.getUses()) {
      Operation *reader = argument.getOwner()->findAncestorOpInBlock(*use.getOwner());
      if (!wantsWide(use) && (!first || reader->isBeforeInBlock(first)))
        first = reader;
    }
    return first;
  }

  /// Casts an f32 value to 16 bits for all readers that need these.
  void castUses(OpBuilder &builder, Value value) {
    auto wants = [this](OpOperand &use) { return !wantsWide(use); };
    if (!isWide(value.getType()) || !llvm::any_of(value.getUses(), wants))
      return;
    Location loc = value.getLoc();
    Value from = value;
    llvm::SmallPtrSet<Operation *, 3> made;
    if (mayOverflow(value)) {
      auto limit = [&](nn::BinaryKind kind, double number) {
        auto type = RankedTensorType::get({}, Float32Type::get(&getContext()));
        Value bound = nn::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, float(number)));
        from = nn::BinaryOp::create(builder, loc, value.getType(), kind, from, bound);
        made.insert(from.getDefiningOp());
      };
      limit(nn::BinaryKind::Min, half->most());
      limit(nn::BinaryKind::Max, -half->most());
    }
    from = nn::CastOp::create(builder, loc, narrowed(value.getType()), from);
    made.insert(from.getDefiningOp());
    wide.insert(made.begin(), made.end()); // These operators follow an argument, so narrowValues reaches them.
    value.replaceUsesWithIf(from, [&](OpOperand &use) { return wants(use) && !made.contains(use.getOwner()); });
    if (trained.contains(value.getDefiningOp()))
      sumNarrow(builder, value, from);
  }

  /// Lets sums read the f16 value `narrow` that products read, if `value` has no other readers. Memory then holds only
  /// `narrow`. This occurs for the gradient of a loss, from which gradients of a weight and a bias are computed.
  void sumNarrow(OpBuilder &builder, Value value, Value narrow) {
    auto isForProducts = llvm::all_of(narrow.getUsers(), [](Operation *user) {
      return isa<nn::MatMulOp, nn::ConvOp, nn::FilterGradientOp, nn::TransposeOp>(user);
    });
    auto isSummed = llvm::all_of(value.getUsers(), [&](Operation *user) {
      auto reduce = dyn_cast<nn::ReduceOp>(user);
      return user == narrow.getDefiningOp() || (reduce && reduce.getKind() == nn::ReduceKind::Sum);
    });
    if (!isForProducts || !isSummed || value.hasOneUse())
      return;
    Value widened = nn::CastOp::create(builder, value.getLoc(), value.getType(), narrow);
    value.replaceAllUsesExcept(widened, narrow.getDefiningOp());
  }

  const HalfFormat *half = &kF16; ///< Type of the values of this function between its inputs and outputs.
  DenseSet<Operation *> wide;
  DenseSet<Operation *>
      exact; ///< Members of `wide` that were not added because of integers. Few of their elements become infinite.
  TypicalNumbers numbers;
  /// Members of `wide` whose values may become infinite in f16. A training step with such a gradient is skipped.
  DenseSet<Operation *> trained;
};

} // namespace
} // namespace nacre::graph
