// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file with one of TensorFlow's messages, and the tensors in it.
//
// A file has a graph, a saved model or a part of one, in binary or text form. Any of its tensors can be read as a
// constant. TensorFlow stores elements as bytes or as numbers of their type, and equal elements at the end only once.
// This class converts all forms to one. Dense elements are not copied: WireScan returns their positions in the file.
// Sizes are checked against shapes before anything is read or allocated. Text is first converted to bytes.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_FILE_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_FILE_H

#include "compiler/import/protobuf/WireTensors.h"
#include "compiler/import/tensorflow/graph/Schema.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Location.h"
#include "tensorflow.pb.h"

namespace nacre::importer::tensorflow_format {

/// Returns the element type of the tensorflow::DataType `type`, which may be a reference type. Returns null if Nacre
/// does not have the type.
mlir::Type fromDataType(int type, mlir::MLIRContext *context);

/// Returns TensorFlow's name of the tensorflow::DataType `type`, such as `float`, `string` or `resource`.
llvm::StringRef getDataTypeName(int type);

/// Returns the sizes of a shape, with kDynamic for unknown sizes. Returns nullopt if the rank is unknown.
std::optional<llvm::SmallVector<int64_t>> readShape(const tensorflow::TensorShapeProto &shape);

/// A serialized message. Its structure is parsed first. Its tensors are checked when they are read.
class TensorFlowFile {
public:
  explicit TensorFlowFile(FileBytes file);

  /// Scans and parses the file; errors are emitted at `loc`.
  mlir::LogicalResult parse(mlir::Location loc, WireRoot root, google::protobuf::Message &message);

  /// Returns the elements of `tensor`, which must come from this file, as a constant named `name`. Errors are emitted
  /// at `loc`.
  mlir::FailureOr<mlir::ElementsAttr> readConstant(const tensorflow::TensorProto &tensor, llvm::StringRef name,
                                                   mlir::Location loc);

private:
  /// Returns a constant with all elements of its type. The last stored element is repeated for the missing ones.
  mlir::FailureOr<mlir::ElementsAttr> expand(StoredTensor stored, llvm::StringRef name, mlir::Location loc);

  FileBytes file;
  WireTensors elements;
};

/// Converts a message in text form to bytes; errors are emitted at `loc`.
mlir::FailureOr<FileBytes> encodeText(llvm::StringRef text, WireRoot root, mlir::Location loc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_FILE_H
