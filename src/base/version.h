#pragma once

#define GAIT_VERSION "0.1"
