// SPDX-License-Identifier: MIT
#include "fuzz/mesh_promises.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    check_mesh_promises(data, size, "obj");
    return 0;
}
