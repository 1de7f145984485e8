import { expect, it } from 'vitest'
import { percentFor } from '../../../../src/lib/runtime/heap-growth.ts'

const MEGABYTE = 1024 * 1024

it.each([
  [40, 150],
  [100, 128],
  [128, 100],
  [256, 50],
  [2_000, 40],
])('of %i MB in use, %i percent may come on top', (megabytes, percent) => {
  expect(percentFor(megabytes * MEGABYTE)).toBe(percent)
})
