// SPDX-License-Identifier: MIT
// A quick determinant with a bound on its rounding error answers nearly always. Where it cannot,
// the determinant is multiplied out to monomials: each is a whole number of at most 159 bits times
// a power of two, and all are added in one long whole number. There is no rounding anywhere in that
// path, so neither fused instructions nor underflow nor overflow can change the answer.
#include "math/exact.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

typedef unsigned __int128 Uint128;

enum {
    // Exponents of three factors span 3 * (971 + 1074) bits, a monomial has 159, the sum of 24
    // needs
    // five more and a sign.
    WORDS = (3 * (971 + 1074) + 159 + 5 + 1) / 64 + 2,
    MONOMIALS = 24
};

// mantissa * 2^exponent
typedef struct Whole {
    uint64_t mantissa;
    int32_t exponent;
    bool is_negative;
} Whole;

static Whole split(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int32_t biased = (int32_t)(bits >> 52 & 0x7ff);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    return (Whole){
        .mantissa = biased > 0 ? fraction | UINT64_C(1) << 52 : fraction,
        .exponent = (biased > 0 ? biased : 1) - 1075,
        .is_negative = bits >> 63 != 0,
    };
}

// Product of three coordinates: word[0] is the lowest.
typedef struct Monomial {
    uint64_t word[3];
    int32_t exponent;
    bool is_negative;
} Monomial;

static Monomial multiply(double x, double y, double z) {
    Whole a = split(x);
    Whole b = split(y);
    Whole c = split(z);
    Uint128 ab = (Uint128)a.mantissa * b.mantissa;
    Uint128 low = (Uint128)(uint64_t)ab * c.mantissa;
    Uint128 high = (Uint128)(uint64_t)(ab >> 64) * c.mantissa + (uint64_t)(low >> 64);
    return (Monomial){
        .word = {(uint64_t)low, (uint64_t)high, (uint64_t)(high >> 64)},
        .exponent = a.exponent + b.exponent + c.exponent,
        .is_negative = (a.is_negative != b.is_negative) != c.is_negative,
    };
}

typedef struct Sum {
    Monomial term[MONOMIALS];
    int32_t count;
} Sum;

static void add(Sum* sum, bool is_negative, double x, double y, double z) {
    Monomial m = multiply(x, y, z);
    if ((m.word[0] | m.word[1] | m.word[2]) != 0) {
        m.is_negative = m.is_negative != is_negative;
        sum->term[sum->count++] = m;
    }
}

// Adds m, shifted, to a whole number in two's complement of `words` words.
static void accumulate(uint64_t* total, int32_t words, const Monomial* m, int32_t shift) {
    int32_t first = shift / 64;
    int32_t bits = shift % 64;
    uint64_t part[4];
    part[0] = m->word[0] << bits;
    for (int k = 1; k < 3; ++k) {
        part[k] = m->word[k] << bits | (bits > 0 ? m->word[k - 1] >> (64 - bits) : 0);
    }
    part[3] = bits > 0 ? m->word[2] >> (64 - bits) : 0;
    uint64_t carry = 0;
    for (int32_t k = first; k < words; ++k) {
        uint64_t own = k - first < 4 ? part[k - first] : 0;
        if (m->is_negative) {
            uint64_t less = total[k] - own;
            uint64_t borrow = (uint64_t)(total[k] < own);
            total[k] = less - carry;
            carry = borrow + (uint64_t)(less < carry);
        } else {
            uint64_t more = total[k] + own;
            uint64_t over = (uint64_t)(more < own);
            total[k] = more + carry;
            carry = over + (uint64_t)(total[k] < carry);
        }
        if (carry == 0 && k - first >= 3) {
            return;
        }
    }
}

static int sign_of_sum(const Sum* sum) {
    int32_t lowest = INT32_MAX;
    int32_t highest = INT32_MIN;
    for (int32_t k = 0; k < sum->count; ++k) {
        int32_t e = sum->term[k].exponent;
        lowest = e < lowest ? e : lowest;
        highest = e > highest ? e : highest;
    }
    if (sum->count == 0) {
        return 0;
    }
    uint64_t total[WORDS] = {0};
    int32_t words = (highest - lowest) / 64 + 5;
    HED_ASSERT(words <= WORDS);
    for (int32_t k = 0; k < sum->count; ++k) {
        accumulate(total, words, &sum->term[k], sum->term[k].exponent - lowest);
    }
    if (total[words - 1] >> 63 != 0) {
        return -1;
    }
    uint64_t any = 0;
    for (int32_t k = 0; k < words; ++k) {
        any |= total[k];
    }
    return any != 0;
}

