// SPDX-License-Identifier: MIT
#include "model/sheet/kernel_spring.h"
int hed_list(void) {
    return hed_spring_eval(1);
}
