// SPDX-License-Identifier: MIT
// Making a model of sliding yarns from a network and a material.
#ifndef HED_EOL_MODEL_CREATE_H
#define HED_EOL_MODEL_CREATE_H

#include "eol/model.h"
#include "heddle/sliding.h"

/// number[k] is the number of the net's node k here.
HedStatus hed_eol_model_create(HedEolModel* model, const HedSlidingDef* def, const int32_t* number,
                               const HedTeam* team, HedError* error);
void hed_eol_model_free(HedEolModel* model);

/// Curl hinges, if there are any.
HedStatus hed_eol_model_stars(HedEolModel* model, const HedSlidingDef* def, const int32_t* number,
                              HedError* error);

/// Yarns that bend off their crossings, if they do; sign is borrowed, q is where all starts.
HedStatus hed_eol_model_offset(HedEolModel* model, const HedSlidingDef* def, const int8_t* sign,
                               const double* q, HedError* error);

/// Finds which nodes quadrants and stars couple, and by what.
HedStatus hed_eol_model_pairs(HedEolModel* model, HedError* error);

#endif
