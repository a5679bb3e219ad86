// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/package/Aar.h"
#include "tools/package/Archive.h"
#include "tools/package/ModelClass.h"
#include "tools/package/ModelMembers.h"
#include "tools/package/ModelSource.h"
#include "tools/package/Prefab.h"

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

/// Returns Android's name (ABI) for a target's machine, or "" if the target is not Android.
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

/// Returns the name of each entry's class. The first is `className`; the others are `className` and the name of their
/// entry.
Expected<std::vector<std::string>> nameClasses(const ModelFile &model, StringRef className) {
  std::vector<std::string> names;
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
    if (is_contained(names, path))
      path += std::to_string(index);
    names.push_back(std::move(path));
  }
  return names;
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
// 3. The archives
//===----------------------------------------------------------------------===//

/// Returns an archive with one file for each class. `write` returns the text of a file.
template <typename Write>
static Expected<std::string> archiveClasses(const ModelFile &model, ArrayRef<std::string> names, StringRef extension,
                                            Write write) {
  std::deque<std::string> contents;
  std::vector<ArchivedFile> files;
  for (const auto &[name, entry] : zip_equal(names, model.entries))
    files.push_back({name + extension.str(), contents.emplace_back(write(name, model.name, model, entry))});
  return writeArchive(files);
}

Expected<AndroidLibrary> writeAndroidLibrary(ArrayRef<ModelFile> models, const AarOptions &options) {
  auto byAbi = sortByAbi(models);
  if (!byAbi)
    return byAbi.takeError();
  const ModelFile &model = models.front();
  auto names = nameClasses(model, classNameOf(model, options));
  if (!names)
    return names.takeError();
  AndroidLibrary library;
  Expected<std::string> jar = archiveClasses(model, *names, ".class", writeModelClass);
  if (!jar)
    return jar.takeError();
  Expected<std::string> sources = archiveClasses(model, *names, ".java", writeModelSource);
  if (!sources)
    return sources.takeError();
  library.sources = std::move(*sources);
  const std::string page = writeModelPage(*names, model);
  Expected<std::string> javadoc = writeArchive({{"index.html", page}});
  if (!javadoc)
    return javadoc.takeError();
  library.javadoc = std::move(*javadoc);

  const std::string manifest = manifestOf(model);
  std::deque<std::string> texts;
  std::vector<std::unique_ptr<MemoryBuffer>> weights;
  std::vector<ArchivedFile> files = {{"AndroidManifest.xml", manifest},
                                     {"META-INF/com/android/build/gradle/aar-metadata.properties", kMetadata},
                                     {"R.txt", ""}};
  for (const auto &[abi, file] : *byAbi) {
    if (file->weightsLayout == 0 || !options.hasWeights)
      continue;
    auto bytes = readWeightsFile(*file);
    if (!bytes)
      return bytes.takeError();
    files.push_back({"assets/nacre/" + abi + "/" + model.name + ".weights", (*bytes)->getBuffer()});
    weights.push_back(std::move(*bytes));
  }
  files.push_back({"classes.jar", *jar});
  for (const auto &[abi, file] : *byAbi)
    files.push_back({"jni/" + abi + "/lib" + model.name + ".so", file->bytes->getBuffer()});
  const std::string headerPath = besideLibrary(model, ".h", /*keepsPrefix=*/false);
  auto header = MemoryBuffer::getFile(headerPath, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (header)
    addPrefab(*byAbi, options.version, (*header)->getBuffer(), files, texts);
  else
    library.notes.push_back("apps in C and C++ cannot use this AAR, because '" + headerPath +
                            "' cannot be read: " + header.getError().message() +
                            "; copy the header that nacre-compile wrote with the library");
  files.push_back({"proguard.txt", kRules});
  Expected<std::string> aar = writeArchive(files);
  if (!aar)
    return aar.takeError();
  library.aar = std::move(*aar);
  return library;
}

} // namespace nacre::tools
