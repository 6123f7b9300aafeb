// SPDX-License-Identifier: MIT
#include "weave/wif.h"
#include "base/words.h"
#include "geom/sort.h"

#include <string.h>

static const char* const NAMES[HED_WIF_SECTIONS] = {
    [HED_WIF_WEAVING] = "WEAVING",
    [HED_WIF_WARP] = "WARP",
    [HED_WIF_WEFT] = "WEFT",
    [HED_WIF_THREADING] = "THREADING",
    [HED_WIF_TIEUP] = "TIEUP",
    [HED_WIF_TREADLING] = "TREADLING",
    [HED_WIF_LIFTPLAN] = "LIFTPLAN",
    [HED_WIF_PALETTE] = "COLOR PALETTE",
    [HED_WIF_COLORS] = "COLOR TABLE",
    [HED_WIF_WARP_COLORS] = "WARP COLORS",
    [HED_WIF_WEFT_COLORS] = "WEFT COLORS",
    [HED_WIF_WARP_SPACING] = "WARP SPACING",
    [HED_WIF_WEFT_SPACING] = "WEFT SPACING",
    [HED_WIF_WARP_THICKNESS] = "WARP THICKNESS",
    [HED_WIF_WEFT_THICKNESS] = "WEFT THICKNESS",
    [HED_WIF_TEXT] = "TEXT",
};

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// Whether a span equals a word, upper case being the same as lower case.
static bool is_word(HedSpan span, const char* word) {
    for (int32_t i = 0; i < span.size; ++i) {
        if (word[i] == '\0' || lower(span.data[i]) != lower(word[i])) {
            return false;
        }
    }
    return word[span.size] == '\0';
}

static HedWifSection find_section(HedSpan name) {
    int section = 0;
    while (section < HED_WIF_SECTIONS && !is_word(name, NAMES[section])) {
        ++section;
    }
    return (HedWifSection)section;
}

static void count_odd(HedWif* wif, int32_t line) {
    wif->odd_line = wif->odd_count == 0 ? line : wif->odd_line;
    ++wif->odd_count;
}

// "[SECTION] and what follows it"
static HedWifSection read_header(HedWif* wif, HedSpan line, int32_t number) {
    const char* end = memchr(line.data, ']', (size_t)line.size);
    ++wif->header_count;
    if (!end) {
        count_odd(wif, number);
        return HED_WIF_SECTIONS;
    }
    HedSpan name = {line.data + 1, (int32_t)(end - line.data) - 1};
    HedWifSection section = find_section(hed_span_trim(name));
    if (section < HED_WIF_SECTIONS) {
        wif->rows[section].line = number;
    }
    return section;
}

static HedStatus read_entry(HedWif* wif, HedWifSection section, HedSpan line, int32_t number,
                            HedError* error) {
    const char* sign = memchr(line.data, '=', (size_t)line.size);
    if (!sign) {
        count_odd(wif, number);
        return HED_OK;
    }
    int32_t size = (int32_t)(sign - line.data);
    HedWifEntry entry = {.section = section, .line = number};
    entry.key = hed_span_trim((HedSpan){line.data, size});
    entry.value = hed_span_trim((HedSpan){sign + 1, line.size - size - 1});
    bool is_number = hed_span_int64(entry.key, &entry.number);
    if (is_number && (entry.number < 1 || entry.number > INT32_MAX)) {
        count_odd(wif, number);
        return HED_OK;
    }
    bool fits =
        is_number ? HED_APPEND(&wif->rows[section].list, entry) : HED_APPEND(&wif->words, entry);
    return fits ? HED_OK : hed_fail_memory(error, wif->name);
}

// By number; of equal ones the last stays.
static HedStatus sort_rows(HedWif* wif, HedWifRows* rows, HedError* error) {
    HedStatus status = HED_OK;
    int32_t count = rows->list.count;
    HedSortItem* items = HED_NEW_ARRAY(HedSortItem, count);
    HedWifEntry* sorted = HED_NEW_ARRAY(HedWifEntry, count);
    if (!items || !sorted) {
        HED_TRY(hed_fail_memory(error, wif->name));
    }
    for (int32_t i = 0; i < count; ++i) {
        items[i] = (HedSortItem){(uint64_t)rows->list.data[i].number, i};
    }
    HED_TRY(hed_sort_items(items, count, error));
    int32_t kept = 0;
    for (int32_t i = 0; i < count; ++i) {
        const HedWifEntry* entry = &rows->list.data[items[i].value];
        kept -= kept > 0 && sorted[kept - 1].number == entry->number;
        sorted[kept++] = *entry;
    }
    for (int32_t i = 0; i < kept; ++i) {
        rows->list.data[i] = sorted[i];
    }
    rows->list.count = kept;
done:
    hed_free(items);
    hed_free(sorted);
    return status;
}

