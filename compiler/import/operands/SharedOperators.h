// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators with the same meaning in several formats.
//
// Each meaning is written once. A format registers the rows that have a name in it, with its own names of operands. The
// rows are in SharedOperators.def.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_SHAREDOPERATORS_H
#define NACRE_COMPILER_IMPORT_OPERANDS_SHAREDOPERATORS_H

#include "compiler/import/binding/Signature.h"
#include "compiler/import/builder/NnBuilder.h"

#include <optional>

namespace nacre::importer {

/// Names of an operator, each empty if the format has no such operator.
struct OperatorNames {
  llvm::StringRef onnx;
  int64_t since; ///< ONNX's first version; for a reduction, the first with axes as an operand
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
  mlir::Value (*compose)(NnBuilder &nn, mlir::Value x, mlir::Value y); ///< the operands broadcast
  std::optional<nn::BinaryKind> kind;                                  ///< `nullopt` for a composition
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

// Return all rows.
llvm::ArrayRef<UnaryOperator> getUnaryOperators();
llvm::ArrayRef<BinaryOperator> getBinaryOperators();
llvm::ArrayRef<ReductionOperator> getReductionOperators();
llvm::ArrayRef<ExtremeOperator> getExtremeOperators();
llvm::ArrayRef<CumulationOperator> getCumulationOperators();

/// Calls `add` for each operator that the format has, with its name in `format` and its row.
template <typename Row, typename Add>
void forEachNamed(llvm::ArrayRef<Row> rows, llvm::StringRef OperatorNames::*format, Add add) {
  for (const Row &row : rows)
    if (!(row.names.*format).empty())
      add(row.names.*format, row);
}

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_SHAREDOPERATORS_H
