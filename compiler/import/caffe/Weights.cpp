// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights of Caffe's layers, which are in a separate file.

#include "compiler/import/caffe/Weights.h"

#include "compiler/import/caffe/Schema.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/options/Limits.h"
#include "dialects/StoredBytes.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"

using namespace mlir;

namespace nacre::importer::caffe_format {

constexpr uint32_t dataField = 5;

Weights::Weights(FileBytes bytes, StringRef fileName, Location loc)
    : file(std::move(bytes)), fileName(fileName), loc(loc),
      elements(file, getDecodeBudget(file->getBufferSize()), "packed floats") {}

InFlightDiagnostic Weights::error(Location where) const {
  InFlightDiagnostic result = emitError(where);
  result << "'" << fileName << "': ";
  return result;
}

LogicalResult Weights::read() {
  llvm::Expected<WireSkeleton> skeleton = scanWeights(file->getBuffer(), getStructureBudget(file->getBufferSize()));
  if (!skeleton)
    return error(loc) << llvm::toString(skeleton.takeError());
  if (!net.ParsePartialFromArray(skeleton->bytes.data(), static_cast<int>(skeleton->bytes.size())))
    return error(loc) << "not a Caffe weights file; the file is damaged";
  elements.setPayloads(std::move(skeleton->payloads));
  for (const caffe::V1LayerParameter &layer : net.layers()) {
    if (layer.blobs_size())
      layers[layer.name()].push_back(&layer.blobs());
    if (layer.layer().blobs_size())
      layers[layer.layer().name()].push_back(&layer.layer().blobs());
  }
  for (const caffe::LayerParameter &layer : net.layer())
    if (layer.blobs_size())
      layers[layer.name()].push_back(&layer.blobs());
  return success();
}

const Weights::Blobs *Weights::find(StringRef layer, size_t occurrence) const {
  auto found = layers.find(layer);
  return found != layers.end() && occurrence < found->second.size() ? found->second[occurrence] : nullptr;
}

size_t Weights::countBlobs(StringRef layer, size_t occurrence) const {
  const Blobs *blobs = find(layer, occurrence);
  return blobs ? static_cast<size_t>(blobs->size()) : 0;
}

/// Returns the shape of a blob. Blobs of the older form have four sizes. A blob without sizes and shape has one
/// element.
static SmallVector<int64_t> readShape(const caffe::BlobProto &blob) {
  if (blob.has_shape())
    return SmallVector<int64_t>(blob.shape().dim().begin(), blob.shape().dim().end());
  if (blob.has_num() || blob.has_channels() || blob.has_height() || blob.has_width())
    return {blob.num(), blob.channels(), blob.height(), blob.width()};
  return {};
}

FailureOr<ElementsAttr> Weights::readBlob(StringRef layer, size_t occurrence, size_t index) {
  Location loc = NameLoc::get(StringAttr::get(this->loc.getContext(), layer), this->loc);
  const caffe::BlobProto &blob = (*find(layer, occurrence))[static_cast<int>(index)];
  SmallVector<int64_t> shape = readShape(blob);
  if (shape.size() > maxRank || llvm::any_of(shape, [](int64_t dim) { return dim < 0; }) || !nn::countElements(shape))
    return error(loc) << "weights must have at most " << maxRank
                      << " non-negative dimensions and fit into memory, but do not";
  auto type = RankedTensorType::get(shape, Float32Type::get(loc.getContext()));
  uint64_t stored = 0;
  ArrayRef<WirePayload> chunks = elements.getPayloads(blob.payloads().begin(), blob.payloads().end());
  for (const WirePayload &chunk : chunks) {
    if (chunk.field != dataField)
      return error(loc) << "weights must be 32-bit floats, but are 64-bit; save them in the field 'data'";
    stored += chunk.length;
  }
  if (stored != static_cast<uint64_t>(storedBytes(type)))
    return error(loc) << "weights of type " << describe(type) << " must hold "
                      << describeCount(storedBytes(type), "byte") << ", but hold " << stored;
  FailureOr<StoredTensor> joined = elements.join(chunks, type, loc);
  if (failed(joined))
    return failure();
  return makeConstant(*joined, layer);
}

} // namespace nacre::importer::caffe_format
