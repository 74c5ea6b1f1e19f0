// SPDX-License-Identifier: BSD-3-Clause
/*
 * The initramfs where it is: an archive lies in memory when a blade starts, so the pages of its
 * files become the page cache of the root file system instead of being copied there.
 *
 * Entries (cpio, form "newc") are taken from the front for as long as they are of a kind known
 * here; the kernel unpacks what is left. A page is taken when it holds nothing but data of one
 * file, which the archive provides for by the alignment of large files; other data is copied. Taken
 * pages are ordinary memory from then on: they may be written to, and are free with their file.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/init_syscalls.h>
#include <linux/initrd.h>
#include <linux/kdev_t.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/task_work.h>
#include <linux/vmstat.h>
#include <linux/xarray.h>

#include <asm/cacheflush.h>

#define HEADER_BYTES 110
#define MAGIC "070701"
#define LAST "TRAILER!!!"

/* Fields of a header: eight hexadecimal digits each, after the magic number. */
enum field {
	MODE = 1,
	UID = 2,
	GID = 3,
	LINKS = 4,
	SIZE = 6,
	MAJOR = 9,
	MINOR = 10,
	NAME_SIZE = 11
};

struct entry {
	const char *name;
	char *data;
	unsigned long size;
	umode_t mode;
	unsigned int device;
	char *end; /* where the next one begins */
};

static u32 __init field(const char *header, enum field which)
{
	const char *at = header + strlen(MAGIC) + 8 * which;
	u32 value = 0;

	for (unsigned int i = 0; i < 8; i++) {
		const u32 digit = at[i] <= '9' ? at[i] - '0' : (at[i] | 32) - 'a' + 10;

		value = value << 4 | digit;
	}
	return value;
}

/* Reads the entry at `at`; false when it is none that can be taken. */
static bool __init read_entry(char *at, char *end, struct entry *entry)
{
	u32 name_size;

	if (end - at < HEADER_BYTES || memcmp(at, MAGIC, strlen(MAGIC)))
		return false;
	name_size = field(at, NAME_SIZE);
	entry->size = field(at, SIZE);
	entry->mode = field(at, MODE);
	entry->device = new_encode_dev(MKDEV(field(at, MAJOR), field(at, MINOR)));
	if (field(at, UID) || field(at, GID) || (S_ISREG(entry->mode) && field(at, LINKS) > 1))
		return false;
	entry->name = at + HEADER_BYTES;
	entry->data = PTR_ALIGN(at + HEADER_BYTES + name_size, 4);
	entry->end = PTR_ALIGN(entry->data + entry->size, 4);
	return name_size && entry->end <= end && !entry->name[name_size - 1];
}

/* Makes `count` pages from `page` on the first ones of a file; returns an error or 0. */
static int __init take_pages(struct address_space *mapping, struct page *page, unsigned long count)
{
	XA_STATE(xas, &mapping->i_pages, 0);
	unsigned long taken = 0;

	adjust_managed_page_count(page, count);
	do {
		xas_lock_irq(&xas);
		for (; taken < count; taken++, page++) {
			__ClearPageReserved(page);
			__SetPageUptodate(page);
			/* Dirty, as all of ramfs is: nobody may drop what has no other copy. */
			__set_bit(PG_dirty, &page->flags);
			/* Nothing was ever executed there, so no instruction cache holds any of it.
			 */
			__set_bit(PG_dcache_clean, &page->flags);
			page->mapping = mapping;
			page->index = taken;
			xas_store(&xas, page);
			if (xas_error(&xas))
				break;
			xas_next(&xas);
		}
		xas_unlock_irq(&xas);
	} while (xas_nomem(&xas, GFP_KERNEL));
	mapping->nrpages += taken;
	mod_node_page_state(page_pgdat(page - 1), NR_FILE_PAGES, taken);
	return xas_error(&xas);
}

static int __init make_file(const struct entry *entry)
{
	struct file *file;
	unsigned long whole = 0;
	loff_t at;
	int error = 0;

	file = filp_open(entry->name, O_WRONLY | O_CREAT | O_EXCL | O_LARGEFILE, entry->mode);
	if (IS_ERR(file))
		return PTR_ERR(file);
	if (IS_ALIGNED((unsigned long)entry->data, PAGE_SIZE))
		whole = entry->size / PAGE_SIZE;
	at = (loff_t)whole * PAGE_SIZE;
	if (whole)
		error = take_pages(file->f_mapping, virt_to_page(entry->data), whole);
	if (!error) {
		i_size_write(file_inode(file), at);
		while (at < entry->size && !error) {
			const ssize_t done =
				kernel_write(file, entry->data + at, entry->size - at, &at);

			if (done <= 0)
				error = done ? (int)done : -EIO;
		}
	}
	fput(file);
	return error;
}

static int __init make_link(const struct entry *entry)
{
	char target[256];

	if (entry->size >= sizeof(target))
		return -ENAMETOOLONG;
	memcpy(target, entry->data, entry->size);
	target[entry->size] = 0;
	return init_symlink(target, entry->name);
}

static int __init make(const struct entry *entry)
{
	switch (entry->mode & S_IFMT) {
	case S_IFREG:
		return make_file(entry);
	case S_IFDIR:
		return init_mkdir(entry->name, entry->mode);
	case S_IFLNK:
		return make_link(entry);
	case S_IFCHR:
	case S_IFBLK:
	case S_IFIFO:
		return init_mknod(entry->name, entry->mode, entry->device);
	default:
		return -EINVAL;
	}
}

static int __init take_initramfs(void)
{
	char *at = (char *)initrd_start;
	char *const end = (char *)initrd_end;
	const int mask = current->fs->umask;
	struct entry entry;
	bool all = false;

	if (!initrd_start || current->fs->root.mnt->mnt_sb->s_magic != RAMFS_MAGIC)
		return 0;
	current->fs->umask = 0;
	while (!all && read_entry(at, end, &entry)) {
		all = !strcmp(entry.name, LAST);
		if (!all && make(&entry))
			break;
		for (at = entry.end; at < end && !*at; at += 4)
			continue;
	}
	current->fs->umask = mask;
	task_work_run(); /* files are closed: they may be executed */
	initrd_start = at < end ? (unsigned long)at : 0;
	return 0;
}
/* Just before the kernel unpacks what there is. */
fs_initcall_sync(take_initramfs);
