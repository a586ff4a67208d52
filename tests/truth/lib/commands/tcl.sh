slow tcl sh -c 'echo "set s 0; for {set i 0} {\$i < 50000} {incr i} {incr s [expr {\$i % 7}]}; puts \$s; puts [lsort -integer {3 1 2}]; exit 4" | tclsh'
