// SPDX-License-Identifier: MIT
// Named arrays in one file that is either whole or refused: the base of frames and checkpoints.
//
//   heddle-store 1                         one line of text per array, readable with `head`
//   array <name> <type> <count> <offset>   type f64, f32, i32, i64, u64 or u8;
//   ...                                    offset in bytes from the start of the file
//   end <file size>
//
// follow the raw little-endian values, each array at the next multiple of 64 bytes (gaps are zero),
// and at the next multiple of 64 the last line, `hash <16 hex digits>`. Arrays stand in the order
// of their lines, so that the places are fully determined and nothing can overlap.
#ifndef HED_IO_STORE_H
#define HED_IO_STORE_H

#include "base/status.h"

enum { HED_STORE_NAME = 64, HED_STORE_ARRAYS = 4096 }; // bytes with the final 0; arrays in a file

/// One named array. Names are 1 to 63 letters, digits and `_ . - / : [ ]`, each used once.
typedef struct HedStoreArray {
    const char* name;
    const char* type; ///< "f64", "f32", "i32", "i64", "u64" or "u8"
    int64_t count;    ///< elements, 0 is allowed
    const void* data; ///< 64-byte aligned when loaded; NULL is allowed when count is 0
} HedStoreArray;

/// What was loaded. Zero-initialise; free with hed_store_free. Values are what was saved, bit for
/// bit; whether they make sense (finite, in range) is for the caller to check.
typedef struct HedStore {
    HedStoreArray* arrays; // in file order; names and data point into block
    int32_t count;
    char* block; // the file's bytes
} HedStore;

/// Writes all arrays; a file of that name is replaced at once, or kept if anything fails. Files
/// over 2 GiB are refused (HED_UNSUPPORTED).
HedStatus hed_store_save(const char* path, const HedStoreArray* arrays, int32_t count,
                         HedError* error);

/// Reads a file and checks all of it. HED_PARSE names the file and what is wrong: cut short,
/// damaged, not a store.
HedStatus hed_store_load(const char* path, HedStore* store, HedError* error);

/// The same from memory, which is copied; name is used in messages.
HedStatus hed_store_parse(const void* data, size_t size, const char* name, HedStore* store,
                          HedError* error);

/// The values of an array and their number (count may be NULL), valid until the store is freed.
/// NULL if there is no array of that name and type; never NULL for an empty array.
const void* hed_store_find(const HedStore* store, const char* name, const char* type,
                           int64_t* count);

/// NULL members are allowed; leaves the store zero.
void hed_store_free(HedStore* store);

#endif
