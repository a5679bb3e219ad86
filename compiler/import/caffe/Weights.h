// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights of Caffe's layers, which are in a separate file.
//
// WireScan leaves the elements in the file, and tensors are views of it. Layers are found by name. If several layers
// have the same name, they are matched in order.

#ifndef NACRE_COMPILER_IMPORT_CAFFE_WEIGHTS_H
#define NACRE_COMPILER_IMPORT_CAFFE_WEIGHTS_H

#include "compiler/import/protobuf/WireTensors.h"

#include "caffe.pb.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringMap.h"

namespace nacre::importer::caffe_format {

class Weights {
public:
  /// Creates the weights without reading them. Emits errors at `loc`, the location of the network; they name
  /// `fileName`, the file of weights.
  Weights(FileBytes file, llvm::StringRef fileName, mlir::Location loc);

  /// Scans and parses the file.
  mlir::LogicalResult read();

  /// Returns the number of blobs of a layer. `occurrence` is the number of earlier layers with the same name.
  size_t countBlobs(llvm::StringRef layer, size_t occurrence) const;
  /// Returns blob `index` of that layer as a constant with the layer's name.
  mlir::FailureOr<mlir::ElementsAttr> readBlob(llvm::StringRef layer, size_t occurrence, size_t index);

private:
  using Blobs = google::protobuf::RepeatedPtrField<caffe::BlobProto>;
  const Blobs *find(llvm::StringRef layer, size_t occurrence) const;

  mlir::InFlightDiagnostic error(mlir::Location where) const;

  FileBytes file;
  std::string fileName;
  mlir::Location loc;
  WireTensors elements;
  caffe::NetParameter net;
  llvm::StringMap<llvm::SmallVector<const Blobs *, 1>> layers;
};

} // namespace nacre::importer::caffe_format

#endif // NACRE_COMPILER_IMPORT_CAFFE_WEIGHTS_H
