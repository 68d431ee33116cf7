// A service that ran in this process, for a file of tests before, has set its own mask for new files.
process.umask(0o022)
