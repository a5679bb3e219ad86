// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps files of examples, and copies batches of them.

#include "tools/run/training/Examples.h"
#include "tools/run/session/Inputs.h"
#include "tools/run/session/Text.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace nacre::run {
namespace {

size_t product(const Dims &dims, size_t begin, size_t end) {
  size_t count = 1;
  for (size_t axis = begin; axis < end; ++axis)
    count *= static_cast<size_t>(dims[axis]);
  return count;
}

/// Returns text such as "f32[examples,1,8,8]".
std::string wanted(const Port &port, size_t axis) {
  std::string text = findElementType(port.tensor.type)->name + std::string("[");
  for (size_t i = 0; i < port.tensor.dims.size(); ++i)
    text += (i ? "," : "") + (i == axis ? "examples" : std::to_string(port.tensor.dims[i]));
  return text + "]";
}

std::string numpyName(nacre_element_type type) {
  const std::string name = findElementType(type)->name;
  const std::string digits = name.substr(name.find_first_of("0123456789") == name.npos ? 0 : 1);
  return name[0] == 'f' ? "float" + digits : name[0] == 'u' ? "uint" + digits : "int" + digits;
}

/// Returns advice about a file that does not fit.
std::string advice(const Port &port, size_t axis, const TensorView &held, bool isLabel) {
  const Dims &dims = port.tensor.dims;
  const bool isClass = isInteger(port.tensor.type);
  if (isLabel && isClass && held.dims.size() == dims.size() + 1)
    return "; give classes by their numbers, from 0 on (in NumPy: .argmax(-1))";
  if (isLabel && !isClass && isInteger(held.type) && held.dims.size() + 1 == dims.size())
    return "; give shares of the classes, or compile it with label-type=i64 in --loss";
  Dims rows = dims;
  bool fits = held.dims.size() == dims.size();
  for (size_t i = 0; fits && i < dims.size(); ++i)
    fits = i == axis || held.dims[i] == dims[i];
  if (fits)
    return "; store it so (in NumPy: .astype('" + numpyName(port.tensor.type) + "'))";
  const size_t each = product(dims, 1, dims.size());
  if (axis == 0 && !held.dims.empty() && held.count == static_cast<size_t>(held.dims[0]) * each) {
    std::string shape = "-1";
    for (size_t i = 1; i < dims.size(); ++i)
      shape += ", " + std::to_string(dims[i]);
    return "; store it so (in NumPy: .reshape(" + shape + ")" +
           (held.type == port.tensor.type ? ")" : ".astype('" + numpyName(port.tensor.type) + "'))");
  }
  if (held.dims.size() != dims.size())
    return "";
  return "; if examples lie along another axis than " + std::to_string(axis) +
         ", pass --batch-axis=" + printableText(port.name) + ":<axis>";
}

} // namespace

std::vector<std::string> labelsOf(const ModelSession &session) {
  std::vector<std::string> inference;
  nacre_entry_info entry;
  nacre_tensor_info tensor;
  for (uint32_t e = 0; nacre_entry_describe(session.model, e, &entry) == NACRE_OK; ++e)
    for (uint32_t i = 0; std::string_view(entry.name) == "main" && i < entry.input_count; ++i)
      if (nacre_input_describe(session.model, e, i, &tensor) == NACRE_OK)
        inference.push_back(tensor.name);
  std::vector<std::string> labels;
  for (const Port &port : session.inputs) {
    const bool isMore = inference.empty() ? port.name == "label"
                                          : std::find(inference.begin(), inference.end(), port.name) == inference.end();
    if (isMore && port.name != "learning_rate")
      labels.push_back(port.name);
  }
  return labels;
}

const TensorView *Examples::find(const std::string &input) const {
  for (const Column &column : columns)
    if (column.name == input)
      return &column.file.view;
  return nullptr;
}

bool Examples::has(const std::string &input) const { return find(input) != nullptr; }

