// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The differentiated graph is imported again, on block arguments, because its first import may have folded constant
// inputs.

#include "compiler/import/control/RegionBuilder.h"

#include "compiler/import/messages/TypeNames.h"

using namespace mlir;

namespace nacre::importer {

FailureOr<RegionBuilder::Values>
RegionBuilder::buildGradient(ArrayRef<Value> point, size_t count,
                             llvm::function_ref<FailureOr<Values>(ArrayRef<Value>)> compute) {
  if (failed(refuseAnyOpen(point)))
    return failure();
  ValueRange operands(point);
  auto op = nn::GradientOp::create(builder, nn.getLoc(), operands.take_front(count).getTypes(), operands);
  Block &block = op.getBody().emplaceBlock();
  Values arguments;
  for (Value value : point)
    arguments.push_back(block.addArgument(value.getType(), value.getLoc()));
  {
    NodeNumbers::Again random(shared.randomNodes), dropping(shared.droppingNodes);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&block);
    FailureOr<Values> results = compute(arguments);
    bool isOne = succeeded(results) && results->size() == 1 && isTensor(results->front());
    if (succeeded(results) && (!isOne || !isFloat(results->front())))
      results = nn.error() << "only a float tensor can be differentiated, but this is "
                           << (isOne ? describe(results->front()) : "none");
    if (failed(results) || failed(refuseAnyOpen(*results))) {
      nn::YieldOp::create(builder, nn.getLoc(), ValueRange(), /*stacked=*/ValueRange());
      return failure();
    }
    nn::YieldOp::create(builder, nn.getLoc(), *results, /*stacked=*/ValueRange());
  }
  if (failed(check(op)))
    return failure();
  return Values(op.getGradients());
}

} // namespace nacre::importer
