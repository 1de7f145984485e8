// Cluster trust bundles: certificates of authorities that pods can mount. A bundle with a signer has the signer in its name.
import { FieldPath } from '../../api/field-path.ts'
import type { ClusterTrustBundle, ClusterTrustBundleSpec } from '../../api/gen/kinds.ts'
import { column, NAME, tableOf } from '../../codec/tables/column.ts'
import { orNone } from '../../codec/tables/reading.ts'
import type { Check } from '../../schema/validation/check.ts'
import { longerThan, type NameFormat } from '../../schema/validation/formats.ts'
import { checkBuiltInMeta, subdomainName } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { checkedAgain } from '../shared/built-in-rules.ts'
import { anchorFaults } from '../shared/pem.ts'
import { checkSignerName } from '../shared/signer-name.ts'

const SPEC = FieldPath.root<ClusterTrustBundleSpec>('spec')
const BUNDLE = SPEC.child('trustBundle')
const MAX_BUNDLE = 1024 * 1024

function nameFor(signer: string): NameFormat {
  const prefix = `${signer.replaceAll('/', ':')}:`
  return (name, isPrefix) => {
    if (signer === '') {
      return name.includes(':')
        ? ['ClusterTrustBundle without signer name must not have ":" in its name']
        : subdomainName(name, isPrefix)
    }
    return name.startsWith(prefix)
      ? subdomainName(name.slice(prefix.length), isPrefix)
      : [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`]
  }
}

function checkBundle(bundle: ClusterTrustBundle, check: Check, stored?: ClusterTrustBundle): void {
  const { signerName: signer = '', trustBundle } = bundle.spec
  checkBuiltInMeta(bundle, nameFor(signer), check)
  if (signer !== '') checkSignerName(signer, SPEC.child('signerName'), check)
  // A stored bundle was checked when it was written.
  if (trustBundle === stored?.spec.trustBundle) return
  if (longerThan(trustBundle, MAX_BUNDLE)) check.tooLong(BUNDLE, MAX_BUNDLE)
  else for (const fault of anchorFaults(trustBundle)) check.invalid(BUNDLE, '<value omitted>', fault)
}

export const CLUSTER_TRUST_BUNDLE: Kind = typedKind<ClusterTrustBundle>({
  validation: checkedAgain(checkBundle, ({ spec }, { spec: old }, check) =>
    check.unchanged(SPEC.child('signerName'), spec.signerName ?? '', old.signerName ?? ''),
  ),
  strategy: { conditionalUpdate: true },
  columns: tableOf([
    NAME,
    column('SignerName', 'The signer of the certificates.', ({ spec }) => orNone(spec.signerName ?? '')),
  ]),
})
