// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/diff/Answers.h"
#include "runtime/include/nacre/model_format.h"
#include "tools/run/session/EntryChoice.h"
#include "tools/run/session/Files.h"
#include "tools/run/session/ModelLibrary.h"
#include "tools/run/session/Text.h"

#include <cstring>
#include <sys/stat.h>

using namespace nacre::run;

namespace nacre::diff {

Answer readAnswer(const TensorView &tensor) {
  Answer answer{tensor.type, tensor.dims, std::vector<double>(tensor.count)};
  for (size_t i = 0; i < tensor.count; ++i)
    answer.numbers[i] = readElement(tensor.type, tensor.data, i);
  return answer;
}

/// True if launches of `model` read or write f16. False for libraries of another version, whose tables cannot be read.
static bool storesHalves(const nacre_model *model) {
  const auto *table = reinterpret_cast<const nacre_model_table *>(model);
  constexpr nacre_row_sizes sizes = NACRE_ROW_SIZES;
  if (table->format_version != NACRE_FORMAT_VERSION || std::memcmp(&table->sizes, &sizes, sizeof sizes) != 0)
    return false;
  for (uint32_t number = 0; number < table->entry_count; ++number) {
    const nacre_entry &entry = table->entries[number];
    for (uint32_t operand = 0; operand < entry.operand_count; ++operand)
      if (entry.operands[operand].element_type == NACRE_F16)
        return true;
  }
  return false;
}

static Outcome runLibrary(const std::string &path, const Options &options, const std::vector<Port> &inputs,
                          Answers &answers) {
  ModelLibrary library;
  ModelSession session;
  if (Outcome failure = library.open(path))
    return failure;
  Options own = options;
  if (own.entry.empty())
    own.entry = findFittingEntry(library.model, inputs);
  if (Outcome failure = session.create(library.model, own))
    return failure;
  for (Port &port : session.inputs) {
    const Port *same = nullptr;
    for (const Port &input : inputs)
      same = input.name == port.name ? &input : same;
    if (!same || same->tensor.type != port.tensor.type || same->tensor.dims != port.tensor.dims)
      return usageFailure("'" + path + "' takes '" + printableText(port.name) + "' as " +
                          describe(port.tensor.type, port.tensor.dims) + ", but the model takes " +
                          (same ? describe(same->tensor.type, same->tensor.dims) : "no such input") +
                          "; give the model that it was compiled of, and --shape and --set as nacre-compile had them");
    if (port.tensor.count != 0)
      std::memcpy(port.data, same->data, port.tensor.bytes());
  }
  if (Outcome failure = session.run())
    return failure;
  if (Outcome failure = session.takeSizes())
    return failure;
  for (const Port &port : session.outputs)
    answers.tensors[port.name] = readAnswer(port.tensor);
  nacre_session_info info{};
  if (Outcome failure = session.describe(info))
    return failure;
  answers.usedGpu = info.gpu_launches > 0;
  answers.storesHalves = storesHalves(library.model);
  return std::nullopt;
}

static Outcome readFolder(const std::string &folder, const std::vector<Port> &wanted, Answers &answers) {
  for (const Port &port : wanted) {
    const std::string path = findOutput(folder, port.name);
    if (path.empty())
      continue;
    FileTensor tensor;
    if (Outcome failure = readTensorLike(port.tensor, path, tensor))
      return failure;
    answers.tensors[port.name] = readAnswer(tensor.view);
  }
  if (answers.tensors.empty())
    return usageFailure(
        "'" + folder +
        "' must have files <tensor>.npy, as nacre-run --output writes them, but has none of a tensor of the model");
  return std::nullopt;
}

Outcome findAnswers(const std::string &path, const Options &options, const std::vector<Port> &inputs,
                    const std::vector<Port> &wanted, Answers &answers) {
  struct stat there{};
  const bool isFolder = stat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode);
  return isFolder ? readFolder(path, wanted, answers) : runLibrary(path, options, inputs, answers);
}

} // namespace nacre::diff
