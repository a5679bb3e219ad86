// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators with the same meaning in several formats.
//
// Each meaning is written once, as one row of SharedOperators.def. A format registers the rows for which it has a name,
// with its own names of operands.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_SHAREDOPERATORS_H
#define NACRE_COMPILER_IMPORT_OPERANDS_SHAREDOPERATORS_H

#include "compiler/import/binding/Signature.h"
#include "compiler/import/builder/NnBuilder.h"

#include <optional>

namespace nacre::importer {

/// Names of an operator; a name is empty if the format has no such operator.
struct OperatorNames {
  llvm::StringRef onnx;
  int64_t since; ///< first version in ONNX; for a reduction, the first version with axes as an operand
  llvm::StringRef tensorflow, tflite;
};

struct UnaryOperator {
  OperatorNames names;
  Holds holds;
  mlir::Value (*compose)(NnBuilder &nn, mlir::Value x);
};

struct BinaryOperator {
  OperatorNames names;
  Holds holds;
  mlir::Value (*compose)(NnBuilder &nn, mlir::Value x, mlir::Value y); ///< builds the operator; the operands broadcast
  std::optional<nn::BinaryKind> kind;                                  ///< kind of the operator; `nullopt` for a
                                                                       ///< composition of several
};

struct ReductionOperator {
  OperatorNames names;
  Holds holds;
  nn::ReduceKind kind;
};

struct ExtremeOperator {
  OperatorNames names;
  nn::ArgKind kind;
};

struct CumulationOperator {
  OperatorNames names;
  nn::CumulateKind kind;
};

// Return all rows of a kind.
llvm::ArrayRef<UnaryOperator> getUnaryOperators();
llvm::ArrayRef<BinaryOperator> getBinaryOperators();
llvm::ArrayRef<ReductionOperator> getReductionOperators();
llvm::ArrayRef<ExtremeOperator> getExtremeOperators();
llvm::ArrayRef<CumulationOperator> getCumulationOperators();

/// Calls `add` with the name and the row of each operator that `format` has.
template <typename Row, typename Add>
void forEachNamed(llvm::ArrayRef<Row> rows, llvm::StringRef OperatorNames::*format, Add add) {
  for (const Row &row : rows)
    if (!(row.names.*format).empty())
      add(row.names.*format, row);
}

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_SHAREDOPERATORS_H
