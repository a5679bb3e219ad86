// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/panels/ElementwiseKernels.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace nacre::encode {

/// Returns the only operation of the body if it maps exactly the kernel's arguments, or null.
static linalg::GenericOp findMap(plan::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  auto map = dyn_cast<linalg::GenericOp>(body.front());
  if (!map || !llvm::hasNItems(body, 2) || map.getNumReductionLoops() != 0 || map.hasIndexSemantics())
    return {};
  if (!llvm::equal(map->getOperands(), body.getArguments()) ||
      !llvm::equal(map->getResults(), body.getTerminator()->getOperands()))
    return {};
  return map;
}

bool isElementwise(plan::KernelOp kernel) {
  linalg::GenericOp map = kernel.getKind() == plan::KernelKind::Nest ? findMap(kernel) : linalg::GenericOp();
  if (!map || map.getNumLoops() == 0)
    return false;
  auto isShared = [&](OpOperand &operand) {
    AffineMap access = map.getMatchingIndexingMap(&operand);
    return access.isIdentity() || (map.isDpsInput(&operand) && access.getNumResults() == 0);
  };
  return llvm::all_of(map->getOpOperands(), isShared);
}

bool isMapped(plan::KernelOp kernel, unsigned argument) {
  return cast<RankedTensorType>(kernel.getBody().getArgument(argument).getType()).getRank() != 0;
}

plan::KernelOp cloneOver(OpBuilder &builder, plan::KernelOp kernel, StringRef name, int64_t rows, int64_t columns) {
  auto clone = cast<plan::KernelOp>(builder.clone(*kernel));
  clone.setSymName(name);
  clone.setCutAxis(0);
  clone.setCutExtent(rows);
  clone.setGrain(1);
  auto retype = [&](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() != 0)
      value.setType(type.clone({rows, columns}));
  };
  for (BlockArgument argument : clone.getBody().getArguments())
    retype(argument);
  linalg::GenericOp map = findMap(clone);
  SmallVector<Attribute> maps;
  for (OpOperand &operand : map->getOpOperands()) {
    const bool isScalar = map.getMatchingIndexingMap(&operand).getNumResults() == 0;
    maps.push_back(
        AffineMapAttr::get(isScalar ? AffineMap::get(2, 0, builder.getContext()) : builder.getMultiDimIdentityMap(2)));
  }
  map.setIndexingMapsAttr(builder.getArrayAttr(maps));
  map.setIteratorTypesAttr(builder.getArrayAttr(
      SmallVector<Attribute>(2, linalg::IteratorTypeAttr::get(builder.getContext(), utils::IteratorType::parallel))));
  for (Value result : map->getResults())
    retype(result);
  return clone;
}

} // namespace nacre::encode
