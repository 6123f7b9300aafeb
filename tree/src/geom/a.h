// SPDX-License-Identifier: MIT
#include "math/vec3.h"
const char* hed_pick(const char* (*next)(void* p), void* p);
