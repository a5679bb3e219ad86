// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout of the beginning of a state's file, for its writer and its reader.
// How: safetensors: a u64 with the length of the header; the header, which is JSON; the tensors' bytes. The checksum
//      covers everything after the u64, except its own digits and the quote after them.

#ifndef NACRE_RUNTIME_SRC_STATE_FILE_HEADER_H
#define NACRE_RUNTIME_SRC_STATE_FILE_HEADER_H

#include "runtime/include/nacre/model_format.h"

namespace nacre::runtime {

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kMostHeaderBytes = 8 << 20; // Largest header of a state's file.
constexpr uint64_t kChecksumAt = kLengthBytes + sizeof NACRE_FILE_CHECKSUM - 1;
constexpr uint64_t kChecksumDigits = 8;

/// Returns the model's fingerprint as a JSON text, with its quotes.
inline const char *fingerprint_of(const nacre_model_table &model) {
  return model.strings + model.file_head + sizeof NACRE_FILE_CHECKSUM NACRE_FILE_FINGERPRINT - 1;
}

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_STATE_FILE_HEADER_H
