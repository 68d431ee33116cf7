import type { ErrorDetail } from '../../contract/common.ts'
import type { AssetRecord } from '../../contract/release.ts'
import type { Steps } from '../../lib/slices.ts'
import { namedFew } from './plan.ts'

/** Bytes of a Git LFS pointer: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md. */
const pointerSize = { from: 120, to: 200 }
const pointerStart = Buffer.from('version https://git-lfs.github.com/spec/v1\n')

export const whatToDo =
  'Git LFS is not served. Send the files themselves: `git lfs pull` before a deploy, `git lfs migrate export --include="*"` before a push.'

/** Whether a file holds a pointer of Git LFS: its content is kept elsewhere, and the site shows the pointer. */
export function isPointer(bytes: Uint8Array): boolean {
  if (bytes.length < pointerSize.from || bytes.length > pointerSize.to) return false
  return pointerStart.equals(bytes.subarray(0, pointerStart.length))
}

/** The warning about all assets that are pointers. @param own paths of the project itself: nobody mends a tag */
export function* pointerWarning(
  assets: Readonly<Record<string, AssetRecord>>,
  own: { has(path: string): boolean },
): Steps<ErrorDetail[]> {
  const paths: string[] = []
  for (const path in assets) {
    yield
    if (assets[path]?.pointer === true && own.has(path)) paths.push(path)
  }
  if (paths.length === 0) return []
  const subject = paths.length === 1 ? '1 file is a Git LFS pointer' : `${paths.length} files are Git LFS pointers`
  return [{ rule: 'file-pointer', message: `${subject}, which readers get: ${namedFew(paths.sort())}. ${whatToDo}` }]
}
