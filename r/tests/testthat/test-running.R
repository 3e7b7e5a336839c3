test_that("an interrupt stops a run, and nothing is released", {
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

test_that("a bar is shown on request", {
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

test_that("a result whose budget is spent is returned where warnings are errors", {
  path <- tempfile(fileext = ".ledger")
  ledger <- dp_ledger(path, cap = 2)
  old <- options(warn = 2)
  on.exit(options(old))
  found <- NULL
  utils::capture.output(type = "message", {
    found <- dp_select(numbers$x, 2, 1, y = numbers$number, seed = 1, progress = FALSE)
    charged <- dp_select(numbers$x, 2, 1, y = numbers$two, classes = c("control", "case"), ledger = ledger, progress = FALSE)
  })
  expect_length(found$names, 2)
  expect_length(charged$names, 2)
  expect_equal(summary(ledger)$left, 1)
  expect_equal(getOption("warn"), 2)
})

test_that("ledgers have typed columns, notes and an end", {
  ledger <- dp_ledger(tempfile(fileext = ".ledger"), cap = "7/2")
  dp_choose(c(a = 1, b = 9), 1, sensitivity = 1, ledger = ledger, note = "first")
  entries <- as.data.frame(ledger)
  expect_s3_class(entries$when, "POSIXct")
  expect_identical(entries$epsilon, 1)
  expect_true(is.na(entries$returned))
  expect_identical(entries$note, "first")
  dp_ledger_note(ledger, "approved")
  dp_ledger_close(ledger, "the study has ended")
  record <- summary(ledger)$record
  expect_identical(record$notes[[1]]$text, "approved")
  expect_identical(record$closed$text, "the study has ended")
  expect_error(dp_choose(c(a = 1, b = 9), 1, sensitivity = 1, ledger = ledger), class = "dpsis_budget_exceeded")
})

test_that("a repeated call with a run key is charged once", {
  ledger <- dp_ledger(tempfile(fileext = ".ledger"), cap = 3)
  choose <- function(key, epsilon = 1) {
    dp_choose(c(a = 1, b = 2, c = 3), epsilon, sensitivity = 9, ledger = ledger, run_key = key)$names
  }
  first <- choose("nightly")
  for (i in 1:9) expect_identical(choose("nightly"), first)
  expect_equal(summary(ledger)$left, 2)
  expect_error(choose("nightly", 2), "another request", class = "dpsis_request_error")
  select <- function() {
    dp_select(numbers$x, 2, 1, y = numbers$two, classes = c("control", "case"), ledger = ledger, run_key = "features", progress = FALSE)
  }
  expect_identical(select()$names, select()$names)
  expect_equal(summary(ledger)$left, 1)
})

test_that("models are saved, loaded and drawn", {
  fitted <- quiet(dp_fit(numbers$x, 2, 50, y = numbers$number, bounds = c(-4, 4), target_bounds = c(-9, 9), seed = 1))
  file <- tempfile(fileext = ".json")
  writeLines(fitted$model, file)
  loaded <- dp_load_model(file)
  expect_identical(coef(loaded), coef(fitted))
  expect_false(loaded$private)
  expect_identical(predict(loaded, numbers$x), predict(fitted, numbers$x))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(fitted), fitted)
})

test_that("an interrupt does not lose a result that is ready", {
  found <- list(warnings = character(), essential = logical(), interrupted = TRUE)
  expect_identical(tryCatch(delivered(found, "result"), interrupt = function(condition) condition$result), "result")
  expect_warning(returned <- delivered(found, "result"), "interrupted when the result was ready")
  expect_identical(returned, "result")
  expect_identical(delivered(list(warnings = character(), interrupted = FALSE), "result"), "result")
})

test_that("the record of a fit notes its run", {
  x <- matrix(runif(400), 200)
  fitted <- quiet(dp_fit(x, epsilon = 1, features = "feature-1", y = x[, 1], target_bounds = c(0, 1), bounds = c(0, 1)))
  expect_match(fitted$record$run$request, "dp_fit(data, ", fixed = TRUE)
})
