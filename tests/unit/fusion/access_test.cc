// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Every kind of index map, in blocks whose tiles run along rows, across rows and over plain spaces.

#include <array>

#include "tests/unit/fusion/target_fixture.h"

namespace faultline::fusion {
namespace {

using ir::Dtype;

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  int64_t Below(int64_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>((state_ >> 33) % static_cast<uint64_t>(n));
  }

 private:
  uint64_t state_;
};

// Offset of `linear` by the definition in fusion/target.h.
int64_t OffsetOf(const AccessBinding& map, int64_t linear) {
  int64_t offset = map.offset;
  for (int k = map.rank - 1; k >= 0; --k) {
    const size_t at = static_cast<size_t>(k);
    offset += linear % map.extents[at] * map.strides[at];
    linear /= map.extents[at];
  }
  return offset;
}

// A random affine map over `extents` into a buffer of `*elements`.
AccessBinding RandomMap(Random* random, std::initializer_list<int64_t> extents, int64_t* elements) {
  AccessBinding map;
  std::array<int, kMapRankMax> order = {};
  for (int64_t extent : extents) {
    order[static_cast<size_t>(map.rank)] = map.rank;
    map.extents[static_cast<size_t>(map.rank++)] = extent;
  }
  for (int k = map.rank - 1; k > 0; --k) {
    std::swap(order[static_cast<size_t>(k)], order[static_cast<size_t>(random->Below(k + 1))]);
  }
  int64_t stride = 1 + random->Below(2);
  int64_t least = 0;
  int64_t most = 0;
  for (int k = 0; k < map.rank; ++k) {
    const size_t axis = static_cast<size_t>(order[static_cast<size_t>(k)]);
    const int64_t kind = random->Below(6);
    const int64_t signed_stride = kind == 0 ? 0 : kind == 1 ? -stride : stride;
    map.strides[axis] = signed_stride;
    const int64_t reach = signed_stride * (map.extents[axis] - 1);
    (reach < 0 ? least : most) += reach;
    stride *= map.extents[axis];
  }
  map.offset = random->Below(3) - least;
  *elements = map.offset + most + 1;
  return map;
}

std::vector<float> Numbers(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1021) - 300;
  return values;
}

TEST_CASE("strided maps over plain spaces") {
  TargetFixture fixture;
  BlockBuilder b(3);
  const int x = b.AddStrided(b.AddSlot(), Dtype::kF32);
  const int y = b.AddStrided(b.AddSlot(), Dtype::kF32);
  b.BeginElementPhase();
  b.Store(y, b.Unary(Op::kNeg, b.Load(x)));
  const Block block = b.Finish();
  Random random(1);
  for (int round = 0; round < 150; ++round) {
    const std::array<int64_t, 3> e = {1 + random.Below(9), 1 + random.Below(9),
                                      1 + random.Below(40)};
    const int64_t n = e[0] * e[1] * e[2];
    int64_t elements = 0;
    const AccessBinding from = RandomMap(&random, {e[0], e[1], e[2]}, &elements);
    const std::vector<float> values = Numbers(elements);
    // The result goes to every other element; the ones between must keep theirs.
    const AccessBinding to =
        Strides({e[0], e[1], e[2]}, {2 * e[1] * e[2], 2 * e[2], 2}, random.Below(2));
    Buffer* out = fixture.From(std::vector<float>(static_cast<size_t>(2 * n + 1), 7));
    fixture.RunBlock(block, {e[0], e[1], e[2]}, {fixture.From(values), out}, {from, to});
    const auto got = fixture.To<float>(out, 2 * n + 1);
    std::vector<float> want(static_cast<size_t>(2 * n + 1), 7);
    for (int64_t i = 0; i < n; ++i) {
      want[static_cast<size_t>(OffsetOf(to, i))] = -values[static_cast<size_t>(OffsetOf(from, i))];
    }
    REQUIRE(got == want);
  }
}

