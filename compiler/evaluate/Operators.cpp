// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/evaluate/Operators.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace nacre::evaluate {
namespace {

using Function = Results (*)(Operation *, Operands);

Results toResults(Tensor tensor) { return {std::move(tensor)}; }
Results toResults(Results results) { return results; }

template <typename Op> Results run(Operation *op, Operands operands) {
  return toResults(evaluate(cast<Op>(op), operands));
}

const llvm::StringMap<Function> &getTable() {
  static const llvm::StringMap<Function> table = {
#define ROW(OP, RESULT) {nn::OP::getOperationName(), run<nn::OP>},
      NN_INTERPRETED_ROWS(ROW)
#undef ROW
  };
  return table;
}

} // namespace

bool isEvaluated(StringRef operatorName) { return getTable().contains(operatorName); }

FailureOr<Results> evaluate(Operation *op, Operands operands) {
  auto row = getTable().find(op->getName().getStringRef());
  if (row == getTable().end())
    return failure();
  return row->second(op, operands);
}

} // namespace nacre::evaluate
