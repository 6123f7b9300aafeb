// SPDX-License-Identifier: MIT
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
int hed_add(int a, int b);
#ifdef __cplusplus
}
#endif
