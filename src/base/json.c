// SPDX-License-Identifier: MIT
#include "base/json.h"
#include "base/array.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct JsonParser {
    const char* at;
    const char* end;
    const char* line_start;
    int32_t line;
    int32_t depth;
    const char* name;
    HedError* error;
    HED_ARRAY(HedJsonNode) nodes;
    HED_ARRAY(const HedJsonNode*) sorted; // members of the object just read, for finding doubles
    char* pool;
    char* pool_at;
} JsonParser;

const char* hed_json_kind_name(HedJsonKind kind) {
    static const char* const NAMES[HED_JSON_KIND_COUNT] = {
        [HED_JSON_NULL] = "null",       [HED_JSON_BOOL] = "true or false",
        [HED_JSON_NUMBER] = "a number", [HED_JSON_TEXT] = "a text",
        [HED_JSON_ARRAY] = "a list",    [HED_JSON_OBJECT] = "an object",
    };
    return NAMES[kind];
}

static HedStatus refuse(const JsonParser* p, const char* at, const char* rule) {
    return hed_fail(p->error, HED_PARSE, "%s:%d:%d: %s", p->name, p->line,
                    (int)(at - p->line_start) + 1, rule);
}

// Refuses the byte that stands there, naming it if it can be printed.
static HedStatus refuse_byte(const JsonParser* p, const char* expected) {
    int column = (int)(p->at - p->line_start) + 1;
    if (p->at == p->end) {
        return hed_fail(p->error, HED_PARSE, "%s:%d:%d: expected %s, found the end of the file",
                        p->name, p->line, column, expected);
    }
    unsigned char c = (unsigned char)*p->at;
    if (c > ' ' && c <= '~') {
        return hed_fail(p->error, HED_PARSE, "%s:%d:%d: expected %s, found '%c'", p->name, p->line,
                        column, expected, c);
    }
    return hed_fail(p->error, HED_PARSE, "%s:%d:%d: expected %s, found byte 0x%02X", p->name,
                    p->line, column, expected, c);
}

static void skip_blanks(JsonParser* p) {
    for (; p->at < p->end; ++p->at) {
        char c = *p->at;
        if (c == '\n' || (c == '\r' && !(p->at + 1 < p->end && p->at[1] == '\n'))) {
            p->line += 1;
            p->line_start = p->at + 1;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            return;
        }
    }
}

// --- texts ---

