// Reads a SETTINGS frame of a client (RFC 9113, section 6.5). Every entry is checked. If an entry is repeated, only its last value is
// applied.
import * as h2 from './http2-frames.ts'
import { ConnectionError } from './http2-frames.ts'

const ENTRY_BYTES = 6
const LARGEST_FRAME_BYTES = 2 ** 24 - 1

export interface ClientSettings {
  readonly entries: number
  /** Undefined: unchanged. */
  readonly initialWindow: number | undefined
}

export function readSettings(content: Buffer): ClientSettings {
  if (content.length % ENTRY_BYTES !== 0) throw new ConnectionError(h2.FRAME_SIZE_ERROR, 'SETTINGS of the wrong size')
  let initialWindow: number | undefined
  for (let at = 0; at < content.length; at += ENTRY_BYTES) {
    const setting = content.readUInt16BE(at)
    const value = content.readUInt32BE(at + 2)
    check(setting, value)
    if (setting === h2.INITIAL_WINDOW_SIZE) initialWindow = value
  }
  return { entries: content.length / ENTRY_BYTES, initialWindow }
}

function check(setting: number, value: number): void {
  if (setting === h2.INITIAL_WINDOW_SIZE && value > h2.LARGEST_WINDOW_BYTES) {
    throw new ConnectionError(h2.FLOW_CONTROL_ERROR, 'SETTINGS_INITIAL_WINDOW_SIZE beyond 2^31-1')
  }
  const isWrong =
    (setting === h2.ENABLE_PUSH && value > 1) ||
    (setting === h2.MAX_FRAME_SIZE && (value < h2.DEFAULT_FRAME_BYTES || value > LARGEST_FRAME_BYTES))
  if (isWrong) throw new ConnectionError(h2.PROTOCOL_ERROR, 'SETTINGS with a value that is not allowed')
}
