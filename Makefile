# The thin front. Two commands do everything on a fresh Debian 12: `make demo` and `make test`.
# ./dev is the daily loop behind them.
.PHONY: all demo demo-stop test soak bench fuzz tidy

all:        ; @./dev setup build && ./dev build release
demo:       ; @./dev demo
demo-stop:  ; @./dev demo-stop
test:       ; @./dev setup build test && ./dev test
soak:       ; @./dev setup build test && ./dev soak
bench:      ; @./dev setup build test bench && ./dev bench
fuzz:       ; @./dev setup build tools && ./dev fuzz 60
tidy:       ; @./dev setup build test tools && ./dev tidy
