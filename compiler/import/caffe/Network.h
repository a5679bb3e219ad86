// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A network of Caffe as its text says it, checked.
//
// What: layers of the phase TEST in the order of the text, with values that have one definition each.
// Why:  a text names blobs, which layers may write in place; it may hold layers of training, and layers of the form before.
// How:  old layers become new ones (OldForms.h); each blob that is written again becomes a value of its own. The last value has the blob's
//       name, since an output may be among these; an input always has its name.

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

/// A layer that is computed. Layers with several bottoms of which each makes one top are several of these.
struct NetworkLayer {
  const caffe::LayerParameter *proto;
  llvm::StringRef type;
  size_t occurrence; ///< how many layers before it have its name
  llvm::SmallVector<llvm::StringRef> operands, results;
};

/// Whether layers of that type read what a network is trained with.
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

  /// Reads the text of a network; errors are emitted at `loc`.
  mlir::LogicalResult read(llvm::StringRef text, mlir::Location loc);

  llvm::ArrayRef<NetworkInput> getInputs() const { return inputs; }
  llvm::ArrayRef<llvm::StringRef> getOutputs() const { return outputs; }
  llvm::ArrayRef<NetworkLayer> getLayers() const { return layers; }
  /// The blob of that name, or the only top of the layer of that name; `name` itself if there is neither.
  llvm::StringRef findBlob(llvm::StringRef name) const;

private:
  mlir::LogicalResult addDeclaredInputs(mlir::Location loc);
  mlir::LogicalResult addInput(llvm::StringRef name, const caffe::BlobShape *shape, mlir::Location loc);
  mlir::LogicalResult addLayer(const caffe::LayerParameter &layer, mlir::Location loc);
  mlir::FailureOr<llvm::StringRef> define(llvm::StringRef blob, const caffe::LayerParameter &layer, mlir::Location loc);
  void countDefinitions();
  bool isComputed(const caffe::LayerParameter &layer) const;
  void findOutputs();

  /// What is known of a blob while layers are added.
  struct Blob {
    size_t definitions = 0, defined = 0; ///< by layers: in all, and so far
    llvm::StringRef value;               ///< that the name means now; empty where none was given
    bool isInput = false;
  };

  caffe::NetParameter net;
  llvm::SmallVector<NetworkInput> inputs;
  llvm::SmallVector<llvm::StringRef> outputs;
  llvm::SmallVector<NetworkLayer> layers;
  llvm::StringMap<Blob> blobs;
  llvm::StringMap<size_t> layerNames;
  llvm::StringSet<> stages;   ///< of the network's state
  llvm::StringSet<> silenced; ///< values that are no outputs
  llvm::BumpPtrAllocator memory;
  llvm::UniqueStringSaver names{memory};
};

} // namespace nacre::importer::caffe_format

#endif // NACRE_COMPILER_IMPORT_CAFFE_NETWORK_H
