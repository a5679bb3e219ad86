// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a network of f32 computes in f16 between its inputs and outputs.
// Why:   GPUs of phones are bound by their memory, and read halves in half the time; weights take half the room.
// How:   1. what keeps the wide type is found: what is computed of integers or makes them, what training computes, what the model computes of
//        its inputs before the first product, and what f16 would change (HalfErrors.h), 2. every other value gets the narrow one, 3.
//        casts stand where the wide one is kept: behind arguments, or their transposes, and constants, before results, around what is computed
//        in f32, and around recurrences, written as one operator or as a loop, and what branches and loops hand in and out, whose state
//        adds up over all steps.
//        Kernels compute in f32 what they read.

#include "compiler/graph/Passes.h"
#include "compiler/graph/halves/ExactValues.h"
#include "compiler/graph/halves/HalfErrors.h"
#include "compiler/graph/halves/TrainedValues.h"
#include "dialects/NumberText.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/nn/Variables.h"

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

/// The largest finite number of f16. What masks an attention is often the largest of f32: if it became infinite, a row
/// that is masked altogether would be no number.
constexpr double kMost = 65504;

bool isWide(Type type) { return getElementTypeOrSelf(type).isF32(); }
bool isNarrow(Type type) { return getElementTypeOrSelf(type).isF16(); }

Type narrowed(Type type) { return cast<RankedTensorType>(type).clone(Float16Type::get(type.getContext())); }
Type widened(Type type) { return cast<RankedTensorType>(type).clone(Float32Type::get(type.getContext())); }

/// Whether a number of it would become infinite.
bool overflows(nn::ConstantOp constant) {
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(constant.getValue());
  if (failed(view))
    return false;
  const int64_t count = view->isSplat() ? 1 : view->getType().getNumElements();
  constexpr int64_t chunk = 4096;
  double numbers[chunk];
  for (int64_t begin = 0; begin < count; begin += chunk) {
    const int64_t size = std::min(chunk, count - begin);
    view->read(begin, 1, size, numbers);
    if (llvm::any_of(ArrayRef(numbers, size), [](double x) { return std::isfinite(x) && std::abs(x) > kMost; }))
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// 1. What is moved, and recurrences
//===----------------------------------------------------------------------===//

/// Whether its operand's elements must be of 32 bits, for the result to have them.
bool isBitcastOfWide(nn::BitcastOp op) {
  return op.getType().getNumElements() * op.getType().getElementTypeBitWidth() ==
         op.getOperand().getType().getNumElements() * 32;
}

bool isTransposedArgument(Operation &op) {
  auto transpose = dyn_cast<nn::TransposeOp>(op);
  return transpose && isa<BlockArgument>(transpose.getOperand());
}

/// Whether anyone reads `value` as it lies and wants it narrow. Then it is cast, and who reads it transposed can read that.
bool isCastAsItLies(Value value, const DenseSet<Operation *> &wide) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return !isa<nn::TransposeOp, func::ReturnOp>(user) && !wide.contains(user);
  });
}

/// Adds transposes of the function's arguments, as images need them: one kernel transposes and casts. Products read transposes
/// where they lie.
void addTransposes(Block &body, DenseSet<Operation *> &wide) {
  for (auto transpose : body.getOps<nn::TransposeOp>())
    if (isTransposedArgument(*transpose) && isWide(transpose.getType()) &&
        !llvm::all_of(transpose->getUsers(), llvm::IsaPred<nn::MatMulOp>) &&
        !isCastAsItLies(transpose.getOperand(), wide))
      wide.insert(transpose);
}

/// Whether it passes floats from iteration to iteration through products, and has no convolutions.
bool isRecurrence(nn::ForOp loop) {
  Block &body = loop.getBody().front();
  return llvm::any_of(loop.getInitial().getTypes(), [](Type type) { return isWide(type); }) &&
         !body.getOps<nn::MatMulOp>().empty() && body.getOps<nn::ConvOp>().empty();
}

/// Adds what recurrences compute, and what is moved for them alone.
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

