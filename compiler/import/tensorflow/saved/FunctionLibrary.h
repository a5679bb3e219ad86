// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of a graph: the size of their calls, and the variables that they write.
//
// Functions call one another, so a small graph may expand to millions of nodes, or without end. Such graphs are refused
// before any call is expanded.

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

/// Type of the value that is assigned to each written argument, by the argument's index.
using WrittenArguments = std::map<int, tensorflow::DataType>;

/// Returns the names of functions that a node may call: its operator, and the functions that its attributes name.
llvm::SmallVector<llvm::StringRef> findCalled(const tensorflow::NodeDef &node);

class FunctionLibrary {
public:
  /// Reads the functions of `graph`, which must outlive the library.
  explicit FunctionLibrary(const tensorflow::GraphDef &graph);

  const tensorflow::FunctionDef *find(llvm::StringRef name) const;

  /// Reports an error if a function calls itself, or if calls expand to too many nodes or nest too deeply. Checks the
  /// graph's nodes, branches and loop bodies. Errors are emitted at the call, in `modelLoc`.
  mlir::LogicalResult checkCalls(mlir::Location modelLoc);

  /// Returns the arguments of the function that are variables and that a call may write, directly or through other
  /// functions. Requires checkCalls().
  WrittenArguments findWritten(llvm::StringRef function);

private:
  /// Size of a node or a function after all its calls are expanded.
  struct Extent {
    uint64_t nodes = 0;
    unsigned depth = 0;
  };
  struct Function {
    const tensorflow::FunctionDef *proto;
    std::optional<Extent> extent;
    bool isOpen = false; ///< true while the function's extent is being measured
    std::optional<WrittenArguments> written;
  };

  template <typename Nodes> mlir::FailureOr<Extent> measure(const Nodes &nodes, mlir::Location modelLoc);
  mlir::FailureOr<Extent> measure(Function &function, mlir::Location callLoc, mlir::Location modelLoc);
  WrittenArguments findWritten(const tensorflow::FunctionDef &function);

  const tensorflow::GraphDef &graph;
  llvm::StringMap<Function> functions;
  uint64_t maxNodes;
  unsigned numOpen = 0; ///< number of functions whose extents are being measured
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_FUNCTIONLIBRARY_H
