# What .ci/run and .ci/nightly have in common. Each step says what it proves and how long it took.

logs=artefacts/ci
times=$logs/times

# The lock file's packages, and the programs that the tests start. Where these are missing and cannot be installed, the tests that
# need them say so.
prepare() {
	rm -rf "$logs"
	mkdir -p "$logs"
	if [ -n "$(missing_programs)" ] && command -v apt-get >/dev/null; then
		step 'Chromium, Redis and PostgreSQL can be installed' install_programs
	fi
	step 'The lock file installs' npm ci --no-audit --no-fund
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

# For tests that hold a real clock against a real limit: a machine that is held up for a second makes them fail, so what has failed
# runs once more, alone and with the same seed. With another seed or everything anew, the second try would hide what the first has
# found.
failed_once_more() {
	"$@" || {
		printf '\n=== Once more what has failed: %s\n' "$*"
		case " $* " in
			*' -- '*) "$@" --onlyFailures ;;
			*) "$@" -- --onlyFailures ;;
		esac
	}
}

# Runs two lists of steps at the same time, since each keeps no more than one core busy. What the second prints comes at its
# end. The first to fail ends both.
side_by_side() {
	local log=$logs/$2.log failed=0
	# Each gets a process group of its own, by which it can be ended with all that it has started.
	set -m
	"$1" &
	local first=$!
	"$2" >"$log" 2>&1 &
	local second=$!
	trap "kill -- -$first -$second 2>/dev/null || true" EXIT
	local ended
	wait -n -p ended || failed=$?
	if [ "$failed" = 0 ]; then wait -n -p ended || failed=$?; fi
	set +m
	if [ "$failed" = 0 ] || [ "$ended" = "$second" ]; then cat "$log"; fi
	if [ "$failed" != 0 ]; then exit "$failed"; fi
	trap - EXIT
}

passed() {
	printf '\n=== Passed in %d min %d s\n' $((SECONDS / 60)) $((SECONDS % 60))
	cat "$times"
}

# The names of their packages in Debian.
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
