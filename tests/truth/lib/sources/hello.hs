import Control.Concurrent
import Control.Exception
import qualified Data.Map.Strict as M
import System.Environment
import System.Exit

compute :: Int -> Int
compute n = go 1 0 where
  go s i | i == n = s
         | otherwise = go ((s * 31 + i) `mod` 1000003) (i + 1)

main :: IO ()
main = do
  a <- getArgs
  case a of
    ["threads"] -> do
      vs <- mapM (\n -> do { v <- newEmptyMVar; _ <- forkIO (evaluate (compute (100000 + n)) >>= putMVar v); return v }) [1 .. 8]
      mapM takeMVar vs >>= print
    ["throws"] -> do
      r <- try (evaluate (1 `div` (0 :: Int)))
      print (r :: Either ArithException Int)
      _ <- evaluate (head ([] :: [Int])) `catch` \e -> const (return 0) (e :: SomeException)
      exitWith (ExitFailure 7)
    _ -> do
      print (compute 3000000)
      print (M.foldl' (+) 0 (M.fromListWith (+) [(i `mod` 977, i) | i <- [1 .. 50000 :: Int]]))
