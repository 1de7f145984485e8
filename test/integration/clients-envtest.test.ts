// controller-runtime's test environment starts this server in the place of kube-apiserver.
import { execFile } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { COMMAND } from '../rigs/command.ts'
import { etcdEnvironment, findEtcd } from '../rigs/etcd-binary.ts'
import { buildGoClient, CLIENT_LEVELS, GO_BUILD_LIMIT_MS } from '../rigs/go-client.ts'
import { tempFolder } from '../rigs/temp-folder.ts'

it.each(CLIENT_LEVELS)(
  'is started by envtest of level %s, takes its flags and serves its users (P-530)',
  { timeout: GO_BUILD_LIMIT_MS },
  async (level) => {
    const [program, etcd, assets] = await Promise.all([
      buildGoClient('envtest', level),
      findEtcd('newest'),
      tempFolder(),
    ])
    await symlink(etcd.path, path.join(assets, 'etcd'))
    const script = `#!/bin/sh\nexec '${process.execPath}' '${COMMAND}' serve "$@"\n`
    await writeFile(path.join(assets, 'kube-apiserver'), script, { mode: 0o755 })
    const patience = { KUBEBUILDER_CONTROLPLANE_START_TIMEOUT: '120s', KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT: '60s' }
    const env = { ...etcdEnvironment(), ...patience, HOME: assets, GOTRACEBACK: 'none' }
    const { stdout } = await promisify(execFile)(program, [assets], { env })
    expect(stdout).toBe('made made 1\n')
  },
)
