# Mistakes: the classes of conditions, and that no message holds a value of the data.

secret <- "S3CR3T"
data <- data.frame(
  word = rep(secret, 20), number = 987654321 + seq_len(20), outcome = rep(c("a", "b"), 10),
  row.names = paste0(secret, seq_len(20))
)
patients <- data.frame(x = rnorm(300), y = rnorm(300))

test_that("errors have classes and name arguments", {
  request <- function(code, ...) expect_error(code, class = "dpsis_request_error", ...)
  request(dp_select(patients, 1), "epsilon")
  request(dp_fit(patients, 1), "epsilon")
  request(dp_plan(10, 10, 1), "epsilon")
  request(dp_choose(c(a = 1)), "epsilon")
  request(dp_select(patients, 1.5, 1), "whole number.*k")
  request(dp_select(patients, 3, 1), "k")
  request(dp_select(patients, 1, NA), "epsilon")
  request(dp_select(patients, 1, c(1, 2)), "epsilon")
  request(dp_select(patients, 1, 0), "epsilon")
  request(dp_select(patients, 1, 1, "z"), "z")
  request(dp_select(patients, 1, 1, clases = "a"), "did you mean classes")
  request(dp_select(patients, 1, 1, "y", "x"), "needs its name")
  request(dp_select(patients, 1, 1, bounds = c(0, Inf)), "bounds")
  request(dp_select(patients, 1, 1, bounds = list(c(0, 1))), "name.*bounds")
  request(dp_select(patients, 1, 1, seed = 1, ledger = "x"), "seed, ledger")
  request(dp_select(patients, 1, 1, y = 1:3), "same number of rows")
  request(dp_select(patients, 1, 1, "y", y = patients$x), "not both")
  request(dp_select(patients["x"], 1, 1, y = as.character(patients$y)), "give its labels")
  request(dp_select(patients["x"], 1, 1, y = patients$y > 0), "0 and 1, in this order: false and true")
  request(dp_select(as.matrix(patients), 1, 1), "target must be given")
  request(dp_select(list(1), 1, 1), "data")
  request(dp_select(data.frame(), 1, 1), "no columns")
  request(dp_select(NULL, 1, 1), "data")
  request(dp_select(stats::setNames(patients, c("x", "x")), 1, 1), "twice")
  request(dp_select(patients, 1, 1, delimiter = ","), "text only")
  request(dp_select(log(y) ~ x, patients, epsilon = 1), "formula")
  request(dp_select(y ~ scale(x), patients, epsilon = 1), "formula")
  request(dp_select(y ~ ., patients, epsilon = 1, target = "x"), "the formula names the target")
  request(dp_select(patients, 1, 1, unit_target = "mean"), "unit")
  request(dp_select(y ~ z, patients, epsilon = 1), "\"z\"")
  request(dp_select(matrix(1:4, 2, dimnames = list(c("a", "b"), NULL)), 1, 1, y = c(b = 1, a = 2)), "different names")
  expect_error(dp_select(tempfile(), 1, 1), class = "dpsis_read_error")
  expect_error(dp_ledger(tempfile()), class = "dpsis_read_error")
  caught <- tryCatch(dp_select(patients, 3, 1), dpsis_error = identity)
  expect_true("k" %in% caught$arguments)
})

test_that("columns of other classes are named, and can be excluded", {
  own <- structure(1:3 / 2, class = "own")
  for (column in list(rep(1i, 3), as.raw(1:3), list(1, 2, 3), own, matrix(1:6, 3), data.frame(a = 1:3))) {
    wrong <- data.frame(x = 1:3, z = 1:3, y = 1:3)
    wrong$x <- column
    expect_error(dp_select(wrong, 1, 1), "column \"x\"", class = "dpsis_input_error")
    expect_error(dp_select(wrong, 1, 1, target = "x"), "column \"x\"", class = "dpsis_input_error")
    expect_identical(quiet(dp_select(wrong, 1, 1, exclude = "x", seed = 1))$record$selected[[1]]$name, "z")
  }
})

test_that("releases do not exceed the remaining budget", {
  path <- tempfile()
  ledger <- dp_ledger(path, cap = 1, name = "study")
  dp_select(patients, 1, 0.75, ledger = ledger, target_number = TRUE, note = "first")
  expect_error(dp_select(patients, 1, 0.75, ledger = path), class = "dpsis_budget_exceeded")
  expect_equal(summary(dp_ledger(path))[c("spent", "left")], list(spent = 0.75, left = 0.25))
  expect_equal(as.data.frame(ledger)$note, "first")
  expect_output(print(ledger), "0.75 spent, 0.25 left")
  expect_error(dp_ledger(path, cap = 2), "another cap", class = "dpsis_request_error")
  expect_error(dp_ledger(tempfile(), cap = -1), "cap", class = "dpsis_request_error")
  expect_no_error(dp_ledger(path, cap = 1, name = "study"))
})

