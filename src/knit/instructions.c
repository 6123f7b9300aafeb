// SPDX-License-Identifier: MIT
// Rows of knitting instructions: stitches, groups, and what is repeated in a row.
#include "knit/instructions.h"
#include "fabric/warnings.h"
#include "knit/chart_text.h"
#include "knit/instructions_row.h"
#include "knit/instructions_words.h"

#include <string.h>

void hed_instructions_free(HedInstructions* instructions) {
    hed_free(instructions->nodes.data);
    hed_free(instructions->rows.data);
    hed_free(instructions->rests.data);
    hed_free(instructions->repeats.data);
    hed_free(instructions->repeated.data);
    hed_warnings_free(instructions->notes, instructions->note_count);
    *instructions = (HedInstructions){0};
}

HedStatus hed_instructions_note(HedInstructions* instructions, HedError* error, const char* format,
                                ...) {
    va_list arguments;
    va_start(arguments, format);
    bool fits = hed_warnings_add(&instructions->notes, &instructions->note_count,
                                 &instructions->note_capacity, format, arguments);
    va_end(arguments);
    if (!fits) {
        return hed_fail_memory(error, instructions->name);
    }
    // The same is said once, at its first line: what follows the place is compared.
    const char* last = instructions->notes[instructions->note_count - 1];
    const char* text = strstr(last, ": ");
    for (int32_t i = 0; text && i < instructions->note_count - 1; ++i) {
        const char* other = strstr(instructions->notes[i], ": ");
        if (other && strcmp(text, other) == 0) {
            hed_free(instructions->notes[--instructions->note_count]);
            break;
        }
    }
    return HED_OK;
}

static HedStatus close_node(HedInstructionReader* r, int32_t node) {
    r->instructions->nodes.data[node].end = r->instructions->nodes.count;
    return HED_OK;
}

// "to end of row", but not the "Row 2:" of the next line.
static void take_row_word(HedInstructionReader* r) {
    if (!hed_instruction_is_header(r)) {
        hed_instruction_take_one(r, "row rows round rounds rnd rnds");
    }
}

// "to last 4 sts", "to last st", "to end", "until 2 sts rem", "across": loops that are left over;
// -1 if nothing is said.
static HedStatus read_last(HedInstructionReader* r, int32_t* last) {
    *last = -1;
    if (hed_instruction_take_one(r, "across around")) {
        take_row_word(r);
        *last = 0;
        return HED_OK;
    }
    if (!hed_instruction_take_one(r, "to until til till")) {
        return HED_OK;
    }
    hed_instruction_take(r, "the");
    *last = 0;
    if (hed_instruction_take(r, "end")) {
        if (hed_instruction_take(r, "of")) {
            hed_instruction_take(r, "the");
            take_row_word(r);
        }
        return HED_OK;
    }
    if (hed_instruction_is_one(hed_instruction_word(r), "marker m")) {
        return hed_instruction_fail(r, "markers are not followed: say how many stitches are left");
    }
    if (!hed_instruction_take_one(r, "last final") && !hed_instruction_is_number(r)) {
        return hed_instruction_fail(r, "expected 'to last' and a number of stitches, or 'to end'");
    }
    *last = 1;
    if (hed_instruction_is_number(r) &&
        !hed_instruction_take_number(r, HED_INSTRUCTION_TIMES, last)) {
        return hed_instruction_fail(r, "expected a number of stitches up to 10000");
    }
    bool is_said = hed_instruction_take_one(r, "sts st stitches stitch");
    hed_instruction_take_one(r, "rem remain remains remaining");
    return is_said ? HED_OK : hed_instruction_fail(r, "expected 'sts'");
}

static HedStatus read_items(HedInstructionReader* r);

static HedStatus open_node(HedInstructionReader* r, HedInstructionKind kind) {
    if (r->depth >= HED_INSTRUCTION_DEPTH) {
        return hed_instruction_fail(r, "brackets may be nested 12 deep");
    }
    ++r->depth;
    return hed_instruction_add(r, (HedInstructionNode){.kind = kind, .times = 1, .last = -1});
}

