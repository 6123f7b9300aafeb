// SPDX-License-Identifier: MIT
#include "geom/a.h"
void hed_x(void) {
    rand(0);
}
