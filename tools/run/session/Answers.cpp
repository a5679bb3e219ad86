// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements Answers.h. All outputs are compared before a failure is returned, so that one run shows all differences.

#include "tools/run/session/Answers.h"
#include "dialects/OutputFile.h"
#include "tools/run/session/Files.h"
#include "tools/run/session/Inputs.h"
#include "tools/run/session/Text.h"
#include "tools/run/tensors/Npy.h"

#include <cmath>
#include <cstdio>

namespace nacre::run {
namespace {

std::string format(const char *pattern, double a, double b = 0, double c = 0) {
  char text[160];
  std::snprintf(text, sizeof text, pattern, a, b, c);
  return text;
}

/// Compares an output. If it agrees, prints that and returns ""; otherwise, returns a text about the difference.
std::string judge(const Port &port, const TensorView &expected, Tolerance tolerance) {
  const Comparison result = compareTensors(port.tensor, expected, tolerance);
  if (result.differing == 0) {
    std::printf("output '%s' agrees: largest difference %.3g, largest element %.6g\n", printableText(port.name).c_str(),
                result.largestDifference, result.scale);
    return "";
  }
  return "output '" + printableText(port.name) + "' differs at " + positionOf(result.worst, port.tensor.dims) +
         format(": must be %.9g within %.3g, but is %.9g", result.expected, result.allowed, result.actual) + "; " +
         std::to_string(result.differing) + " of " + std::to_string(expected.count) + " elements differ";
}

} // namespace

Outcome writeJson(const std::string &path, const std::string &json) {
  const std::string problem = writeFile(path, json);
  return problem.empty() ? std::nullopt : Outcome(usageFailure("cannot write '" + path + "': " + problem));
}

Outcome openExpected(std::vector<Port> &outputs, const Options &options, std::vector<Expected> &expected) {
  for (const std::string &text : options.expects) {
    std::string path;
    Expected &one = expected.emplace_back();
    if (Outcome failure = splitNamedFile(text, "--expect", outputs, one.port, path))
      return failure;
    if (Outcome failure = readTensor(path, one.tensor))
      return failure;
  }
  return std::nullopt;
}

Outcome compareOutputs(const std::vector<Expected> &expected, Tolerance tolerance) {
  std::string differences;
  for (const auto &[port, tensor] : expected) {
    const TensorView view = viewLike(port->tensor, tensor.view); // viewed after the run, because the output's size may
                                                                 // depend on the run
    std::string difference;
    if (view.type != port->tensor.type || view.dims != port->tensor.dims)
      difference = "output '" + printableText(port->name) + "' differs in kind: must be " +
                   describe(view.type, view.dims) + ", but is " + describe(port->tensor.type, port->tensor.dims);
    else
      difference = judge(*port, view, tolerance);
    if (!difference.empty())
      differences += (differences.empty() ? "" : "\n") + difference;
  }
  if (differences.empty())
    return std::nullopt;
  return Failure{ExitCode::Differs, differences};
}

Outcome writeOutputs(const std::vector<Port> &outputs, const std::vector<Port> &states, const std::string &folder) {
  const std::vector<std::string> paths = outputPaths(outputs, states, folder);
  const std::string *path = paths.data();
  for (const auto *ports : {&outputs, &states})
    for (const Port &port : *ports)
      if (Outcome failure = writeNpy(*path++, port.tensor))
        return failure;
  return std::nullopt;
}

std::string summarise(const TensorView &tensor) {
  double smallest = INFINITY, largest = -INFINITY, sum = 0;
  size_t nans = 0;
  for (size_t i = 0; i < tensor.count; ++i) {
    const double value = readElement(tensor.type, tensor.data, i);
    if (std::isnan(value)) {
      ++nans;
      continue;
    }
    smallest = std::fmin(smallest, value);
    largest = std::fmax(largest, value);
    sum += value;
  }
  const size_t numbers = tensor.count - nans;
  std::string text;
  if (nans != 0)
    text = std::to_string(nans) + " of " + std::to_string(tensor.count) + " NaN";
  if (numbers != 0)
    text += (nans != 0 ? "; of the others: smallest " : "smallest ") +
            format("%.6g, largest %.6g, mean %.6g", smallest, largest, sum / static_cast<double>(numbers));
  return text;
}

void summariseOutputs(const std::vector<Port> &outputs) {
  for (const Port &port : outputs) {
    const std::string summary = summarise(port.tensor);
    std::printf("%s %s%s%s\n", printableText(port.name).c_str(), describe(port.tensor.type, port.tensor.dims).c_str(),
                summary.empty() ? "" : ": ", summary.c_str());
  }
}

} // namespace nacre::run
