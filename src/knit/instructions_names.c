// SPDX-License-Identifier: MIT
#include "knit/instructions_names.h"
#include "knit/chart_text.h"

#include <stdio.h>
#include <string.h>

static const char BEAD[] = "the stitch without its bead";
static const char LIFTED[] = "a make-one";
static const char CLUSTER[] = "plain stitches that take and leave as many";
static const char PLAIN[] = "a plain stitch";

static const HedInstructionName NAMES[] = {
    // increases
    {"kf&b", "kfb", NULL},
    {"k1f&b", "kfb", NULL},
    {"k1fb", "kfb", NULL},
    {"kfab", "kfb", NULL},
    {"kbf", "kfb", NULL},
    {"kf/b", "kfb", NULL},
    {"k1f/b", "kfb", NULL},
    {"k1-f/b", "kfb", NULL},
    {"inc", "kfb", NULL},
    {"inc1", "kfb", NULL},
    {"inc 1", "kfb", NULL},
    {"pf&b", "pfb", NULL},
    {"p1f&b", "pfb", NULL},
    {"p1fb", "pfb", NULL},
    {"pbf", "pfb", NULL},
    {"kfbf", "=3", NULL},
    {"kfbfb", "=4", NULL},
    {"ctr dbl inc", "=3", NULL},
    {"cdi", "=3", NULL},
    {"dbl inc", "=3", NULL},
    {"kpk", "~3", NULL},
    {"pkp", "~p3", NULL},
    {"kyok", "o3", NULL},
    {"kyk", "o3", NULL},
    {"pyp", "op3", NULL},
    {"m1lp", "m1p", NULL},
    {"m1rp", "m1p", NULL},
    {"m1pl", "m1p", NULL},
    {"m1pr", "m1p", NULL},
    {"m1a", "m1", NULL},
    {"m1t", "m1", NULL},
    {"m1k", "m1", NULL},
    {"m1b", "m1", NULL},
    {"m1 pwise", "m1p", NULL},
    {"m1 purlwise", "m1p", NULL},
    {"ml", "m1l", NULL},
    {"mr", "m1r", NULL},
    {"mk1", "m1", NULL},
    {"m 1", "m1", NULL},
    {"make 1", "m1", NULL},
    {"make one", "m1", NULL},
    {"incl", "m1l", LIFTED},
    {"incr", "m1r", LIFTED},
    {"inclp", "m1p", LIFTED},
    {"incrp", "m1p", LIFTED},
    {"kll", "m1l", LIFTED},
    {"krl", "m1r", LIFTED},
    {"lli", "m1l", LIFTED},
    {"rli", "m1r", LIFTED},
    {"pll", "m1p", LIFTED},
    {"prl", "m1p", LIFTED},
    {"yarn over", "yo", NULL},
    {"yfwd", "yo", NULL},
    {"yrn", "yo", NULL},
    {"yon", "yo", NULL},
    {"yfon", "yo", NULL},
    {"yfrn", "yo", NULL},
    {"yoh", "yo", NULL},
    {"dyo", "yo yo", NULL},
    {"double yo", "yo yo", NULL},
    {"dbl yo", "yo yo", NULL},
    {"dip st", "yo", "a yarn-over"},
    // decreases
    {"skp", "ssk", NULL},
    {"skpo", "ssk", NULL},
    {"spp", "ssp", NULL},
    {"k2togb", "ssk", NULL},
    {"p2togb", "ssp", NULL},
    {"sk2po", "sk2p", NULL},
    {"dbl dec", "sk2p", NULL},
    {"double dec", "sk2p", NULL},
    {"s2kp", "cdd", NULL},
    {"s2kp2", "cdd", NULL},
    {"s2kpo", "cdd", NULL},
    {"s2k1p", "cdd", NULL},
    {"sl2kp", "cdd", NULL},
    {"ctr dbl dec", "cdd", NULL},
    {"cddp", "cddp", NULL},
    {"s2pp", "cddp", NULL},
    {"s2pp2", "cddp", NULL},
    {"bunny ears back dec", "k2tog k", CLUSTER},
    {"bunny ears dec", "k2tog k", CLUSTER},
    {"bunny ears back yo", "k2tog yo k", CLUSTER},
    {"bunny ears yo", "k2tog yo k", CLUSTER},
    // crosses
    {"rt", "1/1rc", NULL},
    {"lt", "1/1lc", NULL},
    {"rpt", "1/1rpc", NULL},
    {"lpt", "1/1lpc", NULL},
    // brioche
    {"brk", "k", NULL},
    {"brk1", "k", NULL},
    {"brp", "p", NULL},
    {"brp1", "p", NULL},
    {"brsl", "tuck", NULL},
    {"sl1yo", "tuck", NULL},
    {"sl1yof", "tuck", NULL},
    {"yfsl1yo", "tuck", NULL},
    {"yf-sl1-yo", "tuck", NULL},
    {"sl1-yo", "tuck", NULL},
    // others
    {"slip", "sl", NULL},
    {"k1b", "k", "a stitch into the loop on the needle"},
    {"p1b", "p", "a stitch into the loop on the needle"},
    {"mb", "mb", NULL},
    {"make bobble", "mb", NULL},
    {"bobble", "mb", NULL},
    {"mk", "k", PLAIN},
    {"make knot", "k", PLAIN},
    {"drop st", "drop", NULL},
    {"drop stitch", "drop", NULL},
    {"drop next st", "drop", NULL},
    {"ds", "k", NULL},
    {"dbl st", "k", NULL},
    {"kbl", "k", BEAD},
    {"kbr", "k", BEAD},
    {"pb", "k", BEAD},
    {"pbk", "k", BEAD},
    {"pbp", "p", BEAD},
    {"pbsl", "sl", BEAD},
    {"sb", "", BEAD},
    {"sl1 wb", "sl", BEAD},
    // what makes no stitch
    {"sl marker", "", NULL},
    {"sl m", "", NULL},
    {"slm", "", NULL},
    {"sm", "", NULL},
    {"pm", "", NULL},
    {"rm", "", NULL},
    {"slip marker", "", NULL},
    {"place marker", "", NULL},
    {"remove marker", "", NULL},
    {"yf", "", NULL},
    {"yb", "", NULL},
    {"ybk", "", NULL},
    {"yft", "", NULL},
};

