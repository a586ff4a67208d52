%{
#include <ctype.h>
#include <stdio.h>
static int yylex(void);
static void yyerror(const char *s) { printf("%s\n", s); }
%}
%token NUMBER
%left '+' '-'
%left '*'
%%
lines: | lines line;
line: '\n' | sum '\n' { printf("%d\n", $1); } | error '\n' { yyerrok; };
sum: NUMBER | sum '+' sum { $$ = $1 + $3; } | sum '-' sum { $$ = $1 - $3; } | sum '*' sum { $$ = $1 * $3; } | '(' sum ')' { $$ = $2; };
%%
static int yylex(void)
{
    int c = getchar();
    if (c == EOF)
        return 0;
    if (!isdigit(c))
        return c;
    ungetc(c, stdin);
    if (scanf("%d", &yylval) != 1)
        return 0;
    return NUMBER;
}
int main(void) { return yyparse(); }
