// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/package/Aar.h"
#include "tools/package/Archive.h"
#include "tools/package/ModelClass.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

#include <map>

using namespace llvm;

namespace nacre::tools {
namespace {

//===----------------------------------------------------------------------===//
// 1. Libraries
//===----------------------------------------------------------------------===//

/// Android's name of a target's machine; empty where it is not Android's.
StringRef abiOf(StringRef target) {
  return StringSwitch<StringRef>(target)
      .Case("android-arm64", "arm64-v8a")
      .Case("android-x86_64", "x86_64")
      .Default("");
}

Expected<std::map<std::string, const ModelFile *>> sortByAbi(ArrayRef<ModelFile> models) {
  std::map<std::string, const ModelFile *> byAbi;
  for (const ModelFile &model : models) {
    const StringRef abi = abiOf(model.target);
    if (abi.empty())
      return createStringError("'" + model.path + "' must be for Android, but was compiled for " + model.target +
                               "; compile with --target=android-arm64,android-x86_64");
    auto [known, isNew] = byAbi.try_emplace(abi.str(), &model);
    if (!isNew)
      return createStringError("there must be one library for each ABI, but '" + known->second->path + "' and '" +
                               model.path + "' are both for " + abi);
    const ModelFile &first = models.front();
    if (model.name != first.name || model.entries != first.entries)
      return createStringError("all libraries must be of one model, but '" + first.path + "' is " + first.name +
                               " and '" + model.path + "' is " + model.name +
                               (model.name == first.name ? ", with other inputs or outputs" : ""));
  }
  return byAbi;
}

//===----------------------------------------------------------------------===//
// 2. Classes
//===----------------------------------------------------------------------===//

bool isKeyword(StringRef word) {
  static const StringSet<> words = [] {
    StringSet<> set;
    for (StringRef one :
         split("abstract assert boolean break byte case catch char class const continue default do double "
               "else enum extends false final finally float for goto if implements import instanceof int "
               "interface long native new null package private protected public return short static "
               "strictfp super switch synchronized this throw throws transient true try void volatile "
               "while _",
               ' '))
      set.insert(one);
    return set;
  }();
  return words.contains(word);
}

bool isIdentifier(StringRef word) {
  return !word.empty() && !isDigit(word.front()) && !isKeyword(word) &&
         all_of(word, [](char c) { return isAlnum(c) || c == '_'; });
}

std::string classNameOf(const ModelFile &model, const AarOptions &options) {
  if (!options.className.empty())
    return options.className;
  const std::string name = camelCase(model.name);
  return "dev.nacre.model." + (name.empty() || isDigit(name.front()) ? "Model" + name : name);
}

/// One class for each entry: that of the first has the name, those of others their entry's behind it.
Error addClasses(const ModelFile &model, StringRef className,
                 std::vector<std::pair<std::string, std::string>> &classes) {
  SmallVector<StringRef> words;
  className.split(words, '.');
  if (words.size() < 2 || !all_of(words, isIdentifier))
    return createStringError("--class must be a class in a package, as com.example.Classifier, but is '" + className +
                             "'");
  for (const auto &[index, entry] : enumerate(model.entries)) {
    if (!all_of(entry.name, isPrint))
      return createStringError("'" + model.path +
                               "' has an entry whose name is not of printable ASCII; compile it "
                               "under another");
    std::string path = join(words, "/");
    if (index != 0)
      path += camelCase(entry.name);
    if (any_of(classes, [&](const auto &other) { return other.first == path; }))
      path += std::to_string(index);
    classes.emplace_back(path, writeModelClass(path, model.name, model, entry));
  }
  return Error::success();
}

std::string manifestOf(const ModelFile &model) {
  return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
         "<manifest xmlns:android=\"http://schemas.android.com/apk/res/android\"\n"
         "    package=\"dev.nacre.model." +
         StringRef(model.name).lower() + (isKeyword(StringRef(model.name).lower()) ? "_" : "") +
         "\">\n"
         "  <uses-sdk android:minSdkVersion=\"24\" />\n"
         "</manifest>\n";
}

constexpr StringLiteral kRules = "# Only the app calls a model's class: methods that it does not call can be removed. "
                                 "What native code calls is kept by the\n"
                                 "# rules of nacre-runtime.aar.\n";

constexpr StringLiteral kMetadata = "aarFormatVersion=1.0\naarMetadataVersion=1.0\n";

} // namespace

//===----------------------------------------------------------------------===//
// 3. The archive
//===----------------------------------------------------------------------===//

Expected<std::string> writeAar(ArrayRef<ModelFile> models, const AarOptions &options) {
  auto byAbi = sortByAbi(models);
  if (!byAbi)
    return byAbi.takeError();
  const ModelFile &model = models.front();
  std::vector<std::pair<std::string, std::string>> classes;
  if (Error error = addClasses(model, classNameOf(model, options), classes))
    return error;
  std::vector<ArchivedFile> classFiles;
  for (const auto &[path, bytes] : classes)
    classFiles.push_back({path + ".class", bytes});
  Expected<std::string> jar = writeArchive(classFiles);
  if (!jar)
    return jar.takeError();

  const std::string manifest = manifestOf(model);
  std::vector<ArchivedFile> files = {{"AndroidManifest.xml", manifest},
                                     {"META-INF/com/android/build/gradle/aar-metadata.properties", kMetadata},
                                     {"R.txt", ""},
                                     {"classes.jar", *jar}};
  for (const auto &[abi, file] : *byAbi)
    files.push_back({"jni/" + abi + "/lib" + model.name + ".so", file->bytes->getBuffer()});
  files.push_back({"proguard.txt", kRules});
  return writeArchive(files);
}

} // namespace nacre::tools
