// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/oracle/certify/formula.h"
#include "harness/oracle/certify/orders.h"
#include "harness/oracle/certify/real.h"
#include "harness/oracle/certify/steps.h"

namespace faultline::harness {
namespace {

using Row = Elements;
using Results = std::vector<Element>;

std::vector<double> RealsOf(Row row) {
  std::vector<double> reals;
  reals.reserve(row.size());
  for (const Element& element : row) reals.push_back(element.real);
  return reals;
}

void Sum(const Context& context, Row row, Results& results) {
  results = {Result(context, SumInSomeOrder(context, RealsOf(row)))};
}

void Mean(const Context& context, Row row, Results& results) {
  const double sum = SumInSomeOrder(context, RealsOf(row));
  results = {Result(context, Real(sum) / static_cast<double>(row.size()))};
}

void Prod(const Context& context, Row row, Results& results) {
  results = {Result(context, ProductInSomeOrder(context, RealsOf(row)))};
}

// Each prefix is a sum of its own.
void Cumsum(const Context& context, Row row, Results& results) {
  const std::vector<double> terms = RealsOf(row);
  results.clear();
  double running = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    running = i == 0 ? terms[0] : Step(context, Real(running) + terms[i]);
    // Trees of every long prefix would take the square of the row's length.
    const bool drawn = i < kShortMax;
    results.push_back(Result(
        context,
        drawn ? SumInSomeOrder(context, {terms.begin(), terms.begin() + std::ssize(results) + 1})
              : running));
  }
}

void Cumprod(const Context& context, Row row, Results& results) {
  results.clear();
  double running = 1;
  for (const Element& element : row) {
    running = Step(context, Real(running) * element.real);
    results.push_back(Result(context, running));
  }
}

// The first NaN, else the first that none is better than.
size_t Argmost(std::span<const double> row, bool (*better)(double, double)) {
  size_t best = 0;
  for (size_t i = 0; i < row.size(); ++i) {
    if (std::isnan(row[i])) return i;
    if (better(row[i], row[best])) best = i;
  }
  return best;
}
double Extreme(std::span<const double> row, bool (*better)(double, double)) {
  return row[Argmost(row, better)];
}
bool Above(double a, double b) { return a > b; }
bool Under(double a, double b) { return a < b; }

void Max(const Context&, Row row, Results& results) {
  results = {{.real = Extreme(RealsOf(row), Above)}};
}
void Min(const Context&, Row row, Results& results) {
  results = {{.real = Extreme(RealsOf(row), Under)}};
}
void Argmax(const Context&, Row row, Results& results) {
  results = {{.integer = static_cast<int64_t>(Argmost(RealsOf(row), Above))}};
}
void Argmin(const Context&, Row row, Results& results) {
  results = {{.integer = static_cast<int64_t>(Argmost(RealsOf(row), Under))}};
}

void MaxAbs(const Context&, Row row, Results& results) {
  std::vector<double> magnitudes = RealsOf(row);
  for (double& value : magnitudes) value = std::fabs(value);
  results = {{.real = Extreme(magnitudes, Above)}};
}

// The extreme so far; a NaN stays.
void Running(Row row, bool (*better)(double, double), Results& results) {
  results.clear();
  for (const Element& element : row) {
    const double before = results.empty() ? element.real : results.back().real;
    const bool takes = std::isnan(element.real) || better(element.real, before);
    results.push_back({.real = std::isnan(before) || !takes ? before : element.real});
  }
}
void Cummax(const Context&, Row row, Results& results) { Running(row, Above, results); }
void Cummin(const Context&, Row row, Results& results) { Running(row, Under, results); }

bool IsTrue(const Element& element) { return element.real != 0; }
void Any(const Context&, Row row, Results& results) {
  results = {{.integer = std::ranges::any_of(row, IsTrue) ? 1 : 0}};
}
void All(const Context&, Row row, Results& results) {
  results = {{.integer = std::ranges::all_of(row, IsTrue) ? 1 : 0}};
}

// Of two rows of three: the products of an element of each with the one after of the other.
void Cross(const Context& context, Row row, Results& results) {
  const std::vector<Element>& other = context.others[0];
  results.clear();
  for (size_t i = 0; i < 3; ++i) {
    const size_t j = (i + 1) % 3;
    const size_t k = (i + 2) % 3;
    const double first = Step(context, Real(row[j].real) * other[k].real);
    const double second = Step(context, Real(row[k].real) * other[j].real);
    results.push_back(Result(context, Real(first) - second));
  }
}

Element Matmul(const Context& context, std::span<const double> a, std::span<const double> b) {
  return Result(context, DotInSomeOrder(context, a, b));
}

// The sum of products of integers is exact, and scaled once. An integer 0 has no sign.
Element MatmulOfCodes(const Context& context, std::span<const double> a, std::span<const double> b,
                      std::pair<double, double> scales) {
  const double sum = Step(context, DotOf(a, b)) + 0.0;
  return Result(context, Real(sum) * Step(context, Real(scales.first) * scales.second));
}

Element Scatter(const Context& context, const Element& element, Row written) {
  if (written.empty()) return element;
  std::vector<double> terms = {element.real};
  for (const Element& one : written) terms.push_back(one.real);
  switch (static_cast<ir::Update>(context.attributes.Int(ir::AttributeKey::kUpdate))) {
    case ir::Update::kAssign:
      return written.back();
    case ir::Update::kAdd:
      return Result(context, SumInSomeOrder(context, terms));
    case ir::Update::kMul:
      return Result(context, ProductInSomeOrder(context, terms));
    case ir::Update::kMin:
      return {.real = Extreme(terms, Under)};
    case ir::Update::kMax:
      return {.real = Extreme(terms, Above)};
    case ir::Update::kOr:
      break;  // of bools, which are not certified
  }
  return element;
}

using Op = ir::Opcode;

constexpr auto kFormulas = std::to_array<Formula>({
    {.op = Op::kAll, .row = All},
    {.op = Op::kAllDim, .row = All},
    {.op = Op::kAny, .row = Any},
    {.op = Op::kAnyDim, .row = Any},
    {.op = Op::kArgmax, .row = Argmax},
    {.op = Op::kArgmin, .row = Argmin},
    {.op = Op::kCross, .row = Cross},
    {.op = Op::kCummax, .row = Cummax},
    {.op = Op::kCummin, .row = Cummin},
    {.op = Op::kCumprod, .row = Cumprod},
    {.op = Op::kCumsum, .row = Cumsum},
    {.op = Op::kLinear, .dot = Matmul},
    {.op = Op::kMatmul, .dot = Matmul},
    {.op = Op::kMax, .row = Max},
    {.op = Op::kMaxAbs, .row = MaxAbs},
    {.op = Op::kMaxAbsDim, .row = MaxAbs},
    {.op = Op::kMaxDim, .row = Max},
    {.op = Op::kMaxDimWithIndices, .row = Max, .second = Argmax},
    {.op = Op::kMean, .row = Mean},
    {.op = Op::kMeanDim, .row = Mean},
    {.op = Op::kMin, .row = Min},
    {.op = Op::kMinDim, .row = Min},
    {.op = Op::kMinDimWithIndices, .row = Min, .second = Argmin},
    {.op = Op::kProd, .row = Prod},
    {.op = Op::kProdDim, .row = Prod},
    {.op = Op::kQMatmul, .dot = Matmul, .codes = MatmulOfCodes},
    {.op = Op::kScatter, .fold = Scatter},
    {.op = Op::kScatterNd, .fold = Scatter},
    {.op = Op::kSelectAssign, .fold = Scatter},
    {.op = Op::kSum, .row = Sum},
    {.op = Op::kSumDim, .row = Sum},
});

}  // namespace

std::span<const Formula> RowFormulas() { return kFormulas; }

const Formula* FindFormula(ir::Opcode op) {
  for (const std::span<const Formula> table :
       {ElementwiseFormulas(), ExponentialFormulas(), FunctionFormulas(), MomentFormulas(),
        RandomFormulas(), RowFormulas()}) {
    const auto found = std::ranges::find(table, op, &Formula::op);
    if (found != table.end()) return &*found;
  }
  return nullptr;
}

}  // namespace faultline::harness
