/* 128 bits, for sums of squares: 64 overflow within one batch of walks. */
#pragma once

__extension__ typedef unsigned __int128 u128;
