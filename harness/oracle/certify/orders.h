// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Sums, products and dots in some order that a contract with free order permits, every step rounded
// to the dtype computed in. Long ones are also taken exactly, which no order need give but every
// error bound admits; sets of short ones are made of their orders alone.

#ifndef HARNESS_ORACLE_CERTIFY_ORDERS_H_
#define HARNESS_ORACLE_CERTIFY_ORDERS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "harness/oracle/certify/formula.h"

namespace faultline::harness {

// The most terms that count as short.
inline constexpr size_t kShortMax = 8;

double SumInSomeOrder(const FormulaContext& context, std::vector<double> terms);
double ProductInSomeOrder(const FormulaContext& context, std::vector<double> factors);
// Products are rounded, or fused into the addition that takes them up.
double DotInSomeOrder(const FormulaContext& context, std::span<const double> a,
                      std::span<const double> b);

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_CERTIFY_ORDERS_H_
