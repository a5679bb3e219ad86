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
  explicit Weights(FileBytes file);

  /// Scans and parses; errors are emitted at `loc`.
  mlir::LogicalResult read(mlir::Location loc);

  /// How many blobs the layer has, of those with its name the one after `occurrence` others.
  size_t countBlobs(llvm::StringRef layer, size_t occurrence) const;
  /// One of them as a constant called `name`; errors are emitted at `loc`.
  mlir::FailureOr<mlir::ElementsAttr> readBlob(llvm::StringRef layer, size_t occurrence, size_t index,
                                               llvm::StringRef name, mlir::Location loc);

private:
  using Blobs = google::protobuf::RepeatedPtrField<caffe::BlobProto>;
  const Blobs *find(llvm::StringRef layer, size_t occurrence) const;

  FileBytes file;
  WireTensors elements;
  caffe::NetParameter net;
  llvm::StringMap<llvm::SmallVector<const Blobs *, 1>> layers;
};

} // namespace nacre::importer::caffe_format

#endif // NACRE_COMPILER_IMPORT_CAFFE_WEIGHTS_H
