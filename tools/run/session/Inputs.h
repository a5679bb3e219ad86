// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills the inputs and the state of a session from files, numbers and a seed.

#ifndef NACRE_TOOLS_RUN_SESSION_INPUTS_H
#define NACRE_TOOLS_RUN_SESSION_INPUTS_H

#include "tools/run/session/ModelSession.h"
#include "tools/run/tensors/MediaKind.h"

namespace nacre::run {

/// Returns the port whose name "name=rest" begins with, or nullptr; names may contain '='.
Port *splitNamed(const std::string &text, std::vector<Port> &ports, std::string &rest);

/// Splits "name=file" like splitNamed; the failure lists the known names.
Outcome splitNamedFile(const std::string &text, const char *option, std::vector<Port> &ports, Port *&port,
                       std::string &file);

/// Sets all elements of an input to a number: "name=number".
Outcome setNumber(const std::string &text, std::vector<Port> &ports);

/// Loads the state from the files of --resume and --weights.
Outcome loadStateFiles(ModelSession &session, const Options &options);

/// Function that fills an input from the bytes of a picture or a sound (MediaInputs.h).
using MediaFiller = Outcome (*)(Port &port, const Media &media, std::string_view bytes, const std::string &path,
                                const Options &options);

/// Fills every input from its file, a number, or the seed. Without a filler, pictures and sounds are refused.
Outcome fillPorts(std::vector<Port> &inputs, const Options &options, MediaFiller filler = nullptr);

/// Fills every input like fillPorts, and the state from its files, single tensors last.
Outcome fillInputs(ModelSession &session, const Options &options, MediaFiller filler);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_INPUTS_H
