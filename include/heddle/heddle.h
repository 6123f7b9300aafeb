// SPDX-License-Identifier: MIT
// Everything of heddle's public face.
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#include "heddle/base.h"
#include "heddle/check.h"
#include "heddle/curl.h"
#include "heddle/embed.h"
#include "heddle/fabric.h"
#include "heddle/file.h"
#include "heddle/fit.h"
#include "heddle/knit.h"
#include "heddle/knitout.h"
#include "heddle/net.h"
#include "heddle/overlap.h"
#include "heddle/part.h"
#include "heddle/period.h"
#include "heddle/relax.h"
#include "heddle/render.h"
#include "heddle/run.h"
#include "heddle/scene.h"
#include "heddle/show.h"
#include "heddle/sim.h"
#include "heddle/sliding.h"
#include "heddle/solve.h"
#include "heddle/start.h"
#include "heddle/vec.h"
#include "heddle/weave.h"
#include "heddle/yarn.h"

#endif
