// SPDX-License-Identifier: MIT
// The stitches of knitting instructions: their names and spellings, and what stands behind them.
#include "base/words.h"
#include "knit/chart_text.h"
#include "knit/instructions_names.h"
#include "knit/instructions_words.h"

#include <stdio.h>
#include <string.h>

HedStatus hed_instruction_add(HedInstructionReader* r, HedInstructionNode node) {
    return HED_APPEND(&r->instructions->nodes, node)
               ? HED_OK
               : hed_fail_memory(r->error, r->instructions->name);
}

// A stitch at the end of the row at hand.
static HedStatus put(HedInstructionReader* r, HedStitch stitch, int32_t times) {
    HedInstructionNode node = {.kind = HED_INSTRUCTION_STITCH, .times = times, .stitch = stitch};
    node.stitch.line = hed_instruction_ahead(r, 0)->line;
    node.stitch.yarn = r->yarn;
    node.end = r->instructions->nodes.count + 1;
    return times > 0 ? hed_instruction_add(r, node) : HED_OK;
}

static HedStatus note_replaced(HedInstructionReader* r, int32_t line, const char* name,
                               const char* drawn) {
    return hed_instructions_note(r->instructions, r->error, "line %d: '%s' is drawn as %s",
                                 (int)line, name, drawn);
}

// --- what takes n loops and leaves m

// Stitches that take and leave as many loops as one that is not drawn as it is.
static HedStatus put_replacement(HedInstructionReader* r, int32_t taken, int32_t left,
                                 bool is_purl) {
    HedStatus status = HED_OK;
    HedStitch knit = hed_stitch_default(HED_STITCH_KNIT);
    HedStitch other = hed_stitch_default(HED_STITCH_DECREASE);
    knit.is_purl = is_purl;
    if (taken > left) {
        other.consumed = taken - left + 1;
        other.lean = HED_LEAN_LEFT;
        other.is_purl = is_purl;
        HED_TRY(put(r, other, 1));
        HED_TRY(put(r, knit, left - 1));
    } else if (taken < left) {
        other = hed_stitch_default(HED_STITCH_INCREASE);
        other.produced = left - taken + 1;
        other.increase = HED_INCREASE_YARN_OVER;
        other.is_purl = is_purl;
        HED_TRY(put(r, knit, taken - 1));
        HED_TRY(put(r, other, 1));
    } else {
        HED_TRY(put(r, knit, taken));
    }
done:
    return status;
}

// What several parts of a stitch come to: "sl1-k2tog-psso".
typedef struct Cluster {
    int32_t taken, left, slipped;
    bool is_purl;
} Cluster;

static HedStatus put_cluster(HedInstructionReader* r, Cluster c, int32_t line, const char* name) {
    HedStatus status = HED_OK;
    if (c.taken < 1 || c.left < 1 || c.taken > HED_STITCH_MOST || c.left > HED_STITCH_MOST) {
        return hed_fail(r->error, HED_PARSE,
                        "%s:%d: '%s' takes %d loops and leaves %d: 1 to %d can be",
                        r->instructions->name, (int)line, name, (int)c.taken, (int)c.left,
                        (int)HED_STITCH_MOST);
    }
    if (c.left == 1 && c.taken > 1) {
        HedStitch s = hed_stitch_default(HED_STITCH_DECREASE);
        s.consumed = c.taken;
        s.is_purl = c.is_purl;
        s.lean = c.slipped == 2 && c.taken == 3 ? HED_LEAN_CENTER : HED_LEAN_LEFT;
        return put(r, s, 1);
    }
    char drawn[64];
    snprintf(drawn, sizeof drawn, "plain stitches that take %d and leave %d", (int)c.taken,
             (int)c.left);
    HED_TRY(note_replaced(r, line, name, drawn));
    HED_TRY(put_replacement(r, c.taken, c.left, c.is_purl));
done:
    return status;
}

