// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements TensorBundle.h.
//
// How:  1. the index,
//       2. bytes of an entry, with their checksum,
//       3. tensors in one piece,
//       4. tensors in slices,
//       5. strings.

#include "compiler/import/tensorflow/checkpoint/TensorBundle.h"

#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/options/Limits.h"
#include "compiler/import/protobuf/WireScan.h"
#include "compiler/import/tensorflow/checkpoint/Checksum.h"
#include "compiler/import/tensorflow/graph/File.h"
#include "dialects/PrintableText.h"
#include "dialects/StoredBytes.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include "mlir/IR/Diagnostics.h"
#include "tensorflow.pb.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Format.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {

/// Data of an entry, with the object that owns the data.
struct TensorBundle::Stored {
  StringRef bytes;
  FileBytes owner;
};

namespace {

constexpr uint64_t memoryFloor = 16 << 20;

InFlightDiagnostic emitTensorError(Location loc, StringRef key) {
  return emitError(loc) << "the checkpoint's tensor '" << toPrintable(key) << "' ";
}

/// Parses a message of the index. Before protobuf allocates memory, the message's size in memory is computed and
/// compared with the budget.
template <typename Proto> llvm::Error parseValue(StringRef value, WireRoot root, uint64_t memoryBudget, Proto &proto) {
  llvm::Expected<WireSkeleton> skeleton = scanWire(value, root, memoryBudget);
  if (!skeleton)
    return skeleton.takeError();
  if (!proto.ParsePartialFromArray(skeleton->bytes.data(), static_cast<int>(skeleton->bytes.size())))
    return llvm::createStringError("not an entry of a checkpoint; the file is damaged");
  return llvm::Error::success();
}

/// Returns `<prefix>.data-00000-of-00001`.
std::string nameShard(StringRef prefix, uint32_t shard, uint32_t numShards) {
  std::string name;
  llvm::raw_string_ostream(name) << prefix << llvm::format(".data-%05u-of-%05u", shard, numShards);
  return name;
}

} // namespace

//===----------------------------------------------------------------------===//
// 1. The index
//===----------------------------------------------------------------------===//

FailureOr<std::unique_ptr<TensorBundle>> TensorBundle::open(StringRef prefix, Location loc) {
  FailureOr<FileBytes> index = mapFile((prefix + ".index").str(), loc);
  if (failed(index))
    return failure();
  auto openShard = [prefix = prefix.str()](uint32_t shard, uint32_t numShards, Location loc) {
    return mapFile(nameShard(prefix, shard, numShards), loc);
  };
  return read(std::move(*index), openShard, loc);
}

FailureOr<std::unique_ptr<TensorBundle>> TensorBundle::read(FileBytes index, OpenShard openShard, Location loc) {
  uint64_t budget = 2 * index->getBufferSize() + memoryFloor;
  llvm::Expected<SortedTable> table = SortedTable::read(index->getBuffer(), budget);
  if (!table)
    return emitError(loc) << "the checkpoint's index: " << llvm::toString(table.takeError());
  std::unique_ptr<TensorBundle> bundle(new TensorBundle(std::move(index), std::move(openShard)));
  bundle->table = std::move(*table);
  if (failed(bundle->readHeader(loc)))
    return failure();
  return bundle;
}

LogicalResult TensorBundle::readHeader(Location loc) {
  constexpr int32_t maxShards = 65536;
  std::optional<StringRef> value = table.find("");
  if (!value)
    return emitError(loc) << "the checkpoint's index has no header; it is not a TensorFlow index";
  tensorflow::BundleHeaderProto header;
  if (llvm::Error error = parseValue(*value, WireRoot::BundleHeader, index->getBufferSize() + memoryFloor, header))
    return emitError(loc) << "the checkpoint's index: " << llvm::toString(std::move(error));
  if (header.endianness() != tensorflow::BundleHeaderProto::LITTLE)
    return emitError(loc) << "a checkpoint must be little-endian; write it again on a little-endian machine";
  if (header.num_shards() < 1 || header.num_shards() > maxShards)
    return emitError(loc) << "a checkpoint must have 1 to " << maxShards << " data files, but has "
                          << header.num_shards();
  numShards = header.num_shards();
  return success();
}

