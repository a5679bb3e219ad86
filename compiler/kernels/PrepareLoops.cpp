// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds operators for counters of loops and for constants with which loops begin. Forming kernels then handles loops
// like other code: only operators, and values that enter and leave.
//
// 1. A loop without iterations is replaced by its initial values.
// 2. The index of an iteration becomes a row of a table, or a carried value that counts up. In the end, the carried
//    value is the number of iterations.
// 3. If a loop begins with a splat constant, or a region yields such a constant, it is broadcast there.

#include "compiler/kernels/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace nacre::kernels {
#define GEN_PASS_DEF_PREPARELOOPSPASS
#include "compiler/kernels/Passes.h.inc"
} // namespace nacre::kernels

using namespace mlir;
using namespace nacre;

namespace {

/// Largest number of rows of a table. For more iterations, counting is cheaper.
constexpr int64_t maxTableRows = 4096;

RankedTensorType numbersType(OpBuilder &builder, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, builder.getI64Type());
}

Value number(OpBuilder &builder, Location loc, int64_t value) {
  return nn::ConstantOp::create(builder, loc, DenseElementsAttr::get(numbersType(builder, {}), value));
}

/// Returns the table 0, 1, 2, ..., or in reverse order if `fromBehind`.
Value numbers(OpBuilder &builder, Location loc, int64_t count, bool fromBehind) {
  auto values = llvm::to_vector(llvm::seq<int64_t>(0, count));
  if (fromBehind)
    std::reverse(values.begin(), values.end());
  return nn::ConstantOp::create(builder, loc,
                                DenseElementsAttr::get(numbersType(builder, {count}), ArrayRef<int64_t>(values)));
}

Value binary(OpBuilder &builder, Location loc, nn::BinaryKind kind, Value a, Value b) {
  return nn::BinaryOp::create(builder, loc, kind, a, b);
}

//===----------------------------------------------------------------------===//
// 1. Loops of no iterations
//===----------------------------------------------------------------------===//

template <typename LoopT> void replaceByInitial(LoopT loop) {
  OpBuilder builder(loop);
  for (auto [result, initial] : llvm::zip_equal(loop.getFinals(), loop.getInitial()))
    result.replaceAllUsesWith(initial);
  for (Value stack : loop.getStacks()) {
    auto nothing = DenseElementsAttr::get(cast<RankedTensorType>(stack.getType()), ArrayRef<Attribute>());
    stack.replaceAllUsesWith(nn::ConstantOp::create(builder, loop.getLoc(), nothing));
  }
  if constexpr (std::is_same_v<LoopT, nn::WhileOp>)
    loop.getTrips().replaceAllUsesWith(number(builder, loop.getLoc(), 0));
  loop.erase();
}

//===----------------------------------------------------------------------===//
// 2. Counters
//===----------------------------------------------------------------------===//

nn::ForOp recreate(OpBuilder &builder, nn::ForOp loop, TypeRange types, ValueRange initial) {
  return nn::ForOp::create(builder, loop.getLoc(), types, loop.getTripCountAttr(), loop.getCount(), initial,
                           loop.getScanned(), loop.getReverseAttr());
}
nn::WhileOp recreate(OpBuilder &builder, nn::WhileOp loop, TypeRange types, ValueRange initial) {
  return nn::WhileOp::create(builder, loop.getLoc(), types, loop.getTrips().getType(), loop.getBoundAttr(), initial);
}

/// Adds the index of the iteration as the last carried value. Returns the final value, the number of iterations.
template <typename LoopT> Value carryCounter(LoopT loop) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  const unsigned carried = loop.getInitial().size();
  SmallVector<Value> initial(loop.getInitial());
  initial.push_back(number(builder, loc, 0));
  SmallVector<Type> types(loop.getFinals().getTypes());
  types.push_back(numbersType(builder, {}));
  llvm::append_range(types, loop.getStacks().getTypes());
  LoopT wider = recreate(builder, loop, types, initial);
  for (auto [from, into] : llvm::zip_equal(loop->getRegions(), wider->getRegions())) {
    into.takeBody(from);
    Value counted = into.insertArgument(1 + carried, numbersType(builder, {}), loc);
    into.getArgument(0).replaceAllUsesWith(counted);
  }
  Block &body = wider.getBody().front();
  builder.setInsertionPoint(body.getTerminator());
  Value next = binary(builder, loc, nn::BinaryKind::Add, body.getArgument(1 + carried), number(builder, loc, 1));
  wider.getYield().getCarriedMutable().append(next);
  for (auto [before, now] : llvm::zip_equal(loop.getFinals(), wider.getFinals().drop_back()))
    before.replaceAllUsesWith(now);
  for (auto [before, now] : llvm::zip_equal(loop.getStacks(), wider.getStacks()))
    before.replaceAllUsesWith(now);
  if constexpr (std::is_same_v<LoopT, nn::WhileOp>)
    loop.getTrips().replaceAllUsesWith(wider.getFinals().back());
  loop.erase();
  return wider.getFinals().back();
}

void exposeCounter(nn::ForOp loop) {
  if (loop.getCounter().use_empty())
    return;
  if (loop.getTripCount() > maxTableRows)
    return void(carryCounter(loop));
  OpBuilder builder(loop);
  loop.getScannedMutable().append(numbers(builder, loop.getLoc(), loop.getTripCount(), loop.getReverse()));
  Value iteration = loop.getBody().addArgument(numbersType(builder, {}), loop.getLoc());
  loop.getCounter().replaceAllUsesWith(iteration);
}

void exposeCounter(nn::WhileOp loop) {
  auto isCounted = [](Region *region) { return !region->getArgument(0).use_empty(); };
  if (!loop.getTrips().use_empty() || llvm::any_of(loop.getRegions(), isCounted))
    carryCounter(loop);
}

//===----------------------------------------------------------------------===//
// 3. Numbers repeated
//===----------------------------------------------------------------------===//

void broadcastSplat(OpOperand &given) {
  auto constant = given.get().getDefiningOp<nn::ConstantOp>();
  if (!constant || !constant.getValue().isSplat() || constant.getType().getNumElements() == 0)
    return;
  OpBuilder builder(given.getOwner());
  auto type = cast<RankedTensorType>(given.get().getType());
  auto one = DenseElementsAttr::get(type.clone(ArrayRef<int64_t>()), constant.getValue().getSplatValue<Attribute>());
  Value number = nn::ConstantOp::create(builder, constant.getLoc(), one);
  given.set(nn::BroadcastOp::create(builder, constant.getLoc(), type, number));
}

template <typename OpT> void walk(func::FuncOp function, llvm::function_ref<void(OpT)> on) {
  SmallVector<OpT> found;
  function.walk([&](OpT op) { found.push_back(op); });
  for (OpT op : found)
    on(op);
}

struct PrepareLoops : kernels::impl::PrepareLoopsPassBase<PrepareLoops> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    walk<nn::ForOp>(function, [](nn::ForOp loop) {
      if (loop.getTripCount() == 0)
        return replaceByInitial(loop);
      exposeCounter(loop);
    });
    walk<nn::WhileOp>(function, [](nn::WhileOp loop) {
      if (loop.getBound() == 0)
        return replaceByInitial(loop);
      exposeCounter(loop);
    });
    function.walk([](nn::YieldOp yield) { llvm::for_each(yield->getOpOperands(), broadcastSplat); });
    function.walk([](nn::ForOp loop) { llvm::for_each(loop.getInitialMutable(), broadcastSplat); });
    function.walk([](nn::WhileOp loop) { llvm::for_each(loop.getInitialMutable(), broadcastSplat); });
  }
};

} // namespace
