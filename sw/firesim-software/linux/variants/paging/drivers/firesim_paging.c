// SPDX-License-Identifier: BSD-3-Clause
/*
 * Remote memory: the platform device as /dev/remote-memory, which a program opens, sets up and
 * maps.
 */
#include <linux/firesim_paging.h>
#include <linux/fs.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "firesim_paging.h"

static int paging_open(struct inode *inode, struct file *file)
{
	struct paging *unit = container_of(file->private_data, struct paging, misc);
	struct region *region;

	if (unit->lost)
		return -EIO;
	if (atomic_cmpxchg(&unit->opened, 0, 1))
		return -EBUSY;
	region = kzalloc(sizeof(*region), GFP_KERNEL);
	if (!region) {
		atomic_set(&unit->opened, 0);
		return -ENOMEM;
	}
	region->unit = unit;
	mutex_init(&region->lock);
	INIT_LIST_HEAD(&region->resident);
	INIT_LIST_HEAD(&region->spare);
	INIT_LIST_HEAD(&region->leaving);
	file->private_data = region;
	return 0;
}

static int paging_release(struct inode *inode, struct file *file)
{
	struct region *region = file->private_data;
	struct paging *unit = region->unit;

	if (region->mm) {
		mmu_notifier_unregister(&region->notifier, region->mm);
		pages_stop(region);
	}
	kfree(region);
	atomic_set(&unit->opened, 0);
	return 0;
}

static int paging_set_up(struct region *region, const void __user *from)
{
	struct remote_memory_setup setup;

	if (copy_from_user(&setup, from, sizeof(setup)))
		return -EFAULT;
	if (setup.hardware > 1 || setup.reserved || setup.peer >> 48 || !setup.timeout_cycles ||
	    !setup.batch || setup.batch > PFA_EVICTIONS || !setup.tries || setup.tries > U8_MAX)
		return -EINVAL;
	/* Two batches are on their way, and a page must stay until its instruction is done. */
	if (setup.frames < 2 * setup.batch + 2)
		return -EINVAL;
	if (region->mm)
		return -EBUSY;
	region->setup = setup;
	return 0;
}

static int paging_count(struct region *region, void __user *to)
{
	struct remote_memory_counts counts;

	if (!region->mm)
		return -EINVAL;
	pages_settle(region);
	counts = pages_counts(region);
	return copy_to_user(to, &counts, sizeof(counts)) ? -EFAULT : 0;
}

static long paging_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct region *region = file->private_data;
	long done = -ENOTTY;

	mutex_lock(&region->lock);
	if (command == REMOTE_MEMORY_SETUP)
		done = paging_set_up(region, (const void __user *)argument);
	else if (command == REMOTE_MEMORY_COUNTS)
		done = paging_count(region, (void __user *)argument);
	mutex_unlock(&region->lock);
	return done;
}

static int paging_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct region *region = file->private_data;
	int done;

	mutex_lock(&region->lock);
	done = region_map(region, vma);
	mutex_unlock(&region->lock);
	return done;
}

vm_fault_t firesim_paging_fault(struct vm_area_struct *vma, unsigned long address)
{
	struct region *region = vma->vm_private_data;
	vm_fault_t done = VM_FAULT_SIGBUS;

	mutex_lock(&region->lock);
	if (!region->unmapped)
		done = pages_fault(region, vma, address & PAGE_MASK);
	mutex_unlock(&region->lock);
	return done;
}

static const struct file_operations paging_files = {
	.owner = THIS_MODULE,
	.open = paging_open,
	.release = paging_release,
	.unlocked_ioctl = paging_ioctl,
	.mmap = paging_mmap,
};

static int paging_probe(struct platform_device *platform)
{
	struct device *dev = &platform->dev;
	struct resource *place = platform_get_resource(platform, IORESOURCE_MEM, 0);
	struct paging *unit;

	if (!place)
		return -ENODEV;
	unit = devm_kzalloc(dev, sizeof(*unit), GFP_KERNEL);
	if (!unit)
		return -ENOMEM;
	unit->dev = dev;
	unit->window = place->start + PFA_WINDOW;
	unit->regs = devm_ioremap(dev, place->start, PFA_REGISTER_BYTES);
	if (!unit->regs)
		return -ENOMEM;
	unit->misc.minor = MISC_DYNAMIC_MINOR;
	unit->misc.name = "remote-memory";
	unit->misc.fops = &paging_files;
	unit->misc.mode = 0600;
	return misc_register(&unit->misc);
}

static const struct of_device_id paging_names[] = {{.compatible = "firesim,pfa"}, {}};

static struct platform_driver paging_driver = {
	.probe = paging_probe,
	.driver = {.name = "firesim_paging", .of_match_table = paging_names},
};
builtin_platform_driver(paging_driver);
