// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the facts that an operator of `nn` states of itself, where it is defined.
// Why:   passes ask for the fact they need, so that a new operator is no new case in any of them.
// How:   five interfaces. The traits below state common facts in one word (OperatorFacts.h explains them). Facts that
//        depend on attributes are methods of the operator, which are defined with its family.

#ifndef NACRE_DIALECTS_NN_NNINTERFACES
#define NACRE_DIALECTS_NN_NNINTERFACES

include "mlir/IR/OpBase.td"

def Nn_OperatorInterface : OpInterface<"OperatorInterface"> {
  let cppNamespace = "::nacre::nn";
  let description = [{Facts of every operator.}];
  let methods = [
    InterfaceMethod<"The kind of kernel that computes it.", "::nacre::nn::WorkKind", "getWorkKind">,
    InterfaceMethod<"How wide its results must be when a network is narrowed.", "::nacre::nn::Width", "getWidth">,
    InterfaceMethod<"Whether an operand says where, not what, so that it is not narrowed.", "bool", "readsWide",
                    (ins "unsigned":$operand), /*methodBody=*/"", /*defaultImplementation=*/"return false;">
  ];
}

def Nn_AxesInterface : OpInterface<"AxesInterface"> {
  let cppNamespace = "::nacre::nn";
  let description = [{
    States what happens along each axis of its operands and results (Axes.h).
  }];
  let methods = [
    InterfaceMethod<"Returns its iteration axes, in any order.", "::nacre::nn::Axes", "getIterationAxes">
  ];
}

def Nn_LayoutInterface : OpInterface<"LayoutInterface"> {
  let cppNamespace = "::nacre::nn";
  let description = [{
    An operator that does not care about the order of axes: how it behaves when its values are stored transposed
    (Layouts.h). The layouts follow from its iteration axes unless it states them itself.
  }];
  let methods = [
    InterfaceMethod<"The layouts of all its values if `value`, its result or an operand, has `layout`; nothing if it has none then.",
                    "std::optional<::nacre::nn::OpLayouts>", "transferLayout",
                    (ins "::mlir::Value":$value, "::nacre::nn::Dims":$layout), /*methodBody=*/"",
                    /*defaultImplementation=*/"return ::nacre::nn::transferByAxes($_op, value, layout);">,
    InterfaceMethod<"Renames the axes in its attributes, now that its values are stored in `layouts`.",
                    "void", "moveAttributes", (ins "const ::nacre::nn::OpLayouts &":$layouts)>
  ];
}

def Nn_CountsInterface : OpInterface<"CountsInterface"> {
  let cppNamespace = "::nacre::nn";
  let description = [{
    An operator that passes on sizes that data decide in another way than its iteration axes say (Counts.h).
  }];
  let methods = [
    InterfaceMethod<"The counts of its result; nothing where elements that are not there would be in it.",
                    "std::optional<::nacre::nn::AxisCounts>", "transferCounts",
                    (ins "::llvm::ArrayRef<::nacre::nn::AxisCounts>":$operands)>
  ];
}

def Nn_EvaluateInterface : OpInterface<"EvaluateInterface"> {
  let cppNamespace = "::nacre::nn";
  let description = [{An operator whose value is known where its operands are constants (Evaluate.h).}];
  let methods = [
    InterfaceMethod<"Its value, which has elements, for these operands.",
                    "::mlir::ElementsAttr", "evaluate", (ins "::nacre::nn::Views":$operands)>,
    InterfaceMethod<[{
      How many elements it reads, or products it adds, to make its result, where these are not just as many as the result
      has. A splat saves none of them.
    }], "int64_t", "countReducedElements">,
    InterfaceMethod<"Whether splats of any size give a splat, at the price of one element.", "bool", "keepsSplats">
  ];
}

//===----------------------------------------------------------------------===//
// Facts in one word
//===----------------------------------------------------------------------===//

class Nn_Fact<string name> : NativeOpTrait<name> { let cppNamespace = "::nacre::nn"; }

// The kind of kernel.
class Nn_Work<string kind> : Nn_Fact<"Works<::nacre::nn::WorkKind::" # kind # ">::Impl">;
def Nn_Contraction : Nn_Work<"Contraction">;
def Nn_Attention : Nn_Work<"Attention">;
def Nn_Row : Nn_Work<"Row">;
def Nn_Nest : Nn_Work<"Nest">;
def Nn_Permute : Nn_Work<"Permute">;
def Nn_Indexed : Nn_Work<"Indexed">;
def Nn_Scan : Nn_Work<"Scan">;
def Nn_Serial : Nn_Work<"Serial">;
def Nn_Elementwise : Nn_Work<"Elementwise">;
def Nn_Boundary : Nn_Work<"Boundary">;

// The width of results.
class Nn_Width<string width> : Nn_Fact<"HasWidth<::nacre::nn::Width::" # width # ">::Impl">;
def Nn_FreeWidth : Nn_Width<"Free">;
def Nn_SameWidth : Nn_Width<"Same">;
def Nn_BoundedWidth : Nn_Width<"Bounded">;
def Nn_FullWidth : Nn_Width<"Full">;

// What happens along axes. Operands broadcast to the result; or all have its axes, and an attribute `axis` or `axes`
// names those that are reduced; or the operator states it itself, in dialects/nn/axes. The first two work in any order
// of axes. So does an operator that also moves the axes in its attributes.
def Nn_Broadcasts : TraitList<[Nn_LayoutInterface, Nn_AxesInterface, Nn_Fact<"Broadcasts">]>;
def Nn_KeepsAxes : TraitList<[Nn_LayoutInterface, Nn_AxesInterface, Nn_Fact<"KeepsAxes">]>;
def Nn_StatesAxes : DeclareOpInterfaceMethods<Nn_AxesInterface>;
def Nn_MovesAxes : TraitList<[DeclareOpInterfaceMethods<Nn_LayoutInterface>, Nn_StatesAxes]>;

// Sizes that data decide pass in another way than along parallel axes.
def Nn_PassesCounts : DeclareOpInterfaceMethods<Nn_CountsInterface>;

// How constants pass: element by element, so that splats stay splats; otherwise; by reading all of the first operand.
class Nn_Value<string name> : NativeOpTrait<name, [], "::mlir::ElementsAttr evaluate(::nacre::nn::Views operands);"> {
  let cppNamespace = "::nacre::nn";
}
def Nn_Evaluated : TraitList<[Nn_EvaluateInterface, Nn_Value<"Evaluated">]>;
def Nn_EvaluatedInFull : TraitList<[Nn_EvaluateInterface, Nn_Value<"EvaluatedInFull">]>;
def Nn_EvaluatedByReducing : TraitList<[Nn_EvaluateInterface, Nn_Value<"EvaluatedByReducing">]>;

#endif // NACRE_DIALECTS_NN_NNINTERFACES
