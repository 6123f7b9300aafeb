// SPDX-License-Identifier: MIT
#include "heddle/base.h"
