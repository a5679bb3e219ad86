// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scales and zero points of inputs and outputs that are integers. Apps write and read these integers, and only the
// model knows the scales. Scales in the file take precedence. Otherwise, the operators next to inputs and outputs
// define the scales (builder/CodeNotes.h).

#ifndef NACRE_COMPILER_IMPORT_ENTRY_BORDERQUANTIZATION_H
#define NACRE_COMPILER_IMPORT_ENTRY_BORDERQUANTIZATION_H

#include "compiler/import/entry/SettledInputs.h"
#include "compiler/import/model/GraphView.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::importer {

/// Sets nn.quantization (dialects/nn/codes/Quantization.h) on arguments and results of `function` that are integers
/// with a scale, and removes it elsewhere. The first results are the outputs of `graph`; further results have names of
/// tensors of `graph`. Fails after an error of the reader.
llvm::LogicalResult settleQuantization(mlir::func::FuncOp function, const SettledInputs &inputs, GraphView &graph);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_BORDERQUANTIZATION_H
