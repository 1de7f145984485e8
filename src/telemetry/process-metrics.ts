// The metrics of the process, read when they are scraped. What only Linux has is left out elsewhere.
import { readdirSync, readFileSync } from 'node:fs'
import { counter, type Family, gauge } from '../lib/measure.ts'

/** Undefined: it cannot be found out here. */
type Read = () => number | undefined

export function processFamilies(): readonly Family[] {
  const family = (make: typeof gauge, name: string, help: string, read: Read): Family =>
    make(name, help, [], {
      refresh(found) {
        const value = read()
        if (value === undefined) found.clear()
        else found.of().value = value
      },
    })
  const ofProcess = (name: string, help: string, read: Read): Family => family(gauge, name, help, read)
  return [
    family(counter, 'process_cpu_seconds_total', 'User and system CPU time in seconds.', () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    }),
    ofProcess(
      'process_start_time_seconds',
      'Start time of the process in Unix seconds.',
      () => performance.timeOrigin / 1000,
    ),
    ofProcess(
      'go_goroutines',
      'Active resources of the event loop: sockets, timers, requests.',
      () => process.getActiveResourcesInfo().length,
    ),
    ofProcess('process_resident_memory_bytes', 'Resident memory size in bytes.', () => process.memoryUsage.rss()),
    ofProcess('nodejs_heap_size_used_bytes', 'Used JavaScript heap in bytes.', () => process.memoryUsage().heapUsed),
    ofProcess(
      'nodejs_external_memory_bytes',
      'Memory of buffers outside of the heap in bytes.',
      () => process.memoryUsage().external,
    ),
    ofProcess('process_virtual_memory_bytes', 'Virtual memory size in bytes.', virtualBytes),
    ofProcess('process_virtual_memory_max_bytes', 'Limit on virtual memory in bytes.', () =>
      limitOf('Max address space'),
    ),
    ofProcess('process_open_fds', 'Open file descriptors.', openFiles),
    ofProcess('process_max_fds', 'Limit on open file descriptors.', () => limitOf('Max open files')),
  ]
}

function openFiles(): number | undefined {
  // The one that the folder itself is read by is closed again.
  return orUndefined(() => readdirSync('/proc/self/fd').length - 1)
}

/** The soft limit; unlimited is the largest number, as in the client library of the reference. */
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
