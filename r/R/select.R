#' Select features under differential privacy
#'
#' Selects `k` features of a sensitive table that are associated with the target, or all that are significant. One
#' row is one person, unless `unit` identifies people.
#'
#' Everything given here - classes, ranges, columns that are left out - must be public knowledge: looked up in
#' the data it would reveal them. So the levels of a factor are not read from it, either.
#'
#' Columns may hold numbers, truth values (0 and 1), factors and texts, dates (days since 1970-01-01) and times.
#' `NA`, `NaN`, infinite and empty values are missing. A matrix of doubles with targets `y` is not copied.
#'
#' @section Further arguments:
#' Without them the library's defaults hold, which `dpsis select --help` lists.
#'
#' - **Target**: `y`, the target of each row, for data in memory without a column of it. `classes`, its labels:
#'   `c("control", "case")`; a row with another label contributes nothing; without them the target is a number.
#'   `time`, `event` and `by`: the target is whether an event happened by a horizon, from the column of the times of
#'   follow-up, the column of events with the value that means one, `c(died = 1)`, and the horizon in the unit of the
#'   times; rows that were lost before without the event take no part.
#'   `target_bounds`, the range of a number, `c(low, high)`; `target_number = TRUE`, that it is a number of unknown
#'   range, required with a ledger if its type does not show it; `target_file`; `center`: `"private"`, `"none"`, a
#'   publicly known mean, or a named vector of the share of each class.
#' - **People**: `unit`, the column of person identifiers, or the ids themselves; `unit_target`, one of
#'   `"last"`, `"mean"`, `"any-positive"`. `paired`, instead of `unit`, where people have rows of two classes, which are
#'   compared with each other. `adjust`, covariates within whose strata features are compared:
#'   `c("age:40,60", "sex=F,M")`.
#' - **Names**: without `k`, `fwer`, the probability with which any name may be false, and `at_most`, the most names.
#' - **Features**: `bounds`, the range of all, `c(low, high)`, of each by its name, `list(age = c(0, 100), "*" = c(0, 1))`,
#'   a data frame with the columns `feature`, `lo` and `hi`, or a file of it. `scale`: `"row-rank"` or `"cpm"`. `score`:
#'   `"ks"`, `"correlation"`, `"kendall"` or `"paired"`. `groups`, a named list of sets of features or a GMT file, which are selected
#'   instead of features; `group_size`, the least and the largest number of members. `id`, a column of ids, which is not a feature; `feature_names`, for a matrix without column names.
#' - **Guarantee**: `neighbors`: `"add-remove"` or `"replace-one"`; `delta`; `shares`, such as `c(estimates = 0.1)`;
#'   `direction = TRUE` to release whether the target rises with each feature.
#' - **Method**: `mechanism`, `parameters`, such as `c(gamma = 0.25)`; `method`, `blocks`, `penalty`, `refine`;
#'   `weights`, public weights of features by name, or a CSV file `feature,weight`, never from this table nor from people in it, and
#'   `weights_uniform`, the share that all features have alike (0.3 by default).
#' - **How data are written**: `missing`, further codes such as -999; of files `features_as_rows`, `delimiter`,
#'   `decimal_comma`, `numeric_names`; of a `SummarizedExperiment` its `assay`.
#' - **Resources**, on which the result does not depend: `memory` in bytes, `threads`.
#'
#' @section Privacy:
#' The whole result is epsilon-differentially private (with a delta of 0, unless one is given). Each call spends
#' epsilon. Warnings and errors hold no value of the data; time and memory depend on them. Names of columns are public
#' and printed; names of rows never are.
#'
#' @section Conditions:
#' `dpsis_request_error`, the request is wrong; `dpsis_input_error`, the table is malformed or its private counts leave nothing to find;
#' `dpsis_budget_exceeded`, less is left in the ledger than epsilon; `dpsis_read_error`, a file cannot be read. All are
#' of class `dpsis_error` and hold the `arguments` to change. Warnings are `dpsis_warning`, and of a seed
#' `dpsis_not_private_warning`. An interrupt stops the run, and nothing is released; a ledger stays charged.
#'
#' @param data A path to a file of any format that the command line reads, but for Parquet and Arrow; a data frame; a
#'   matrix with samples as rows; or a `SummarizedExperiment`, whose `target` (and `unit`) are columns of `colData`.
#' @param formula Instead of `target`: `outcome ~ .`, `outcome ~ a + b` or `outcome ~ . - c`. It names columns, and
#'   computes nothing of them.
#' @param k The number of features; without it all that are significant, however many.
#' @param epsilon The privacy budget. It is read exactly: a number is its shortest decimal text, and texts such as
#'   `"1/3"` are taken, too. There is no default.
#' @param target The column that holds the target: its name, or its place from 1; the last one if neither this nor `y`
#'   is given.
#' @param ... Further arguments, by their names: see below.
#' @param ledger The budget file to charge: its path, or the result of [dp_ledger()].
#' @param exclude Columns that are not features: names, or patterns such as `"visit_*"`.
#' @param note A note on the entry in the ledger.
#' @param run_key With `ledger`: a key of this run. A repeated call with it returns the recorded release and is not
#'   charged again; other arguments need another key. It identifies the call, not the data: give it anew after the data
#'   changed.
#' @param seed Draw from this seed, for tests: the result is then not for release.
#' @param progress Whether to show a bar.
#' @param dry_run Whether to report only how the budget would be spent, from the names of the columns: nothing is drawn
#'   or spent.
#'
#' @return An object of class `dpsis_selection`, a list:
#' - `names`: the selected features, in the order of `record$order`; `indices`: their places among the features, from 1.
#' - `private`: whether the result may be released.
#' - `record`: the record of the release; `json` is its text, `report` a few lines. [dp_report()] makes a
#'   page of it.
#'
#' Its methods are `print`, `summary`, `plot`, `as.data.frame`, and `autoplot` of ggplot2. Of a dry run, a
#' `dpsis_document` with `record`, `json` and `report`.
#'
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(20000), 5000, 4, dimnames = list(NULL, c("age", "weight", "dose", "height")))
#' y <- ifelse(x[, "dose"] + rnorm(5000) > 0, "case", "control")
#' found <- dp_select(x, 1, 5, y = y, classes = c("control", "case"))
#' found$names
#'
#' # All significant features, of a data frame.
#' patients <- data.frame(x, outcome = factor(y))
#' dp_select(outcome ~ ., patients, epsilon = 5, classes = c("control", "case"))
#' @export
dp_select <- function(...) UseMethod("dp_select")

