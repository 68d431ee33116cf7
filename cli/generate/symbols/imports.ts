import { posix } from 'node:path'
import type { Language } from '../source/source-file.ts'

/** Files that an import may mean, the likeliest first; not all exist. */
type Candidates = (path: string, name: string) => readonly string[]

const scriptEndings = ['.ts', '.tsx', '.d.ts', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.d.mts', '.d.cts']

/** Of relative ones: what others mean depends on packages and settings. */
const script: Candidates = (path, name) => {
  if (!name.startsWith('.')) return []
  const target = posix.join(posix.dirname(path), name)
  const stem = target.replace(/\.[cm]?jsx?$/, '')
  const stems = stem === target ? [target] : [stem, target]
  return [
    target,
    ...stems.flatMap((each) => scriptEndings.map((ending) => each + ending)),
    ...scriptEndings.map((ending) => `${target}/index${ending}`),
  ]
}

const python: Candidates = (path, name) => {
  const dots = /^\.*/.exec(name)?.[0].length ?? 0
  const parts = name.slice(dots).split('.').join('/')
  const up =
    dots > 0 ? [posix.join(posix.dirname(path), '../'.repeat(Math.min(dots, 50) - 1), parts)] : [parts, `src/${parts}`]
  return up.flatMap((target) => [`${target}.py`, posix.join(target, '__init__.py'), `${target}.pyi`])
}

/** Of a module `m` beside, and of `crate::a::B` below the crate's `src`. */
const rust: Candidates = (path, name) => {
  const module = /^mod (\S+)$/.exec(name)?.[1]
  const folder = posix.dirname(path)
  if (module !== undefined) {
    const isRoot = /^(?:lib|main|mod)\.rs$/.test(posix.basename(path))
    const base = isRoot ? folder : path.replace(/\.rs$/, '')
    return [posix.join(base, `${module}.rs`), posix.join(base, module, 'mod.rs')]
  }
  const names = /^crate((?:::\w+){1,20})/.exec(name)?.[1]?.split('::').slice(1) ?? []
  const root = /^(?:.*\/)?src(?=\/)/.exec(path)?.[0] ?? ''
  return names
    .map((_name, index) => posix.join(root, ...names.slice(0, names.length - index)))
    .flatMap((target) => [`${target}.rs`, `${target}/mod.rs`])
}

/** Packages are folders below the same roots as the file's own. */
const java: Candidates = (path, name) => {
  const target = `${name.split('.').join('/')}.java`
  const folders = path.split('/').slice(0, -1).slice(0, 30)
  return [target, ...folders.map((_folder, index) => posix.join(...folders.slice(0, index + 1), target))]
}

const candidates: Partial<Record<Language, Candidates>> = { typescript: script, javascript: script, python, rust, java }

/** The files of the tree that imports name, as far as their names tell; those of Go name packages, not files. */
export function resolveImports(
  language: Language,
  path: string,
  names: readonly string[],
  tree: ReadonlySet<string>,
): string[] {
  if (tree.size === 0) return []
  const found = names.flatMap((name) => candidates[language]?.(path, name).find((file) => tree.has(file)) ?? [])
  return [...new Set(found)].filter((file) => file !== path)
}
