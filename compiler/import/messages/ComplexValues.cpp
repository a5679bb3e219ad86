// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes lists that represent complex numbers in messages.

#include "compiler/import/messages/ComplexValues.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace nacre::importer {

static constexpr StringLiteral marker = "complex";

void markComplex(Value list) {
  if (list)
    list.getDefiningOp()->setAttr(marker, UnitAttr::get(list.getContext()));
}

bool isComplex(Value value) {
  auto list = value ? value.getDefiningOp<UnrealizedConversionCastOp>() : UnrealizedConversionCastOp();
  return list && list->hasAttr(marker);
}

} // namespace nacre::importer
