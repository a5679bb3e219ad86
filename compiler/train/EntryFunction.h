// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edits the arguments and results of an entry.
// Why: losses, gradients and updates add inputs, variables and outputs to those of the network.
// How: keeps the results as a list of values with their attributes, and writes them back all at once in the destructor.

#ifndef NACRE_COMPILER_TRAIN_ENTRYFUNCTION_H
#define NACRE_COMPILER_TRAIN_ENTRYFUNCTION_H

#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Variables.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace nacre::train {

/// Name of a result's attribute that names the weight whose gradient it is. Differentiation adds it, updates remove it.
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

  /// Returns the argument for the input `name`; adds it if it is missing. Returns null if it exists with another type.
  mlir::Value input(llvm::StringRef name, mlir::RankedTensorType type);
  /// Returns the argument for the input `name`, or null.
  mlir::Value findInput(llvm::StringRef name);
  /// Returns the argument with the value that a variable has before the run. Adds the variable, with zeros as its
  /// initial value, if it is missing.
  mlir::Value variable(llvm::StringRef name, mlir::RankedTensorType type, nn::VariableRole role);
  /// Returns the same for a variable that is elementwise with the variable `weight`: its axes are in the same order.
  mlir::Value variableBeside(llvm::StringRef weight, llvm::StringRef name, nn::VariableRole role);
  /// Returns the order of a variable's axes (nn.order); null if it is the model's order, or if there is no such
  /// variable.
  mlir::DenseI64ArrayAttr orderOf(llvm::StringRef name);
  /// Returns the arguments that are variables of a role, with their names.
  llvm::SmallVector<std::pair<llvm::StringRef, mlir::BlockArgument>> variables(nn::VariableRole role);

  void addOutput(llvm::StringRef name, mlir::Value value) { add(value, nn::nameAttr, name); }
  void addGradient(llvm::StringRef weight, mlir::Value value) { add(value, gradientAttr, weight); }
  /// Adds a result that is the variable's value after the run.
  void assign(llvm::StringRef name, mlir::Value value) { add(value, nn::variableAttr, name); }

private:
  void add(mlir::Value value, llvm::StringRef note, llvm::StringRef text);
  /// Returns the argument that is a variable, or null.
  mlir::BlockArgument findVariable(llvm::StringRef name);
  llvm::StringRef noteOf(mlir::BlockArgument argument, llvm::StringRef note);

  mlir::func::FuncOp function;
  mlir::Builder builder;
};

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_ENTRYFUNCTION_H
