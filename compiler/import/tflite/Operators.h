// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about operators that are needed before they are imported.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_OPERATORS_H
#define NACRE_COMPILER_IMPORT_TFLITE_OPERATORS_H

#include "compiler/import/tflite/Schema.h"

#include "llvm/ADT/SmallVector.h"

namespace nacre::importer::tflite_format {

/// Operands that an operator assigns if they are variable tensors: the states of recurrent layers. After its results,
/// the handler returns their new values, in this order.
struct AssignedOperands {
  llvm::ArrayRef<size_t> places;
  bool areVariables = true; ///< false if tensors that are not variables are allowed; they are not assigned
};
AssignedOperands getAssignedOperands(int32_t builtin, size_t operands);

/// A graph inside an operator: a branch, a condition or the body of a loop.
struct BodyOfOperator {
  const char *name; ///< name by which the operator's handler finds the graph
  int32_t graph;
};
/// Returns the graphs to which the options of an operator refer.
llvm::SmallVector<BodyOfOperator, 2> getBodies(int32_t builtin, const schema::Operator &op);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_OPERATORS_H
