#!/usr/bin/env bash
# Requests a second and processor time a request of the bare HTTP server, with nginx serving a static
# file of the same size in the same run. Interleaved, three windows each, medians. One worker each; the
# load tools share the other core, so that the rate is limited by them too: mind the processor time.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
seconds=${1:-3}
work=$(mktemp -d)
pids=()
stop() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap stop EXIT
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
# Processor time of a process in microseconds.
cpu() { awk -v hz="$(getconf CLK_TCK)" '{print int(($14 + $15) * 1000000 / hz)}' "/proc/$1/stat"; }
median() { printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"; }

measure() { # name pid command...: one line "requests-a-second microseconds-a-request"
  local pid=$1 before after rate
  shift
  before=$(cpu "$pid")
  rate=$("$@" 2>/dev/null | awk '/Requests\/sec/ {print int($2)} /^finished in/ {print int($4)}')
  after=$(cpu "$pid")
  echo "$rate $(awk -v c=$((after - before)) -v r="$rate" -v s="$seconds" 'BEGIN {printf "%.1f", c / (r * s)}')"
}

echo "| what | body bytes | requests/s | CPU µs a request |"
echo "|---|---|---|---|"
for bytes in 13 20000; do
  port=$(free_port); nginx_port=$(free_port)
  "$root/build/release/bench/http_hello" "$port" "$bytes" & ours=$!
  pids+=("$ours")
  mkdir -p "$work/www"
  head -c "$bytes" /dev/zero | tr '\0' x >"$work/www/body"
  cat >"$work/nginx.conf" <<EOT
worker_processes 1; daemon off; master_process off; pid $work/nginx.pid; error_log stderr crit;
events { worker_connections 1024; }
http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; open_file_cache max=100;
  client_body_temp_path $work/b; proxy_temp_path $work/p; fastcgi_temp_path $work/f; uwsgi_temp_path $work/u;
  scgi_temp_path $work/s; default_type text/plain;
  server { listen 127.0.0.1:$nginx_port; root $work/www; } }
EOT
  nginx -c "$work/nginx.conf" 2>/dev/null & theirs=$!
  pids+=("$theirs")
  sleep 0.5
  declare -A rates=() costs=()
  for _ in 1 2 3; do
    while read -r name pid command; do
      # shellcheck disable=SC2086
      read -r rate cost < <(measure "$pid" $command)
      rates[$name]+=" $rate"; costs[$name]+=" $cost"
    done <<EOT
lattice-http1 $ours wrk -t1 -c32 -d${seconds}s http://127.0.0.1:$port/body
nginx-http1 $theirs wrk -t1 -c32 -d${seconds}s http://127.0.0.1:$nginx_port/body
lattice-h2c $ours h2load -t1 -c8 -m16 -D$seconds http://127.0.0.1:$port/body
EOT
  done
  for name in lattice-http1 nginx-http1 lattice-h2c; do
    # shellcheck disable=SC2086
    echo "| $name | $bytes | $(median ${rates[$name]}) | $(median ${costs[$name]}) |"
  done
  kill "$ours" "$theirs"; wait "$ours" "$theirs" 2>/dev/null || true
done
