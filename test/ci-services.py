"""ci-services.py - stand-ins for GitHub Actions and GitLab CI, for ci.bats

ci-services.py github WORKFLOW EVENT    runs the jobs of a workflow for an event
ci-services.py gitlab FILE VARIABLES    runs the jobs of a file for a pipeline
ci-services.py gh ARGUMENT...           what the jobs call instead of gh(1)
ci-services.py curl ARGUMENT...         and instead of curl(1)

EVENT and VARIABLES are JSON files: the payload that GitHub sends, with the name
of the event as _name, and the variables that GitLab sets.  The folder $SERVICE has
the repository, origin.git; comments.json, the comments on the request; and what
the jobs make: work (the checkout), artifacts, summary.md.  The status is 1 if a job
failed, and 3 if no job ran or a file says something that is not known here.
"""

import json
import os
import re
import shutil
import subprocess
import sys

SERVICE = os.environ["SERVICE"]
WORK = f"{SERVICE}/work"
ORIGIN = f"{SERVICE}/origin.git"
COMMENTS = f"{SERVICE}/comments.json"
TOKEN = "secret"


def unknown(what):
    print(f"not known to the stand-in: {what}")
    sys.exit(3)


def expect_keys(table, *known):
    if not set(table) <= set(known):
        unknown(set(table) - set(known))


def git(*arguments):
    subprocess.run(["git", "-C", WORK, *arguments], check=True)


def clone(depth, commit, may_push):
    """Checks out a commit, detached; a job without the permission cannot push."""
    limit = ["--depth", str(depth)] if depth else []
    subprocess.run(["git", "clone", "-q", "--no-checkout", *limit,
                    f"file://{ORIGIN}", WORK], check=True)
    git("fetch", "-q", *limit, "origin", commit)
    git("checkout", "-q", "--detach", commit)
    if not may_push:
        git("remote", "set-url", "--push", "origin", "/no-permission")


def upload(path, name):
    if not os.path.exists(f"{WORK}/{path}"):
        print(f"no artifact: {path}")
        return False
    shutil.copytree(f"{WORK}/{path}", f"{SERVICE}/artifacts/{name}",
                    dirs_exist_ok=True)
    return True


def run_shell(command, script, variables):
    env = {**os.environ, **{k: str(v) for k, v in variables.items()}}
    status = subprocess.run([*command, script], cwd=WORK, env=env,
                            stdin=subprocess.DEVNULL).returncode
    print(f"status {status}: {script.splitlines()[-1]}", flush=True)
    return status == 0


# ---- GitHub Actions

class Github:
    def __init__(self, event):
        self.context = {"github": {
            "event": event, "event_name": event["_name"], "token": TOKEN,
            "repository": event["repository"]["full_name"]}}

    def value(self, path):
        value = self.context
        for key in path.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def condition(self, text):
        """An expression of ==, && and always(), in which the steps so far count
        as success() unless it has always()."""
        met = "always()" in text or self.success
        for term in text.split("&&"):
            term = term.strip()
            if term in ("", "always()"):
                continue
            match = re.fullmatch(r"([\w.]+) == (?:'(.*)'|([\w.]+))", term)
            if not match:
                unknown(term)
            left, literal, path = match.groups()
            right = literal if path is None else self.value(path)
            met = met and self.value(left) == right
        return met

    def expand(self, text):
        return re.sub(r"\$\{\{ ([\w.]+) \}\}",
                      lambda match: str(self.value(match[1]) or ""), str(text))

    def run_step(self, step, permissions):
        expect_keys(step, "if", "uses", "with", "run", "env")
        if not self.condition(step.get("if", "")):
            return True
        inputs = {k: self.expand(v) for k, v in step.get("with", {}).items()}
        env = {k: self.expand(v) for k, v in step.get("env", {}).items()}
        uses, script = step.get("uses"), step.get("run")
        if uses == "actions/checkout@v4":
            clone(int(inputs.get("fetch-depth", 1)),
                  inputs.get("ref") or self.value("github.event.after"),
                  permissions.get("contents") == "write")
            return True
        if uses == "actions/upload-artifact@v4":
            return upload(inputs["path"], inputs["name"])
        if uses or "${{" in script:
            unknown(uses or script)
        return run_shell(["bash", "-e", "-c"], script, {
            **env, "GITHUB_REPOSITORY": self.value("github.repository"),
            "GITHUB_STEP_SUMMARY": f"{SERVICE}/summary.md", "CI": "true",
            "MAY_COMMENT": permissions.get("pull-requests") == "write"})

    def run_job(self, job):
        expect_keys(job, "if", "runs-on", "container", "permissions", "steps")
        self.success = True
        for step in job["steps"]:
            if not self.run_step(step, job["permissions"]):
                self.success = False
        return self.success

    def is_triggered(self, triggers):
        name = self.value("github.event_name")
        branch = (self.value("github.event.ref") or "").split("/")[-1]
        return name in triggers and (
            name != "push" or branch in triggers[name]["branches"])

    def run(self, workflow):
        self.success = True
        # YAML 1.1 takes the key "on" for true.
        if not self.is_triggered(workflow[True]):
            return []
        return [self.run_job(job) for job in workflow["jobs"].values()
                if self.condition(job["if"])]


