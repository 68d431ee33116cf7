// The command line as a package that npm installs, for people who have nothing but the address of a service: it serves
// this file, so that theirs is of its version.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))

/** Packages that the build leaves outside, native in part: where they are missing, the UI has no preview, components with
 * JavaScript are not bundled, and sessions are kept in a file. */
const outside = ['satteri', 'rolldown', '@napi-rs/keyring']

/** The program, and what its UI and `quire generate` read; then what builds sites here: children that render, and the theme. */
const files = [
  'quire.js',
  'quire/main.cjs',
  'ui/main.cjs',
  'prose-child.js',
  'island-child.js',
  'grammars',
  'sample',
  'starter',
  'man',
  'dev/main.cjs',
  'render-child.cjs',
  'render-child',
  'theme',
  'icons',
  'warmup',
]

/** Code that was compiled ahead is of one version of Node and of one processor; who looks at a page alone needs no compression. */
const isLeftOut = (file) => /\.(?:cache|br|gz)$/.test(file)

export function buildPackage() {
  const draft = mkdtempSync('dist/.package-')
  const folder = join(draft, 'package')
  mkdirSync(folder)
  const { name, version, license, bin, man, type, engines, dependencies, optionalDependencies } = manifest
  const versions = { ...dependencies, ...optionalDependencies }
  const ours = {
    name,
    version,
    description: 'The command line of Quire, a documentation service built on Git.',
    license,
    bin,
    man,
    files: ['dist'],
    type,
    engines,
    optionalDependencies: Object.fromEntries(outside.map((one) => [one, versions[one]])),
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(ours, null, 2))
  cpSync('LICENSE', join(folder, 'LICENSE'))
  cpSync('cli/README.md', join(folder, 'README.md'))
  const filter = (path) => !isLeftOut(path)
  for (const file of files) cpSync(join('dist', file), join(folder, 'dist', file), { recursive: true, filter })
  execFileSync('tar', ['-czf', join(draft, 'quire.tgz'), '-C', draft, 'package'])
  mkdirSync('dist/package', { recursive: true })
  renameSync(join(draft, 'quire.tgz'), 'dist/package/quire.tgz')
  rmSync(draft, { recursive: true })
}
