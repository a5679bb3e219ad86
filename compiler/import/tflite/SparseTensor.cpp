// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements SparseTensor.h.
//
// A tensor is cut into blocks along some of its axes. Its elements are the leaves of a tree. The tree has a level for
// each axis and for each axis of a block, in an order that the file contains. A node of a dense level has a child for
// each index. A node of a sparse level has the children that the level lists.
//
// How:  1. read and check the levels, 2. walk the tree level by level.

#include "compiler/import/tflite/SparseTensor.h"

#include "dialects/nn/IndexedCopy.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Levels
//===----------------------------------------------------------------------===//

struct Level {
  int64_t size;   ///< number of indices
  int64_t stride; ///< distance in the tensor from one index to the next, in elements
  bool isSparse;
  std::vector<int64_t> segments,
      indices; ///< only in sparse levels: position of the first child of each node, and the indices of all children
};

template <typename T> std::vector<int64_t> widen(ArrayRef<T> values) { return {values.begin(), values.end()}; }

std::vector<int64_t> readNumbers(schema::SparseIndexVector kind, const void *list) {
  switch (list ? kind : schema::SparseIndexVector_NONE) {
  case schema::SparseIndexVector_Int32Vector:
    return widen(toArray(static_cast<const schema::Int32Vector *>(list)->values()));
  case schema::SparseIndexVector_Uint16Vector:
    return widen(toArray(static_cast<const schema::Uint16Vector *>(list)->values()));
  case schema::SparseIndexVector_Uint8Vector:
    return widen(toArray(static_cast<const schema::Uint8Vector *>(list)->values()));
  default:
    return {};
  }
}

/// Returns the levels: axes whose indices count blocks, and axes inside a block. Fails if the parameters are
/// inconsistent.
FailureOr<std::vector<Level>> readLevels(const schema::Tensor &tensor) {
  const schema::SparsityParameters &sparsity = *tensor.sparsity();
  SmallVector<int64_t> shape = llvm::to_vector_of<int64_t>(toArray(tensor.shape()));
  ArrayRef<int32_t> order = toArray(sparsity.traversal_order()), blocks = toArray(sparsity.block_map());
  const size_t rank = shape.size(), count = rank + blocks.size();
  constexpr size_t most = 64;
  if (count > most || order.size() != count || !sparsity.dim_metadata() || sparsity.dim_metadata()->size() != count)
    return failure();
  SmallVector<size_t> levelOf(count, count);
  for (auto [level, axis] : llvm::enumerate(order)) {
    if (axis < 0 || static_cast<size_t>(axis) >= count || levelOf[axis] != count)
      return failure();
    levelOf[axis] = level;
  }
  std::vector<Level> levels(count);
  SmallVector<int64_t> strides = nn::rowMajorStrides(shape);
  auto metadata = [&](size_t axis) { return sparsity.dim_metadata()->Get(static_cast<uint32_t>(levelOf[axis])); };
  for (size_t block = 0; block < blocks.size(); ++block) {
    const int32_t axis = blocks[block];
    const int64_t size = metadata(rank + block)->dense_size();
    if (axis < 0 || static_cast<size_t>(axis) >= rank || size < 1 || shape[axis] % size)
      return failure();
    levels[levelOf[rank + block]] = {size, strides[axis], false, {}, {}};
    shape[axis] /= size;
    strides[axis] *= size;
  }
  for (size_t axis = 0; axis < count; ++axis) {
    const schema::DimensionMetadata &stated = *metadata(axis);
    Level &level = levels[levelOf[axis]];
    if (axis < rank)
      level = {shape[axis], strides[axis], stated.format() == schema::DimensionType_SPARSE_CSR, {}, {}};
    if (stated.format() == schema::DimensionType_SPARSE_CSR && axis < rank) {
      level.segments = readNumbers(stated.array_segments_type(), stated.array_segments());
      level.indices = readNumbers(stated.array_indices_type(), stated.array_indices());
    } else if (stated.format() != schema::DimensionType_DENSE || stated.dense_size() != level.size) {
      return failure();
    }
  }
  return levels;
}

//===----------------------------------------------------------------------===//
// 2. Elements
//===----------------------------------------------------------------------===//

/// True if a sparse level lists valid children for exactly `nodes` nodes.
bool isWhole(const Level &level, size_t nodes) {
  return level.segments.size() == nodes + 1 && level.segments.front() == 0 && llvm::is_sorted(level.segments) &&
         level.segments.back() == static_cast<int64_t>(level.indices.size()) &&
         llvm::all_of(level.indices, [&](int64_t index) { return index >= 0 && index < level.size; });
}

/// Returns the position of each leaf in the tensor. Fails if there are more than `most` leaves.
FailureOr<std::vector<int64_t>> findPlaces(ArrayRef<Level> levels, size_t most) {
  std::vector<int64_t> places{0};
  for (const Level &level : levels) {
    std::vector<int64_t> next;
    if (level.isSparse ? !isWhole(level, places.size())
                       : level.size > 0 && places.size() > most / static_cast<size_t>(level.size))
      return failure();
    for (size_t node = 0; node < places.size(); ++node) {
      const int64_t begin = level.isSparse ? level.segments[node] : 0,
                    end = level.isSparse ? level.segments[node + 1] : level.size;
      for (int64_t child = begin; child < end; ++child)
        next.push_back(places[node] + (level.isSparse ? level.indices[child] : child) * level.stride);
    }
    places = std::move(next);
  }
  return places;
}

} // namespace

FailureOr<std::vector<char>> expandSparse(const schema::Tensor &tensor, ArrayRef<char> stored, size_t width,
                                          ReportError error) {
  int64_t count = 1;
  for (int32_t size : toArray(tensor.shape()))
    count *= size;
  FailureOr<std::vector<Level>> levels = readLevels(tensor);
  FailureOr<std::vector<int64_t>> places = failure();
  if (succeeded(levels))
    places = findPlaces(*levels, static_cast<size_t>(count));
  if (failed(places) || places->size() * width != stored.size())
    return error() << "must have valid positions for its elements, but does not; convert the model without sparsity";
  std::vector<char> bytes(static_cast<size_t>(count) * width);
  for (auto [index, place] : llvm::enumerate(*places))
    llvm::copy(stored.slice(index * width, width),
               bytes.begin() + static_cast<ptrdiff_t>(static_cast<size_t>(place) * width));
  return bytes;
}

} // namespace nacre::importer::tflite_format
