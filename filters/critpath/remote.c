/* remote - the part of a path that passes on other servers */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/build/builds.h"
#include "common/filter/filter.h"
#include "common/report/report-values.h"
#include "common/report/report.h"
#include "filters/critpath/critpath.h"

/* A step's value of a key that is an integer, or INT_UNKNOWN. */
static int64_t
value_of(const struct answer *a, const struct step *s, unsigned key)
{
	int64_t n;

	return text_i64(keys_value(a->net->build, network_task(a->net,
	    s->vertex), key), &n) ? n : INT_UNKNOWN;
}

static sym
run_of(const struct answer *a, const struct step *s)
{
	return builds_run_of(a->all, keys_value(a->net->build,
	    network_task(a->net, s->vertex), KEY_REMOTE_EXECUTION));
}

void
remote_emit(const struct answer *a, const struct step *s,
    struct buf *b)
{
	int64_t us = value_of(a, s, KEY_REMOTE_US);
	int64_t execution = value_of(a, s, KEY_REMOTE_EXECUTION);
	sym run = run_of(a, s);

	json_int(b, "remote_us", us);
	json_int(b, "remote_execution_id", execution);
	json_sym(b, "remote_run", &a->all->run_names, run);
}

void
remote_report(const struct answer *a, struct filter *f)
{
	/* By run; the last is that of plans whose run is not known. */
	size_t n = a->all->run_names.n, from, greatest = n;
	int64_t *us_of = mem_zero(n + 1, sizeof *us_of), us, sum_us = 0;
	const struct path *p = a->paths;
	struct buf *b = filter_out(f);
	sym run;

	for (const struct step *s = p->steps; s < p->steps + p->n; s++) {
		us = value_of(a, s, KEY_REMOTE_US);
		run = run_of(a, s);
		/* It cannot exceed the time of the step, whatever a clock or a
		   change of weights says. */
		if (us > a->net->dag.weight[s->vertex])
			us = a->net->dag.weight[s->vertex];
		if (us <= 0)
			continue;
		sum_us += us;
		us_of[run == SYM_NONE ? n : run] += us;
	}
	for (size_t i = n; i-- > 0;)
		if (us_of[i] >= us_of[greatest])
			greatest = i;
	if (sum_us > 0) {
		from = b->len;
		buf_str(b, "Of the path's ");
		report_us(b, p->length_us);
		buf_str(b, ", ");
		report_us(b, sum_us);
		if (us_of[greatest] < sum_us) {
			buf_str(b, " are on other servers, ");
			report_us(b, us_of[greatest]);
			buf_str(b, " of them");
		} else {
			buf_str(b, " are on another server,");
		}
		if (greatest < n) {
			buf_str(b, " in run ");
			report_text(b, intern_span(&a->all->run_names,
			    (sym)greatest));
			buf_char(b, '.');
		} else {
			buf_str(b, " whose run is not known.");
		}
		report_sentence(b, from);
		report_blank(b);
	}
	free(us_of);
}
