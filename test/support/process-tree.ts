import { readFileSync, readdirSync } from 'node:fs'

/** Processes as the system tells of them (Linux). */

/** Empty: it ended between the listing and now. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** Of what has a parenthesis in its name, too. */
const statOf = (pid: number): readonly string[] => read(pid, 'stat').split(') ').at(-1)?.split(' ') ?? []

/** Who has started whom, of all that there are. */
function parents(): ReadonlyMap<number, number> {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return new Map(all.map((name) => [Number(name), Number(statOf(Number(name))[1] ?? 0)]))
}

/** The processes that one has started. */
export function childrenOf(pid: number): number[] {
  return [...parents()].flatMap(([child, parent]) => (parent === pid ? [child] : []))
}

/** All processes below one, itself not included. */
export function descendants(root: number): number[] {
  const all = [...parents()]
  const below = (pid: number): number[] =>
    all.flatMap(([child, parent]) => (parent === pid ? [child, ...below(child)] : []))
  return below(root)
}

/** The program of a process, and its words. */
export function commandOf(pid: number): string {
  return read(pid, 'cmdline').replaceAll('\0', ' ')
}

/** Whether it is there, and more than a number that waits for somebody to ask how it ended. */
export function isRunning(pid: number): boolean {
  const [state = ''] = statOf(pid)
  return state !== '' && state !== 'Z'
}
