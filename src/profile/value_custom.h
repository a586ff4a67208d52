/* Values that a customisation module made: a kind of the table of values beside those of payloads. How each is shown stands in facts
 * "module_text": its number in hexadecimal, a space, and the text. */
#pragma once

enum { VALUE_OF_MODULE = 0x80 };
