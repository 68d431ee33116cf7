const namePattern = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\/[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/
const projectPattern = /^project\/([^/]+)$/

/**
 * The file of a document: `project/<id>` is `<id>.json`, beside `<id>.git`; every other name gets a leading `_`
 * and dots for its slashes (`service` is `_service.json`), which no id has, so a project named `service` is safe.
 * Names are segments of lower-case letters, digits and inner hyphens, joined by `/`.
 */
export function fileOf(document: string): string {
  if (!namePattern.test(document)) throw new Error(`not a document name: ${JSON.stringify(document)}`)
  const id = projectPattern.exec(document)?.[1]
  return id === undefined ? `_${document.replaceAll('/', '.')}.json` : `${id}.json`
}

/** The inverse of fileOf; null for a file that is no document's. */
export function documentOf(file: string): string | null {
  if (!file.endsWith('.json')) return null
  const stem = file.slice(0, -'.json'.length)
  const name = stem.startsWith('_') ? stem.slice(1).replaceAll('.', '/') : `project/${stem}`
  return namePattern.test(name) && fileOf(name) === file ? name : null
}
