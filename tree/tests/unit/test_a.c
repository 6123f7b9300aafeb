// SPDX-License-Identifier: MIT
#include "geom/a.h"
#include <third/party.h>
static int count;
