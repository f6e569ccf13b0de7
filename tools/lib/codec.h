/* SPDX-License-Identifier: MIT */
/* The reader's two hot loops, in the fastest form for this processor. */
#ifndef TOOLS_LIB_CODEC_H
#define TOOLS_LIB_CODEC_H

#include "dump/dump_code.h"

const struct dump_codec *codec_fastest(void);

#endif
