import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A fresh folder that goes with the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-test-'))
  onTestFinished(() => removeDirectory(directory))
  return directory
}

/** Removes a folder in which processes that were killed may still write for a moment. */
export async function removeDirectory(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 20 })
}

/** Writes files below a folder, by `/`-separated path. */
export async function writeFiles(
  directory: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const absolute = join(directory, path)
    await mkdir(dirname(absolute), { recursive: true })
    await writeFile(absolute, content)
  }
}
