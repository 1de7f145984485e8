import { expect, it } from 'vitest'
import { takeCollector } from '../../../../src/lib/runtime/collector.ts'

// Fails where V8 has no such function for contexts that are made later, or it collects less than everything.
it('collects what nobody holds any more, and leaves no trace in the global scope', () => {
  const collect = takeCollector()
  const held = { text: 'held' }
  const refs = [new WeakRef(held), new WeakRef({ text: 'let go' })]
  const isGone = (): boolean => refs[1]!.deref() === undefined
  return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    collect()
    expect([refs[0]!.deref(), isGone(), 'gc' in globalThis]).toEqual([held, true, false])
  })
})
