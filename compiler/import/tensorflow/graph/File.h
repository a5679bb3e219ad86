// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file of TensorFlow's messages, and the tensors inside it.
//
// What: parses a graph, a saved model or a part of one, written as bytes or as text, and gives any tensor as a constant.
// Why:  TensorFlow stores elements as bytes or as numbers of their type, and of equal ones at the end only the first; here
//       these become one. Elements that are dense in the file stay there.
// How:  WireScan leaves the elements' bytes in the file and says where they are; sizes are checked against shapes before
//       anything is touched or allocated. Text becomes bytes first.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_FILE_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_FILE_H

#include "compiler/import/protobuf/WireTensors.h"
#include "compiler/import/tensorflow/graph/Schema.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Location.h"
#include "tensorflow.pb.h"

namespace nacre::importer::tensorflow_format {

/// The element type that TensorFlow numbers `type`, or the one that it is a reference to; null where Nacre has none.
mlir::Type fromDataType(int type, mlir::MLIRContext *context);

/// TensorFlow's name of it: `float`, `string`, `resource`...
llvm::StringRef getDataTypeName(int type);

/// The sizes of a shape, kDynamic where one is open; nothing where even the rank is.
std::optional<llvm::SmallVector<int64_t>> readShape(const tensorflow::TensorShapeProto &shape);

/// One serialized message, its skeleton parsed, its tensors checked when they are read.
class TensorFlowFile {
public:
  explicit TensorFlowFile(FileBytes file);

  /// Scans and parses; errors are emitted at `loc`.
  mlir::LogicalResult parse(mlir::Location loc, WireRoot root, google::protobuf::Message &message);

  /// The elements of `tensor`, which must come from this file, as a constant called `name`; errors are emitted at `loc`.
  mlir::FailureOr<mlir::ElementsAttr> readConstant(const tensorflow::TensorProto &tensor, llvm::StringRef name,
                                                   mlir::Location loc);

private:
  /// As many elements as the type says: the last is repeated.
  mlir::FailureOr<mlir::ElementsAttr> expand(StoredTensor stored, llvm::StringRef name, mlir::Location loc);

  FileBytes file;
  WireTensors elements;
};

/// The bytes of a message that is written as text; errors are emitted at `loc`.
mlir::FailureOr<FileBytes> encodeText(llvm::StringRef text, WireRoot root, mlir::Location loc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_FILE_H
