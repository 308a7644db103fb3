# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
"""ONNX's own node tests of quantized operators, written as programs with what ONNX expects of them.

The data are those of Debian's libonnx-testdata, which cmake/setup.sh installs."""

import os
import struct

import program

DATA = "/usr/share/libonnx-testdata/data/node"


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, value) of every field of a protobuf message; values are ints or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            size = {1: 8, 5: 4}[kind]
            value, at = data[at:at + size], at + size
        yield key >> 3, value


class Tensor:
    """A TensorProto: dims, element type ("f32", "u8", ...) and elements."""

    TYPES = {1: ("f32", "f"), 2: ("u8", "B"), 3: ("i8", "b"), 6: ("i32", "i"), 7: ("i64", "q")}

    def __init__(self, path):
        with open(path, "rb") as file:
            message = list(fields(file.read()))
        self.dims = []
        for number, value in message:
            if number == 1:
                self.dims += [value] if isinstance(value, int) else self.varints(value)
        self.dtype, code = self.TYPES[dict(message)[2]]
        self.elements = []
        for number, value in message:
            if number in (4, 9):
                count = len(value) // struct.calcsize(code)
                self.elements += struct.unpack(f"<{count}{code}", value)
            elif number in (5, 7):
                self.elements += self.varints(value)

    @staticmethod
    def varints(data):
        at, values = 0, []
        while at < len(data):
            value, at = varint(data, at)
            values.append(value - (1 << 64) if value >> 63 else value)
        return values


def shape(dims):
    return "[" + ",".join(map(str, dims)) + "]"


def listed(values):
    return "[" + ", ".join(value.hex() if isinstance(value, float) else str(value)
                           for value in values) + "]"


def blocks(dims, scales, axis=1):
    """The block field of a scheme with one scale for the tensor, or one along the axis; its grid."""
    if len(scales.elements) == 1:
        return "", [1] * len(dims)
    extents = [1 if i == axis else extent for i, extent in enumerate(dims)]
    while len(extents) > 1 and extents[0] == 1:
        extents.pop(0)
    return f"block={shape(extents)},", [dims[axis] if i == axis else 1 for i in range(len(dims))]


class Node:
    """A node test as the lines of a program."""

    def __init__(self, name):
        self.lines = [f"# name: {name}"]
        folder = os.path.join(DATA, name, "test_data_set_0")
        paths = sorted(os.listdir(folder))
        self.inputs = [Tensor(os.path.join(folder, p)) for p in paths if p.startswith("input")]
        self.outputs = [Tensor(os.path.join(folder, p)) for p in paths if p.startswith("output")]

    def plain(self, name, tensor, dims=None):
        dims = tensor.dims if dims is None else dims
        self.lines.append(f"%{name}: {tensor.dtype}{shape(dims)} = input {listed(tensor.elements)}")

    def codes(self, name, codes, scales, zeros):
        """A quantized input; zero points are as many as scales."""
        block, _ = blocks(codes.dims, scales)
        self.lines.append(f"%{name}: {codes.dtype}<{block}store=native>{shape(codes.dims)} = input "
                          f"codes={listed(codes.elements)} scales={listed(scales.elements)} "
                          f"zeros={listed(zeros.elements)}")

    def quantize_with(self, name, x, dims, scales, zeros):
        block, grid = blocks(dims, scales)
        self.plain("scales", scales, grid)
        self.plain("zeros", zeros, grid)
        self.lines.append(f"%{name}: {zeros.dtype}<{block}store=native>{shape(dims)} = "
                          f"quantize_with %{x} %scales %zeros")

    def expect_codes(self, name, codes, scales, zeros):
        self.lines.append(f"read %{name}")
        self.lines.append(f"expect %{name} = codes={listed(codes.elements)} "
                          f"scales={listed(scales.elements)} zeros={listed(zeros.elements)}")

    def expect(self, name, elements):
        self.lines.append(f"read %{name}")
        self.lines.append(f"expect %{name} = {listed(elements)}")


class One:
    elements = [1.0]


class QuantizedNodes(program.Case):
    def case(self, name):
        if not os.path.isdir(os.path.join(DATA, name)):
            self.fail("libonnx-testdata is not installed: run cmake/setup.sh")
        return Node(name)

    def agree(self, case):
        path = self.program("node.fl", "\n".join(case.lines) + "\n")
        out, _ = self.faultline("replay", "--backend", "reference", "--backend", "fusion-cpu", path,
                                code=0)
        self.assertIn("2 agree", out)

    def test_quantizelinear(self):
        for name in ("test_quantizelinear", "test_quantizelinear_axis"):
            case = self.case(name)
            x, scales, zeros = case.inputs
            case.plain("x", x)
            case.quantize_with("y", "x", x.dims, scales, zeros)
            case.expect_codes("y", case.outputs[0], scales, zeros)
            self.agree(case)

    def test_dequantizelinear(self):
        for name in ("test_dequantizelinear", "test_dequantizelinear_axis"):
            case = self.case(name)
            codes, scales, zeros = case.inputs
            case.codes("q", codes, scales, zeros)
            case.lines.append(f"%y: f32{shape(codes.dims)} = dequantize %q")
            case.expect("y", case.outputs[0].elements)
            self.agree(case)

    def test_dynamicquantizelinear(self):
        for suffix in ("", "_max_adjusted", "_min_adjusted"):
            case = self.case("test_dynamicquantizelinear" + suffix)
            (x,) = case.inputs
            codes, scale, zero = case.outputs
            case.plain("x", x)
            case.lines.append(f"%y: u8<store=native>{shape(x.dims)} = quantize %x")
            case.expect_codes("y", codes, scale, zero)
            self.agree(case)

    def test_matmulinteger(self):
        case = self.case("test_matmulinteger")
        a, b, a_zero, b_zero = case.inputs
        case.codes("a", a, One, a_zero)
        case.codes("b", b, One, b_zero)
        y = case.outputs[0]
        case.lines.append(f"%y: f32{shape(y.dims)} = q_matmul %a %b")
        case.expect("y", [float(value) for value in y.elements])
        self.agree(case)

    def test_qlinearmatmul(self):
        for name in ("test_qlinearmatmul_2D", "test_qlinearmatmul_3D"):
            case = self.case(name)
            a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = case.inputs
            case.codes("a", a, a_scale, a_zero)
            case.codes("b", b, b_scale, b_zero)
            y = case.outputs[0]
            case.lines.append(f"%p: f32{shape(y.dims)} = q_matmul %a %b")
            case.quantize_with("y", "p", y.dims, y_scale, y_zero)
            case.expect_codes("y", y, y_scale, y_zero)
            self.agree(case)


if __name__ == "__main__":
    program.main()
