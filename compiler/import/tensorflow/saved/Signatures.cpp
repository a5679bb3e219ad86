// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the graph of a saved model, and its signatures.
//
// How:  1. graphs, by their tags,
//       2. signatures, by their names.

#include "compiler/import/tensorflow/saved/Signatures.h"

#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/tensorflow/graph/File.h"
#include "compiler/import/tensorflow/saved/ConcreteFunctions.h"
#include "dialects/PrintableText.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace mlir;

namespace nacre::importer::tensorflow_format {

//===----------------------------------------------------------------------===//
// 1. Graphs
//===----------------------------------------------------------------------===//

static std::string listTags(const tensorflow::MetaGraphDef &meta) {
  return "{" + llvm::join(llvm::map_range(meta.meta_info_def().tags(), toPrintable), ", ") + "}";
}

FailureOr<tensorflow::MetaGraphDef *> chooseMetaGraph(tensorflow::SavedModel &model, StringRef tag, Location loc) {
  StringRef wanted = tag.empty() ? "serve" : tag;
  std::vector<tensorflow::MetaGraphDef *> tagged, exact;
  for (tensorflow::MetaGraphDef &meta : *model.mutable_meta_graphs())
    if (llvm::is_contained(meta.meta_info_def().tags(), wanted)) {
      tagged.push_back(&meta);
      if (meta.meta_info_def().tags_size() == 1)
        exact.push_back(&meta);
    }
  // A graph without other tags is preferred: {serve}, not {serve, gpu}.
  if (exact.size() == 1)
    return exact.front();
  if (tagged.size() == 1)
    return tagged.front();
  if (tag.empty() && model.meta_graphs_size() == 1)
    return model.mutable_meta_graphs(0);
  InFlightDiagnostic error = emitError(loc);
  if (model.meta_graphs_size() == 0)
    return error << "the saved model has no graph";
  error << "the saved model has " << describeCount(model.meta_graphs_size(), "graph") << ", of which " << tagged.size()
        << " have the tag '" << toPrintable(wanted) << "'; choose one with --tag:";
  for (const tensorflow::MetaGraphDef &meta : model.meta_graphs())
    error << " " << listTags(meta);
  return error;
}

//===----------------------------------------------------------------------===//
// 2. Signatures
//===----------------------------------------------------------------------===//

/// Returns the tensors sorted by key. If entries have the same key, the last one counts.
template <typename Entries> static std::vector<SignatureTensor> sortByKey(const Entries &entries) {
  std::map<StringRef, const tensorflow::TensorInfo *> sorted;
  for (const tensorflow::TensorInfoEntry &entry : entries)
    sorted[entry.key()] = &entry.value();
  std::vector<SignatureTensor> tensors;
  for (const auto &[key, info] : sorted)
    tensors.push_back({key, info});
  return tensors;
}

/// Returns `x: float, y: float -> z: float`, followed by the reasons why the signature cannot be used.
static std::string describe(const Signature &signature) {
  auto list = [](ArrayRef<SignatureTensor> tensors) {
    return llvm::join(llvm::map_range(tensors,
                                      [](const SignatureTensor &tensor) {
                                        return toPrintable(tensor.key) + ": " +
                                               getDataTypeName(tensor.info->dtype()).str();
                                      }),
                      ", ");
  };
  std::string text =
      "'" + toPrintable(signature.name) + "' (" + list(signature.inputs) + " -> " + list(signature.outputs) + ")";
  auto isText = [](const SignatureTensor &tensor) { return tensor.info->dtype() == tensorflow::DT_STRING; };
  if (llvm::any_of(signature.inputs, isText))
    text += ", which reads strings and cannot be compiled";
  else if (llvm::any_of(signature.outputs, isText))
    text += ", which returns strings and cannot be compiled";
  return text;
}

int countSignatures(const tensorflow::MetaGraphDef &meta) {
  return static_cast<int>(
      llvm::count_if(meta.signature_def(), [](const auto &entry) { return entry.key() != savedModelInitName; }));
}

FailureOr<std::vector<Signature>> chooseSignatures(const tensorflow::MetaGraphDef &meta, ArrayRef<std::string> names,
                                                   Location loc) {
  std::map<StringRef, Signature> known;
  for (const tensorflow::SignatureEntry &entry : meta.signature_def())
    known[entry.key()] = {entry.key(), sortByKey(entry.value().inputs()), sortByKey(entry.value().outputs())};
  known.erase(savedModelInitName);
  auto refuse = [&](const Twine &what) {
    InFlightDiagnostic error = emitError(loc) << what;
    StringRef separator = "; it has ";
    for (const auto &[name, signature] : known) {
      error << separator << describe(signature);
      separator = "; ";
    }
    if (known.empty())
      error << separator << "none";
    separator = "; its functions are ";
    for (const auto &[name, trace] : findFunctions(meta.object_graph_def())) {
      error << separator << "'" << toPrintable(name) << "'";
      separator = ", ";
    }
    return error;
  };
  std::vector<Signature> chosen;
  for (const std::string &name : names) {
    auto signature = known.find(name);
    if (signature == known.end())
      return refuse("--signature must name a signature of the model, but names '" + Twine(toPrintable(name)) + "'");
    if (llvm::any_of(chosen, [&](const Signature &other) { return other.name == name; }))
      return emitError(loc) << "--signature must name each signature once, but names '" << name << "' twice";
    chosen.push_back(signature->second);
  }
  if (chosen.empty()) {
    auto signature = known.size() == 1 ? known.begin() : known.find("serving_default");
    if (signature == known.end())
      return refuse("the model must have exactly one signature, or one called 'serving_default'; choose a signature or "
                    "function with --signature");
    chosen.push_back(signature->second);
  }
  for (const Signature &signature : chosen) {
    auto isNamed = [](const SignatureTensor &tensor) { return !tensor.info->name().empty(); };
    if (!llvm::all_of(signature.inputs, isNamed) || !llvm::all_of(signature.outputs, isNamed))
      return emitError(loc) << "the signature '" << toPrintable(signature.name)
                            << "' has sparse or composite tensors, which are not supported";
    if (signature.outputs.empty())
      return emitError(loc) << "the signature '" << toPrintable(signature.name)
                            << "' must have an output, but has none";
  }
  return chosen;
}

} // namespace nacre::importer::tensorflow_format
