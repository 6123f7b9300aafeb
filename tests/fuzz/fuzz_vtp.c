// SPDX-License-Identifier: MIT
#include "fuzz/curve_promises.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    check_mesh_promises(data, size, "vtp");
    check_curve_promises(data, size, "vtp");
    return 0;
}
