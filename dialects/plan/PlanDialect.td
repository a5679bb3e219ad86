// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `plan` dialect: kernels, the launches that run them, storages, weights and loops. The runtime gets these.

#ifndef NACRE_DIALECTS_PLAN_PLANDIALECT
#define NACRE_DIALECTS_PLAN_PLANDIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let useDefaultAttributePrinterParser = 1;
  let cppNamespace = "::nacre::plan";
  let summary = "The plan that the runtime executes";
  let description = [{
    A module holds `plan.weight`s, `plan.kernel`s and `plan.entry`s. An entry is a list of launches. Early in the `kernels`
    phase, launches take and return tensors. Its last passes assign storages to tensors; from then on, launches write
    `memref`s (identity layout, static shape), as at run time. docs/phases/kernels.md describes the forms.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

// A signless i64 that C++ reads as signed.
def Plan_Int : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit integer">;

class Plan_Op<string mnemonic, list<Trait> traits = []> : Op<Plan_Dialect, mnemonic, traits>;

class Plan_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::nacre::plan";
  let genSpecializedAttr = 0;
}

def Plan_KernelKindEnum : Plan_Enum<"KernelKind", "the kind of work a kernel does: one emitter per engine each", [
  I32EnumAttrCase<"Contraction", 0, "contraction">, I32EnumAttrCase<"Nest", 1, "nest">, I32EnumAttrCase<"Row", 2, "row">,
  I32EnumAttrCase<"Permute", 3, "permute">, I32EnumAttrCase<"Indexed", 4, "indexed">, I32EnumAttrCase<"Scan", 5, "scan">,
  I32EnumAttrCase<"Serial", 6, "serial">, I32EnumAttrCase<"Attention", 7, "attention">,
  I32EnumAttrCase<"Separable", 8, "separable">]>;
def Plan_KernelKind : EnumAttr<Plan_Dialect, Plan_KernelKindEnum, "kind">;

def Plan_RoleEnum : Plan_Enum<"Role", "the purpose of a storage", [
  I32EnumAttrCase<"Input", 0, "input">, I32EnumAttrCase<"Output", 1, "output">, I32EnumAttrCase<"State", 2, "state">,
  I32EnumAttrCase<"Temporary", 3, "temporary">, I32EnumAttrCase<"Count", 4, "count">]>;
def Plan_Role : EnumAttr<Plan_Dialect, Plan_RoleEnum, "role">;

def Plan_EncodingKindEnum : Plan_Enum<"EncodingKind", "how a weight's bytes are laid out", [
  I32EnumAttrCase<"Plain", 0, "plain">, I32EnumAttrCase<"Panel", 1, "panel">]>;

def Plan_EncodingAttr : AttrDef<Plan_Dialect, "Encoding"> {
  let mnemonic = "encoding";
  let summary = "How a weight's bytes are laid out in the compiled model";
  let description = [{
    `plain`: row-major. `panel(nr)`: the last axis is split into panels of `nr` columns, and each panel stores all other axes
    in row-major order with `nr` values each: `[ceil(OC / nr)][rest...][nr]`; zeros fill the last panel.
    With `groups` > 1, every group of `OC / groups` columns is split into separate panels. With `parts` > 1, a panel has `nr`
    columns of each of `parts` equal parts, side by side: `[ceil(OC / parts / nr)][rest...][parts][nr]`.
    With `k` > 1, each column has `k` steps of the reduction side by side: `[ceil(OC / nr)][rest...][ceil(run / k)][nr][k]`. `run` is the
    product of the trailing axes of `rest` whose steps a left operand has one after another. If `k` does not divide it, the last
    `k` steps of a run overlap those before, and the overlap is zero. A run shorter than `k` ends with zeros.
  }];
  let parameters = (ins EnumParameter<Plan_EncodingKindEnum>:$kind, DefaultValuedParameter<"int64_t", "0">:$width,
                        DefaultValuedParameter<"int64_t", "1">:$groups, DefaultValuedParameter<"int64_t", "1">:$parts,
                        DefaultValuedParameter<"int64_t", "1">:$k, DefaultValuedParameter<"int64_t", "0">:$run);
  let assemblyFormat = [{
    `<` $kind (`,` `width` `=` $width^)? (`,` `groups` `=` $groups^)? (`parts` `=` $parts^)? (`k` `=` $k^ `,` `run` `=` $run)? `>`
  }];
  let builders = [AttrBuilder<(ins "EncodingKind":$kind, CArg<"int64_t", "0">:$width, CArg<"int64_t", "1">:$groups,
                                  CArg<"int64_t", "1">:$parts), [{
    return $_get($_ctxt, kind, width, groups, parts, /*k=*/1, /*run=*/0);
  }]>];
}

#endif // NACRE_DIALECTS_PLAN_PLANDIALECT