// How often a group is worked, behind its bracket.
static HedStatus read_group_times(HedInstructionReader* r, int32_t node) {
    HedStatus status = HED_OK;
    int32_t times = 1, last = -1;
    bool is_said = false;
    if (hed_instruction_take_place(r)) {
        HED_TRY(hed_instruction_increase(r, node + 1));
    }
    if (hed_instruction_is_one(hed_instruction_word(r), "rep repeat") &&
        hed_instruction_is_one(hed_instruction_ahead(r, 1)->text, "to until across around")) {
        hed_instruction_next(r);
    }
    HED_TRY(read_last(r, &last));
    if (last >= 0) {
        if (r->stars > 0) {
            HED_TRY(
                hed_instruction_fail(r, "a group that fills the row cannot stand in another one"));
        }
        r->instructions->nodes.data[node].kind = HED_INSTRUCTION_STAR;
        r->instructions->nodes.data[node].last = last;
    } else {
        HED_TRY(hed_instruction_times(r, &times, &is_said));
        r->instructions->nodes.data[node].times = times;
    }
done:
    return status;
}

// "[k2, p2] 3 times", "(k1, yo, k1) in next st"
static HedStatus read_group(HedInstructionReader* r) {
    HedStatus status = HED_OK;
    static const char* const CLOSE[] = {"]", "}", ")"};
    const char* word = hed_instruction_word(r);
    const char* close = CLOSE[word[0] == '[' ? 0 : (word[0] == '{' ? 1 : 2)];
    int32_t node = r->instructions->nodes.count;
    HED_TRY(open_node(r, HED_INSTRUCTION_GROUP));
    hed_instruction_next(r);
    HED_TRY(read_items(r));
    --r->depth;
    if (!hed_instruction_take(r, close)) {
        HED_TRY(hed_instruction_fail(r, close[0] == ']'   ? "expected ']'"
                                        : close[0] == ')' ? "expected ')'"
                                                          : "expected '}'"));
    }
    HED_TRY(read_group_times(r, node));
    HED_TRY(close_node(r, node));
done:
    return status;
}

static bool take_star(HedInstructionReader* r) {
    bool is_star = hed_instruction_take(r, "*");
    while (is_star && hed_instruction_take(r, "*")) { // "**"
    }
    return is_star;
}

// "repeat from *", "rep from * to *", "repeat between *s"; false if it is not that.
static bool take_repeat(HedInstructionReader* r) {
    if (!hed_instruction_take_one(r, "repeat rep")) {
        return false;
    }
    hed_instruction_take_one(r, "from between instructions");
    hed_instruction_take_one(r, "the");
    if (take_star(r)) {
        hed_instruction_take(r, "s");
        if (hed_instruction_take(r, "to *") || hed_instruction_take(r, "and *")) {
            take_star(r);
        }
        return true;
    }
    return false;
}

// "rep from * 3 times", "... 3 times more": how often in all; 0: as often as it fits. Without
// "more" it may mean one more: *is_open.
static HedStatus read_star_times(HedInstructionReader* r, int32_t* times, bool* is_open) {
    bool is_said = false;
    *times = 0;
    *is_open = false;
    if (!hed_instruction_is_number(r) &&
        !hed_instruction_is_one(hed_instruction_word(r), "once twice thrice")) {
        return HED_OK;
    }
    int32_t from = r->at;
    HedStatus status = hed_instruction_times(r, times, &is_said);
    bool is_more = hed_instruction_take(r, "more");
    for (int32_t i = from; i < r->at; ++i) {
        is_more = is_more || strcmp(r->words.data[i].text, "more") == 0;
    }
    *times += is_more ? 1 : 0;
    *is_open = !is_more;
    r->instructions->has_rep = r->instructions->has_rep || !is_more;
    return status;
}

