import type { FileKind, Language } from './source-file.ts'

const languages: Readonly<Record<string, Language>> = {
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  py: 'python',
  pyi: 'python',
  go: 'go',
  rs: 'rust',
  java: 'java',
}

const extension = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''

export const languageOf = (name: string): Language | undefined => {
  const ending = extension(name)
  return Object.hasOwn(languages, ending) ? languages[ending] : undefined
}

const secretNames: readonly (readonly [form: RegExp, what: string])[] = [
  [/^\.?env(?:\..*)?$|\.env$/, 'settings with secrets'],
  [/\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|p8|gpg|asc|der)$/, 'a key or certificate'],
  [/^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/, 'an SSH key'],
  [/^[._](?:npmrc|netrc|pgpass|pypirc|htpasswd|dockercfg|git-credentials|my\.cnf|s3cfg|boto)$/, 'credentials'],
  [/^credentials(?:\.(?:json|ya?ml|toml|ini|csv|xml|txt|properties))?$/, 'credentials'],
  [/^secrets?\.(?:json|ya?ml|toml|ini|env|properties)$/, 'secrets'],
  [/^service[-_]?account.*\.json$|^client_secret.*\.json$/, 'a service account'],
  [/\.tfstate(?:\.backup)?$|\.tfvars$/, 'state or variables of Terraform'],
  [/^kubeconfig$|\.ovpn$|\.mobileprovision$/, 'credentials'],
]

/** What a file by this name is expected to hold that nobody else may see. */
export function secretByName(name: string): string | undefined {
  return secretNames.find(([form]) => form.test(name.toLowerCase()))?.[1]
}

const lockFiles = new Set([
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'deno.lock',
  'cargo.lock',
  'go.sum',
  'go.work.sum',
  'poetry.lock',
  'uv.lock',
  'pdm.lock',
  'pipfile.lock',
  'pixi.lock',
  'gemfile.lock',
  'composer.lock',
  'mix.lock',
  'pubspec.lock',
  'podfile.lock',
  'package.resolved',
  'gradle.lockfile',
  'flake.lock',
  '.terraform.lock.hcl',
])

export const isLockFile = (name: string): boolean => lockFiles.has(name.toLowerCase())

export const isMinifiedName = (name: string): boolean => /[.-]min\.(?:[cm]?js|css)$|\.map$/i.test(name)

export const isGeneratedName = (name: string): boolean =>
  /\.pb\.go$|_pb2(?:_grpc)?\.pyi?$|\.g\.(?:ts|js)$|\.tsbuildinfo$|_generated\.go$|^zz_generated\./i.test(name)

/** Code of others, and what tools leave: wherever it stands. */
const vendored = new Set(
  'node_modules bower_components jspm_packages __pycache__ site-packages venv third_party third-party __snapshots__'.split(
    ' ',
  ),
)
/** These are names of source, too: they count only beside what describes a package, or where the scan begins. */
const vendoredBesideManifest = new Set(['vendor', 'target', 'coverage', 'htmlcov'])

/** Folders that build tools write to, beside what describes a package. */
const built = new Set(['dist', 'build', 'out'])

export const isVendored = (name: string, isBesideManifest: boolean): boolean =>
  vendored.has(name) || name.endsWith('.egg-info') || (isBesideManifest && vendoredBesideManifest.has(name))

export const isBuilt = (name: string): boolean => built.has(name)

const configNames = new Set(
  (
    'package.json jsr.json deno.json deno.jsonc tsconfig.json cargo.toml pyproject.toml setup.py setup.cfg go.mod ' +
    'go.work pom.xml build.gradle build.gradle.kts settings.gradle settings.gradle.kts composer.json gemfile makefile'
  ).split(' '),
)

/** What describes a package. */
export const isConfig = (name: string): boolean => configNames.has(name.toLowerCase())

const testFolders =
  /^(?:tests?|__tests__|__mocks__|__fixtures__|specs?|testdata|fixtures?|e2e|bench|benches|benchmarks?)$/i
const testNames =
  /[._-](?:test|spec|e2e|bench)(?:-d)?\.[cm]?[jt]sx?$|_test\.(?:go|py|rs)$|^test_.*\.py$|^tests?\.(?:py|rs|[cm]?[jt]sx?)$|^conftest\.py$|(?:Tests?|TestCase|IT)\.java$/
const exampleFolders = /^(?:examples?|demos?|samples?)$/i
const docNames =
  /\.(?:md|mdx|markdown|rst|adoc)$|^(?:readme|changelog|changes|history|contributing|security)(?:\.txt)?$/i

export function kindOf(path: string): FileKind {
  const folders = path.split('/')
  const name = folders.pop() ?? ''
  if (isConfig(name)) return 'config'
  if (folders.some((folder) => testFolders.test(folder)) || testNames.test(name)) return 'test'
  if (folders.some((folder) => exampleFolders.test(folder))) return 'example'
  if (docNames.test(name)) return 'doc'
  return languageOf(name) === undefined ? 'other' : 'source'
}
