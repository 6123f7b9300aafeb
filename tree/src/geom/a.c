// SPDX-License-Identifier: MIT
#include "geom/a.h"
#include <third/party.h>
static const char* const NAMES[] = {"printf(1)", "x"}; // malloc(1) is only a comment
static const struct {
    int a;
    const char* b;
} TABLE[] = {{1, "{"}};
enum { LIMIT = 3 };
struct Node {
    int x;
};
int hed_call(int n) {
    static const int ODD[] = {1, 3};
    hed_free(0);
#pragma omp parallel for schedule(static) num_threads(2)
    for (int i = 0; i < n; ++i) {
    }
    return ODD[n] + snprintf(0, 0, "{");
}
