// The recipe of a cluster without machines, as it stands in the document, with released software: kube-controller-manager, kube-scheduler
// and kwok run on a server of ours, and a Deployment rolls out.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { runProgram } from '../rigs/child-program.ts'
import { COMMAND } from '../rigs/command.ts'
import { examplesIn, typedLines } from '../corpora/documents.ts'
import { buildGoClient, buildReference } from '../rigs/go-client.ts'
import { buildGoProgram } from '../rigs/go-program.ts'
import { readModules } from '../corpora/public-modules.ts'
import { newHome } from '../rigs/server-process.ts'

const execute = promisify(execFile)
const RECIPES = path.join(import.meta.dirname, '../../deploy/controllers.md')
const SECTION = 'A cluster without machines'
const KWOK = { name: 'kwok', module: 'sigs.k8s.io/kwok', folder: '/cmd/kwok', version: '0.8.0' }
/** What the file of its release is put together of. */
const STAGES = /^kustomize\/stage\/(?:node\/fast|node\/heartbeat-with-lease|pod\/fast)\/(?:node|pod)-[^/]*$/
const SERVES = /^(?:quarterdeck serve|kube-controller-manager|kube-scheduler|kwok) /

/** A folder with everything that the recipe takes for granted. */
async function prepared(): Promise<string> {
  const folder = await newHome()
  const programs = path.join(folder, 'bin')
  mkdirSync(programs)
  const command = `#!/bin/sh\nexec '${process.execPath}' '${COMMAND}' "$@"\n`
  writeFileSync(path.join(programs, 'quarterdeck'), command, { mode: 0o755 })
  symlinkSync(await buildGoClient('kubectl'), path.join(programs, 'kubectl'))
  symlinkSync(await buildGoProgram('kwok', KWOK), path.join(programs, 'kwok'))
  for (const name of ['kube-controller-manager', 'kube-scheduler'] as const) {
    symlinkSync(await buildReference(name), path.join(programs, name))
  }
  const stages = (await readModules([`${KWOK.module}@v${KWOK.version}`])).filter(({ place }) => STAGES.test(place))
  writeFileSync(path.join(folder, 'stage-fast.yaml'), stages.map(({ text }) => text).join('\n---\n'))
  return folder
}

it('is made by what the recipe says', async () => {
  const folder = await prepared()
  const [, rest = ''] = readFileSync(RECIPES, 'utf8').split(`## ${SECTION}\n`)
  const block = examplesIn('controllers.md', rest.split('\n## ')[0]!).find(({ text }) => text.includes('kwok --'))!
  const env: Record<string, string> = { PATH: `${folder}/bin:${process.env['PATH']}`, HOME: folder }
  const shell = (line: string): Promise<{ stdout: string }> => execute('bash', ['-c', line], { cwd: folder, env })
  const answers = `kubectl --kubeconfig cluster/admin.kubeconfig get --raw /readyz`
  let said = ''
  for (const line of typedLines(block)) {
    if (line.startsWith('export ')) {
      const [name = '', value = ''] = line.slice('export '.length).split('=')
      env[name] = value
    } else if (SERVES.test(line)) {
      const program = runProgram('bash', ['-c', `cd '${folder}' && exec ${line}`], env)
      await program.until(() =>
        shell(answers).then(
          () => true,
          () => false,
        ),
      )
    } else said = (await shell(line)).stdout
  }
  expect(said).toBe('deployment.apps/web condition met\n')
  const { stdout } = await shell('kubectl get pods --no-headers')
  expect(stdout.match(/ 1\/1 +Running /g)).toHaveLength(3)
})
