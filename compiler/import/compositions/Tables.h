// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants whose elements compositions compute. They count against the limit of the model's constants.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_TABLES_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_TABLES_H

#include "compiler/import/builder/NnBuilder.h"
#include "dialects/StoredBytes.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/nn/shapes/ShapeRules.h"

namespace nacre::importer {

/// True if a constant of `type` is allowed, and then counts it as made. Otherwise, reports an error.
bool allowsTable(NnBuilder &nn, mlir::RankedTensorType type);

/// Returns a constant of `type`, or null after an error. `makeElement` computes an element from its index in row-major
/// order. T is int64_t or double. Elements are rounded to `type`.
template <typename T, typename Make>
mlir::Value makeTable(NnBuilder &nn, mlir::RankedTensorType type, Make makeElement) {
  if (!allowsTable(nn, type))
    return {};
  nn::ConstantBuilder builder(type);
  for (int64_t index = 0, count = type.getNumElements(); index < count; ++index) {
    T element = makeElement(index);
    builder.write(index, llvm::ArrayRef<T>(element));
  }
  return nn.constant(std::move(builder).take());
}

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_TABLES_H
