// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See OpenShapes.h.

#include "compiler/import/entry/OpenShapes.h"

#include "compiler/import/messages/TypeNames.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace nacre::importer {

bool OpenShapes::add(const GraphValue &input, const llvm::StringMap<int64_t> &symbols) {
  if (!input.type.shape) {
    inputs.push_back({&input, "has no shape in the model"});
    return true;
  }
  ArrayRef<Dimension> dims = *input.type.shape;
  bool isMissing = false;
  for (auto [axis, dim] : llvm::enumerate(dims)) {
    bool isTold = !dim.symbol.empty() && (symbols.contains(dim.symbol) || dim.symbol == dims.front().symbol);
    if (!dim.isOpen() || dim.usual || axis == 0 || isTold)
      continue;
    isMissing = true;
    // If the user sets the symbol for another input, this axis gets the same size.
    if (!dim.symbol.empty() && asked.contains(dim.symbol))
      continue;
    std::string symbol = dim.symbol.empty() ? "open" : ("symbolic ('" + dim.symbol + "')").str();
    inputs.push_back({&input, "axis " + std::to_string(axis) + " must have a size, but is " + symbol});
    for (const Dimension &other : dims)
      if (!other.symbol.empty())
        asked.insert(other.symbol);
    break;
  }
  return isMissing;
}

/// Returns the option with the known sizes: `--shape x=1x3x<height>x<width>`.
static std::string suggestShape(const GraphValue &input) {
  std::string text = ("--shape " + input.name + "=").str();
  if (!input.type.shape)
    return text + "<dim>x<dim>...|scalar";
  auto describe = [](const Dimension &dim) {
    return !dim.isOpen() ? std::to_string(dim.size) : "<" + (dim.symbol.empty() ? "dim" : dim.symbol.str()) + ">";
  };
  return text + llvm::join(llvm::map_range(*input.type.shape, describe), "x");
}

LogicalResult OpenShapes::askForShapes(GraphView &graph) const {
  if (inputs.empty())
    return success();
  if (const OpenInput &only = inputs.front(); inputs.size() == 1)
    return emitError(graph.getLocation(only.input->name))
           << only.reason << "; give it with " << suggestShape(*only.input);
  InFlightDiagnostic diagnostic = emitError(graph.getLocation())
                                  << "the shapes of " << describeCount(inputs.size(), "input") << " must be known";
  for (auto [index, input] : llvm::enumerate(inputs))
    diagnostic << (index ? "; '" : ": '") << input.input->name << "' " << input.reason;
  diagnostic << "; give them with";
  for (const OpenInput &input : inputs)
    diagnostic << " " << suggestShape(*input.input);
  return diagnostic;
}

} // namespace nacre::importer
