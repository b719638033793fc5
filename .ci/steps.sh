# Shared by .ci/run and .ci/nightly. Each step prints what it proves and how long it took.

logs=artefacts/ci
times=$logs/times

# Installs the packages of the lock file, and the programs that the tests start. If a program is missing and cannot be installed, the
# tests that need it report it.
prepare() {
	rm -rf "$logs"
	mkdir -p "$logs"
	if [ -n "$(missing_programs)" ] && command -v apt-get >/dev/null; then
		step 'Chromium, Redis and PostgreSQL can be installed' install_programs
	fi
	step 'The lock file installs' npm ci --no-audit --no-fund
}

# Only once, because a build first removes the previous build: end-to-end tests would pack it while another list builds.
packs() {
	npm run build && E2E_PACKAGE=$PWD/$logs/$(npm pack --ignore-scripts --silent --pack-destination "$logs") && export E2E_PACKAGE
}

n8n_step='The pinned n8n installs'

n8n_installs() {
	step "$n8n_step" npm run install:n8n
}

step() {
	local proves=$1 started=$SECONDS
	shift
	printf '\n=== %s\n    %s\n' "$proves" "$*"
	"$@" || {
		local code=$?
		printf '\n=== Failed: %s\n' "$proves"
		return "$code"
	}
	printf '=== %4d s  %s\n' $((SECONDS - started)) "$proves" | tee -a "$times"
}

# Tests that compare real time with a real limit fail on a machine that stalls for a second. So the files of failed tests run once
# more, alone and with the same seed. If they pass, the failed tests are named. The command ends with arguments for Jest.
failed_once_more() {
	local failed files
	failed=$(mktemp -p "$logs" failed.XXXX)
	FAILED_TESTS=$failed "$@" --reporters default --reporters "$PWD/.ci/failedTests.js" || {
		mapfile -t files < <(cut -f 1 "$failed" | sort -u)
		[ ${#files[@]} != 0 ] || return 1
		printf '\n=== Once more: %s\n' "${files[*]}"
		"$@" --runInBand --runTestsByPath "${files[@]}" || return
		sed 's/^/=== Passed only the second time: /; s/\t/: /' "$failed" | tee -a "$times"
	}
}

# Runs lists of steps at the same time, because each waits for much of its time. The output of the first list appears at once, that of
# the others when they end. The first failure ends all.
side_by_side() {
	local list failed=0 ended
	local -A lists=()
	# Each list has its own process group, which allows ending it with all its child processes.
	set -m
	"$1" &
	lists[$!]=$1
	for list in "${@:2}"; do
		"$list" >"$logs/$list.log" 2>&1 &
		lists[$!]=$list
	done
	local groups=("${!lists[@]}")
	trap "kill -- ${groups[*]/#/-} 2>/dev/null || true" EXIT
	while [ ${#lists[@]} != 0 ] && [ "$failed" = 0 ]; do
		wait -n -p ended "${!lists[@]}" || failed=$?
		if [ "${lists[$ended]}" != "$1" ]; then cat "$logs/${lists[$ended]}.log"; fi
		unset "lists[$ended]"
	done
	set +m
	if [ "$failed" != 0 ]; then exit "$failed"; fi
	trap - EXIT
}

passed() {
	printf '\n=== Passed in %d min %d s\n' $((SECONDS / 60)) $((SECONDS % 60))
	cat "$times"
}

# Prints the Debian packages of the missing programs.
missing_programs() {
	command -v chromium google-chrome >/dev/null || echo chromium
	command -v redis-server >/dev/null || echo redis-server
	command -v postgres >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || echo postgresql
}

install_programs() {
	local as_root=() packages
	[ "$(id -u)" = 0 ] || as_root=(sudo)
	mapfile -t packages < <(missing_programs)
	"${as_root[@]}" apt-get update
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y "${packages[@]}"
}