LogicalResult TensorBundle::parseEntry(StringRef key, tensorflow::BundleEntryProto &entry, Location loc) {
  std::optional<StringRef> value = key.empty() ? std::nullopt : table.find(key);
  if (!value)
    return emitTensorError(loc, key) << "does not exist";
  if (llvm::Error error = parseValue(*value, WireRoot::BundleEntry, index->getBufferSize() + memoryFloor, entry))
    return emitTensorError(loc, key) << "has a damaged entry: " << llvm::toString(std::move(error));
  return success();
}

//===----------------------------------------------------------------------===//
// 2. Bytes of an entry
//===----------------------------------------------------------------------===//

FailureOr<FileBytes> TensorBundle::getShard(uint32_t number, Location loc) {
  FileBytes &shard = shards[number];
  if (shard)
    return shard;
  FailureOr<FileBytes> opened = openShard(number, numShards, loc);
  if (failed(opened))
    return failure();
  shard = *opened;
  copyBudget += shard->getBufferSize() + memoryFloor;
  return shard;
}

FailureOr<TensorBundle::Stored> TensorBundle::getBytes(StringRef key, const tensorflow::BundleEntryProto &entry,
                                                       Location loc) {
  if (entry.shard_id() < 0 || static_cast<uint32_t>(entry.shard_id()) >= numShards)
    return emitTensorError(loc, key) << "must be in one of " << numShards << " data files, but is in number "
                                     << entry.shard_id();
  FailureOr<FileBytes> shard = getShard(entry.shard_id(), loc);
  if (failed(shard))
    return failure();
  StringRef all = (*shard)->getBuffer();
  auto offset = static_cast<uint64_t>(entry.offset()), size = static_cast<uint64_t>(entry.size());
  if (offset > all.size() || size > all.size() - offset)
    return emitTensorError(loc, key) << "has " << describeCount(entry.size(), "byte") << " from byte " << entry.offset()
                                     << ", but its file has " << all.size() << "; the file is truncated";
  return Stored{all.substr(offset, size), *shard};
}

/// Reports an error if the entry's masked checksum differs from `stored`. Each entry is checked only once.
LogicalResult TensorBundle::checkOnce(StringRef key, uint32_t stored, llvm::function_ref<uint32_t()> compute,
                                      Location loc) {
  if (!checked.insert(table.find(key)->data()).second || maskCrc(compute()) == stored)
    return success();
  return emitTensorError(loc, key) << "has a wrong checksum; the file is damaged";
}

//===----------------------------------------------------------------------===//
// 3. Tensors in one piece
//===----------------------------------------------------------------------===//

static FailureOr<RankedTensorType> readType(StringRef key, const tensorflow::BundleEntryProto &entry, Location loc) {
  Type elementType = fromDataType(entry.dtype(), loc.getContext());
  if (!elementType || (elementType.getIntOrFloatBitWidth() < 8 && !elementType.isInteger(1)))
    return emitTensorError(loc, key) << "has the element type '" << getDataTypeName(entry.dtype())
                                     << "', which is not supported";
  const auto &dims = entry.shape().dim();
  if (entry.shape().unknown_rank() || dims.size() > maxRank)
    return emitTensorError(loc, key) << "must have at most " << maxRank << " dimensions, but has "
                                     << (entry.shape().unknown_rank() ? "any number" : std::to_string(dims.size()));
  SmallVector<int64_t> shape;
  for (const tensorflow::TensorShapeProto::Dim &dim : dims)
    if (shape.emplace_back(dim.size()) < 0)
      return emitTensorError(loc, key) << "must have non-negative dimensions, but one is " << dim.size();
  if (!nn::countElements(shape))
    return emitTensorError(loc, key) << "does not fit into any memory";
  return RankedTensorType::get(shape, elementType);
}

FailureOr<StoredTensor> TensorBundle::readPiece(StringRef key, const tensorflow::BundleEntryProto &entry,
                                                RankedTensorType type, Location loc) {
  FailureOr<Stored> stored = getBytes(key, entry, loc);
  if (failed(stored))
    return failure();
  if (stored->bytes.size() != static_cast<uint64_t>(storedBytes(type)))
    return emitTensorError(loc, key) << "must have " << describeCount(storedBytes(type), "byte")
                                     << " for its shape and type, but has " << stored->bytes.size();
  if (failed(checkOnce(key, entry.crc32c(), [&] { return computeCrc32c(stored->bytes); }, loc)))
    return failure();
  return StoredTensor{type, ArrayRef(stored->bytes.data(), stored->bytes.size()), stored->owner};
}

