// What has brought HTTP/2 servers down in the last ten years, a row for each class of CVE: frames that are sent without end.
import { block, literal, request } from './header-blocks.ts'
import type { Credential } from '../fakes/hostile-client.ts'
import * as h2 from '../rigs/http2-frames.ts'
import { dataFrame, frame, headersFrame, numberFrame, settingsFrame } from '../rigs/http2-frames.ts'

const MOST_STREAMS = 100

export function idOf(turn: number): number {
  return 2 * turn + 1
}

const PING_HEAD = { type: h2.PING, flags: 0, stream: 0 }

export interface Flood {
  readonly name: string
  /** ENHANCE_YOUR_CALM where it is not said. */
  readonly code?: number
  /** What is sent first, once. */
  readonly before?: () => readonly Buffer[]
  readonly settings?: readonly (readonly [number, number])[]
  readonly unit: (turn: number) => Buffer
}

const NO_WINDOW: readonly (readonly [number, number])[] = [[h2.INITIAL_WINDOW_SIZE, 0]]

export function floodsBy(credential: Credential): Readonly<Record<string, readonly Flood[]>> {
  const head = (path: string): Buffer => request('GET', path, credential)
  const get = (id: number, path: string): Buffer => headersFrame(id, head(path), true)
  /** A request whose body is to follow. */
  const post = (id: number): Buffer =>
    headersFrame(id, request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', credential), false)
  /** As many streams as there may be, each with an answer that there is no window for. */
  const blockedStreams = (): readonly Buffer[] => Array.from({ length: MOST_STREAMS }, (_, i) => get(idOf(i), '/api'))
  return {
    'CVE-2019-9512: ping flood': [
      { name: 'PING', unit: () => frame(PING_HEAD, Buffer.alloc(8)) },
      {
        name: 'PING with ACK that nobody asked for',
        unit: () => frame({ ...PING_HEAD, flags: h2.ACK }, Buffer.alloc(8)),
      },
    ],
    'CVE-2019-9515: settings flood': [
      { name: 'SETTINGS', unit: () => settingsFrame([]) },
      { name: 'SETTINGS with ACK', unit: () => frame({ type: h2.SETTINGS, flags: h2.ACK, stream: 0 }) },
    ],
    'CVE-2018-11763, CVE-2020-11080: large settings': [
      {
        name: 'SETTINGS with as many entries as a frame has room for, and a hundred streams to apply them to',
        settings: NO_WINDOW,
        before: blockedStreams,
        unit: (turn) => settingsFrame(Array.from({ length: 2730 }, (_, i) => [h2.INITIAL_WINDOW_SIZE, (turn + i) % 2])),
      },
    ],
    'CVE-2019-9513: priority loop': [
      {
        name: 'PRIORITY',
        unit: (turn) =>
          frame({ type: h2.PRIORITY, flags: 0, stream: idOf(turn % 1000) }, Buffer.from([0, 0, 0, 0, turn % 256])),
      },
    ],
    'CVE-2016-6580: stream dependencies in a circle': [
      {
        name: 'PRIORITY of a stream that depends on itself',
        code: h2.PROTOCOL_ERROR,
        unit: () => frame({ type: h2.PRIORITY, flags: 0, stream: 3 }, Buffer.from([0, 0, 0, 3, 16])),
      },
      {
        name: 'HEADERS of a stream that depends on itself',
        code: h2.PROTOCOL_ERROR,
        unit: () =>
          frame(
            { type: h2.HEADERS, flags: h2.END_HEADERS | h2.END_STREAM | h2.WITH_PRIORITY, stream: 1 },
            Buffer.from([0, 0, 0, 1, 16]),
            head('/version'),
          ),
      },
    ],
    'CVE-2019-9518: empty frames': [
      { name: 'DATA', before: () => [post(1)], unit: () => dataFrame(1, '') },
      {
        name: 'DATA of nothing but padding',
        before: () => [post(1)],
        unit: () => dataFrame(1, Buffer.of(0), h2.PADDED),
      },
      { name: 'DATA of one byte', before: () => [post(1)], unit: () => dataFrame(1, ' ') },
      { name: 'DATA of a few bytes', before: () => [post(1)], unit: () => dataFrame(1, ' '.repeat(15)) },
      {
        name: 'DATA of one byte and padding',
        before: () => [post(1)],
        unit: () => dataFrame(1, Buffer.of(7, 0x20, 0, 0, 0, 0, 0, 0, 0), h2.PADDED),
      },
      {
        name: 'DATA of one byte on many streams',
        before: () => Array.from({ length: 20 }, (_, i) => post(idOf(i))),
        unit: (turn) => dataFrame(idOf(turn % 20), ' '),
      },
      {
        name: 'CONTINUATION',
        unit: (turn) => frame({ type: turn === 0 ? h2.HEADERS : h2.CONTINUATION, flags: 0, stream: 1 }),
      },
      { name: 'HEADERS', unit: (turn) => headersFrame(idOf(turn), Buffer.alloc(0), true) },
    ],
    'CVE-2019-9516: field names of no length': [
      {
        name: 'empty names',
        unit: (turn) => headersFrame(idOf(turn), Buffer.concat([head('/'), literal('', '')]), true),
      },
      {
        name: 'empty names, Huffman coded',
        unit: (turn) => headersFrame(idOf(turn), Buffer.concat([head('/'), Buffer.of(0x00, 0x80, 0x80)]), true),
      },
    ],
    'CVE-2016-8740, CVE-2023-45288, CVE-2024-27316, CVE-2024-27983, CVE-2024-28182: CONTINUATION flood': [
      {
        name: 'CONTINUATION of a kilobyte',
        unit: (turn) =>
          frame(
            { type: turn === 0 ? h2.HEADERS : h2.CONTINUATION, flags: 0, stream: 1 },
            literal('x', 'y'.repeat(2000)),
          ),
      },
    ],
    'CVE-2019-9514: reset flood': [
      {
        name: 'requests that are malformed',
        unit: (turn) => headersFrame(idOf(turn), block({ ':method': 'GET' }), true),
      },
      {
        name: 'DATA on streams that are closed',
        before: () => [get(1, '/api'), get(idOf(100_000), '/api')],
        unit: (turn) => dataFrame(idOf(turn + 1), 'x'),
      },
    ],
    'CVE-2023-44487, CVE-2023-39325, CVE-2023-45802: rapid reset': [
      {
        name: 'requests that are taken back',
        unit: (turn) => Buffer.concat([get(idOf(turn), '/api'), numberFrame(h2.RST_STREAM, idOf(turn), h2.CANCEL)]),
      },
      {
        name: 'requests that are taken back, and one in a hundred that is not',
        unit: (turn) =>
          turn % 100 === 99
            ? get(idOf(turn), '/api')
            : Buffer.concat([get(idOf(turn), '/api'), numberFrame(h2.RST_STREAM, idOf(turn), h2.CANCEL)]),
      },
    ],
    'CVE-2025-8671: made you reset': (
      [
        ['WINDOW_UPDATE with an increment of 0', (id) => [post(id), numberFrame(h2.WINDOW_UPDATE, id, 0)]],
        ['WINDOW_UPDATE beyond 2^31-1', (id) => [post(id), numberFrame(h2.WINDOW_UPDATE, id, 2 ** 31 - 1)]],
        ['DATA behind the end', (id) => [post(id), dataFrame(id, '{}', h2.END_STREAM), dataFrame(id, 'x')]],
        [
          'HEADERS behind the end',
          (id) => [post(id), dataFrame(id, '{}', h2.END_STREAM), headersFrame(id, literal('x', 'y'), true)],
        ],
        ['HEADERS that end nothing', (id) => [post(id), headersFrame(id, literal('x', 'y'), false)]],
        ['trailers that are malformed', (id) => [post(id), headersFrame(id, literal(':path', '/'), true)]],
      ] as readonly (readonly [string, (id: number) => readonly Buffer[]])[]
    ).map(([name, make]) => ({ name, unit: (turn) => Buffer.concat(make(idOf(turn))) })),
    'CVE-2019-9511, CVE-2019-9517: floods of WINDOW_UPDATE': [
      { name: 'for the connection', unit: () => numberFrame(h2.WINDOW_UPDATE, 0, 1) },
      {
        name: 'for the connection, with a hundred streams that wait for their own',
        settings: NO_WINDOW,
        before: blockedStreams,
        unit: () => numberFrame(h2.WINDOW_UPDATE, 0, 1),
      },
      {
        name: 'for a stream that is closed',
        before: () => [get(1, '/api')],
        unit: () => numberFrame(h2.WINDOW_UPDATE, 1, 1),
      },
    ],
    'CVE-2023-35945: RST_STREAM of what is over': [
      {
        name: 'after its answer',
        before: () => [get(1, '/api')],
        unit: () => numberFrame(h2.RST_STREAM, 1, h2.CANCEL),
      },
    ],
    'CVE-2022-27664: GOAWAY of a client that goes on': [
      { name: 'GOAWAY', unit: () => frame({ type: h2.GOAWAY, flags: 0, stream: 0 }, Buffer.alloc(8)) },
    ],
    'CVE-2016-6581, CVE-2023-36478: HPACK': [
      {
        name: 'updates of the size of the dynamic table',
        code: h2.COMPRESSION_ERROR,
        unit: (turn) => headersFrame(idOf(turn), Buffer.concat([Buffer.alloc(5000, 0x20), head('/')]), true),
      },
      {
        name: 'a string of 2^31 bytes',
        code: h2.COMPRESSION_ERROR,
        unit: (turn) => headersFrame(idOf(turn), Buffer.from([0x00, 0x7f, 0x80, 0xff, 0xff, 0xff, 0x07]), true),
      },
      {
        name: 'a string of 2^28 bytes that is not there',
        code: h2.COMPRESSION_ERROR,
        unit: (turn) => headersFrame(idOf(turn), Buffer.from([0x00, 0x7f, 0x80, 0xff, 0xff, 0x7f]), true),
      },
    ],
    'extensions that nobody knows': [
      {
        name: 'frames of other types',
        unit: (turn) => frame({ type: 0x10 + (turn % 100), flags: 0, stream: 0 }, Buffer.alloc(20)),
      },
    ],
  }
}
