// What the server asks of V8 beyond what that promises: that the heap grows less.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/** Prints how large the heap was at most of a program that holds some objects and makes and drops many. */
const PROGRAM = `
  import { getHeapStatistics } from 'node:v8'
  import { limitHeapGrowth } from '${new URL('../../src/lib/runtime/heap-growth.ts', import.meta.url).href}'
  const items = (count) => Array.from({ length: count }, (_, i) => ({ i, text: 'item ' + i }))
  const kept = items(2_000_000)
  if (process.argv[1] === 'limited') limitHeapGrowth()
  let largest = 0
  for (let round = 0; round < 10; round++) {
    kept.dropped = items(1_000_000)
    largest = Math.max(largest, getHeapStatistics().total_heap_size)
  }
  console.log(largest)`

async function largestHeap(how: 'limited' | 'plain'): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM, how])
  return Number(stdout)
}

// Fails where V8 does not know the flag any more, or does not look at it once it runs.
it('the heap holds less garbage where its growth is limited', async () => {
  const [limited, plain] = await Promise.all([largestHeap('limited'), largestHeap('plain')])
  expect(limited).toBeLessThan(0.87 * plain)
})
