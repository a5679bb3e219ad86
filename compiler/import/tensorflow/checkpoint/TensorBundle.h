// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checkpoint of TensorFlow: its tensors by name.
//
// What: `<prefix>.index`, a sorted table with one entry for each tensor, and the tensors' bytes in `<prefix>.data-00000-of-00001`
//       and further shards.
// Why:  weights are not copied: what is stored in one piece is a view of the mapped file. Each tensor's checksum is checked
//       when it is read first, so nothing is read for it that no model wants.
// How:  an entry says of what type and shape a tensor is, in which shard, and where its bytes are. A variable that was divided
//       has an entry of the whole, which lists the slices, and one for each slice (Slices.h).

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
  /// Gives the file of a shard, of so many; errors are emitted at the location.
  using OpenShard = std::function<mlir::FailureOr<FileBytes>(uint32_t shard, uint32_t numShards, mlir::Location loc)>;

  /// Opens the checkpoint whose files begin with `prefix`. Errors are emitted at `loc`.
  static mlir::FailureOr<std::unique_ptr<TensorBundle>> open(llvm::StringRef prefix, mlir::Location loc);

  /// The same for an index in memory.
  static mlir::FailureOr<std::unique_ptr<TensorBundle>> read(FileBytes index, OpenShard openShard, mlir::Location loc);

  bool contains(llvm::StringRef key) const { return table.find(key).has_value(); }

  /// The keys of all entries: of tensors, and of slices.
  llvm::ArrayRef<SortedTable::Entry> getEntries() const { return table.getEntries(); }

  /// The tensor of that key, or the part of it that `slice` tells (SliceSpec, as text; empty: all).
  mlir::FailureOr<StoredTensor> read(llvm::StringRef key, llvm::StringRef slice, mlir::Location loc);

  /// The elements of a tensor of strings, views of the mapped file.
  mlir::FailureOr<std::vector<llvm::StringRef>> readStrings(llvm::StringRef key, mlir::Location loc);

  /// A slice of a tensor, or all of it: the part, and the key of the entry that holds it.
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
  llvm::DenseMap<uint32_t, FileBytes> shards; ///< those that were opened
  llvm::DenseSet<const char *> checked;       ///< values of the entries whose checksum was found to be right
  uint64_t copyBudget = 0;                    ///< bytes that may still be allocated for parts that are put together
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CHECKPOINT_TENSORBUNDLE_H
