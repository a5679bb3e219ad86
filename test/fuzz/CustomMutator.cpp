// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  tells libFuzzer how to change an input: three times of four as a model, else as bytes.

#include "test/fuzz/MutateModel.h"

#include <cstring>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  if (seed % 4 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string changed = mutateModel(std::string(reinterpret_cast<const char *>(data), size), seed);
  if (changed.size() > maxSize)
    return size;
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}