// What stands behind the stitches of a star.
static HedStatus read_star_end(HedInstructionReader* r, int32_t node) {
    HedStatus status = HED_OK;
    int32_t last = -1, times = 0;
    bool is_closed = take_star(r);
    bool is_repeated = false;
    int32_t back = r->at;
    while (is_closed && hed_instruction_take_one(r, ", ; .")) {
    }
    is_repeated = take_repeat(r);
    if (!is_repeated) {
        r->at = back;
    }
    if (!is_closed && !is_repeated) {
        return hed_instruction_fail(r, "expected 'repeat from *'");
    }
    bool is_open = false;
    HED_TRY(read_star_times(r, &times, &is_open));
    HED_TRY(read_last(r, &last));
    if (times > 0) {
        r->instructions->nodes.data[node].kind = HED_INSTRUCTION_GROUP;
        r->instructions->nodes.data[node].times = times;
        r->instructions->nodes.data[node].is_rep = is_open;
    }
    r->instructions->nodes.data[node].last = last;
    HED_TRY(close_node(r, node));
done:
    return status;
}

// "*k2, p2, repeat from * to last 2 sts"
static HedStatus read_star(HedInstructionReader* r) {
    HedStatus status = HED_OK;
    int32_t node = r->instructions->nodes.count;
    if (r->depth > 0) {
        return hed_instruction_fail(r, "'*' cannot stand in brackets or in another '*'");
    }
    HED_TRY(open_node(r, HED_INSTRUCTION_STAR));
    ++r->stars;
    take_star(r);
    HED_TRY(read_items(r));
    --r->depth;
    --r->stars;
    HED_TRY(read_star_end(r, node));
done:
    return status;
}

// Whether a whole row, or all up to its end, is knitted or purled: "Knit", "k to last 2 sts".
static bool is_filler(const HedInstructionReader* r) {
    const char* word = hed_instruction_word(r);
    const char* then = hed_instruction_ahead(r, 1)->text;
    if (!hed_instruction_is_one(word, "knit purl k p")) {
        return false;
    }
    if (hed_instruction_is_one(then, "to until til till across around all every each rem remaining "
                                     "even")) {
        return true;
    }
    HedInstructionReader ahead = *r;
    ahead.at += ahead.at < r->words.count - 1;
    return word[1] != '\0' && !hed_instruction_is_number(&ahead) &&
           !hed_instruction_is_one(then, "in into below");
}

// "Knit to last 3 sts"
static HedStatus read_filler(HedInstructionReader* r) {
    HedStatus status = HED_OK;
    int32_t node = r->instructions->nodes.count;
    int32_t last = -1;
    HedInstructionNode inner = {.kind = HED_INSTRUCTION_STITCH, .times = 1, .end = node + 2};
    inner.stitch = hed_stitch_default(HED_STITCH_KNIT);
    inner.stitch.is_purl = hed_instruction_word(r)[0] == 'p';
    inner.stitch.line = hed_instruction_ahead(r, 0)->line;
    inner.stitch.yarn = r->yarn;
    if (r->depth > 0) {
        return hed_instruction_fail(r, "a whole row cannot stand in brackets");
    }
    hed_instruction_next(r);
    inner.stitch.is_twisted = hed_instruction_take(r, "tbl");
    if (hed_instruction_take_one(r, "all every each rem remaining even")) {
        hed_instruction_take_one(r, "sts st stitches stitch");
        take_row_word(r);
    }
    HED_TRY(read_last(r, &last));
    HED_TRY(hed_instruction_add(
        r, (HedInstructionNode){.kind = HED_INSTRUCTION_STAR, .last = last, .end = node + 2}));
    HED_TRY(hed_instruction_add(r, inner));
done:
    return status;
}

