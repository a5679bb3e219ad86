// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Serialized ONNX files, and the tensors inside them.
//
// Parses a model or a single tensor, and returns the elements of any tensor in dense form. ONNX stores elements in
// seven ways: raw, in four kinds of typed lists, in a second file, or not at all. Dense elements stay in the file as a
// view of the mapping, at any alignment. WireScan leaves their data in the file and returns its position. Sizes are
// checked against shapes before data is read or memory is allocated.

#ifndef NACRE_COMPILER_IMPORT_ONNX_GRAPH_FILE_H
#define NACRE_COMPILER_IMPORT_ONNX_GRAPH_FILE_H

#include "compiler/import/onnx/graph/Schema.h"
#include "compiler/import/protobuf/WireTensors.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "onnx.pb.h"
#include "llvm/ADT/StringMap.h"
#include <memory>

namespace nacre::importer::onnx_format {

/// Return the element type for ONNX's enumerator `dataType`, or null if Nacre has no such type. fromDataType returns
/// only types that support arithmetic. fromStoredDataType also returns narrow types (NarrowTypes.h).
mlir::Type fromDataType(int64_t dataType, mlir::MLIRContext *context);
mlir::Type fromStoredDataType(int64_t dataType, mlir::MLIRContext *context);

/// Returns the name of ONNX's element type `dataType`.
llvm::StringRef getElementTypeName(int64_t dataType);

/// Serialized ModelProto or TensorProto. Its structure is parsed; tensors are checked when they are read.
class OnnxFile {
public:
  /// Creates a reader for `file`. External data must be in `folder`; an empty `folder` allows no external data.
  OnnxFile(FileBytes file, std::string folder);

  /// Scan and parse the file. Emit errors at `loc`.
  mlir::LogicalResult parseModel(mlir::Location loc, onnx::ModelProto &model);
  mlir::LogicalResult parseTensor(mlir::Location loc, onnx::TensorProto &tensor);

  /// Returns the elements of `tensor`, which must come from this file. Emits errors at `loc`.
  mlir::FailureOr<StoredTensor> read(const onnx::TensorProto &tensor, mlir::Location loc);

private:
  template <typename Proto> mlir::LogicalResult parse(mlir::Location loc, WireRoot root, Proto &proto);
  mlir::FailureOr<StoredTensor> readExternal(const onnx::TensorProto &tensor, StoredTensor result, uint64_t size,
                                             mlir::Location loc);
  mlir::FailureOr<StoredTensor> decodeVarints(llvm::ArrayRef<WirePayload> chunks, mlir::RankedTensorType type,
                                              uint64_t size, mlir::Location loc);
  mlir::FailureOr<FileBytes> openExternal(llvm::StringRef location, mlir::Location loc);

  FileBytes file;
  std::string folder;
  WireTensors elements;
  llvm::StringMap<FileBytes> externalFiles;
};

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_GRAPH_FILE_H
