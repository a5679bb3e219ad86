// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file of serialized ONNX, and the tensors inside it.
//
// What: parses a model or a single tensor, and gives the elements of any tensor as dense bytes.
// Why:  ONNX stores elements in seven ways (raw, four kinds of typed lists, a second file, nothing at all); here they
//       become one. Elements that are dense in the file stay there: a view of the mapping, whatever its address.
// How:  WireScan leaves the elements' bytes in the file and says where they are; sizes are checked against shapes
//       before anything is touched or allocated.

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

/// The element type that ONNX numbers `dataType`, or null when Nacre has no such type: one that is computed with, or any,
/// narrow ones too (NarrowTypes.h).
mlir::Type fromDataType(int64_t dataType, mlir::MLIRContext *context);
mlir::Type fromStoredDataType(int64_t dataType, mlir::MLIRContext *context);

/// The name of ONNX's element type `dataType`.
llvm::StringRef getElementTypeName(int64_t dataType);

/// A serialized ModelProto or TensorProto, its skeleton parsed, its tensors checked when they are read.
class OnnxFile {
public:
  /// `folder` is where external data must lie; empty when there is none.
  OnnxFile(FileBytes file, std::string folder);

  /// Scans and parses; diagnostics are emitted at `loc`.
  mlir::LogicalResult parseModel(mlir::Location loc, onnx::ModelProto &model);
  mlir::LogicalResult parseTensor(mlir::Location loc, onnx::TensorProto &tensor);

  /// The elements of `tensor`, which must come from this file. Diagnostics are emitted at `loc`.
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
