// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports a model's file to its `nn` function, or lists the problems that prevent this.
//
// The format that claims the file, or the main file of a folder, reads it. GraphImporter then imports the view that the
// reader returns.

#include "compiler/import/Formats.h"
#include "compiler/import/GraphImporter.h"
#include "compiler/import/files/MappedPaths.h"
#include "compiler/import/model/FileKind.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace nacre::importer {

/// Returns the file to read for a model that is a folder. Returns an empty path if no format supports such a folder.
static std::string findFileOfFolder(StringRef folder) {
  for (const Format *format : getFormats())
    for (StringRef name : format->filesOfFolder) {
      SmallString<256> file(folder);
      llvm::sys::path::append(file, name);
      if (llvm::sys::fs::exists(file))
        return file.str().str();
    }
  return "";
}

static FailureOr<std::unique_ptr<ModelView>> readModel(StringRef path, const ImportOptions &options,
                                                       MLIRContext *context) {
  Location loc = UnknownLoc::get(context);
  std::string file = path.str();
  if (llvm::sys::fs::is_directory(path)) {
    file = findFileOfFolder(path);
    FileKind kind = recognizeFolder(path);
    if (file.empty())
      return emitError(loc) << "must be a file that holds a model, but is " << kind.what << "; " << kind.advice;
  }
  FailureOr<FileBytes> bytes = mapFile(file, loc);
  if (failed(bytes))
    return failure();
  StringRef folder = llvm::sys::path::parent_path(file);
  return readModel({std::move(*bytes), llvm::sys::path::filename(file).str(), folder.empty() ? "." : folder.str()},
                   getFormats(), options, context);
}

/// Returns `options` with names of inputs and tensors in the form that the model uses.
static ImportOptions normalize(const ModelView &model, const ImportOptions &options) {
  ImportOptions result = options;
  result.shapes.clear();
  result.values.clear();
  result.bounds.clear();
  for (const auto &[name, shape] : options.shapes)
    result.shapes[model.normalizeName(name)] = shape;
  for (const auto &[name, value] : options.values)
    result.values[model.normalizeName(name)] = value;
  for (const auto &[name, bound] : options.bounds)
    result.bounds[model.normalizeName(name)] = bound;
  if (!options.training)
    return result;
  result.training->batchAxes.clear();
  result.training->dropouts.clear();
  for (const auto &[name, axis] : options.training->batchAxes)
    result.training->batchAxes[model.normalizeName(name)] = axis;
  for (const auto &[name, ratio] : options.training->dropouts)
    result.training->dropouts[model.normalizeName(name)] = ratio;
  return result;
}

Model::Model(std::unique_ptr<ModelView> view, MLIRContext *context) : view(std::move(view)), context(context) {}
Model::~Model() = default;

std::unique_ptr<Model> Model::read(StringRef path, const ImportOptions &options, MLIRContext *context) {
  std::vector<std::string> files;
  const MappedPaths mapped(files);
  FailureOr<std::unique_ptr<ModelView>> view = readModel(path, options, context);
  if (failed(view))
    return nullptr;
  std::unique_ptr<Model> model(new Model(std::move(*view), context));
  model->files = std::move(files);
  return model;
}

OwningOpRef<ModuleOp> Model::import(const ImportOptions &options, const KeptTensors &kept) {
  const MappedPaths mapped(files);
  return importGraph(*view, normalize(*view, options), context, kept, &nodes);
}

std::optional<MemoryCap> Model::getMemoryCap() const { return view->getMemoryCap(); }

OwningOpRef<ModuleOp> importModel(StringRef path, const ImportOptions &options, MLIRContext *context) {
  return importModel(path, options, KeptTensors(), context);
}

OwningOpRef<ModuleOp> importModel(StringRef path, const ImportOptions &options, const KeptTensors &kept,
                                  MLIRContext *context) {
  std::unique_ptr<Model> model = Model::read(path, options, context);
  return model ? model->import(options, kept) : nullptr;
}

OwningOpRef<ModuleOp> importModel(llvm::MemoryBufferRef bytes, const ImportOptions &options, MLIRContext *context) {
  FileBytes buffer = llvm::MemoryBuffer::getMemBuffer(bytes, /*RequiresNullTerminator=*/false);
  FailureOr<std::unique_ptr<ModelView>> model =
      readModel({std::move(buffer), bytes.getBufferIdentifier().str(), /*folder=*/""}, getFormats(), options, context);
  return succeeded(model) ? importGraph(**model, normalize(**model, options), context) : nullptr;
}

LogicalResult checkModel(StringRef path, const ImportOptions &options, MLIRContext *context, CheckResult &result) {
  FailureOr<std::unique_ptr<ModelView>> model = readModel(path, options, context);
  if (failed(model))
    return failure();
  checkGraph(**model, normalize(**model, options), context, result);
  return success();
}

} // namespace nacre::importer
