import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

/** Prints whether a new record is in the young generation, after very many of its place have outlived it. */
const PROGRAM = `
  import { keepObjectsYoung } from '${new URL('../../../../src/lib/runtime/young-objects.ts', import.meta.url).href}'
  if (process.argv[1] === 'young') keepObjectsYoung()
  const make = (number) => ({ number, list: [number] })
  let kept = []
  let isYoung = true
  for (let round = 0; round < 40 && isYoung; round++) {
    for (let i = 0; i < 50_000; i++) kept.push(make(i))
    if (round % 10 === 9) kept = []
    isYoung = %InYoungGeneration(make(round).list)
    // Code is compiled beside the program, and taken up in another turn.
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  console.log(isYoung)`

function isYoung(how: 'as it is' | 'young'): string {
  const flags = ['--allow-natives-syntax', '--max-semi-space-size=1', '--input-type=module']
  return execFileSync(process.execPath, [...flags, '-e', PROGRAM, how], { encoding: 'utf8' })
}

// The first fails where V8 has come to do without it, the second where it does not know the flag any more.
it('V8 makes objects in the old generation where many have outlived the young one', () => {
  expect(isYoung('as it is')).toBe('false\n')
})

it('V8 makes all objects in the young generation', () => {
  expect(isYoung('young')).toBe('true\n')
})
