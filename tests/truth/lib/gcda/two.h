unsigned kind_of(unsigned x);
unsigned never(unsigned x);
unsigned applied(unsigned (*function)(unsigned), unsigned x);
unsigned walk(unsigned depth, unsigned x);

static inline unsigned folded(unsigned x)
{
    while (x > 255)
        x = (x >> 8) ^ (x & 255);
    return x;
}
