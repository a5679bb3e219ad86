// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  in which order an epoch takes its examples.
// Why:   training must not see them in the order of the file, and must see them in the same order again when it is
//        resumed.
// How:   shuffled by the seed and the number of the epoch alone; or a file's rows, one for each epoch or one for all.

#ifndef NACRE_TOOLS_RUN_TRAINING_ORDER_H
#define NACRE_TOOLS_RUN_TRAINING_ORDER_H

#include "tools/run/tensors/Tensor.h"

namespace nacre::run {

/// The numbers from 0 to count - 1, shuffled (Fisher and Yates).
std::vector<uint32_t> shuffled(uint32_t count, uint64_t seed, uint64_t epoch);

class Order {
public:
  /// Of so many examples; `path` is empty, or a file of indices for so many epochs.
  Outcome open(uint32_t examples, uint64_t seed, const std::string &path, uint64_t epochs);
  /// How many examples an epoch has.
  uint64_t length() const { return file.view.count ? static_cast<uint64_t>(file.view.dims.back()) : examples; }
  std::vector<uint32_t> ofEpoch(uint64_t epoch) const;

private:
  uint32_t examples = 0;
  uint64_t seed = 0;
  FileTensor file;
};

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TRAINING_ORDER_H
