import { Failure } from '../../contract/failure.ts'
import type { Oid } from '../repository.ts'

/** The refs of a project by their full names: anything shorter may mean something else to Git. */
export const mainRef = 'refs/heads/main'
export const branchPrefix = 'refs/heads/'
/** Names of versions, annotated or not, which sites may show. */
export const tagPrefix = 'refs/tags/'
/** Below it, every commit that was or is live, by the number of its deploy. */
export const deployPrefix = 'refs/deploys/'

const maxLength = 100
/** A first part with one of these would make Git look elsewhere: `heads/main` is taken for main. */
const gitNamespaces: ReadonlySet<string> = new Set(['refs', 'heads', 'tags', 'remotes', 'origin'])
const windowsDevice = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])$/

type Rule = readonly [broken: (name: string) => boolean, message: string, hint: string]

/** In the order in which they are reported. */
const rules: readonly Rule[] = [
  [(name) => name === '', 'The branch name is empty.', 'Give the branch a name.'],
  [
    (name) => name.length > maxLength,
    `The branch name is longer than ${maxLength} characters.`,
    'Choose a shorter name.',
  ],
  [
    (name) => !/^[a-z0-9_/-]*$/.test(name),
    'The branch name has characters that are not allowed.',
    'Use lowercase letters, digits, hyphen, underscore and slash.',
  ],
  [
    (name) => name.startsWith('/') || name.endsWith('/'),
    'The branch name starts or ends with a slash.',
    'Put slashes only between words.',
  ],
  [(name) => name.includes('//'), 'The branch name has two slashes in a row.', 'Use one slash.'],
  [
    (name) => name.startsWith('-'),
    'The branch name starts with a hyphen: commands would take it for an option.',
    'Start it with a letter or a digit.',
  ],
  [
    (name) => name === 'main' || name.startsWith('main/'),
    'The name main, and names that start with main/, are not allowed for a branch.',
    'Choose another name.',
  ],
  [
    (name) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(name),
    'The branch name looks like the id of a commit (40 or 64 hexadecimal digits): Git would take it for one.',
    'Choose another name.',
  ],
  [
    (name) => gitNamespaces.has(name.split('/', 1)[0] ?? ''),
    'The first part of the branch name is reserved by Git (refs, heads, tags, remotes, origin).',
    'Choose another first part.',
  ],
  [
    (name) => name.split('/').some((part) => windowsDevice.test(part)),
    'A part of the branch name is a device name on Windows (con, prn, aux, nul, com1–9, lpt1–9): fetching it would fail there.',
    'Choose another name.',
  ],
]

/** What keeps a text from being the name of a tag; null when nothing does. `v1.0.0-rc.1`, `docs/v2` and `@acme/kit@2.0.0` are names. */
export function tagNameProblem(name: string): string | null {
  if (name.length > maxLength) return `it is longer than ${maxLength} characters`
  if (!/^@?[A-Za-z0-9_][A-Za-z0-9._+@-]*(?:\/[A-Za-z0-9_][A-Za-z0-9._+@-]*)*$/.test(name))
    return 'letters, digits and . _ + @ - are allowed, with slashes between words that start with a letter or a digit'
  if (/\.\.|\.(?:\/|$)|\.lock(?:\/|$)/.test(name))
    return 'two dots in a row, and . or .lock at the end of a word, are not'
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(name)) return 'it looks like the id of a commit'
  // `git push origin main` and `HEAD` would mean two things to whoever has fetched it.
  return name === 'main' || name === 'HEAD' || gitNamespaces.has(name.split('/', 1)[0] ?? '')
    ? 'Git takes it for something else'
    : null
}

export function branchRef(name: string): string {
  return `${branchPrefix}${name}`
}

export function deployRef(number: number): string {
  return `${deployPrefix}${number}`
}

/** @throws Error, a bug of the caller, for what is no full name of a ref: git might take it for something else. */
export function checkRefName(ref: string): void {
  if (!/^refs\/[^\p{Cc} ~^:?*[\\]+$/u.test(ref) || /\.\.|\/\/|\/$|\/\.|\.lock(?:\/|$)|@\{/.test(ref))
    throw new Error(`not a full ref name: ${JSON.stringify(ref)}`)
}

/** A ref is not where the change of it was made for. `null`: there is none. */
export function staleRef(ref: string, expected: Oid | null, actual: Oid | null): Failure {
  const message = `${ref} is at ${actual ?? 'nothing'}, not at ${expected ?? 'nothing'}: somebody else moved it.`
  return new Failure('stale_ref', message, {
    hint: 'Read it again and repeat the change.',
    extra: { ref, expected, actual },
  })
}

/** Refs are files: `a` and `a/b` exclude each other. */
export function nameConflict(ref: string): Failure {
  return new Failure('branch_name_conflict', 'A branch cannot have the name of a folder of other branches.', {
    hint: 'Choose another name.',
    extra: { ref },
  })
}

/** What a person typed, as a name: without white space around it, every space a hyphen. */
export function normaliseBranchName(name: string): string {
  return name.trim().replaceAll(' ', '-')
}

/**
 * Checks the name of a branch to be made. Whether it is free, and clashes with no other (`a` and `a/b`), the ref
 * transaction says.
 *
 * @returns the name.
 * @throws Failure `invalid_branch_name` that says which rule is broken.
 */
export function checkBranchName(name: string): string {
  const rule = rules.find(([broken]) => broken(name))
  if (rule) throw new Failure('invalid_branch_name', rule[1], { hint: rule[2], extra: { name } })
  return name
}