// One part of a compound: "sl1", "k2tog", "yo", "p3so".
static bool add_part(const char* part, Cluster* c) {
    HedStitch s;
    int32_t count = 0;
    if (hed_instruction_is_one(part, "psso passo p2sso p3sso")) {
        c->taken += c->slipped;
        return c->slipped > 0;
    }
    if (hed_instruction_is_one(part, "p2so p3so")) {
        c->taken += 1; // a loop farther on is passed over those before it
        return true;
    }
    if (strcmp(part, "pyo") == 0) {
        c->left -= 1;
        return true;
    }
    if (!hed_instruction_named(part, &s, &count)) {
        return false;
    }
    if (s.kind == HED_STITCH_SLIP) {
        c->slipped += count;
        return true;
    }
    c->taken += count * hed_stitch_consumed(&s);
    c->left += count * hed_stitch_produced(&s);
    c->is_purl = c->is_purl || s.is_purl;
    return count <= HED_STITCH_MOST;
}

// "sl1-k2tog-psso"; false if it is none.
static bool read_compound(const char* word, Cluster* c) {
    int32_t parts = 0;
    *c = (Cluster){0};
    for (const char* at = word; *at; ++parts) {
        char part[HED_INSTRUCTION_WORD] = {0};
        size_t size = strcspn(at, "-");
        memcpy(part, at, size);
        if (!add_part(part, c)) {
            return false;
        }
        at += size;
        at += *at == '-';
    }
    return parts > 1;
}

// Two numbers with a text between them, such as "1-to-5" or "2/2".
static bool read_two(const char* word, const char* between, int32_t* first, int32_t* second) {
    int32_t size = hed_instruction_digits(word, first);
    size_t length = strlen(between);
    if (size == 0 || strncmp(word + size, between, length) != 0) {
        return false;
    }
    const char* rest = word + size + length;
    size = hed_instruction_digits(rest, second);
    return size > 0 && rest[size] == '\0';
}

// "1-to-5", with "inc" or "gather" behind it.
static bool read_ratio(const char* word, Cluster* c) {
    *c = (Cluster){0};
    return read_two(word, "-to-", &c->taken, &c->left);
}

// "sl1, k2tog, psso": the stitches from the last slipped one on become one.
static HedStatus pass_over(HedInstructionReader* r, int32_t line) {
    HedInstructionNode* nodes = r->instructions->nodes.data;
    int32_t at = r->instructions->nodes.count;
    Cluster c = {0};
    while (at > 0 && nodes[at - 1].kind == HED_INSTRUCTION_STITCH &&
           nodes[at - 1].stitch.kind != HED_STITCH_SLIP && nodes[at - 1].times <= HED_STITCH_MOST) {
        const HedInstructionNode* node = &nodes[--at];
        c.taken += node->times * hed_stitch_consumed(&node->stitch);
        c.left += node->times * hed_stitch_produced(&node->stitch);
        c.is_purl = c.is_purl || node->stitch.is_purl;
    }
    if (at == 0 || nodes[at - 1].kind != HED_INSTRUCTION_STITCH ||
        nodes[at - 1].stitch.kind != HED_STITCH_SLIP || nodes[at - 1].times > HED_STITCH_MOST) {
        return hed_instruction_fail(r, "there is no slipped stitch to pass over");
    }
    c.slipped = nodes[at - 1].times;
    c.taken += c.slipped;
    r->instructions->nodes.count = at - 1;
    return put_cluster(r, c, line, "psso");
}

// --- crosses

