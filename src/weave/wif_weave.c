// SPDX-License-Identifier: MIT
// From the sections of a WIF file to the draft: which ends rise over which picks.
#include "base/file.h"
#include "base/words.h"
#include "weave/wif.h"

#include <string.h>

// The two ways in which a file says what rises on each pick.
typedef enum Plan { PLAN_TREADLES, PLAN_LIFTS } Plan;

typedef struct LiftReader {
    HedWif wif;
    HedWeave weave;
    HedError* error;
    HED_ARRAY(const HedWifEntry*) ends;
    HED_ARRAY(const HedWifEntry*) picks;
    Plan plan;
    bool is_sinking;
    int32_t largest; // number in any list
    int32_t* stamps; // per shaft: the last pick that moves it, counted from 1
} LiftReader;

// Enough for a draft of the largest size whose ends pass through eight shafts each; some seconds.
enum { LOOKS_MOST = 8 * HED_WEAVE_CELLS };

// --- lists ---

// Whether a list names anything, checked number by number.
static HedStatus read_list(LiftReader* r, const HedWifEntry* entry, bool* has_any) {
    HedSpan list = hed_wif_value(entry);
    HedSpan element;
    HedStatus status = HED_OK;
    *has_any = false;
    while (status == HED_OK && hed_wif_element(&list, &element)) {
        int32_t number = 0;
        status = hed_wif_number(&r->wif, entry, element, &number, r->error);
        *has_any = *has_any || number > 0;
        r->largest = number > r->largest ? number : r->largest;
    }
    return status;
}

// The next number of a list that read_list has accepted; 0 at its end.
static int32_t next_number(HedSpan* list) {
    HedSpan element;
    int64_t number = 0;
    while (number == 0 && hed_wif_element(list, &element)) {
        number = element.size > 0 && hed_span_int64(element, &number) ? number : 0;
    }
    return (int32_t)number;
}

// --- what is threaded, what is trodden ---

static HedStatus check_lists(LiftReader* r, const HedWifRows* rows) {
    HedStatus status = HED_OK;
    bool has_any;
    for (int32_t i = 0; i < rows->list.count && status == HED_OK; ++i) {
        status = read_list(r, &rows->list.data[i], &has_any);
    }
    return status;
}

static HedStatus collect_ends(LiftReader* r) {
    const HedWifRows* rows = &r->wif.rows[HED_WIF_THREADING];
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < rows->list.count; ++i) {
        bool has_any;
        HED_TRY(read_list(r, &rows->list.data[i], &has_any));
        if (has_any && !HED_APPEND(&r->ends, &rows->list.data[i])) {
            HED_TRY(hed_fail_memory(r->error, r->wif.name));
        }
    }
    if (r->ends.count == 0) {
        int32_t line = rows->line;
        status = line > 0
                     ? hed_fail(r->error, HED_PARSE, "%s:%d: [THREADING] threads no end",
                                r->wif.name, line)
                     : hed_fail(r->error, HED_PARSE,
                                "%s: a WIF file needs a [THREADING], there is none", r->wif.name);
    }
done:
    return status;
}

// Treadles that no tie-up knows lift nothing; beyond the declared ones they are a mistake.
static HedStatus check_treadles(const LiftReader* r, const HedWifEntry* pick, int64_t declared) {
    HedSpan list = hed_wif_value(pick);
    int32_t treadle;
    while ((treadle = next_number(&list)) > 0) {
        if (treadle > declared && !hed_wif_row(&r->wif.rows[HED_WIF_TIEUP], treadle)) {
            return hed_fail(r->error, HED_PARSE,
                            "%s:%d: treadle %d is not among the %lld of [WEAVING] and has no "
                            "tie-up",
                            r->wif.name, pick->line, treadle, (long long)declared);
        }
    }
    return HED_OK;
}

static HedStatus choose_plan(LiftReader* r) {
    const HedWifRows* rows = r->wif.rows;
    bool has_treadles = rows[HED_WIF_TREADLING].list.count > 0;
    bool has_tieup = rows[HED_WIF_TIEUP].list.count > 0;
    bool has_lifts = rows[HED_WIF_LIFTPLAN].list.count > 0;
    r->plan = has_treadles && has_tieup ? PLAN_TREADLES : PLAN_LIFTS;
    if (r->plan == PLAN_TREADLES || has_lifts) {
        return HED_OK;
    }
    if (has_treadles) {
        return hed_fail(r->error, HED_PARSE,
                        "%s:%d: [TREADLING] needs a [TIEUP], there is none, and no [LIFTPLAN]",
                        r->wif.name, rows[HED_WIF_TREADLING].line);
    }
    return hed_fail(r->error, HED_PARSE,
                    "%s: a WIF file needs [TIEUP] and [TREADLING], or a [LIFTPLAN]", r->wif.name);
}

