// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weights of Caffe's layers, which lie in a file of their own.
//
// How:  WireScan leaves the elements in the file, of which they are views. Layers are found by name; of layers with one name the
//       first takes the first layer's weights in the file.

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
  /// Errors are emitted at `loc`, which is the network's, and name the file of weights, `fileName`.
  Weights(FileBytes file, llvm::StringRef fileName, mlir::Location loc);

  /// Scans and parses.
  mlir::LogicalResult read();

  /// How many blobs the layer has, of those with its name the one after `occurrence` others.
  size_t countBlobs(llvm::StringRef layer, size_t occurrence) const;
  /// One of them as a constant that has the layer's name.
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
