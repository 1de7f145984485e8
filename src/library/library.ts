// A whole server inside a program or a test: in memory unless it is told otherwise, on a free port, with users that need no files.
// Nothing of it is global: any number of servers run in one process.
import { randomBytes } from 'node:crypto'
import type { User } from '../api/user.ts'
import { TokenTable } from '../auth/token-file.ts'
import { Client } from '../client/client.ts'
import { readConfig } from '../config/config.ts'
import { SILENT_LOG, type Log } from '../lib/log.ts'
import {
  ADMIN,
  type Kubeconfig,
  type KubeconfigFile,
  kubeconfigOf,
  kubeconfigPlace,
  writeKubeconfig,
} from '../server/admin.ts'
import { startServer as composeServer, type RunningServer } from '../server/server.ts'
import { type RecordOptions, type RequestRecord, RequestRecords } from './request-record.ts'

export type { Client, Kubeconfig, Log }
export type { RecordedRequest, RecordOptions, RequestRecord } from './request-record.ts'

/** Who sends a request. What it may do is up to RBAC; the group `system:masters` may do everything. */
export interface ServerUser {
  readonly name: string
  readonly groups?: readonly string[]
  readonly uid?: string
  readonly extra?: Readonly<Record<string, readonly string[]>>
  /** A bearer token of your own; absent: the server makes one. */
  readonly token?: string
}

export interface ServerOptions {
  /** Where everything is kept; absent: in memory only. */
  readonly dataDir?: string
  /** 0 or absent: any free port. */
  readonly port?: number
  /** Users that are known from the start. Others can be made at any time by asking for their kubeconfig or access. */
  readonly users?: readonly ServerUser[]
  /** Flags of `quarterdeck serve` by name, without dashes: `{ 'feature-gates': 'WatchList=false' }`; or as on a command line. */
  readonly flags?: Readonly<Record<string, string | number | boolean>> | readonly string[]
  /** Absent: nothing is logged. Any pino logger will do. */
  readonly log?: Log
  /** Gives up starting. */
  readonly signal?: AbortSignal
}

/** What a client of any library needs. */
export interface ServerCredentials {
  readonly url: string
  /** The certificate authority, in PEM; undefined where the flags name a certificate that clients trust already. */
  readonly ca: string | undefined
  readonly token: string
}

/** A server that is ready. `await using server = await startServer()` stops it at the end of the block. */
export interface Server extends AsyncDisposable {
  /** `https://127.0.0.1:41234` */
  readonly url: string
  /** Never resolves. Rejects where something that must run has failed for good. */
  readonly failed: Promise<never>
  /** For the administrator, or for a user by name; one that is not known yet is made as it is described. */
  credentials(user?: string | ServerUser): ServerCredentials
  /** A client for the same; it is closed when the server stops. */
  client(user?: string | ServerUser): Client
  /** The same as a kubeconfig. */
  kubeconfig(user?: string | ServerUser): Kubeconfig
  /** The same as a file that only its owner can read; it is removed when the server stops. */
  kubeconfigFile(user?: string | ServerUser): string
  /** Keeps what the server is asked from now on, also what it refuses. */
  recordRequests(options?: RecordOptions): RequestRecord
  /** Closes every connection and everything that is open; every call waits for the same end. */
  stop(): Promise<void>
}

/** Resolves when the server is ready. Throws an error of one line where it cannot start. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const { log = SILENT_LOG, signal = new AbortController().signal } = options
  const config = await readConfig(flagsOf(options), {})
  const users = new Users(options.users ?? [])
  const records = new RequestRecords()
  const order = { config, log, signal, tokens: users.method, outermost: records.filter, sharesProcess: true }
  return new LibraryServer(await composeServer(order), users, records)
}

function flagsOf({ dataDir, port = 0, flags = {} }: ServerOptions): string[] {
  const given = isList(flags) ? flags : Object.entries(flags).map(([name, value]) => `--${name}=${value}`)
  const namesStorage = given.some((flag) => /^--(etcd-servers|data-dir)(=|$)/.test(flag))
  const storage = dataDir === undefined ? (namesStorage ? [] : ['--in-memory']) : [`--data-dir=${dataDir}`]
  return [...storage, `--secure-port=${port}`, ...given]
}

function isList(flags: NonNullable<ServerOptions['flags']>): flags is readonly string[] {
  return Array.isArray(flags)
}

/** The users of one server and their tokens. */
class Users {
  readonly #table = new TokenTable()
  readonly #tokens = new Map<string, string>()
  readonly method = this.#table.method

  constructor(users: readonly ServerUser[]) {
    for (const user of users) this.#add(user)
  }

  tokenOf(user: string | ServerUser): string {
    const known = this.#tokens.get(typeof user === 'string' ? user : user.name)
    if (known !== undefined) return known
    if (typeof user === 'string') {
      throw new Error(
        `there is no user ${user}; name it in the options of startServer, or give its groups: { name, groups }`,
      )
    }
    return this.#add(user)
  }

  #add({ name, groups = [], uid, extra = {}, token = randomBytes(32).toString('base64url') }: ServerUser): string {
    if (this.#tokens.has(name)) throw new Error(`there are two users ${name}`)
    const user: User = { name, uid, groups, extra }
    this.#table.add(token, user)
    this.#tokens.set(name, token)
    return token
  }
}

class LibraryServer implements Server {
  readonly #running: RunningServer
  readonly #users: Users
  readonly #records: RequestRecords
  /** By token: a user may have the name of the administrator. */
  readonly #files = new Map<string, KubeconfigFile>()
  readonly #clients: Client[] = []

  constructor(running: RunningServer, users: Users, records: RequestRecords) {
    this.#running = running
    this.#users = users
    this.#records = records
  }

  get url(): string {
    return this.#running.url
  }

  get failed(): Promise<never> {
    return this.#running.failed
  }

  credentials(user?: string | ServerUser): ServerCredentials {
    const { url, authority: ca, adminToken } = this.#running
    return { url, ca, token: user === undefined ? adminToken : this.#users.tokenOf(user) }
  }

  client(user?: string | ServerUser): Client {
    const { url, ca, token } = this.credentials(user)
    const client = new Client({ url, token, ...(ca === undefined ? {} : { ca }) })
    this.#clients.push(client)
    return client
  }

  kubeconfig(user?: string | ServerUser): Kubeconfig {
    const { url, ca: authority, token } = this.credentials(user)
    return kubeconfigOf({ url, authority, user: { name: nameOf(user), credential: { token } } })
  }

  kubeconfigFile(user?: string | ServerUser): string {
    const { token } = this.credentials(user)
    const known = this.#files.get(token)
    if (known !== undefined) return known.file
    const made = kubeconfigPlace(undefined, undefined)
    this.#files.set(token, made)
    writeKubeconfig(made.file, this.kubeconfig(user))
    return made.file
  }

  recordRequests(options?: RecordOptions): RequestRecord {
    return this.#records.start(options)
  }

  async stop(): Promise<void> {
    for (const client of this.#clients.splice(0)) client.close()
    await this.#running.stop()
    for (const file of this.#files.values()) file[Symbol.dispose]()
    this.#files.clear()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}

function nameOf(user: string | ServerUser | undefined): string {
  return user === undefined ? ADMIN.name : typeof user === 'string' ? user : user.name
}