// "2/2 rc" as two words or one; the groups are in the first. Walks past what it reads.
static bool read_cross(HedInstructionReader* r, HedStitch* stitch) {
    typedef struct Cross {
        const char* name;
        const char* chart; // what a chart calls it
        bool is_twisted, is_slip, is_middle_over;
    } Cross;
    static const Cross CROSSES[] = {
        {"lc", "lc", 0, 0, 0},   {"rc", "rc", 0, 0, 0},    {"lpc", "lpc", 0, 0, 0},
        {"rpc", "rpc", 0, 0, 0}, {"lt", "lc", 1, 0, 0},    {"rt", "rc", 1, 0, 0},
        {"lpt", "lpc", 1, 0, 0}, {"rpt", "rpc", 1, 0, 0},  {"lsc", "lc", 0, 1, 0},
        {"rsc", "rc", 0, 1, 0},  {"lsac", "lpc", 0, 1, 0}, {"rsac", "rpc", 0, 1, 0},
        {"lcc", "lc", 0, 0, 1},  {"rcc", "rc", 0, 0, 1},
    };
    const char* word = hed_instruction_word(r);
    size_t digits = strspn(word, "0123456789/");
    bool is_apart = word[digits] == '\0';
    const char* name = is_apart ? hed_instruction_ahead(r, 1)->text : word + digits;
    int32_t count = 0;
    for (size_t i = 0; strchr(word, '/') && i < sizeof CROSSES / sizeof CROSSES[0]; ++i) {
        char chart[HED_INSTRUCTION_WORD + 4];
        snprintf(chart, sizeof chart, "%.*s%s", (int)digits, word, CROSSES[i].chart);
        if (strcmp(name, CROSSES[i].name) == 0 && hed_stitch_named(chart, stitch, &count)) {
            stitch->is_twisted = CROSSES[i].is_twisted;
            stitch->is_front_slip = CROSSES[i].is_slip;
            stitch->is_middle_over = CROSSES[i].is_middle_over;
            // Of three groups only the middle is purled.
            stitch->is_back_purl = stitch->is_back_purl && stitch->middle == 0;
            hed_instruction_next(r);
            if (is_apart) {
                hed_instruction_next(r);
            }
            return true;
        }
    }
    return false;
}

// "c4f" is 2/2 LC, "t3b" 2/1 RPC: British names.
static bool read_british(const char* word, HedStitch* stitch) {
    int32_t all = word[0] ? word[1] - '0' : 0;
    bool is_name = strlen(word) == 3 && (word[0] == 'c' || word[0] == 't') && all >= 2 &&
                   all <= 9 && (word[2] == 'f' || word[2] == 'b');
    if (is_name) {
        *stitch = hed_stitch_default(HED_STITCH_CABLE);
        stitch->front = (all + 1) / 2;
        stitch->back = all / 2;
        stitch->is_left = word[2] == 'f';
        stitch->is_back_purl = word[0] == 't';
    }
    return is_name;
}

// "2/2 [purled] left thread thru", "wrap 3 sts": as many loops are left as are taken.
static HedStatus read_even(HedInstructionReader* r, bool* is_read) {
    HedStatus status = HED_OK;
    int32_t line = hed_instruction_ahead(r, 0)->line;
    int32_t back = r->at;
    int32_t count = 0, first = 0, second = 0;
    bool is_purl = false;
    const char* name = "wrap";
    *is_read = false;
    if (hed_instruction_take(r, "wrap") &&
        hed_instruction_take_number(r, HED_STITCH_MOST, &count)) {
        *is_read = hed_instruction_take_one(r, "sts st stitches");
    } else if (read_two(hed_instruction_word(r), "/", &first, &second) &&
               first <= HED_STITCH_MOST && second <= HED_STITCH_MOST) {
        hed_instruction_next(r);
        is_purl = hed_instruction_take(r, "purled");
        *is_read = hed_instruction_take(r, "left thread thru") ||
                   hed_instruction_take(r, "right thread thru");
        count = first + second;
        name = "thread thru";
    }
    if (!*is_read) {
        r->at = back;
        return HED_OK;
    }
    HED_TRY(note_replaced(r, line, name, "plain stitches"));
    HED_TRY(put_replacement(r, count, count, is_purl));
done:
    return status;
}

// --- what stands behind a stitch

static bool take_side(HedInstructionReader* r, HedStitch* s) {
    if (hed_instruction_take_one(r, "wyif wyf") || hed_instruction_take(r, "with yarn in front")) {
        s->float_side = HED_FLOAT_FRONT;
        return true;
    }
    if (hed_instruction_take_one(r, "wyib wyb") || hed_instruction_take(r, "with yarn in back")) {
        s->float_side = HED_FLOAT_BACK;
        return true;
    }
    return false;
}

// "in next st", "into same stitch"
bool hed_instruction_take_place(HedInstructionReader* r) {
    int32_t back = r->at;
    hed_instruction_take(r, "all");
    if (hed_instruction_take_one(r, "in into")) {
        hed_instruction_take(r, "the");
        if (hed_instruction_take_one(r, "next same one last st stitch")) {
            hed_instruction_take_one(r, "st stitch");
            return true;
        }
    }
    r->at = back;
    return false;
}

