// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements Operators.h, and the registry of Handlers.h.

#include "compiler/import/tflite/Operators.h"

#include "compiler/import/tflite/Handlers.h"

namespace nacre::importer::tflite_format {

const ImportRegistry &getOperators() {
  static const ImportRegistry registry = [] {
    ImportRegistry result;
    for (auto addFamily : {registerActivations,    registerConstants,  registerContractions,  registerControlFlow,
                           registerConvolutions,   registerDetections, registerElementwise,   registerLstms,
                           registerNormalizations, registerPoolings,   registerQuantizations, registerReductions,
                           registerResizes,        registerRnns,       registerScatters,      registerSelections,
                           registerShapes,         registerSlices,     registerSvdf,          registerVariables})
      addFamily(result);
    return result;
  }();
  return registry;
}

AssignedOperands getAssignedOperands(int32_t builtin, size_t operands) {
  static constexpr size_t cell[] = {18, 19}, bothCells[] = {35, 36, 37, 38}, hidden[] = {4}, bothHidden[] = {4, 8},
                          basicCell[] = {1, 4};
  constexpr size_t ofBasicCell = 5;
  switch (builtin) {
  case schema::BuiltinOperator_LSTM:
    return operands == ofBasicCell ? AssignedOperands{basicCell, /*areVariables=*/false} : AssignedOperands{cell};
  case schema::BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_LSTM:
    return {cell};
  case schema::BuiltinOperator_BIDIRECTIONAL_SEQUENCE_LSTM:
    return {bothCells};
  case schema::BuiltinOperator_RNN:
  case schema::BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_RNN:
  case schema::BuiltinOperator_SVDF:
    return {hidden};
  case schema::BuiltinOperator_BIDIRECTIONAL_SEQUENCE_RNN:
    return {bothHidden};
  default:
    return {};
  }
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
