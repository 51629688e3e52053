/* Runs the fuzzer's entry point on the files of the given folders: the regression half of a fuzzer. They are not read
 * by the library, which refuses what is not text: parsers are to cope with that, too. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "fuzz.h"

static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct cw_text text = {0};
    char block[4096];
    size_t n;
    cw_text_append(&text, "", 0);
    while (file && (n = fread(block, 1, sizeof block, file)) > 0) cw_text_append(&text, block, n);
    const bool read = file && !ferror(file) && cw_text_check(&text) == 0;
    if (file) fclose(file);
    if (read)
        LLVMFuzzerTestOneInput((const uint8_t *)text.data, text.length);
    else
        fprintf(stderr, "%s cannot be read\n", path);
    cw_text_free(&text);
    return !read;
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
