// SPDX-License-Identifier: MIT
// lint: allow free, the one way to the heap
#include "base/alloc.h"
static int live;
void hed_free(void* p) {
    free(p);
}
