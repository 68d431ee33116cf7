import { randomBytes } from 'node:crypto'
import { readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '../../contract/limits.ts'
import { nullIfMissing } from '../../lib/disk.ts'
import { emptyTree } from '../repository.ts'

type Setting = readonly [key: string, value: string]

/** How Git works in every repository: https://git-scm.com/docs/git-config. */
const settings: readonly Setting[] = [
  ['core.bare', 'true'],
  ['core.filemode', 'true'],
  ['core.logAllRefUpdates', 'false'],
  ['core.fsync', 'all'],
  ['core.fsyncMethod', 'batch'],
  ['core.hooksPath', '/dev/null'],
  ['core.filesRefLockTimeout', '2000'],
  ['core.packedRefsTimeout', '5000'],
  ['gc.auto', '0'],
  ['gc.pruneExpire', 'never'],
  // The service packs refs itself, when none of its transactions runs.
  ['gc.packRefs', 'false'],
  ['maintenance.auto', 'false'],
  ['receive.autogc', 'false'],
  ['receive.denyNonFastForwards', 'true'],
  ['receive.maxInputSize', String(20 * limits.requestBytes)],
  ['transfer.fsckObjects', 'true'],
  ['transfer.hideRefs', 'refs/internal'],
  ['uploadpack.allowFilter', 'true'],
  ['merge.directoryRenames', 'false'],
]

/** What no file of a repository may say, as that file might allow more. */
const ofTheProcess: readonly Setting[] = [
  // The data directory may belong to another user (a mounted volume); it is the service’s own all the same.
  ['safe.directory', '*'],
  // A pushed .gitattributes must not decide what merges and what is binary.
  ['attr.tree', emptyTree],
]

/** Variables with which Git keeps to the settings also in a repository whose file is missing or says something else. */
export const configEnvironment: Readonly<Record<string, string>> = Object.fromEntries([
  ['GIT_CONFIG_COUNT', String(settings.length + ofTheProcess.length)],
  ...[...settings, ...ofTheProcess].flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]),
])

/**
 * The file `config` of a repository, for those who work in it by hand. Its objects are precious: `git gc` removes none of
 * them, `git prune` and `git repack -d` refuse to. That setting counts only in the file.
 */
export const repositoryConfig = configText([
  ['core.repositoryFormatVersion', '1'],
  ['extensions.preciousObjects', 'true'],
  ...settings,
])

/** While the service itself collects: `gc.pid` keeps others from it meanwhile. */
const collectedConfig = configText([['core.repositoryFormatVersion', '0'], ...settings])

/** Writes the file again unless it says what it should. Returns whether it did. */
export async function mendConfig(directory: string): Promise<boolean> {
  const found = await readFile(join(directory, 'config'), 'utf8').catch(nullIfMissing)
  if (found === repositoryConfig) return false
  await writeConfig(directory, repositoryConfig)
  return true
}

/** Runs work that may remove objects of a repository. A crash leaves it allowed; `mendConfig` takes it back. */
export async function whileCollectable<T>(directory: string, work: () => Promise<T>): Promise<T> {
  await writeConfig(directory, collectedConfig)
  try {
    return await work()
  } finally {
    await writeConfig(directory, repositoryConfig)
  }
}

/** Whole or not at all. Not flushed: what a power cut loses is written again. */
async function writeConfig(directory: string, text: string): Promise<void> {
  const temporary = join(directory, `tmp_config_${randomBytes(8).toString('hex')}`)
  try {
    await writeFile(temporary, text, { flag: 'wx' })
    await rename(temporary, join(directory, 'config'))
  } catch (error) {
    await unlink(temporary).catch(nullIfMissing)
    throw error
  }
}

function configText(entries: readonly Setting[]): string {
  const sections = new Map<string, string[]>()
  for (const [key, value] of entries) {
    const [section = '', name = ''] = key.split('.')
    const lines = sections.get(section) ?? []
    sections.set(section, [...lines, `\t${name} = ${value}\n`])
  }
  return [...sections].map(([section, lines]) => `[${section}]\n${lines.join('')}`).join('')
}
