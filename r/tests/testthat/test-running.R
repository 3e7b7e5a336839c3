test_that("an interrupt stops a run, of which nothing is released", {
  skip_on_cran()
  skip_on_os("windows")
  system(sprintf("(sleep 1; kill -INT %d) >/dev/null 2>&1 &", Sys.getpid()))
  start <- Sys.time()
  # Minutes, if nothing stopped it.
  ended <- tryCatch(
    {
      dp_plan(20000, 5000, 50, 1, draws = 10000)
      "finished"
    },
    interrupt = function(condition) "interrupted"
  )
  expect_identical(ended, "interrupted")
  expect_lt(as.double(Sys.time() - start, units = "secs"), 60)
  # R goes on.
  expect_length(quiet(dp_select(matrix(runif(400), 100), 1, 1, y = runif(100)))$names, 1)
})

test_that("a bar is shown if it is asked for", {
  shown <- capture.output(
    found <- quiet(dp_select(matrix(runif(400), 100), 1, 1, y = runif(100), progress = TRUE)),
    type = "message"
  )
  expect_true(any(grepl("|", shown, fixed = TRUE)))
  expect_error(dp_select(matrix(runif(4), 2), 1, 1, y = 1:2, progress = NA), class = "dpsis_request_error")
})

test_that("threads change nothing", {
  of <- function(threads) quiet(dp_select(numbers$x, 3, 2, y = numbers$number, threads = threads, seed = 1))
  expect_identical(without(of(1)$record), without(of(3)$record))
})
