// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operator of a TensorFlow Lite model, in the form that handlers use.
//
// A node is an OperandBinder with the types and quantizations that the model declares for operands and results. The
// operator's definition also implies the type of a result. If both types differ, the model is damaged. Shapes may
// differ: like TensorFlow Lite, Nacre computes them again. add() wraps each handler. Before the handler, quantized
// integers are refused if it does not support them. After the handler, the results are compared with the file.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_TFLITENODE_H
#define NACRE_COMPILER_IMPORT_TFLITE_TFLITENODE_H

#include "compiler/import/binding/ImportRegistry.h"
#include "compiler/import/tflite/TensorFacts.h"

namespace nacre::importer::tflite_format {

class TfliteNode {
public:
  explicit TfliteNode(OperandBinder &binder);

  OperandBinder *operator->() { return &binder; }
  /// Converts the node for handlers that several formats share (compiler/import/operands).
  operator OperandBinder &() { return binder; }
  NnBuilder &nn;

  mlir::Value getOperand(size_t index) const { return binder.getOperand(index); }
  mlir::InFlightDiagnostic error() { return binder.error(); }
  void setResult(mlir::Value value) { binder.setResult(value); }
  void setResult(size_t index, mlir::Value value) { binder.setResult(index, value); }
  /// Sets the new values of variables that the operator assigns (Operators.h). A new value must have the shape of the
  /// old one.
  void setAssigned(llvm::ArrayRef<std::pair<size_t, mlir::Value>> values);

  /// Return the quantization of an operand or a result; null if it is not quantized.
  const Quantization *getQuantization(size_t operand) const { return get(operands, operand); }
  const Quantization *getResultQuantization(size_t result = 0) const { return get(results, result); }
  /// Returns the quantization of an intermediate value; null if the operator has none for it.
  const Quantization *getIntermediateQuantization(size_t index) const { return get(intermediates, index); }
  /// True if any operand or result is quantized.
  bool isQuantized() const;
  /// Reports an error unless all quantized operands and results have the same quantization, with a single scale.
  bool checkSameQuantization();

  /// Returns the element type that the model declares for a result; null if Nacre does not have the type.
  mlir::Type getResultElementType(size_t result = 0) const;

  /// Reports an error if the element type of a result differs from the type that the model declares. Emits a warning if
  /// the shape of a result differs, but no operand's shape does.
  void checkResults();

private:
  static const Quantization *get(llvm::ArrayRef<TensorFacts> facts, size_t index) {
    return index < facts.size() && facts[index].quantization ? &*facts[index].quantization : nullptr;
  }

  bool haveOperandsStatedShapes() const;

  OperandBinder &binder;
  llvm::SmallVector<TensorFacts> operands, results, intermediates;
};

/// Support of an operator for quantized integers.
enum class Integers {
  Plain,   ///< unsupported: they are an error
  Moved,   ///< moved unchanged, so all operands and results must have the same quantization
  Computed ///< supported by its handler
};

using TfliteHandler = std::function<void(TfliteNode &)>;

/// Adds the handler of an operator, for all of its versions.
void add(ImportRegistry &registry, llvm::StringRef op, Integers integers, Signature signature, TfliteHandler handler);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_TFLITENODE_H
