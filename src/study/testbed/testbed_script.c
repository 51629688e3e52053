#include "study/testbed/testbed_script.h"

#include <string.h>

#include "base/text.h"

/* Bytes sent at once after a pause. */
#define BURST 32768

#define FIND_TOOLS "PATH=$PATH:/usr/sbin:/sbin\n"

/* Hardware addresses are told by a link's number, so that neighbours need not be asked for: no question waits in a
 * queue behind what is measured. */
static void add_hardware_address(size_t link, struct cw_text *text)
{
    cw_text_printf(text, "02:00:00:00:%02zx:%02zx", link / 256, link % 256);
}

static void add_names(const struct cw_testbed *testbed, uint32_t from, uint32_t to, const char *between,
                      struct cw_text *text)
{
    for (uint32_t i = from; i < to; i++) cw_text_printf(text, "%s%s", i > from ? between : "", testbed->nodes[i].name);
}

/* Devices take the defaults of the moment in which they are made. */
static void add_namespaces(const struct cw_testbed *testbed, struct cw_text *text)
{
    cw_text_add(text, "new() {\n"
                      "    ip netns add \"$p$1\"\n"
                      "    ip netns exec \"$p$1\" sh -ec 'cd /proc/sys/net\n"
                      "        echo \"$1\" >ipv4/ip_forward\n"
                      "        echo 0 >ipv4/icmp_ratelimit # traceroute need not wait\n"
                      "        for d in all default; do\n"
                      "            echo 0 >ipv4/conf/$d/rp_filter\n"
                      "            echo 0 >ipv4/conf/$d/send_redirects\n"
                      "            [ ! -d ipv6 ] || echo 1 >ipv6/conf/$d/disable_ipv6\n"
                      "        done' sh \"$2\"\n"
                      "}\n"
                      "for n in ");
    add_names(testbed, 0, testbed->n_hosts, " ", text);
    cw_text_add(text, "; do new $n 0; done\nfor n in ");
    add_names(testbed, testbed->n_hosts, testbed->n_nodes, " ", text);
    cw_text_add(text, "; do new $n 1; done\n");
}

static void add_begin(const char *program, const struct cw_testbed *testbed, uint32_t node, struct cw_text *text)
{
    cw_text_printf(text, "%s -n ${p}%s -batch - <<.\n", program, testbed->nodes[node].name);
}

/* The cables from NODE to later nodes. */
static void add_cables(const struct cw_testbed *testbed, uint32_t node, struct cw_text *text)
{
    bool begun = false;
    for (size_t i = 0; i < testbed->n_links; i++) {
        const struct cw_testbed_link *link = &testbed->links[i], *peer = &testbed->links[link->peer];
        if (link->node != node || link->peer < i) continue;
        if (!begun) add_begin("ip", testbed, node, text);
        begun = true;
        cw_text_printf(text, "link add %s address ", link->device);
        add_hardware_address(i, text);
        cw_text_printf(text, " type veth peer name %s address ", peer->device);
        add_hardware_address(link->peer, text);
        cw_text_printf(text, " netns ${p}%s\n", testbed->nodes[peer->node].name);
    }
    if (begun) cw_text_add(text, ".\n");
}

static void add_addresses(const struct cw_testbed *testbed, uint32_t node, struct cw_text *text)
{
    const char *address = testbed->nodes[node].address;
    cw_text_add(text, "link set lo up\n");
    if (node < testbed->n_hosts)
        cw_text_printf(text, "addr add %s/24 dev eth0 noprefixroute\n", address);
    else
        cw_text_printf(text, "addr add %s/32 dev lo\n", address);
    for (size_t i = 0; i < testbed->n_links; i++) {
        const struct cw_testbed_link *link = &testbed->links[i];
        if (link->node != node) continue;
        cw_text_printf(text, "link set %s up\nneigh add %s lladdr ", link->device,
                       testbed->nodes[testbed->links[link->peer].node].address);
        add_hardware_address(link->peer, text);
        cw_text_printf(text, " dev %s nud permanent\n", link->device);
    }
}

