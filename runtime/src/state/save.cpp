// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements nacre_state_save.
// Why: a phone may lose power, and the system may end an app, at any moment. The previous file must survive that.
// How: writes a temporary file next to the old one, flushes it to the disk, and renames it. The checksum is written
//      into the header last, because tensors are unpacked while they are written.

#include "runtime/src/allocator.h"
#include "runtime/src/platform.h"
#include "runtime/src/state.h"
#include "runtime/src/state/checksum.h"
#include "runtime/src/state/file_header.h"
#include "runtime/src/state/stored.h"

namespace nacre::runtime {
namespace {

/// Appends texts to a buffer. The caller provides enough room.
struct Writer {
  char *to;

  __attribute__((noinline)) Writer &operator<<(const char *text) {
    while (*text)
      *to++ = *text++;
    return *this;
  }
  __attribute__((noinline)) Writer &operator<<(uint64_t number) {
    Reason digits;
    digits << number;
    return *this << digits.c_str();
  }
};

/// Iterates over the variables with one of `roles`, in the order of the file.
struct FileOrder {
  const nacre_model_table &model;
  const uint32_t roles;
  uint32_t index = 0;

  const nacre_variable *next() {
    while (index < model.variable_count) {
      const nacre_variable &variable = model.variables[model.variables[index++].in_file];
      if ((variable.role & roles) != 0)
        return &variable;
    }
    return nullptr;
  }
};

/// Writes the beginning of the file, up to the tensors' data, to `buffer`. Returns its size in bytes.
uint64_t write_header(const State &state, uint32_t roles, char *buffer) {
  const nacre_model_table &model = *state.model;
  Writer writer = {buffer + kLengthBytes};
  writer << model.strings + model.file_head;
  if (model.step_counter) {
    uint64_t steps;
    __builtin_memcpy(&steps, state.data + model.variables[model.step_counter - 1].offset, sizeof steps);
    writer << steps << "\"";
  }
  writer << "}";
  uint64_t begin = 0;
  FileOrder order = {model, roles};
  while (const nacre_variable *variable = order.next()) {
    writer << "," << model.strings + variable->file_row << ",\"data_offsets\":[" << begin << ",";
    begin += variable->tensor.bytes;
    writer << begin << "]}";
  }
  writer << "}";
  while (uint64_t(writer.to - buffer) % NACRE_ALIGNMENT != 0)
    writer << " ";
  const uint64_t bytes = uint64_t(writer.to - buffer), length = bytes - kLengthBytes;
  __builtin_memcpy(buffer, &length, sizeof length); // Little endian, as on every machine that Nacre supports.
  return bytes;
}

/// Writes the file's contents. Returns 0, or the system's error.
long write_state(const State &state, uint32_t roles, char *buffer, long file) {
  uint64_t at = write_header(state, roles, buffer);
  long error = write_at(file, buffer, at, 0);
  Checksum sum;
  sum.add(buffer + kLengthBytes, buffer + kChecksumAt);
  sum.add(buffer + kChecksumAt + kChecksumDigits + 1, buffer + at);
  FileOrder order = {*state.model, roles};
  while (const nacre_variable *variable = order.next()) {
    const uint64_t bytes = variable->tensor.bytes;
    char *data = state.data + variable->offset;
    if (!is_stored_as_in_model(*variable)) {
      copy_stored(*state.model, *variable, data, buffer, /*packs=*/false);
      data = buffer;
    }
    sum.add(data, data + bytes);
    error = error ? error : write_at(file, data, bytes, at);
    at += bytes;
  }
  return error ? error : write_at(file, sum.text(), kChecksumDigits, kChecksumAt);
}

} // namespace

nacre_status save(State &state, const StateCall &call, Reason &reason) {
  const char *path = call.words[0].text();
  const auto roles = uint32_t(call.words[1].number);
  if (!FileOrder{*state.model, roles}.next()) {
    reason << "the model has no state of these roles";
    return NACRE_BAD_ARGUMENT;
  }
  const uint64_t made_at = state.model->file_buffer_bytes, buffer_bytes = made_at + sizeof(NewFile);
  nacre_status status;
  char *buffer = static_cast<char *>(allocate_block(state.allocator, buffer_bytes, reason, status));
  if (!buffer)
    return status;
  auto &made = *reinterpret_cast<NewFile *>(buffer + made_at);
  long error = begin_file(made, path);
  if (error >= 0)
    error = end_file(made, error, write_state(state, roles, buffer, error));
  state.allocator.release(state.allocator.user, buffer, buffer_bytes);
  return error ? refuse_file(error, "written", reason) : NACRE_OK;
}

} // namespace nacre::runtime