// Length of the UTF-8 sequence at s, 0 if it is not one: no overlong forms, surrogates or values
// above U+10FFFF.
static int32_t utf8_length(const char* s, const char* end) {
    const unsigned char* b = (const unsigned char*)s;
    ptrdiff_t room = end - s;
    if (b[0] < 0x80) {
        return 1;
    }
    int32_t length = b[0] >= 0xF0 ? 4 : b[0] >= 0xE0 ? 3 : 2;
    if (b[0] < 0xC2 || b[0] > 0xF4 || room < length) {
        return 0;
    }
    for (int32_t i = 1; i < length; ++i) {
        if ((b[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    bool bad = (b[0] == 0xE0 && b[1] < 0xA0) || (b[0] == 0xED && b[1] > 0x9F) ||
               (b[0] == 0xF0 && b[1] < 0x90) || (b[0] == 0xF4 && b[1] > 0x8F);
    return bad ? 0 : length;
}

static void put_utf8(JsonParser* p, uint32_t c) {
    char* out = p->pool_at;
    if (c < 0x80) {
        *out++ = (char)c;
    } else if (c < 0x800) {
        *out++ = (char)(0xC0 | c >> 6);
        *out++ = (char)(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        *out++ = (char)(0xE0 | c >> 12);
        *out++ = (char)(0x80 | (c >> 6 & 0x3F));
        *out++ = (char)(0x80 | (c & 0x3F));
    } else {
        *out++ = (char)(0xF0 | c >> 18);
        *out++ = (char)(0x80 | (c >> 12 & 0x3F));
        *out++ = (char)(0x80 | (c >> 6 & 0x3F));
        *out++ = (char)(0x80 | (c & 0x3F));
    }
    p->pool_at = out;
}

// Four hexadecimal digits at s; -1 if they are not there.
static int32_t hex4(const char* s, const char* end) {
    if (end - s < 4) {
        return -1;
    }
    int32_t value = 0;
    for (int32_t i = 0; i < 4; ++i) {
        char c = s[i];
        int32_t digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
        if (digit < 0) {
            return -1;
        }
        value = value * 16 + digit;
    }
    return value;
}

// \uXXXX, or two of them for characters above U+FFFF; at stands on the backslash.
static HedStatus parse_unicode(JsonParser* p) {
    const char* start = p->at;
    int32_t high = hex4(start + 2, p->end);
    if (high < 0) {
        return refuse(p, start, "\\u needs four hexadecimal digits");
    }
    p->at += 6;
    uint32_t c = (uint32_t)high;
    if (high >= 0xD800 && high <= 0xDFFF) {
        bool paired = high <= 0xDBFF && p->end - p->at >= 6 && p->at[0] == '\\' && p->at[1] == 'u';
        int32_t low = paired ? hex4(p->at + 2, p->end) : -1;
        if (low < 0xDC00 || low > 0xDFFF) {
            return refuse(p, start, "half of a surrogate pair");
        }
        p->at += 6;
        c = 0x10000 + ((uint32_t)(high - 0xD800) << 10) + (uint32_t)(low - 0xDC00);
    }
    if (c == 0) {
        return refuse(p, start, "a text must not contain the character zero");
    }
    put_utf8(p, c);
    return HED_OK;
}

static HedStatus parse_escape(JsonParser* p) {
    static const char FROM[] = "\"\\/bfnrt";
    static const char TO[] = "\"\\/\b\f\n\r\t";
    char c = p->end - p->at >= 2 ? p->at[1] : '\0';
    if (c == 'u') {
        return parse_unicode(p);
    }
    const char* found = c ? strchr(FROM, c) : NULL;
    if (!found) {
        return refuse(p, p->at, "a backslash must stand before one of \" \\ / b f n r t u");
    }
    *p->pool_at++ = TO[found - FROM];
    p->at += 2;
    return HED_OK;
}

// A text in quotes, decoded into the pool. The pool has room: no text is longer than its source.
static HedStatus parse_text(JsonParser* p, const char** text) {
    *text = p->pool_at;
    p->at += 1;
    for (;;) {
        if (p->at == p->end) {
            return refuse(p, p->at, "the text has no closing quote");
        }
        if (*p->at == '"') {
            break;
        }
        if (*p->at == '\\') {
            HedStatus status = parse_escape(p);
            if (status != HED_OK) {
                return status;
            }
            continue;
        }
        if ((unsigned char)*p->at < ' ') {
            return refuse(p, p->at, "line ends and control characters in a text need an escape");
        }
        int32_t length = utf8_length(p->at, p->end);
        if (length == 0) {
            return refuse(p, p->at, "not UTF-8");
        }
        memcpy(p->pool_at, p->at, (size_t)length);
        p->pool_at += length;
        p->at += length;
    }
    p->at += 1;
    *p->pool_at++ = '\0';
    return HED_OK;
}

// --- numbers and words ---

static bool is_digit(const JsonParser* p) {
    return p->at < p->end && *p->at >= '0' && *p->at <= '9';
}

static bool skip_digits(JsonParser* p) {
    const char* start = p->at;
    while (is_digit(p)) {
        ++p->at;
    }
    return p->at > start;
}

static HedStatus parse_number(JsonParser* p, double* number) {
    const char* start = p->at;
    p->at += *p->at == '-';
    bool zero = p->at < p->end && *p->at == '0';
    if (!skip_digits(p)) {
        return refuse_byte(p, "a digit");
    }
    if (zero && p->at - start > 1 + (*start == '-')) {
        return refuse(p, start, "a number must not begin with a needless zero");
    }
    if (p->at < p->end && *p->at == '.') {
        p->at += 1;
        if (!skip_digits(p)) {
            return refuse_byte(p, "a digit after the point");
        }
    }
    if (p->at < p->end && (*p->at == 'e' || *p->at == 'E')) {
        p->at += 1;
        p->at += p->at < p->end && (*p->at == '+' || *p->at == '-');
        if (!skip_digits(p)) {
            return refuse_byte(p, "a digit in the exponent");
        }
    }
    if (p->at - start > INT32_MAX ||
        !hed_span_double((HedSpan){start, (int32_t)(p->at - start)}, number)) {
        return refuse(p, start, "a number beyond double precision, or longer than 399 digits");
    }
    return HED_OK;
}

static bool skip_word(JsonParser* p, const char* word) {
    size_t size = strlen(word);
    if ((size_t)(p->end - p->at) < size || memcmp(p->at, word, size) != 0) {
        return false;
    }
    p->at += size;
    return true;
}

static HedStatus parse_word(JsonParser* p, HedJsonNode* node) {
    static const char* const NOT_NUMBERS[] = {"NaN", "Infinity", "nan", "inf"};
    if (skip_word(p, "true")) {
        node->kind = HED_JSON_BOOL;
        node->truth = true;
        return HED_OK;
    }
    if (skip_word(p, "false")) {
        node->kind = HED_JSON_BOOL;
        return HED_OK;
    }
    if (skip_word(p, "null")) {
        return HED_OK;
    }
    for (size_t i = 0; i < sizeof NOT_NUMBERS / sizeof NOT_NUMBERS[0]; ++i) {
        const char* start = p->at;
        if (skip_word(p, NOT_NUMBERS[i])) {
            return refuse(p, start, "numbers must be finite; NaN and Infinity are not JSON");
        }
    }
    return refuse_byte(p, "a value");
}

// --- lists and objects ---

static int compare_keys(const void* a, const void* b) {
    const HedJsonNode* p = *(const HedJsonNode* const*)a;
    const HedJsonNode* q = *(const HedJsonNode* const*)b;
    int order = strcmp(p->key, q->key);
    return order ? order : (p > q) - (p < q);
}

// Sorting keeps this fast for objects with very many members.
static HedStatus check_keys(JsonParser* p, int32_t object) {
    p->sorted.count = 0;
    for (int32_t i = p->nodes.data[object].child; i >= 0; i = p->nodes.data[i].next) {
        if (!HED_APPEND(&p->sorted, p->nodes.data + i)) {
            return hed_fail_memory(p->error, p->name);
        }
    }
    if (p->sorted.count > 1) {
        qsort(p->sorted.data, (size_t)p->sorted.count, sizeof p->sorted.data[0], compare_keys);
    }
    for (int32_t i = 1; i < p->sorted.count; ++i) {
        const HedJsonNode* second = p->sorted.data[i];
        if (strcmp(p->sorted.data[i - 1]->key, second->key) == 0) {
            return hed_fail(p->error, HED_PARSE, "%s:%d:%d: '%.60s' is given twice", p->name,
                            second->line, second->column, second->key);
        }
    }
    return HED_OK;
}

static HedStatus parse_value(JsonParser* p, const char* key, int32_t* index);

static HedStatus parse_member(JsonParser* p, bool is_object, int32_t* index) {
    const char* key = NULL;
    if (is_object) {
        if (p->at == p->end || *p->at != '"') {
            return refuse_byte(p, "a name in quotes");
        }
        HedStatus status = parse_text(p, &key);
        if (status != HED_OK) {
            return status;
        }
        skip_blanks(p);
        if (p->at == p->end || *p->at != ':') {
            return refuse_byte(p, "':'");
        }
        p->at += 1;
        skip_blanks(p);
    }
    return parse_value(p, key, index);
}

static HedStatus parse_children(JsonParser* p, int32_t parent, bool is_object) {
    char closing = is_object ? '}' : ']';
    if (++p->depth > HED_JSON_DEPTH) {
        return refuse(p, p->at, "lists and objects stand more than 64 deep in each other");
    }
    p->at += 1;
    skip_blanks(p);
    int32_t last = -1;
    while (last >= 0 || p->at == p->end || *p->at != closing) {
        int32_t child = 0;
        HedStatus status = parse_member(p, is_object, &child);
        if (status != HED_OK) {
            return status;
        }
        *(last < 0 ? &p->nodes.data[parent].child : &p->nodes.data[last].next) = child;
        p->nodes.data[parent].child_count += 1;
        last = child;
        skip_blanks(p);
        if (p->at < p->end && *p->at == closing) {
            break;
        }
        if (p->at == p->end || *p->at != ',') {
            return refuse_byte(p, is_object ? "',' or '}'" : "',' or ']'");
        }
        p->at += 1;
        skip_blanks(p);
    }
    p->at += 1;
    p->depth -= 1;
    return is_object ? check_keys(p, parent) : HED_OK;
}

// Recursion ends at HED_JSON_DEPTH.
static HedStatus parse_value(JsonParser* p, const char* key, int32_t* index) {
    *index = p->nodes.count;
    HedJsonNode fresh = {.line = p->line,
                         .column = (int32_t)(p->at - p->line_start) + 1,
                         .key = key,
                         .child = -1,
                         .next = -1};
    char c = p->at < p->end ? *p->at : '\0';
    HedStatus status = HED_OK;
    if (c == '"') {
        fresh.kind = HED_JSON_TEXT;
        status = parse_text(p, &fresh.text);
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        fresh.kind = HED_JSON_NUMBER;
        status = parse_number(p, &fresh.number);
    } else if (c == '{' || c == '[') {
        fresh.kind = c == '{' ? HED_JSON_OBJECT : HED_JSON_ARRAY;
    } else {
        status = parse_word(p, &fresh);
    }
    if (status != HED_OK) {
        return status;
    }
    if (!HED_APPEND(&p->nodes, fresh)) {
        return hed_fail_memory(p->error, p->name);
    }
    return c == '{' || c == '[' ? parse_children(p, *index, c == '{') : HED_OK;
}

static HedStatus parse_all(JsonParser* p, size_t size) {
    if (size > INT32_MAX) {
        return hed_fail(p->error, HED_UNSUPPORTED, "%s: JSON over 2 GiB is not read", p->name);
    }
    p->pool = hed_alloc(size + 1);
    if (!p->pool) {
        return hed_fail_memory(p->error, p->name);
    }
    p->pool_at = p->pool;
    int32_t root = 0;
    skip_blanks(p);
    HedStatus status = parse_value(p, NULL, &root);
    if (status == HED_OK) {
        skip_blanks(p);
        if (p->at != p->end) {
            status = refuse_byte(p, "the end of the file");
        }
    }
    return status;
}

HedStatus hed_json_parse(const char* data, size_t size, const char* name, HedJson* json,
                         HedError* error) {
    *json = (HedJson){0};
    if (size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0) {
        data += 3;
        size -= 3;
    }
    JsonParser p = {.at = data,
                    .end = size > 0 ? data + size : data,
                    .line_start = data,
                    .line = 1,
                    .name = name,
                    .error = error};
    HedStatus status = parse_all(&p, size);
    hed_free(p.sorted.data);
    if (status != HED_OK) {
        hed_free(p.nodes.data);
        hed_free(p.pool);
        return status;
    }
    *json = (HedJson){p.nodes.data, p.nodes.count, p.pool};
    return HED_OK;
}

void hed_json_free(HedJson* json) {
    hed_free(json->nodes);
    hed_free(json->pool);
    *json = (HedJson){0};
}

const HedJsonNode* hed_json_member(const HedJson* json, const HedJsonNode* node, const char* key) {
    if (!node || node->kind != HED_JSON_OBJECT) {
        return NULL;
    }
    const HedJsonNode* member = hed_json_first(json, node);
    while (member && strcmp(member->key, key) != 0) {
        member = hed_json_next(json, member);
    }
    return member;
}