static void add_routes(const struct cw_testbed *testbed, uint32_t node, struct cw_text *text)
{
    for (size_t i = 0; i < testbed->n_routes; i++) {
        const struct cw_testbed_route *route = &testbed->routes[i];
        if (route->node != node) continue;
        const struct cw_testbed_link *link = &testbed->links[route->link];
        cw_text_printf(text, "route add %s/32 via %s dev %s onlink src %s\n", testbed->nodes[route->host].address,
                       testbed->nodes[testbed->links[link->peer].node].address, link->device,
                       testbed->nodes[node].address);
    }
}

static void add_rates(const struct cw_testbed *testbed, uint32_t node, uint64_t queue, struct cw_text *text)
{
    for (size_t i = 0; i < testbed->n_links; i++) {
        const struct cw_testbed_link *link = &testbed->links[i];
        if (link->node != node) continue;
        cw_text_printf(text, "qdisc add dev %s root tbf rate %llubit burst %d limit %llu\n", link->device,
                       (unsigned long long)link->rate, BURST, (unsigned long long)queue);
    }
}

void cw_testbed_make_script(const struct cw_testbed *testbed, const struct cw_testbed_place *place, const char *about,
                            struct cw_text *text)
{
    cw_text_add(text, "#!/bin/sh\n# ");
    cw_text_add_visible(text, about, strlen(about));
    cw_text_printf(text,
                   "\n# Each node is a network namespace, p is the prefix of their names. To remove them:\n"
                   "#   for n in /run/netns/%s*; do ip netns del \"${n##*/}\"; done\n"
                   "set -eu\n" FIND_TOOLS "p=%s\n"
                   "for t in ip tc; do\n"
                   "    command -v $t >/dev/null || { echo \"$t is not installed (Debian package iproute2)\" >&2; "
                   "exit 1; }\n"
                   "done\n\n# Nodes: hosts, then switches, which forward\n",
                   place->prefix, place->prefix);
    add_namespaces(testbed, text);
    cw_text_add(text, "\n# Cables\n");
    for (uint32_t i = 0; i < testbed->n_nodes; i++) add_cables(testbed, i, text);
    for (uint32_t i = 0; i < testbed->n_nodes; i++) {
        char name[CW_NAME_SIZE];
        cw_network_name(testbed->net, testbed->nodes[i].vertex, name, sizeof name);
        cw_text_printf(text, "\n# %s", testbed->nodes[i].name);
        if (strcmp(name, testbed->nodes[i].name) != 0) {
            cw_text_add(text, ": ");
            cw_text_add_visible(text, name, strlen(name));
        }
        cw_text_add(text, "\n");
        add_begin("ip", testbed, i, text);
        add_addresses(testbed, i, text);
        add_routes(testbed, i, text);
        cw_text_add(text, ".\n");
        add_begin("tc", testbed, i, text);
        add_rates(testbed, i, place->queue, text);
        cw_text_add(text, ".\n");
    }
}

void cw_testbed_hosts(const struct cw_testbed *testbed, struct cw_text *text)
{
    cw_text_add(text, "127.0.0.1 localhost\n");
    for (uint32_t i = 0; i < testbed->n_nodes; i++)
        cw_text_printf(text, "%s %s\n", testbed->nodes[i].address, testbed->nodes[i].name);
}

void cw_testbed_slots(const struct cw_testbed *testbed, const struct cw_testbed_place *place, const char *between,
                      struct cw_text *text)
{
    for (uint32_t i = 0; i < testbed->n_hosts; i++)
        cw_text_printf(text, "%s%s%u\n", testbed->nodes[i].name, between, place->ranks);
}

/* Settings for launchers and libraries of Open MPI 4 and MPICH 4. Ranks on one host share memory, as on any machine:
 * Open MPI by vader, MPICH without being told. Others use TCP with the hosts' addresses, rather than InfiniBand that
 * the machine may have or the loopback device. The hosts share the processors: ranks are bound to none of them. */
