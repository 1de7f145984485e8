import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { LogFile } from '../../../src/audit/log-file.ts'
import { readConfig } from '../../../src/config/config.ts'
import { ReloadRequests } from '../../../src/config/reload-requests.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { SILENT_LOG } from '../../../src/lib/log.ts'
import type { OutgoingCaller } from '../../../src/outgoing/call.ts'
import { openAudit } from '../../../src/server/audit.ts'
import { tempFolder } from '../../rigs/temp-folder.ts'
import { fakeRequest } from '../http/fake-request.ts'

it('closes every back end, also where one of them fails to close', async () => {
  const folder = await tempFolder()
  const [policy, hook, log] = ['policy.yaml', 'hook.yaml', 'audit.log'].map((name) => path.join(folder, name))
  writeFileSync(policy!, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n')
  const cluster = 'clusters: [{ name: c, cluster: { server: "https://127.0.0.1:1" } }]'
  writeFileSync(hook!, `${cluster}\ncontexts: [{ name: c, context: { cluster: c } }]\ncurrent-context: c\n`)
  const flags = { 'audit-policy-file': policy, 'audit-log-path': log, 'audit-webhook-config-file': hook }
  const config = await readConfig(
    ['--in-memory', ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`)],
    {},
  )
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<{ status: number }>()]
  const call = (): Promise<{ status: number }> => {
    asked.resolve()
    return answer.promise
  }
  const audit = openAudit(config.audit, {
    caller: { call } as unknown as OutgoingCaller,
    bodyText: () => undefined,
    clock: systemClock,
    log: SILENT_LOG,
    reloads: new ReloadRequests(),
  })
  const failing = vi.spyOn(LogFile.prototype, 'close').mockImplementation(async function (this: LogFile) {
    // Otherwise the line could be written while the test removes the folder.
    await this.flushed()
    throw new Error('no space left')
  })
  onTestFinished(() => failing.mockRestore())
  audit.filter?.auditor.refuse(fakeRequest('GET /api/v1/pods'), { code: 401 })
  let isOver = false
  const closed = audit.close().finally(() => (isOver = true))
  closed.catch(() => {})
  await asked.promise
  await turn()
  expect(isOver).toBe(false)
  answer.resolve({ status: 200 })
  await expect(closed).rejects.toThrow('no space left')
})
