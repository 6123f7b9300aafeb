// SPDX-License-Identifier: MIT
// Tables that say what a mapping may hold. Reading with defaults, checks and suggestions, the
// resolved text and the reference page all come from the same table.
#ifndef HED_SCENE_SCHEMA_H
#define HED_SCENE_SCHEMA_H

#include "heddle/vec.h"
#include "scene/node.h"
#include "scene/units.h"

typedef enum HedEntryType {
    HED_ENTRY_NUMBER,  ///< double
    HED_ENTRY_INTEGER, ///< int32_t
    HED_ENTRY_SEED,    ///< uint64_t, at most INT64_MAX
    HED_ENTRY_BOOL,    ///< bool
    HED_ENTRY_TEXT,    ///< const char*
    HED_ENTRY_NAME,    ///< const char*, letters, digits, _ and -
    HED_ENTRY_CHOICE,  ///< an enum, or int32_t
    HED_ENTRY_CHOICES, ///< uint32_t, a list of a choice's names: one bit for each
    HED_ENTRY_VECTOR,  ///< HedVec3
    HED_ENTRY_PAIR,    ///< double[2]
    HED_ENTRY_POINTS,  ///< int32_t[2]
    HED_ENTRY_INDICES, ///< HedList of int32_t, not negative
    HED_ENTRY_WORDS,   ///< HedList of const char*
    HED_ENTRY_LINES,   ///< The same; a text of several lines will do, too
    HED_ENTRY_VECTORS, ///< HedList of HedVec3
    HED_ENTRY_MAPPING, ///< a record inside the record
    HED_ENTRY_LIST,    ///< HedList of records
} HedEntryType;

typedef enum HedRule { HED_RULE_ANY, HED_RULE_POSITIVE, HED_RULE_NOT_NEGATIVE } HedRule;

typedef struct HedList {
    void* data;
    int32_t count;
} HedList;

typedef struct HedTable HedTable;

typedef struct HedEntry {
    const char* key;
    const char* alias; ///< Older name of the key, still read; NULL: none.
    HedEntryType type;
    size_t offset; ///< In the record.
    HedDimension dimension;
    HedRule rule;
    double least, most; ///< Bounds, both included, where most > least. Of a list: most elements.
    const char* (*choice)(int32_t index); ///< Names of a choice; NULL after the last.
    const HedTable* table;                ///< Of a mapping or of the elements of a list.
    uint32_t when;                        ///< Bits of the selector's values; 0 for always.
    bool required;                        ///< An error if it is left out (where it belongs).
    bool hidden;                          ///< Read and checked, but not part of the text.
    const char* infinite;                 ///< Word that stands for an infinite number.
    const char* fallback;                 ///< For the reference page: default in words.
    const char* doc;
} HedEntry;

struct HedTable {
    const char* name; ///< "sheet": what messages call it.
    size_t size;      ///< Bytes of a record.
    bool has_node;    ///< The record begins with a const HedNode*; NULL where it was left out.
    void (*defaults)(void* record); ///< NULL: the enclosing record's has done it.
    const HedEntry* entries;        ///< Ends with an entry without key.
    const char* selector;           ///< Key of the choice that `when` speaks of; it comes first.
};

/// Fills record from a mapping; node NULL or null gives the defaults alone.
HedStatus hed_schema_read(const HedTable* table, const HedNode* node, HedPool* pool, void* record,
                          HedError* error);

/// Text that grows; a failed allocation is kept until the end.
typedef struct HedSink {
    char* data;
    size_t size;
    size_t capacity;
    bool failed;
} HedSink;

void hed_sink_print(HedSink* sink, const char* format, ...) HED_PRINTF(2, 3);
void hed_sink_free(HedSink* sink);

/// Gives keys that a tree calls by an older name (HedEntry.alias) the name of today, and notes it.
/// HED_PARSE if a mapping holds both.
HedStatus hed_schema_rename(const HedTable* table, HedNode* node, HedSink* notes, HedError* error);

/// Appends the record as YAML, every value included, `indent` blanks deep.
void hed_schema_write(const HedTable* table, const void* record, int32_t indent, HedSink* sink);

/// Appends the rows of a Markdown table: key, kind, default, meaning. record holds the defaults.
void hed_schema_document(const HedTable* table, const void* record, HedSink* sink);

/// True if the entry belongs to the record under its selector.
bool hed_entry_belongs(const HedTable* table, const HedEntry* entry, const void* record);

/// The record of a mapping entry and the values of the others.
static inline const void* hed_entry_at(const HedEntry* entry, const void* record) {
    return (const char*)record + entry->offset;
}

#endif