test_that("no message, and nothing that is printed, holds a cell or the name of a row", {
  calls <- list(
    function() dp_select(data, 1, 1, "word"), function() dp_select(data, 1, 1, "number"),
    function() dp_select(data, 1, 1, "outcome", classes = c("c", "d")), function() dp_select(data, 9, 1, "outcome", classes = c("a", "b")),
    function() dp_select(data, 1, 1, "outcome", classes = c("a", "b"), unit = "word"),
    function() dp_select(data, 1, 1, "outcome", classes = c("a", "b"), unit = "word", unit_target = "mean"),
    function() dp_select(data, 1, 1, "outcome", classes = c("a", "b"), bounds = c(0, 1)),
    function() dp_select(data, 1, 5, "outcome", classes = c("a", "b"), direction = TRUE),
    function() dp_select(data, 1, 1, y = data$word), function() dp_select(data, 1, 1, y = data$word, classes = "a"),
    function() dp_select(data, epsilon = 1, target = "outcome", classes = c("a", "b")),
    function() dp_select(as.matrix(data), 1, 1, "outcome", classes = c("a", "b")),
    function() dp_select(as_file(data), 1, 1, "word"), function() dp_fit(data, 1, 1, "word"),
    function() dp_fit(data, 1, 1, "outcome", classes = c("a", "b")),
    function() dp_select(data, 1, 1, "outcome", classes = c("a", "b"), seed = 1),
    function() dp_select(within(data, word <- as.list(word)), 1, 1, "number"),
    function() dp_choose(c(a = secret), 1, sensitivity = 1), function() dp_select(outcome ~ ., data, epsilon = 1),
    function() dp_select(outcome ~ word, data, epsilon = 1, target = "word"), function() dp_fit(number ~ ., data, epsilon = 1, target = 1)
  )
  raised <- 0
  for (call in calls) {
    seen <- character()
    shown <- capture.output(withCallingHandlers(
      tryCatch(
        {
          found <- call()
          print(found)
          print(summary(found))
          seen <- c(seen, unlist(found$record), dp_report(found))
        },
        error = function(error) {
          raised <<- raised + 1
          seen <<- c(seen, conditionMessage(error), deparse(conditionCall(error)))
        }
      ),
      warning = function(warning) {
        seen <<- c(seen, conditionMessage(warning))
        invokeRestart("muffleWarning")
      }
    ))
    expect_false(any(grepl(paste0(secret, "|987654"), c(shown, seen))), info = deparse1(call))
  }
  expect_gt(raised, 5)
})

test_that("formulas with names other than columns are refused", {
  expect_error(dp_select(status ~ . + typo, mixed, 1, 1, classes = c("well", "ill")), "no column \"typo\"")
  expect_error(dp_select(status ~ . + age, numbers$x, 1, 1), "names next to \\.")
  same <- function(formula) quiet(dp_select(formula, mixed, 2, 5, classes = c("well", "ill"), seed = 1))$names
  expect_identical(same(status ~ . + habit), same(status ~ .))
})

test_that("factors are categories or have an order", {
  data <- data.frame(grade = factor(rep(1:3, 100)), y = rep(c(0, 1, 1), 100))
  # Levels are private, so a factor whose levels are numbers is not refused: they are read as in a file.
  of_numbers <- transform(data, grade = as.integer(as.character(grade)))
  run <- function(data) quiet(dp_select(data, 1, 1, target_bounds = c(0, 1), seed = 1))$record$estimates
  expect_identical(run(data), run(of_numbers))
  # Nothing of an excluded column is looked at.
  data$other <- rep(1:2, 150)
  found <- quiet(dp_select(data, 1, 1, "y", exclude = "grade", target_bounds = c(0, 1), seed = 1))
  expect_identical(found$names, "other")
  levels <- c("low", "middle", "high")
  ordered <- data.frame(grade = factor(rep(levels, 100), levels, ordered = TRUE), y = rep(c(0, 1, 2), 100))
  as_numbers <- transform(ordered, grade = as.integer(grade))
  select <- function(data) quiet(dp_select(data, 1, 5, target_bounds = c(0, 2), score = "ks", seed = 3))$record$estimates
  expect_identical(select(ordered), select(as_numbers))
  # By label as a target, as a covariate, and with given levels, where the order plays no part.
  plain <- transform(ordered, grade = as.character(grade))
  same <- function(run) expect_identical(quiet(run(ordered)), quiet(run(plain)))
  same(function(data) dp_select(data, 1, 5, "grade", classes = levels, seed = 1)$record$estimates)
  fit <- function(data) dp_fit(data, NULL, 5, "y", features = "grade", levels = list(grade = levels), target_bounds = c(0, 2), seed = 1)
  same(function(data) coef(fit(data)))
  fitted <- quiet(fit(ordered))
  expect_identical(predict(fitted, ordered["grade"]), predict(fitted, plain["grade"]))
})

