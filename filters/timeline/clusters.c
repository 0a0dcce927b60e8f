/* clusters - merges what is too narrow to be drawn */

#include "common/base/num.h"
#include "filters/timeline/timeline.h"

enum { OPACITY_MIN = 35 };

void
cluster_add(struct cluster *c, const struct pictures *all,
    const struct bar *bar)
{
	int64_t us = bar_length_us(bar);
	int64_t *color_us = &c->color_us[all->type_list[bar->type].color];

	if (c->n++ == 0)
		c->start_us = c->end_us = bar->start_us;
	c->lane = bar->lane;
	if (bar->end_us > c->end_us)
		c->end_us = bar->end_us;
	c->busy_us = saturating_add(c->busy_us, us);
	*color_us = saturating_add(*color_us, us);
	c->single = c->n == 1 && bar->text != INDEX_NONE ? bar : NULL;
}

bool
clusters_next(struct clusters *w, struct cluster *c)
{
	const struct bar *bar;
	bool is_single;

	*c = (struct cluster){ 0 };
	for (; w->next < w->lane->n; w->next++) {
		bar = &w->p->bars[w->lane->first + w->next];
		if (bar_is_marked(w->all, bar, w->unit_us))
			continue;
		/* The bars of a lane with several slots overlap. */
		is_single = w->lane->n_slots == 1 && bar->text != INDEX_NONE &&
		    bar_length_us(bar) >= w->unit_us;
		if (c->n > 0 && (is_single ||
		    bar->start_us - c->end_us > w->unit_us))
			return true;
		cluster_add(c, w->all, bar);
		if (is_single) {
			w->next++;
			return true;
		}
	}
	return c->n > 0;
}

/* A step of the path counts twice, because the path is drawn apart, too. */
size_t
clusters_count(const struct pictures *all, int64_t unit_us, uint64_t *n_merged)
{
	const struct picture *p = all->list;
	struct cluster c;
	size_t n = 0;

	*n_merged = 0;
	for (; p < all->list + all->n; p++) {
		for (size_t i = 0; i < p->n_bars; i++)
			n += bar_is_marked(all, &p->bars[i], unit_us) *
			    (p->bars[i].step > 0 ? 2 : 1);
		for (size_t i = 0; i < p->n_lanes; i++) {
			struct clusters walk = { all, p, &p->lanes[i], unit_us,
			    0 };

			for (; clusters_next(&walk, &c); n++)
				*n_merged += c.single == NULL ? c.n : 0;
		}
	}
	return n;
}

unsigned
cluster_color(const struct cluster *c)
{
	unsigned best = 0;

	for (unsigned i = 1; i < N_COLORS; i++)
		if (c->color_us[i] > c->color_us[best])
			best = i;
	return best;
}

int
cluster_opacity(const struct cluster *c, uint32_t n_slots)
{
	double whole = (double)(c->end_us - c->start_us) * n_slots;
	double share = whole > 0 ? clamp01((double)c->busy_us / whole) : 1;

	return OPACITY_MIN + (int)(share * (100 - OPACITY_MIN));
}