static HedStatus collect_picks(LiftReader* r) {
    HedStatus status = HED_OK;
    int64_t treadles = 0;
    HED_TRY(choose_plan(r));
    HED_TRY(hed_wif_count(&r->wif, HED_WIF_WEAVING, "treadles", &treadles, r->error));
    HED_TRY(check_lists(r, &r->wif.rows[HED_WIF_TIEUP]));
    HED_TRY(check_lists(r, &r->wif.rows[HED_WIF_TREADLING]));
    HED_TRY(check_lists(r, &r->wif.rows[HED_WIF_LIFTPLAN]));
    bool is_trodden = r->plan == PLAN_TREADLES;
    const HedWifRows* rows = &r->wif.rows[is_trodden ? HED_WIF_TREADLING : HED_WIF_LIFTPLAN];
    for (int32_t i = 0; i < rows->list.count; ++i) {
        bool has_any;
        HED_TRY(read_list(r, &rows->list.data[i], &has_any));
        HED_TRY(is_trodden ? check_treadles(r, &rows->list.data[i], treadles) : HED_OK);
        if (has_any && !HED_APPEND(&r->picks, &rows->list.data[i])) {
            HED_TRY(hed_fail_memory(r->error, r->wif.name));
        }
    }
    if (r->picks.count == 0) {
        status = hed_fail(r->error, HED_PARSE, "%s:%d: [%s] does nothing on any pick", r->wif.name,
                          rows->line, is_trodden ? "TREADLING" : "LIFTPLAN");
    }
done:
    return status;
}

// --- the matrix ---

static void stamp_list(LiftReader* r, HedSpan list, int32_t stamp) {
    int32_t shaft;
    while ((shaft = next_number(&list)) > 0) {
        r->stamps[shaft] = stamp;
    }
}

// Marks the shafts that one pick moves.
static void stamp_pick(LiftReader* r, const HedWifEntry* pick, Plan plan, int32_t stamp) {
    HedSpan list = hed_wif_value(pick);
    if (plan == PLAN_LIFTS) {
        stamp_list(r, list, stamp);
        return;
    }
    int32_t treadle;
    while ((treadle = next_number(&list)) > 0) {
        const HedWifEntry* tied = hed_wif_row(&r->wif.rows[HED_WIF_TIEUP], treadle);
        if (tied) {
            stamp_list(r, hed_wif_value(tied), stamp);
        }
    }
}

static bool is_moved(const LiftReader* r, const HedWifEntry* end, int32_t stamp) {
    HedSpan list = hed_wif_value(end);
    int32_t shaft;
    while ((shaft = next_number(&list)) > 0) {
        if (r->stamps[shaft] == stamp) {
            return true;
        }
    }
    return false;
}

// Picks for which the lift plan says something else than tie-up and treadling.
static int32_t count_disagreements(LiftReader* r) {
    int32_t count = 0;
    int32_t stamp = r->picks.count;
    for (int32_t p = 0; p < r->picks.count; ++p) {
        const HedWifEntry* lift =
            hed_wif_row(&r->wif.rows[HED_WIF_LIFTPLAN], r->picks.data[p]->number);
        ++stamp;
        if (lift) {
            stamp_pick(r, lift, PLAN_LIFTS, stamp);
        }
        bool differs = false;
        for (int32_t e = 0; e < r->ends.count && !differs; ++e) {
            bool up = is_moved(r, r->ends.data[e], stamp) != r->is_sinking;
            differs = up != hed_weave_is_up(&r->weave, p, e);
        }
        count += differs;
    }
    return count;
}

// At most so many elements are in a list.
static int64_t most_elements(const HedWifEntry* entry) {
    return hed_wif_value(entry).size / 2 + 1;
}

// Each pick looks at the shafts of all ends and of its tie-ups. Few long lists would take hours.
static HedStatus check_work(const LiftReader* r) {
    int64_t looks = 0;
    for (int32_t e = 0; e < r->ends.count; ++e) {
        looks += most_elements(r->ends.data[e]);
    }
    looks *= r->picks.count;
    for (int32_t p = 0; p < r->picks.count && r->plan == PLAN_TREADLES; ++p) {
        HedSpan list = hed_wif_value(r->picks.data[p]);
        int32_t treadle;
        while ((treadle = next_number(&list)) > 0) {
            const HedWifEntry* tied = hed_wif_row(&r->wif.rows[HED_WIF_TIEUP], treadle);
            looks += tied ? most_elements(tied) : 0;
        }
    }
    return looks <= LOOKS_MOST
               ? HED_OK
               : hed_fail(r->error, HED_UNSUPPORTED,
                          "%s: ends, tie-ups and picks name too many shafts: up to %lld looks at "
                          "one, at most %d are done",
                          r->wif.name, (long long)looks, LOOKS_MOST);
}

