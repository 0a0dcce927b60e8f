# map.mk - answers all logs on one machine; again those that have changed
LOGS = $(wildcard logs/*/*.log)
all: $(LOGS:logs/%.log=answers/%.ndjson)
answers/%.ndjson: logs/%.log graph
	rm -f $@
	./answer $<