static bool take_back_loop(HedInstructionReader* r) {
    return hed_instruction_take_one(r, "tbl") || hed_instruction_take(r, "through back loop") ||
           hed_instruction_take(r, "through the back loop") ||
           hed_instruction_take(r, "in back loop") || hed_instruction_take(r, "through back loops");
}

// Both legs of a loop: "k into front and back of next st".
static bool take_both(HedInstructionReader* r, HedInstructionNode* node) {
    if (node->stitch.kind != HED_STITCH_KNIT ||
        !hed_instruction_is_one(hed_instruction_word(r), "in into") ||
        !hed_instruction_is_one(hed_instruction_ahead(r, 1)->text, "front the")) {
        return false;
    }
    int32_t back = r->at;
    hed_instruction_next(r);
    hed_instruction_take(r, "the");
    if (hed_instruction_take(r, "front and back") ||
        hed_instruction_take(r, "front and the back")) {
        bool is_purl = node->stitch.is_purl;
        node->stitch = hed_stitch_default(HED_STITCH_INCREASE);
        node->stitch.produced = 2;
        node->stitch.is_purl = is_purl;
        if (hed_instruction_take(r, "of")) {
            hed_instruction_take_one(r, "the next");
            hed_instruction_take(r, "next");
            hed_instruction_take_one(r, "st stitch");
        }
        return true;
    }
    r->at = back;
    return false;
}

// "k 2 tog", "knit 3 together"
static bool take_together(HedInstructionReader* r, HedInstructionNode* node) {
    if (node->stitch.kind != HED_STITCH_KNIT || node->times < 2 || node->times > HED_STITCH_MOST ||
        !hed_instruction_take_one(r, "tog together")) {
        return false;
    }
    bool is_purl = node->stitch.is_purl;
    node->stitch = hed_stitch_default(HED_STITCH_DECREASE);
    node->stitch.consumed = node->times;
    node->stitch.is_purl = is_purl;
    node->times = 1;
    return true;
}

static HedStatus read_modifiers(HedInstructionReader* r, HedInstructionNode* node, int32_t line) {
    HedStatus status = HED_OK;
    HedStitch* s = &node->stitch;
    for (;;) {
        if (take_together(r, node) || take_side(r, s) || take_both(r, node)) {
            continue;
        }
        if (take_back_loop(r)) {
            s->is_twisted = s->kind == HED_STITCH_KNIT || s->kind == HED_STITCH_DECREASE;
            s->lean = HED_LEAN_LEFT;
        } else if (hed_instruction_take(r, "twisted")) {
            s->is_twisted = s->kind == HED_STITCH_KNIT || s->kind == HED_STITCH_DECREASE;
        } else if (hed_instruction_take(r, "below")) {
            HED_TRY(note_replaced(r, line, "below", "a stitch into the loop on the needle"));
        } else if (hed_instruction_take(r, "wrapping yarn")) {
            int32_t times = 1;
            bool is_said = false;
            HED_TRY(hed_instruction_times(r, &times, &is_said));
            HED_TRY(note_replaced(r, line, "wrapping yarn", "a stitch of plain length"));
        } else if (hed_instruction_take(r, "wb")) {
            HED_TRY(note_replaced(r, line, "wb", "the stitch without its bead"));
        } else if (!hed_instruction_take_one(r,
                                             "st sts stitch stitches kwise pwise knitwise purlwise "
                                             "loosely only") &&
                   !hed_instruction_take(r, "as if to knit") &&
                   !hed_instruction_take(r, "as if to purl") &&
                   !(s->kind == HED_STITCH_KNIT && hed_instruction_take_place(r))) {
            break;
        }
    }
done:
    return status;
}

HedStatus hed_instruction_times(HedInstructionReader* r, int32_t* times, bool* is_said) {
    *times = 1;
    *is_said = true;
    if (hed_instruction_take(r, "twice")) {
        *times = 2;
    } else if (hed_instruction_take(r, "thrice")) {
        *times = 3;
    } else if (hed_instruction_take(r, "once")) {
        *times = 1;
    } else if (hed_instruction_word(r)[0] == 'x' &&
               hed_instruction_digits(hed_instruction_word(r) + 1, times) > 0) {
        if (*times > HED_INSTRUCTION_TIMES) {
            return hed_instruction_fail(r, "expected a number up to 10000 and 'times'");
        }
        hed_instruction_next(r);
    } else if (hed_instruction_is(r, "x") || hed_instruction_is_number(r)) {
        bool is_x = hed_instruction_take(r, "x");
        bool is_number = hed_instruction_take_number(r, HED_INSTRUCTION_TIMES, times);
        hed_instruction_take(r, "more");
        if (!is_number || !(hed_instruction_take_one(r, "times time x") || is_x)) {
            return hed_instruction_fail(r, "expected a number up to 10000 and 'times'");
        }
    } else {
        *is_said = false;
    }
    hed_instruction_take(r, "more");
    return HED_OK;
}

