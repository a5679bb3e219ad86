// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the order of examples in an epoch. Training must not use the order of the file, but a resumed training must
// use the same order again. So the order depends only on the seed and on the epoch. Alternatively, a file lists the
// order, with a row for each epoch or one row for all epochs.

#ifndef NACRE_TOOLS_RUN_TRAINING_ORDER_H
#define NACRE_TOOLS_RUN_TRAINING_ORDER_H

#include "tools/run/tensors/Tensor.h"

namespace nacre::run {

/// Returns the numbers from 0 to count - 1, shuffled (Fisher and Yates).
std::vector<uint32_t> shuffled(uint32_t count, uint64_t seed, uint64_t epoch);

class Order {
public:
  /// Prepares the order of `examples` examples. `path` is empty, or a file of indices for `epochs` epochs.
  Outcome open(uint32_t examples, uint64_t seed, const std::string &path, uint64_t epochs);
  /// Returns the number of examples in an epoch.
  uint64_t length() const { return file.view.count ? static_cast<uint64_t>(file.view.dims.back()) : examples; }
  std::vector<uint32_t> ofEpoch(uint64_t epoch) const;

private:
  uint32_t examples = 0;
  uint64_t seed = 0;
  FileTensor file;
};

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TRAINING_ORDER_H
