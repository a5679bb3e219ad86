// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/run/session/EntryChoice.h"
#include "tools/run/session/Text.h"

#include <algorithm>
#include <string_view>

namespace nacre::run {
namespace {

/// The array of a file of --input.
struct GivenArray {
  size_t input; // number of the input
  FileTensor tensor;
};

Failure noSuchEntry(const std::vector<EntryInputs> &entries, const std::string &name) {
  std::string names;
  for (const EntryInputs &entry : entries)
    names += (names.empty() ? "'" : ", '") + printableText(entry.name) + "'";
  return usageFailure("--entry must be one of " + names + ", but is '" + name + "'");
}

/// Returns what the names of entries of several shapes have in common, with the '@'; "" for another name.
std::string stemOf(const std::string &name) {
  const size_t at = name.find('@');
  return at == std::string::npos ? "" : name.substr(0, at + 1);
}

/// Reads the arrays of --input. Pictures and sounds fit any input that accepts them.
Outcome readArrays(std::vector<Port> &inputs, const Options &options, std::vector<GivenArray> &arrays) {
  for (const std::string &text : options.inputs) {
    Port *port;
    std::string path;
    if (Outcome failure = splitNamedFile(text, "--input", inputs, port, path))
      return failure;
    MappedFile file;
    if (Outcome failure = file.open(path))
      return failure;
    if (findMedia(file.bytes()).kind != MediaKind::None)
      continue;
    GivenArray &array = arrays.emplace_back();
    array.input = static_cast<size_t>(port - inputs.data());
    if (Outcome failure = readTensor(path, array.tensor))
      return failure;
  }
  return std::nullopt;
}

bool fits(const EntryInputs &entry, const GivenArray &array) {
  if (array.input >= entry.inputs.size())
    return false;
  const TensorView &wanted = entry.inputs[array.input].tensor;
  return viewLike(wanted, array.tensor.view).dims == wanted.dims;
}

/// `inputs` are those of the first entry with this stem.
Failure noneFits(const std::vector<EntryInputs> &entries, const std::string &stem, const std::vector<Port> &inputs,
                 const std::vector<GivenArray> &arrays) {
  std::string given, known;
  for (const GivenArray &array : arrays)
    given += (given.empty() ? "'" : ", '") + printableText(inputs[array.input].name) + "' is " +
             describe(array.tensor.view.type, array.tensor.view.dims);
  for (const EntryInputs &entry : entries) {
    if (stemOf(entry.name) != stem)
      continue;
    known += (known.empty() ? "" : ", ") + printableText(entry.name) + " (";
    for (const GivenArray &array : arrays)
      if (array.input < entry.inputs.size())
        known += (&array == &arrays.front() ? "" : ", ") +
                 describe(entry.inputs[array.input].tensor.type, entry.inputs[array.input].tensor.dims);
    known += ")";
  }
  return usageFailure("the inputs must have the shapes of an entry, but " + given + "; the entries are " + known +
                      "; give arrays of one of these shapes, or compile the model again with another --shape");
}

} // namespace

std::vector<EntryInputs> describeEntries(const nacre_model *model) {
  std::vector<EntryInputs> entries;
  nacre_entry_info entry;
  for (uint32_t e = 0; nacre_entry_describe(model, e, &entry) == NACRE_OK; ++e) {
    entries.push_back({entry.name, {}});
    nacre_tensor_info tensor;
    for (uint32_t i = 0; nacre_input_describe(model, e, i, &tensor) == NACRE_OK; ++i) {
      const Dims dims(tensor.dims, tensor.dims + tensor.rank);
      Port &input = entries.back().inputs.emplace_back();
      input.name = tensor.name;
      input.tensor = {tensor.type, dims, nullptr, countElements(dims).value_or(0)};
    }
  }
  return entries;
}

std::string findFittingEntry(const nacre_model *model, const std::vector<Port> &inputs) {
  const std::vector<EntryInputs> entries = describeEntries(model);
  const std::string stem = entries.empty() ? "" : stemOf(entries.front().name);
  for (const EntryInputs &entry : entries) {
    const bool fitsAll = std::all_of(entry.inputs.begin(), entry.inputs.end(), [&](const Port &wanted) {
      return std::any_of(inputs.begin(), inputs.end(), [&](const Port &given) {
        return given.name == wanted.name && given.tensor.dims == wanted.tensor.dims;
      });
    });
    if (!stem.empty() && stemOf(entry.name) == stem && fitsAll)
      return entry.name;
  }
  return "";
}

Outcome chooseEntry(std::vector<EntryInputs> &entries, const Options &options, size_t &chosen) {
  // `--entry=main` leaves the choice among `main@16` and `main@64` to the shapes.
  const std::string stem = !options.entry.empty() ? options.entry + "@"
                           : entries.empty()      ? ""
                                                  : stemOf(entries[0].name);
  const auto first = std::find_if(entries.begin(), entries.end(), [&](const EntryInputs &entry) {
    return options.entry.empty() || entry.name == options.entry || stemOf(entry.name) == stem;
  });
  chosen = static_cast<size_t>(first - entries.begin());
  if (first == entries.end())
    return options.entry.empty() ? std::nullopt : Outcome(noSuchEntry(entries, options.entry));
  if (stem.empty() || stemOf(first->name) != stem)
    return std::nullopt;
  std::vector<GivenArray> arrays;
  if (Outcome failure = readArrays(first->inputs, options, arrays))
    return failure;
  for (; chosen < entries.size(); ++chosen)
    if (stemOf(entries[chosen].name) == stem && std::all_of(arrays.begin(), arrays.end(), [&](const GivenArray &array) {
          return fits(entries[chosen], array);
        }))
      return std::nullopt;
  return noneFits(entries, stem, first->inputs, arrays);
}

} // namespace nacre::run
