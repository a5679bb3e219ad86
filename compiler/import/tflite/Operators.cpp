// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All operators that have handlers, and the graphs that some of them compute.

#include "compiler/import/tflite/Operators.h"

#include "compiler/import/tflite/Handlers.h"

namespace nacre::importer::tflite_format {

const ImportRegistry &getOperators() {
  static const ImportRegistry registry = [] {
    ImportRegistry result;
    for (auto addFamily :
         {registerActivations, registerConstants, registerContractions, registerControlFlow, registerConvolutions,
          registerElementwise, registerNormalizations, registerPoolings, registerQuantizations, registerReductions,
          registerResizes, registerSelections, registerShapes, registerSlices})
      addFamily(result);
    return result;
  }();
  return registry;
}

llvm::SmallVector<BodyOfOperator, 2> getBodies(int32_t builtin, const schema::Operator &op) {
  if (const schema::IfOptions *options = op.builtin_options_as_IfOptions();
      options && builtin == schema::BuiltinOperator_IF)
    return {{"then", options->then_subgraph_index()}, {"else", options->else_subgraph_index()}};
  if (const schema::WhileOptions *options = op.builtin_options_as_WhileOptions();
      options && builtin == schema::BuiltinOperator_WHILE)
    return {{"condition", options->cond_subgraph_index()}, {"body", options->body_subgraph_index()}};
  return {};
}

} // namespace nacre::importer::tflite_format
