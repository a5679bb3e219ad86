// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What recurrent layers have alike: an axis that counts steps, weights that are integers where the rest is floats, states that
// are variables.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_RECURRENT_STEPS_H
#define NACRE_COMPILER_IMPORT_TFLITE_RECURRENT_STEPS_H

#include "compiler/import/compositions/recurrent/Lstm.h"
#include "compiler/import/tflite/TfliteNode.h"

namespace nacre::importer::tflite_format {

/// Where the input has its steps: as [T, B, I], as [B, T, I], or as [B, I], which is one.
enum class Steps { First, Second, One };

/// Reads the option that says which axis counts the steps.
Steps readSteps(TfliteNode &node, bool missing);

/// Whether the input has the axes that it must have; reports an error if not.
bool checkInput(TfliteNode &node, Steps steps);

/// Of [T, B, I], whatever the order is in the model, and back.
mlir::Value toTimeFirst(NnBuilder &nn, mlir::Value x, Steps steps);
mlir::Value fromTimeFirst(NnBuilder &nn, mlir::Value x, Steps steps);

/// Reports an error unless operands from `first` on, which may be left out, are floats, or integers that stand for some.
bool checkReals(TfliteNode &node, size_t first);

/// Reports an error unless a second input, and weights for it, from operand `first` on, are left out.
bool checkNoSecondInput(TfliteNode &node, size_t first);

/// What an operand stands for, in the input's type of floats; null where it is left out.
mlir::Value readReals(TfliteNode &node, size_t operand);

/// The matrix of an operand, [rows, columns], in reals as [columns, rows].
mlir::Value turnMatrix(TfliteNode &node, size_t operand);

/// A state of floats as [rows, columns]; null after an error.
mlir::Value readState(TfliteNode &node, size_t operand, Ints shape);

/// The hidden states of one direction, or of two: those of the other behind the first along the last axis where they are merged.
void setSequences(TfliteNode &node, llvm::ArrayRef<RecurrentResults> directions, Steps steps);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_RECURRENT_STEPS_H
