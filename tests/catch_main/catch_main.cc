// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The main function of every test executable, compiled once: it costs six seconds, and forty with
// UndefinedBehaviorSanitizer, which it is therefore built without.

#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
