#include "flow/files/plan_file.h"

#include <sha2.h>

static void hash_numbers(SHA2_CTX *hash, const uint32_t *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[4];
        for (int b = 0; b < 4; b++) bytes[b] = (uint8_t)(numbers[i] >> (8 * b));
        SHA256Update(hash, bytes, sizeof bytes);
    }
}

void cw_plan_fingerprint(const struct cw_network *net, char fingerprint[CW_FINGERPRINT_SIZE])
{
    SHA2_CTX hash;
    SHA256Init(&hash);
    hash_numbers(&hash, (const uint32_t[]){net->n_endpoints, net->n_vertices}, 2);
    for (uint32_t c = 0; c < net->n_channels; c++)
        hash_numbers(&hash, (const uint32_t[]){net->tail[c], cw_network_port(net, c), net->head[c]}, 3);
    SHA256End(&hash, fingerprint);
}

const char *cw_plan_relays(const struct cw_flow_problem *problem)
{
    return problem->legs ? "endpoints" : "switches";
}
