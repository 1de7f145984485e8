import { describe, expect, it } from 'vitest'
import { MappedMemory } from '../../../../src/kv/embedded/mapped-memory.ts'

const MIB = 1024 * 1024

describe('what is mapped of the file', () => {
  it('is too much beyond what was mapped when the file was opened', () => {
    let mapped = 50 * MIB
    let asked = 0
    const memory = new MappedMemory(() => {
      asked++
      return mapped
    })
    mapped += 25 * MIB
    memory.note(1, MIB)
    expect([memory.isTooMuch, asked]).toEqual([false, 1])
    memory.note(1, 3 * MIB)
    expect([memory.isTooMuch, asked]).toEqual([true, 2])
    memory.renewed()
    expect(memory.isTooMuch).toBe(false)
    memory.note(2_000, 0)
    expect([memory.isTooMuch, asked]).toEqual([false, 4])
  })

  it('is taken to be what was read and written where nobody can tell', () => {
    const memory = new MappedMemory(() => undefined)
    for (let i = 0; i < 5; i++) memory.note(0, 5 * MIB)
    expect(memory.isTooMuch).toBe(true)
    memory.renewed()
    memory.note(0, 5 * MIB)
    expect(memory.isTooMuch).toBe(false)
  })
})
