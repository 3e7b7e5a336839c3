library(testthat)
library(dpsis)

test_check("dpsis")
