// Prints what is in the image as a CycloneDX document: the packages of npm, Node with what it is built of, and Debian's.
//
//     node bill-of-materials.js PROJECT PACKAGES-LIST
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'

const [, , project, listFile] = process.argv
const { version, license } = JSON.parse(readFileSync(path.join(project, 'package.json'), 'utf8'))
const components = [...npmPackages(), nodeItself(), ...debianPackages()]
const content = { components, version }
const document = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
  version: 1,
  metadata: {
    component: {
      type: 'application',
      name: 'quarterdeck',
      version,
      'bom-ref': `pkg:npm/quarterdeck@${version}`,
      purl: `pkg:npm/quarterdeck@${version}`,
      licenses: [{ license: { id: license } }],
    },
  },
  components,
}
process.stdout.write(`${JSON.stringify(document, undefined, 1)}\n`)

/** Those that the lock file has for use, and of them those that are installed: the others are for other systems. */
function npmPackages() {
  const { packages } = JSON.parse(readFileSync(path.join(project, 'package-lock.json'), 'utf8'))
  return Object.entries(packages).flatMap(([place, { dev, integrity }]) => {
    const installed = place === '' || dev === true ? undefined : installedAt(place)
    if (installed === undefined) return []
    const { name, version: installedVersion, license: itsLicense } = installed
    const purl = `pkg:npm/${name.replace('@', '%40')}@${installedVersion}`
    const reference = { type: 'library', name, version: installedVersion, 'bom-ref': `${purl}#${place}`, purl }
    const hash = /^sha512-(.*)$/.exec(integrity ?? '')?.[1]
    return {
      ...reference,
      ...(typeof itsLicense === 'string' ? { licenses: [{ expression: itsLicense }] } : {}),
      ...(hash === undefined
        ? {}
        : { hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }] }),
    }
  })
}

function installedAt(place) {
  try {
    return JSON.parse(readFileSync(path.join(project, place, 'package.json'), 'utf8'))
  } catch {
    return undefined
  }
}

function nodeItself() {
  const { node, ...parts } = process.versions
  const purl = `pkg:generic/node@${node}`
  return {
    type: 'platform',
    name: 'node',
    version: node,
    'bom-ref': purl,
    purl,
    components: Object.entries(parts).map(([name, partVersion]) => ({
      type: 'library',
      name,
      version: partVersion,
      'bom-ref': `${purl}#${name}`,
    })),
  }
}

function debianPackages() {
  const names = readFileSync(listFile, 'utf8').split('\n').filter(Boolean)
  if (names.length === 0) return []
  const format = '${Package}\t${Version}\t${Architecture}\n'
  const table = execFileSync('dpkg-query', ['--show', `--showformat=${format}`, ...names], { encoding: 'utf8' })
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [name, packageVersion, architecture] = line.split('\t')
      const purl = `pkg:deb/debian/${name}@${encodeURIComponent(packageVersion)}?arch=${architecture}`
      return { type: 'library', name, version: packageVersion, 'bom-ref': purl, purl }
    })
}

/** The same content has the same number: an image that is built again from the same sources has the same files. */
function uuidOf(text) {
  const digits = createHash('sha256').update(text).digest('hex')
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `5${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-')
}
