// SPDX-License-Identifier: MIT
#include "heddle/base.h"
void hed_free(void* p);
