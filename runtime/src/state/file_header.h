// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the header of a safetensors file: which tensors there are, and where. Written here, and read word by word.
// Why:   apps, Python and others read such files, and some come from others, who may err or mean ill.
// How:   u64 length, that much JSON, the tensors' bytes. The reader knows of JSON what such a header has, works in the
//        text itself, and neither allocates nor recurses.

#ifndef NACRE_RUNTIME_SRC_STATE_FILE_HEADER_H
#define NACRE_RUNTIME_SRC_STATE_FILE_HEADER_H

#include "runtime/include/nacre/model_format.h"
#include "runtime/src/state/state.h"

namespace nacre::runtime {

/// The header's own length is a u64 in front of it. A longer one is refused: it is no state's.
constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kMostHeaderBytes = 8 << 20;
constexpr uint64_t kHexOfChecksum = 8, kHexOfFingerprint = 16;

/// The variables of these roles, in the order of the file: elements of 8 bytes first, so that they are aligned there.
/// nullptr behind the last; `cursor` is 0 at first.
const nacre_variable *next_in_file(const nacre_model_table &model, uint32_t roles, uint32_t &cursor);

void write_hex(char *to, uint64_t number, uint64_t digits);

/// Writes the file's beginning, up to the tensors' bytes, or, where there is no `to`, counts its bytes. `checksum_at`:
/// where the checksum's digits are, which are zeros.
uint64_t write_header(const State &state, uint32_t roles, char *to, uint64_t &checksum_at);

/// Of all names, types, shapes and roles, in any order.
uint64_t fingerprint_of(const nacre_model_table &model);

/// A text in the header, not ended by 0.
struct Piece {
  const char *text = nullptr;
  uint64_t length = 0;

  bool is(const char *other) const;
};

/// The hexadecimal digits, so many; false if it is otherwise.
bool read_hex(const Piece &piece, uint64_t digits, uint64_t &number);

/// JSON, from where `at` points on; each member takes what it names, and is false where that is not there.
struct Json {
  char *at;
  char *const end;

  bool take(char c);
  bool take_text(Piece &piece); ///< Decodes it in place.
  bool take_name(Piece &piece); ///< And a colon.
  bool take_number(uint64_t &number);
  bool take_end();
};

/// What the header says of a tensor.
struct FileTensor {
  Piece name, type;
  char *shape; // its numbers, and the bracket behind them
  uint64_t begin, end;
};

/// Behind a name and its colon.
bool take_tensor(Json &json, FileTensor &tensor);

/// Whether the variable is in the file what it is in the model.
bool is_alike(const nacre_model_table &model, const nacre_variable &variable, const FileTensor &tensor,
              char *header_end);

/// A type as such files have it; "" where they have no name for it: the tensor is a list of its bytes, as U8.
const char *type_name(const nacre_variable &variable);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_STATE_FILE_HEADER_H
