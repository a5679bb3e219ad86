// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/ModelInputs.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace nacre::tools {

void ModelInputs::addFiles(NamedFiles &files) const {
  const auto addIfThere = [&](const std::string &option, StringRef path) {
    if (sys::fs::exists(path)) // otherwise, the value is a number, or the common prefix of several names
      files.addInput(option, path.str());
  };
  files.addInput("--weights", weights);
  addIfThere("--checkpoint", checkpoint.getValue());
  for (StringRef text : values)
    addIfThere("--set", text.split('=').second);
}

Error ModelInputs::readShapes(std::vector<importer::ShapedEntry> &to) const { return parseShapes(shapes).moveInto(to); }

Error ModelInputs::readShapes(importer::InputShapes &to) const {
  Expected<std::vector<importer::ShapedEntry>> entries = parseShapes(shapes);
  if (!entries)
    return entries.takeError();
  if (entries->size() > 1)
    return createStringError("--shape must give each input one shape; only nacre-compile makes entries of several");
  to = std::move(entries->front().shapes);
  return Error::success();
}

Error ModelInputs::readValues(Values &to) const {
  for (StringRef text : values) {
    auto [input, value] = text.split('=');
    if (input.empty() || value.empty())
      return createStringError("--set must be input=value, but is '" + text + "'");
    to[input.str()] = value.str();
  }
  return Error::success();
}

Error ModelInputs::readBounds(std::map<std::string, int64_t> &to) const {
  constexpr int64_t most = INT32_MAX; // more elements along an axis than any memory holds
  for (StringRef text : bounds) {
    auto [tensor, number] = text.rsplit('='); // a name may contain the sign
    int64_t bound;
    if (tensor.empty() || number.getAsInteger(10, bound) || bound < 0 || bound > most)
      return createStringError("--" + boundOption + " must be tensor=N with N from 0 to " + Twine(most) + ", but is '" +
                               text + "'");
    if (!to.try_emplace(tensor.str(), bound).second)
      return createStringError("--" + boundOption + " must give each tensor one value, but gives '" + tensor + "' two");
  }
  return Error::success();
}

} // namespace nacre::tools
