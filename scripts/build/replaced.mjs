// What builds have replaced, and a service that runs may still load.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const dayMs = 24 * 60 * 60 * 1000

/** When builds have replaced which files. */
function readRecord(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}

/**
 * Removes what a build has replaced a day ago: until then a service that started before it may load it. How old a file is
 * says nothing of that, so the record has since when each is not of the last build.
 *
 * @param {string} folder of the code that a program loads when it needs it
 * @param {ReadonlySet<string>} written the files of the last build
 * @param {string} record where to remember what was replaced when
 */
export function removeReplaced(folder, written, record, now = Date.now()) {
  if (!existsSync(folder)) return
  const before = readRecord(record)
  const replaced = {}
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (written.has(file) || name.startsWith('main.')) continue
    const since = before[file] ?? now
    if (now - since > dayMs) rmSync(file, { recursive: true })
    else replaced[file] = since
  }
  mkdirSync(dirname(record), { recursive: true })
  writeFileSync(record, JSON.stringify(replaced))
}
