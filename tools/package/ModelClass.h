// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the Java class of a model's entry, with methods for inputs and outputs. So the app's compiler reports a name
// that is misspelt or no longer exists.
//
//   public final class Mobilenet extends dev.nacre.CompiledModel {
//     public static final String INPUT_IMAGE = "image", OUTPUT_PROBABILITIES = "probabilities";
//     public Mobilenet();                       // the library is opened, and closed with this
//     public Mobilenet(SessionOptions options);
//     public Mobilenet(Model model, SessionOptions options);
//     public FloatBuffer inputImage();          // IntBuffer, LongBuffer, ... or ByteBuffer, as the elements are
//     public FloatBuffer outputProbabilities();
//   }

#ifndef NACRE_TOOLS_PACKAGE_MODELCLASS_H
#define NACRE_TOOLS_PACKAGE_MODELCLASS_H

#include "tools/package/ModelFile.h"

namespace nacre::tools {

/// Returns the bytes of the class `className`, such as dev/nacre/model/Mobilenet. `library` is the argument of
/// Model.load.
std::string writeModelClass(llvm::StringRef className, llvm::StringRef library, const ModelFile &model,
                            const EntryOfFile &entry);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PACKAGE_MODELCLASS_H
