/* Runs the fuzzer's entry point on the files of the given folders: the regression half of a fuzzer. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "fuzz.h"

static int replay(const char *path)
{
    struct cw_text text = {0};
    if (cw_file_read(path, &text) != 0) {
        fprintf(stderr, "%s\n", cw_error_message());
        return 1;
    }
    LLVMFuzzerTestOneInput((const uint8_t *)(text.data ? text.data : ""), text.length);
    cw_text_free(&text);
    return 0;
}

int main(int argc, char **argv)
{
    int n = 0, failed = 0;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        if (!folder) {
            fprintf(stderr, "%s cannot be opened\n", argv[i]);
            return 1;
        }
        for (const struct dirent *entry; (entry = readdir(folder));) {
            char path[4096];
            if (entry->d_name[0] == '.') continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            failed += replay(path);
            n++;
        }
        closedir(folder);
    }
    printf("%d seeds replayed\n", n);
    return failed || n == 0;
}
