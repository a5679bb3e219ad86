// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements nacre_state_load.
// Why: a file may be truncated, damaged, from another model, or from another program. A state must never be loaded
//      partly.
// How: one block holds the whole file and the position of each variable in it. The file is checked to its last byte
//      before any variable is copied.

#include "runtime/src/allocator.h"
#include "runtime/src/platform.h"
#include "runtime/src/state.h"
#include "runtime/src/state/checksum.h"
#include "runtime/src/state/file_header.h"
#include "runtime/src/state/json.h"
#include "runtime/src/state/stored.h"

namespace nacre::runtime {
namespace {

enum Key { kType, kShape, kOffsets, kChecksum, kFingerprint, kFormat, kKeys };
constexpr char kNames[kKeys][13] = {"dtype", "shape", "data_offsets", "crc32c", "fingerprint", "format"};

/// Members of a JSON object in the header, which describes a tensor or the file. The values are texts and lists.
struct Object {
  Json values[kKeys]; // Value of each member; a refused reader if the member is missing.
  uint32_t members = 0;
};

struct Load {
  State &state;
  const nacre_model_table &model;
  const uint32_t roles;
  /// True if only the network's own variables are loaded. Other variables belong to a certain training or sequence.
  const bool of_network_alone;
  Reason &reason;

