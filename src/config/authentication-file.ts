// The AuthenticationConfiguration: JWT issuers, their claim mappings, and anonymous access (P-065 to P-067, P-081).
import { DocumentFaults } from '../api/document-faults.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { asMap, isTrue, mapOrEmpty, mapsInPlace, textOrEmpty, textsInPlace } from '../api/members.ts'
import { isMap, own } from '../api/value.ts'
import type { ClaimMapping, ClaimRule, Expression, JwtIssuerRules } from '../auth/jwt-issuer.ts'
import { SIGNATURE_ALGORITHMS } from '../auth/jwt.ts'
import { compileClaimExpression, type ExpressionResult } from './config-expressions.ts'

export interface JwtIssuerConfig {
  readonly rules: JwtIssuerRules
  readonly discoveryUrl: string | undefined
  /** PEM. Undefined: the CAs of the host. */
  readonly authority: string | undefined
  /** The JSON of the entry, to detect changes. */
  readonly source: string
}

export interface AnonymousConfig {
  readonly enabled: boolean
  /** The only paths of anonymous requests. Undefined: all paths. */
  readonly paths: readonly string[] | undefined
}

export interface AuthenticationConfig {
  readonly issuers: readonly JwtIssuerConfig[]
  readonly anonymous: AnonymousConfig | undefined
}

