// The client's credentials: a token, a token file, a certificate, or the output of a plugin (`exec` of a kubeconfig).
import { readFile } from 'node:fs/promises'
import { givenMembers } from '../lib/given-members.ts'
import { checkValue } from '../lib/known-options.ts'
import type { ClientCertificate } from './transport.ts'

/** A program that prints an `ExecCredential`, as in a kubeconfig. */
export interface ExecConfig {
  readonly apiVersion?: string
  readonly command: string
  readonly args?: readonly string[] | null
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null
  readonly installHint?: string
  readonly provideClusterInfo?: boolean
}

export interface CredentialOptions {
  readonly token?: string
  /** A request reads the file again if the last read is a minute old, because such tokens are replaced before they expire. */
  readonly tokenFile?: string
  /** PEM. */
  readonly clientCertificate?: string
  /** PEM. */
  readonly clientKey?: string
  readonly exec?: ExecConfig
}

export interface Credential {
  readonly token?: string
  readonly certificate?: ClientCertificate
}

const TOKEN_FILE_AGE_MS = 60_000

interface ExecStatus {
  readonly token?: string
  readonly clientCertificateData?: string
  readonly clientKeyData?: string
  readonly expirationTimestamp?: string
}

/** The cluster, in the form that plugins receive. */
export type ClusterInfo = Readonly<Record<string, unknown>>

export class Credentials {
  readonly #options: CredentialOptions
  readonly #cluster: ClusterInfo
  /** One object for all requests: a connection is shared only by requests with the same object. */
  readonly #certificate: ClientCertificate | undefined
  #current: Promise<Credential> | undefined
  #latest: Credential | undefined
  #expiresAt = Infinity

  constructor(options: CredentialOptions, cluster: ClusterInfo) {
    this.#options = options
    this.#cluster = cluster
    const { clientCertificate: cert, clientKey: key, exec } = options
    if (exec !== undefined) checkValue('exec', 'command', exec.command, 'text')
    if ((cert === undefined) !== (key === undefined)) {
      throw new TypeError('clientCertificate and clientKey go together: one of them is missing')
    }
    this.#certificate = cert === undefined || key === undefined ? undefined : { cert, key }
  }

  /** Throws if a file cannot be read or a plugin fails. The next call tries again. */
  async current(): Promise<Credential> {
    if (Date.now() >= this.#expiresAt) this.#current = undefined
    this.#current ??= this.#obtain()
    const credential = this.#current
    try {
      this.#latest = await credential
      return this.#latest
    } catch (error) {
      if (this.#current === credential) this.#current = undefined
      throw error
    }
  }

  /** Call this after the server has refused the credential. False: there is no other credential. */
  refused(credential: Credential): boolean {
    if (this.#options.tokenFile === undefined && this.#options.exec === undefined) return false
    if (this.#latest === credential) this.#current = undefined
    return true
  }

  async #obtain(): Promise<Credential> {
    const { token, tokenFile, exec } = this.#options
    this.#expiresAt = Infinity
    if (exec !== undefined) return this.#execute(exec)
    const certificate = this.#certificate
    if (tokenFile === undefined) return givenMembers({ token, certificate })
    const text = (await readFile(tokenFile, 'utf8')).trim()
    if (text === '') throw new Error(`the token file ${tokenFile} is empty`)
    this.#expiresAt = Date.now() + TOKEN_FILE_AGE_MS
    return givenMembers({ token: text, certificate })
  }

  async #execute(exec: ExecConfig): Promise<Credential> {
    const status = await runPlugin(exec, this.#cluster)
    if (status.expirationTimestamp !== undefined) this.#expiresAt = Date.parse(status.expirationTimestamp)
    const { token, clientCertificateData: cert, clientKeyData: key } = status
    return givenMembers({ token, certificate: cert === undefined || key === undefined ? undefined : { cert, key } })
  }
}

async function runPlugin(exec: ExecConfig, cluster: ClusterInfo): Promise<ExecStatus> {
  const { command, args, env, apiVersion = 'client.authentication.k8s.io/v1', installHint, provideClusterInfo } = exec
  const spec = { interactive: false, ...(provideClusterInfo === true ? { cluster } : {}) }
  const variables = {
    ...process.env,
    ...Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
    KUBERNETES_EXEC_INFO: JSON.stringify({ apiVersion, kind: 'ExecCredential', spec }),
  }
  const text = await new Promise<string>((resolve, reject) => {
    process
      .getBuiltinModule('node:child_process')
      .execFile(command, [...(args ?? [])], { env: variables }, (cause, stdout, stderr) => {
        if (cause === null) return resolve(stdout)
        const said = [cause.message, stderr.trim(), installHint ?? ''].filter((part) => part !== '').join('\n')
        reject(new Error(`the credential plugin ${command} failed: ${said}`, { cause }))
      })
  })
  const { status } = JSON.parse(text) as { readonly status?: ExecStatus }
  if (status?.token === undefined && status?.clientCertificateData === undefined) {
    throw new Error(`the credential plugin ${command} printed no ExecCredential with a token or a certificate`)
  }
  return status
}
