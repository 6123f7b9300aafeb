// SPDX-License-Identifier: MIT
// Older names of keys: a tree that uses them is rewritten to the names of today before it is read.
#include "scene/schema.h"

#include <string.h>

typedef struct Renaming {
    HedSink* notes;
    HedError* error;
} Renaming;

// An override wins over the file; the file itself may hold one of both names.
static HedStatus settle_both(const Renaming* r, const HedEntry* entry, HedNode* node, HedNode* old,
                             const HedNode* fresh) {
    bool is_old_override = old->key_place.source->is_override;
    if (is_old_override == fresh->key_place.source->is_override) {
        return hed_place_fail(r->error, old->key_place, HED_PARSE, NULL,
                              "'%s' is an older name of '%s', which is there, too", entry->alias,
                              entry->key);
    }
    hed_node_remove(node, is_old_override ? entry->key : entry->alias);
    old->key = entry->key;
    return HED_OK;
}

static HedStatus rename_key(const Renaming* r, const HedEntry* entry, HedNode* node) {
    HedNode* old = entry->alias ? hed_node_child(node, entry->alias) : NULL;
    if (!old) {
        return HED_OK;
    }
    hed_sink_print(r->notes, "'%s' is called '%s' now\n", entry->alias, entry->key);
    const HedNode* fresh = hed_node_child(node, entry->key);
    if (fresh) {
        return settle_both(r, entry, node, old, fresh);
    }
    old->key = entry->key;
    return HED_OK;
}

static HedStatus rename_keys(const Renaming* r, const HedTable* table, HedNode* node) {
    HedStatus status = HED_OK;
    for (const HedEntry* f = table->entries; f->key && status == HED_OK; ++f) {
        status = rename_key(r, f, node);
        HedNode* child = f->table ? hed_node_child(node, f->key) : NULL;
        if (status != HED_OK || !child) {
            continue;
        }
        if (f->type == HED_ENTRY_MAPPING) {
            status = rename_keys(r, f->table, child);
        }
        for (HedNode* item = f->type == HED_ENTRY_LIST ? child->first : NULL;
             item && status == HED_OK; item = item->next) {
            status = rename_keys(r, f->table, item);
        }
    }
    return status;
}

HedStatus hed_schema_rename(const HedTable* table, HedNode* node, HedSink* notes, HedError* error) {
    const Renaming renaming = {notes, error};
    return rename_keys(&renaming, table, node);
}
