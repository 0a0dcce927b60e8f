load helper

@test "a started and finished run is a task" {
	lines '10 started u h' '30 finished u h 0 5' >log
	run -0 --separate-stderr execlog-parse log
	assert_line -n 0 --partial '"elapsed_us":20000'
}
