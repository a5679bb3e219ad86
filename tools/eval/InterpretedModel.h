// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a model that is run by the interpreter, with its inputs, outputs and state by name.
// Why:   nacre-eval and nacre-diff look at it as nacre-run looks at a library: through ports.
// How:   ports hold bytes of the tensor's own type, and each output its elements as they were computed beside them.

#ifndef NACRE_TOOLS_EVAL_INTERPRETEDMODEL_H
#define NACRE_TOOLS_EVAL_INTERPRETEDMODEL_H

#include "compiler/evaluate/Interpreter.h"
#include "compiler/options/CompilerOptions.h"
#include "tools/run/session/ModelSession.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace nacre::tools {

/// What computes an output, in the model's words.
struct Source {
  int64_t index = -1; ///< of the node in the model; -1 where no node computes it
  std::string node, op;
};

class InterpretedModel {
public:
  /// Imports the model; messages go to the context.
  run::Outcome open(const CompilerOptions &options, const std::string &entry, mlir::MLIRContext &context);
  /// Computes outputs and what the state becomes, of the inputs as they are.
  run::Outcome run(const evaluate::Settings &settings);

  std::vector<run::Port> inputs, outputs, states;
  std::vector<evaluate::Tensor>
      values; ///< of the outputs, floats in double; where a run decides sizes, with all that there may be
  std::vector<std::string> files; ///< that the import has read
  std::vector<Source> sources;    ///< of the outputs; known where values are kept

private:
  run::Port &addPort(std::vector<run::Port> &ports, llvm::StringRef name, mlir::Type type);
  static void show(run::Port &port, const evaluate::Tensor &tensor);
  void addOutput(unsigned result);
  evaluate::Tensor takeThere(unsigned result, llvm::ArrayRef<evaluate::Tensor> results) const;

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  std::vector<unsigned> outputNumbers;         ///< of the function's results
  std::vector<int> inputNumbers, stateNumbers; ///< of the function's arguments, -1: nobody's
  std::map<std::string, evaluate::Tensor> stateValues;
  std::vector<std::vector<char>> bytes; ///< of the ports
};

} // namespace nacre::tools

#endif // NACRE_TOOLS_EVAL_INTERPRETEDMODEL_H
