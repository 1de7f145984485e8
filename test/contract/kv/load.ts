// The size that a store must be comfortable with.
import { expect, it } from 'vitest'
import { forEachOf, type KvContractOptions, type OpenSubject } from './subject.ts'

const WRITERS = 256
const PAGE = 5_000

export function loadRules(subject: OpenSubject, options: KvContractOptions): void {
  const keys = options.manyKeys ?? 100_000

  it(`${keys} keys: written at once, watched as they come, listed in pages`, async () => {
    const s = subject()
    const start = await s.newest()
    const live = s.watch({ after: start })
    await forEachOf(keys, WRITERS, async (turn) => {
      // A prime step through the names: every one of them once, in no order.
      await s.write(name((turn * 7919) % keys), `value ${turn}`)
    })
    expect(await s.newest()).toBe(start + keys)

    const at = await s.newest()
    let next = 0
    let from = s.prefix
    for (;;) {
      const page = await s.list({ start: from, limit: PAGE, at, countAll: from === s.prefix })
      if (from === s.prefix) expect(page.count).toBe(keys)
      // One comparison a page: a hundred thousand would be most of the test's time.
      const wrong = page.items.find((item, index) => item.key !== s.prefix + name(next + index))
      expect(wrong).toBeUndefined()
      next += page.items.length
      if (!page.more) break
      from = `${page.items.at(-1)!.key}\0`
    }
    expect(next).toBe(keys)

    const late = s.watch({ after: start })
    for (const watch of [live, late]) {
      await watch.seen(keys)
      expect(watch.events).toHaveLength(keys)
      expect(watch.events.findIndex((event, index) => event.revision !== start + 1 + index)).toBe(-1)
    }
  })
}

function name(index: number): string {
  return `namespace-${Math.floor(index / 10_000)}/object-${String(index).padStart(6, '0')}`
}