const GROUP = 'apiserver.config.k8s.io'
const VERSIONS: readonly string[] = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `${GROUP}/${version}`)
const MAX_ISSUERS = 64
const EXTRA_KEY = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?\/[a-z0-9/._~!$&'()*+,;=:@%-]+$/
const EMAIL = /claims\.email(?![\w])/
const EMAIL_VERIFIED = /claims\.email_verified/

/** `ownIssuers`: the issuers of service account tokens, which are not allowed here. Throws an `Error` with every fault. */
export function readAuthenticationConfig(document: Value, ownIssuers: readonly string[]): AuthenticationConfig {
  const reader = new Reader()
  const config = reader.read(document, ownIssuers)
  if (reader.all.length > 0) throw new Error(reader.all.join('; '))
  return config
}

class Reader extends DocumentFaults {
  read(document: Value, ownIssuers: readonly string[]): AuthenticationConfig {
    const root = asMap(document)
    if (own(root, 'kind') !== 'AuthenticationConfiguration' || !VERSIONS.includes(textOrEmpty(root, 'apiVersion'))) {
      this.all.push(`must be an AuthenticationConfiguration of ${VERSIONS[0]}`)
      return { issuers: [], anonymous: undefined }
    }
    this.checkFields(root, ['apiVersion', 'kind', 'jwt', 'anonymous'], '')
    const entries = mapsInPlace(root, 'jwt')
    if (entries.length > MAX_ISSUERS)
      this.add('jwt', `Too many: ${entries.length}: must have at most ${MAX_ISSUERS} items`)
    const issuers = entries.map((entry, i) => this.#issuer(entry, `jwt[${i}]`))
    this.#unique(issuers, ownIssuers)
    return { issuers, anonymous: this.#anonymous(own(root, 'anonymous')) }
  }

  #unique(issuers: readonly JwtIssuerConfig[], ownIssuers: readonly string[]): void {
    const [urls, places] = [new Set<string>(), new Set<string>()]
    for (const [i, { rules, discoveryUrl }] of issuers.entries()) {
      const at = `jwt[${i}].issuer`
      if (urls.has(rules.issuer)) this.duplicate(`${at}.url`, rules.issuer)
      if (ownIssuers.includes(rules.issuer)) this.add(`${at}.url`, 'URL must not overlap with disallowed issuers')
      if (discoveryUrl !== undefined && places.has(discoveryUrl)) {
        this.duplicate(`${at}.discoveryURL`, discoveryUrl)
      }
      urls.add(rules.issuer)
      if (discoveryUrl !== undefined) places.add(discoveryUrl)
    }
  }

  #issuer(entry: ValueMap, at: string): JwtIssuerConfig {
    this.checkFields(entry, ['issuer', 'claimMappings', 'claimValidationRules', 'userValidationRules'], at)
    const issuer = mapOrEmpty(entry, 'issuer')
    const inIssuer = `${at}.issuer`
    this.checkFields(
      issuer,
      ['url', 'discoveryURL', 'certificateAuthority', 'audiences', 'audienceMatchPolicy', 'egressSelectorType'],
      inIssuer,
    )
    const [url, discovery, authority] = ['url', 'discoveryURL', 'certificateAuthority'].map((name) =>
      textOrEmpty(issuer, name),
    )
    this.#checkUrl(url ?? '', `${inIssuer}.url`)
    if (discovery !== '' && discovery !== undefined) {
      this.#checkUrl(discovery, `${inIssuer}.discoveryURL`)
      if (discovery === url) this.add(`${inIssuer}.discoveryURL`, 'discoveryURL must be different from URL')
    }
    if (authority !== '' && authority?.includes('-----BEGIN CERTIFICATE-----') !== true) {
      this.add(`${inIssuer}.certificateAuthority`, 'does not hold a certificate in PEM form')
    }
    const mappings = mapOrEmpty(entry, 'claimMappings')
    const inMappings = `${at}.claimMappings`
    this.checkFields(mappings, ['username', 'groups', 'uid', 'extra'], inMappings)
    this.#checkEmail(entry, `${inMappings}.username.expression`)
    return {
      discoveryUrl: discovery === '' ? undefined : discovery,
      authority: authority === '' ? undefined : authority,
      source: JSON.stringify(entry),
      rules: {
        issuer: url ?? '',
        audiences: this.#audiences(issuer, inIssuer),
        algorithms: SIGNATURE_ALGORITHMS,
        username: this.#username(mappings, `${inMappings}.username`),
        groups: this.#prefixed(own(mappings, 'groups'), `${inMappings}.groups`, 'strings'),
        uid: this.#uid(own(mappings, 'uid'), `${inMappings}.uid`),
        extra: this.#extra(mappings, `${inMappings}.extra`),
        claimRules: mapsInPlace(entry, 'claimValidationRules').map((rule, i) =>
          this.#claimRule(rule, `${at}.claimValidationRules[${i}]`),
        ),
        userRules: mapsInPlace(entry, 'userValidationRules').map((rule, i) =>
          this.#userRule(rule, `${at}.userValidationRules[${i}]`),
        ),
      },
    }
  }

  #checkUrl(text: string, at: string): void {
    if (text === '') return this.add(at, 'Required value: URL is required')
    if (!URL.canParse(text)) return this.invalid(at, text, 'not a URL')
    const { protocol, username, password, search, hash } = new URL(text)
    if (protocol !== 'https:') this.invalid(at, text, 'URL scheme must be https')
    if (username !== '' || password !== '') this.add(at, 'URL must not contain a username or password')
    if (search !== '' || text.includes('?')) this.add(at, 'URL must not contain a query')
    if (hash !== '' || text.includes('#')) this.add(at, 'URL must not contain a fragment')
  }

  #audiences(issuer: ValueMap, at: string): readonly string[] {
    const audiences = textsInPlace(issuer, 'audiences')
    const policy = textOrEmpty(issuer, 'audienceMatchPolicy')
    if (audiences.length === 0)
      this.add(`${at}.audiences`, 'Required value: at least one jwt[].issuer.audiences is required')
    if (audiences.includes('')) this.add(`${at}.audiences`, 'Required value: audience can not be empty')
    if (new Set(audiences).size < audiences.length) this.add(`${at}.audiences`, 'Duplicate value')
    if (audiences.length > 1 && policy !== 'MatchAny') {
      this.invalid(`${at}.audienceMatchPolicy`, policy, 'audienceMatchPolicy must be MatchAny for multiple audiences')
    } else if (policy !== '' && policy !== 'MatchAny') {
      this.invalid(
        `${at}.audienceMatchPolicy`,
        policy,
        'audienceMatchPolicy must be empty or MatchAny for single audience',
      )
    }
    return audiences
  }

  /** An unverified email address may not be a user name. */
  #checkEmail(entry: ValueMap, at: string): void {
    const mappings = mapOrEmpty(entry, 'claimMappings')
    const username = textOrEmpty(mapOrEmpty(mappings, 'username'), 'expression')
    const others = [
      ...mapsInPlace(mappings, 'extra').map((extra) => textOrEmpty(extra, 'valueExpression')),
      ...mapsInPlace(entry, 'claimValidationRules').map((rule) => textOrEmpty(rule, 'expression')),
    ]
    if (!EMAIL.test(username) || [username, ...others].some((text) => EMAIL_VERIFIED.test(text))) return
    this.add(
      at,
      'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression',
    )
  }

  #username(mappings: ValueMap, at: string): ClaimMapping {
    const given = this.#prefixed(own(mappings, 'username'), at, 'string')
    if (given === undefined) this.add(at, 'Required value: claim or expression is required')
    return given ?? { kind: 'claim', claim: 'sub', prefix: '' }
  }

  #prefixed(value: Value | undefined, at: string, result: ExpressionResult): ClaimMapping | undefined {
    if (!isMap(value)) return undefined
    this.checkFields(value, ['claim', 'prefix', 'expression'], at)
    const [claim, expression, prefix] = [
      textOrEmpty(value, 'claim'),
      textOrEmpty(value, 'expression'),
      own(value, 'prefix'),
    ]
    if (claim === '' && expression === '' && result !== 'string') return undefined
    if ((claim === '') === (expression === '')) {
      this.add(
        at,
        claim === ''
          ? 'Required value: claim or expression is required'
          : 'Invalid value: "": claim and expression can\'t both be set',
      )
      return undefined
    }
    if (expression !== '') {
      if (prefix !== undefined) this.add(`${at}.prefix`, "Invalid value: prefix can't be set when expression is set")
      return {
        kind: 'expression',
        evaluate: this.#expression(expression, { at: `${at}.expression`, subject: 'claims', result }),
      }
    }
    if (typeof prefix !== 'string') {
      this.add(
        `${at}.prefix`,
        'Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing',
      )
    }
    return { kind: 'claim', claim, prefix: typeof prefix === 'string' ? prefix : '' }
  }

  #uid(value: Value | undefined, at: string): ClaimMapping | undefined {
    if (!isMap(value)) return undefined
    this.checkFields(value, ['claim', 'expression'], at)
    const [claim, expression] = [textOrEmpty(value, 'claim'), textOrEmpty(value, 'expression')]
    if (claim === '' && expression === '') return undefined
    if (claim !== '' && expression !== '') this.add(at, 'Invalid value: "": claim and expression can\'t both be set')
    if (expression === '') return { kind: 'claim', claim, prefix: '' }
    return {
      kind: 'expression',
      evaluate: this.#expression(expression, { at: `${at}.expression`, subject: 'claims', result: 'string' }),
    }
  }

  #extra(mappings: ValueMap, at: string): JwtIssuerRules['extra'] {
    const seen = new Set<string>()
    return mapsInPlace(mappings, 'extra').map((extra, i) => {
      const here = `${at}[${i}]`
      this.checkFields(extra, ['key', 'valueExpression'], here)
      const key = textOrEmpty(extra, 'key')
      const [domain = ''] = key.split('/')
      if (!EXTRA_KEY.test(key)) this.invalid(`${here}.key`, key, 'must be a lowercase domain-prefixed path')
      if (/(^|\.)(k8s|kubernetes)\.io$/.test(domain))
        this.invalid(`${here}.key`, key, 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use')
      if (seen.has(key)) this.duplicate(`${here}.key`, key)
      seen.add(key)
      const text = textOrEmpty(extra, 'valueExpression')
      return {
        key,
        evaluate: this.#expression(text, { at: `${here}.valueExpression`, subject: 'claims', result: 'strings' }),
      }
    })
  }

  #claimRule(rule: ValueMap, at: string): ClaimRule {
    this.checkFields(rule, ['claim', 'requiredValue', 'expression', 'message'], at)
    const [claim, requiredValue, expression, message] = ['claim', 'requiredValue', 'expression', 'message'].map(
      (name) => textOrEmpty(rule, name),
    ) as [string, string, string, string]
    if ((claim === '') === (expression === '')) this.add(at, 'exactly one of claim and expression is required')
    if (expression === '') {
      if (message !== '') this.add(`${at}.message`, "message can't be set when claim is set")
      return { kind: 'claim', claim, requiredValue }
    }
    if (requiredValue !== '') this.add(`${at}.requiredValue`, "requiredValue can't be set when expression is set")
    return {
      kind: 'expression',
      message,
      evaluate: this.#expression(expression, { at: `${at}.expression`, subject: 'claims', result: 'bool' }),
    }
  }

  #userRule(rule: ValueMap, at: string): JwtIssuerRules['userRules'][number] {
    this.checkFields(rule, ['expression', 'message'], at)
    const evaluate = this.#expression(textOrEmpty(rule, 'expression'), {
      at: `${at}.expression`,
      subject: 'user',
      result: 'bool',
    })
    return { evaluate, message: textOrEmpty(rule, 'message') }
  }

  #expression(text: string, about: { at: string; subject: 'claims' | 'user'; result: ExpressionResult }): Expression {
    const none: Expression = () => ({ kind: 'problem', problem: 'no expression' })
    if (text.trim() === '') {
      this.add(about.at, 'Required value: expression is required')
      return none
    }
    const compiled = compileClaimExpression(text, about.subject, about.result)
    if (compiled.kind === 'expression') return compiled.evaluate
    this.invalid(about.at, text, compiled.problem)
    return none
  }

  #anonymous(value: Value | undefined): AnonymousConfig | undefined {
    if (value === undefined || value === null) return undefined
    const anonymous = asMap(value)
    this.checkFields(anonymous, ['enabled', 'conditions'], 'anonymous')
    const conditions = mapsInPlace(anonymous, 'conditions')
    const enabled = isTrue(anonymous, 'enabled')
    if (!enabled && conditions.length > 0)
      this.add('anonymous.conditions', 'enabled should be set to true when conditions are defined')
    for (const [i, condition] of conditions.entries()) {
      this.checkFields(condition, ['path'], `anonymous.conditions[${i}]`)
      if (!textOrEmpty(condition, 'path').startsWith('/')) this.add(`anonymous.conditions[${i}].path`, 'must be a path')
    }
    return {
      enabled,
      paths: conditions.length === 0 ? undefined : conditions.map((condition) => textOrEmpty(condition, 'path')),
    }
  }
}
