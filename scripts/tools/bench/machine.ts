import { cpus, release, totalmem } from 'node:os'
import { execFileSync } from 'node:child_process'

/** One line that names the machine, to be quoted with every figure. */
export function machine(): string {
  const processors = cpus()
  const git = execFileSync('git', ['--version'], { encoding: 'utf8' }).trim()
  return `${processors.length} × ${processors[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.version}, ${git}`
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[middle] ?? NaN) : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2
}