static HedStatus fill_matrix(LiftReader* r) {
    HedStatus status = HED_OK;
    HedStatus made = hed_weave_create(r->ends.count, r->picks.count, &r->weave, r->error);
    HED_TRY(hed_fail_prefix(r->error, made, "%s: ", r->wif.name));
    HED_TRY(check_work(r));
    r->stamps = HED_NEW_ARRAY(int32_t, r->largest + 1);
    if (!r->stamps) {
        HED_TRY(hed_fail_memory(r->error, r->wif.name));
    }
    for (int32_t e = 0; e < r->ends.count; ++e) {
        r->weave.ends[e].number = (int32_t)r->ends.data[e]->number;
    }
    for (int32_t p = 0; p < r->picks.count; ++p) {
        r->weave.picks[p].number = (int32_t)r->picks.data[p]->number;
        stamp_pick(r, r->picks.data[p], r->plan, p + 1);
        uint8_t* row = r->weave.is_up + (int64_t)p * r->ends.count;
        for (int32_t e = 0; e < r->ends.count; ++e) {
            row[e] = is_moved(r, r->ends.data[e], p + 1) != r->is_sinking;
        }
    }
    if (r->plan == PLAN_TREADLES && r->wif.rows[HED_WIF_LIFTPLAN].list.count > 0) {
        int32_t differing = count_disagreements(r);
        if (differing > 0) {
            HED_TRY(hed_weave_note(&r->weave, r->error,
                                   "the lift plan differs from tie-up and treadling on %d picks; "
                                   "the latter are taken",
                                   differing));
        }
    }
done:
    return status;
}

// Different numbers in the lists of rows; r->stamps has room for all.
static int32_t count_different(LiftReader* r, const HedWifEntry* const* rows, int32_t count) {
    int32_t different = 0;
    for (int32_t i = 0; i <= r->largest; ++i) {
        r->stamps[i] = 0;
    }
    for (int32_t i = 0; i < count; ++i) {
        HedSpan list = hed_wif_value(rows[i]);
        int32_t number;
        while ((number = next_number(&list)) > 0) {
            different += r->stamps[number] == 0;
            r->stamps[number] = 1;
        }
    }
    return different;
}

static HedStatus note_declared(LiftReader* r, const char* what, int32_t used, const char* verb) {
    HedStatus status = HED_OK;
    int64_t declared = 0;
    HED_TRY(hed_wif_count(&r->wif, HED_WIF_WEAVING, what, &declared, r->error));
    if (declared > 0 && declared != used) {
        HED_TRY(hed_weave_note(&r->weave, r->error, "%lld %s declared, %d are %s",
                               (long long)declared, what, (int)used, verb));
    }
done:
    return status;
}

// Picks that were left out as nothing is said of them.
static HedStatus note_empty_picks(LiftReader* r) {
    bool is_trodden = r->plan == PLAN_TREADLES;
    const HedWifRows* rows = &r->wif.rows[is_trodden ? HED_WIF_TREADLING : HED_WIF_LIFTPLAN];
    int32_t empty = 0;
    int64_t first = 0;
    for (int32_t i = 0, k = 0; i < rows->list.count; ++i) {
        if (k < r->picks.count && r->picks.data[k] == &rows->list.data[i]) {
            ++k;
            continue;
        }
        first = empty++ == 0 ? rows->list.data[i].number : first;
    }
    return empty == 0 ? HED_OK
                      : hed_weave_note(&r->weave, r->error,
                                       "%d picks %s, the first is pick %lld: they are left out",
                                       (int)empty, is_trodden ? "use no treadle" : "lift no shaft",
                                       (long long)first);
}

static HedStatus count_loom(LiftReader* r) {
    HedStatus status = HED_OK;
    r->weave.shaft_count = count_different(r, r->ends.data, r->ends.count);
    HED_TRY(note_declared(r, "shafts", r->weave.shaft_count, "threaded"));
    if (r->plan == PLAN_TREADLES) {
        r->weave.treadle_count = count_different(r, r->picks.data, r->picks.count);
        HED_TRY(note_declared(r, "treadles", r->weave.treadle_count, "used"));
    }
    HED_TRY(note_empty_picks(r));
done:
    return status;
}

