program Hello;
{$mode objfpc}
uses SysUtils;
type TA = array of integer;
var a: TA; i, s: integer;
begin
  SetLength(a, 5000);
  for i := 0 to High(a) do a[i] := i * 7919 mod 1009;
  s := 0;
  for i in a do s := (s * 31 + i) mod 1000003;
  writeln(s);
  try
    s := s div (Length(a) - 5000);
  except
    on e: EDivByZero do writeln('divided');
  end;
  halt(3);
end.
