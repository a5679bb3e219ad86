// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables with handles. The reader resolves handles: an operator has the variable's value as operand 0.

#include "compiler/import/tflite/Handlers.h"

using namespace mlir;

namespace nacre::importer::tflite_format {

static void importRead(TfliteNode &node) { node.setResult(node.getOperand(0)); }

/// Imports ASSIGN_VARIABLE. The new value must have the shape and type of the old one.
static void importAssign(TfliteNode &node) {
  Value before = node.getOperand(0), after = node.getOperand(1);
  if (getType(before) == getType(after))
    return node.setResult(after);
  node.error() << node->nameOf(1) << " must match the variable, " << describe(before) << ", but is " << describe(after);
}

void registerVariables(ImportRegistry &registry) {
  add(registry, "READ_VARIABLE", Integers::Computed, {{"variable"}}, importRead);
  add(registry, "ASSIGN_VARIABLE", Integers::Computed, {{"variable"}, {"value"}}, importAssign);
}

} // namespace nacre::importer::tflite_format