#' @rdname dp_select
#' @export
dp_select.default <- function(data, k = NULL, epsilon, target = NULL, ..., ledger = NULL, note = "", run_key = NULL,
                              seed = NULL, progress = interactive(), dry_run = FALSE) {
  if (missing(epsilon)) no_budget()
  check_names(list(...), c(names(select_options), names(table_facts), memory_facts, "paired"))
  named <- list(k = k, epsilon = epsilon, target = target, ..., ledger = ledger, run_key = run_key, seed = seed)
  given <- with_pairs(named)
  found <- run("select", data, given, select_options, note, progress, dry_run)
  if (dry_run) document(found, "dpsis_dry_run") else choice(found, "dpsis_selection")
}

#' @rdname dp_select
#' @export
dp_select.formula <- function(formula, data, ..., exclude = NULL) {
  # The arguments as they are: a call that is made of values would show them in an error of R.
  named <- of_formula(formula, data, exclude, list(...))
  dp_select.default(named$data, target = named$target, exclude = named$exclude, ...)
}

# The arguments with `paired` as unit and score.
with_pairs <- function(given) {
  people <- given[["paired"]]
  if (is.null(people)) {
    return(given)
  }
  if (!is.null(given[["unit"]]) || !is.null(given[["score"]])) {
    fail("paired stands for a unit and a score: give neither", "paired")
  }
  given[["paired"]] <- NULL
  c(given, list(unit = people, score = "paired"))
}

no_budget <- function() fail("a budget must be given", "epsilon")

# Runs a command of the library on a table.
run <- function(command, data, given, options, note, progress, dry_run) {
  request <- request_text(paste0("dp_", command), given)
  dry <- flag(dry_run, "dry_run")
  terms <- terms_of(request, given[["seed"]], given[["ledger"]], note, dry, given[["run_key"]])
  given$classes <- logical_classes(given[["classes"]], data, given[["y"]], given[["target"]])
  options <- converted(given, options)
  run_job(command, options, terms, table_of(c(list(data = data), given)), progress)
}

# Runs a job of the library: its answer as a list.
run_job <- function(command, options, terms = list(), table = NULL, progress = FALSE, output = "") {
  job <- as_json(list(command = command, options = object(options), terms = object(terms)))
  watched(progress, function(look) native(wrap__job, job, table$described, table$x, output, look))
}

# A result other than a release: a record with a text of a few lines.
document <- function(found, class) {
  record <- jsonlite::fromJSON(found$json, simplifyVector = FALSE)
  delivered(found, structure(list(record = record, json = found$json, report = found$report), class = c(class, "dpsis_document")))
}

#' @export
print.dpsis_document <- function(x, ...) {
  cat(x$report)
  invisible(x)
}
