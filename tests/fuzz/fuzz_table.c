// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "show/table.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    HedTableData table = {0};
    char* copy = hed_alloc(size + 1);
    if (size > 0) {
        memcpy(copy, data, size);
    }
    if (hed_table_parse(copy, size, "fuzz", &table, NULL) != HED_OK) {
        abort();
    }
    int32_t columns = table.columns.count;
    if (columns > 0 ? table.cells.count % columns != 0 : table.cells.count != 0) {
        abort(); // rows are whole
    }
    size_t bytes = 0;
    for (int32_t i = 0; i < columns; ++i) {
        if (table.columns.data[i] != (int32_t)bytes) {
            abort(); // names follow each other
        }
        bytes += strlen(table.names + bytes) + 1;
    }
    if (bytes > size + 1) {
        abort();
    }
    hed_table_free(&table);
    hed_free(copy);
    if (hed_alloc_stats().live_count != 0) {
        abort();
    }
    return 0;
}
