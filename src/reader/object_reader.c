/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The worker writes to memory that we have made for it, and that it can make larger, up to its
 * limit, but not smaller: so what is mapped here stays there, and nobody writes to it any more.
 */
#include "reader/object_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "reader/object_reader_parts.h"
#include "reader/reader_process.h"
#include "sys/memory_limit.h"

/* Of a limit of memory, a worker may take so much, and as much again for what it has to say. */
#define WORKER_SHARE 4

struct object_reader {
    pid_t process;
    int socket;
    int output; /* of the job that is under way; -1: there is none */
    void *result;
    size_t n;
    uint64_t most;    /* bytes of a result */
    unsigned wait_ms; /* for a result */
};

static void drop_result(struct object_reader *reader)
{
    if (reader->result)
        (void)munmap(reader->result, reader->n);
    reader->result = NULL;
    reader->n = 0;
}

static void drop_output(struct object_reader *reader)
{
    cleanup_close(&reader->output);
    reader->output = -1;
}

/* The process ends when the socket is closed. The signal is for one that somebody has stopped. */
struct object_reader *object_reader_free(struct object_reader *reader)
{
    if (!reader)
        return NULL;
    cleanup_close(&reader->socket);
    if (reader->process > 0) {
        (void)kill(reader->process, SIGKILL);
        (void)TEMP_FAILURE_RETRY(waitpid(reader->process, NULL, 0));
    }
    drop_output(reader);
    drop_result(reader);
    free(reader);
    return NULL;
}

/*
 * Workers are in our cgroup, and what they take could have the kernel kill the service. The limit
 * is that of the start.
 */
static void heed_memory_limit(struct reader_limits *limits)
{
    AUTO_CLOSE int procfs_fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct memory_limit limit;
    uint64_t most;

    memory_limit_init(&limit);
    most = memory_limit_read(&limit, procfs_fd).limit / WORKER_SHARE;
    memory_limit_done(&limit);
    if (most > 0 && most < limits->memory)
        limits->memory = most;
    if (most > 0 && most < limits->output)
        limits->output = most;
}

int object_reader_new_for(const struct reader_work *wanted, struct object_reader **ret_reader)
{
    AUTO(object_reader) struct object_reader *reader = calloc(1, sizeof(*reader));
    struct reader_work work = *wanted;
    int ends[2];

    if (!reader)
        return -ENOMEM;
    reader->socket = reader->output = -1;
    heed_memory_limit(&work.limits);
    reader->most = work.limits.output;
    reader->wait_ms = 2 * work.limits.wall_ms; /* beyond what it takes to kill a late worker */
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return -errno;
    reader->socket = ends[0];
    reader->process = fork();
    if (reader->process == 0)
        reader_process_run(ends[1], &work);
    if (reader->process < 0) {
        const int r = -errno;

        (void)close(ends[1]);
        return r;
    }
    (void)close(ends[1]);
    *ret_reader = TAKE(reader);
    return 0;
}

/* Memory that has the starts. The descriptor or -errno. */
static int write_starts(const struct object_job *job)
{
    const size_t size = job->n_starts * sizeof(*job->starts);
    AUTO_CLOSE int fd = memfd_create("object_starts", MFD_CLOEXEC);

    if (fd < 0)
        return -errno;
    if (write(fd, job->starts, size) != (ssize_t)size)
        return -EIO;
    return TAKE_FD(fd);
}

/* Sends the request. 0, -EPIPE or -errno. */
static int send_request(int socket, const struct reader_request *request, const int *fds, size_t n)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(READER_DESCRIPTORS_MOST * sizeof(int))];
    } control = {0};
    struct iovec bytes = {(void *)request, sizeof(*request)};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = CMSG_SPACE(n * sizeof(int))};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(n * sizeof(int));
    memcpy(CMSG_DATA(header), fds, n * sizeof(int));
    if (TEMP_FAILURE_RETRY(sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT)) >= 0)
        return 0;
    return errno == ECONNRESET ? -EPIPE : -errno;
}

