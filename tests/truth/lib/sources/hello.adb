with Ada.Text_IO; use Ada.Text_IO;
procedure Hello is
   task type Worker (N : Integer) is
      entry Result (V : out Integer);
   end Worker;
   task body Worker is
      S : Integer := 0;
   begin
      for I in 1 .. 20_000 loop
         S := (S * 7 + I * N) mod 10_007;
      end loop;
      accept Result (V : out Integer) do
         V := S;
      end Result;
   end Worker;
   A : Worker (1);
   B : Worker (2);
   X, Y : Integer;
   Z : Integer range 1 .. 10 := 1;
begin
   A.Result (X);
   B.Result (Y);
   Put_Line (Integer'Image (X) & Integer'Image (Y));
   begin
      Z := Z + X + 10;
   exception
      when Constraint_Error => Put_Line ("out of range");
   end;
end Hello;
