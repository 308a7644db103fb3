// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The plots that programs follow: a graph, a chain longer than any fusion limit, a segment that
// comes again and again, transactions of every mix, more operands than any binding limit.

#ifndef HARNESS_GENERATE_SCRIPTS_H_
#define HARNESS_GENERATE_SCRIPTS_H_

#include "harness/generate/choice_stream.h"
#include "harness/generate/composer.h"
#include "harness/generate/swarm.h"

namespace faultline::harness {

// Sizes and weights that go with the script of the swarm.
void AdjustToScript(ChoiceStream& choices, Swarm& swarm);

// Builds the whole program, its last read included.
void RunScript(Composer& composer);

// The scripts one by one; each adds statements and reads of its own.
void AddGraph(Composer& composer, int operations);
void AddChain(Composer& composer, int operations);
void AddPlanReuse(Composer& composer);
void AddTransactions(Composer& composer);
void AddWide(Composer& composer);

}  // namespace faultline::harness

#endif  // HARNESS_GENERATE_SCRIPTS_H_
