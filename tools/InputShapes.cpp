// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/InputShapes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace nacre::tools {

using nacre::importer::ShapedEntry;

namespace {

using Shape = SmallVector<int64_t>;
/// Shapes by input, in the order of the options.
using ShapesOfInputs = MapVector<std::string, std::vector<Shape>, std::map<std::string, unsigned>>;

constexpr size_t kMostShapes = 256; // Each is compiled as a separate entry.

} // namespace

/// Returns the sizes that `word` lists: a number, or several in braces. Empty if it is something else.
static Shape parseSizes(StringRef word) {
  const bool isList = word.consume_front("{");
  if (isList && !word.consume_back("}"))
    return {};
  SmallVector<StringRef> numbers;
  word.split(numbers, ',');
  Shape sizes;
  for (StringRef number : numbers) {
    int64_t size;
    if (number.getAsInteger(10, size) || size < 0)
      return {};
    sizes.push_back(size);
  }
  return isList || sizes.size() == 1 ? sizes : Shape();
}

/// Appends the shapes that `value` stands for, with the last list varying first.
static Error appendShapes(StringRef text, StringRef value, std::vector<Shape> &to) {
  std::vector<Shape> shapes = {{}};
  SmallVector<StringRef> words;
  if (value != "scalar")
    value.split(words, 'x');
  for (StringRef word : words) {
    const Shape sizes = parseSizes(word);
    if (sizes.empty())
      return createStringError("--shape " + text + ": '" + word +
                               "' must be a dimension; write it as input=1x3x224x224, or input=scalar, or "
                               "'input=1x{16,64}' for several shapes");
    std::vector<Shape> longer;
    for (const Shape &shape : shapes)
      for (int64_t size : sizes)
        longer.emplace_back(shape).push_back(size);
    if (longer.size() + to.size() > kMostShapes)
      return createStringError("--shape " + text + ": an input must have at most " + Twine(kMostShapes) + " shapes");
    shapes = std::move(longer);
  }
  append_range(to, shapes);
  return Error::success();
}

/// Returns the sizes by which each of several shapes differs from others, in the order of the axes. Each row is for one
/// axis.
static std::vector<Shape> findDifferences(ArrayRef<Shape> shapes) {
  size_t rank = 0;
  for (const Shape &shape : shapes)
    rank = std::max(rank, shape.size());
  std::vector<Shape> rows;
  for (size_t axis = 0; axis < rank; ++axis) {
    // A missing axis counts as a size, so that shapes of different ranks have different names.
    Shape row =
        map_to_vector(shapes, [&](const Shape &shape) { return axis < shape.size() ? shape[axis] : int64_t(0); });
    if (!all_equal(row))
      rows.push_back(std::move(row));
  }
  return rows;
}

static std::string describe(const std::string &input, const Shape &shape) {
  return input + "=" +
         (shape.empty() ? "scalar" : join(map_range(shape, [](int64_t size) { return itostr(size); }), "x"));
}

Expected<std::vector<ShapedEntry>> parseShapes(ArrayRef<std::string> values) {
  ShapesOfInputs inputs;
  for (StringRef text : values) {
    auto [input, value] = text.rsplit('=');
    if (!input.empty() && text.ends_with("="))
      return createStringError("--shape " + text + " must have a shape after '='; write a shape without axes as " +
                               text + "scalar");
    if (input.empty() || value.empty())
      return createStringError("--shape must be input=value, but is '" + text + "'");
    if (Error error = appendShapes(text, value, inputs[input.str()]))
      return error;
  }

  size_t count = 1;
  std::string longest;
  for (const auto &[input, shapes] : inputs)
    if (shapes.size() > count)
      count = shapes.size(), longest = input;
  std::vector<ShapedEntry> entries(count);
  std::vector<Shape> differences;
  for (const auto &[input, shapes] : inputs) {
    if (shapes.size() != 1 && shapes.size() != count)
      return createStringError("--shape must give '" + input + "' one shape, or as many as '" + longest +
                               "', which has " + Twine(count) + ", but gives it " + Twine(shapes.size()) +
                               "; repeat --shape=" + input + "=<shape> for each");
    for (size_t i = 0; i < count; ++i)
      entries[i].shapes[input] = shapes.size() == 1 ? shapes.front() : shapes[i];
    for (Shape &row : findDifferences(shapes))
      if (!is_contained(differences, row))
        differences.push_back(std::move(row));
  }
  StringSet<> names;
  for (size_t i = 0; i < count && count > 1; ++i) {
    ShapedEntry &entry = entries[i];
    entry.sizes = join(map_range(differences, [i](const Shape &row) { return itostr(row[i]); }), "x");
    if (!names.insert(entry.sizes).second)
      return createStringError("--shape must give different shapes, but gives " +
                               describe(longest, entry.shapes[longest]) + " twice");
  }
  return entries;
}

} // namespace nacre::tools