static int hand_over(const struct object_reader *reader, const struct object_job *job)
{
    const bool has_debug = job->debug_fd >= 0;
    const struct reader_request request = {
        .kind = job->kind, .n_starts = (uint32_t)job->n_starts, .has_debug = has_debug};
    int fds[READER_DESCRIPTORS_MOST] = {job->fd, reader->output};
    AUTO_CLOSE int starts = -1;
    size_t n = READER_STARTS;

    if (job->n_starts > 0) {
        starts = write_starts(job);
        if (starts < 0)
            return starts;
        fds[n++] = starts;
    }
    if (has_debug)
        fds[n++] = job->debug_fd;
    return send_request(reader->socket, &request, fds, n);
}

int object_reader_begin(struct object_reader *reader, const struct object_job *job)
{
    int r;

    if (reader->output >= 0)
        return -EBUSY;
    if (job->n_starts > OBJECT_JOB_STARTS_MOST)
        return -EINVAL;
    drop_result(reader);
    reader->output = memfd_create("object_result", MFD_CLOEXEC);
    if (reader->output < 0)
        return -errno;
    r = hand_over(reader, job);
    if (r < 0)
        drop_output(reader);
    return r;
}

bool object_reader_has_ended(const struct object_reader *reader)
{
    struct pollfd poll_of_it = {.fd = reader->socket};

    return poll(&poll_of_it, 1, 0) == 1 && (poll_of_it.revents & POLLHUP) != 0;
}

int object_reader_fd(const struct object_reader *reader)
{
    return reader->socket;
}

/* Maps what the worker has written. 0 or -errno. */
static int map_result(struct object_reader *reader)
{
    struct stat status;
    void *result;

    if (fstat(reader->output, &status) < 0)
        return -errno;
    if (status.st_size <= 0 || (uint64_t)status.st_size > reader->most)
        return -EBADMSG;
    result = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, reader->output, 0);
    if (result == MAP_FAILED)
        return -errno;
    reader->result = result;
    reader->n = (size_t)status.st_size;
    return 0;
}

/* 0, -EAGAIN, -EPIPE or -errno. */
static int receive(const struct object_reader *reader, struct reader_reply *reply)
{
    const ssize_t n = TEMP_FAILURE_RETRY(recv(reader->socket, reply, sizeof(*reply), MSG_DONTWAIT));

    if (n == 0 || (n < 0 && errno == ECONNRESET))
        return -EPIPE;
    if (n < 0)
        return -errno;
    return n == (ssize_t)sizeof(*reply) && reply->outcome < OBJECT_OUTCOME_COUNT_ ? 0 : -EPIPE;
}

int object_reader_finish(struct object_reader *reader, struct object_result *ret_result)
{
    struct object_result result;
    struct reader_reply reply;
    int r;

    if (reader->output < 0)
        return -EAGAIN;
    r = receive(reader, &reply);
    if (r == -EAGAIN)
        return r;
    result = (struct object_result){.outcome = (enum object_outcome)reply.outcome,
                                    .cpu_ns = reply.cpu_ns};
    if (r == 0 && result.outcome == OBJECT_READ && map_result(reader) < 0)
        result.outcome = OBJECT_FAILED;
    drop_output(reader);
    if (r < 0)
        return r;
    result.bytes = reader->result;
    result.n = reader->n;
    *ret_result = result;
    return 0;
}

/* A result that came too late for who had asked for it is nobody's. */
int object_reader_ask(struct object_reader *reader, const struct object_job *job,
                      struct object_result *ret_result)
{
    struct object_result late;
    struct pollfd end;
    int r;

    if (!reader)
        return -EPIPE;
    (void)object_reader_finish(reader, &late);
    r = object_reader_begin(reader, job);
    if (r < 0)
        return r == -EBUSY ? -EAGAIN : r;
    end = (struct pollfd){.fd = reader->socket, .events = POLLIN};
    (void)TEMP_FAILURE_RETRY(poll(&end, 1, (int)reader->wait_ms));
    return object_reader_finish(reader, ret_result);
}

void object_reader_forget(struct object_reader *reader)
{
    if (reader)
        drop_result(reader);
}