// "twice" and "3 times" behind a stitch, but no number that belongs to something else.
static HedStatus read_stitch_times(HedInstructionReader* r, int32_t* times) {
    int32_t more = 1;
    bool is_said = false;
    const char* then = hed_instruction_ahead(r, 1)->text;
    if (hed_instruction_is_number(r) && !hed_instruction_is_one(then, "times time x more")) {
        return HED_OK;
    }
    HedStatus status = hed_instruction_times(r, &more, &is_said);
    if (status == HED_OK && (int64_t)more * *times > HED_INSTRUCTION_TIMES) {
        return hed_instruction_fail(r, "a stitch may be worked 10000 times");
    }
    *times *= more;
    return status;
}

// --- the whole

static HedStatus refuse(HedInstructionReader* r) {
    const HedInstructionWord* word = hed_instruction_ahead(r, 0);
    const char* then = hed_instruction_ahead(r, 1)->text;
    bool is_two = strchr(word->text, '/') && then[0] >= 'a' && then[0] <= 'z';
    if (hed_instruction_is_one(word->text, "marker m")) {
        return hed_instruction_fail(r, "markers are not followed: say how many stitches there are");
    }
    return hed_fail(r->error, HED_PARSE,
                    "%s:%d: unknown stitch '%s%s%s'; expected one such as k2, yo, ssk, k2tog, sl1 "
                    "wyif, m1l or 2/2 RC",
                    r->instructions->name, word->line, word->text, is_two ? " " : "",
                    is_two ? then : "");
}

// Stitches of a name whose meaning stands in the table; false if it is not there.
static HedStatus read_listed(HedInstructionReader* r, bool* is_read) {
    HedStatus status = HED_OK;
    int32_t line = hed_instruction_ahead(r, 0)->line;
    const HedInstructionName* name = hed_instruction_find(r);
    *is_read = name != NULL;
    if (!name) {
        return HED_OK;
    }
    int32_t first = r->instructions->nodes.count;
    if (name->drawn) {
        HED_TRY(note_replaced(r, line, name->words, name->drawn));
    }
    for (const char* at = name->stitches; *at; at += strcspn(at, " "), at += *at == ' ') {
        char word[HED_INSTRUCTION_WORD] = {0};
        HedStitch stitch;
        int32_t times = 0;
        memcpy(word, at, strcspn(at, " "));
        bool fits = hed_instruction_named(word, &stitch, &times);
        HED_ASSERT(fits);
        HED_TRY(put(r, stitch, fits ? times : 0));
    }
    if (r->instructions->nodes.count == first + 1) {
        HedInstructionNode node = r->instructions->nodes.data[first];
        HED_TRY(read_modifiers(r, &node, line));
        HED_TRY(read_stitch_times(r, &node.times));
        r->instructions->nodes.data[first] = node;
    }
done:
    return status;
}

// "1-to-5 inc", "sl1-k1-psso", "wrap 3 sts", "psso"
static HedStatus read_cluster(HedInstructionReader* r, bool* is_read) {
    HedStatus status = HED_OK;
    const HedInstructionWord word = *hed_instruction_ahead(r, 0);
    Cluster c;
    *is_read = true;
    if (hed_instruction_take_one(r, "psso passo p2sso p3sso") ||
        hed_instruction_take(r, "pass slipped st over") ||
        hed_instruction_take(r, "pass slipped stitch over") ||
        hed_instruction_take(r, "pass slipped sts over")) {
        return pass_over(r, word.line);
    }
    if (read_ratio(word.text, &c)) {
        hed_instruction_next(r);
        bool is_gather = hed_instruction_take(r, "gather");
        hed_instruction_take(r, "inc");
        if (c.taken == 1 && !is_gather && c.left >= 2 && c.left <= HED_STITCH_MOST) {
            HedStitch s = hed_stitch_default(HED_STITCH_INCREASE);
            s.produced = c.left;
            s.increase = HED_INCREASE_YARN_OVER;
            return put(r, s, 1);
        }
        return put_cluster(r, c, word.line, is_gather ? "gather" : word.text);
    }
    if (read_compound(word.text, &c)) {
        hed_instruction_next(r);
        return put_cluster(r, c, word.line, word.text);
    }
    HED_TRY(read_even(r, is_read));
done:
    return status;
}