test_that("classes fit a logical target", {
  data <- data.frame(a = rnorm(200), flag = rep(c(TRUE, FALSE), 100))
  picks <- function(classes) quiet(dp_select(data, 1, 5, classes = classes, seed = 1))$record$estimates
  expect_identical(picks(c("FALSE", "TRUE")), picks(c(FALSE, TRUE)))
})

test_that("errors about tables in memory have no words of files", {
  data <- data.frame(a = runif(50), b = runif(50), y = runif(50))
  wrong <- list(
    list(exclude = "*"), list(exclude = c("a", "b")), list(exclude = "y"), list(exclude = "c"), list(target = "c"),
    list(target = 7), list(target = list("y")), list(unit = "c"), list(id = "c"), list(id = "y"), list(adjust = "c:1"),
    list(bounds = list(c = c(0, 1))), list(bounds = list(a = c(0, 1))), list(features_as_rows = TRUE), list(k = 9),
    list(k = "all"), list(classes = "c"), list(time = "c", event = c(y = 1), by = 1)
  )
  of_files <- "header|delimiter|line|file|Arrow|row 1"
  for (make in list(dp_select, dp_fit)) {
    for (options in wrong) {
      call <- utils::modifyList(list(data = data, k = 1, epsilon = 1), options)
      error <- expect_error(do.call(make, call), class = "dpsis_error")
      expect_false(grepl(of_files, conditionMessage(error)), info = conditionMessage(error))
      expect_gt(length(error$arguments), 0)
    }
    for (names in list(c("a", "", "y"), c("a", "b\nc", "y"), c("a", "b", ""))) {
      error <- expect_error(make(stats::setNames(data, names), 1, 1, target = "a"), class = "dpsis_error")
      expect_false(grepl("header|delimiter", conditionMessage(error)), info = conditionMessage(error))
    }
    expect_error(make(data["y"], 1, 1), "there is no feature column")
  }
  error <- expect_error(dp_fit(data, epsilon = 1, features = character()), "at least one feature")
  expect_identical(error$arguments, "features")
})

test_that("a model takes text by levels alone", {
  path <- tempfile()
  dp_ledger(path, 9)
  data <- data.frame(age = runif(400), stage = rep(c("I", "II"), 200), y = runif(400))
  fit <- function(data, ..., k = 1, ledger = NULL, seed = 1) {
    quiet(dp_fit(data, k, 1, target_bounds = c(0, 1), ..., ledger = ledger, seed = seed))
  }
  for (text in list(data, transform(data, stage = factor(stage)))) {
    expect_error(fit(text, ledger = path, seed = NULL), "column \"stage\" holds text")
    expect_error(fit(text, k = NULL, features = c("age", "stage")), "leave it out of the features")
    expect_length(fit(text, levels = list(stage = c("I", "II")))$record$selection$selected, 1)
    expect_identical(fit(text, exclude = "stage")$names, "age")
    expect_identical(fit(text, k = NULL, features = "age")$names, "age")
  }
  expect_identical(dp_ledger(path)$path, normalizePath(path))
  expect_length(jsonlite::fromJSON(as.data.frame(dp_ledger(path)) |> jsonlite::toJSON()), 0)
})

test_that("the levels of a factor end no run", {
  data <- data.frame(grade = factor(rep(1:3, 100)), age = runif(300), y = rep(c(0, 1, 1), 100))
  file <- tempfile(fileext = ".rds")
  saveRDS(data, file)
  for (table in list(data, file)) {
    expect_identical(quiet(dp_select(table, 1, 100, target_bounds = c(0, 1), seed = 1))$names, "grade")
    expect_identical(quiet(dp_select(table, 1, 1, exclude = "grade", target_bounds = c(0, 1), seed = 1))$names, "age")
    expect_error(dp_select(table, 1, 1, "grade", seed = 1), NA)
    fitted <- quiet(dp_fit(table, 1, 1, target_bounds = c(0, 1), levels = list(grade = 1:3), seed = 1))
    expect_s3_class(fitted, "dpsis_fit")
  }
})

test_that("the report names scores for which categories are missing", {
  data <- data.frame(a = runif(300), habit = rep(c("yes", "no", "never"), 100), y = runif(300))
  report <- function(...) gsub("\\s+", " ", quiet(dp_select(data, 1, 1, target_bounds = c(0, 1), seed = 1, ...))$report)
  expect_match(report(bounds = c(0, 1)), "categories count as missing")
  expect_false(grepl("categories count as missing", report()))
})
