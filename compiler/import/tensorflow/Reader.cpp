// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of a TensorFlow graph to a view that can be trusted.

#include "compiler/import/tensorflow/Reader.h"

#include "compiler/import/FileKind.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {

FailureOr<std::unique_ptr<TensorFlowModel>> TensorFlowModel::read(const ModelFile &file, const ImportOptions &options,
                                                                  MLIRContext *context) {
  Location loc = FileLineColLoc::get(context, file.name, 0, 0);
  FailureOr<FileBytes> bytes =
      isText(file.getBuffer()) ? encodeText(file.getBuffer(), WireRoot::Graph, loc) : FailureOr(file.bytes);
  if (failed(bytes))
    return failure();
  std::unique_ptr<TensorFlowModel> model(new TensorFlowModel(std::move(*bytes)));
  if (failed(model->file.parse(loc, WireRoot::Graph, model->proto)))
    return failure();
  FailureOr<CheckedGraph> graph = CheckedGraph::read(model->proto, loc);
  if (failed(graph))
    return failure();
  model->graph = std::move(*graph);
  FailureOr<Section> section = findSection(*model->graph, options);
  if (failed(section))
    return failure();
  model->section = std::move(*section);
  return model;
}

FailureOr<ElementsAttr> TensorFlowModel::readConstant(const tensorflow::TensorProto &tensor, StringRef name,
                                                      Location loc) {
  ElementsAttr &known = constants[&tensor];
  if (known)
    return known;
  FailureOr<ElementsAttr> value = file.readConstant(tensor, name, loc);
  if (succeeded(value))
    known = *value;
  return value;
}

} // namespace nacre::importer::tensorflow_format
