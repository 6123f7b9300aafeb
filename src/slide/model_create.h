// SPDX-License-Identifier: MIT
// Making a model of sliding yarns from a network and a material.
#ifndef HED_SLIDE_MODEL_CREATE_H
#define HED_SLIDE_MODEL_CREATE_H

#include "heddle/sliding.h"
#include "slide/model.h"

/// number[k] is the number of the net's node k here.
HedStatus hed_net_model_create(HedNetModel* model, const HedSlidingDef* def, const int32_t* number,
                               const HedTeam* team, HedError* error);
void hed_net_model_free(HedNetModel* model);

/// Curl hinges, if there are any.
HedStatus hed_net_model_stars(HedNetModel* model, const HedSlidingDef* def, const int32_t* number,
                              HedError* error);

/// Yarns that bend off their crossings, if they do; sign is borrowed, q is where all starts.
HedStatus hed_net_model_offset(HedNetModel* model, const HedSlidingDef* def, const int8_t* sign,
                               const double* q, HedError* error);

/// Finds which nodes quadrants and stars couple, and by what.
HedStatus hed_net_model_pairs(HedNetModel* model, HedError* error);

#endif
