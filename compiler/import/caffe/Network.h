// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Caffe network as its text describes it, checked.
//
// Layers of the phase TEST in the order of the text, with values that are defined once. A text names blobs, which
// layers may overwrite in place. It may contain layers of training, and layers of older forms. Old layers become new
// ones (OldForms.h). Each blob that is overwritten becomes several values. The last one has the blob's name, because it
// may be an output; an input always has its name.

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

/// Layer that is computed. A layer with several bottoms and one top for each becomes several of these.
struct NetworkLayer {
  const caffe::LayerParameter *proto;
  llvm::StringRef type;
  size_t occurrence; ///< number of earlier layers with the same name
  llvm::SmallVector<llvm::StringRef> operands, results;
};

/// True if layers of that type read training data.
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

  /// Reads the text of a network. Errors are emitted at `loc`.
  mlir::LogicalResult read(llvm::StringRef text, mlir::Location loc);

  llvm::ArrayRef<NetworkInput> getInputs() const { return inputs; }
  llvm::ArrayRef<llvm::StringRef> getOutputs() const { return outputs; }
  llvm::ArrayRef<NetworkLayer> getLayers() const { return layers; }
  /// Returns the blob of that name, or the only top of the layer of that name; `name` itself if there is neither.
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
    size_t definitions = 0, defined = 0; ///< number of definitions by layers: in total, and so far
    llvm::StringRef value;               ///< current value of the name; empty before it has one
    bool isInput = false;
  };

  caffe::NetParameter net;
  llvm::SmallVector<NetworkInput> inputs;
  llvm::SmallVector<llvm::StringRef> outputs;
  llvm::SmallVector<NetworkLayer> layers;
  llvm::StringMap<Blob> blobs;
  llvm::StringMap<size_t> layerNames;
  llvm::StringSet<> stages;   ///< stages of the network's state
  llvm::StringSet<> silenced; ///< values that are not outputs
  llvm::BumpPtrAllocator memory;
  llvm::UniqueStringSaver names{memory};
};

} // namespace nacre::importer::caffe_format

#endif // NACRE_COMPILER_IMPORT_CAFFE_NETWORK_H
