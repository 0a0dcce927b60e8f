#ifndef CALLGRAPH_RECORD_LISTENER_H
#define CALLGRAPH_RECORD_LISTENER_H

/*
 * The path of a command, as execvp() finds it, or NULL.  The caller frees it.
 */
char *run_find_program(const char *name);

/*
 * A listening socket in a private directory.  listener_close() removes both,
 * and so does this process when it dies by an error or a signal.
 */
struct listener {
	int fd;
	char directory[80], path[96];	/* path must fit into sun_path */
};
void listener_open(struct listener *);
void listener_close(struct listener *);

#endif
