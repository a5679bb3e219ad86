// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  tries a model of one node, of any format.
// Why:   whatever a node says, it is compiled, or refused in the format's words: never a phrase of MLIR, never a
//        failure of a later phase, which no user could mend. And wherever its import is stopped, it stops with an
//        error: a handler goes on with values that are null, and must read none of them (NnBuilder.h).

#ifndef NACRE_TEST_UNIT_COMPILER_NODETRIAL_H
#define NACRE_TEST_UNIT_COMPILER_NODETRIAL_H

#include "compiler/import/Import.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "gtest/gtest.h"
#include <map>
#include <string>

namespace nacre {

class NodeTrial : public testing::Test {
protected:
  NodeTrial();

  using Import = llvm::function_ref<mlir::OwningOpRef<mlir::ModuleOp>(const importer::ImportOptions &)>;
  using Describe = llvm::function_ref<std::string()>;

  /// Compiles up to the kernels; reports what a user must not meet. True where the node is compiled.
  bool compile(Import import, Describe describe);
  /// The same of a model in memory.
  bool compile(const std::string &bytes, Describe describe);

  /// Draws models of the operator `key` until some have been compiled, and at least `fewest`: `tryOne` compiles one. An
  /// operator whose operands go together in too many ways may be refused in all.
  void tryDraws(const std::string &key, int fewest, llvm::function_ref<bool()> tryOne, bool mayBeRefused = false);

  mlir::MLIRContext context;

private:
  mlir::OwningOpRef<mlir::ModuleOp> import(Import import, int64_t maxOperators, std::string &errors);
  void expectPlainWords(const std::string &errors, Describe describe);
  void stopEverywhere(Import import, Describe describe);

  int stopped = 0; ///< models of this operator that were stopped everywhere
};

} // namespace nacre

#endif // NACRE_TEST_UNIT_COMPILER_NODETRIAL_H
