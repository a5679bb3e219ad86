// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/attention/KeyRange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nacre::codegen::gpu {

Value excess(PointBuilder &build, Value a, Value b) {
  return arith::MaxSIOp::create(build.ops, build.loc, build.subtract(a, b), build.index(0));
}

SmallVector<Value> forSteps(PointBuilder &build, int64_t count, int64_t together, const KeyRange &range,
                            ValueRange carried, Steps body) {
  auto quotient = [&](Value value, int64_t by) -> Value {
    return arith::DivUIOp::create(build.ops, build.loc, value, build.index(by));
  };
  auto atMost = [&](Value value, int64_t most) -> Value {
    return arith::MinUIOp::create(build.ops, build.loc, value, build.index(most));
  };
  const int64_t iterations = count / together, done = iterations * together, rest = count - done;
  SmallVector<Value> values(carried);
  auto iterate = [&](Value iteration, ValueRange before) {
    return body(build.multiply(iteration, together), together, before);
  };
  auto finish = [&](Value, ValueRange before) { return body(build.index(done), rest, before); };
  if (!range.low) {
    if (iterations > 0)
      values = build.loop(iterations, values, iterate);
    return rest == 0 ? values : finish(Value(), values);
  }
  if (iterations > 0) {
    Value low = atMost(quotient(range.low, together), iterations);
    Value high = atMost(quotient(build.add(range.high, build.index(together - 1)), together), iterations);
    values = build.loop(low, high, values, iterate);
  }
  if (rest == 0)
    return values;
  // At most one iteration.
  Value low = atMost(quotient(range.low, count), 1), high = atMost(excess(build, range.high, build.index(done)), 1);
  return build.loop(low, high, values, finish);
}

} // namespace nacre::codegen::gpu
