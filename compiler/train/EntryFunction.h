// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edits the arguments and results of an entry.
// Why: losses, gradients and updates add inputs, variables and outputs to the network.
// How: it keeps the results as a list of values with their attributes. The destructor writes them back.

#ifndef NACRE_COMPILER_TRAIN_ENTRYFUNCTION_H
#define NACRE_COMPILER_TRAIN_ENTRYFUNCTION_H

#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Variables.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace nacre::train {

/// Attribute of a result that is a gradient: name of the weight. Differentiation adds the attribute, updates remove it.
inline constexpr llvm::StringLiteral gradientAttr = "nn.gradient";

class EntryFunction {
public:
  explicit EntryFunction(mlir::func::FuncOp function);
  /// Writes the results back.
  ~EntryFunction();
  EntryFunction(const EntryFunction &) = delete;
  EntryFunction &operator=(const EntryFunction &) = delete;

  struct Result {
    mlir::Value value;
    mlir::DictionaryAttr notes;
  };
  llvm::SmallVector<Result> results;

  mlir::func::FuncOp getFunction() const { return function; }
  mlir::Block &getBody() { return function.front(); }
  mlir::Operation *getEnd() { return getBody().getTerminator(); }

  /// Returns the argument for the input `name`, and adds it if it is missing. Returns null if it has another type.
  mlir::Value input(llvm::StringRef name, mlir::RankedTensorType type);
  /// Returns the argument for the input `name`, or null.
  mlir::Value findInput(llvm::StringRef name);
  /// Returns the argument with the value of the variable `name` before the run. If the variable is missing, adds it
  /// with zeros as its initial value.
  mlir::Value variable(llvm::StringRef name, mlir::RankedTensorType type, nn::VariableRole role);
  /// Like variable(), but with the type and the order of axes of the variable `weight`, so that both are combined
  /// elementwise.
  mlir::Value variableBeside(llvm::StringRef weight, llvm::StringRef name, nn::VariableRole role);
  /// Returns the order of a variable's axes (nn.order). Returns null if this is the model's order, or if there is no
  /// such variable.
  mlir::DenseI64ArrayAttr orderOf(llvm::StringRef name);
  /// Returns the arguments that are variables with the role `role`, with their names.
  llvm::SmallVector<std::pair<llvm::StringRef, mlir::BlockArgument>> variables(nn::VariableRole role);

  void addOutput(llvm::StringRef name, mlir::Value value) { add(value, nn::nameAttr, name); }
  void addGradient(llvm::StringRef weight, mlir::Value value) { add(value, gradientAttr, weight); }
  /// Adds a result that becomes the value of the variable `name` after the run.
  void assign(llvm::StringRef name, mlir::Value value) { add(value, nn::variableAttr, name); }

private:
  void add(mlir::Value value, llvm::StringRef note, llvm::StringRef text);
  /// Returns the argument for the variable `name`, or null.
  mlir::BlockArgument findVariable(llvm::StringRef name);
  llvm::StringRef noteOf(mlir::BlockArgument argument, llvm::StringRef note);

  mlir::func::FuncOp function;
  mlir::Builder builder;
};

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_ENTRYFUNCTION_H
