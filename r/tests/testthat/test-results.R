# Results and their methods.

set.seed(4)
x <- matrix(runif(4000 * 5, 0, 10), 4000, dimnames = list(NULL, c("age", "weight", "dose", "height", "pulse")))
y <- ifelse(x[, "dose"] + 2 * rnorm(4000) > 5, "case", "control")
classes <- c("control", "case")
patients <- data.frame(x, outcome = factor(y))

test_that("a selection has names, a record and methods", {
  found <- dp_select(x, 2, 8, y = y, classes = classes, direction = TRUE)
  expect_s3_class(found, c("dpsis_selection", "dpsis_choice"), exact = TRUE)
  expect_true("dose" %in% found$names)
  expect_identical(colnames(x)[found$indices], found$names)
  expect_true(found$private)
  expect_output(print(found), "dose")
  expect_output(print(summary(found)), "epsilon")
  frame <- as.data.frame(found)
  expect_identical(frame$name, found$names)
  expect_true(all(frame$low <= frame$effect_size & frame$effect_size <= frame$high))
  expect_identical(frame$direction[frame$name == "dose"], found$record$estimates[[match("dose", found$names)]]$direction)
  page <- dp_report(found, study = "Ward 7")
  expect_match(page, "<html", fixed = TRUE)
  expect_match(page, "Ward 7", fixed = TRUE)
  expect_match(found$record$run$request, "dp_select(data, k = 2, epsilon = 8, y = ..., classes = c(\"control\", \"case\")", fixed = TRUE)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(found), found)
  expect_error(plot(found, page = 2), "page must be from 1 to 1", class = "dpsis_request_error")
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(found), "ggplot")
})

test_that("seeded results are marked as not private", {
  expect_warning(found <- dp_select(x, 1, 8, y = y, classes = classes, seed = 1), class = "dpsis_not_private_warning")
  expect_false(found$private)
  expect_output(print(found), "seeded: not for release")
  expect_output(print(summary(found)), "seeded: not for release")
  expect_identical(quiet(dp_select(x, 1, 8, y = y, classes = classes, seed = 1)), found)
})

test_that("a formula names target and features", {
  of <- function(...) quiet(dp_select(..., k = 1, epsilon = 3, classes = classes, seed = 2))$record
  expect_identical(without(of(outcome ~ ., patients)), without(of(patients, target = "outcome")))
  expect_identical(without(of(outcome ~ ., data = patients)), without(of(patients)))
  expect_identical(without(of(outcome ~ . - dose - age, patients)), without(of(patients, exclude = c("dose", "age"))))
  expect_identical(without(of(outcome ~ . - age, patients, exclude = "dose")), without(of(patients, exclude = c("dose", "age"))))
  expect_identical(
    without(of(outcome ~ weight + height, patients)), without(of(patients[c("weight", "height", "outcome")]))
  )
  ranges <- list(bounds = c(0, 10), target_bounds = c(0, 10), k = 1, epsilon = 3, seed = 2)
  one <- quiet(do.call(dp_select, c(list(dose ~ age + pulse, patients), ranges)))
  other <- quiet(do.call(dp_select, c(list(patients[c("age", "pulse", "dose")]), ranges)))
  expect_identical(without(one$record), without(other$record))
  fitted <- quiet(dp_fit(outcome ~ ., patients, k = 1, epsilon = 9, classes = classes, seed = 2))
  expect_identical(fitted$names, "dose")
})

test_that("predictions follow from the coefficients", {
  outcome <- 3 * x[, "dose"] + 1
  fitted <- quiet(dp_fit(x, 1, 20, y = outcome, bounds = c(0, 10), target_bounds = c(0, 32)))
  expect_identical(fitted$names, "dose")
  expect_equal(unname(coef(fitted)), c(1, 3), tolerance = 0.2)
  new <- data.frame(other = "a", dose = c(2, 4, 20, NA))
  by_hand <- coef(fitted)[[1]] + coef(fitted)[[2]] * pmin(new$dose[1:3], 10)
  expect_equal(predict(fitted, new)[1:3], pmin(pmax(by_hand, 0), 32))
  expect_length(predict(fitted, new), 4)
  expect_equal(predict(fitted, x[1:3, ]), predict(fitted, as.data.frame(x[1:3, ])))
  frame <- as.data.frame(fitted)
  expect_identical(frame$name, "dose")
  expect_true(frame$range_low < frame$range_high)
  expect_output(print(fitted), "dose")
  expect_output(print(summary(fitted)), "dose")
  expect_error(predict(fitted, new, type = "class"), class = "dpsis_request_error")
  expect_error(predict(fitted, new["other"]), class = "dpsis_request_error")

  logistic <- quiet(dp_fit(patients, 1, 20, classes = classes))
  share <- predict(logistic, patients)
  expect_true(all(share > 0 & share < 1))
  expect_identical(predict(logistic, patients, type = "class"), factor(ifelse(share > 0.5, "case", "control"), classes))
  expect_gt(mean(predict(logistic, patients, type = "class") == y), 0.7)
})

