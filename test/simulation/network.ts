// Hosts and the ways between them. A way can be slow or cut, in one direction or both: then what was sent waits, as TCP sends it again
// and again, and comes late where the way is mended in time. Connections keep their order, and break where a fault or the end of a
// process breaks them.
import { Duplex } from 'node:stream'
import { getOrInsert } from '../../src/lib/map-entries.ts'
import type { Dice } from './dice.ts'
import type { Loop, Process } from './loop.ts'

const LATENCY_MS = [0.2, 2] as const
/** Until a packet that was lost is sent again. */
const AGAIN_MS = [1, 200] as const

/** Between two packets of a connection. */
const STEP_MS = 0.001

interface Way {
  isCut: boolean
  delayMs: number
  /** So many of the next packets with bytes break their connection instead of coming. */
  breaks: number
  readonly waiting: (() => void)[]
}

export class Network {
  readonly #loop: Loop
  readonly #dice: Dice
  /** By the host at the beginning, then by the one at the end. */
  readonly #ways = new Map<string, Map<string, Way>>()
  readonly #listening = new Map<string, { readonly process: Process; readonly accept: (socket: SimSocket) => void }>()
  readonly sockets = new Set<SimSocket>()
  readonly #streams = new Set<{
    readonly one: string
    readonly other: string
    readonly process: Process
    readonly tell: () => void
  }>()
  packets = 0

  constructor(loop: Loop, dice: Dice) {
    this.#loop = loop
    this.#dice = dice
  }

  way(from: string, to: string): Way {
    const known = this.#ways.get(from)?.get(to)
    if (known !== undefined) return known
    const way = { isCut: false, delayMs: 0, breaks: 0, waiting: [] }
    getOrInsert(this.#ways, from, () => new Map<string, Way>()).set(to, way)
    return way
  }

  cut(from: string, to: string): void {
    this.way(from, to).isCut = true
  }

  mend(from: string, to: string): void {
    const way = this.way(from, to)
    way.isCut = false
    way.delayMs = 0
    way.breaks = 0
    for (const go of way.waiting.splice(0)) go()
  }

  mendAll(): void {
    for (const [from, ways] of this.#ways) for (const to of ways.keys()) this.mend(from, to)
  }

  isOpen(one: string, other: string): boolean {
    return !this.way(one, other).isCut && !this.way(other, one).isCut
  }

  latency(from: string, to: string): number {
    return this.#dice.between(...LATENCY_MS) + this.way(from, to).delayMs
  }

  /** Carries something that is no part of a connection; lost where the way is cut. */
  send(from: string, to: string, process: Process, act: () => void): void {
    if (this.way(from, to).isCut) return
    this.packets++
    this.#loop.at(this.latency(from, to), process, act)
  }

  /** In order behind what was carried before it; waits while the way is cut. What is sent at the same time comes in one packet. */
  carry(lane: Lane, act: () => void): void {
    const { from, to, process, packet } = lane
    if (packet?.sentMs === this.#loop.nowMs) return void packet.acts.push(act)
    const way = (lane.way ??= this.way(from, to))
    const acts = [act]
    lane.packet = { sentMs: this.#loop.nowMs, acts }
    const arrive = (): void => {
      for (const one of acts) one()
    }
    const latencyMs = this.#dice.between(...LATENCY_MS) + way.delayMs
    lane.atMs = Math.max(lane.atMs + STEP_MS, this.#loop.nowMs + latencyMs)
    this.packets++
    this.#loop.at(lane.atMs - this.#loop.nowMs, process(), () => {
      if (!way.isCut && lane.held.length === 0) return arrive()
      lane.held.push(arrive)
      if (lane.held.length === 1) this.#wait(lane, way)
    })
  }

  #wait(lane: Lane, way: Way): void {
    const flush = (): void => {
      if (way.isCut) return this.#wait(lane, way)
      for (const act of lane.held.splice(0)) act()
    }
    way.waiting.push(() => this.#loop.at(this.#dice.between(...AGAIN_MS), lane.process(), flush))
  }

  listen(host: string, process: Process, accept: (socket: SimSocket) => void): void {
    this.#listening.set(host, { process, accept })
  }

  isListening(host: string): boolean {
    return this.#listening.has(host)
  }

  /** A socket on its way to being connected. */
  dial(from: string, process: Process, to: string, onRead: (chunk: Buffer) => void): SimSocket {
    const socket = new SimSocket(this, process, from, to)
    socket.onRead = onRead
    this.sockets.add(socket)
    const syn = (): void => {
      if (socket.destroyed) return
      const way = this.way(from, to)
      if (way.isCut || this.way(to, from).isCut) return void way.waiting.push(() => this.#loop.at(1, process, syn))
      const target = this.#listening.get(to)
      if (target === undefined) return void socket.destroy(new Error(`connect ECONNREFUSED ${to}`))
      const peer = new SimSocket(this, target.process, to, from)
      this.sockets.add(peer)
      peer.peer = socket
      socket.peer = peer
      this.#loop.at(0, target.process, () => {
        target.accept(peer)
        this.#loop.at(this.latency(to, from), process, () => socket.connected())
      })
    }
    this.#loop.at(this.latency(from, to), process, syn)
    return socket
  }

  /** For connections that are not made of sockets; returns how to forget it. `one` is the server. */
  whenBroken(one: string, other: string, process: Process, tell: () => void): () => void {
    const stream = { one, other, process, tell }
    this.#streams.add(stream)
    return () => void this.#streams.delete(stream)
  }

  /** The host is gone: its connections end without a word of its own. `isSilent`: its kernel says nothing either. */
  leave(host: string, isSilent: boolean): void {
    this.#listening.delete(host)
    for (const socket of this.sockets) {
      if (socket.host !== host) continue
      this.sockets.delete(socket)
      const { peer } = socket
      socket.isGone = true
      if (peer === undefined || peer.destroyed) continue
      const afterMs = isSilent ? this.#dice.between(500, 4_000) : this.latency(host, peer.host)
      this.#loop.at(afterMs, peer.process, () => peer.destroy(new Error('read ECONNRESET')))
    }
    for (const stream of this.#streams) {
      const afterMs = isSilent ? this.#dice.between(500, 4_000) : this.latency(host, stream.other)
      if (stream.one === host) this.#loop.at(afterMs, stream.process, stream.tell)
    }
  }

  /** Breaks all connections between two hosts. */
  break(one: string, other: string): void {
    for (const socket of this.sockets) {
      if (socket.host !== one || socket.other !== other) continue
      for (const end of [socket, socket.peer]) {
        if (end === undefined) continue
        this.#loop.at(this.latency(one, other), end.process, () => end.destroy(new Error('read ECONNRESET')))
      }
    }
    for (const stream of this.#streams) {
      if (stream.one !== one || stream.other !== other) continue
      this.#loop.at(this.latency(one, other), stream.process, stream.tell)
    }
  }
}

/** One direction of something that keeps its order. */
export interface Lane {
  readonly from: string
  readonly to: string
  readonly process: () => Process
  atMs: number
  readonly held: (() => void)[]
  /** Once it is known. */
  way?: Way
  /** The last one. */
  packet?: { readonly sentMs: number; readonly acts: (() => void)[] }
}

export class SimSocket extends Duplex {
  readonly host: string
  readonly other: string
  readonly process: Process
  readonly #network: Network
  readonly #lane: Lane
  peer: SimSocket | undefined
  onRead: ((chunk: Buffer) => void) | undefined
  /** The machine that it was on is. */
  isGone = false
  #isConnected = false
  #back: Way | undefined
  #early: (() => void)[] = []

  constructor(network: Network, process: Process, host: string, other: string) {
    super({ allowHalfOpen: false, autoDestroy: true })
    this.#network = network
    this.process = process
    this.host = host
    this.other = other
    this.#lane = { from: host, to: other, process: () => this.peer!.process, atMs: 0, held: [] }
    this.on('error', () => {})
  }

  connected(): void {
    if (this.destroyed) return
    this.#isConnected = true
    this.emit('connect')
    for (const send of this.#early.splice(0)) send()
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    const bytes = Buffer.from(chunk)
    this.#carry(() => this.peer?.arrive(bytes))
    done()
  }

  override _final(done: (error?: Error) => void): void {
    this.#carry(() => this.peer?.destroy())
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#network.sockets.delete(this)
    if (this.peer !== undefined && !this.isGone && !this.peer.destroyed) this.#carry(() => this.peer?.destroy())
    this.#early = []
    done(error)
  }

  arrive(bytes: Buffer): void {
    if (this.destroyed || this.isGone) return
    const way = (this.#back ??= this.#network.way(this.other, this.host))
    if (way.breaks > 0) {
      way.breaks--
      this.peer?.destroy()
      return void this.destroy(new Error('read ECONNRESET'))
    }
    if (this.onRead === undefined) this.push(bytes)
    else this.onRead(bytes)
  }

  #carry(act: () => void): void {
    if (this.isGone) return
    if (this.#isConnected || this.peer?.onRead !== undefined) this.#network.carry(this.#lane, act)
    else this.#early.push(() => this.#network.carry(this.#lane, act))
  }
}
