// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/ModelInputs.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace nacre::tools {

static Error checkAssignment(StringRef option, StringRef text, StringRef input, StringRef value) {
  if (input.empty() || value.empty())
    return createStringError("--" + option + " must be input=value, but is '" + text + "'");
  return Error::success();
}

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

Error ModelInputs::readShapes(Shapes &to) const {
  for (StringRef text : shapes) {
    auto [input, value] = text.rsplit('=');
    if (!input.empty() && text.ends_with("="))
      return createStringError("--shape " + text + " must have a shape after '='; write a shape without axes as " +
                               text + "scalar");
    if (Error error = checkAssignment("shape", text, input, value))
      return error;
    SmallVector<int64_t> dims;
    SmallVector<StringRef> words;
    if (value != "scalar")
      value.split(words, 'x');
    for (StringRef word : words) {
      int64_t dim;
      if (word.getAsInteger(10, dim) || dim < 0)
        return createStringError("--shape " + text + ": '" + word +
                                 "' must be a dimension; write it as input=1x3x224x224, or input=scalar");
      dims.push_back(dim);
    }
    to[input.str()] = dims;
  }
  return Error::success();
}

Error ModelInputs::readValues(Values &to) const {
  for (StringRef text : values) {
    auto [input, value] = text.split('=');
    if (Error error = checkAssignment("set", text, input, value))
      return error;
    to[input.str()] = value.str();
  }
  return Error::success();
}

} // namespace nacre::tools
