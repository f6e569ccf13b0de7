/* SPDX-License-Identifier: MIT */
/* A version of the test's, instead of the one that is built. */
#define DSTEST86_VERSION  "1.2"
#define DSTEST86_REVISION "abc"
