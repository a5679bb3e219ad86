// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checkpoint of TensorFlow: its tensors by name.
//
// A checkpoint has `<prefix>.index`, a sorted table with one entry for each tensor. The bytes of the tensors are in
// `<prefix>.data-00000-of-00001` and further shards. Weights are not copied: a tensor that is stored in one piece
// refers to the mapped file. A tensor's checksum is checked when the tensor is first read. So tensors that the model
// does not need are never read. An entry has the type, shape, shard and offset of a tensor. A partitioned variable has
// an entry for the whole tensor, which lists the slices, and one entry for each slice (Slices.h).

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CHECKPOINT_TENSORBUNDLE_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CHECKPOINT_TENSORBUNDLE_H

#include "compiler/import/files/StoredTensor.h"
#include "compiler/import/tensorflow/checkpoint/Slices.h"
#include "compiler/import/tensorflow/checkpoint/SortedTable.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <functional>

namespace tensorflow {
class BundleEntryProto;
} // namespace tensorflow

namespace nacre::importer::tensorflow_format {

class TensorBundle {
public:
  /// Opens the shard with index `shard` of `numShards` shards. Errors are emitted at `loc`.
  using OpenShard = std::function<mlir::FailureOr<FileBytes>(uint32_t shard, uint32_t numShards, mlir::Location loc)>;

  /// Opens the checkpoint whose files begin with `prefix`. Errors are emitted at `loc`.
  static mlir::FailureOr<std::unique_ptr<TensorBundle>> open(llvm::StringRef prefix, mlir::Location loc);

  /// Opens a checkpoint whose index is in memory.
  static mlir::FailureOr<std::unique_ptr<TensorBundle>> read(FileBytes index, OpenShard openShard, mlir::Location loc);

  bool contains(llvm::StringRef key) const { return table.find(key).has_value(); }

  /// Returns all entries, which are tensors and slices, with their keys.
  llvm::ArrayRef<SortedTable::Entry> getEntries() const { return table.getEntries(); }

  /// Returns the tensor with the key `key`, or a part of it. `slice` is the text of a SliceSpec, or "" for the whole
  /// tensor.
  mlir::FailureOr<StoredTensor> read(llvm::StringRef key, llvm::StringRef slice, mlir::Location loc);

  /// Returns the elements of a tensor of strings. They refer to the mapped file.
  mlir::FailureOr<std::vector<llvm::StringRef>> readStrings(llvm::StringRef key, mlir::Location loc);

  /// Slice of a tensor, or a whole tensor, and the key of its entry.
  struct Tile {
    Box box;
    std::string key;
  };

private:
  struct Stored;

  TensorBundle(FileBytes index, OpenShard openShard) : index(std::move(index)), openShard(std::move(openShard)) {}

  mlir::LogicalResult readHeader(mlir::Location loc);
  mlir::LogicalResult parseEntry(llvm::StringRef key, tensorflow::BundleEntryProto &entry, mlir::Location loc);
  mlir::FailureOr<FileBytes> getShard(uint32_t number, mlir::Location loc);
  mlir::FailureOr<Stored> getBytes(llvm::StringRef key, const tensorflow::BundleEntryProto &entry, mlir::Location loc);
  mlir::LogicalResult checkOnce(llvm::StringRef key, uint32_t stored, llvm::function_ref<uint32_t()> compute,
                                mlir::Location loc);
  mlir::FailureOr<StoredTensor> readPiece(llvm::StringRef key, const tensorflow::BundleEntryProto &entry,
                                          mlir::RankedTensorType type, mlir::Location loc);
  mlir::FailureOr<std::vector<Tile>> readTiles(llvm::StringRef key, const tensorflow::BundleEntryProto &entry,
                                               llvm::ArrayRef<int64_t> shape, mlir::Location loc);
  mlir::FailureOr<StoredTensor> readTile(const Tile &tile, mlir::Type elementType, mlir::Location loc);
  mlir::FailureOr<StoredTensor> assemble(llvm::StringRef key, llvm::ArrayRef<Tile> tiles, const Box &wanted,
                                         mlir::Type elementType, mlir::Location loc);

  FileBytes index;
  OpenShard openShard;
  SortedTable table;
  uint32_t numShards = 0;
  llvm::DenseMap<uint32_t, FileBytes> shards; ///< shards opened so far
  llvm::DenseSet<const char *> checked;       ///< values of the entries whose checksums were checked
  uint64_t copyBudget = 0;                    ///< number of bytes that may still be allocated to join slices
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CHECKPOINT_TENSORBUNDLE_H