Block SumBlock(MapKind kind, Dtype index = Dtype::kI64) {
  BlockBuilder b(2, true);
  const int slot = b.AddSlot();
  const int out = b.AddSlot();
  int x = -1;
  switch (kind) {
    case MapKind::kStrided:
      x = b.AddStrided(slot, Dtype::kF32);
      break;
    case MapKind::kTable:
      x = b.AddTable(slot, Dtype::kF32);
      break;
    case MapKind::kPieces:
      x = b.AddPieces({b.AddStrided(slot, Dtype::kF32), b.AddStrided(b.AddSlot(), Dtype::kF32),
                       b.AddStrided(slot, Dtype::kF32)});
      break;
    case MapKind::kIndirect:
      x = b.AddIndirect(slot, Dtype::kF32, b.AddStrided(b.AddSlot(), index), 5);
      break;
  }
  const int y = b.AddStrided(out, Dtype::kF32, true);
  const int z = b.AddStrided(out, Dtype::kF32);
  b.BeginElementPhase();
  const Val v = b.Load(x);
  const Val sum = b.Reduce(Op::kReduceSum, v);
  b.Store(z, v);
  b.BeginRowPhase();
  b.Store(y, sum);
  return b.Finish();
}

// Results lie as all elements first, then the sums. `want` holds the elements row-major.
void CheckRows(TargetFixture* fixture, Buffer* out, int64_t rows, int64_t row,
               const std::vector<float>& want) {
  const auto got = fixture->To<float>(out, rows * row + rows);
  for (int64_t o = 0; o < rows; ++o) {
    float sum = 0;
    for (int64_t r = 0; r < row; ++r) {
      const size_t at = static_cast<size_t>(o * row + r);
      REQUIRE(got[at] == want[at]);
      sum += want[at];
    }
    REQUIRE(got[static_cast<size_t>(rows * row + o)] == sum);
  }
}

// Shapes for which tiles run along rows and across them.
const std::vector<std::array<int64_t, 2>> kRowShapes = {
    {1, 1}, {1, 40}, {3, 5}, {20, 3}, {17, 16}, {40, 33}, {5, 1030}, {1100, 2}, {70, 70}};

TEST_CASE("strided maps in rows") {
  TargetFixture fixture;
  const Block block = SumBlock(MapKind::kStrided);
  Random random(2);
  for (const auto& [rows, row] : kRowShapes) {
    for (int round = 0; round < 12; ++round) {
      int64_t elements = 0;
      const AccessBinding map = RandomMap(&random, {rows, row}, &elements);
      const std::vector<float> values = Numbers(elements);
      Buffer* out = fixture.Bytes((rows * row + rows) * 4);
      fixture.RunBlock(block, {rows, row}, {fixture.From(values), out},
                       {map, Strides({rows}, {1}, rows * row), Strides({rows, row}, {row, 1})});
      std::vector<float> want;
      for (int64_t i = 0; i < rows * row; ++i) {
        want.push_back(values[static_cast<size_t>(OffsetOf(map, i))]);
      }
      CheckRows(&fixture, out, rows, row, want);
    }
  }
}

TEST_CASE("a radix of its own: reshapes and repeats") {
  TargetFixture fixture;
  const Block block = SumBlock(MapKind::kStrided);
  const auto check = [&](int64_t rows, int64_t row, const AccessBinding& map, int64_t elements) {
    const std::vector<float> values = Numbers(elements);
    Buffer* out = fixture.Bytes((rows * row + rows) * 4);
    fixture.RunBlock(block, {rows, row}, {fixture.From(values), out},
                     {map, Strides({rows}, {1}, rows * row), Strides({rows, row}, {row, 1})});
    std::vector<float> want;
    for (int64_t i = 0; i < rows * row; ++i) {
      want.push_back(values[static_cast<size_t>(OffsetOf(map, i))]);
    }
    CheckRows(&fixture, out, rows, row, want);
  };
  check(6, 35, Strides({14, 15}, {1, 14}), 210);           // the cut lies inside of a digit
  check(20, 6, Strides({8, 15}, {1, 8}), 120);             // and does not divide it
  check(20, 6, Strides({4, 5, 2, 3}, {15, 3, 0, 1}), 60);  // repeated within a row
  check(32, 4, Strides({2, 16, 4}, {0, 4, 1}), 64);        // repeated across rows
  check(64, 2, Strides({128}, {-1}, 127), 128);            // flipped as a whole
  check(3, 7, Strides({}, {}, 2), 3);                      // one element
}

