// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/package/Prefab.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

extern "C" {
#define DECLARATIONS
#include "tools/package/EmbeddedHeaders.inc"
}

namespace nacre::tools {
namespace {

struct EmbeddedHeader {
  const char *name;
  StringRef bytes;
};

const EmbeddedHeader kHeaders[] = {
#include "tools/package/EmbeddedHeaders.inc"
};

/// Returns the description of a package. A version is left out unless it consists of numbers and dots, as CMake
/// requires.
std::string packageText(StringRef name, StringRef version) {
  SmallVector<StringRef> parts;
  version.split(parts, '.');
  const bool isNumbers = all_of(parts, [](StringRef part) { return !part.empty() && all_of(part, isDigit); });
  std::string text = R"({"schema_version": 1, "dependencies": [], "name": ")" + name.str() + "\"";
  if (isNumbers)
    text += ", \"version\": \"" + version.str() + "\"";
  return text + "}\n";
}

} // namespace

void addPrefab(const std::map<std::string, const ModelFile *> &byAbi, StringRef version, StringRef header,
               std::vector<ArchivedFile> &files, std::deque<std::string> &texts) {
  const std::string &name = byAbi.begin()->second->name, module = "prefab/modules/" + name + "/";
  auto add = [&](const std::string &path, std::string text) {
    files.push_back({path, texts.emplace_back(std::move(text))});
  };
  add("prefab/prefab.json", packageText(name, version));
  add(module + "module.json", R"({"export_libraries": [], "library_name": "lib)" + name + "\"}\n");
  files.push_back({module + "include/" + name + ".h", header});
  for (const EmbeddedHeader &embedded : kHeaders)
    files.push_back({module + "include/nacre/" + embedded.name, embedded.bytes});
  for (const auto &[abi, model] : byAbi) {
    const std::string folder = module + "libs/android." + abi + "/";
    // Any NDK is suitable, because the library does not use the C++ library.
    add(folder + "abi.json", R"({"abi": ")" + abi +
                                 R"(", "api": 24, "ndk": 21, "stl": "none"})"
                                 "\n");
    files.push_back({folder + "lib" + name + ".so", model->bytes->getBuffer()});
  }
}

} // namespace nacre::tools