const HedInstructionName* hed_instruction_find(HedInstructionReader* r) {
    const HedInstructionName* best = NULL;
    int32_t back = r->at;
    int32_t end = back;
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; ++i) {
        r->at = back;
        if (hed_instruction_take(r, NAMES[i].words) && r->at > end) {
            best = &NAMES[i];
            end = r->at;
        }
    }
    r->at = end;
    // "slip 3" and "slip": the number belongs to the stitch.
    if (best && strcmp(best->words, "slip") == 0) {
        r->at = back;
        return NULL;
    }
    return best;
}

// "=3", "~p3", "o5": an increase to so many; which, see HedIncrease.
static bool read_increase(const char* word, HedStitch* stitch) {
    static const char STYLES[] = "~=o";
    const char* style = word[0] ? strchr(STYLES, word[0]) : NULL;
    bool is_purl = style && word[1] == 'p';
    const char* digit = word + 1 + is_purl;
    if (!style || *digit < '2' || *digit > '9' || digit[1] != '\0') {
        return false;
    }
    *stitch = hed_stitch_default(HED_STITCH_INCREASE);
    stitch->increase = (HedIncrease)(style - STYLES);
    stitch->produced = *digit - '0';
    stitch->is_purl = is_purl;
    return true;
}

// "k5tog", "p4togtbl", "k2tog-tbl"
static bool read_together(const char* word, HedStitch* stitch) {
    int32_t count = 0;
    bool is_purl = word[0] == 'p';
    int32_t size = word[0] == 'k' || is_purl ? hed_instruction_digits(word + 1, &count) : 0;
    if (size == 0 || strncmp(word + 1 + size, "tog", 3) != 0) {
        return false;
    }
    const char* rest = word + 1 + size + 3;
    bool is_back = hed_instruction_is_one(rest, "tbl -tbl b");
    if ((rest[0] && !is_back) || count < 2 || count > HED_STITCH_MOST) {
        return false;
    }
    *stitch = hed_stitch_default(HED_STITCH_DECREASE);
    stitch->consumed = count;
    stitch->is_purl = is_purl;
    stitch->is_twisted = is_back;
    stitch->lean = is_back ? HED_LEAN_LEFT : HED_LEAN_RIGHT;
    return true;
}

// "sssk", "ssssp": as many together as there are letters s.
static bool read_slipped(const char* word, HedStitch* stitch) {
    size_t count = strspn(word, "s");
    if (count < 2 || count > HED_STITCH_MOST || (word[count] != 'k' && word[count] != 'p') ||
        word[count + 1] != '\0') {
        return false;
    }
    *stitch = hed_stitch_default(HED_STITCH_DECREASE);
    stitch->consumed = (int32_t)count;
    stitch->is_purl = word[count] == 'p';
    stitch->lean = HED_LEAN_LEFT;
    return true;
}

bool hed_instruction_named(const char* word, HedStitch* stitch, int32_t* times) {
    static const char* const SAME[][2] = {
        {"knit", "k"}, {"purl", "p"}, {"slip", "sl"}, {"s", "sl"}, {"kb", "ktbl"}, {"pb1", "ptbl"},
    };
    char spelled[HED_INSTRUCTION_WORD + 4];
    size_t letters = strcspn(word, "0123456789");
    *times = 1;
    if (read_increase(word, stitch) || read_together(word, stitch) || read_slipped(word, stitch)) {
        return true;
    }
    if (strcmp(word, "drop") == 0) {
        *stitch = hed_stitch_default(HED_STITCH_DROP);
        return true;
    }
    if (strcmp(word, "cddp") == 0 && hed_stitch_named("cdd", stitch, times)) {
        stitch->is_purl = true;
        return true;
    }
    snprintf(spelled, sizeof spelled, "%s", word);
    for (size_t i = 0; i < sizeof SAME / sizeof SAME[0]; ++i) {
        if (strlen(SAME[i][0]) == letters && memcmp(word, SAME[i][0], letters) == 0) {
            snprintf(spelled, sizeof spelled, "%s%s", SAME[i][1], word + letters);
        }
    }
    // "k0": nothing is worked.
    size_t zero = strlen(spelled);
    if (zero > 1 && spelled[zero - 1] == '0' && (spelled[0] == 'k' || spelled[0] == 'p') &&
        strspn(spelled + 1, "0") == zero - 1) {
        spelled[1] = '\0';
        bool fits = hed_stitch_named(spelled, stitch, times);
        *times = 0;
        return fits;
    }
    // "sl1p" and "sl1k" say how the needle goes in.
    if (strncmp(spelled, "sl", 2) == 0 && zero > 3 && strchr("kp", spelled[zero - 1])) {
        spelled[zero - 1] = '\0';
    }
    return hed_stitch_named(spelled, stitch, times);
}

bool hed_instruction_is_counted(const char* word) {
    return hed_instruction_is_one(word, "k p ktbl ptbl yo sl slip s knit purl co m");
}
