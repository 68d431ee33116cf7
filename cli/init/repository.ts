import { execFile } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { basename, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'

/** The repository that a folder is in, or what stands for one. */
export interface Repository {
  /** Absolute path of its root. */
  readonly root: string
  /** Whether it is one of Git. */
  readonly isGit: boolean
  /** Where its remote is, if that is one whose CI is known. */
  readonly host?: 'github' | 'gitlab'
  /** The branch that is deployed. */
  readonly main: string
}

const run = promisify(execFile)

/** @returns the repository of the working directory; without one, the directory as the root of one to come */
export async function findRepository(): Promise<Repository> {
  const git = (...words: string[]): Promise<string> =>
    run('git', words).then(
      ({ stdout }) => stdout.trim(),
      () => '',
    )
  const root = await git('rev-parse', '--show-toplevel')
  if (root === '') return { root: resolve('.'), isGit: false, main: 'main' }
  const [remotes, head, current] = await Promise.all([
    git('remote', '-v'),
    git('symbolic-ref', '--short', 'refs/remotes/origin/HEAD'),
    git('branch', '--list', '--format=%(refname:short)', 'main', 'master'),
  ])
  const main = head.replace(/^origin\//, '') || (current.split('\n').includes('main') ? 'main' : current.split('\n')[0])
  const host = hostOf(remotes)
  return { root, isGit: true, main: main || 'main', ...(host === undefined ? {} : { host }) }
}

/** By the host of a remote: `git@github.com:…`, `https://gitlab.example.com/…`. */
export function hostOf(remotes: string): Repository['host'] {
  if (/[@/.]github\./i.test(remotes)) return 'github'
  return /[@/.]gitlab\./i.test(remotes) ? 'gitlab' : undefined
}

/** Path of a folder from the root of the repository, `/`-separated; `.` for the root itself. */
export async function pathInRepository({ root }: Repository, folder: string): Promise<string> {
  const [from, to] = await Promise.all([realpath(root), realpath(folder)])
  return relative(from, to).split(sep).join('/') || '.'
}

/** What a site may be called, where nobody says so. */
export function titleOf({ root }: Repository): string {
  const words = basename(root)
    .replaceAll(/[-_.]+/g, ' ')
    .trim()
  return words === '' ? 'Documentation' : `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
