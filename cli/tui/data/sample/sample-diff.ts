import type { FileDiff } from '#contract/branches.ts'
import type { SampleFile, SampleTree } from './sample-files.ts'
import { hunksOf } from '../text-diff.ts'

/** What the sample’s branch changed, as the service would tell it. */
export function sampleDiff(main: SampleTree, branch: SampleTree, only?: string): FileDiff[] {
  const paths = [...new Set([...main.keys(), ...branch.keys()])].toSorted()
  return paths.flatMap((path) => {
    const [before, after] = [main.get(path), branch.get(path)]
    if (before?.oid === after?.oid || (only !== undefined && only !== path)) return []
    return [fileDiff(path, before, after)]
  })
}

function fileDiff(path: string, before: SampleFile | undefined, after: SampleFile | undefined): FileDiff {
  const both = after === undefined ? 'deleted' : 'modified'
  const isText = [before, after].every((file) => file === undefined || file.text !== undefined)
  return {
    path,
    status: before === undefined ? 'added' : both,
    ...(before === undefined ? {} : { oldOid: before.oid }),
    ...(after === undefined ? {} : { oid: after.oid }),
    binary: !isText,
    truncated: false,
    hunks: isText ? (hunksOf(before?.text ?? '', after?.text ?? '') ?? []) : [],
  }
}