// "BO 5 sts", "bind off all sts"
static HedStatus read_bind_off(HedInstructionReader* r) {
    HedInstructionNode node = {.kind = HED_INSTRUCTION_BIND_OFF,
                               .end = r->instructions->nodes.count + 1};
    node.stitch = hed_stitch_default(HED_STITCH_BIND_OFF);
    node.stitch.line = hed_instruction_ahead(r, 0)->line;
    node.stitch.yarn = r->yarn;
    if (r->depth > 0) {
        return hed_instruction_fail(r, "loops cannot be bound off in brackets");
    }
    if (!hed_instruction_take(r, "bind off") && !hed_instruction_take(r, "cast off")) {
        hed_instruction_next(r);
    }
    hed_instruction_take_one(r, "the all rem remaining next");
    if (hed_instruction_is_number(r) &&
        !hed_instruction_take_number(r, HED_INSTRUCTION_TIMES, &node.times)) {
        return hed_instruction_fail(r, "expected a number of stitches up to 10000");
    }
    while (hed_instruction_take_one(
               r, "sts st stitches stitch loosely kwise knitwise rem remaining") ||
           hed_instruction_take(r, "in pattern") || hed_instruction_take(r, "in patt")) {
    }
    node.stitch.is_purl = hed_instruction_take_one(r, "pwise purlwise");
    return hed_instruction_add(r, node);
}

static bool is_bind_off(const HedInstructionReader* r) {
    const char* word = hed_instruction_word(r);
    const char* then = hed_instruction_ahead(r, 1)->text;
    return strcmp(word, "bo") == 0 ||
           (hed_instruction_is_one(word, "bind cast") && strcmp(then, "off") == 0);
}

// "with MC", "using A": the yarn to go on with, as many as there are names.
static HedStatus read_yarn(HedInstructionReader* r, bool* is_read) {
    const char* name = hed_instruction_ahead(r, 1)->text;
    *is_read = hed_instruction_is_one(hed_instruction_word(r), "with using") && name[0] >= 'a' &&
               name[0] <= 'z' && !hed_instruction_is_one(name, "yarn rs ws");
    if (!*is_read) {
        return HED_OK;
    }
    hed_instruction_next(r);
    hed_instruction_take_one(r, "color colour");
    for (r->yarn = 0; r->yarn < r->yarn_count; ++r->yarn) {
        if (hed_instruction_is(r, r->yarns[r->yarn])) {
            break;
        }
    }
    if (r->yarn == r->yarn_count) {
        if (r->yarn_count == (int32_t)(sizeof r->yarns / sizeof r->yarns[0])) {
            return hed_instruction_fail(r, "a text may have 16 yarns");
        }
        memcpy(r->yarns[r->yarn_count++], hed_instruction_word(r), HED_INSTRUCTION_WORD);
    }
    hed_instruction_next(r);
    return HED_OK;
}

static bool is_turn(const HedInstructionReader* r) {
    const char* word = hed_instruction_word(r);
    const char* then = hed_instruction_ahead(r, 1)->text;
    return hed_instruction_is_one(word, "turn w&t wt") ||
           (hed_instruction_is_one(word, "wrap w") && hed_instruction_is_one(then, "and &"));
}

static HedStatus read_item(HedInstructionReader* r) {
    bool is_read = false;
    HedStatus status = read_yarn(r, &is_read);
    if (is_read || status != HED_OK) {
        return status;
    }
    if (hed_instruction_is_one(hed_instruction_word(r), "[ { (")) {
        return read_group(r);
    }
    if (hed_instruction_is(r, "*")) {
        return read_star(r);
    }
    if (is_filler(r)) {
        return read_filler(r);
    }
    if (is_bind_off(r)) {
        return read_bind_off(r);
    }
    if (hed_instruction_is(r, "cast") && strcmp(hed_instruction_ahead(r, 1)->text, "on") == 0) {
        hed_instruction_next(r);
        memcpy(r->words.data[r->at].text, "co", 3);
    }
    return hed_instruction_stitch(r);
}