TEST_CASE("tables") {
  TargetFixture fixture;
  const Block block = SumBlock(MapKind::kTable);
  Random random(3);
  for (const auto& [rows, row] : kRowShapes) {
    const std::vector<float> values = Numbers(500);
    std::vector<int64_t> table(static_cast<size_t>(rows * row));
    std::vector<float> want;
    for (int64_t& offset : table) {
      offset = random.Below(490);
      want.push_back(values[static_cast<size_t>(offset + 10)]);
    }
    AccessBinding map;
    map.offset = 10;
    map.table = table;
    Buffer* out = fixture.Bytes((rows * row + rows) * 4);
    fixture.RunBlock(block, {rows, row}, {fixture.From(values), out},
                     {map, Strides({rows}, {1}, rows * row), Strides({rows, row}, {row, 1})});
    CheckRows(&fixture, out, rows, row, want);
  }
}

TEST_CASE("joined operands, empty ones included") {
  TargetFixture fixture;
  const Block block = SumBlock(MapKind::kPieces);
  for (const auto& [rows, row] : kRowShapes) {
    for (const bool along_row : {true, false}) {
      const int64_t extent = along_row ? row : rows;
      for (const int64_t first : {int64_t{0}, int64_t{1}, extent / 2, extent}) {
        if (first > extent) continue;
        const std::array<int64_t, 4> starts = {0, first, first, extent};  // the middle one is empty
        std::vector<AccessBinding> accesses(6);
        // Piece i has the joined extent e_i and lies densely from element 0 of its buffer (the
        // third behind the first, in the same one).
        std::vector<float> want(static_cast<size_t>(rows * row));
        const std::vector<float> values = Numbers(rows * row + 8);
        int64_t base = 0;
        for (size_t piece = 0; piece < 3; ++piece) {
          const int64_t part = starts[piece + 1] - starts[piece];
          const int64_t stride0 = along_row ? part : row;
          const int64_t shift = starts[piece] * (along_row ? 1 : row);
          accesses[piece] = Strides({rows, row}, {stride0, 1}, base - shift);
          for (int64_t i = 0; i < rows * row; ++i) {
            const int64_t at = along_row ? i % row : i / row;
            if (at < starts[piece] || at >= starts[piece + 1]) continue;
            want[static_cast<size_t>(i)] =
                values[static_cast<size_t>(OffsetOf(accesses[piece], i))];
          }
          base += part * (along_row ? rows : row);
        }
        accesses[3].inner = along_row ? 1 : row;
        accesses[3].starts = starts;
        accesses[4] = Strides({rows}, {1}, rows * row);
        accesses[5] = Strides({rows, row}, {row, 1});
        Buffer* out = fixture.Bytes((rows * row + rows) * 4);
        Buffer* in = fixture.From(values);
        fixture.RunBlock(block, {rows, row}, {in, out, in}, accesses);
        CheckRows(&fixture, out, rows, row, want);
      }
    }
  }
}

