// SPDX-License-Identifier: BSD-3-Clause
/*
 * Remote memory in a program's address space. Its last-level tables are the driver's, and Linux
 * never looks into them: faults come to the driver, and whoever unmaps the memory, or ends the
 * program, is preceded by the notifier, which takes the tables out. The kernel takes part in
 * nothing else, since the memory has no `struct page` for it (VM_PFNMAP).
 */
#include <asm/pgalloc.h>
#include <asm/tlbflush.h>
#include <linux/firesim_paging.h>

#include "firesim_paging.h"

/* What the entry above a table says: where the walker finds it. */
static pmd_t walked(const struct region *region, const u64 *table)
{
	phys_addr_t place = __pa(table);

	if (region->setup.hardware)
		place = region->unit->window + (place - region->shown);
	return __pmd(PHYS_PFN(place) << _PAGE_PFN_SHIFT | _PAGE_TABLE);
}

/* The tables above are there: see reserve(). */
static void put_above(struct region *region, unsigned long number, pmd_t entry)
{
	const unsigned long address = region->start + number * PMD_SIZE;
	pud_t *pud = pud_offset(p4d_offset(pgd_offset(region->mm, address), address), address);

	spin_lock(&region->mm->page_table_lock);
	set_pmd(pmd_offset(pud, address), entry);
	spin_unlock(&region->mm->page_table_lock);
}

/* Any change of the mapping ends it. */
void region_unmapped(struct region *region)
{
	unsigned long i;

	mutex_lock(&region->lock);
	if (!region->unmapped) {
		for (i = 0; i < region_tables(region); i++)
			put_above(region, i, __pmd(0));
		flush_tlb_mm(region->mm);
		region->unmapped = true;
	}
	mutex_unlock(&region->lock);
}

static int before_change(struct mmu_notifier *notifier, const struct mmu_notifier_range *range)
{
	struct region *region = container_of(notifier, struct region, notifier);

	if (range->end <= region->start ||
	    range->start >= region->start + (region->pages << PAGE_SHIFT))
		return 0;
	if (!mmu_notifier_range_blockable(range))
		return -EAGAIN;
	region_unmapped(region);
	return 0;
}

static void before_end(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	region_unmapped(container_of(notifier, struct region, notifier));
}

static const struct mmu_notifier_ops notifier_ops = {
	.invalidate_range_start = before_change,
	.release = before_end,
};

static int refuse_split(struct vm_area_struct *vma, unsigned long address)
{
	return -EINVAL;
}

static int refuse_protection(struct vm_area_struct *vma, unsigned long start, unsigned long end,
			     unsigned long flags)
{
	return -EINVAL;
}

const struct vm_operations_struct firesim_paging_vm_ops = {
	.may_split = refuse_split,
	.mprotect = refuse_protection,
};

/* Makes the tables above; nobody has one below these. */
static int reserve(struct mm_struct *mm, unsigned long start, unsigned long end)
{
	unsigned long address;

	for (address = start; address < end; address += PMD_SIZE) {
		p4d_t *p4d = p4d_alloc(mm, pgd_offset(mm, address), address);
		pud_t *pud = p4d ? pud_alloc(mm, p4d, address) : NULL;
		pmd_t *pmd = pud ? pmd_alloc(mm, pud, address) : NULL;

		if (!pmd)
			return -ENOMEM;
		if (!pmd_none(*pmd))
			return -EBUSY;
	}
	return 0;
}

/* Both locks are held: the region's, and that of the address space, to write. */
int region_map(struct region *region, struct vm_area_struct *vma)
{
	const unsigned long bytes = vma->vm_end - vma->vm_start;
	unsigned long i;
	int done;

	if (!region->setup.frames || region->mm)
		return -EBUSY;
	if ((vma->vm_start | bytes) % REMOTE_MEMORY_UNIT || vma->vm_pgoff ||
	    !(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC ||
	    (vma->vm_flags & (VM_READ | VM_WRITE)) != (VM_READ | VM_WRITE))
		return -EINVAL;
	region->pages = bytes >> PAGE_SHIFT;
	if (region->pages > PFA_NUMBERS || region->setup.frames > region->pages)
		return -EINVAL;
	done = reserve(vma->vm_mm, vma->vm_start, vma->vm_end);
	if (done)
		return done;
	done = pages_start(region);
	if (done)
		return done;
	region->start = vma->vm_start;
	region->notifier.ops = &notifier_ops;
	done = __mmu_notifier_register(&region->notifier, vma->vm_mm);
	if (done) {
		pages_stop(region);
		return done;
	}
	region->mm = vma->vm_mm;
	for (i = 0; i < region_tables(region); i++)
		put_above(region, i, walked(region, region->tables[i]));
	vma->vm_flags |= VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTCOPY | VM_DONTDUMP;
	vma->vm_private_data = region;
	vma->vm_ops = &firesim_paging_vm_ops;
	return 0;
}