FailureOr<StoredTensor> TensorBundle::readTile(const Tile &tile, Type elementType, Location loc) {
  tensorflow::BundleEntryProto entry;
  if (failed(parseEntry(tile.key, entry, loc)))
    return failure();
  FailureOr<RankedTensorType> type = readType(tile.key, entry, loc);
  if (failed(type))
    return failure();
  if (entry.slices_size() || type->getShape() != ArrayRef(tile.box.sizes) || type->getElementType() != elementType)
    return emitTensorError(loc, tile.key) << "must match the slice that its tensor declares, but does not";
  return readPiece(tile.key, entry, *type, loc);
}

//===----------------------------------------------------------------------===//
// 4. Tensors in slices
//===----------------------------------------------------------------------===//

/// True if the tiles do not overlap and cover `numElements` elements in total.
static bool doTile(ArrayRef<TensorBundle::Tile> tiles, int64_t numElements) {
  int64_t covered = 0;
  for (size_t index = 0; index < tiles.size(); ++index) {
    covered += ShapedType::getNumElements(tiles[index].box.sizes);
    for (const TensorBundle::Tile &other : tiles.take_front(index))
      if (covered > numElements || doOverlap(other.box, tiles[index].box))
        return false;
  }
  return covered == numElements;
}

FailureOr<std::vector<TensorBundle::Tile>> TensorBundle::readTiles(StringRef key,
                                                                   const tensorflow::BundleEntryProto &entry,
                                                                   ArrayRef<int64_t> shape, Location loc) {
  constexpr int maxSlices = 4096; // each slice is compared with all others, in quadratic time
  if (entry.slices_size() > maxSlices)
    return emitTensorError(loc, key) << "must be divided into at most " << maxSlices << " slices, but has "
                                     << entry.slices_size();
  std::vector<Tile> tiles;
  if (!entry.slices_size())
    tiles.push_back({makeWhole(shape), key.str()});
  for (const tensorflow::TensorSliceProto &slice : entry.slices()) {
    SmallVector<SliceExtent> extents;
    for (const auto &extent : slice.extent())
      extents.push_back({extent.start(), extent.has_length() ? extent.length() : SliceExtent::full});
    std::optional<Box> box = resolveSlice(extents, shape);
    if (!box)
      return emitTensorError(loc, key) << "has a slice outside of its shape, [" << shape << "]";
    tiles.push_back({std::move(*box), makeSliceKey(key, extents)});
  }
  if (!doTile(tiles, ShapedType::getNumElements(shape)))
    return emitTensorError(loc, key) << "must be divided into slices that cover each element once, but is not";
  return tiles;
}

FailureOr<StoredTensor> TensorBundle::assemble(StringRef key, ArrayRef<Tile> tiles, const Box &wanted, Type elementType,
                                               Location loc) {
  for (const Tile &tile : tiles)
    if (tile.box == wanted)
      return readTile(tile, elementType, loc);
  SmallVector<std::pair<const Box *, StoredTensor>> pieces;
  for (const Tile &tile : tiles) {
    if (isEmpty(intersect(tile.box, wanted)))
      continue;
    FailureOr<StoredTensor> piece = readTile(tile, elementType, loc);
    if (failed(piece))
      return failure();
    pieces.push_back({&tile.box, std::move(*piece)});
  }
  auto type = RankedTensorType::get(wanted.sizes, elementType);
  auto size = static_cast<uint64_t>(storedBytes(type));
  if (size > copyBudget)
    return emitTensorError(loc, key) << "is assembled from slices, for which " << copyBudget
                                     << " bytes are left, but it needs " << size;
  copyBudget -= size;
  std::shared_ptr<llvm::WritableMemoryBuffer> buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(size);
  for (const auto &[box, piece] : pieces)
    copyPart(intersect(*box, wanted), piece.bytes.data(), *box, buffer->getBufferStart(), wanted,
             bytesOfElement(elementType));
  ArrayRef<char> bytes(buffer->getBufferStart(), size);
  return StoredTensor{type, bytes, std::move(buffer)};
}

