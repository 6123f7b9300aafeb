// SPDX-License-Identifier: MIT
// Small crossing networks for tests of sliding yarns.
#ifndef TEST_SUPPORT_NETS_H
#define TEST_SUPPORT_NETS_H

#include "heddle/net.h"

/// A plain weave of 0.2 mm yarns (25 tex), 0.4 mm apart, in the x-y plane.
void test_net_weave(int32_t ends, int32_t picks, HedNet* net);

/// A knit of a named pattern, hand-knitting size.
void test_net_knit(const char* pattern, int32_t rows, int32_t stitches, HedNet* net);

#endif