Outcome Examples::check(const Column &column, const Port &port, const char *option, bool isLabel) {
  const Dims &dims = port.tensor.dims;
  const TensorView &held = column.file.view;
  if (column.axis >= dims.size() || findElementType(port.tensor.type)->isPacked())
    return usageFailure(option + (" must have an input with an axis of examples, but '" + printableText(port.name)) +
                        "' is " + describe(port.tensor.type, dims) + "; a number goes with --set");
  bool fits = held.type == port.tensor.type && held.dims.size() == dims.size();
  for (size_t i = 0; fits && i < dims.size(); ++i)
    fits = i == column.axis || held.dims[i] == dims[i];
  if (!fits)
    return usageFailure("'" + printableText(port.name) + "' must be " + wanted(port, column.axis) + ", but '" +
                        column.path + "' holds " + describe(held.type, held.dims) +
                        advice(port, column.axis, held, isLabel));
  const auto rows = static_cast<uint64_t>(held.dims[column.axis]);
  const auto batch = static_cast<uint32_t>(dims[column.axis]);
  if (rows == 0 || rows > UINT32_MAX)
    return usageFailure("'" + column.path + "' must hold 1 to 2^32 - 1 examples, but holds " + std::to_string(rows));
  const Column &first = columns.empty() ? column : columns.front();
  if (!columns.empty() && rows != examples)
    return usageFailure("there must be as many examples of each input, but '" + first.path + "' has " +
                        std::to_string(examples) + " and '" + column.path + "' " + std::to_string(rows));
  if (!columns.empty() && batch != perBatch)
    return usageFailure("'" + printableText(port.name) + "' must have a batch of " + std::to_string(perBatch) +
                        " along axis " + std::to_string(column.axis) + ", but has " + std::to_string(batch) +
                        " there; pass the axis of its examples with --batch-axis=" + printableText(port.name) +
                        ":<axis>");
  examples = static_cast<uint32_t>(rows);
  perBatch = batch;
  return std::nullopt;
}

Outcome Examples::addColumn(ModelSession &session, const std::string &text, const char *option, bool isLabel) {
  Port *port;
  Column column;
  if (Outcome failure = splitNamedFile(text, option, session.inputs, port, column.path))
    return failure;
  if (Outcome failure = readTensorLike(port->tensor, column.path, column.file))
    return failure;
  column.name = port->name;
  for (const auto &[name, axis] : axes)
    if (name == column.name)
      column.axis = axis;
  if (Outcome failure = check(column, *port, option, isLabel))
    return failure;
  columns.push_back(std::move(column));
  return std::nullopt;
}

Outcome Examples::open(ModelSession &session, const ExampleFiles &files, const std::vector<std::string> &axisTexts) {
  for (const std::string &text : axisTexts) {
    const size_t colon = text.rfind(':');
    size_t axis = 0;
    const char *begin = text.data() + (colon == text.npos ? 0 : colon + 1), *end = text.data() + text.size();
    if (colon == text.npos || std::from_chars(begin, end, axis).ptr != end || begin == end)
      return usageFailure("--batch-axis must be NAME:AXIS, but is '" + text + "'");
    axes.emplace_back(text.substr(0, colon), axis);
  }
  for (const std::string &text : files.inputs)
    if (Outcome failure = addColumn(session, text, files.inputOption, false))
      return failure;
  const std::vector<std::string> labels = labelsOf(session);
  for (const std::string &text : files.labels) {
    const bool isNamed = std::any_of(session.inputs.begin(), session.inputs.end(),
                                     [&text](const Port &port) { return text.rfind(port.name + "=", 0) == 0; });
    if (!isNamed && labels.size() != 1)
      return usageFailure(files.labelOption + (" must be NAME=FILE for a model with " + std::to_string(labels.size())) +
                          " labels, but is '" + text + "'");
    if (Outcome failure = addColumn(session, isNamed ? text : labels.front() + "=" + text, files.labelOption, true))
      return failure;
  }
  return std::nullopt;
}

void Examples::fill(ModelSession &session, const uint32_t *chosen) const {
  for (const Column &column : columns) {
    const auto port = std::find_if(session.inputs.begin(), session.inputs.end(),
                                   [&column](const Port &other) { return other.name == column.name; });
    if (port == session.inputs.end())
      continue;
    const Dims &dims = column.file.view.dims;
    const size_t rowBytes =
        product(dims, column.axis + 1, dims.size()) * findElementType(column.file.view.type)->bytesOf(1);
    auto *to = static_cast<char *>(port->data);
    for (size_t outer = 0; outer < product(dims, 0, column.axis); ++outer) {
      const char *from = static_cast<const char *>(column.file.view.data) + outer * examples * rowBytes;
      for (uint32_t i = 0; i < perBatch; ++i, to += rowBytes)
        std::memcpy(to, from + chosen[i] * rowBytes, rowBytes);
    }
  }
}

} // namespace nacre::run