HedStatus hed_instruction_stitch(HedInstructionReader* r) {
    HedStatus status = HED_OK;
    HedInstructionNode node = {.kind = HED_INSTRUCTION_STITCH, .times = 1};
    int32_t line = hed_instruction_ahead(r, 0)->line;
    bool is_read = false;
    HED_TRY(read_listed(r, &is_read));
    if (!is_read) {
        HED_TRY(read_cluster(r, &is_read));
    }
    if (is_read) {
        return HED_OK;
    }
    char word[HED_INSTRUCTION_WORD];
    memcpy(word, hed_instruction_word(r), sizeof word);
    if (!read_cross(r, &node.stitch)) {
        bool is_named = hed_instruction_named(word, &node.stitch, &node.times) ||
                        read_british(word, &node.stitch);
        if (!is_named) {
            return refuse(r);
        }
        hed_instruction_next(r);
        size_t length = strlen(word);
        bool is_open = hed_instruction_is_counted(word) && (word[length - 1] > '9');
        const char* then = hed_instruction_ahead(r, 1)->text;
        node.is_bare = is_open && !hed_instruction_is_number(r);
        if (is_open && hed_instruction_is_number(r) &&
            !hed_instruction_is_one(then, "times time x more")) {
            if (!hed_instruction_take_number(r, HED_INSTRUCTION_TIMES, &node.times)) {
                return hed_instruction_fail(r, "expected a number of stitches up to 10000");
            }
        }
    }
    if (node.times > HED_INSTRUCTION_TIMES) {
        return hed_instruction_fail(r, "a stitch may be worked 10000 times");
    }
    int32_t before = r->at;
    HED_TRY(read_modifiers(r, &node, line));
    HED_TRY(read_stitch_times(r, &node.times));
    node.is_bare = node.is_bare && before == r->at;
    node.stitch.line = line;
    node.stitch.yarn = r->yarn;
    node.end = r->instructions->nodes.count + 1;
    if (node.times > 0) {
        HED_TRY(hed_instruction_add(r, node));
    }
done:
    return status;
}

HedStatus hed_instruction_increase(HedInstructionReader* r, int32_t first) {
    const HedInstructionNode* nodes = r->instructions->nodes.data;
    HedStitch s = hed_stitch_default(HED_STITCH_INCREASE);
    bool has_over = false, differ = false;
    int32_t made = 0;
    for (int32_t i = first; i < r->instructions->nodes.count; ++i) {
        const HedStitch* one = &nodes[i].stitch;
        bool is_over = one->kind == HED_STITCH_YARN_OVER;
        if (nodes[i].kind != HED_INSTRUCTION_STITCH || (one->kind != HED_STITCH_KNIT && !is_over) ||
            nodes[i].times > HED_STITCH_MOST) {
            return hed_instruction_fail(r,
                                        "one stitch becomes several by k, p and yo: (k1, yo, k1)");
        }
        s.is_purl = made == 0 ? one->is_purl : s.is_purl;
        differ = differ || (!is_over && one->is_purl != s.is_purl);
        has_over = has_over || is_over;
        made += nodes[i].times;
    }
    if (made < 1 || made > HED_STITCH_MOST) {
        return hed_instruction_fail(r, "one stitch may become 1 to 12");
    }
    s.produced = made;
    s.increase =
        has_over ? HED_INCREASE_YARN_OVER : (differ ? HED_INCREASE_ALTERNATE : HED_INCREASE_PLAIN);
    if (made == 1) {
        s.kind = HED_STITCH_KNIT;
    }
    r->instructions->nodes.count = first;
    return put(r, s, 1);
}