/// The type of what `operand` hands into or out of a region, which no one changes: of a loop's or a branch's result, or of an
/// argument in a body. Null where it hands nothing.
Type getHandedType(OpOperand &operand) {
  Operation *owner = operand.getOwner();
  unsigned index = operand.getOperandNumber();
  if (isa<nn::YieldOp>(owner)) {
    Type type = owner->getParentOp()->getResult(index).getType();
    return type; // of a stack its element type alone matters
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
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    wide.clear();
    exact.clear();
    numbers = TypicalNumbers();
    // What is around a region comes before it.
    SmallVector<Block *> blocks;
    function->walk<WalkOrder::PreOrder>([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      addOfIntegers(*block, wide);
    for (Block *block : llvm::reverse(blocks))
      addPositions(*block, wide);
    trained = findTrainedValues(function);
    wide.insert(trained.begin(), trained.end());
    if (!isTrainingStep(function)) // a step has its own rules
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
  /// Adds what f16 would change, and names the products that take longer for it.
  void addExact(func::FuncOp function, ArrayRef<Block *> blocks) {
    DenseSet<Operation *> found = findOfInputs(function, blocks, wide);
    const HalfErrors errors = findHalfErrors(function, numbers);
    found.insert(errors.wide.begin(), errors.wide.end());
    for (Operation *op : found)
      if (wide.insert(op).second)
        exact.insert(op);
    if (!errors.products.empty())
      function->setAttr(kWideProducts, UnitAttr::get(&getContext()));
    warn(errors);
  }

  static void warn(const HalfErrors &errors) {
    for (const WideProduct &product : errors.products)
      emitWarning(product.op->getLoc(), "stays fp32 in spite of --gpu-precision=fp16, because fp16 cannot hold its ")
          << product.part << " of about " << describeNumber(product.size, 2)
          << "; it takes longer than fp16: scale them to about 1";
    for (const LostChannels &channels : errors.channels)
      emitWarning(channels.op->getLoc(), "has ") << channels.lost << " of " << channels.all
                                                 << " channels whose weights are too small for fp16, which rounds them "
                                                    "to 0 or nearly: scale them to about 1, or compile with "
                                                    "--gpu-precision=fp32, if these channels matter";
  }

  /// 2. Values. What keeps its type is cast behind.
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

  /// What a tensor is padded with is a number of its type.
  void narrow(OpResult result) {
    result.setType(narrowed(result.getType()));
    auto pad = dyn_cast<nn::PadOp>(result.getOwner());
    if (!pad)
      return;
    double value = cast<FloatAttr>(pad.getValue()).getValueAsDouble();
    if (std::isfinite(value))
      value = std::clamp<double>(value, -kMost, kMost);
    pad.setValueAttr(FloatAttr::get(Float16Type::get(&getContext()), value));
  }

  /// 3. Uses that want the wide type.
  void widenUses(OpBuilder &builder, Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      builder.setInsertionPoint(&op);
      for (OpOperand &operand : op.getOpOperands())
        if (wantsWide(operand) && isNarrow(operand.get().getType()))
          operand.set(nn::CastOp::create(builder, op.getLoc(), widened(operand.get().getType()), operand.get()));
    }
  }

  /// Whether a number of what is not computed in f16 anyway may become infinite: it becomes the largest instead.
  bool mayOverflow(Value value) {
    Operation *from = value.getDefiningOp();
    if (auto constant = dyn_cast_or_null<nn::ConstantOp>(from))
      return overflows(constant);
    if (!from || !wide.contains(from) || trained.contains(from) || isBounded(*from) || isTransposedArgument(*from))
      return false;
    return !exact.contains(from) || !fitHalves(numbers.get(value));
  }

  bool wantsWide(OpOperand &operand) {
    if (isa<func::ReturnOp>(operand.getOwner())) // a model may have narrow results of its own
      return isWide(getOperation().getResultTypes()[operand.getOperandNumber()]);
    if (Type handed = getHandedType(operand))
      return isWide(handed);
    if (wide.contains(operand.getOwner()) || isPosition(operand))
      return true;
    if (operand.getOwner()->getNumRegions() > 0 || operand.getOwner()->hasTrait<OpTrait::IsTerminator>())
      return false; // a condition or a count
    if (auto bitcast = dyn_cast<nn::BitcastOp>(operand.getOwner()))
      return isBitcastOfWide(bitcast);
    return getWidth(*operand.getOwner()) == nn::Width::Full && isWide(operand.getOwner()->getResult(0).getType());
  }

  bool isVariable(BlockArgument argument) {
    func::FuncOp function = getOperation();
    return argument.getOwner() == &function.front() && function.getArgAttr(argument.getArgNumber(), nn::variableAttr);
  }

  /// The first operator of its block that reads `argument` narrow, itself or in a region. Weights are cast there: until then memory has
  /// them once.
  Operation *findFirstReader(BlockArgument argument) {
    Operation *first = nullptr;
    for (OpOperand &use : argument.getUses()) {
      Operation *reader = argument.getOwner()->findAncestorOpInBlock(*use.getOwner());
      if (!wantsWide(use) && (!first || reader->isBeforeInBlock(first)))
        first = reader;
    }
    return first;
  }

  /// Casts a wide value where anyone else reads it.
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
      limit(nn::BinaryKind::Min, kMost);
      limit(nn::BinaryKind::Max, -kMost);
    }
    from = nn::CastOp::create(builder, loc, narrowed(value.getType()), from);
    made.insert(from.getDefiningOp());
    value.replaceUsesWithIf(from, [&](OpOperand &use) { return wants(use) && !made.contains(use.getOwner()); });
    if (trained.contains(value.getDefiningOp()))
      sumNarrow(builder, value, from);
  }

  /// Lets sums read what products do, if nobody else reads `value`: then it is in memory once. A loss's gradient is read so, for a weight
  /// and a bias.
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

  DenseSet<Operation *> wide;
  DenseSet<Operation *>
      exact; ///< Those of them that others than integers make so: few of their numbers are beyond kMost.
  TypicalNumbers numbers;
  DenseSet<Operation *> trained; ///< Those of them that may become infinite: a step with such a gradient is skipped.
};

} // namespace
} // namespace nacre::graph
