// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  nacre_state_save.
// Why:   phones lose their battery, and systems end apps, at any moment; what was saved before must then still be there.
// How:   a new file beside the old one, brought to the disk, then given its name in one step. The checksum is written
//        last, into the header, because tensors are unpacked as they are written.

#include "runtime/src/allocator.h"
#include "runtime/src/platform.h"
#include "runtime/src/state/checksum.h"
#include "runtime/src/state/file_header.h"
#include "runtime/src/state/stored.h"

namespace nacre::runtime {
namespace {

constexpr size_t kMostPath = 4096;

/// Writes all but the name. 0, or the system's number of what went wrong.
long write_state(State &state, uint32_t roles, char *buffer, uint64_t header_bytes, long file) {
  uint64_t checksum_at = 0, at = header_bytes;
  write_header(state, roles, buffer, checksum_at);
  long result = write_at(file, buffer, header_bytes, 0);
  Checksum checksum;
  // Of the header all but the length and the checksum, with the quote behind it.
  const uint64_t behind = checksum_at + kHexOfChecksum + 1;
  checksum.add(buffer + kLengthBytes, checksum_at - kLengthBytes);
  checksum.add(buffer + behind, header_bytes - behind);
  uint32_t cursor = 0;
  while (const nacre_variable *variable = next_in_file(*state.model, roles, cursor)) {
    const uint64_t bytes = variable->tensor.bytes;
    char *data = state.data + variable->offset;
    if (result != 0)
      return result;
    if (!is_stored_as_in_model(*variable)) {
      copy_stored(*state.model, *variable, data, buffer, /*packs=*/false);
      data = buffer;
    }
    checksum.add(data, bytes);
    result = write_at(file, data, bytes, at);
    at += bytes;
  }
  write_hex(buffer, checksum.value(), kHexOfChecksum);
  if (result == 0)
    result = write_at(file, buffer, kHexOfChecksum, checksum_at);
  return result ? result : sync_file(file);
}

} // namespace

nacre_status save(State &state, const StateCall &call, Reason &reason) {
  uint64_t ignored;
  const uint64_t header_bytes = write_header(state, call.number, nullptr, ignored);
  uint64_t buffer_bytes = header_bytes;
  uint32_t cursor = 0;
  while (const nacre_variable *variable = next_in_file(*state.model, call.number, cursor))
    if (!is_stored_as_in_model(*variable) && variable->tensor.bytes > buffer_bytes)
      buffer_bytes = variable->tensor.bytes;
  char path[kMostPath];
  size_t length = 0;
  for (; call.text[length] && length < kMostPath - sizeof ".new"; ++length)
    path[length] = call.text[length];
  if (cursor == 0 || call.text[length]) {
    reason << "the path must be shorter";
    return NACRE_BAD_ARGUMENT;
  }
  copy_text(path + length, sizeof ".new", ".new");

  nacre_status status;
  char *buffer = static_cast<char *>(allocate_block(state.allocator, buffer_bytes, reason, status));
  if (!buffer)
    return status;
  long result = open_to_replace(path);
  if (result >= 0) {
    const long file = result;
    result = write_state(state, call.number, buffer, header_bytes, file);
    const long closed = close_file(file);
    result = result ? result : closed ? closed : move_file(path, call.text);
    if (result != 0)
      remove_file(path);
    while (length != 0 && path[length - 1] != '/')
      --length;
    path[length] = 0;
    result = result ? result : sync_folder(length ? path : ".");
  }
  state.allocator.release(state.allocator.user, buffer, buffer_bytes);
  if (result == 0)
    return NACRE_OK;
  reason << "the file cannot be written: " << FileError(result).c_str();
  return NACRE_FAILED;
}

} // namespace nacre::runtime
