#include "agent/base/process.h"

struct agent agent;
