// SPDX-License-Identifier: MIT
// Skins of crossing networks: a weave's cells and nothing else, all facing one way; knits.
#include "base/alloc.h"
#include "eol/skin.h"
#include "math/vec3.h"
#include "support/nets.h"

#include <criterion/criterion.h>
#include <math.h>

static HedVec3 area_of(const HedNet* net, const int32_t* t) {
    HedVec3 a = net->nodes[t[0]].position;
    HedVec3 b = hed_sub3(net->nodes[t[1]].position, a);
    HedVec3 c = hed_sub3(net->nodes[t[2]].position, a);
    return hed_mul3(0.5, hed_cross3(b, c));
}

Test(skin, of_a_weave_covers_its_cells_once) {
    enum { ENDS = 7, PICKS = 5 };
    HedNet net = {0};
    HedSkin skin = {0};
    test_net_weave(ENDS, PICKS, &net);
    cr_assert_eq(hed_skin_create(&net, &skin, NULL), HED_OK);
    int32_t count = skin.triangles.count / 3;
    cr_assert_eq(count, 2 * (ENDS - 1) * (PICKS - 1));
    HedVec3 sum = {0};
    double all = 0.0;
    for (int32_t t = 0; t < count; ++t) {
        HedVec3 area = area_of(&net, skin.triangles.data + 3 * t);
        sum = hed_add3(sum, area);
        all += hed_norm3(area);
    }
    double expected = (ENDS - 1) * (PICKS - 1) * net.spacing * net.spacing;
    // Sums of 48 areas, each to rounding; nodes of a plain weave lie in one plane.
    cr_assert_float_eq(hed_norm3(sum), expected, 1e-13 * expected);
    // The same rounding.
    cr_assert_float_eq(all, expected, 1e-13 * expected, "all face one way");
    hed_free(skin.triangles.data);
    hed_net_free(&net);
}

// The outside of a small weave has no more corners than a face may have.
Test(skin, of_a_small_weave_has_no_face_around_it) {
    HedNet net = {0};
    HedSkin skin = {0};
    test_net_weave(3, 4, &net);
    cr_assert_eq(hed_skin_create(&net, &skin, NULL), HED_OK);
    cr_assert_eq(skin.triangles.count / 3, 2 * 2 * 3);
    hed_free(skin.triangles.data);
    hed_net_free(&net);
}

// Of a knit: no face stands twice, all lean to one side, and together they cover most of the
// outline of the crossings.
Test(skin, of_knits_faces_one_way) {
    const char* patterns[] = {"stockinette", "garter", "rib-1x1"};
    for (int p = 0; p < 3; ++p) {
        HedNet net = {0};
        HedSkin skin = {0};
        test_net_knit(patterns[p], 8, 10, &net);
        cr_assert_eq(hed_skin_create(&net, &skin, NULL), HED_OK);
        int32_t count = skin.triangles.count / 3;
        cr_assert_gt(count, net.node_count / 2, "%s: %d", patterns[p], count);
        double up = 0.0, down = 0.0;
        for (int32_t t = 0; t < count; ++t) {
            double z = area_of(&net, skin.triangles.data + 3 * t).z;
            up += fmax(z, 0.0);
            down += fmax(-z, 0.0);
        }
        // Slivers between clasped yarns may lean either way.
        cr_expect_lt(fmin(up, down), 0.1 * fmax(up, down), "%s: %g and %g", patterns[p], up, down);
        hed_free(skin.triangles.data);
        hed_net_free(&net);
    }
}
