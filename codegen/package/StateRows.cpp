// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/package/StateRows.h"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace nacre::package {

namespace {

/// Names of types in safetensors, by nacre_element_type. Empty for types without a name there.
constexpr const char *kTypes[] = {"",     "F32",     "U8",  "I8",  "U16", "I16", "I32",    "I64",  "",
                                  "BOOL", "F16",     "F64", "U32", "U64", "",    "",       "BF16", "F8_E4M3",
                                  "",     "F8_E5M2", "",    "",    "",    "",    "F8_E8M0"};
constexpr size_t kMostDigits = 20; // Digits of the largest 64-bit integer.

/// Returns `text` as the contents of a JSON string.
std::string jsonText(const char *text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string json;
  for (; *text; ++text) {
    const auto c = static_cast<unsigned char>(*text);
    if (c < ' ')
      json += std::string("\\u00") + kDigits[c >> 4] + kDigits[c & 15];
    else
      json += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, *text);
  }
  return json;
}

StateFileTexts::Row rowOf(const nacre_tensor &tensor, const char *strings, const int64_t *dims) {
  const char *type = tensor.element_type < std::size(kTypes) ? kTypes[tensor.element_type] : "";
  std::string shape;
  for (uint32_t axis = 0; axis < tensor.rank; ++axis)
    shape += (axis ? "," : "") + std::to_string(dims[tensor.first_dim + axis]);
  if (!*type) { // The type has no name, so the tensor becomes a list of its bytes.
    type = "U8";
    shape = std::to_string(tensor.bytes);
  }
  StateFileTexts::Row row;
  row.text = "\"" + jsonText(strings + tensor.name) + "\":{\"dtype\":";
  row.type = uint32_t(row.text.size());
  row.text += std::string("\"") + type + "\",\"shape\":";
  row.shape = uint32_t(row.text.size());
  row.text += "[" + shape + "]";
  return row;
}

/// Returns a hash of all names, types, shapes and roles, which does not depend on their order. Loss scales are left
/// out, because training can continue without them.
std::string fingerprintOf(const nacre_variable *variables, uint32_t count, const char *strings, const int64_t *dims) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const nacre_tensor &tensor = variables[i].tensor;
    if (std::string_view(strings + tensor.name).rfind(NACRE_LOSS_SCALE, 0) == 0)
      continue;
    uint64_t hash = 0xcbf29ce484222325; // FNV-1a hash
    auto add = [&hash](uint64_t word) { hash = (hash ^ word) * 0x100000001b3; };
    for (const char *name = strings + tensor.name; *name; ++name)
      add(static_cast<unsigned char>(*name));
    add(tensor.element_type << 8 | variables[i].role);
    for (uint32_t axis = 0; axis < tensor.rank; ++axis)
      add(uint64_t(dims[tensor.first_dim + axis]));
    sum += hash ^ hash >> 29;
  }
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4)
    digits += "0123456789abcdef"[sum >> shift & 15];
  return digits;
}

} // namespace

std::vector<int64_t> describeLoops(nacre_variable &row, const std::vector<int64_t> &shape, const StoredForm &form) {
  std::vector<int64_t> order = form.order, strides(shape.size());
  if (order.empty()) {
    order.resize(shape.size());
    std::iota(order.begin(), order.end(), 0);
  }
  int64_t count = 1;
  for (size_t axis = shape.size(); axis-- > 0; count *= shape[axis])
    strides[axis] = count;
  std::vector<int64_t> loops;
  auto addLoop = [&](int64_t iterations, int64_t bytes) { loops.insert(loops.end(), {iterations, bytes}); };
  row.element_bytes = row.tensor.bytes;
  row.part_columns = 1;
  // In a plain layout, the whole tensor counts as one element.
  if (count == 0 || (form.order.empty() && form.width == 0)) {
    for (int loop = 0; loop < 4; ++loop)
      addLoop(1, 0);
  } else {
    row.element_bytes /= uint64_t(count);
    const auto elementBytes = int64_t(row.element_bytes);
    const int64_t columns = shape[order.back()], stride = strides[order.back()] * elementBytes;
    const int64_t width = form.width ? form.width : columns, partColumns = columns / form.groups / form.parts;
    addLoop(form.groups, form.parts * partColumns * stride);
    addLoop((partColumns + width - 1) / width, width * stride);
    for (size_t i = 0; i + 1 < order.size(); ++i)
      addLoop(shape[order[i]], strides[order[i]] * elementBytes);
    addLoop(form.parts, partColumns * stride);
    addLoop(width, stride);
    row.part_columns = uint32_t(partColumns);
  }
  row.loop_count = uint32_t(loops.size() / 2);
  row.stored_bytes = row.element_bytes;
  for (size_t i = 0; i < loops.size(); i += 2)
    row.stored_bytes *= uint64_t(loops[i]);
  return loops;
}

StateFileTexts describeFile(nacre_variable *variables, uint32_t count, const char *strings, const int64_t *dims) {
  StateFileTexts texts;
  texts.head = NACRE_FILE_CHECKSUM NACRE_FILE_FINGERPRINT "\"" + fingerprintOf(variables, count, strings, dims) + "\"";
  uint64_t headerBytes = 8 + texts.head.size() + sizeof ",\"step\":\"\"}}" + kMostDigits + NACRE_ALIGNMENT;
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  // Put variables with the largest alignment first, so that all are aligned in the file.
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    auto alignment = [&](uint32_t i) { return (variables[i].tensor.bytes | 8) & -(variables[i].tensor.bytes | 8); };
    return alignment(a) > alignment(b);
  });
  for (uint32_t i = 0; i < count; ++i) {
    nacre_variable &variable = variables[i];
    variable.in_file = order[i];
    texts.rows.push_back(rowOf(variable.tensor, strings, dims));
    headerBytes += texts.rows.back().text.size() + sizeof ",,\"data_offsets\":[,]}" + 2 * kMostDigits;
    if (variable.element_bytes != variable.tensor.bytes)
      texts.bufferBytes = std::max(texts.bufferBytes, variable.tensor.bytes);
    if (variable.role == NACRE_STATE_COUNTER && variable.tensor.bytes == sizeof(int64_t) &&
        std::string(strings + variable.tensor.name) == "#step")
      texts.stepCounter = i + 1;
  }
  texts.bufferBytes = std::max(texts.bufferBytes, headerBytes);
  if (texts.stepCounter)
    texts.head += ",\"step\":\"";
  return texts;
}

} // namespace nacre::package
