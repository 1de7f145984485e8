// `make generate`: writes the documents of flags and metrics. `documents.test.ts` and `deployed-metrics.test.ts` fail where they are not current.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { readConfig } from '../../src/config/config.ts'
import { SILENT_LOG } from '../../src/lib/log.ts'
import { startServer } from '../../src/server/server.ts'
import { PlainClient } from '../rigs/plain-client.ts'
import { FLAGS_DOCUMENT, flagsDocument, METRICS_DOCUMENT, metricsDocument } from './reference-documents.ts'

const PROJECT = path.join(import.meta.dirname, '../..')

async function shownMetrics(): Promise<string> {
  const config = await readConfig(['--secure-port', '0', '--in-memory'], {})
  const server = await startServer({ config, log: SILENT_LOG, signal: AbortSignal.timeout(60_000) })
  using client = new PlainClient({ url: server.url, token: server.adminToken })
  const pages = await Promise.all(['/metrics', '/metrics/slis'].map((page) => client.send(page)))
  await server.stop()
  return pages.map(({ bytes }) => bytes.toString()).join('')
}

mkdirSync(path.join(PROJECT, path.dirname(FLAGS_DOCUMENT)), { recursive: true })
writeFileSync(path.join(PROJECT, FLAGS_DOCUMENT), flagsDocument())
writeFileSync(path.join(PROJECT, METRICS_DOCUMENT), metricsDocument(await shownMetrics()))
