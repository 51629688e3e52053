# Bounds of a large torus take a second. By hand: along a ring of 22, x sends to 21 - x; the channel from 10 up carries
# what x = 5 to 10 send, 6 routes, so that equal service is 1/6.
run crosswind model torus:22x22x22
