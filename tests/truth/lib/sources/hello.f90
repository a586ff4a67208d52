program hello
  implicit none
  integer :: i, j
  real(8) :: a(60, 60), b(60, 60), c(60, 60)
  forall (i = 1:60, j = 1:60)
    a(i, j) = mod(i * j, 7)
    b(i, j) = mod(i + j, 5)
  end forall
  c = matmul(a, b) + transpose(a)
  write (*, '(F14.4, I6)') sum(c), count(c > 300)
  stop 4
end program