// p . (q x r), or its negative.
static void add_triple(Sum* sum, bool is_negative, HedVec3 p, HedVec3 q, HedVec3 r) {
    add(sum, is_negative, p.x, q.y, r.z);
    add(sum, !is_negative, p.x, q.z, r.y);
    add(sum, is_negative, p.y, q.z, r.x);
    add(sum, !is_negative, p.y, q.x, r.z);
    add(sum, is_negative, p.z, q.x, r.y);
    add(sum, !is_negative, p.z, q.y, r.x);
}

static bool are_finite(const double* values, int count) {
    for (int k = 0; k < count; ++k) {
        if (!isfinite(values[k])) {
            return false;
        }
    }
    return true;
}

// [b - a, c - a, d - a] = [b c d] - [a c d] + [a b d] - [a b c]
static int orient3_exact(HedVec3 a, HedVec3 b, HedVec3 c, HedVec3 d) {
    const double all[12] = {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, d.x, d.y, d.z};
    if (!are_finite(all, 12)) {
        return 0;
    }
    Sum sum;
    sum.count = 0;
    add_triple(&sum, false, b, c, d);
    add_triple(&sum, true, a, c, d);
    add_triple(&sum, false, a, b, d);
    add_triple(&sum, true, a, b, c);
    return sign_of_sum(&sum);
}

// Three differences, two products and three sums follow each other in a monomial: with at most nine
// roundings of 2^-53 each the error is below 10 * 2^-53 times the sum of sizes; 2^-49 is 16 times.
// Underflow adds less than the bound while the sizes are above SMALL.
static const double RELATIVE = 0x1p-49;
static const double SMALL = 1e-280;

int hed_orient3(HedVec3 a, HedVec3 b, HedVec3 c, HedVec3 d) {
    double ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z;
    double vx = c.x - a.x, vy = c.y - a.y, vz = c.z - a.z;
    double wx = d.x - a.x, wy = d.y - a.y, wz = d.z - a.z;
    double yz = uy * vz, zy = uz * vy;
    double zx = uz * vx, xz = ux * vz;
    double xy = ux * vy, yx = uy * vx;
    double value = (yz - zy) * wx + (zx - xz) * wy + (xy - yx) * wz;
    double size = (fabs(yz) + fabs(zy)) * fabs(wx) + (fabs(zx) + fabs(xz)) * fabs(wy) +
                  (fabs(xy) + fabs(yx)) * fabs(wz);
    double bound = RELATIVE * size;
    if (size > SMALL && isfinite(size)) {
        if (value > bound) {
            return 1;
        }
        if (value < -bound) {
            return -1;
        }
    }
    return orient3_exact(a, b, c, d);
}

static int orient2_exact(const double a[2], const double b[2], const double c[2]) {
    const double all[6] = {a[0], a[1], b[0], b[1], c[0], c[1]};
    if (!are_finite(all, 6)) {
        return 0;
    }
    Sum sum;
    sum.count = 0;
    add(&sum, false, b[0], c[1], 1.0);
    add(&sum, true, b[1], c[0], 1.0);
    add(&sum, true, a[0], c[1], 1.0);
    add(&sum, false, a[1], c[0], 1.0);
    add(&sum, false, a[0], b[1], 1.0);
    add(&sum, true, a[1], b[0], 1.0);
    return sign_of_sum(&sum);
}

static void drop_axis(HedVec3 p, int axis, double q[2]) {
    q[0] = axis == 0 ? p.y : axis == 1 ? p.z : p.x;
    q[1] = axis == 0 ? p.z : axis == 1 ? p.x : p.y;
}

int hed_orient2(HedVec3 a, HedVec3 b, HedVec3 c, int axis) {
    double p[2], q[2], r[2];
    drop_axis(a, axis, p);
    drop_axis(b, axis, q);
    drop_axis(c, axis, r);
    double first = (q[0] - p[0]) * (r[1] - p[1]);
    double second = (q[1] - p[1]) * (r[0] - p[0]);
    double value = first - second;
    double size = fabs(first) + fabs(second);
    if (size > SMALL && isfinite(size) && fabs(value) > RELATIVE * size) {
        return value > 0.0 ? 1 : -1;
    }
    return orient2_exact(p, q, r);
}
