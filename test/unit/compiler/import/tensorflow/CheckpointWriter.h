// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A little writer of checkpoints, for tests: sorted tables, and the bundles of tensors that they index.

#ifndef NACRE_TEST_UNIT_COMPILER_IMPORT_TENSORFLOW_CHECKPOINTWRITER_H
#define NACRE_TEST_UNIT_COMPILER_IMPORT_TENSORFLOW_CHECKPOINTWRITER_H

#include "compiler/import/tensorflow/checkpoint/TensorBundle.h"

#include "tensorflow.pb.h"
#include <map>
#include <string>
#include <vector>

namespace nacre::importer::tensorflow_format {

struct TableOptions {
  size_t entriesInBlock = 16; ///< keys begin afresh every second entry
  bool isCompressed = false;
};

/// A table of these entries, in this order, whether it ascends or not.
std::string writeTable(const std::vector<std::pair<std::string, std::string>> &entries, TableOptions options = {});

class BundleWriter {
public:
  explicit BundleWriter(uint32_t numShards = 1) : data(numShards) {}

  /// Adds a tensor, to the given shard.
  tensorflow::BundleEntryProto &add(const std::string &key, tensorflow::DataType type, llvm::ArrayRef<int64_t> shape,
                                    const std::string &bytes, uint32_t shard = 0);
  tensorflow::BundleEntryProto &addFloats(const std::string &key, llvm::ArrayRef<int64_t> shape,
                                          llvm::ArrayRef<float> values, uint32_t shard = 0);
  tensorflow::BundleEntryProto &addStrings(const std::string &key, llvm::ArrayRef<int64_t> shape,
                                           llvm::ArrayRef<std::string> strings);

  std::string writeIndex(TableOptions options = {}) const;
  /// Reads what was written, as if it lay in files.
  mlir::FailureOr<std::unique_ptr<TensorBundle>> read(mlir::Location loc, TableOptions options = {}) const;

  tensorflow::BundleHeaderProto header;
  std::map<std::string, tensorflow::BundleEntryProto> entries;
  std::vector<std::string> data; ///< Bytes of each shard
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_TEST_UNIT_COMPILER_IMPORT_TENSORFLOW_CHECKPOINTWRITER_H
