/* SPDX-License-Identifier: MIT */
/* The reader's two hot loops with what this processor has for them. */
#ifndef TOOLS_LIB_CODEC_H
#define TOOLS_LIB_CODEC_H

#include "dump/dump_code.h"

const struct dump_codec *codec_fastest(void);

#endif
