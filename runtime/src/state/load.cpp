// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  nacre_state_load.
// Why:   a file may be cut off, damaged, of another model, or made by others; a state is never half of one.
// How:   one buffer: the header, and a state beside the state. That is filled, tensor by tensor as the header names them,
//        and checked; only then it is copied.

#include "runtime/src/allocator.h"
#include "runtime/src/platform.h"
#include "runtime/src/state/checksum.h"
#include "runtime/src/state/file_header.h"
#include "runtime/src/state/stored.h"

namespace nacre::runtime {
namespace {

constexpr uint64_t kChunkBytes = 64 << 10;

struct Load {
  State &state;
  const nacre_model_table &model;
  const uint32_t roles;
  /// What a network is, and no more; all else belongs to a certain training or sequence.
  const bool of_network_alone;
  Reason &reason;
  long file;
  uint64_t header_bytes, data_bytes;
  uint64_t read_bytes; // of the data, so far

  char *header;
  bool *found;   // of each variable
  char *beside;  // a state
  char *scratch; // for kChunkBytes, or the largest tensor that is stored otherwise than in the model
  bool needs_checksum, has_checksum, has_fingerprint;
  uint64_t checksum, fingerprint;
  Checksum sum;
};

nacre_status refuse(Load &load, const char *why) {
  load.reason << "the file must be a whole safetensors file, but " << why;
  return NACRE_BAD_ARGUMENT;
}

nacre_status refuse_header(Load &load) { return refuse(load, "its header is damaged"); }

nacre_status read(Load &load, char *to, uint64_t bytes, uint64_t offset) {
  const long error = load.file < 0 ? load.file : read_at(load.file, to, bytes, offset);
  if (error == 0)
    return NACRE_OK;
  load.reason << "the file cannot be read: " << FileError(error).c_str();
  return NACRE_FAILED;
}

/// The next bytes of the data.
nacre_status read_data(Load &load, char *to, uint64_t bytes) {
  if (nacre_status status = read(load, to, bytes, kLengthBytes + load.header_bytes + load.read_bytes))
    return status;
  load.sum.add(to, bytes);
  load.read_bytes += bytes;
  return NACRE_OK;
}

// --- 1. The buffer
// ---------------------------------------------------------------------------------------------------

nacre_status measure(Load &load) {
  const int64_t bytes = file_bytes(load.file);
  // What has no length has no header, either.
  if (nacre_status status = read(load, reinterpret_cast<char *>(&load.header_bytes), kLengthBytes, 0))
    return status;
  load.data_bytes = uint64_t(bytes) - kLengthBytes - load.header_bytes;
  if (load.header_bytes > uint64_t(bytes) - kLengthBytes || load.header_bytes > kMostHeaderBytes)
    return refuse(load, "it ends within its header, or that is of more than 8 MiB");
  return NACRE_OK;
}

/// Divides the buffer, or, where there is none yet, says how large it must be.
uint64_t lay_out(Load &load, char *buffer) {
  uint64_t scratch_bytes = kChunkBytes;
  for (uint32_t i = 0; i < load.model.variable_count; ++i) {
    const nacre_variable &variable = load.model.variables[i];
    if (!is_stored_as_in_model(variable) && variable.tensor.bytes > scratch_bytes)
      scratch_bytes = variable.tensor.bytes;
  }
  const uint64_t found = aligned(load.header_bytes), beside = found + aligned(load.model.variable_count);
  const uint64_t scratch = beside + aligned(load.model.state_bytes);
  if (buffer) {
    load.header = buffer;
    load.found = reinterpret_cast<bool *>(buffer + found);
    load.beside = buffer + beside;
    load.scratch = buffer + scratch;
  }
  return scratch + scratch_bytes;
}

// --- 2. The file
// -----------------------------------------------------------------------------------------------------

bool read_metadata(Load &load, Json &json) {
  if (!json.take('{'))
    return false;
  do {
    Piece key, value;
    if (json.take('}'))
      return true;
    if (!json.take_name(key) || !json.take_text(value))
      return false;
    if (key.is("format"))
      load.needs_checksum = value.is("nacre");
    if (key.is("crc32c")) {
      load.has_checksum = read_hex(value, kHexOfChecksum, load.checksum);
      load.sum.add(load.header, uint64_t(value.text - load.header)); // first of all, so nothing is decoded yet
      load.sum.add(json.at, uint64_t(json.end - json.at));
    }
    if (key.is("fingerprint"))
      load.has_fingerprint = read_hex(value, kHexOfFingerprint, load.fingerprint);
    // What has these must have them right.
    if ((key.is("crc32c") && !load.has_checksum) || (key.is("fingerprint") && !load.has_fingerprint))
      return false;
  } while (json.take(','));
  return json.take('}');
}

nacre_status skip_tensor(Load &load, const FileTensor &tensor) {
  while (load.read_bytes < tensor.end) {
    const uint64_t rest = tensor.end - load.read_bytes;
    if (nacre_status status = read_data(load, load.scratch, rest < kChunkBytes ? rest : kChunkBytes))
      return status;
  }
  return NACRE_OK;
}

nacre_status read_tensor(Load &load, const FileTensor &tensor, char *header_end) {
  if (tensor.begin != load.read_bytes || tensor.end > load.data_bytes)
    return refuse(load, "its tensors do not follow each other to its end");
  for (uint32_t i = 0; i < load.model.variable_count; ++i) {
    const nacre_variable &variable = load.model.variables[i];
    const char *name = load.model.strings + variable.tensor.name;
    if (!tensor.name.is(name))
      continue;
    if ((variable.role & load.roles) == 0)
      return skip_tensor(load, tensor);
    if (load.found[i] || !is_alike(load.model, variable, tensor, header_end)) {
      load.reason << "the file must have '" << name << "' once, and as the model has it, but has another type or shape";
      return NACRE_BAD_ARGUMENT;
    }
    load.found[i] = true;
    char *beside = load.beside + variable.offset, *to = is_stored_as_in_model(variable) ? beside : load.scratch;
    const nacre_status status = read_data(load, to, variable.tensor.bytes);
    if (to != beside)
      copy_stored(load.model, variable, beside, to, /*packs=*/true);
    return status;
  }
  for (uint64_t i = 0; i < tensor.name.length && load.of_network_alone; ++i)
    if (tensor.name.text[i] == '#') // an optimizer's
      return skip_tensor(load, tensor);
  char shown[96];
  uint64_t length = 0;
  for (; length < tensor.name.length && length + 1 < sizeof shown; ++length)
    shown[length] = static_cast<unsigned char>(tensor.name.text[length]) < 0x20 ? '?' : tensor.name.text[length];
  shown[length] = 0;
  load.reason << "the file must be of this model's state, but has '" << shown << "', which that has not";
  return NACRE_BAD_ARGUMENT;
}

nacre_status read_file(Load &load) {
  if (nacre_status status = read(load, load.header, load.header_bytes, kLengthBytes))
    return status;
  Json json = {load.header, load.header + load.header_bytes};
  if (!json.take('{'))
    return refuse_header(load);
  do {
    FileTensor tensor;
    if (!json.take_name(tensor.name))
      return refuse_header(load);
    if (tensor.name.is("__metadata__")) {
      if (!read_metadata(load, json))
        return refuse_header(load);
      continue;
    }
    if (!take_tensor(json, tensor))
      return refuse_header(load);
    if (nacre_status status = read_tensor(load, tensor, json.end))
      return status;
  } while (json.take(','));
  if (!json.take('}') || !json.take_end())
    return refuse_header(load);
  if (load.read_bytes != load.data_bytes)
    return refuse(load, "it goes on behind its tensors");
  if (load.has_checksum ? load.checksum != load.sum.value() : load.needs_checksum)
    return refuse(load, "its checksum is another");
  return NACRE_OK;
}

// --- 3. The state
// ----------------------------------------------------------------------------------------------------

nacre_status check(Load &load) {
  for (uint32_t i = 0; i < load.model.variable_count && !load.of_network_alone; ++i) {
    const nacre_variable &variable = load.model.variables[i];
    if (load.found[i] || (variable.role & load.roles) == 0)
      continue;
    load.reason << "the file must have '" << load.model.strings + variable.tensor.name
                << "', but has not; load weights and statistics alone, or another file";
    return NACRE_BAD_ARGUMENT;
  }
  if (load.has_fingerprint && !load.of_network_alone && load.fingerprint != fingerprint_of(load.model)) {
    load.reason << "the file must be of this model's state, but is of one with other tensors or another optimizer";
    return NACRE_BAD_ARGUMENT;
  }
  return NACRE_OK;
}

void commit(Load &load) {
  for (uint32_t i = 0; i < load.model.variable_count; ++i) {
    const nacre_variable &variable = load.model.variables[i];
    if (load.found[i])
      __builtin_memcpy(load.state.data + variable.offset, load.beside + variable.offset,
                       stored_bytes(load.model, variable));
  }
  ++load.state.writes;
}

} // namespace

nacre_status load(State &state, const StateCall &call, Reason &reason) {
  Load load = {state,       *state.model,
               call.number, (call.number & ~(NACRE_STATE_WEIGHT | NACRE_STATE_STATISTIC)) == 0,
               reason,      open_to_read(call.text),
               0,           0,
               0,           nullptr,
               nullptr,     nullptr,
               nullptr,     false,
               false,       false,
               0,           0,
               {}};
  if (load.file < 0)
    return read(load, nullptr, 1, 0);
  nacre_status status = measure(load);
  const uint64_t bytes = status == NACRE_OK ? lay_out(load, nullptr) : 0;
  char *buffer = bytes ? static_cast<char *>(allocate_block(state.allocator, bytes, reason, status)) : nullptr;
  if (buffer) {
    lay_out(load, buffer);
    __builtin_memset(load.found, 0, load.model.variable_count);
    status = read_file(load);
    if (status == NACRE_OK)
      status = check(load);
    if (status == NACRE_OK)
      commit(load);
    state.allocator.release(state.allocator.user, buffer, bytes);
  }
  close_file(load.file);
  return status;
}

} // namespace nacre::runtime