static void add_launchers(const struct cw_testbed_place *place, struct cw_text *text)
{
    cw_text_printf(text,
                   "export OMPI_MCA_plm=rsh OMPI_MCA_plm_rsh_agent=%s/agent OMPI_MCA_plm_rsh_no_tree_spawn=1\n"
                   "export OMPI_MCA_orte_default_hostfile=%s/slots OMPI_MCA_hwloc_base_binding_policy=none\n"
                   "export OMPI_MCA_oob_tcp_if_include=" CW_TESTBED_SUBNET "\n"
                   "export OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,vader,self OMPI_MCA_mpi_yield_when_idle=1\n"
                   "export OMPI_MCA_btl_tcp_if_include=" CW_TESTBED_SUBNET "\n"
                   "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1\n"
                   "export HYDRA_RMK=user HYDRA_LAUNCHER=rsh HYDRA_LAUNCHER_EXEC=%s/agent\n"
                   "export HYDRA_HOST_FILE=%s/hydra HYDRA_IFACE=eth0\n"
                   "export UCX_TLS=tcp,self UCX_NET_DEVICES=eth0\n",
                   place->folder, place->folder, place->folder, place->folder);
    if (place->preload)
        cw_text_printf(text,
                       "case ${LD_PRELOAD-} in\n"
                       "*%s/libcrosswind-ranks.so*) ;;\n"
                       "*) export LD_PRELOAD=\"%s/libcrosswind-ranks.so${LD_PRELOAD:+:$LD_PRELOAD}\" ;;\n"
                       "esac\n",
                       place->folder, place->folder);
}

/* The host name and the hosts file are those of a UTS and of a mount namespace, which `ip netns exec` makes. */
void cw_testbed_enter_script(const struct cw_testbed *testbed, const struct cw_testbed_place *place,
                             struct cw_text *text)
{
    cw_text_add(text, "#!/bin/sh\n# enter NODE COMMAND [ARG...]: runs a command on a host or a switch of the testbed.\n"
                      "set -eu\n" FIND_TOOLS "case $1 in\n");
    for (uint32_t i = 0; i < testbed->n_hosts; i++)
        cw_text_printf(text, "%s) export CROSSWIND_TESTBED_RANK=%u ;;\n", testbed->nodes[i].name, i);
    for (uint32_t i = testbed->n_hosts; i < testbed->n_nodes; i++)
        cw_text_printf(text, "%s) unset CROSSWIND_TESTBED_RANK ;;\n", testbed->nodes[i].name);
    cw_text_add(text, "*) echo \"the testbed has no host or switch '$1'\" >&2; exit 1 ;;\nesac\n"
                      "export CROSSWIND_TESTBED_HOSTS=");
    add_names(testbed, 0, testbed->n_hosts, ",", text);
    cw_text_printf(text,
                   "\nexport CROSSWIND_TESTBED_SIZE=%u CROSSWIND_TESTBED_SUBNET=" CW_TESTBED_SUBNET "\n"
                   "export CROSSWIND_TESTBED_AGENT=%s/agent\n",
                   testbed->n_hosts, place->folder);
    add_launchers(place, text);
    cw_text_printf(text,
                   "exec ip netns exec \"%s$1\" unshare --uts sh -ec '\n"
                   "    mount --bind %s/hosts /etc/hosts\n"
                   "    hostname \"$0\"\n"
                   "    exec \"$@\"' \"$@\"\n",
                   place->prefix, place->folder);
}

void cw_testbed_agent_script(const struct cw_testbed_place *place, struct cw_text *text)
{
    cw_text_printf(text,
                   "#!/bin/sh\n# agent HOST WORD...: has a line of shell run on a host of the testbed, as rsh does.\n"
                   "while [ \"${1#-}\" != \"$1\" ]; do shift; done\n"
                   "host=$1\nshift\nexec %s/enter \"$host\" sh -c \"$*\"\n",
                   place->folder);
}
