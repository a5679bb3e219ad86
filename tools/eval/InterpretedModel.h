// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model that the interpreter runs, with its inputs, outputs and state by name. nacre-eval and nacre-diff use it
// through ports, like nacre-run uses a library. The data of a port has the tensor's type. Outputs are also available
// with the interpreter's precision.

#ifndef NACRE_TOOLS_EVAL_INTERPRETEDMODEL_H
#define NACRE_TOOLS_EVAL_INTERPRETEDMODEL_H

#include "compiler/evaluate/Interpreter.h"
#include "compiler/options/CompilerOptions.h"
#include "tools/run/session/ModelSession.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace nacre::tools {

/// The node that computes an output, with the model's names.
struct Source {
  int64_t index = -1; ///< index of the node in the model, or -1 if no node computes the output
  std::string node, op;
};

class InterpretedModel {
public:
  /// Imports the model; messages go to the context.
  run::Outcome open(const CompilerOptions &options, const std::string &entry, mlir::MLIRContext &context);
  /// Computes the outputs and the new state from the current inputs.
  run::Outcome run(const evaluate::Settings &settings);

  std::vector<run::Port> inputs, outputs, states;
  std::vector<evaluate::Tensor>
      values;                     ///< elements of the outputs; floats are double, and data-dependent axes have their
                                  ///< maximum sizes
  std::vector<std::string> files; ///< files that the importer read
  std::vector<Source> sources;    ///< sources of the outputs; only set if intermediate values are kept

private:
  run::Port &addPort(std::vector<run::Port> &ports, llvm::StringRef name, mlir::Type type);
  static void show(run::Port &port, const evaluate::Tensor &tensor);
  void addOutput(unsigned result);
  evaluate::Tensor takeThere(unsigned result, llvm::ArrayRef<evaluate::Tensor> results) const;

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  std::vector<unsigned> outputNumbers;         ///< indices of the function's results
  std::vector<int> inputNumbers, stateNumbers; ///< indices of the function's arguments; -1 if the argument is of the
                                               ///< other kind
  std::map<std::string, evaluate::Tensor> stateValues;
  std::vector<std::vector<char>> bytes; ///< memory of the ports
};

} // namespace nacre::tools

#endif // NACRE_TOOLS_EVAL_INTERPRETEDMODEL_H
