// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of a TensorFlow graph to a view that can be trusted.
//
// What: parses the file, checks its graph (CheckedGraph.h) and finds what of it is computed (Section.h).
// Why:  models come from strangers. This is the only code that meets their bytes; whatever it lets through is safe to
//       read, and whatever it refuses is an error at a place in the model, never a crash.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_READER_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_READER_H

#include "compiler/import/tensorflow/File.h"
#include "compiler/import/tensorflow/Section.h"

#include "llvm/ADT/DenseMap.h"

namespace nacre::importer::tensorflow_format {

class TensorFlowModel {
public:
  /// Reads a frozen graph, as bytes or as text. Errors are emitted at the node they concern.
  static mlir::FailureOr<std::unique_ptr<TensorFlowModel>> read(const ModelFile &file, const ImportOptions &options,
                                                                mlir::MLIRContext *context);

  const CheckedGraph &getGraph() const { return *graph; }
  const Section &getSection() const { return section; }

  /// A tensor of the file as a constant, the same attribute each time; errors are emitted at `loc`.
  mlir::FailureOr<mlir::ElementsAttr> readConstant(const tensorflow::TensorProto &tensor, llvm::StringRef name,
                                                   mlir::Location loc);

private:
  explicit TensorFlowModel(FileBytes bytes) : file(std::move(bytes)) {}

  TensorFlowFile file;
  tensorflow::GraphDef proto;
  std::optional<CheckedGraph> graph;
  Section section;
  llvm::DenseMap<const tensorflow::TensorProto *, mlir::ElementsAttr> constants;
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_READER_H
