// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/EmulateInt64.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

bool isWide(Type type) { return type.isInteger(64); }

/// True if `type` is i64, or has elements of i64.
bool hasWide(Type type) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    type = shaped.getElementType();
  return getElementTypeOrSelf(type).isInteger(64);
}

/// True if `value` is a bound storage of i64. It is then an argument of the kernel, not shared memory.
bool isFlatStorage(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  auto argument = dyn_cast<BlockArgument>(value);
  auto function = argument ? dyn_cast<mlir::gpu::GPUFuncOp>(argument.getOwner()->getParentOp()) : nullptr;
  return function && argument.getArgNumber() < function.getFunctionType().getNumInputs() && type.getRank() == 1 &&
         type.getLayout().isIdentity() && isWide(type.getElementType());
}

bool isKnown(Operation &op) {
  auto areScalars = [](auto types) {
    return llvm::all_of(types, [](Type type) { return !hasWide(type) || isWide(type); });
  };
  if (llvm::none_of(op.getOperandTypes(), hasWide) && llvm::none_of(op.getResultTypes(), hasWide))
    return true;
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case([&](memref::LoadOp load) { return isFlatStorage(load.getMemref()); })
      .Case([&](memref::StoreOp store) { return isFlatStorage(store.getMemref()); })
      .Case<arith::ConstantOp, arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp, arith::CmpIOp,
            arith::SelectOp, arith::TruncIOp, arith::ExtSIOp, arith::ExtUIOp>(
          [&](auto) { return areScalars(op.getOperandTypes()) && areScalars(op.getResultTypes()); })
      .Case([&](arith::IndexCastOp cast) { return isWide(cast.getIn().getType()) && cast.getType().isIndex(); })
      .Default([](Operation *) { return false; });
}

struct Words {
  Value low, high;
};

class Emulation {
public:
  explicit Emulation(mlir::gpu::GPUFuncOp function) : function(function), b(function.getContext()) {}

  void run() {
    SmallVector<Operation *> wide;
    function.walk([&](Operation *op) {
      if (llvm::any_of(op->getOperandTypes(), hasWide) || llvm::any_of(op->getResultTypes(), hasWide))
        wide.push_back(op);
    });
    narrowStorages();
    for (Operation *op : wide) {
      b.setInsertionPoint(op);
      rewrite(op);
    }
    for (Operation *op : llvm::reverse(wide))
      op->erase();
  }

private:
  void narrowStorages() {
    SmallVector<Type> types;
    for (BlockArgument argument : function.getArguments().take_front(function.getFunctionType().getNumInputs())) {
      auto type = dyn_cast<MemRefType>(argument.getType());
      if (type && isWide(type.getElementType())) {
        // The size of a shifted operand is dynamic.
        const int64_t size = type.isDynamicDim(0) ? ShapedType::kDynamic : 2 * type.getDimSize(0);
        argument.setType(MemRefType::get({size}, b.getI32Type(), MemRefLayoutAttrInterface(), type.getMemorySpace()));
      }
      types.push_back(argument.getType());
    }
    function.setFunctionType(b.getFunctionType(types, function.getFunctionType().getResults()));
  }

