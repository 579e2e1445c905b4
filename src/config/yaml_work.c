/* SPDX-License-Identifier: Apache-2.0 */
#include "config/yaml_work.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "config/yaml_message.h"
#include "config/yaml_scan.h"
#include "reader/worker_output.h"

int yaml_work(const struct worker_job *job)
{
    AUTO_TEXT struct text answer = {0};
    AUTO_FREE char *text = malloc(YAML_READER_LARGEST);
    struct stat status;
    int r;

    if (!text)
        return -ENOMEM;
    if (fstat(job->fd, &status) < 0 || status.st_size > (off_t)YAML_READER_LARGEST ||
        pread(job->fd, text, YAML_READER_LARGEST, 0) != status.st_size)
        return -EIO;
    r = yaml_scan(text, (size_t)status.st_size, &answer);
    return r < 0 ? r : worker_output_write(job->output, answer.data, answer.length);
}
