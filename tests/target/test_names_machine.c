/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <stdio.h>

#include "target/names_check.h"
#include "target/names_machine.h"

/* What nova has libvirt keep. */
#define UUID "629b29b9-b0fb-4766-b27d-f4a686d5cbda"
#define NOVA "xmlns:nova=\"http://openstack.org/xmlns/libvirt/nova/1.1\""
#define INSTANCE                                                                                   \
    "<metadata><nova:instance " NOVA "><nova:package version='27'/><nova:name>shop "               \
    "front</nova:name><nova:flavor name='m1.small'><nova:memory>2048</nova:memory></nova:flavor>"  \
    "<nova:owner><nova:user uuid='1'>alice</nova:user><nova:project "                              \
    "uuid='2'>store</nova:project></nova:owner></nova:instance></metadata>"
#define DOMAIN(more)                                                                               \
    "<!--\nWARNING: made by a program\n-->\n<domstatus state='running' reason='booted' "           \
    "pid='42'>\n  <taint flag='x'/>\n  <domain type='kvm' id='7'>\n"                               \
    "<name>instance-0000002a</name>\n<uuid>" UUID "</uuid>\n" more                                 \
    "<devices><disk><name>other</name></disk></devices></domain>\n"                                \
    "<name>outside</name></domstatus>\n"

static void check_machine(const char *path, const char *wanted)
{
    char name[MACHINE_NAME_SIZE] = "";

    assert_int_equal(machine_name_of(path, name), wanted != NULL);
    assert_string_equal(name, wanted ? wanted : "");
}

static void a_machine__is_found_in_the_path(void **state)
{
    (void)state;
    check_machine("/machine.slice/machine-qemu\\x2d7\\x2dinstance\\x2d0000002a.scope",
                  "qemu-7-instance-0000002a");
    check_machine("/machine.slice/machine-qemu\\x2d7\\x2dweb.scope/libvirt/vcpu0", "qemu-7-web");
    check_machine("/machine.slice/systemd-nspawn@build\\x2d1.service", "build-1");
    check_machine("/machine/qemu-7-web.libvirt-qemu", "qemu-7-web");
    check_machine("/machine.slice", NULL);
    check_machine("/system.slice/nginx.service", NULL);
}

static void a_file__may_be_that_of_a_machine_whose_name_it_became(void **state)
{
    AUTO_FREE char *cut = repeated("a", 50);
    char file[128];

    (void)state;
    assert_true(machine_may_be_of("web", "web.xml"));
    assert_true(machine_may_be_of("web", "we_b.xml"));
    assert_true(machine_may_be_of("web-1.a", "w\xc3\xa4\xc3\xb6"
                                             "eb--1.a.xml"));
    assert_false(machine_may_be_of("web", "web1.xml"));
    assert_false(machine_may_be_of("web", "1web.xml"));
    assert_false(machine_may_be_of("web1", "web.xml"));
    assert_false(machine_may_be_of("web", "web"));
    assert_false(machine_may_be_of("web", "web.pid"));
    assert_false(machine_may_be_of("i", "instance-1.xml"));
    (void)snprintf(file, sizeof(file), "%s-more.xml", cut);
    assert_true(machine_may_be_of(cut, file));
}

static void a_machine__that_could_lead_elsewhere_is_none(void **state)
{
    AUTO_FREE char *longest = repeated("a", 4000);
    char path[4096];
    char name[MACHINE_NAME_SIZE];

    (void)state;
    check_machine("/machine.slice/machine-\\x2e\\x2e.scope", NULL); /* ".." */
    check_machine("/machine.slice/machine-a\\x2f\\x2e\\x2e.scope", NULL);
    check_machine("/machine.slice/machine-a\\x00b.scope", NULL);
    check_machine("/machine.slice/machine-a\\x2.scope", NULL);
    check_machine("/machine.slice/machine-a\\q.scope", NULL);
    check_machine("/machine.slice/machine-.scope", NULL);
    check_machine("/machine/..libvirt-qemu", NULL);
    (void)snprintf(path, sizeof(path), "/machine-%s.scope", longest);
    assert_false(machine_name_of(path, name));
}

