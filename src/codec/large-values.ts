// Values that are too large to be written in YAML or CBOR within a turn: another thread writes them.
import type { Value } from '../api/value.ts'
import type { Shape } from '../schema/table.ts'

/** The value as `emitYaml` writes it, or as a part of a CBOR document; by `shape`, texts and bytes are told apart there. */
export type WriteElsewhere = (
  value: Value,
  output: { readonly encoding: 'yaml' | 'cbor'; readonly shape: Shape | undefined },
) => Promise<Buffer>

const LARGE_VALUE_BYTES = 64 * 1024

/** The value of a large item, written elsewhere; undefined: it is written here. */
export function writtenElsewhere(
  write: WriteElsewhere | undefined,
  { bytes }: { readonly bytes: Buffer },
  value: () => Value,
  output: Parameters<WriteElsewhere>[1],
): Promise<Buffer> | undefined {
  return bytes.length < LARGE_VALUE_BYTES ? undefined : write?.(value(), output)
}
