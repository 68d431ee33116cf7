import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Failure } from '#contract/failure.ts'
import { fileSize } from '../../output.ts'
import type { WalkEntry } from '../../deploying/walk.ts'
import { listCandidates, skip } from './candidates.ts'
import { uselessness } from './content.ts'
import { kindOf, languageOf } from './file-names.ts'
import { findSecrets } from './secrets.ts'
import type { Scan, SkippedFile, SourceFile } from './source-file.ts'

export interface ScanOptions {
  /** Folders that are not read, absolute: where the pages go, perhaps. */
  readonly except?: readonly string[]
  readonly limits?: Partial<typeof scanLimits>
}

export const scanLimits = { files: 20_000, fileBytes: 1024 * 1024, bytes: 256 * 1024 * 1024 }

/** Files that are read at the same time. */
const atOnce = 32

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex')

/**
 * What is to be documented: the text files below a folder that no ignore file names and that hold no secret.
 *
 * A file with a secret is left out whole. Its other lines could be sent with that one blacked out; but who keeps one
 * secret in a file often keeps another there that no pattern knows, and a missing file is seen, where a leak is not. There
 * is no switch for it: the secret can be moved, or an example be written so that it looks like one.
 * @throws Failure invalid_request (no such folder, an ignore file or a folder that cannot be read).
 */
export async function scan(directory: string, options: ScanOptions = {}): Promise<Scan> {
  const root = resolve(directory)
  const info = await stat(root).catch(() => undefined)
  if (info?.isDirectory() !== true) {
    throw new Failure('invalid_request', `There is no folder ${directory}.`, {
      hint: 'Name the folder that holds your source: quire generate src -o docs',
    })
  }
  const limits = { ...scanLimits, ...options.limits }
  const except = new Set(options.except?.map((folder) => resolve(folder)))
  const candidates = await listCandidates(root, except, limits.files)
  const skipped: SkippedFile[] = [...candidates.skipped]
  const files: SourceFile[] = []
  let bytes = 0
  const waiting = candidates.entries.toSorted(byPath)
  while (waiting.length > 0 && bytes <= limits.bytes) {
    for (const result of await Promise.all(
      waiting.splice(0, atOnce).map((entry) => examine(entry, limits.fileBytes)),
    )) {
      if ('reason' in result) skipped.push(result)
      else if ((bytes += result.size) <= limits.bytes) files.push(result)
      else skipped.push(skip(result.path, 'too-many', `comes after ${fileSize(limits.bytes)} of others`))
    }
  }
  const next = waiting[0]
  if (next !== undefined)
    skipped.push(skip(next.path, 'too-many', `and what follows: ${fileSize(limits.bytes)} are read at most`))
  return { root, files, skipped: skipped.toSorted(byPath) }
}

/**
 * The text of a file that `scan` found.
 * @throws Failure invalid_request where it is no longer what was scanned: nobody has looked for secrets in that.
 */
export async function readText(file: SourceFile): Promise<string> {
  const content = await readFile(file.absolute).catch(() => undefined)
  if (content === undefined || sha256(content) !== file.sha256)
    throw new Failure('invalid_request', `${file.path} has changed while it was read.`, {
      hint: 'Run the command again: it goes on where it stopped.',
    })
  return content.toString('utf8')
}

const byPath = (a: { readonly path: string }, b: { readonly path: string }): number => (a.path < b.path ? -1 : 1)

async function examine(entry: WalkEntry, mostBytes: number): Promise<SourceFile | SkippedFile> {
  const { path, absolute, name } = entry
  const tooLarge = (size: number): SkippedFile =>
    skip(path, 'too-large', `has ${fileSize(size)}; a file may have ${fileSize(mostBytes)}`)
  try {
    const { size } = await stat(absolute)
    if (size > mostBytes) return tooLarge(size)
    const content = await readFile(absolute)
    if (content.byteLength > mostBytes) return tooLarge(content.byteLength)
    const useless = uselessness(name, content)
    if (useless !== undefined) return { path, ...useless }
    const secret = findSecrets(content.toString('utf8'))[0]
    if (secret !== undefined) return { ...skip(path, 'secret', `holds ${secret.kind}`), line: secret.line }
    const language = languageOf(name)
    return {
      path,
      absolute,
      kind: kindOf(path),
      ...(language === undefined ? {} : { language }),
      size: content.byteLength,
      sha256: sha256(content),
    }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    return skip(path, 'unreadable', `cannot be read (${String(error.code)})`)
  }
}
