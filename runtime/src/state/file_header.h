// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a state's file begins with, for who writes it and who reads it.
// Why: they must mean the same bytes.
// How: safetensors: a u64, the length of the header; the header, which is JSON; the tensors' bytes. The checksum is of
//      all behind the u64 but its own digits and the quote behind them.

#ifndef NACRE_RUNTIME_SRC_STATE_FILE_HEADER_H
#define NACRE_RUNTIME_SRC_STATE_FILE_HEADER_H

#include "runtime/include/nacre/model_format.h"

namespace nacre::runtime {

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kMostHeaderBytes = 8 << 20; // a longer one is no state's
constexpr uint64_t kChecksumAt = kLengthBytes + sizeof NACRE_FILE_CHECKSUM - 1;
constexpr uint64_t kChecksumDigits = 8;

/// In quotes.
inline const char *fingerprint_of(const nacre_model_table &model) {
  return model.strings + model.file_head + sizeof NACRE_FILE_CHECKSUM NACRE_FILE_FINGERPRINT - 1;
}

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_STATE_FILE_HEADER_H