# ---- GitLab CI

def gitlab_rule(rule, variables):
    match = re.fullmatch(r'\$(\w+) == (?:"(.*)"|\$(\w+))', rule["if"])
    if not match:
        unknown(rule)
    left, literal, name = match.groups()
    right = literal if name is None else variables.get(name)
    return variables.get(left) == right


def run_gitlab_job(name, job, variables):
    expect_keys(job, "image", "variables", "rules", "script", "after_script",
                "artifacts")
    expect_keys(job["artifacts"], "when", "expose_as", "paths")
    variables = {**variables, **job["variables"]}
    clone(job["variables"]["GIT_DEPTH"], variables["CI_COMMIT_SHA"], False)
    # The remote repository of the service, which needs a token
    project = f"{variables['CI_SERVER_HOST']}/{variables['CI_PROJECT_PATH']}.git"
    variables |= {
        "GIT_CONFIG_COUNT": 1, "GIT_CONFIG_KEY_0": f"url.{ORIGIN}.insteadOf",
        "GIT_CONFIG_VALUE_0": f"https://weir:{TOKEN}@{project}",
        "MAY_COMMENT": True}
    success = run_shell(["bash", "-eo", "pipefail", "-c"],
                        "\n".join(job["script"]), variables)
    run_shell(["bash", "-eo", "pipefail", "-c"],
              "\n".join(job["after_script"]), variables)
    artifacts = job["artifacts"]
    if success or artifacts["when"] == "always":
        for path in artifacts["paths"]:
            upload(path, name)
    return success


def run_gitlab(file, variables):
    return [run_gitlab_job(name, job, variables) for name, job in file.items()
            if any(gitlab_rule(rule, variables) for rule in job["rules"])]


# ---- The interfaces for comments

def option(arguments, name):
    """Removes an option and its value from the arguments; returns the value."""
    if name not in arguments:
        return None
    at = arguments.index(name)
    value = arguments[at + 1]
    del arguments[at:at + 2]
    return value


def comment(method, url, collection, one, body):
    """Lists, makes or changes comments, whose addresses are given; as JSON."""
    with open(COMMENTS, encoding="utf-8") as file:
        comments = json.load(file)
    if body is None and method is None and url == collection:
        return comments
    with open(body.removeprefix("body@").removeprefix("body=@"),
              encoding="utf-8") as file:
        text = file.read()
    if method is None and url == collection:
        comments.append({"id": 100 + len(comments), "body": text})
    else:
        change, = [c for c in comments if (method, url) == (
            one[0], f"{one[1]}/{c['id']}")]
        change["body"] = text
    with open(COMMENTS, "w", encoding="utf-8") as file:
        json.dump(comments, file)
    return comments[-1]


def may_comment(token):
    if token != TOKEN or os.environ["MAY_COMMENT"] != "True":
        sys.exit("HTTP 403")


def gh(arguments):
    may_comment(os.environ.get("GH_TOKEN"))
    body, method = option(arguments, "-F"), option(arguments, "-X")
    jq = option(arguments, "--jq")
    if jq:
        arguments.remove("--paginate")
    command, url = arguments
    if command != "api":
        unknown(command)
    answer = comment(method, url, "repos/acme/app/issues/7/comments",
                     ("PATCH", "repos/acme/app/issues/comments"), body)
    subprocess.run(["jq", "-r", jq or "."], input=json.dumps(answer), text=True,
                   check=True)


def curl(arguments):
    header = option(arguments, "-H")
    may_comment(header.removeprefix("PRIVATE-TOKEN:"))
    arguments.remove("-sf")
    body, method = option(arguments, "--data-urlencode"), option(arguments, "-X")
    url, = arguments
    notes = "https://gitlab.example.org/api/v4/projects/5/merge_requests/7/notes"
    print(json.dumps(comment(
        method, url.removesuffix("?per_page=100"), notes, ("PUT", notes), body)))


def main():
    command, *arguments = sys.argv[1:]
    if command in ("gh", "curl"):
        return {"gh": gh, "curl": curl}[command](arguments)
    import yaml
    with open(arguments[0], encoding="utf-8") as file:
        jobs = yaml.safe_load(file)
    with open(arguments[1], encoding="utf-8") as file:
        event = json.load(file)
    shutil.rmtree(WORK, ignore_errors=True)
    results = Github(event).run(jobs) if command == "github" else \
        run_gitlab(jobs, event)
    return 3 if not results else not all(results)


sys.exit(main())
