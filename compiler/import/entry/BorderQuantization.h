// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the scales and zero points of inputs and outputs that are integers.
// Why:   an app writes and reads these integers, and only the model knows what they stand for.
// How:   a file that states it for each tensor is believed; otherwise the operators at the border say it (builder/CodeNotes.h).

#ifndef NACRE_COMPILER_IMPORT_ENTRY_BORDERQUANTIZATION_H
#define NACRE_COMPILER_IMPORT_ENTRY_BORDERQUANTIZATION_H

#include "compiler/import/entry/SettledInputs.h"
#include "compiler/import/model/GraphView.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::importer {

/// Leaves nn.quantization (dialects/nn/codes/Quantization.h) on the arguments and results of `function` that are integers with a scale, and on
/// nothing else. The first results are the outputs of `graph`; others have the names of its tensors. Fails after an error of the reader.
llvm::LogicalResult settleQuantization(mlir::func::FuncOp function, const SettledInputs &inputs, GraphView &graph);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_BORDERQUANTIZATION_H
