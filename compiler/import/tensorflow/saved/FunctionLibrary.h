// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a graph: what calls of them come to, and which variables they write.
//
// Why:  functions call one another, and what looks small may come to millions of nodes, or never end. That is found before one
//       call is expanded.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_FUNCTIONLIBRARY_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_FUNCTIONLIBRARY_H

#include "mlir/IR/Location.h"
#include "tensorflow.pb.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"
#include <map>
#include <optional>

namespace nacre::importer::tensorflow_format {

/// Arguments that are variables, by their places, with the type of what is assigned.
using WrittenArguments = std::map<int, tensorflow::DataType>;

/// The names of what a node may call: its operator, and the functions that its attributes name.
llvm::SmallVector<llvm::StringRef> findCalled(const tensorflow::NodeDef &node);

class FunctionLibrary {
public:
  /// The graph must live as long.
  explicit FunctionLibrary(const tensorflow::GraphDef &graph);

  const tensorflow::FunctionDef *find(llvm::StringRef name) const;

  /// Refuses functions that call themselves, and calls that come to too many nodes or go too deep: of the graph's nodes, and
  /// in branches and bodies of loops. Errors are emitted at the call, in `modelLoc`.
  mlir::LogicalResult checkCalls(mlir::Location modelLoc);

  /// The variables that a call of the function may write, itself or by what it calls: those that are handed on as they are.
  /// Once the calls are checked.
  WrittenArguments findWritten(llvm::StringRef function);

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
    std::optional<WrittenArguments> written;
  };

  template <typename Nodes> mlir::FailureOr<Extent> measure(const Nodes &nodes, mlir::Location modelLoc);
  mlir::FailureOr<Extent> measure(Function &function, mlir::Location callLoc, mlir::Location modelLoc);
  WrittenArguments findWritten(const tensorflow::FunctionDef &function);

  const tensorflow::GraphDef &graph;
  llvm::StringMap<Function> functions;
  uint64_t maxNodes;
  unsigned numOpen = 0; ///< functions that are being measured
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_FUNCTIONLIBRARY_H
