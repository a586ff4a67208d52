template <class T> void f(T t) { t.none(); } int main() { f(1); undeclared(); }
