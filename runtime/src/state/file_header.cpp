// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see file_header.h: types, the fingerprint, and the writer.
// Why:   see there.
// How:   the writer counts and writes by the same walk.

#include "runtime/src/state/file_header.h"

namespace nacre::runtime {
namespace {

/// By nacre_element_type.
constexpr char kTypes[][8] = {"",     "F32",     "U8",  "I8",  "U16", "I16", "I32",    "I64",  "",
                              "BOOL", "F16",     "F64", "U32", "U64", "",    "",       "BF16", "F8_E4M3",
                              "",     "F8_E5M2", "",    "",    "",    "",    "F8_E8M0"};

struct Writer {
  char *to;
  uint64_t length;

  __attribute__((noinline)) void put(char c) {
    if (to)
      to[length] = c;
    ++length;
  }
  __attribute__((noinline)) Writer &operator<<(const char *text) {
    while (*text)
      put(*text++);
    return *this;
  }
  __attribute__((noinline)) Writer &operator<<(uint64_t number) {
    Reason digits;
    digits << number;
    return *this << digits.c_str();
  }
  __attribute__((noinline)) void put_hex(uint64_t number, uint64_t digits) {
    if (to)
      write_hex(to + length, number, digits);
    length += digits;
  }
  /// What is in quotes.
  void put_name(const char *text) {
    for (; *text; ++text) {
      const auto c = static_cast<unsigned char>(*text);
      if (c < 0x20) {
        *this << "\\u";
        put_hex(c, 4);
        continue;
      }
      if (c == '"' || c == '\\')
        put('\\');
      put(*text);
    }
  }
};

/// How many steps of training the state has seen, if it counts them.
void write_step(Writer &writer, const State &state) {
  uint32_t cursor = 0;
  int64_t steps;
  while (const nacre_variable *variable = next_in_file(*state.model, NACRE_STATE_COUNTER, cursor)) {
    const char *name = state.model->strings + variable->tensor.name;
    while (*name && *name != '#')
      ++name;
    if (!equal(name, "#step") || variable->tensor.bytes != sizeof steps)
      continue;
    __builtin_memcpy(&steps, state.data + variable->offset, sizeof steps);
    writer << "\",\"step\":\"" << uint64_t(steps);
    return;
  }
}

} // namespace

const char *type_name(const nacre_variable &variable) {
  const uint32_t type = variable.tensor.element_type;
  return kTypes[type < sizeof kTypes / sizeof *kTypes ? type : 0];
}

const nacre_variable *next_in_file(const nacre_model_table &model, uint32_t roles, uint32_t &cursor) {
  while (cursor < 2 * model.variable_count) {
    const bool second = cursor >= model.variable_count;
    const nacre_variable &variable = model.variables[cursor++ - (second ? model.variable_count : 0)];
    const char *type = type_name(variable);
    const bool is_wide = type[0] && type[1] == '6';
    if ((variable.role & roles) != 0 && is_wide != second)
      return &variable;
  }
  return nullptr;
}

void write_hex(char *to, uint64_t number, uint64_t digits) {
  for (; digits != 0; number >>= 4)
    to[--digits] = "0123456789abcdef"[number & 15];
}

uint64_t write_header(const State &state, uint32_t roles, char *to, uint64_t &checksum_at) {
  const nacre_model_table &model = *state.model;
  Writer writer = {to, kLengthBytes};
  writer << "{\"__metadata__\":{\"crc32c\":\"";
  checksum_at = writer.length;
  writer.put_hex(0, kHexOfChecksum);
  writer << "\",\"format\":\"nacre\",\"fingerprint\":\"";
  writer.put_hex(fingerprint_of(model), kHexOfFingerprint);
  write_step(writer, state);
  writer << "\"}";
  uint64_t begin = 0;
  uint32_t cursor = 0;
  while (const nacre_variable *variable = next_in_file(model, roles, cursor)) {
    const nacre_tensor &tensor = variable->tensor;
    const char *type = type_name(*variable);
    writer << ",\"";
    writer.put_name(model.strings + tensor.name);
    writer << "\":{\"dtype\":\"" << (*type ? type : "U8") << "\",\"shape\":[";
    if (!*type)
      writer << tensor.bytes;
    for (uint32_t axis = 0; *type && axis < tensor.rank; ++axis)
      writer << (axis ? "," : "") << uint64_t(model.dims[tensor.first_dim + axis]);
    writer << "],\"data_offsets\":[" << begin << "," << begin + tensor.bytes << "]}";
    begin += tensor.bytes;
  }
  writer << "}";
  while (writer.length % NACRE_ALIGNMENT != 0)
    writer << " ";
  const uint64_t header_bytes = writer.length - kLengthBytes;
  if (to)
    __builtin_memcpy(to, &header_bytes, kLengthBytes); // little endian, as all that Nacre runs on
  return writer.length;
}

uint64_t fingerprint_of(const nacre_model_table &model) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < model.variable_count; ++i) {
    const nacre_variable &variable = model.variables[i];
    uint64_t hash = 0xcbf29ce484222325; // FNV-1a
    auto add = [&hash](uint64_t word) { hash = (hash ^ word) * 0x100000001b3; };
    for (const char *name = model.strings + variable.tensor.name; *name; ++name)
      add(static_cast<unsigned char>(*name));
    add(variable.tensor.element_type << 8 | variable.role);
    for (uint32_t axis = 0; axis < variable.tensor.rank; ++axis)
      add(uint64_t(model.dims[variable.tensor.first_dim + axis]));
    sum += hash ^ hash >> 29;
  }
  return sum;
}

} // namespace nacre::runtime
