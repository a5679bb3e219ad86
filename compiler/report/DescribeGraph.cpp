// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/report/DescribeGraph.h"

#include "codegen/package/NodeNames.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;

namespace nacre {

/// True for a constant with several elements.
static bool isConstants(Value value) {
  auto constant = value.getDefiningOp<nn::ConstantOp>();
  return constant && cast<ShapedType>(value.getType()).getNumElements() > 1;
}

std::vector<std::string> listLooseScales(ModuleOp graph) {
  std::vector<std::string> names;
  graph.walk([&](nn::BinaryOp op) {
    if (op.getKind() == nn::BinaryKind::Mul && isConstants(op.getLhs()) != isConstants(op.getRhs()))
      llvm::append_range(names, package::listNodes(op->getLoc()));
  });
  return names;
}

} // namespace nacre
