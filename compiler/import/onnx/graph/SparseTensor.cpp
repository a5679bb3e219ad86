// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of which a file stores only the nonzero elements. A position is one integer in row-major order, or one
// integer per axis.

#include "compiler/import/onnx/graph/SparseTensor.h"

#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/options/Limits.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include "llvm/Support/Endian.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Positions
//===----------------------------------------------------------------------===//

/// Coordinates of all elements, one element after the other.
using Places = std::vector<int64_t>;

/// Appends the coordinates of the row-major position `place` in a tensor of `shape`.
void unravel(int64_t place, ArrayRef<int64_t> shape, Places &places) {
  size_t first = places.size();
  places.resize(first + shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    places[first + axis] = place % shape[axis];
    place /= shape[axis];
  }
}

FailureOr<Places> readPlaces(const StoredTensor &indices, ArrayRef<int64_t> shape, int64_t count, Location loc) {
  ArrayRef<int64_t> given = indices.type.getShape();
  auto rank = static_cast<int64_t>(shape.size());
  bool isLinear = given.size() == 1, isByAxis = given.size() == 2 && given[1] == rank;
  if (!indices.type.getElementType().isSignlessInteger(64) || (!isLinear && !isByAxis) || given[0] != count)
    return emitError(loc) << "the indices of a sparse tensor must be int64, one for each of " << count
                          << " elements or one for each of their " << describeCount(rank, "axis") << ", but are "
                          << describe(indices.type);
  int64_t size = *nn::countElements(shape), last = -1;
  Places places;
  for (int64_t element = 0; element < count; ++element) {
    int64_t place = 0;
    bool isInside = true;
    for (int64_t axis = 0; axis < (isLinear ? 1 : rank); ++axis) {
      int64_t index =
          llvm::support::endian::read64le(indices.bytes.data() + (element * (isLinear ? 1 : rank) + axis) * 8);
      isInside &= index >= 0 && index < (isLinear ? size : shape[axis]);
      place = isLinear || !isInside ? index : place * shape[axis] + index;
    }
    if (!isInside || place <= last)
      return emitError(loc) << "the indices of a sparse tensor must ascend and lie within " << describeShape(shape)
                            << ", but those of element " << element << " do not";
    last = place;
    unravel(place, shape, places);
  }
  return places;
}

//===----------------------------------------------------------------------===//
// 2. Elements
//===----------------------------------------------------------------------===//

DenseElementsAttr toDense(const StoredTensor &tensor) {
  if (!tensor.type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(tensor.type, tensor.bytes);
  SmallVector<bool> elements;
  for (char byte : tensor.bytes)
    elements.push_back(byte != 0);
  return DenseElementsAttr::get(tensor.type, elements);
}

} // namespace

FailureOr<ElementsAttr> readSparse(OnnxFile &file, const onnx::SparseTensorProto &sparse, Location loc) {
  SmallVector<int64_t> shape(sparse.dims().begin(), sparse.dims().end());
  if (shape.empty() || static_cast<int64_t>(shape.size()) > maxRank ||
      llvm::any_of(shape, [](int64_t dim) { return dim < 0; }) || !nn::countElements(shape))
    return emitError(loc) << "the dimensions of a sparse tensor must be 1 to " << maxRank
                          << " non-negative sizes that fit into memory, but are not";
  FailureOr<StoredTensor> values = file.read(sparse.values(), loc), indices = file.read(sparse.indices(), loc);
  if (failed(values) || failed(indices))
    return failure();
  if (values->type.getRank() != 1)
    return emitError(loc) << "the values of a sparse tensor must have one axis, but are " << describe(values->type);
  int64_t count = values->type.getNumElements();
  auto type = RankedTensorType::get(shape, values->type.getElementType());
  FailureOr<Places> places = readPlaces(*indices, shape, count, loc);
  if (failed(places))
    return failure();
  if (count == 0)
    return ElementsAttr(cast<ElementsAttr>(Builder(loc.getContext()).getZeroAttr(type)));
  auto placesType =
      RankedTensorType::get({count, static_cast<int64_t>(shape.size())}, IntegerType::get(loc.getContext(), 64));
  auto where = DenseIntElementsAttr::get(placesType, ArrayRef<int64_t>(*places));
  return ElementsAttr(SparseElementsAttr::get(type, where, toDense(*values)));
}

} // namespace nacre::importer::onnx_format