// Tiles of a plain space begin and end inside of the parts.
TEST_CASE("joined operands over a plain space") {
  TargetFixture fixture;
  BlockBuilder b(2);
  const int joined =
      b.AddPieces({b.AddStrided(b.AddSlot(), Dtype::kF32), b.AddStrided(b.AddSlot(), Dtype::kF32),
                   b.AddStrided(b.AddSlot(), Dtype::kF32)});
  const int y = b.AddStrided(b.AddSlot(), Dtype::kF32);
  b.BeginElementPhase();
  b.Store(y, b.Load(joined));
  const Block block = b.Finish();
  const int64_t row = 700;
  const std::array<int64_t, 4> starts = {0, 1, 3, 7};
  const int64_t n = 7 * row;
  const std::vector<float> values = Numbers(n);
  std::vector<Buffer*> buffers;
  std::vector<AccessBinding> maps;
  for (size_t piece = 0; piece < 3; ++piece) {
    const auto at = values.begin() + starts[piece] * row;
    buffers.push_back(
        fixture.From(std::vector<float>(at, values.begin() + starts[piece + 1] * row)));
    maps.push_back(Strides({7, row}, {row, 1}, -starts[piece] * row));
  }
  AccessBinding parts;
  parts.inner = row;
  parts.starts = starts;
  maps.push_back(parts);
  maps.push_back(Contiguous(n));
  buffers.push_back(fixture.Bytes(n * 4));
  fixture.RunBlock(block, {7, row}, buffers, maps);
  CHECK(fixture.To<float>(buffers[3], n) == values);
}

TEMPLATE_TEST_CASE("indices read through another access", "", int32_t, int64_t) {
  TargetFixture fixture;
  const Block block =
      SumBlock(MapKind::kIndirect, sizeof(TestType) == 4 ? Dtype::kI32 : Dtype::kI64);
  Random random(4);
  for (const auto& [rows, row] : kRowShapes) {
    // out[o, r] = x[index[r], o]: select along an axis that the loop has not got.
    const int64_t bound = 11;
    const std::vector<float> values = Numbers(bound * rows);
    std::vector<TestType> index(static_cast<size_t>(row));
    for (TestType& i : index) i = static_cast<TestType>(random.Below(bound));
    AccessBinding x = Strides({rows, row}, {1, 0});
    x.index_stride = rows;
    x.index_bound = bound;
    x.positions = {0, 1};
    std::vector<float> want;
    for (int64_t i = 0; i < rows * row; ++i) {
      want.push_back(
          values[static_cast<size_t>(index[static_cast<size_t>(i % row)] * rows + i / row)]);
    }
    Buffer* out = fixture.Bytes((rows * row + rows) * 4);
    fixture.RunBlock(block, {rows, row}, {fixture.From(values), out, fixture.From(index)},
                     {Strides({rows, row}, {0, 1}), x, Strides({rows}, {1}, rows * row),
                      Strides({rows, row}, {row, 1})});
    CheckRows(&fixture, out, rows, row, want);
    CHECK_FALSE(fixture.error().failed());
  }
}

TEST_CASE("the first offending index is reported, and nothing outside is read") {
  for (const int64_t bound : {int64_t{4}, int64_t{0}}) {
    TargetOptions options;
    options.pool = PoolMode::kGuard;
    TargetFixture fixture(options);
    BlockBuilder b(1);
    const int index = b.AddStrided(b.AddSlot(), Dtype::kI64);
    const int x = b.AddIndirect(b.AddSlot(), Dtype::kF32, index, 9);
    const int y = b.AddStrided(b.AddSlot(), Dtype::kF32);
    b.BeginElementPhase();
    b.Store(y, b.Load(x));
    const int64_t n = 600;
    std::vector<int64_t> indices(static_cast<size_t>(n), 1);
    indices[577] = -1;
    indices[41] = int64_t{1} << 60;
    indices[42] = 4;
    AccessBinding map = Strides({n}, {0});
    map.index_stride = 1;
    map.index_bound = bound;
    map.positions[0] = 1;
    Buffer* out = fixture.Bytes(n * 4);
    fixture.RunBlock(b.Finish(), {n},
                     {fixture.From(indices), fixture.From(std::vector<float>(4, 5)), out},
                     {Contiguous(n), map, Contiguous(n)});
    CHECK(fixture.error().source == 9);
    CHECK(fixture.error().position == (bound == 0 ? 0 : 41));
    CHECK(fixture.error().index == (bound == 0 ? 1 : int64_t{1} << 60));
    CHECK(fixture.error().bound == bound);
    if (bound > 0) CHECK(fixture.To<float>(out, n)[0] == 5);
  }
}