FailureOr<StoredTensor> TensorBundle::read(StringRef key, StringRef slice, Location loc) {
  tensorflow::BundleEntryProto entry;
  if (failed(parseEntry(key, entry, loc)))
    return failure();
  FailureOr<RankedTensorType> type = readType(key, entry, loc);
  if (failed(type))
    return failure();
  FailureOr<std::vector<Tile>> tiles = readTiles(key, entry, type->getShape(), loc);
  if (failed(tiles))
    return failure();
  std::optional<Box> wanted = makeWhole(type->getShape());
  if (!slice.empty()) {
    llvm::Expected<SliceSpec> spec = parseSliceSpec(slice);
    if (!spec)
      return emitTensorError(loc, key) << "has an invalid slice: " << llvm::toString(spec.takeError());
    wanted = resolveSlice(spec->extents, type->getShape());
    if (!wanted || ArrayRef(spec->shape) != type->getShape())
      return emitTensorError(loc, key) << "must have the part '" << slice << "', but has shape [" << type->getShape()
                                       << "]";
  }
  return assemble(key, *tiles, *wanted, type->getElementType(), loc);
}

//===----------------------------------------------------------------------===//
// 5. Strings
//===----------------------------------------------------------------------===//

/// Splits the data of an entry into strings. Returns the CRC that the entry's checksum must have, or nullopt if the
/// data ends too early. The CRC covers the lengths with 32 bits each, their checksum, and the characters.
static std::optional<uint32_t> splitStrings(StringRef bytes, uint64_t count, std::vector<StringRef> &strings) {
  auto addWord = [](uint32_t word, uint32_t crc) {
    char littleEndian[sizeof(word)];
    llvm::support::endian::write32le(littleEndian, word);
    return computeCrc32c(StringRef(littleEndian, sizeof(word)), crc);
  };
  uint32_t crc = 0;
  SmallVector<uint64_t, 0> lengths(count);
  for (uint64_t &length : lengths) {
    if (!takeVarint(bytes, length) || length > UINT32_MAX)
      return std::nullopt;
    crc = addWord(static_cast<uint32_t>(length), crc);
  }
  if (bytes.size() < sizeof(uint32_t) || maskCrc(crc) != llvm::support::endian::read32le(bytes.data()))
    return std::nullopt;
  crc = computeCrc32c(bytes.take_front(sizeof(uint32_t)), crc);
  bytes = bytes.drop_front(sizeof(uint32_t));
  for (uint64_t length : lengths) {
    if (length > bytes.size())
      return std::nullopt;
    strings.push_back(bytes.take_front(length));
    bytes = bytes.drop_front(length);
    crc = computeCrc32c(strings.back(), crc);
  }
  return bytes.empty() ? std::optional(crc) : std::nullopt;
}

FailureOr<std::vector<StringRef>> TensorBundle::readStrings(StringRef key, Location loc) {
  tensorflow::BundleEntryProto entry;
  if (failed(parseEntry(key, entry, loc)))
    return failure();
  if (entry.dtype() != tensorflow::DT_STRING || entry.slices_size())
    return emitTensorError(loc, key) << "must hold strings in one piece, but has the element type '"
                                     << getDataTypeName(entry.dtype()) << "'";
  FailureOr<Stored> stored = getBytes(key, entry, loc);
  if (failed(stored))
    return failure();
  // Each string has at least one byte in the file and about 30 bytes in memory.
  constexpr uint64_t maxStrings = 1 << 20;
  SmallVector<int64_t> shape;
  for (const tensorflow::TensorShapeProto::Dim &dim : entry.shape().dim())
    shape.push_back(dim.size());
  std::optional<int64_t> count;
  if (shape.size() <= maxRank && llvm::all_of(shape, [](int64_t dim) { return dim >= 0; }))
    count = nn::countElements(shape);
  if (!count || static_cast<uint64_t>(*count) > std::min(maxStrings, stored->bytes.size()))
    return emitTensorError(loc, key) << "must hold at most " << std::min(maxStrings, stored->bytes.size())
                                     << " strings, but has shape [" << shape << "]";
  std::vector<StringRef> strings;
  std::optional<uint32_t> crc = splitStrings(stored->bytes, *count, strings);
  if (!crc)
    return emitTensorError(loc, key) << "has damaged strings";
  if (failed(checkOnce(key, entry.crc32c(), [&] { return *crc; }, loc)))
    return failure();
  return strings;
}

} // namespace nacre::importer::tensorflow_format