HedStatus hed_wif_read(const char* data, size_t size, const char* name, HedWif* wif,
                       HedError* error) {
    HedStatus status = HED_OK;
    HedTextLines lines = hed_lines_begin(data, size);
    HedWifSection section = HED_WIF_SECTIONS;
    wif->name = name;
    while (hed_lines_next(&lines)) {
        HedSpan line = hed_span_trim(lines.line);
        if (line.size == 0 || line.data[0] == ';') {
            continue;
        }
        if (line.data[0] == '[') {
            section = read_header(wif, line, lines.number);
        } else if (section < HED_WIF_SECTIONS) {
            HED_TRY(read_entry(wif, section, line, lines.number, error));
        } else if (wif->header_count == 0) {
            count_odd(wif, lines.number);
        }
    }
    for (int i = 0; i < HED_WIF_SECTIONS; ++i) {
        HED_TRY(sort_rows(wif, &wif->rows[i], error));
    }
done:
    return status;
}

void hed_wif_free(HedWif* wif) {
    for (int i = 0; i < HED_WIF_SECTIONS; ++i) {
        hed_free(wif->rows[i].list.data);
    }
    hed_free(wif->words.data);
    *wif = (HedWif){0};
}

const HedWifEntry* hed_wif_find(const HedWif* wif, HedWifSection section, const char* key) {
    for (int32_t i = wif->words.count - 1; i >= 0; --i) {
        const HedWifEntry* entry = &wif->words.data[i];
        if (entry->section == section && is_word(entry->key, key)) {
            return entry;
        }
    }
    return NULL;
}

const HedWifEntry* hed_wif_row(const HedWifRows* rows, int64_t number) {
    int32_t low = 0, high = rows->list.count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (rows->list.data[middle].number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool is_there = low < rows->list.count && rows->list.data[low].number == number;
    return is_there ? &rows->list.data[low] : NULL;
}

HedSpan hed_wif_value(const HedWifEntry* entry) {
    HedSpan value = entry->value;
    const char* comment = value.size > 0 ? memchr(value.data, ';', (size_t)value.size) : NULL;
    if (comment) {
        value.size = (int32_t)(comment - value.data);
    }
    return hed_span_trim(value);
}

bool hed_wif_element(HedSpan* list, HedSpan* element) {
    if (list->size <= 0) {
        return false;
    }
    const char* comma = memchr(list->data, ',', (size_t)list->size);
    int32_t size = comma ? (int32_t)(comma - list->data) : list->size;
    *element = hed_span_trim((HedSpan){list->data, size});
    int32_t taken = comma ? size + 1 : size;
    *list = (HedSpan){list->data + taken, list->size - taken};
    return true;
}

HedStatus hed_wif_fail(const HedWif* wif, HedError* error, int32_t line, const char* rule,
                       HedSpan found) {
    return hed_fail(error, HED_PARSE, "%s:%d: %s, got '%s'", wif->name, line, rule,
                    hed_quote(found).text);
}

HedStatus hed_wif_number(const HedWif* wif, const HedWifEntry* entry, HedSpan text, int32_t* number,
                         HedError* error) {
    int64_t value = 0;
    if (text.size > 0 && (!hed_span_int64(text, &value) || value < 0 || value > HED_WIF_MOST)) {
        return hed_wif_fail(wif, error, entry->line, "expected a number from 0 to 65536", text);
    }
    *number = (int32_t)value;
    return HED_OK;
}

HedStatus hed_wif_count(const HedWif* wif, HedWifSection section, const char* key, int64_t* count,
                        HedError* error) {
    const HedWifEntry* entry = hed_wif_find(wif, section, key);
    HedSpan text = entry ? hed_wif_value(entry) : (HedSpan){0};
    *count = 0;
    if (text.size > 0 && (!hed_span_int64(text, count) || *count < 0)) {
        return hed_wif_fail(wif, error, entry->line, "expected a count", text);
    }
    return HED_OK;
}