// Up to something that is no item.
static HedStatus read_items(HedInstructionReader* r) {
    HedStatus status = HED_OK;
    while (status == HED_OK) {
        if (hed_instruction_take_one(r, ", . ; then and & ending end work") ||
            (r->yarn_count == 0 && hed_instruction_is(r, "with") &&
             hed_instruction_ahead(r, 1)->text[0] == 'k' && hed_instruction_take(r, "with"))) {
            continue;
        }
        if (hed_instruction_side(r) != 0) {
            for (int i = 0; i < 3; ++i) {
                hed_instruction_next(r);
            }
            continue;
        }
        const char* word = hed_instruction_word(r);
        bool is_closing = r->stars > 0 && strcmp(word, "*") == 0;
        if (word[0] == '\0' || hed_instruction_is_one(word, "] ) }") || is_closing ||
            hed_instruction_is_repeat(r) || hed_instruction_is_header(r) || is_turn(r) ||
            hed_instruction_is_prose(r)) {
            break;
        }
        status = read_item(r);
    }
    return status;
}

// A row that only says "k" or "p" is one of such stitches.
static HedStatus fill_bare(HedInstructionReader* r, int32_t first) {
    if (r->instructions->nodes.count != first + 1) {
        return HED_OK;
    }
    HedInstructionNode* node = &r->instructions->nodes.data[first];
    if (!node->is_bare || node->stitch.kind != HED_STITCH_KNIT) {
        return HED_OK;
    }
    HedInstructionNode inner = *node;
    inner.end = first + 2;
    *node = (HedInstructionNode){.kind = HED_INSTRUCTION_STAR, .last = 0, .end = first + 2};
    return hed_instruction_add(r, inner);
}

static bool binds_before_others(const HedInstructions* instructions, int32_t first) {
    for (int32_t i = first; i < instructions->nodes.count - 1; ++i) {
        if (instructions->nodes.data[i].kind == HED_INSTRUCTION_BIND_OFF) {
            return true;
        }
    }
    return false;
}

HedStatus hed_instruction_row_part(HedInstructionReader* r, HedInstructionRow* row) {
    HedStatus status = HED_OK;
    row->first = r->instructions->nodes.count;
    row->is_turned = row->is_wrapped = false;
    r->told = 0;
    HED_TRY(read_items(r));
    if (is_turn(r)) {
        row->is_turned = true;
        row->is_wrapped = !hed_instruction_is(r, "turn");
        if (!hed_instruction_take_one(r, "turn w&t wt")) {
            hed_instruction_next(r);
            hed_instruction_next(r);
            hed_instruction_take_one(r, "turn t");
        }
        while (hed_instruction_take_one(r, ", . ;")) {
        }
    }
    if (!row->is_turned && hed_instruction_word(r)[0] != '\0' && !hed_instruction_is_header(r) &&
        !hed_instruction_is_repeat(r) && !hed_instruction_is_prose(r)) {
        HED_TRY(hed_instruction_fail(r, "expected a stitch or the next row"));
    }
    HED_TRY(fill_bare(r, row->first));
    row->end = r->instructions->nodes.count;
    row->told = r->told;
    r->instructions->has_bind_off =
        r->instructions->has_bind_off || binds_before_others(r->instructions, row->first);
done:
    return status;
}

HedStatus hed_instructions_read(const char* data, size_t size, const char* name,
                                HedInstructions* instructions, HedError* error) {
    HedStatus status = HED_OK;
    HedInstructionReader r = {.instructions = instructions, .error = error};
    instructions->name = name;
    HED_TRY(hed_text_check(data, size, name, error));
    HED_TRY(hed_instruction_split(&r, data, size));
    HED_TRY(hed_instructions_rows(&r));
    HED_TRY(hed_instructions_order(instructions, error));
done:
    hed_free(r.words.data);
    hed_free(r.numbers.data);
    return status;
}
