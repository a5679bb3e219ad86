// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common parts of recurrent layers: the axis of steps, weights that are integers while other operands are floats, and
// states that are variables.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_RECURRENT_STEPS_H
#define NACRE_COMPILER_IMPORT_TFLITE_RECURRENT_STEPS_H

#include "compiler/import/compositions/recurrent/Lstm.h"
#include "compiler/import/tflite/TfliteNode.h"

namespace nacre::importer::tflite_format {

/// Position of the input's time axis T: [T, B, I], [B, T, I], or [B, I] for one step.
enum class Steps { First, Second, One };

/// Reads the option with the position of the time axis. `missing` is the value of the option if it is absent.
Steps readSteps(TfliteNode &node, bool missing);

/// True if the input has the right number of axes. Otherwise, reports an error.
bool checkInput(TfliteNode &node, Steps steps);

/// Convert from the model's order of axes to [T, B, I], and back.
mlir::Value toTimeFirst(NnBuilder &nn, mlir::Value x, Steps steps);
mlir::Value fromTimeFirst(NnBuilder &nn, mlir::Value x, Steps steps);

/// Reports an error unless all operands from `first` on are floats, quantized integers, or omitted.
bool checkReals(TfliteNode &node, size_t first);

/// Reports an error unless a second input and its weights, from operand `first` on, are omitted.
bool checkNoSecondInput(TfliteNode &node, size_t first);

/// Returns an operand's dequantized values, with the float type of the input. Returns null if the operand is omitted.
mlir::Value readReals(TfliteNode &node, size_t operand);

/// Returns an operand, [rows, columns], transposed to [columns, rows] and converted to floats.
mlir::Value turnMatrix(TfliteNode &node, size_t operand);

/// Returns a state of floats as [rows, columns]; null after an error.
mlir::Value readState(TfliteNode &node, size_t operand, Ints shape);

/// Sets the hidden states of one direction or of two. Merged results have the second direction after the first, along
/// the last axis.
void setSequences(TfliteNode &node, llvm::ArrayRef<RecurrentResults> directions, Steps steps);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_RECURRENT_STEPS_H
