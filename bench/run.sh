#!/usr/bin/env bash
# Every benchmark, as ratios within this one run. Servers listen on loopback ports of their own and are
# stopped at the end.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
lattice=$root/build/release/lattice
work=$(mktemp -d)
pids=()
stop() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap stop EXIT
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

python3 "$root/bench/make_feed.py" "$work/feed.db"
echo "| what | lattice | against | ratio |"
echo "|---|---|---|---|"
"$root/build/release/bench/feed_bench" "$work/feed.db" "$root/bench/feed.lattice" "$root/bench/feed.lq"

# Hot hash-form GETs against nginx serving the same bytes: one worker each, wrk on the other core.
port=$(free_port)
"$lattice" origin --schema "$root/bench/feed.lattice" --store "sqlite:$work/feed.db" \
  --listen "127.0.0.1:$port" >"$work/origin.log" 2>&1 &
pids+=($!)
for _ in $(seq 100); do curl -fs "http://127.0.0.1:$port/.well-known/lattice" >/dev/null && break; sleep 0.1; done

hot() { # name, query text, variables
  local name=$1 text=$2 variables=$3
  local location
  location=$(curl -fsS -o /dev/null -D - -H 'Content-Type: application/x-lattice-query' -d "$text" \
    "http://127.0.0.1:$port/q?intent=introduce$variables" | tr -d '\r' | awk 'tolower($1)=="location:"{print $2}')
  mkdir -p "$work/www"
  curl -fsS "http://127.0.0.1:$port$location" -o "$work/www/body"
  local nginx_port; nginx_port=$(free_port)
  cat >"$work/nginx.conf" <<EOT
worker_processes 1; daemon off; pid $work/nginx.pid; error_log stderr crit;
events { worker_connections 1024; }
http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; open_file_cache max=100;
  client_body_temp_path $work/b; proxy_temp_path $work/p; fastcgi_temp_path $work/f; uwsgi_temp_path $work/u;
  scgi_temp_path $work/s; default_type application/x-ndjson;
  server { listen 127.0.0.1:$nginx_port; root $work/www; } }
EOT
  nginx -c "$work/nginx.conf" 2>/dev/null & local nginx_pid=$!
  pids+=("$nginx_pid")
  sleep 0.5
  local ours=() theirs=()
  for _ in 1 2 3; do
    ours+=("$(wrk -t1 -c16 -d3s "http://127.0.0.1:$port$location" | awk '/Requests\/sec/{print int($2)}')")
    theirs+=("$(wrk -t1 -c16 -d3s "http://127.0.0.1:$nginx_port/body" | awk '/Requests\/sec/{print int($2)}')")
  done
  kill "$nginx_pid" 2>/dev/null || true
  local a b
  a=$(printf '%s\n' "${ours[@]}" | sort -n | sed -n 2p)
  b=$(printf '%s\n' "${theirs[@]}" | sort -n | sed -n 2p)
  printf '| %s, %s bytes | %s/s | nginx %s/s | %.2f |\n' "$name" "$(stat -c %s "$work/www/body")" "$a" "$b" \
    "$(echo "$a $b" | awk '{print $1/$2}')"
}
hot "hot hash GET, one post" 'query($id: I32) { post(id: $id) { title body author { name } } }' '&id=17'
hot "hot hash GET, feed page" "$(cat "$root/bench/feed.lq")" '&org=7'
