// SPDX-License-Identifier: MIT
#include "embed/relations.h"

#include "base/alloc.h"

void hed_relations_free(HedRelations* r) {
    hed_free(r->items.data);
    hed_free(r->is_turned);
    *r = (HedRelations){0};
}
