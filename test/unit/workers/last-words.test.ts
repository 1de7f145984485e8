import { describe, expect, it } from 'vitest'
import { LastWords } from '../../../src/workers/last-words.ts'

describe('what a process says on its standard error', () => {
  it('is passed on in whole lines, and what is left at its end', () => {
    const passed: string[] = []
    const words = new LastWords((text) => passed.push(text))
    for (const text of ['a', 'b\nc', 'd\ne\nf']) words.add(text)
    expect(passed).toEqual(['ab\n', 'cd\ne\n'])
    words.end()
    expect(passed.join('')).toBe('ab\ncd\ne\nf\n')
  })

  it('is kept as far as it is not of the log, the last of it', () => {
    const words = new LastWords(() => {})
    words.add('{"level":"info"}\nFATAL ERROR: heap out of memory\n\n')
    expect(words.text).toBe('FATAL ERROR: heap out of memory')
    for (let i = 0; i < 30; i++) words.add(`line ${i}\n`)
    expect(words.text.split('\n')).toEqual(Array.from({ length: 12 }, (_, i) => `line ${i + 18}`))
  })
})
