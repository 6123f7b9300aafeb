// SPDX-License-Identifier: MIT
#include "cli/verb.h"
#include "heddle/sim.h"
int main(void) {
    printf("%d\n", 1);
    return 0;
}