TEST_CASE("coordinates of loop axes") {
  TargetFixture fixture;
  BlockBuilder b(3, true);
  const int y = b.AddStrided(b.AddSlot(), Dtype::kI64);
  const int z = b.AddStrided(b.AddSlot(), Dtype::kI64, true);
  b.BeginElementPhase();
  Val sum = b.Number(Reg::kI64, 0);
  for (const int axis : {0, 1, 2}) {
    sum = b.Binary(Op::kAdd, b.Binary(Op::kMul, sum, b.Number(Reg::kI64, 100)), b.Coordinate(axis));
  }
  b.Store(y, sum);
  b.BeginRowPhase();
  b.Store(z, b.Binary(Op::kAdd, b.Binary(Op::kMul, b.Coordinate(0), b.Number(Reg::kI64, 100)),
                      b.Coordinate(1)));
  const Block block = b.Finish();
  for (const std::array<int64_t, 3> e : {std::array<int64_t, 3>{3, 4, 5}, {7, 5, 2}, {2, 3, 40}}) {
    const int64_t n = e[0] * e[1] * e[2];
    for (const bool turned : {false, true}) {
      Buffer* out = fixture.Bytes(n * 8);
      Buffer* rows = fixture.Bytes(e[0] * e[1] * 8);
      // Turned: rows lie across memory.
      const AccessBinding to = turned ? Strides({e[0], e[1], e[2]}, {e[1], 1, e[0] * e[1]})
                                      : Strides({e[0], e[1], e[2]}, {e[1] * e[2], e[2], 1});
      fixture.RunBlock(block, {e[0], e[1], e[2]}, {out, rows}, {to, Contiguous(e[0] * e[1])});
      const auto got = fixture.To<int64_t>(out, n);
      const auto row = fixture.To<int64_t>(rows, e[0] * e[1]);
      for (int64_t i = 0; i < n; ++i) {
        const int64_t want = i / (e[1] * e[2]) * 10000 + i / e[2] % e[1] * 100 + i % e[2];
        REQUIRE(got[static_cast<size_t>(OffsetOf(to, i))] == want);
        REQUIRE(row[static_cast<size_t>(i / e[2])] == want / 100);
      }
    }
  }
}

TEST_CASE("in place: the store has the map of the load") {
  TargetFixture fixture;
  BlockBuilder b(1);
  const int x = b.AddStrided(b.AddSlot(), Dtype::kF32);
  const int y = b.AddStrided(b.AddSlot(), Dtype::kF32);
  const int z = b.AddStrided(b.AddSlot(), Dtype::kF32);
  b.BeginElementPhase();
  const Val v = b.Load(x);
  b.Store(y, b.Binary(Op::kAdd, v, b.F32(1)));
  b.Store(z, b.Binary(Op::kMul, v, b.F32(2)));
  const Block block = b.Finish();
  for (const int64_t n : {1, 16, 100, 1024, 3000}) {
    const std::vector<float> values = Numbers(n);
    Buffer* both = fixture.From(values);
    Buffer* other = fixture.Bytes(n * 4);
    fixture.RunBlock(block, {n}, {both, both, other},
                     {Contiguous(n), Contiguous(n), Contiguous(n)});
    const auto plus = fixture.To<float>(both, n);
    const auto twice = fixture.To<float>(other, n);
    for (size_t i = 0; i < values.size(); ++i) {
      REQUIRE(plus[i] == values[i] + 1);
      REQUIRE(twice[i] == values[i] * 2);
    }
  }
}

}  // namespace
}  // namespace faultline::fusion
