// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts parameters of Caffe's layers to attributes of nodes that have the names of the fields.

#ifndef NACRE_COMPILER_IMPORT_CAFFE_ATTRIBUTES_H
#define NACRE_COMPILER_IMPORT_CAFFE_ATTRIBUTES_H

#include "caffe.pb.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::importer::caffe_format {

/// Returns every field that the layer's text sets in the parameters of `type`. The name of a field of a nested message
/// is a path: `nms_param.top_k`.
llvm::SmallVector<mlir::NamedAttribute> readParameters(const caffe::LayerParameter &layer, llvm::StringRef type,
                                                       mlir::MLIRContext *context);

} // namespace nacre::importer::caffe_format

#endif // NACRE_COMPILER_IMPORT_CAFFE_ATTRIBUTES_H
