// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One operator of a TensorFlow Lite model, as its handler sees it.
//
// What: an OperandBinder, and what the model says of the operands and results besides: their types, and what their integers
//       stand for.
// Why:  the types of an operator's results are in the file as well as in its definition. If the two differ, the model is
//       damaged. Shapes may differ: TensorFlow Lite computes them again before it runs, and so does Nacre.
// How:  handlers are wrapped: before one runs, integers that stand for reals are refused where it does not know them; behind it,
//       results are compared with what the file says.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_TFLITENODE_H
#define NACRE_COMPILER_IMPORT_TFLITE_TFLITENODE_H

#include "compiler/import/binding/ImportRegistry.h"
#include "compiler/import/tflite/TensorFacts.h"

namespace nacre::importer::tflite_format {

class TfliteNode {
public:
  explicit TfliteNode(OperandBinder &binder);

  OperandBinder *operator->() { return &binder; }
  /// For what handlers of several formats do (compiler/import/operands).
  operator OperandBinder &() { return binder; }
  NnBuilder &nn;

  mlir::Value getOperand(size_t index) const { return binder.getOperand(index); }
  mlir::InFlightDiagnostic error() { return binder.error(); }
  void setResult(mlir::Value value) { binder.setResult(value); }
  void setResult(size_t index, mlir::Value value) { binder.setResult(index, value); }
  /// What becomes of the variables that the operator assigns (Operators.h), each in the shape that it has.
  void setAssigned(llvm::ArrayRef<std::pair<size_t, mlir::Value>> values);

  /// What the integers of an operand or a result stand for; null where they stand for themselves.
  const Quantization *getQuantization(size_t operand) const { return get(operands, operand); }
  const Quantization *getResultQuantization(size_t result = 0) const { return get(results, result); }
  /// The same of what an operator computes on the way, where it states that.
  const Quantization *getIntermediateQuantization(size_t index) const { return get(intermediates, index); }
  /// Whether integers stand for reals in any operand or result.
  bool isQuantized() const;
  /// Reports an error unless all that are quantized are so in the same way, one for all elements.
  bool checkSameQuantization();

  /// The element type that the model states for a result; null where it states none that Nacre has.
  mlir::Type getResultElementType(size_t result = 0) const;

  /// Reports an error if a result has another element type than the model states, and a warning if it is the first that has
  /// another shape.
  void checkResults();

private:
  static const Quantization *get(llvm::ArrayRef<TensorFacts> facts, size_t index) {
    return index < facts.size() && facts[index].quantization ? &*facts[index].quantization : nullptr;
  }

  bool haveOperandsStatedShapes() const;

  OperandBinder &binder;
  llvm::SmallVector<TensorFacts> operands, results, intermediates;
};

/// How an operator takes integers that stand for reals.
enum class Integers {
  Plain,   ///< not at all: integers stand for themselves
  Moved,   ///< as what it moves: all of its operands and results stand for the same
  Computed ///< as its handler says
};

using TfliteHandler = std::function<void(TfliteNode &)>;

/// Adds the handler of an operator, for all of its versions.
void add(ImportRegistry &registry, llvm::StringRef op, Integers integers, Signature signature, TfliteHandler handler);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_TFLITENODE_H