static void a_domain__is_told_by_its_number(void **state)
{
    const char *domain;
    unsigned id;

    (void)state;
    assert_true(machine_domain("qemu-7-instance-0000002a", &id, &domain));
    assert_int_equal(id, 7);
    assert_string_equal(domain, "instance-0000002a");
    assert_false(machine_domain("qemu-7-", &id, &domain));
    assert_false(machine_domain("qemu-x-a", &id, &domain));
    assert_false(machine_domain("qemu-99999999999-a", &id, &domain));
    assert_false(machine_domain("build-1", &id, &domain));
}

static void machined__tells_the_class_and_the_uuid(void **state)
{
    static const char vm[] = "# This is private data.\nNAME=qemu-7-web\nSERVICE=libvirt-qemu\n"
                             "ID=629b29b9b0fb4766b27df4a686d5cbda\nCLASS=vm\nLEADER=42\n";
    static const char container[] = "NAME=\"build\"\nCLASS=\"container\"\nID=x\n";
    AUTO_NAMES struct names names = {0};
    AUTO_NAMES struct names of_container = {0};
    AUTO_NAMES struct names of_other = {0};

    (void)state;
    names_parse_machine(vm, strlen(vm), "qemu-7-web", &names);
    assert_name(&names, NAME_VM, "web");
    assert_name(&names, NAME_VM_UUID, UUID);
    assert_n_names(&names, 2);
    names_parse_machine(container, strlen(container), "build", &of_container);
    assert_name(&of_container, NAME_CONTAINER, "build");
    assert_n_names(&of_container, 1);
    names_parse_machine("CLASS=host\nID", 13, "host", &of_other);
    names_parse_machine("", 0, "host", &of_other);
    assert_n_names(&of_other, 0);
}

static bool parse(const char *text, struct names *names)
{
    return names_parse_domain(text, strlen(text), 7, names);
}

static void a_domain_of_nova__tells_who_that_is(void **state)
{
    AUTO_NAMES struct names names = {0};

    (void)state;
    assert_true(parse(DOMAIN(INSTANCE), &names));
    assert_name(&names, NAME_VM, "instance-0000002a");
    assert_name(&names, NAME_VM_UUID, UUID);
    assert_name(&names, NAME_VM_DISPLAY_NAME, "shop front");
    assert_name(&names, NAME_VM_FLAVOR, "m1.small");
    assert_name(&names, NAME_VM_PROJECT, "store");
    assert_name(&names, NAME_VM_USER, "alice");
    assert_n_names(&names, 6);
}

static void a_domain_without_nova__tells_name_and_uuid(void **state)
{
    AUTO_NAMES struct names names = {0};

    (void)state;
    assert_true(parse("<domain id='7'><name>a &amp; b &#10;</name><uuid/></domain>", &names));
    assert_name(&names, NAME_VM, "%/a & b %0A");
    assert_n_names(&names, 1);
}

static void metadata_of_others__is_not_taken_for_novas(void **state)
{
    AUTO_NAMES struct names names = {0};

    (void)state;
    assert_true(parse(DOMAIN("<metadata><nova:instance xmlns:nova='http://evil/'><nova:name>x"
                             "</nova:name></nova:instance></metadata>"
                             "<x:name xmlns:x='http://evil/'>y</x:name>"),
                      &names));
    assert_name(&names, NAME_VM, "instance-0000002a");
    assert_n_names(&names, 2);
}

static void check_refused(const char *text)
{
    AUTO_NAMES struct names names = {0};

    assert_false(parse(text, &names));
    assert_n_names(&names, 0);
}

static void another_domain__tells_nothing(void **state)
{
    (void)state;
    check_refused("<domain id='8'><name>other</name></domain>");
    check_refused("<domain><name>not running</name></domain>");
    check_refused("<domain id='x7'><name>other</name></domain>");
    check_refused("<network id='7'><name>other</name></network>");
    check_refused("<a><b><domain id='7'><name>deep</name></domain></b></a>");
}

