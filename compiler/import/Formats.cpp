// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of supported formats.

#include "compiler/import/Formats.h"

#include "compiler/import/caffe/Format.h"
#include "compiler/import/cnndroid/Format.h"
#include "compiler/import/model/FileKind.h"
#include "compiler/import/onnx/Format.h"
#include "compiler/import/tensorflow/Format.h"
#include "compiler/import/tflite/Format.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace nacre::importer {

llvm::ArrayRef<const Format *> getFormats() {
  static const Format *const formats[] = {
      &onnx_format::format,
      &tensorflow_format::format,
      &tflite_format::format,
      // Both formats have networks of layers as text. Caffe claims every such text, so it comes last.
      &cnndroid_format::format,
      &caffe_format::format,
  };
  return formats;
}

FailureOr<std::unique_ptr<ModelView>> readModel(const ModelFile &file, ArrayRef<const Format *> formats,
                                                const ImportOptions &options, MLIRContext *context) {
  Location loc = FileLineColLoc::get(context, file.name, 0, 0);
  FileKind kind = recognizeFile(file.getBuffer(), file.name);
  bool hasChosen = !options.signatures.empty() || !options.tag.empty() || !options.checkpoint.empty();
  for (const Format *format : formats) {
    if (kind.isCertain || !format->claims(file))
      continue;
    if (hasChosen && !format->hasSignatures)
      return emitError(loc) << "--signature, --tag and --checkpoint only apply to saved models and graphs, but this is "
                            << format->name;
    if (!format->hasWeightsApart && (!options.weights.empty() || options.randomWeights))
      return emitError(loc) << "--weights and --random-weights only apply to models with separate weights, but this is "
                            << format->name;
    return format->read(file, options, context);
  }
  std::string known = llvm::join(llvm::map_range(formats, [](const Format *format) { return format->name; }), " or ");
  return emitError(loc) << "must be " << known << ", but seems to be " << kind.what << "; " << kind.advice;
}

} // namespace nacre::importer