test_that("levels that are given have coefficients", {
  set.seed(6)
  stages <- data.frame(stage = factor(sample(c("I", "II", "III"), 4000, TRUE)), age = x[, "age"])
  stages$y <- c(I = 1, II = 4, III = 9)[as.character(stages$stage)]
  fitted <- quiet(dp_fit(
    stages, epsilon = 20, features = c("stage", "age"), levels = list(stage = c("I", "II", "III")),
    bounds = c(0, 10), target_bounds = c(0, 10)
  ))
  expect_identical(fitted$names, c("stage=II", "stage=III", "age"))
  expect_equal(coef(fitted)[["stage=II"]], 3, tolerance = 0.2)
  expect_equal(coef(fitted)[["stage=III"]], 8, tolerance = 0.2)
})

test_that("a dry run and a plan spend nothing and have texts", {
  ledger <- dp_ledger(tempfile(), cap = 2)
  dry <- dp_select(patients, 2, 1, classes = classes, ledger = ledger, dry_run = TRUE)
  expect_output(print(dry), "1")
  expect_s3_class(dp_fit(patients, 2, 1, classes = classes, dry_run = TRUE), "dpsis_dry_run")
  expect_equal(summary(ledger)$spent, 0)
  planned <- dp_plan(500, 100, epsilon = 1, over = c(1, 2))
  expect_output(print(planned), "^With 500 rows at epsilon 1: significant from KS distance")
  all <- as.data.frame(planned)
  expect_equal(all$epsilon, c(1, 2))
  expect_true(all$significant_50[2] < all$significant_50[1] && all$significant_50[1] < all$significant_90[1])
  grDevices::pdf(NULL)
  expect_invisible(plot(planned))
  grDevices::dev.off()
})

test_that("an inspection suggests arguments", {
  look <- dp_inspect(patients)
  expect_identical(look$rows, 4000)
  expect_setequal(look$suggestion$classes, c("case", "control"))
  expect_output(print(look), "NOT PRIVATE")
  expect_s3_class(as.data.frame(look), "data.frame")
  expect_identical(dp_inspect(x, y = y)$suggestion$classes, look$suggestion$classes)
})

test_that("candidates may differ in sensitivity", {
  scores <- c(a = 10, b = 3, c = 1)
  expect_identical(quiet(dp_choose(scores, 20, k = 2, sensitivity = 1))$names, c("a", "b"))
  frame <- data.frame(model = names(scores), score = scores, sensitivity = c(1, 1, 2))
  given <- list(epsilon = 50, mechanism = "gem", seed = 1)
  one <- quiet(do.call(dp_choose, c(list(frame, columns = c(name = "model")), given)))
  other <- quiet(do.call(dp_choose, c(list(scores, sensitivity = c(a = 1, b = 1, c = 2)), given)))
  expect_identical(without(one$record), without(other$record))
})

test_that("an assay whose columns have types of their own is refused", {
  skip_if_not_installed("SummarizedExperiment")
  # One sample of texts would make texts of the values of all others.
  for (values in list(data.frame(s1 = c(0.5, 2), s2 = c(3, 4)), S4Vectors::DataFrame(s1 = c(0.5, 2), s2 = c(3, 4)))) {
    experiment <- SummarizedExperiment::SummarizedExperiment(list(raw = values))
    expect_error(dp_select(experiment, 1, 1, y = c(0, 1)), "an assay must be a matrix")
  }
})

test_that("a SummarizedExperiment is its assay, turned", {
  skip_if_not_installed("SummarizedExperiment")
  genes <- t(x)
  colnames(genes) <- paste0("S3CR3T", seq_len(ncol(genes)))
  samples <- data.frame(outcome = y, person = rep(1:2000, each = 2), sex = rep(c("F", "M"), 2000))
  experiment <- SummarizedExperiment::SummarizedExperiment(list(raw = genes, half = genes / 2), colData = samples)
  of <- function(data, ...) quiet(dp_select(data, 2, 4, ..., classes = classes, bounds = c(0, 10), seed = 3))
  found <- of(experiment, "outcome")
  expect_identical(without(found$record), without(of(x, y = y)$record))
  expect_identical(without(of(experiment, "outcome", assay = "half")$record), without(of(x / 2, y = y)$record))
  people <- of(experiment, "outcome", unit = "person", unit_target = "last")
  expect_identical(without(people$record), without(of(x, y = y, unit = samples$person, unit_target = "last")$record))
  adjusted <- dp_select(experiment, 1, 8, "outcome", classes = classes, adjust = "sex=F,M")
  expect_identical(adjusted$names, "dose")
  expect_false(grepl("S3CR3T", paste(found$json, dp_report(found))))
  expect_identical(dp_inspect(experiment, "outcome")$features, 5)
  expect_error(of(experiment, "status"), class = "dpsis_request_error")
})

test_that("every argument is documented", {
  pages <- tools::Rd_db("dpsis")
  skip_if_not(length(pages) > 0, "installed without help pages")
  page <- paste(unlist(pages[["dp_select.Rd"]]), collapse = " ")
  for (name in c(names(select_options), names(table_facts), memory_facts)) expect_match(page, paste0("\\b", name, "\\b"))
})
