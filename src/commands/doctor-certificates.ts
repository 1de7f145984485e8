// Finds certificates that have expired or expire soon.
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import tls from 'node:tls'
import type { ConnectionOptions } from '../client/client.ts'
import type { Finding } from './doctor-findings.ts'

const SOON_DAYS = 30
const DAY_MS = 24 * 60 * 60 * 1000
const CONNECT_MS = 5000

/** Examines the certificate of the server and the certificates in the kubeconfig. */
export async function examineConnection(connection: ConnectionOptions, now: number): Promise<readonly Finding[]> {
  const { url, ca, clientCertificate } = connection
  const served = await servedCertificate(new URL(url), connection.serverName)
  return [
    ...(served === undefined ? [] : examine('serving certificate', served, now)),
    ...examinePem('certificate authority of the kubeconfig', ca, now),
    ...examinePem('client certificate of the kubeconfig', clientCertificate, now),
  ]
}

/** Examines the certificates that a server has made for itself. */
export async function examineDataDirectory(directory: string, now: number): Promise<readonly Finding[]> {
  const files = ['ca.crt', 'server.crt'].map((name) => path.join(directory, 'pki', name))
  const found: Finding[] = []
  for (const file of files) found.push(...examinePem(file, await readFile(file, 'utf8').catch(() => undefined), now))
  return found
}

function servedCertificate({ hostname, port }: URL, serverName: string | undefined): Promise<Buffer | undefined> {
  const host = hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve) => {
    // Requests verify the certificate. Here it is only read.
    const name = serverName ?? (/[a-z]/i.test(host) ? host : undefined)
    const options = { host, port: Number(port) || 443, rejectUnauthorized: false }
    const socket = tls.connect(name === undefined ? options : { ...options, servername: name })
    const end = (certificate: Buffer | undefined): void => {
      socket.destroy()
      resolve(certificate)
    }
    socket.setTimeout(CONNECT_MS, () => end(undefined))
    socket.once('secureConnect', () => end(socket.getPeerCertificate().raw))
    socket.once('error', () => end(undefined))
  })
}

function examinePem(subject: string, pem: string | undefined, now: number): readonly Finding[] {
  const blocks = pem?.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return blocks.flatMap((block) => examine(subject, block, now))
}

function examine(subject: string, certificate: string | Buffer, now: number): readonly Finding[] {
  const { validToDate, validFromDate } = new X509Certificate(certificate)
  const days = Math.floor((validToDate.getTime() - now) / DAY_MS)
  const told = (problem: string): readonly Finding[] => [
    { check: 'certificate', subject, problem, remedy: 'replace it; servers reload their files' },
  ]
  if (validFromDate.getTime() > now) return told(`it is valid from ${validFromDate.toISOString()} on only`)
  if (days < 0) return told(`it expired at ${validToDate.toISOString()}`)
  return days < SOON_DAYS ? told(`it expires in ${days} ${days === 1 ? 'day' : 'days'}`) : []
}
