// Lists all code that relies on undocumented behaviour of Node, V8 or a package. Each piece has a file, which states its gain.
// `--plain-runtime` switches all of them off, in case a new version breaks one of them.
import { type Collector, takeCollector } from './collector.ts'
import { type Compilers, heldCompilers } from './compilers.ts'
import { type CountKeys, countByNodes, countByWalk } from './count-keys.ts'
import { limitHeapGrowth } from './heap-growth.ts'
import { readAsStream, readInPlace, type ReadSocket } from './read-socket.ts'
import { keepObjectsYoung } from './young-objects.ts'

export interface Runtime {
  readonly readSocket: ReadSocket
  readonly countKeys: CountKeys
  /** Undefined: V8 decides when to optimize. */
  readonly compilers: Compilers | undefined
  /** Undefined: V8 decides when to collect. */
  readonly takeCollector: (() => Collector) | undefined
  /** Undefined: V8 decides how far the heap grows. */
  readonly limitHeapGrowth: (() => Disposable) | undefined
  /** Undefined: V8 chooses the generation of new objects. */
  readonly keepObjectsYoung: (() => void) | undefined
}

const FAST_RUNTIME: Runtime = Object.freeze({
  readSocket: readInPlace,
  countKeys: countByNodes,
  compilers: heldCompilers,
  takeCollector,
  limitHeapGrowth,
  keepObjectsYoung,
})

const PLAIN_RUNTIME: Runtime = Object.freeze({
  readSocket: readAsStream,
  countKeys: countByWalk,
  compilers: undefined,
  takeCollector: undefined,
  limitHeapGrowth: undefined,
  keepObjectsYoung: undefined,
})

export function runtimeOf({ plainRuntime }: { readonly plainRuntime: boolean }): Runtime {
  return plainRuntime ? PLAIN_RUNTIME : FAST_RUNTIME
}