static void hostile_text__tells_nothing(void **state)
{
    static const char laughs[] =
        "<?xml version='1.0'?><!DOCTYPE d [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;'>"
        "<!ENTITY c '&b;&b;&b;&b;'>]><domain id='7'><name>&c;</name></domain>";
    AUTO_FREE char *deep = repeated("<a>", 1000000);
    char inner[200] = "<domain id='7'><name>x</name>";

    (void)state;
    check_refused(laughs);
    check_refused("<!DOCTYPE d SYSTEM 'file:///etc/passwd'><domain id='7'><name>x</name></domain>");
    check_refused("<domain id='7'><name>&passwd;</name></domain>");
    check_refused(deep);
    check_refused("");
    check_refused("<domain id='7'><name>x</name>");
    check_refused("<domain id='7'><name>\xff</name></domain>");
    check_refused("not XML");
    for (size_t i = 0; i < 40; i++)
        (void)strncat(inner, "<a>", sizeof(inner) - strlen(inner) - 1);
    check_refused(inner);
}

/* expat tells of the end of an empty element also where its begin has stopped the parser. */
static void an_empty_element_at_any_depth__does_not_leave_the_bounds(void **state)
{
    (void)state;
    for (size_t depth = 1; depth <= 70; depth++) {
        AUTO_FREE char *begin = repeated("<a>", depth - 1);
        AUTO_FREE char *end = repeated("</a>", depth - 1);
        AUTO_NAMES struct names names = {0};
        char text[1000];

        (void)snprintf(text, sizeof(text),
                       "<domain id='7'><name>x</name>%s<b/>%s<uuid>u</uuid></domain>", begin, end);
        assert_int_equal(parse(text, &names), depth < 64); /* with the domain itself */
        assert_n_names(&names, depth < 64 ? 2 : 0);
    }
}

static void a_huge_name__is_left_out(void **state)
{
    AUTO_FREE char *name = repeated("n", 100000);
    AUTO_FREE char *text = malloc(200000);
    AUTO_NAMES struct names names = {0};

    (void)state;
    (void)snprintf(text, 200000, "<domain id='7'><name>%s</name><uuid>u</uuid></domain>", name);
    assert_true(parse(text, &names));
    assert_name(&names, NAME_VM_UUID, "u");
    if (names.values[NAME_VM])
        assert_true(strlen(names.values[NAME_VM]) <= NAME_MAX_BYTES + strlen("…"));
}

static void elements_of_any_depth_and_name__do_not_leave_the_path(void **state)
{
    AUTO_FREE char *name = repeated("n", 1000);
    AUTO_FREE char *text = malloc(10000);
    AUTO_NAMES struct names names = {0};

    (void)state;
    (void)snprintf(text, 10000,
                   "<domain id='7'><%s><%s><name>no</name></%s></%s><name>yes</name></domain>",
                   name, name, name, name);
    assert_true(parse(text, &names));
    assert_name(&names, NAME_VM, "yes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine__is_found_in_the_path),
        cmocka_unit_test(a_file__may_be_that_of_a_machine_whose_name_it_became),
        cmocka_unit_test(a_machine__that_could_lead_elsewhere_is_none),
        cmocka_unit_test(a_domain__is_told_by_its_number),
        cmocka_unit_test(machined__tells_the_class_and_the_uuid),
        cmocka_unit_test(a_domain_of_nova__tells_who_that_is),
        cmocka_unit_test(a_domain_without_nova__tells_name_and_uuid),
        cmocka_unit_test(metadata_of_others__is_not_taken_for_novas),
        cmocka_unit_test(another_domain__tells_nothing),
        cmocka_unit_test(hostile_text__tells_nothing),
        cmocka_unit_test(an_empty_element_at_any_depth__does_not_leave_the_bounds),
        cmocka_unit_test(a_huge_name__is_left_out),
        cmocka_unit_test(elements_of_any_depth_and_name__do_not_leave_the_path),
    };

    return cmocka_run_group_tests_name("names_machine", tests, NULL, NULL);
}
