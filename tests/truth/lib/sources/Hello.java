import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

public class Hello {
    static long compute(int n) {
        long s = 1;
        for (int i = 0; i < n; i++) s = s * 31 + (i ^ (s >>> 7));
        return s;
    }
    public static void main(String[] a) throws Exception {
        switch (a[0]) {
        case "brief":
            System.out.println(compute(100000));
            break;
        case "compute":
            System.out.println(compute(20000000) + " " + IntStream.range(0, 100000).boxed().collect(Collectors.groupingBy(i -> i % 7, TreeMap::new, Collectors.counting())));
            break;
        case "threads":
            ExecutorService e = Executors.newFixedThreadPool(4);
            List<Future<Long>> f = new ArrayList<>();
            for (int i = 0; i < 16; i++) { final int n = i; f.add(e.submit(() -> compute(100000 + n))); }
            long s = 0;
            for (Future<Long> x : f) s ^= x.get();
            e.shutdown();
            System.out.println(s);
            break;
        case "throws":
            int caught = 0;
            for (int i = 0; i < 20000; i++) try { Object o = null; if (i % 2 == 0) o.hashCode(); else throw new IllegalStateException("x"); } catch (RuntimeException x) { caught++; }
            int[] z = new int[3];
            try { z[caught] = 1; } catch (ArrayIndexOutOfBoundsException x) { System.out.println(x.getMessage()); }
            try { deep(0); } catch (StackOverflowError x) { System.out.println("overflow"); }
            throw new RuntimeException("not caught " + caught);
        case "garbage":
            long sum = 0;
            for (int i = 0; i < 300; i++) { byte[][] b = new byte[100][]; for (int k = 0; k < 100; k++) b[k] = new byte[10000]; sum += b.length; }
            System.out.println(sum);
            break;
        case "exits":
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
            System.exit(7);
        }
    }
    static int deep(int n) { return deep(n + 1) + 1; }
}
