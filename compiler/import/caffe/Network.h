// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Caffe network as its text describes it, after checks.
//
// It has the layers of the phase TEST in the order of the text, and each value is defined once. A text names blobs,
// which layers may overwrite in place. It may also contain layers for training, and layers of older forms, which are
// converted (OldForms.h). A blob that is overwritten becomes several values. The last value has the blob's name,
// because it may be an output. But an input always keeps its name.

#ifndef NACRE_COMPILER_IMPORT_CAFFE_NETWORK_H
#define NACRE_COMPILER_IMPORT_CAFFE_NETWORK_H

#include "caffe.pb.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/StringSaver.h"
#include <optional>

namespace nacre::importer::caffe_format {

/// Layer that is computed. A layer with several bottoms and one top for each of them becomes several NetworkLayers.
struct NetworkLayer {
  const caffe::LayerParameter *proto;
  llvm::StringRef type;
  size_t occurrence; ///< number of earlier layers with the same name
  llvm::SmallVector<llvm::StringRef> operands, results;
};

/// True if layers of type `type` read training data.
bool isDataSource(llvm::StringRef type);

struct NetworkInput {
  llvm::StringRef name;
  std::optional<llvm::SmallVector<int64_t>> shape;
};

class Network {
public:
  Network() = default;
  Network(const Network &) = delete;
  Network &operator=(const Network &) = delete;

  /// Reads the text of a network. Emits errors at `loc`.
  mlir::LogicalResult read(llvm::StringRef text, mlir::Location loc);

  llvm::ArrayRef<NetworkInput> getInputs() const { return inputs; }
  llvm::ArrayRef<llvm::StringRef> getOutputs() const { return outputs; }
  llvm::ArrayRef<NetworkLayer> getLayers() const { return layers; }
  /// Returns the blob called `name`, or the only top of the layer called `name`. Returns `name` itself if there is
  /// neither.
  llvm::StringRef findBlob(llvm::StringRef name) const;

private:
  mlir::LogicalResult addDeclaredInputs(mlir::Location loc);
  mlir::LogicalResult addInput(llvm::StringRef name, const caffe::BlobShape *shape, mlir::Location loc);
  mlir::LogicalResult addLayer(const caffe::LayerParameter &layer, mlir::Location loc);
  mlir::FailureOr<llvm::StringRef> define(llvm::StringRef blob, const caffe::LayerParameter &layer, mlir::Location loc);
  void countDefinitions();
  bool isComputed(const caffe::LayerParameter &layer) const;
  void findOutputs();

  /// State of a blob while layers are added.
  struct Blob {
    size_t definitions = 0, defined = 0; ///< total number of definitions by layers, and their number so far
    llvm::StringRef value;               ///< value that the name stands for at present; empty before the first
                                         ///< definition
    bool isInput = false;
  };

  caffe::NetParameter net;
  llvm::SmallVector<NetworkInput> inputs;
  llvm::SmallVector<llvm::StringRef> outputs;
  llvm::SmallVector<NetworkLayer> layers;
  llvm::StringMap<Blob> blobs;
  llvm::StringMap<size_t> layerNames;
  llvm::StringSet<> stages;   ///< stages that are active in the network's state
  llvm::StringSet<> silenced; ///< values that a Silence layer consumes, so that they are not outputs
  llvm::BumpPtrAllocator memory;
  llvm::UniqueStringSaver names{memory};
};

} // namespace nacre::importer::caffe_format

#endif // NACRE_COMPILER_IMPORT_CAFFE_NETWORK_H
