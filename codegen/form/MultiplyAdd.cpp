// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/form/MultiplyAdd.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nacre::codegen {

/// True if `work` reads exactly two inputs. Further inputs may only give loops their sizes.
static bool hasTwoFactors(const Work &work) {
  return work.inputs.size() >= 2 && work.results.size() == 1 &&
         llvm::all_of(llvm::drop_begin(work.inputs, 2),
                      [](const Input &shapeOnly) { return shapeOnly.source == Input::Source::Unread; });
}

bool isMultiplyAdd(const Work &work) {
  if (!hasTwoFactors(work))
    return false;
  Block &body = *work.body;
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  Value accumulator = body.getArgument(work.inputs.size());
  auto product = add.getLhs() == accumulator   ? add.getRhs().getDefiningOp<arith::MulFOp>()
                 : add.getRhs() == accumulator ? add.getLhs().getDefiningOp<arith::MulFOp>()
                                               : arith::MulFOp();
  if (!product)
    return false;
  auto converted = [](Value value) {
    auto extension = value.getDefiningOp<arith::ExtFOp>();
    return extension ? extension.getIn() : value;
  };
  Value lhs = converted(product.getLhs()), rhs = converted(product.getRhs());
  return (lhs == body.getArgument(0) && rhs == body.getArgument(1)) ||
         (lhs == body.getArgument(1) && rhs == body.getArgument(0));
}

/// An argument of a body that an integer multiply-add extends.
struct ExtendedArgument {
  unsigned number = 0;
  bool isUnsigned = false;
};

static std::optional<ExtendedArgument> readExtension(Value value) {
  Operation *extension = value.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(extension))
    return std::nullopt;
  auto argument = dyn_cast<BlockArgument>(extension->getOperand(0));
  if (!argument || (!argument.getType().isInteger(8) && !argument.getType().isInteger(16)))
    return std::nullopt;
  return ExtendedArgument{argument.getArgNumber(), isa<arith::ExtUIOp>(extension)};
}

std::optional<IntegerFactors> readIntegerMultiplyAdd(const Work &work) {
  if (!hasTwoFactors(work) || !work.results.front().elementType.isInteger(32))
    return std::nullopt;
  Block &body = *work.body;
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddIOp>();
  if (!add)
    return std::nullopt;
  Value accumulator = body.getArgument(work.inputs.size());
  auto product = add.getLhs() == accumulator   ? add.getRhs().getDefiningOp<arith::MulIOp>()
                 : add.getRhs() == accumulator ? add.getLhs().getDefiningOp<arith::MulIOp>()
                                               : arith::MulIOp();
  if (!product)
    return std::nullopt;
  std::optional<ExtendedArgument> a = readExtension(product.getLhs()), b = readExtension(product.getRhs());
  if (!a || !b || a->number + b->number != 1)
    return std::nullopt;
  IntegerFactors factors;
  for (const ExtendedArgument &argument : {*a, *b})
    factors.isUnsigned[argument.number] = argument.isUnsigned;
  return factors;
}

} // namespace nacre::codegen
