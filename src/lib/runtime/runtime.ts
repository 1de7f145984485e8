// Everything that relies on undocumented behaviour of Node, V8 or a package: one file each, with its gain. `--plain-runtime` switches all of it
// off, in case a new version breaks one.
import { type Collector, takeCollector } from './collector.ts'
import { type Compilers, heldCompilers } from './compilers.ts'
import { type CountKeys, countByNodes, countByWalk } from './count-keys.ts'
import { limitHeapGrowth } from './heap-growth.ts'
import { readAsStream, readInPlace, type ReadSocket } from './read-socket.ts'
import { keepObjectsYoung } from './young-objects.ts'

export interface Runtime {
  readonly readSocket: ReadSocket
  readonly countKeys: CountKeys
  /** Undefined: V8 optimizes when it likes. */
  readonly compilers: Compilers | undefined
  /** Undefined: V8 collects when it likes. */
  readonly takeCollector: (() => Collector) | undefined
  /** Undefined: V8 lets the heap grow as it likes. */
  readonly limitHeapGrowth: (() => Disposable) | undefined
  /** Undefined: V8 makes objects where it likes. */
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