  Value number(int64_t value) { return arith::ConstantIntOp::create(b, loc(), b.getI32Type(), value); }
  Location loc() { return function.getLoc(); }
  template <typename Op> Value make(Value x, Value y) { return Op::create(b, loc(), x, y); }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc(), predicate, x, y);
  }
  Value toWord(Value bit) { return arith::ExtUIOp::create(b, loc(), b.getI32Type(), bit); }

  Value indexOf(Value element, int64_t word) {
    Value two = arith::ConstantIndexOp::create(b, loc(), 2);
    Value first = make<arith::MulIOp>(element, two);
    return word ? make<arith::AddIOp>(first, arith::ConstantIndexOp::create(b, loc(), word)) : first;
  }

  /// Extends an integer of at most 32 bits to two words.
  Words extend(Value value, bool isSigned) {
    Type word = b.getI32Type();
    if (value.getType() != word)
      value = isSigned ? arith::ExtSIOp::create(b, loc(), word, value).getResult()
                       : arith::ExtUIOp::create(b, loc(), word, value).getResult();
    return {value, isSigned ? make<arith::ShRSIOp>(value, number(31)) : number(0)};
  }

  Value compareWords(arith::CmpIPredicate predicate, const Words &x, const Words &y) {
    using P = arith::CmpIPredicate;
    if (predicate == P::eq || predicate == P::ne) {
      Value low = compare(predicate, x.low, y.low), high = compare(predicate, x.high, y.high);
      return predicate == P::eq ? make<arith::AndIOp>(low, high) : make<arith::OrIOp>(low, high);
    }
    // The high words decide, unless they are equal. Low words are always compared as unsigned integers.
    const bool isLess = predicate == P::slt || predicate == P::sle || predicate == P::ult || predicate == P::ule;
    const bool orEqual = predicate == P::sle || predicate == P::sge || predicate == P::ule || predicate == P::uge;
    const bool isSigned = predicate == P::slt || predicate == P::sle || predicate == P::sgt || predicate == P::sge;
    const P ofHigh = isLess ? (isSigned ? P::slt : P::ult) : (isSigned ? P::sgt : P::ugt);
    const P ofLow = isLess ? (orEqual ? P::ule : P::ult) : (orEqual ? P::uge : P::ugt);
    Value areEqual = compare(P::eq, x.high, y.high);
    return make<arith::OrIOp>(compare(ofHigh, x.high, y.high),
                              make<arith::AndIOp>(areEqual, compare(ofLow, x.low, y.low)));
  }

  void rewrite(Operation *op) {
    auto replace = [&](Value by) { op->getResult(0).replaceAllUsesWith(by); };
    auto select = [&](Value condition, Value x, Value y) -> Value {
      return arith::SelectOp::create(b, loc(), condition, x, y);
    };
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](memref::LoadOp load) {
          auto word = [&](int64_t number) -> Value {
            return memref::LoadOp::create(b, loc(), load.getMemref(), indexOf(load.getIndices()[0], number));
          };
          words[load] = {word(0), word(1)};
        })
        .Case([&](memref::StoreOp store) {
          const Words value = words[store.getValue()];
          memref::StoreOp::create(b, loc(), value.low, store.getMemref(), indexOf(store.getIndices()[0], 0));
          memref::StoreOp::create(b, loc(), value.high, store.getMemref(), indexOf(store.getIndices()[0], 1));
        })
        .Case([&](arith::ConstantOp constant) {
          const int64_t value = cast<IntegerAttr>(constant.getValue()).getInt();
          words[constant] = {number(int32_t(value)), number(int32_t(value >> 32))};
        })
        .Case([&](arith::AddIOp add) {
          const Words x = words[add.getLhs()], y = words[add.getRhs()];
          Value low = make<arith::AddIOp>(x.low, y.low);
          Value carry = toWord(compare(arith::CmpIPredicate::ult, low, x.low));
          words[add] = {low, make<arith::AddIOp>(make<arith::AddIOp>(x.high, y.high), carry)};
        })
        .Case([&](arith::SubIOp sub) {
          const Words x = words[sub.getLhs()], y = words[sub.getRhs()];
          Value borrow = toWord(compare(arith::CmpIPredicate::ult, x.low, y.low));
          words[sub] = {make<arith::SubIOp>(x.low, y.low),
                        make<arith::SubIOp>(make<arith::SubIOp>(x.high, y.high), borrow)};
        })
        .Case<arith::MinSIOp, arith::MaxSIOp>([&](auto extreme) {
          const Words x = words[extreme.getLhs()], y = words[extreme.getRhs()];
          const bool isLeast = isa<arith::MinSIOp>(extreme);
          Value isFirst = compareWords(isLeast ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sgt, x, y);
          words[extreme] = {select(isFirst, x.low, y.low), select(isFirst, x.high, y.high)};
        })
        .Case([&](arith::CmpIOp cmp) {
          replace(compareWords(cmp.getPredicate(), words[cmp.getLhs()], words[cmp.getRhs()]));
        })
        .Case([&](arith::SelectOp one) {
          const Words x = words[one.getTrueValue()], y = words[one.getFalseValue()];
          words[one] = {select(one.getCondition(), x.low, y.low), select(one.getCondition(), x.high, y.high)};
        })
        .Case([&](arith::TruncIOp trunc) {
          Value low = words[trunc.getIn()].low;
          replace(trunc.getType() == low.getType()
                      ? low
                      : arith::TruncIOp::create(b, loc(), trunc.getType(), low).getResult());
        })
        .Case([&](arith::ExtSIOp ext) { words[ext] = extend(ext.getIn(), /*isSigned=*/true); })
        .Case([&](arith::ExtUIOp ext) { words[ext] = extend(ext.getIn(), /*isSigned=*/false); })
        // An index has 32 bits on a GPU, so the low word suffices.
        .Case([&](arith::IndexCastOp cast) {
          replace(arith::IndexCastOp::create(b, loc(), cast.getType(), words[cast.getIn()].low));
        });
  }

  mlir::gpu::GPUFuncOp function;
  OpBuilder b;
  llvm::DenseMap<Value, Words> words;
};

} // namespace

bool emulateInt64(mlir::gpu::GPUModuleOp module) {
  const bool isKnownAll =
      !module.walk([](Operation *op) { return isKnown(*op) ? WalkResult::advance() : WalkResult::interrupt(); })
           .wasInterrupted();
  if (!isKnownAll)
    return false;
  for (auto function : module.getOps<mlir::gpu::GPUFuncOp>())
    Emulation(function).run();
  return true;
}

} // namespace nacre::codegen::gpu
