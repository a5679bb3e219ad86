// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of a graph: the size of their calls, and the variables that they write.
//
// Functions call one another. A small graph may expand to millions of nodes, or without end. This is found before any
// call is expanded.

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

/// Arguments that are variables, by their places, with the type of the assigned value.
using WrittenArguments = std::map<int, tensorflow::DataType>;

/// Returns the names that a node may call: its operator, and the functions that its attributes name.
llvm::SmallVector<llvm::StringRef> findCalled(const tensorflow::NodeDef &node);

class FunctionLibrary {
public:
  /// `graph` must outlive the library.
  explicit FunctionLibrary(const tensorflow::GraphDef &graph);

  const tensorflow::FunctionDef *find(llvm::StringRef name) const;

  /// Refuses functions that call themselves, and calls that expand to too many nodes or nest too deeply. Checks the
  /// graph's nodes, and branches and loop bodies. Errors are emitted at the call, in `modelLoc`.
  mlir::LogicalResult checkCalls(mlir::Location modelLoc);

  /// Returns the variables that a call of the function may write, directly or through functions that it calls. They are
  /// arguments that are passed on unchanged. Call checkCalls first.
  WrittenArguments findWritten(llvm::StringRef function);

private:
  /// Size of nodes after all calls are expanded.
  struct Extent {
    uint64_t nodes = 0;
    unsigned depth = 0;
  };
  struct Function {
    const tensorflow::FunctionDef *proto;
    std::optional<Extent> extent;
    bool isOpen = false; ///< true while its extent is measured
    std::optional<WrittenArguments> written;
  };

  template <typename Nodes> mlir::FailureOr<Extent> measure(const Nodes &nodes, mlir::Location modelLoc);
  mlir::FailureOr<Extent> measure(Function &function, mlir::Location callLoc, mlir::Location modelLoc);
  WrittenArguments findWritten(const tensorflow::FunctionDef &function);

  const tensorflow::GraphDef &graph;
  llvm::StringMap<Function> functions;
  uint64_t maxNodes;
  unsigned numOpen = 0; ///< functions whose extents are being measured
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_FUNCTIONLIBRARY_H
