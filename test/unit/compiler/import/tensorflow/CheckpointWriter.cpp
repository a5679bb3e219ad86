// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A little writer of checkpoints, for tests.

#include "test/unit/compiler/import/tensorflow/CheckpointWriter.h"

#include "compiler/import/tensorflow/checkpoint/Checksum.h"

#include "llvm/Support/Endian.h"
#include <snappy.h>

using namespace llvm;

namespace nacre::importer::tensorflow_format {
namespace {

void putVarint(uint64_t value, std::string &to) {
  for (; value > 127; value >>= 7)
    to.push_back(static_cast<char>(value | 128));
  to.push_back(static_cast<char>(value));
}

void putWord(uint32_t value, std::string &to) {
  char bytes[4];
  support::endian::write32le(bytes, value);
  to.append(bytes, sizeof(bytes));
}

using Entries = ArrayRef<std::pair<std::string, std::string>>;

std::string writeBlock(Entries entries) {
  constexpr size_t interval = 2;
  std::string block, before;
  std::vector<uint32_t> restarts;
  for (size_t index = 0; index < entries.size(); ++index) {
    const auto &[key, value] = entries[index];
    size_t shared = 0;
    if (index % interval == 0)
      restarts.push_back(static_cast<uint32_t>(block.size()));
    else
      while (shared < std::min(before.size(), key.size()) && before[shared] == key[shared])
        ++shared;
    putVarint(shared, block);
    putVarint(key.size() - shared, block);
    putVarint(value.size(), block);
    block += key.substr(shared) + value;
    before = key;
  }
  if (restarts.empty())
    restarts.push_back(0);
  for (uint32_t restart : restarts)
    putWord(restart, block);
  putWord(static_cast<uint32_t>(restarts.size()), block);
  return block;
}

/// Appends a block and gives its place, as files spell it.
std::string putBlock(std::string block, bool isCompressed, std::string &file) {
  if (isCompressed) {
    std::string compressed;
    snappy::Compress(block.data(), block.size(), &compressed);
    block = compressed;
  }
  std::string place;
  putVarint(file.size(), place);
  putVarint(block.size(), place);
  block.push_back(isCompressed ? 1 : 0);
  file += block;
  putWord(maskCrc(computeCrc32c(block)), file);
  return place;
}

} // namespace

std::string writeTable(const std::vector<std::pair<std::string, std::string>> &entries, TableOptions options) {
  std::string file;
  std::vector<std::pair<std::string, std::string>> places;
  Entries rest = entries;
  while (!rest.empty()) {
    Entries block = rest.take_front(options.entriesInBlock);
    rest = rest.drop_front(block.size());
    places.push_back({block.back().first, putBlock(writeBlock(block), options.isCompressed, file)});
  }
  std::string footer = putBlock(writeBlock({}), /*isCompressed=*/false, file);
  footer += putBlock(writeBlock(places), options.isCompressed, file);
  footer.resize(40);
  putWord(0x8b80fb57, footer);
  putWord(0xdb477524, footer);
  return file + footer;
}

tensorflow::BundleEntryProto &BundleWriter::add(const std::string &key, tensorflow::DataType type,
                                                ArrayRef<int64_t> shape, const std::string &bytes, uint32_t shard) {
  tensorflow::BundleEntryProto &entry = entries[key];
  entry.set_dtype(type);
  for (int64_t size : shape)
    entry.mutable_shape()->add_dim()->set_size(size);
  entry.set_shard_id(static_cast<int32_t>(shard));
  entry.set_offset(static_cast<int64_t>(data[shard].size()));
  entry.set_size(static_cast<int64_t>(bytes.size()));
  entry.set_crc32c(maskCrc(computeCrc32c(bytes)));
  data[shard] += bytes;
  return entry;
}

tensorflow::BundleEntryProto &BundleWriter::addFloats(const std::string &key, ArrayRef<int64_t> shape,
                                                      ArrayRef<float> values, uint32_t shard) {
  std::string bytes(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float));
  return add(key, tensorflow::DT_FLOAT, shape, bytes, shard);
}

tensorflow::BundleEntryProto &BundleWriter::addStrings(const std::string &key, ArrayRef<int64_t> shape,
                                                       ArrayRef<std::string> strings) {
  std::string bytes, summed;
  for (const std::string &text : strings) {
    putVarint(text.size(), bytes);
    putWord(static_cast<uint32_t>(text.size()), summed);
  }
  std::string checksum;
  putWord(maskCrc(computeCrc32c(summed)), checksum);
  bytes += checksum;
  summed += checksum;
  for (const std::string &text : strings) {
    bytes += text;
    summed += text;
  }
  tensorflow::BundleEntryProto &entry = add(key, tensorflow::DT_STRING, shape, bytes);
  entry.set_crc32c(maskCrc(computeCrc32c(summed)));
  return entry;
}

std::string BundleWriter::writeIndex(TableOptions options) const {
  tensorflow::BundleHeaderProto complete = header;
  if (complete.num_shards() == 0)
    complete.set_num_shards(static_cast<int32_t>(data.size()));
  std::vector<std::pair<std::string, std::string>> table = {{"", complete.SerializeAsString()}};
  for (const auto &[key, entry] : entries)
    table.push_back({key, entry.SerializeAsString()});
  return writeTable(table, options);
}

mlir::FailureOr<std::unique_ptr<TensorBundle>> BundleWriter::read(mlir::Location loc, TableOptions options) const {
  auto keep = [](const std::string &bytes) { return FileBytes(MemoryBuffer::getMemBufferCopy(bytes)); };
  auto openShard = [data = data, keep](uint32_t shard, uint32_t, mlir::Location) -> mlir::FailureOr<FileBytes> {
    return keep(data[shard]);
  };
  return TensorBundle::read(keep(writeIndex(options)), openShard, loc);
}

} // namespace nacre::importer::tensorflow_format
