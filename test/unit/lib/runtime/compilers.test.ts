import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { releaseByWork } from '../../../../src/lib/runtime/compilers.ts'

/** Prints whether a function that is often called was optimized: while the compilers are held, and once they are released. */
const PROGRAM = `
  import { heldCompilers } from '${new URL('../../../../src/lib/runtime/compilers.ts', import.meta.url).href}'
  const add = (a, b) => (a * 31 + b) % 1009
  let sum = 0
  const isOptimized = (calls) => {
    for (let i = 0; i < calls; i++) sum = add(sum, i)
    return (%GetOptimizationStatus(add) & 0b10000) !== 0
  }
  heldCompilers.hold()
  const whileHeld = isOptimized(2_000_000)
  heldCompilers.release()
  let after = false
  for (let i = 0; i < 5000 && !after; i++) {
    after = isOptimized(10_000)
    // It is compiled beside the program, and taken up in another turn.
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  console.log(whileHeld, after)`

// Fails where V8 does not know the flags any more, or does not look at them once it runs.
it('V8 optimizes nothing while it is held, and goes on afterwards', () => {
  const said = execFileSync(process.execPath, ['--allow-natives-syntax', '--input-type=module', '-e', PROGRAM], {
    encoding: 'utf8',
  })
  expect(said).toBe('false true\n')
})

it('they are released once there has been some work', () => {
  let released = 0
  const note = releaseByWork({ hold: () => {}, release: () => released++ })
  for (let i = 0; i < 49; i++) note()
  expect(released).toBe(0)
  for (let i = 0; i < 100; i++) note()
  expect(released).toBe(1)
})
