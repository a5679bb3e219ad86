// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. find the loop of the nest for each loop of a stage; 2. collect the stage's operands; 3. find the loop of
//        the cut axis.

#include "codegen/cpu/nest/NestStages.h"

#include "codegen/cpu/VectorBody.h"
#include "codegen/form/ScalarBody.h"
#include "dialects/StoredBytes.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "nacre-kernel-form"

using namespace mlir;

namespace nacre::codegen::cpu {

namespace {

/// Loop of the nest for each loop of a stage; `nullopt` for a loop of one iteration.
using LoopMap = SmallVector<std::optional<unsigned>>;

std::optional<unsigned> loopOfAxis(AffineMap map, unsigned axis) {
  auto dim = dyn_cast<AffineDimExpr>(map.getResult(axis));
  return dim ? std::optional<unsigned>(dim.getPosition()) : std::nullopt;
}

class Collector {
public:
  explicit Collector(const KernelForm &form) : form(form) {}

  FailureOr<NestStages> collect() {
    const Work &first = form.work.front();
    for (int64_t size : first.sizes)
      result.nest.loops.push_back({size, true});
    for (const Work &work : form.work)
      if (!canInline(*work.body, /*readsTables=*/true) || failed(addStage(work))) {
        LDBG() << "stage " << result.stages.size() << " does not fit";
        return failure();
      }
    if (failed(findCut()))
      return failure();
    return std::move(result);
  }

private:
  //===--------------------------------------------------------------------===//
  // 1. Loops
  //===--------------------------------------------------------------------===//

  FailureOr<LoopMap> matchLoops(const Work &work) {
    const unsigned count = result.nest.loops.size();
    LoopMap map(work.loops());
    if (result.stages.empty()) {
      for (unsigned i = 0; i < count; ++i)
        map[i] = i;
      return map;
    }
    SmallVector<bool> taken(count, false);
    for (const Input &input : work.inputs) {
      if (input.source != Input::Source::Work)
        continue;
      const Result &producer = form.work[input.work].results[input.result];
      for (unsigned axis = 0; axis < producer.map.getNumResults(); ++axis) {
        std::optional<unsigned> here = loopOfAxis(input.map, axis), there = loopOfAxis(producer.map, axis);
        if (!here || !there) {
          if (producer.shape[axis] != 1)
            return failure();
          continue;
        }
        std::optional<unsigned> loop = maps[input.work][*there];
        if (map[*here] && loop && map[*here] != loop)
          return failure();
        if (loop) {
          map[*here] = loop;
          taken[*loop] = true;
        }
      }
    }
    for (unsigned i = 0; i < work.loops(); ++i) {
      if (map[i] || work.sizes[i] == 1)
        continue;
      if (i >= count || taken[i] || result.nest.loops[i].size != work.sizes[i])
        return failure();
      map[i] = i;
      taken[i] = true;
    }
    for (unsigned i = 0; i < work.loops(); ++i)
      if (map[i] && result.nest.loops[*map[i]].size != work.sizes[i])
        return failure();
    return map;
  }

  //===--------------------------------------------------------------------===//
  // 2. Operands
  //===--------------------------------------------------------------------===//

  LogicalResult addStage(const Work &work) {
    FailureOr<LoopMap> map = matchLoops(work);
    if (failed(map))
      return failure();
    Stage stage;
    stage.body = work.body;
    stage.reduces = !work.allParallel();
    stage.walks.assign(result.nest.loops.size(), false);
    stage.keeps.assign(result.nest.loops.size(), false);
    for (unsigned i = 0; i < work.loops(); ++i)
      if (std::optional<unsigned> loop = (*map)[i]) {
        stage.walks[*loop] = true;
        stage.keeps[*loop] = work.parallel[i];
        if (!work.parallel[i])
          result.nest.loops[*loop].parallel = false;
      }
    for (const Input &input : work.inputs)
      stage.inputs.push_back(addInput(input, *map));
    for (const Result &value : work.results) {
      StageResult stageResult{value.start, value.elementType, std::nullopt};
      if (value.written) {
        FailureOr<Access> access = composeAccess(form.written[*value.written].slice, value.map, value.elementType);
        if (failed(access))
          return failure();
        stageResult.operand = addOperand(*access, *map, /*written=*/true);
      }
      stage.results.push_back(stageResult);
    }
    maps.push_back(std::move(*map));
    result.stages.push_back(std::move(stage));
    return success();
  }

  StageInput addInput(const Input &input, const LoopMap &map) {
    StageInput stageInput;
    stageInput.unread = input.source == Input::Source::Unread;
    stageInput.stage = input.work;
    stageInput.result = input.result;
    if (input.source == Input::Source::Storage)
      stageInput.operand = addOperand(input.access, map, /*written=*/false);
    return stageInput;
  }

  SmallVector<int64_t> remap(ArrayRef<int64_t> values, const LoopMap &map) {
    SmallVector<int64_t> remapped(result.nest.loops.size(), 0);
    for (auto [loop, value] : llvm::zip_equal(map, values))
      if (loop)
        remapped[*loop] += value;
    return remapped;
  }

  unsigned addOperand(const Access &access, const LoopMap &map, bool written) {
    NestOperand operand;
    operand.argument = access.argument;
    operand.offset = access.offset;
    operand.strides = remap(access.strides, map);
    operand.bytes = bytesOfElement(access.elementType);
    operand.written = written;
    result.nest.operands.push_back(std::move(operand));
    for (const PaddedAxis &axis : access.padded)
      result.nest.windows.push_back({axis.size, axis.constant, remap(axis.coefficients, map)});
    return result.nest.operands.size() - 1;
  }

  //===--------------------------------------------------------------------===//
  // 3. The cut
  //===--------------------------------------------------------------------===//

  LogicalResult findCut() {
    if (form.cutExtent == 1)
      return success();
    // Collect the loops of all axes of all written tensors.
    SmallVector<LoopMap> axes(form.written.size());
    for (auto [index, work] : llvm::enumerate(form.work))
      for (const Result &value : work.results)
        for (unsigned axis = 0; value.written && axis < value.map.getNumResults(); ++axis) {
          std::optional<unsigned> loop = loopOfAxis(value.map, axis);
          axes[*value.written].push_back(loop ? maps[index][*loop] : std::nullopt);
        }
    result.cut = axes.front()[form.cutAxis];
    // If the axis is also reduced, the grain must say that it cannot be divided.
    if (result.cut && !result.nest.loops[*result.cut].parallel && form.grain == form.cutExtent)
      result.cut.reset();
    else if (!result.cut || !result.nest.loops[*result.cut].parallel ||
             result.nest.loops[*result.cut].size != form.cutExtent)
      return failure();
    if (!result.cut)
      return success();
    for (const LoopMap &loops : axes) {
      auto axis = llvm::find(loops, result.cut);
      if (axis == loops.end())
        return failure();
      result.cutAxes.push_back(axis - loops.begin());
    }
    return success();
  }

  const KernelForm &form;
  NestStages result;
  SmallVector<LoopMap> maps; ///< Map of each stage's loops
};

} // namespace

FailureOr<NestStages> collectStages(const KernelForm &form) { return Collector(form).collect(); }

} // namespace nacre::codegen::cpu
