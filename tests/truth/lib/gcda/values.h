unsigned copied(unsigned (*function)(unsigned), unsigned n);
unsigned divided(unsigned (*function)(unsigned), unsigned x, unsigned by);
