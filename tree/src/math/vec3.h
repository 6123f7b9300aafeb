// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include <math.h>
