// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/tiles/ScratchProduct.h"

#include "codegen/cpu/tiles/TileTables.h"

using namespace mlir;

namespace nacre::codegen::cpu {

/// Returns the group size that `target` multiplies fastest; `nullopt` if it cannot multiply operands of these types.
static std::optional<int64_t> fastestGroup(const Target &target, const MatrixProduct &product) {
  const MachineRow *best = nullptr;
  for (int64_t k : {4, 8})
    if (std::optional<ProductTypes> types = productsOf(product, typeInScratch(target, product), k))
      if (const MachineRow *row =
              bestRow(machineRows(), target.needs, *types, shapeOf(product).isSingleRow(), target.inOrder);
          row && (!best || row->productsPerCycle() > best->productsPerCycle()))
        best = row;
  return best ? std::optional(best->step.types.k) : std::nullopt;
}

bool canMultiply(const Target &target, const MatrixProduct &product) {
  if (!product.panels)
    return product.parts == 1 && fastestGroup(target, product);
  const Type columns = product.operands[Contraction::Rhs].elementType;
  std::optional<ProductTypes> types = productsOf(product, columns, product.groups.k);
  return types && bestRow(machineRows(), target.needs, *types, shapeOf(product).isSingleRow(), target.inOrder);
}

MatrixProduct inScratch(const Target &target, const MatrixProduct &product) {
  MatrixProduct walked = product;
  walked.right.reset();
  if (!product.isOfIntegers())
    return walked;
  ContractionLoop &steps = walked.depth.back();
  const int64_t k = *fastestGroup(target, product);
  const bool areTogether = steps.strides[Contraction::Lhs] == 1;
  walked.groups = {k, areTogether ? steps.size : 1};
  if (areTogether) {
    steps.size = walked.groups.groups();
    steps.strides[Contraction::Lhs] = k;
  }
  return walked;
}

Type typeInScratch(const Target &target, const MatrixProduct &product) {
  if (product.isOfIntegers())
    return product.operands[Contraction::Rhs].elementType;
  if (product.halfSums > 0 && machineOf(target, product, product.rightType(), product.resultWidth).hasShortSums())
    return product.rightType();
  return product.accumulatorType;
}

int64_t widthInScratch(const Target &target, const MatrixProduct &product) {
  return choosePanelWidth(machineOf(target, inScratch(target, product), typeInScratch(target, product), /*width=*/0),
                          shapeOf(product));
}

} // namespace nacre::codegen::cpu
