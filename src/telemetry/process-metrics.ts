// What every program tells of itself, looked at when somebody asks. What only Linux tells is left out elsewhere.
import { readdirSync, readFileSync } from 'node:fs'
import { counterFamily, type Family, gaugeFamily } from '../lib/measure.ts'

/** Undefined: it cannot be found out here. */
type Read = () => number | undefined

export function processFamilies(): readonly Family[] {
  const family = (make: typeof gaugeFamily, name: string, help: string, read: Read): Family =>
    make({
      name,
      help,
      labels: [],
      refresh(found) {
        const value = read()
        if (value === undefined) found.clear()
        else found.of().value = value
      },
    })
  const gauge = (name: string, help: string, read: Read): Family => family(gaugeFamily, name, help, read)
  return [
    family(counterFamily, 'process_cpu_seconds_total', 'Processor time used, in seconds.', () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    }),
    gauge(
      'process_start_time_seconds',
      'When it was started, in seconds since 1970.',
      () => performance.timeOrigin / 1000,
    ),
    gauge('go_goroutines', 'What is under way outside of JavaScript.', () => process.getActiveResourcesInfo().length),
    gauge('process_resident_memory_bytes', 'Memory in use.', () => process.memoryUsage.rss()),
    gauge('nodejs_heap_size_used_bytes', 'Memory in use by JavaScript.', () => process.memoryUsage().heapUsed),
    gauge('nodejs_external_memory_bytes', 'Memory in use by buffers.', () => process.memoryUsage().external),
    gauge('process_virtual_memory_bytes', 'Memory that is mapped.', virtualBytes),
    gauge('process_virtual_memory_max_bytes', 'As much as may be mapped.', () => limitOf('Max address space')),
    gauge('process_open_fds', 'File descriptors that are open.', openFiles),
    gauge('process_max_fds', 'As many as may be open.', () => limitOf('Max open files')),
  ]
}

function openFiles(): number | undefined {
  // The one that the folder itself is read by is closed again.
  return orUndefined(() => readdirSync('/proc/self/fd').length - 1)
}

/** The limit that holds now; one that is none is the largest number there is, as the client library of the reference tells it. */
function limitOf(name: string): number | undefined {
  return orUndefined(() => {
    const line = readFileSync('/proc/self/limits', 'latin1')
      .split('\n')
      .find((each) => each.startsWith(name))
    const soft = line?.slice(name.length).trim().split(/\s+/)[0]
    return soft === undefined ? undefined : soft === 'unlimited' ? 2 ** 64 : Number(soft)
  })
}

/** The program's name, in brackets, may hold anything; the 21st word behind it. */
function virtualBytes(): number | undefined {
  return orUndefined(() => {
    const stat = readFileSync('/proc/self/stat', 'latin1')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[20])
  })
}

function orUndefined(read: Read): number | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
