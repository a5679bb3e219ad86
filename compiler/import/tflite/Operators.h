// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is to be known of some operators before they are handled.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_OPERATORS_H
#define NACRE_COMPILER_IMPORT_TFLITE_OPERATORS_H

#include "compiler/import/tflite/Schema.h"

#include "llvm/ADT/SmallVector.h"

namespace nacre::importer::tflite_format {

/// The places of operands that the operator of that number assigns where they are variable tensors: the state of recurrent
/// layers. Its handler gives their new values behind its results, in that order.
struct AssignedOperands {
  llvm::ArrayRef<size_t> places;
  bool areVariables = true; ///< or may be others, too, which are not assigned
};
AssignedOperands getAssignedOperands(int32_t builtin, size_t operands);

/// A graph that an operator computes: a branch, a condition, a body of a loop.
struct BodyOfOperator {
  const char *name; ///< as its handler asks for it
  int32_t graph;
};
/// Those of the operator of that number, as its options say.
llvm::SmallVector<BodyOfOperator, 2> getBodies(int32_t builtin, const schema::Operator &op);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_OPERATORS_H
