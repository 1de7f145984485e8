import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readAdmissionSettings } from '../../../src/config/admission-config.ts'
import { enabledPlugins } from '../../../src/config/admission-plugins.ts'
import { FLAGS } from '../../../src/config/flags.ts'
import { tempFolder } from '../../rigs/temp-folder.ts'

const NONE = enabledPlugins([], [])

async function read(files: Readonly<Record<string, string>>): Promise<ReturnType<typeof readAdmissionSettings>> {
  const folder = await tempFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
  return readAdmissionSettings({ admissionFile: path.join(folder, 'a.yaml'), admissionPlugins: NONE })
}

const HEAD = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n'

describe('the settings of admission plugins', () => {
  it('are read from the sections of one file', async () => {
    const { podSecurity, nodeSelectors, limitedResources } = await read({
      'a.yaml': `${HEAD}- name: PodSecurity
  configuration:
    kind: PodSecurityConfiguration
    defaults: {enforce: baseline, enforce-version: v1.30, warn: restricted}
    exemptions: {usernames: [boss], namespaces: [kube-system], runtimeClasses: [sandbox]}
- name: PodNodeSelector
  configuration: {podNodeSelectorPluginConfig: {clusterDefaultNodeSelector: a=b, ns: c=d}}
- name: ResourceQuota
  configuration: {limitedResources: [{resource: pods, matchScopes: [{scopeName: PriorityClass, operator: Exists}]}]}
- name: Unknown
  configuration: {}
`,
    })
    expect(podSecurity.defaults.enforce).toEqual({ level: 'baseline', minor: 30 })
    expect(podSecurity.defaults.warn).toEqual({ level: 'restricted', minor: Infinity })
    expect(podSecurity.exempt.namespaces.has('kube-system')).toBe(true)
    expect(limitedResources).toEqual([
      {
        group: '',
        resource: 'pods',
        matchContains: [],
        matchScopes: [{ scopeName: 'PriorityClass', operator: 'Exists', values: [] }],
      },
    ])
    expect(nodeSelectors).toEqual({ fallback: { a: 'b' }, allowed: new Map([['ns', { c: 'd' }]]) })
  })

  it('may be in files of their own', async () => {
    const files = {
      'a.yaml': `${HEAD}- {name: EventRateLimit, path: limits.yaml}\n`,
      'limits.yaml': 'kind: Configuration\nlimits:\n- {type: User, qps: 5, burst: 10}\n',
    }
    expect((await read(files)).eventLimits).toEqual([{ type: 'User', qps: 5, burst: 10, cacheSize: 4096 }])
  })

  it.each<[string, string, string]>([
    ['another kind', 'kind: Other\n', 'it is not an AdmissionConfiguration'],
    ['no YAML', 'a: [', ''],
    [
      'a level that is none',
      `${HEAD}- {name: PodSecurity, configuration: {defaults: {enforce: odd}}}\n`,
      'PodSecurity: defaults.enforce: must be one of privileged, baseline, restricted',
    ],
    [
      'a level that is no text',
      `${HEAD}- {name: PodSecurity, configuration: {defaults: {enforce: [restricted]}}}\n`,
      'PodSecurity: defaults.enforce: must be one of privileged, baseline, restricted',
    ],
    [
      'a version that is a number',
      `${HEAD}- {name: PodSecurity, configuration: {defaults: {enforce-version: 1.30}}}\n`,
      'PodSecurity: defaults.enforce-version: ',
    ],
    [
      'a limit that is none',
      `${HEAD}- {name: EventRateLimit, configuration: {limits: [{type: User, qps: 0}]}}\n`,
      'EventRateLimit: limits[0].qps must be above zero',
    ],
  ])('keep the server from starting where there is %s', async (_, text, why) => {
    await expect(read({ 'a.yaml': text })).rejects.toThrow(why)
  })

  it('are needed by a plugin that cannot do without', () => {
    expect(() =>
      readAdmissionSettings({ admissionFile: undefined, admissionPlugins: enabledPlugins(['EventRateLimit'], []) }),
    ).toThrow('EventRateLimit requires limits')
  })
})

describe('the plugins that are on', () => {
  it('are the defaults, with what is wanted and without what is not', () => {
    const on = enabledPlugins(['AlwaysPullImages'], ['PodSecurity'])
    expect([on.has('AlwaysPullImages'), on.has('PodSecurity'), on.has('Priority')]).toEqual([true, false, true])
  })

  it('keep nodes to what is theirs unless that is switched off (D32)', () => {
    expect(enabledPlugins([], []).has('NodeRestriction')).toBe(true)
    expect(enabledPlugins([], ['NodeRestriction']).has('NodeRestriction')).toBe(false)
    expect(FLAGS.find(({ name }) => name === 'enable-admission-plugins')?.help).toContain('NodeRestriction')
  })

  it.each<[string, readonly string[], readonly string[], string]>([
    ['that are none', ['Odd'], [], '--enable-admission-plugins: unknown admission plugin "Odd"'],
    ['that are wanted and unwanted', ['Priority'], ['Priority'], '"Priority" is in both'],
  ])('keep the server from starting where some are named %s', (_, wanted, unwanted, why) => {
    expect(() => enabledPlugins(wanted, unwanted)).toThrow(why)
  })
})
