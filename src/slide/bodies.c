// SPDX-License-Identifier: MIT
// Nodes of sliding yarns against bodies.
#include "base/array.h"
#include "slide/slide.h"

#include <string.h>

void hed_slide_bodies_free(HedSlideBodies* bodies) {
    if (!bodies) {
        return;
    }
    hed_contacts_free(&bodies->contacts);
    hed_matrix_free(&bodies->blocks);
    hed_free((void*)(uintptr_t)bodies->ranges.first);
    hed_free(bodies->half_thickness);
    hed_free(bodies->area);
    hed_free(bodies->x);
    hed_free(bodies->v);
    hed_free(bodies->force);
    hed_free(bodies);
}

static bool allocate(HedSlideBodies* bodies, int32_t nodes) {
    bodies->half_thickness = HED_NEW_ARRAY(double, nodes);
    bodies->area = HED_NEW_ARRAY(double, nodes);
    bodies->x = HED_NEW_ARRAY(HedVec3, nodes);
    bodies->v = HED_NEW_ARRAY(HedVec3, nodes);
    bodies->force = HED_NEW_ARRAY(HedVec3, nodes);
    return bodies->half_thickness && bodies->area && bodies->x && bodies->v && bodies->force;
}

// A node keeps the thickness of the yarns that lie over it; it stands for half the yarn to each of
// its neighbours, one diameter wide.
static void measure_nodes(HedSlide* slide) {
    const HedNetModel* model = &slide->model;
    const HedBands* bands = &model->bands;
    for (int32_t i = 0; i < slide->node_count; ++i) {
        double thick = 0.0, area = 0.0;
        for (int s = 0; s < 2; ++s) {
            int32_t place = bands->place[i][s];
            if (place >= bands->step_count * HED_BAND) {
                continue;
            }
            double radius = model->materials[model->yarn_of[bands->visit[place]]].radius;
            thick += radius;
            area += 2.0 * radius * model->spacing;
        }
        slide->bodies->half_thickness[i] = thick;
        slide->bodies->area[i] = area;
        memcpy(&slide->bodies->x[i], slide->q + (int64_t)HED_NODE_SIZE * i, sizeof(HedVec3));
    }
}

HedStatus hed_slide_set_bodies(HedSlide* slide, HedBody* bodies, int32_t count, double time,
                               HedError* error) {
    if (count == 0) {
        return HED_OK;
    }
    HedSlideBodies* own = HED_NEW(HedSlideBodies);
    if (!own) {
        return hed_fail_memory(error, "contacts of sliding yarns");
    }
    slide->bodies = own;
    HedStatus status = allocate(own, slide->node_count)
                           ? HED_OK
                           : hed_fail_memory(error, "contacts of sliding yarns");
    HED_TRY(status);
    measure_nodes(slide);
    int32_t group[2] = {0, slide->node_count};
    HED_TRY(hed_ranges_create(&own->ranges, group, 1, error));
    HED_TRY(hed_matrix_create(&own->blocks, slide->node_count, own->ranges, NULL, 0, error));
    HedSurface surface = {
        .point_count = slide->node_count, .half_thickness = own->half_thickness, .area = own->area};
    HED_TRY(hed_contacts_create(&own->contacts, bodies, count, surface, slide->team, error));
    own->contacts.only = -1;
    own->contacts.goes_on = slide->goes_on;
    HedContact deepest = {0};
    status = hed_contacts_check_start(&own->contacts, own->x, time, &deepest, error);
    if (status == HED_INVALID) {
        status =
            hed_fail(error, HED_INVALID, "sliding yarns: node %d starts %.3g m inside body '%s'",
                     slide->order[deepest.point[0]], deepest.offset - deepest.distance,
                     bodies[deepest.body].name);
    }
done:
    return status;
}
