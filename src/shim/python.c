#include "shim/python.h"

#include "agent/base/process.h"

/* The loader finds them, if they are there. A Python that is loaded later is found by the tool. */
extern char _PyRuntime[] __attribute__((weak));
extern char PyCode_Type[] __attribute__((weak));
extern const unsigned long Py_Version __attribute__((weak));

void python_find(void)
{
    if (!_PyRuntime || !PyCode_Type || !&Py_Version)
        return;
    agent.python = (struct python){
        .runtime = (uint64_t)_PyRuntime, .code_type = (uint64_t)PyCode_Type, .version = Py_Version};
    if (agent.channel) /* the tool need not look for it */
        agent.channel->python_runtime = agent.python.runtime;
}
