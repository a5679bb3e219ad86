// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes loss and accuracy from the outputs of runs.

#include "tools/run/training/Scores.h"
#include "tools/run/session/Text.h"
#include "tools/run/training/Examples.h"

#include <algorithm>
#include <cstdio>

namespace nacre::run {
namespace {

/// Returns the axis of classes: without it, the output's `dims` equal the label's. If several axes are possible,
/// prefers the one that nacre-compile uses for classes, or else the last one.
std::optional<size_t> classAxis(const Dims &dims, const Dims &label) {
  if (dims.size() != label.size() + 1)
    return std::nullopt;
  const auto fits = [&](size_t axis) {
    Dims rest = dims;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(axis));
    return rest == label;
  };
  if (dims.size() > 3 && fits(1))
    return 1;
  for (size_t axis = dims.size(); axis-- > 0;)
    if (fits(axis))
      return axis;
  return std::nullopt;
}

} // namespace

void Scores::watch(const ModelSession &session) {
  const std::vector<std::string> labels = labelsOf(session);
  for (const Port &port : session.outputs)
    if (port.name == "loss")
      lossPort = &port;
    else if (port.name == "gradient_norm" && port.tensor.count == 1)
      normPort = &port;
    else if (port.name == "skipped_steps" && port.tensor.type == NACRE_I64 && port.tensor.count == 1)
      skippedPort = &port;
  for (const Port &port : session.inputs) {
    const bool isClass = port.tensor.type == NACRE_I64 || port.tensor.type == NACRE_I32;
    if (!isClass || std::find(labels.begin(), labels.end(), port.name) == labels.end())
      continue;
    for (const Port &candidate : session.outputs)
      if (std::optional<size_t> found = classAxis(candidate.tensor.dims, port.tensor.dims);
          found && !output && candidate.tensor.type == NACRE_F32) {
        classes = &port;
        output = &candidate;
        axis = *found;
      }
  }
}

void Scores::warnOfClasses(const Examples &from) const {
  const TensorView *labels = classes ? from.find(classes->name) : nullptr;
  size_t outside = 0;
  for (size_t i = 0; labels && i < labels->count; ++i) {
    const double value = readElement(labels->type, labels->data, i);
    outside += value < 0 || value >= static_cast<double>(classCount());
  }
  if (outside)
    std::fprintf(stderr,
                 "nacre-run: warning: %zu of %zu numbers of '%s' are not classes from 0 to %lld; only the value of "
                 "--loss=...,ignore= is skipped\n",
                 outside, labels->count, printableText(classes->name).c_str(),
                 static_cast<long long>(classCount()) - 1);
}

double Scores::latestLoss() const { return lossPort ? readElement(lossPort->tensor.type, lossPort->data, 0) : 0; }

uint64_t Scores::skippedSteps() const {
  return static_cast<uint64_t>(readElement(skippedPort->tensor.type, skippedPort->data, 0));
}

void Scores::addTo(Tally &tally, uint32_t examples, uint32_t batch) const {
  tally.lossSum += latestLoss();
  ++tally.runs;
  if (normPort) {
    const double norm = readElement(normPort->tensor.type, normPort->data, 0);
    tally.normSum += norm;
    tally.largestNorm = std::max(tally.largestNorm, norm);
    ++tally.norms;
  }
  if (!output)
    return;
  const Dims &dims = output->tensor.dims;
  size_t inner = 1;
  for (size_t i = axis + 1; i < dims.size(); ++i)
    inner *= static_cast<size_t>(dims[i]);
  const auto count = static_cast<size_t>(dims[axis]);
  const auto *numbers = static_cast<const float *>(output->data);
  for (size_t i = 0; i < classes->tensor.count / batch * examples; ++i) {
    const double wanted = readElement(classes->tensor.type, classes->data, i);
    if (wanted < 0 || wanted >= static_cast<double>(count))
      continue;
    const float *first = numbers + i / inner * count * inner + i % inner;
    size_t best = 0;
    for (size_t c = 1; c < count; ++c)
      if (first[c * inner] > first[best * inner])
        best = c;
    tally.right += static_cast<size_t>(wanted) == best;
    ++tally.counted;
  }
}

} // namespace nacre::run
