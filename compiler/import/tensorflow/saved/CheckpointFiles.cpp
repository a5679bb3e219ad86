// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the files of a model's checkpoint.

#include "compiler/import/tensorflow/saved/CheckpointFiles.h"

#include "dialects/PrintableText.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace nacre::importer::tensorflow_format {

static std::string joinPath(StringRef folder, StringRef name) {
  SmallString<256> file(folder);
  path::append(file, name);
  return file.str().str();
}

/// Returns the prefix of the newest checkpoint. The first line of the file `checkpoint` names it:
/// `model_checkpoint_path: "model-100"`. Only the last component of the path is used, because the path may be from
/// another machine.
static FailureOr<std::string> findNewest(StringRef folder, Location loc) {
  FailureOr<FileBytes> bytes = mapFile(joinPath(folder, "checkpoint"), loc);
  if (failed(bytes))
    return failure();
  StringRef line = (*bytes)->getBuffer().split('\n').first.trim();
  if (!line.consume_front("model_checkpoint_path:"))
    return emitError(loc) << "the file 'checkpoint' must begin with 'model_checkpoint_path:', but does not";
  StringRef name = path::filename(line.trim().trim('"'));
  if (name.empty() || name == "." || name == "..")
    return emitError(loc) << "the file 'checkpoint' must name a checkpoint, but names '" << toPrintable(line) << "'";
  return joinPath(folder, name);
}

FailureOr<std::string> findCheckpoint(const ModelFile &file, WireRoot root, StringRef given, Location loc) {
  auto hasIndex = [](StringRef prefix) { return fs::exists(prefix + ".index"); };
  if (given.empty()) {
    std::string prefix;
    if (root == WireRoot::SavedModel && !file.folder.empty())
      prefix = joinPath(file.folder, "variables/variables");
    else if (root == WireRoot::MetaGraph && !file.folder.empty())
      prefix = joinPath(file.folder, path::stem(file.name));
    return hasIndex(prefix) ? prefix : std::string();
  }
  FailureOr<std::string> prefix =
      fs::is_directory(given) ? findNewest(given, loc) : FailureOr<std::string>(given.str());
  if (failed(prefix))
    return failure();
  StringRef name = *prefix;
  if (!hasIndex(name) && (name.ends_with(".index") || name.ends_with(".meta")))
    name = name.take_front(name.rfind('.'));
  if (hasIndex(name))
    return name.str();
  if (fs::exists(name))
    return emitError(loc) << "--checkpoint must name a checkpoint of TensorFlow's second format, but '"
                          << toPrintable(name) << "' has no index; write it again with a version 2 tf.train.Saver";
  return emitError(loc) << "--checkpoint must name a checkpoint, but there is no file '" << toPrintable(name)
                        << ".index'";
}

} // namespace nacre::importer::tensorflow_format
