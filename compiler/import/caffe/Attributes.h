// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameters of Caffe's layers as attributes of nodes, by the names of their fields.

#ifndef NACRE_COMPILER_IMPORT_CAFFE_ATTRIBUTES_H
#define NACRE_COMPILER_IMPORT_CAFFE_ATTRIBUTES_H

#include "caffe.pb.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::importer::caffe_format {

/// Every field that the layer's text sets of the parameters of its type; of a message in these as `nms_param.top_k`.
llvm::SmallVector<mlir::NamedAttribute> readParameters(const caffe::LayerParameter &layer, llvm::StringRef type,
                                                       mlir::MLIRContext *context);

} // namespace nacre::importer::caffe_format

#endif // NACRE_COMPILER_IMPORT_CAFFE_ATTRIBUTES_H
