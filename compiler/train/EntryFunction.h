// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  an entry whose arguments and results come and go.
// Why:   loss, gradients and updates each read more and give more than the network did.
// How:   results are kept as a list of values with what is noted of them, and written back at once.

#ifndef NACRE_COMPILER_TRAIN_ENTRYFUNCTION_H
#define NACRE_COMPILER_TRAIN_ENTRYFUNCTION_H

#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Variables.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace nacre::train {

/// On a result: the weight whose gradient it is. Differentiation leaves it, updates take it.
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

  /// The argument that is the input of that name; made where there is none. Null where there is one of another type.
  mlir::Value input(llvm::StringRef name, mlir::RankedTensorType type);
  /// The argument that is the input of that name, or null.
  mlir::Value findInput(llvm::StringRef name);
  /// What a variable was; made, with zeros at first, where there is none.
  mlir::Value variable(llvm::StringRef name, mlir::RankedTensorType type, nn::VariableRole role);
  /// The same of one that is elementwise with the variable `weight`: its axes are in the same order.
  mlir::Value variableBeside(llvm::StringRef weight, llvm::StringRef name, nn::VariableRole role);
  /// The order of a variable's axes (nn.order); null where it is the model's, or there is no such variable.
  mlir::DenseI64ArrayAttr orderOf(llvm::StringRef name);
  /// The arguments that are variables of a role, with their names.
  llvm::SmallVector<std::pair<llvm::StringRef, mlir::BlockArgument>> variables(nn::VariableRole role);

  void addOutput(llvm::StringRef name, mlir::Value value) { add(value, nn::nameAttr, name); }
  void addGradient(llvm::StringRef weight, mlir::Value value) { add(value, gradientAttr, weight); }
  /// What the variable is when a run ends.
  void assign(llvm::StringRef name, mlir::Value value) { add(value, nn::variableAttr, name); }

private:
  void add(mlir::Value value, llvm::StringRef note, llvm::StringRef text);
  /// The argument that is a variable, or null.
  mlir::BlockArgument findVariable(llvm::StringRef name);
  llvm::StringRef noteOf(mlir::BlockArgument argument, llvm::StringRef note);

  mlir::func::FuncOp function;
  mlir::Builder builder;
};

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_ENTRYFUNCTION_H
