/*
 * Loaded before libc into a process that writes to a file: keeps in a journal what each write replaces until it is synced, so that a
 * test can take back what a power cut would have lost. Reads and writes themselves are as always.
 *
 * JOURNALED_FILE is the file, JOURNAL where the journal goes. Its records, in the byte order of the machine: 'W', the offset (8 bytes),
 * the length (4 bytes) and what was there before; 'D': the last write is on the disk; 'S': so are all before.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static int journal = -1;

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static ssize_t real_write(int fd, const void *bytes, size_t length) {
  static ssize_t (*call)(int, const void *, size_t);
  if (call == NULL) call = real("write");
  return call(fd, bytes, length);
}

static int is_journaled(int fd) {
  const char *file = getenv("JOURNALED_FILE");
  struct stat wanted, given;
  if (file == NULL || fd <= 2 || fd == journal) return 0;
  if (fstat(fd, &given) != 0 || !S_ISREG(given.st_mode) || stat(file, &wanted) != 0) return 0;
  return given.st_ino == wanted.st_ino && given.st_dev == wanted.st_dev;
}

/* Where the journal is incomplete the test would prove nothing. */
static void note(const void *bytes, size_t length) {
  if (journal < 0) journal = open(getenv("JOURNAL"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (real_write(journal, bytes, length) != (ssize_t)length) abort();
}

static void note_write(off_t offset, size_t length) {
  uint64_t at = (uint64_t)offset;
  uint32_t count = (uint32_t)length;
  unsigned char *record = calloc(1, 13 + length);
  char *file = getenv("JOURNALED_FILE");
  int fd = open(file, O_RDONLY | O_CLOEXEC);
  if (record == NULL || fd < 0) abort();
  record[0] = 'W';
  memcpy(record + 1, &at, 8);
  memcpy(record + 9, &count, 4);
  /* What is behind the end of the file is zeros. */
  if (pread(fd, record + 13, length, offset) < 0) abort();
  close(fd);
  note(record, 13 + length);
  free(record);
}

static void note_done(int fd) {
  if (fcntl(fd, F_GETFL) & O_DSYNC) note("D", 1);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  static ssize_t (*call)(int, const void *, size_t, off64_t);
  if (call == NULL) call = real("pwrite64");
  if (!is_journaled(fd)) return call(fd, bytes, length, offset);
  pthread_mutex_lock(&order);
  note_write(offset, length);
  ssize_t written = call(fd, bytes, length, offset);
  note_done(fd);
  pthread_mutex_unlock(&order);
  return written;
}

ssize_t write(int fd, const void *bytes, size_t length) {
  if (!is_journaled(fd)) return real_write(fd, bytes, length);
  pthread_mutex_lock(&order);
  note_write(lseek(fd, 0, SEEK_CUR), length);
  ssize_t written = real_write(fd, bytes, length);
  note_done(fd);
  pthread_mutex_unlock(&order);
  return written;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  static ssize_t (*call)(int, const struct iovec *, int);
  if (call == NULL) call = real("writev");
  if (!is_journaled(fd)) return call(fd, parts, count);
  size_t length = 0;
  for (int i = 0; i < count; i++) length += parts[i].iov_len;
  pthread_mutex_lock(&order);
  note_write(lseek(fd, 0, SEEK_CUR), length);
  ssize_t written = call(fd, parts, count);
  note_done(fd);
  pthread_mutex_unlock(&order);
  return written;
}

static int synced(const char *name, int fd) {
  int (*call)(int) = real(name);
  if (!is_journaled(fd)) return call(fd);
  pthread_mutex_lock(&order);
  int result = call(fd);
  if (result == 0) note("S", 1);
  pthread_mutex_unlock(&order);
  return result;
}

int fsync(int fd) { return synced("fsync", fd); }

int fdatasync(int fd) { return synced("fdatasync", fd); }