static HedStatus read_shed(LiftReader* r) {
    static const char* const WORDS[2][4] = {{"false", "off", "no", "0"},
                                            {"true", "on", "yes", "1"}};
    const HedWifEntry* entry = hed_wif_find(&r->wif, HED_WIF_WEAVING, "rising shed");
    HedSpan text = entry ? hed_wif_value(entry) : (HedSpan){0};
    if (text.size == 0) {
        return HED_OK; // told later, when there is a draft to tell it of
    }
    char word[8] = {0};
    if (text.size < (int32_t)sizeof word) {
        memcpy(word, text.data, (size_t)text.size);
    }
    for (int k = 0; k < 4; ++k) {
        for (int rises = 0; rises < 2; ++rises) {
            if (hed_same_word(word, WORDS[rises][k])) {
                r->is_sinking = rises == 0;
                return HED_OK;
            }
        }
    }
    return hed_wif_fail(&r->wif, r->error, entry->line, "expected true or false", text);
}

// --- the file ---

// UTF-8 as it is; anything else is taken for Latin-1, whose letters have the same numbers.
static bool is_utf8(HedSpan text) {
    int32_t more = 0;
    for (int32_t i = 0; i < text.size; ++i) {
        unsigned char c = (unsigned char)text.data[i];
        if (more > 0) {
            if ((c & 0xC0) != 0x80) {
                return false;
            }
            --more;
        } else if (c >= 0x80) {
            more = c >= 0xC2 && c < 0xE0 ? 1 : (c >= 0xE0 && c < 0xF0 ? 2 : (c < 0xF5 ? 3 : -1));
            if (more < 0 || c < 0xC2) {
                return false;
            }
        }
    }
    return more == 0;
}

static HedStatus copy_title(LiftReader* r) {
    const HedWifEntry* entry = hed_wif_find(&r->wif, HED_WIF_TEXT, "title");
    if (!entry || entry->value.size == 0) {
        return HED_OK;
    }
    HedSpan text = entry->value;
    bool is_plain = is_utf8(text);
    char* title = hed_alloc(2 * (size_t)text.size + 1);
    if (!title) {
        return hed_fail_memory(r->error, r->wif.name);
    }
    char* out = title;
    for (int32_t i = 0; i < text.size; ++i) {
        unsigned char c = (unsigned char)text.data[i];
        if (is_plain || c < 0x80) {
            *out++ = (char)c;
        } else {
            *out++ = (char)(0xC0 | c >> 6);
            *out++ = (char)(0x80 | (c & 0x3F));
        }
    }
    r->weave.title = title;
    return HED_OK;
}

static HedStatus add_notes(LiftReader* r) {
    HedStatus status = HED_OK;
    const HedWifEntry* shed = hed_wif_find(&r->wif, HED_WIF_WEAVING, "rising shed");
    if (!shed || hed_wif_value(shed).size == 0) {
        HED_TRY(hed_weave_note(&r->weave, r->error,
                               "the file does not say whether shafts rise or sink; rising taken"));
    }
    if (r->wif.odd_count > 0) {
        HED_TRY(hed_weave_note(&r->weave, r->error,
                               "%d lines are neither section nor key=value and were left out, the "
                               "first is line %d",
                               r->wif.odd_count, r->wif.odd_line));
    }
    if (r->wif.rows[HED_WIF_COLORS].list.count == 0) {
        HED_TRY(hed_weave_note(&r->weave, r->error, "there is no colour table"));
    }
done:
    return status;
}

static HedStatus read_all(LiftReader* r, const char* data, size_t size, const char* name) {
    HedStatus status = HED_OK;
    HED_TRY(hed_wif_read(data, size, name, &r->wif, r->error));
    if (r->wif.header_count == 0) {
        HED_TRY(hed_fail(r->error, HED_PARSE, "%s: is no WIF file: it has no [SECTION]", name));
    }
    HED_TRY(collect_ends(r));
    HED_TRY(collect_picks(r));
    HED_TRY(read_shed(r));
    HED_TRY(fill_matrix(r));
    HED_TRY(count_loom(r));
    HED_TRY(hed_wif_threads(&r->wif, &r->weave, r->error));
    HED_TRY(copy_title(r));
    HED_TRY(add_notes(r));
done:
    return status;
}

HedStatus hed_weave_parse(const char* data, size_t size, const char* name, HedWeave* weave,
                          HedError* error) {
    LiftReader r = {.error = error};
    HedStatus status = hed_text_check(data, size, name, error);
    if (status == HED_OK) {
        status = read_all(&r, data, size, name);
    }
    hed_free(r.stamps);
    hed_free(r.picks.data);
    hed_free(r.ends.data);
    hed_wif_free(&r.wif);
    if (status != HED_OK) {
        hed_weave_free(&r.weave);
        return status;
    }
    *weave = r.weave;
    return HED_OK;
}

HedStatus hed_weave_load(const char* path, HedWeave* weave, HedError* error) {
    HedText text = {0};
    HedStatus status = hed_text_read(path, &text, error);
    if (status == HED_OK) {
        status = hed_weave_parse(text.data, text.size, path, weave, error);
    }
    hed_text_free(&text);
    return status;
}
