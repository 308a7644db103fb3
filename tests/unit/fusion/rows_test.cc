// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Reductions, scans and blocks of several phases, along rows and across them, against plain loops.

#include <array>
#include <cmath>
#include <limits>

#include "tests/unit/fusion/target_fixture.h"

namespace faultline::fusion {
namespace {

using ir::Dtype;

const std::vector<int64_t> kRowSizes = {1,  2,  3,  7,  8,  9,  15, 16, 17,  31,   32,   33,
                                        63, 64, 65, 66, 79, 80, 81, 96, 255, 1023, 1025, 2100};

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

// Rows in their two layouts: one after the other, or side by side.
AccessBinding RowsOf(int64_t rows, int64_t row, bool turned) {
  return turned ? Strides({rows, row}, {1, rows}) : Strides({rows, row}, {row, 1});
}

template <typename T>
struct Rows {
  int64_t rows;
  int64_t row;
  bool turned;
  std::vector<T> values;
  T At(int64_t o, int64_t r) const {
    return values[static_cast<size_t>(turned ? r * rows + o : o * row + r)];
  }
};

// Runs the block over many shapes of rows; make(i) is the i-th element in memory, and
// check(rows, results) sees what slot 1 got, one element a row.
template <typename T, typename Out, typename Make, typename Check>
void ForRowShapes(const Block& block, const Make& make, const Check& check) {
  TargetFixture fixture;
  for (const int64_t rows : {1, 2, 15, 16, 40}) {
    for (const int64_t row : kRowSizes) {
      for (const bool turned : {false, true}) {
        Rows<T> in{rows, row, turned, {}};
        for (int64_t i = 0; i < rows * row; ++i) in.values.push_back(make(i));
        Buffer* out = fixture.Bytes(rows * static_cast<int64_t>(sizeof(Out)));
        fixture.RunBlock(block, {rows, row}, {fixture.From(in.values), out},
                         {RowsOf(rows, row, turned), Contiguous(rows)});
        INFO("rows " << rows << " of " << row << (turned ? ", turned" : ""));
        check(in, fixture.To<Out>(out, rows));
      }
    }
  }
}

Block ReduceBlock(Op op, Dtype from, Dtype to) {
  BlockBuilder b(2, true);
  const int x = b.AddStrided(b.AddSlot(), from);
  const int y = b.AddStrided(b.AddSlot(), to, true);
  b.BeginElementPhase();
  const Val result = b.Reduce(op, b.Load(x));
  b.BeginRowPhase();
  b.Store(y, result);
  return b.Finish();
}

// Values with NaN and infinities now and then, at places that depend on i alone.
float Wild(int64_t i) {
  if (i % 97 == 41) return kNan;
  if (i % 61 == 13) return kInf;
  if (i % 53 == 7) return -kInf;
  return static_cast<float>((i * 29) % 83) - 41;
}
float Tame(int64_t i) { return static_cast<float>((i * 29) % 83) - 41; }

bool Same(float a, float b) { return a == b || (a != a && b != b); }

TEST_CASE("min and max propagate NaN") {
  for (const bool wild : {false, true}) {
    for (const bool max : {false, true}) {
      const Block block =
          ReduceBlock(max ? Op::kReduceMax : Op::kReduceMin, Dtype::kF32, Dtype::kF32);
      ForRowShapes<float, float>(block, wild ? Wild : Tame, [&](const auto& in, const auto& got) {
        for (int64_t o = 0; o < in.rows; ++o) {
          float want = in.At(o, 0);
          for (int64_t r = 1; r < in.row; ++r) {
            const float x = in.At(o, r);
            if (want != want) continue;
            if (x != x || (max ? x > want : x < want)) want = x;
          }
          REQUIRE(Same(got[static_cast<size_t>(o)], want));
        }
      });
    }
  }
}

TEST_CASE("arg reductions give the first of equals, and the first NaN") {
  for (const bool wild : {false, true}) {
    for (const bool max : {false, true}) {
      const Block block =
          ReduceBlock(max ? Op::kReduceArgMax : Op::kReduceArgMin, Dtype::kF32, Dtype::kI64);
      ForRowShapes<float, int64_t>(
          block,
          [&](int64_t i) { return wild ? Wild(i) : std::floor(Tame(i) / 8) * -0.0f + Tame(i % 7); },
          [&](const auto& in, const auto& got) {
            for (int64_t o = 0; o < in.rows; ++o) {
              int64_t want = 0;
              for (int64_t r = 1; r < in.row; ++r) {
                const float x = in.At(o, r);
                const float best = in.At(o, want);
                if (best != best) break;
                if (x != x || (max ? x > best : x < best)) want = r;
              }
              REQUIRE(got[static_cast<size_t>(o)] == want);
            }
          });
    }
  }
}

TEST_CASE("int reductions wrap") {
  const auto make = [](int64_t i) {
    return static_cast<int64_t>(0x9e3779b97f4a7c15u * static_cast<uint64_t>(i + 1)) | 1;
  };
  ForRowShapes<int64_t, int64_t>(
      ReduceBlock(Op::kReduceSum, Dtype::kI64, Dtype::kI64), make,
      [](const auto& in, const auto& got) {
        for (int64_t o = 0; o < in.rows; ++o) {
          uint64_t want = 0;
          for (int64_t r = 0; r < in.row; ++r) want += static_cast<uint64_t>(in.At(o, r));
          REQUIRE(got[static_cast<size_t>(o)] == static_cast<int64_t>(want));
        }
      });
  ForRowShapes<int64_t, int64_t>(
      ReduceBlock(Op::kReduceProd, Dtype::kI64, Dtype::kI64), make,
      [](const auto& in, const auto& got) {
        for (int64_t o = 0; o < in.rows; ++o) {
          uint64_t want = 1;
          for (int64_t r = 0; r < in.row; ++r) want *= static_cast<uint64_t>(in.At(o, r));
          REQUIRE(got[static_cast<size_t>(o)] == static_cast<int64_t>(want));
        }
      });
  ForRowShapes<uint8_t, uint8_t>(
      ReduceBlock(Op::kReduceMax, Dtype::kU8, Dtype::kU8),
      [](int64_t i) { return static_cast<uint8_t>(i * 73 % 251); },
      [](const auto& in, const auto& got) {
        for (int64_t o = 0; o < in.rows; ++o) {
          uint8_t want = 0;
          for (int64_t r = 0; r < in.row; ++r) want = std::max(want, in.At(o, r));
          REQUIRE(got[static_cast<size_t>(o)] == want);
        }
      });
}

TEST_CASE("any and all") {
  for (const bool any : {false, true}) {
    ForRowShapes<uint8_t, uint8_t>(
        ReduceBlock(any ? Op::kReduceAny : Op::kReduceAll, Dtype::kBool, Dtype::kBool),
        [&](int64_t i) { return static_cast<uint8_t>((i % 131 == 77) == any); },
        [&](const auto& in, const auto& got) {
          for (int64_t o = 0; o < in.rows; ++o) {
            bool want = !any;
            for (int64_t r = 0; r < in.row; ++r) {
              want = any ? want || in.At(o, r) != 0 : want && in.At(o, r) != 0;
            }
            REQUIRE(got[static_cast<size_t>(o)] == (want ? 1 : 0));
          }
        });
  }
}

TEST_CASE("float sums of f64, in any order") {
  ForRowShapes<double, double>(
      ReduceBlock(Op::kReduceSum, Dtype::kF64, Dtype::kF64),
      [](int64_t i) { return static_cast<double>(i % 1000) * 0.125; },
      [](const auto& in, const auto& got) {
        for (int64_t o = 0; o < in.rows; ++o) {
          double want = 0;
          for (int64_t r = 0; r < in.row; ++r) want += in.At(o, r);
          REQUIRE(got[static_cast<size_t>(o)] == want);
        }
      });
}

TEST_CASE("reductions of empty rows") {
  TargetFixture fixture;
  const auto reduce = [&](Op op, Dtype dtype) {
    const Dtype to = op == Op::kReduceArgMax ? Dtype::kI64 : dtype;
    for (const int64_t rows : {3, 20}) {
      Buffer* out = fixture.Bytes(rows * 8);
      fixture.RunBlock(ReduceBlock(op, dtype, to), {rows, 0}, {fixture.Bytes(0), out},
                       {Strides({rows, 0}, {0, 1}), Contiguous(rows)});
      if (to == Dtype::kF32) {
        const auto got = fixture.To<float>(out, rows);
        for (const float x : got) REQUIRE(x == (op == Op::kReduceProd ? 1.0f : 0.0f));
      } else if (to == Dtype::kBool) {
        const auto got = fixture.To<uint8_t>(out, rows);
        for (const uint8_t x : got) REQUIRE(x == (op == Op::kReduceAll ? 1 : 0));
      } else {
        CHECK(fixture.To<int64_t>(out, rows) == std::vector<int64_t>(static_cast<size_t>(rows), 0));
      }
    }
  };
  reduce(Op::kReduceSum, Dtype::kF32);
  reduce(Op::kReduceProd, Dtype::kF32);
  reduce(Op::kReduceAny, Dtype::kBool);
  reduce(Op::kReduceAll, Dtype::kBool);
  reduce(Op::kReduceArgMax, Dtype::kF32);
}

TEST_CASE("running sums, rounded at each output") {
  TargetFixture fixture;
  BlockBuilder b(2, true);
  const int x = b.AddStrided(b.AddSlot(), Dtype::kI16);
  const int y = b.AddStrided(b.AddSlot(), Dtype::kI16);
  b.BeginElementPhase();
  const Val sum = b.Scan(Op::kScanSum, b.Load(x));
  b.Store(y, b.ToDtype(b.Binary(Op::kAdd, sum, b.Number(Reg::kI32, 1)), Dtype::kI16));
  const Block block = b.Finish();
  for (const int64_t rows : {1, 3, 16, 40}) {
    for (const int64_t row : kRowSizes) {
      for (const bool turned : {false, true}) {
        Rows<int16_t> in{rows, row, turned, {}};
        for (int64_t i = 0; i < rows * row; ++i)
          in.values.push_back(static_cast<int16_t>(i * 7919));
        Buffer* out = fixture.Bytes(rows * row * 2);
        fixture.RunBlock(block, {rows, row}, {fixture.From(in.values), out},
                         {RowsOf(rows, row, turned), RowsOf(rows, row, turned)});
        Rows<int16_t> got = in;
        got.values = fixture.To<int16_t>(out, rows * row);
        for (int64_t o = 0; o < rows; ++o) {
          int want = 1;
          for (int64_t r = 0; r < row; ++r) {
            want += in.At(o, r);
            REQUIRE(got.At(o, r) == static_cast<int16_t>(want));
          }
        }
      }
    }
  }
}

// exp(x - max) / sum, the exponentials kept in the row buffer, the bias loaded once a row.
TEST_CASE("three phases with values kept between them") {
  TargetFixture fixture;
  BlockBuilder b(2, true);
  const int x = b.AddStrided(b.AddSlot(), Dtype::kF32);
  const int y = b.AddStrided(b.AddSlot(), Dtype::kF32);
  const int bias = b.AddStrided(b.AddSlot(), Dtype::kF32, true);
  const int sums = b.AddStrided(b.AddSlot(), Dtype::kF32, true);
  b.BeginRowPhase();
  const Val shift = b.Load(bias);
  b.BeginElementPhase();
  const Val v = b.Load(x);
  const Val most = b.Reduce(Op::kReduceMax, v);
  b.BeginElementPhase();
  const Val d = b.Binary(Op::kSub, v, most);
  const Val square = b.Binary(Op::kMul, d, d);
  const Val total = b.Reduce(Op::kReduceSum, square);
  b.BeginRowPhase();
  const Val moved = b.Binary(Op::kAdd, total, shift);
  b.Store(sums, moved);
  b.BeginElementPhase();
  b.Store(y, b.Binary(Op::kAdd, square, moved));
  const Block block = b.Finish();
  for (const int64_t rows : {1, 3, 16, 40}) {
    for (const int64_t row : kRowSizes) {
      for (const bool turned : {false, true}) {
        Rows<float> in{rows, row, turned, {}};
        for (int64_t i = 0; i < rows * row; ++i) {
          in.values.push_back(static_cast<float>((i * 29) % 13));
        }
        std::vector<float> shifts(static_cast<size_t>(rows));
        for (size_t i = 0; i < shifts.size(); ++i) shifts[i] = static_cast<float>(i) * 0.5f;
        Buffer* out = fixture.Bytes(rows * row * 4);
        Buffer* row_out = fixture.Bytes(rows * 4);
        fixture.RunBlock(block, {rows, row},
                         {fixture.From(in.values), out, fixture.From(shifts), row_out},
                         {RowsOf(rows, row, turned), RowsOf(rows, row, turned), Contiguous(rows),
                          Contiguous(rows)});
        Rows<float> got = in;
        got.values = fixture.To<float>(out, rows * row);
        const auto got_sums = fixture.To<float>(row_out, rows);
        for (int64_t o = 0; o < rows; ++o) {
          float max = -kInf;
          for (int64_t r = 0; r < row; ++r) max = std::max(max, in.At(o, r));
          float sum = 0;
          for (int64_t r = 0; r < row; ++r) sum += (in.At(o, r) - max) * (in.At(o, r) - max);
          sum += shifts[static_cast<size_t>(o)];
          REQUIRE(got_sums[static_cast<size_t>(o)] == sum);
          for (int64_t r = 0; r < row; ++r) {
            const float e = in.At(o, r) - max;
            REQUIRE(got.At(o, r) == e * e + sum);
          }
        }
      }
    }
  }
}

// The bits of an element do not depend on where in a tile it lies, nor on the number of threads.
TEST_CASE("a function gives the same bits at every position and on every thread") {
  TargetOptions options;
  options.threads = 3;
  TargetFixture fixture(options);
  fixture.options().thread_threshold = 1;
  BlockBuilder b(1);
  const int x = b.AddStrided(b.AddSlot(), Dtype::kF32);
  const int y = b.AddStrided(b.AddSlot(), Dtype::kF32);
  b.BeginElementPhase();
  b.Store(y, b.Unary(Op::kErf, b.Unary(Op::kExp, b.Load(x))));
  const Block block = b.Finish();
  for (const int64_t n : {1, 5, 16, 31, 1024, 1025, 5000}) {
    std::vector<float> values(static_cast<size_t>(n), -1.2345f);
    Buffer* out = fixture.Bytes(n * 4);
    fixture.RunBlock(block, {n}, {fixture.From(values), out}, {Contiguous(n), Contiguous(n)});
    const auto got = fixture.To<float>(out, n);
    for (const float g : got) REQUIRE(g == got[0]);
  }
}

// A long single row is reduced in chunks, the same ones on any number of threads.
TEST_CASE("a long row has the same bits on one thread and on several") {
  for (const int64_t n : {131071, 131072, 131073, 200001}) {
    std::vector<float> sums;
    for (const int threads : {1, 2, 3}) {
      TargetOptions options;
      options.threads = threads;
      TargetFixture fixture(options);
      fixture.options().thread_threshold = 1;
      BlockBuilder b(1, true);
      const int x = b.AddStrided(b.AddSlot(), Dtype::kF32);
      const int y = b.AddStrided(b.AddSlot(), Dtype::kF32, true);
      const int z = b.AddStrided(b.AddSlot(), Dtype::kF32, true);
      const int copy = b.AddStrided(b.AddSlot(), Dtype::kF32);
      b.BeginElementPhase();
      const Val v = b.Binary(Op::kMul, b.Load(x), b.F32(3));
      b.Store(copy, v);
      const Val sum = b.Reduce(Op::kReduceSum, v);
      const Val most = b.Reduce(Op::kReduceMax, v);
      b.BeginRowPhase();
      b.Store(y, b.Binary(Op::kDiv, sum, b.F32(7)));
      b.Store(z, most);
      std::vector<float> values(static_cast<size_t>(n));
      double total = 0;
      for (size_t i = 0; i < values.size(); ++i) {
        values[i] = 1.0f / static_cast<float>(i % 1000 + 3);
        total += static_cast<double>(values[i] * 3);
      }
      values[static_cast<size_t>(n - 1)] = 1000;
      total += 3000 - static_cast<double>(3.0f / static_cast<float>((n - 1) % 1000 + 3));
      Buffer* out = fixture.Bytes(4);
      Buffer* max = fixture.Bytes(4);
      Buffer* all = fixture.Bytes(n * 4);
      fixture.RunBlock(b.Finish(), {n}, {fixture.From(values), out, max, all},
                       {Contiguous(n), Broadcast(), Broadcast(), Contiguous(n)});
      sums.push_back(fixture.To<float>(out, 1)[0]);
      CHECK(static_cast<double>(sums.back()) == Approx(total / 7).epsilon(1e-5));
      CHECK(fixture.To<float>(max, 1)[0] == 3000);
      const auto copied = fixture.To<float>(all, n);
      for (size_t i = 0; i < values.size(); ++i) REQUIRE(copied[i] == values[i] * 3);
    }
    CHECK(sums[0] == sums[1]);
    CHECK(sums[0] == sums[2]);
  }
}

TEST_CASE("rows on several threads") {
  TargetOptions options;
  options.threads = 3;
  TargetFixture fixture(options);
  fixture.options().thread_threshold = 1;
  const Block block = ReduceBlock(Op::kReduceSum, Dtype::kF32, Dtype::kF32);
  for (const bool turned : {false, true}) {
    const int64_t rows = 2500;
    const int64_t row = 30;
    Rows<float> in{rows, row, turned, {}};
    for (int64_t i = 0; i < rows * row; ++i) in.values.push_back(Tame(i));
    Buffer* out = fixture.Bytes(rows * 4);
    fixture.RunBlock(block, {rows, row}, {fixture.From(in.values), out},
                     {RowsOf(rows, row, turned), Contiguous(rows)});
    const auto got = fixture.To<float>(out, rows);
    for (int64_t o = 0; o < rows; ++o) {
      float want = 0;
      for (int64_t r = 0; r < row; ++r) want += in.At(o, r);
      REQUIRE(got[static_cast<size_t>(o)] == want);
    }
  }
}

}  // namespace
}  // namespace faultline::fusion