  uint64_t file_bytes;
  char **found; // Address of each variable's data in the block with the file.
  char *file, *data, *file_end;
  uint64_t taken; // Size in bytes of all tensors that were read so far.
  Object metadata;
};

nacre_status refuse(Load &load, const char *why) {
  load.reason << "the file must be a whole safetensors file, but " << why;
  return NACRE_BAD_ARGUMENT;
}

nacre_status refuse_header(Load &load) { return refuse(load, "its header is damaged"); }
nacre_status refuse_size(Load &load) { return refuse(load, "it ends within its header, or is too long"); }
nacre_status refuse_tensors(Load &load) { return refuse(load, "its tensors do not follow each other to its end"); }

nacre_status refuse_model(Load &load, const char *what, const char *why) {
  load.reason << "the file must be of this model's state, but " << what << why;
  return NACRE_BAD_ARGUMENT;
}

/// Returns the text [from, end) of the header, for a message. Writes a 0 to its end, because the file's bytes are not
/// needed any more.
const char *quote(Load &load, const char *from, const char *end) {
  load.file[end - load.file] = 0;
  return from;
}

/// True if `name` is a variable of the loss scale. The file or the model may lack these variables, because training may
/// continue in another precision.
bool is_of_loss_scale(const char *name) {
  for (const char *prefix = NACRE_LOSS_SCALE; *prefix; ++prefix, ++name)
    if (*name != *prefix)
      return false;
  return true;
}

// --- 1. The header
// ---------------------------------------------------------------------------------------------------

void take_object(Json &json, Object &object) {
  json.expect('{');
  do {
    const Json name = json;
    uint32_t key = 0;
    while (!json.take_text(kNames[key])) {
      if (++key == kKeys)
        break;
      json = name;
    }
    json.expect(':');
    json.next();
    if (key < kKeys)
      object.values[key] = json;
    json.take_value();
    ++object.members;
  } while (json.take(','));
  json.expect('}');
}

nacre_status take_tensor(Load &load, Json &json, const char *name, const char *name_end) {
  Object object;
  const char *text = json.at;
  take_object(json, object);
  Json &offsets = object.values[kOffsets];
  offsets.expect('[');
  const uint64_t begin = offsets.take_number();
  offsets.expect(',');
  const uint64_t end = offsets.take_number();
  offsets.expect(']');
  if (json.is_refused() || offsets.is_refused() || object.members != 3)
    return refuse_header(load);
  if (begin != load.taken || end < begin || end > uint64_t(load.file_end - load.data))
    return refuse_tensors(load);
  load.taken = end;

  for (uint32_t i = 0; i < load.model.variable_count; ++i) {
    const nacre_variable &variable = load.model.variables[i];
    const char *strings = load.model.strings;
    if (!Json{name}.take_text(strings + variable.tensor.name))
      continue;
    if ((variable.role & load.roles) == 0)
      return NACRE_OK;
    if (!load.found[i] && end - begin == variable.tensor.bytes &&
        are_alike(object.values[kType].at, strings + variable.file_type) &&
        are_alike(object.values[kShape].at, strings + variable.file_shape)) {
      load.found[i] = load.data + begin;
      return NACRE_OK;
    }
    load.reason << "the file must have " << strings + variable.file_row << "} once, but has "
                << quote(load, text, json.at);
    return NACRE_BAD_ARGUMENT;
  }
  if (is_of_loss_scale(name + 1)) // The name begins after the quote.
    return NACRE_OK;
  for (const char *c = name; load.of_network_alone && c != name_end; ++c)
    if (*c == '#') // The variable belongs to an optimizer.
      return NACRE_OK;
  return refuse_model(load, quote(load, name, name_end), " is not part of it");
}

nacre_status take_header(Load &load) {
  Json json = {load.file + kLengthBytes};
  json.expect('{');
  do {
    json.next();
    const char *name = json.at;
    const bool is_metadata = json.take_text("__metadata__");
    const char *name_end = json.at;
    json.expect(':');
    if (is_metadata)
      take_object(json, load.metadata);
    else if (nacre_status status = take_tensor(load, json, name, name_end))
      return status;
  } while (json.take(','));
  json.expect('}');
  json.next();
  if (json.at != load.data)
    return refuse_header(load);
  return load.data + load.taken == load.file_end ? NACRE_OK : refuse_tensors(load);
}

// --- 2. The file
// -----------------------------------------------------------------------------------------------------

nacre_status check_checksum(Load &load) {
  const Json digits = load.metadata.values[kChecksum];
  Json behind = digits;
  behind.take_text("");
  bool is_right = !load.metadata.values[kFormat].take_text("nacre"); // Files of this format have a checksum.
  if (!behind.is_refused()) {
    Checksum sum;
    sum.add(load.file + kLengthBytes, digits.at + 1);
    sum.add(behind.at, load.file_end);
    is_right = Json{digits}.take_text(sum.text());
  }
  return is_right ? NACRE_OK : refuse(load, "its checksum does not match");
}

nacre_status check_state(Load &load) {
  if (load.of_network_alone)
    return NACRE_OK;
  for (uint32_t i = 0; i < load.model.variable_count; ++i) {
    const nacre_variable &variable = load.model.variables[i];
    if (load.found[i] || (variable.role & load.roles) == 0 ||
        is_of_loss_scale(load.model.strings + variable.tensor.name))
      continue;
    load.reason << "the file must have '" << load.model.strings + variable.tensor.name
                << "', but does not; load only weights and statistics, or another file";
    return NACRE_BAD_ARGUMENT;
  }
  const Json &fingerprint = load.metadata.values[kFingerprint];
  if (fingerprint.is_refused() || are_alike(fingerprint.at, fingerprint_of(load.model)))
    return NACRE_OK;
  return refuse_model(load, "", "its fingerprint differs: other tensors or another optimizer");
}

nacre_status load_block(Load &load) {
  uint64_t header_bytes;
  __builtin_memcpy(&header_bytes, load.file, kLengthBytes);
  if (header_bytes > load.file_bytes - kLengthBytes || header_bytes > kMostHeaderBytes)
    return refuse_size(load);
  load.file_end = load.file + load.file_bytes;
  load.data = load.file + kLengthBytes + header_bytes;
  const char first = *load.data;
  *load.data = 0; // Ends the header's text, because the reader stops at 0.
  if (nacre_status status = take_header(load))
    return status;
  *load.data = first;
  if (nacre_status status = check_checksum(load))
    return status;
  if (nacre_status status = check_state(load))
    return status;
  for (uint32_t i = 0; i < load.model.variable_count; ++i) {
    const nacre_variable &variable = load.model.variables[i];
    if (load.found[i])
      copy_stored(load.model, variable, load.state.data + variable.offset, load.found[i], /*packs=*/true);
  }
  ++load.state.writes;
  return NACRE_OK;
}

} // namespace

nacre_status load(State &state, const StateCall &call, Reason &reason) {
  const long file = open_to_read(call.words[0].text());
  if (file < 0)
    return refuse_file(file, "read", reason);
  const nacre_model_table &model = *state.model;
  const auto roles = uint32_t(call.words[1].number);
  const bool of_network_alone = (roles & ~(NACRE_STATE_WEIGHT | NACRE_STATE_STATISTIC)) == 0;
  Load load = {state,   model,   roles,   of_network_alone, reason, uint64_t(file_bytes(file)),
               nullptr, nullptr, nullptr, nullptr,          0,      {}};
  const uint64_t found_bytes = model.variable_count * sizeof *load.found, bytes = found_bytes + load.file_bytes + 1;
  nacre_status status;
  char *block = nullptr;
  // A model without an optimizer may load the file of a training. Such a file has several moments for each weight, so
  // it may be larger than the state.
  if (load.file_bytes - kLengthBytes > kMostHeaderBytes + 8 * model.state_bytes)
    status = int64_t(load.file_bytes) < 0 ? refuse_file(long(load.file_bytes), "read", reason) : refuse_size(load);
  else
    block = static_cast<char *>(allocate_block(state.allocator, bytes, reason, status));
  if (block) {
    __builtin_memset(block, 0, found_bytes);
    load.found = reinterpret_cast<char **>(block);
    load.file = block + found_bytes;
    const long error = read_at(file, load.file, load.file_bytes, 0);
    status = error ? refuse_file(error, "read", reason) : load_block(load);
    state.allocator.release(state.allocator.user, block, bytes);
  }
  close_file(file);
  return status;
}

} // namespace nacre::runtime
