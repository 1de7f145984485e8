import { describe, expect, it } from 'vitest'
import { MemoryKills, memoryKills } from '../../../src/workers/memory-kills.ts'

const HEAP = 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'

describe('a process that ended', () => {
  it('for want of memory is known by the last words of V8', () => {
    const kills = new MemoryKills(() => undefined)
    expect(kills.wasOne({ signal: 'SIGABRT', lastWords: `<--- Last few GCs --->\n${HEAP}` })).toBe(true)
    expect(kills.wasOne({ signal: 'SIGABRT', lastWords: 'Assertion failed' })).toBe(false)
    expect(kills.wasOne({ signal: 'SIGKILL', lastWords: '' })).toBe(false)
  })

  it('or by the count of the kernel, each kill for one process', () => {
    let count = 3
    const kills = new MemoryKills(() => count)
    const killed = { signal: 'SIGKILL', lastWords: '' } as const
    expect(kills.wasOne(killed)).toBe(false)
    count++
    expect(kills.wasOne(killed)).toBe(true)
    expect(kills.wasOne(killed)).toBe(false)
    count++
    expect(kills.wasOne({ signal: 'SIGSEGV', lastWords: '' })).toBe(false)
    expect(kills.wasOne(killed)).toBe(false)
  })
})

describe('the count of the kernel', () => {
  const files =
    (known: Readonly<Record<string, string>>) =>
    (file: string): string => {
      const text = known[file]
      if (text === undefined) throw new Error('ENOENT')
      return text
    }

  it('is that of the control group of this process', () => {
    const events = 'low 0\nhigh 0\nmax 12\noom 2\noom_kill 7\noom_group_kill 0\n'
    const inContainer = { '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/memory.events': events }
    expect(memoryKills(files(inContainer))).toBe(7)
    const inUnit = {
      '/proc/self/cgroup': '1:name=systemd:/x\n0::/system.slice/quarterdeck.service\n',
      '/sys/fs/cgroup/system.slice/quarterdeck.service/memory.events': events,
    }
    expect(memoryKills(files(inUnit))).toBe(7)
  })

  it('is unknown where there are no such groups', () => {
    expect(memoryKills(files({}))).toBeUndefined()
    expect(memoryKills(files({ '/proc/self/cgroup': '4:memory:/x\n' }))).toBeUndefined()
    expect(memoryKills(files({ '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/memory.events': '' }))).toBeUndefined()
  })
})
