// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a graph.
//
// Why:  functions call one another, and what looks small may come to millions of nodes, or never end. That is found before one
//       call is expanded.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_FUNCTIONLIBRARY_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_FUNCTIONLIBRARY_H

#include "mlir/IR/Location.h"
#include "tensorflow.pb.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/LogicalResult.h"
#include <optional>

namespace nacre::importer::tensorflow_format {

class FunctionLibrary {
public:
  /// The graph must live as long.
  explicit FunctionLibrary(const tensorflow::GraphDef &graph);

  const tensorflow::FunctionDef *find(llvm::StringRef name) const;

  /// Refuses functions that call themselves, and calls that come to too many nodes or go too deep: of the graph's nodes, and
  /// in branches and bodies of loops. Errors are emitted at the call, in `modelLoc`.
  mlir::LogicalResult checkCalls(mlir::Location modelLoc);

private:
  /// What nodes come to where calls are what they call.
  struct Extent {
    uint64_t nodes = 0;
    unsigned depth = 0;
  };
  struct Function {
    const tensorflow::FunctionDef *proto;
    std::optional<Extent> extent;
    bool isOpen = false; ///< its extent is being measured
  };

  template <typename Nodes> mlir::FailureOr<Extent> measure(const Nodes &nodes, mlir::Location modelLoc);
  mlir::FailureOr<Extent> measure(Function &function, mlir::Location callLoc, mlir::Location modelLoc);

  const tensorflow::GraphDef &graph;
  llvm::StringMap<Function> functions;
  uint64_t maxNodes;
  unsigned numOpen = 0; ///< functions that are being measured
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_FUNCTIONLIBRARY_H
